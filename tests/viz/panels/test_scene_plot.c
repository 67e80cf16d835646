/* test_scene_plot.c: curves of every story that has some: their axes are to scale in round steps, and the
 * sign of the moment lies where the axes say that its numbers are.
 */
#include "stage/stage_frame.h"
#include "support/own.h"
#include "support/told.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const stories[] = {
    "train --gpus 2 --model linreg --batch 3,1 --mean ranks",
    "train --gpus 3 --model mlp --mode dp",
    "train --gpus 4 --model assets/resnet50.lay --bandwidth 5GB/s",
    "gil --gpus 4",
    "sampler --gpus 3 --dataset 14 --shuffle",
};
enum { N_STORIES = sizeof stories / sizeof stories[0], MOST_TICKS = 64 };
static const int sizes[][2] = {{800, 600}, {1000, 560}, {1280, 720}, {1280, 1000}, {1920, 1080}};
enum { N_SIZES = sizeof sizes / sizeof sizes[0] };

/* Numbers along an axis, and where they stand. */
typedef struct ticks {
    double number[MOST_TICKS], at[MOST_TICKS];
    int n;
} ticks;

static bool number_of(const char *text, double *number) {
    char *end;
    *number = strtod(text, &end);
    return end != text && *end == '\0';
}

static void add(ticks *t, double number, double at) {
    cr_assert_lt(t->n, MOST_TICKS);
    t->number[t->n] = number;
    t->at[t->n++] = at;
}

/* Returns the level line that goes to the right from beside the number; NULL: there is none. */
static const rv_item *line_at(const rv_scene *scene, const rv_item *label) {
    const double y = rv_centre(label->box).y;
    for (int32_t i = 0; i < scene->n_items; i++) {
        const rv_item *item = &scene->items[i];
        const bool level = item->shape == RV_SEGMENT && item->box.h == 0 && item->box.w > 10;
        const double gap = item->box.x - (label->box.x + label->box.w);
        if (level && fabs(item->box.y - y) < 0.01 && gap > 0 && gap < scene->unit) return item;
    }
    return NULL;
}

/* Round steps, all alike; places in proportion. */
static void expect_scale(const ticks *t, const char *where) {
    if (t->n < 2) return;
    const double step = t->number[1] - t->number[0];
    const double first = step / pow(10, floor(log10(step) + 1e-6));
    const double scale = (t->at[t->n - 1] - t->at[0]) / (t->number[t->n - 1] - t->number[0]);
    cr_expect(step > 0, "%s: a step of %g", where, step);
    cr_expect(fabs(first - 1) < 1e-3 || fabs(first - 2) < 1e-3 || fabs(first - 5) < 1e-3,
              "%s: a step of %g", where, step);
    for (int i = 0; i < t->n; i++) {
        const double number = t->number[0] + i * step;
        cr_expect_float_eq(t->number[i], number, 1e-4 * fabs(number) + 1e-4 * step, "%s: %g", where,
                           t->number[i]);
        cr_expect_float_eq(t->at[i], t->at[0] + scale * i * step, 0.02 * fabs(scale * step) + 0.02,
                           "%s: %g at %g", where, t->number[i], t->at[i]);
    }
}

/* Returns where a number stands on the axis. */
static double place_of(const ticks *t, double number) {
    const double scale = (t->at[1] - t->at[0]) / (t->number[1] - t->number[0]);
    return t->at[0] + scale * (number - t->number[0]);
}

/* The numbers beside the lines of one plot: those whose right ends stand above each other. */
static ticks upright_of(const rv_scene *scene, const rv_look *look, double right) {
    ticks found = {.n = 0};
    for (int32_t i = 0; i < scene->n_items; i++) {
        const rv_item *item = &scene->items[i];
        double number;
        if (item->shape != RV_LABEL || item->align != RV_RIGHT || item->fill != look->quiet)
            continue;
        if (fabs(item->box.x + item->box.w - right) > 0.01) continue;
        if (!number_of(rv_label_text(scene, item), &number) || line_at(scene, item) == NULL)
            continue;
        add(&found, number, rv_centre(item->box).y);
    }
    return found;
}

/* Looks at the dots of the moment, each with its number in a chip or, of several curves, without. */
static int look_at_dots(const rv_stage *stage, const ticks *axis, rv_box plot, const char *where) {
    const rv_frame *frame = rv_stage_frame(stage);
    const rv_scene *scene = &stage->scene;
    int n_right = 0;
    for (int32_t i = 0; i < scene->n_items; i++) {
        const rv_item *item = &scene->items[i];
        const rv_point at = rv_centre(item->box);
        bool right = false;
        if (item->shape != RV_DISC || item->layer != RV_MOVING || !rv_inside(plot, at.x, at.y))
            continue;
        for (int32_t p = 0; p < frame->n_plots; p++) {
            for (int32_t s = 0; s < frame->plots[p].n_series; s++) {
                const rv_series *series = &frame->plots[p].series[s];
                for (int32_t k = 0; k < series->n; k++) {
                    const double x = series->x != NULL ? series->x[k] : k;
                    if (x != frame->plots[p].at) continue;
                    right = right || fabs(place_of(axis, series->y[k]) - at.y) < 0.5;
                }
            }
        }
        cr_expect(right, "%s: a dot at %.1f,%.1f is no curve's value", where, at.x, at.y);
        n_right += right;
    }
    return n_right;
}

static int look_at_curves(const rv_stage *stage, const char *where) {
    const rv_scene *scene = &stage->scene;
    double seen[16];
    int n_seen = 0, n_dots = 0;
    for (int32_t i = 0; i < scene->n_items; i++) {
        const rv_item *item = &scene->items[i];
        const double right = item->box.x + item->box.w;
        double number;
        bool again = false;
        if (item->shape != RV_LABEL || item->align != RV_RIGHT || item->fill != stage->look.quiet)
            continue;
        if (!number_of(rv_label_text(scene, item), &number) || line_at(scene, item) == NULL)
            continue;
        for (int k = 0; k < n_seen; k++) again = again || fabs(seen[k] - right) < 0.01;
        if (again || n_seen == 16) continue;
        seen[n_seen++] = right;
        const ticks axis = upright_of(scene, &stage->look, right);
        expect_scale(&axis, where);
        if (axis.n < 2) continue;
        const rv_item *line = line_at(scene, item);
        const double top = fmin(axis.at[0], axis.at[axis.n - 1]),
                     step = fabs(axis.at[1] - axis.at[0]);
        const double height = step * (axis.n + 1);
        const rv_box plot = {line->box.x - 1, top - step, line->box.w + 2, height};
        n_dots += look_at_dots(stage, &axis, plot, where);
    }
    return n_dots;
}

Test(scene_plot, axes_are_to_scale_and_the_moment_lies_on_its_curve) {
    int n_dots = 0;
    for (int i = 0; i < N_STORIES; i++) {
        OWN_ARENA arena = {0};
        rs_error error = {.text = ""};
        rv_subject subject = told_subject(stories[i], &arena);
        for (int at = 0; at < 10; at += 3) {
            for (int size = 0; size < N_SIZES; size++) {
                const rv_options options = {.at = at,
                                            .dark = size == 0,
                                            .pixel_width = sizes[size][0],
                                            .pixel_height = sizes[size][1]};
                rv_stage *stage;
                char where[128];
                snprintf(where, sizeof where, "%s, step %d, %d x %d", stories[i], at,
                         sizes[size][0], sizes[size][1]);
                cr_assert_eq(rv_stage_new(&subject, &options, NULL, &error, &stage), RS_OK, "%s",
                             error.text);
                rv_stage_draw(stage);
                n_dots += look_at_curves(stage, where);
                rv_stage_free(stage);
            }
        }
        rv_subject_free(&subject);
    }
    cr_expect_gt(n_dots, 12, "%d dots were looked at", n_dots);
}

/* The column that stands for a step, as wide as it is. */
static rv_point column_of(const rv_stage *stage, int32_t step) {
    for (int32_t i = stage->scene.n_items - 1; i >= 0; i--) {
        const rv_item *item = &stage->scene.items[i];
        if (rv_same_target(item->target, rv_target_of(RV_STEP_BAR, step, 0)) && item->box.h > 100)
            return rv_centre(item->box);
    }
    cr_assert(false, "no column for step %d", (int)step);
    return (rv_point){0, 0};
}

static int32_t step_after(rv_stage *stage, rv_pointer what, int32_t step) {
    rs_error error = {.text = ""};
    const rv_point at = column_of(stage, step);
    cr_assert_eq(rv_stage_pointer(stage, what, at.x, at.y, &error), RS_OK, "%s", error.text);
    rv_stage_draw(stage);
    return rv_position_of(&stage->playback).step;
}

Test(scene_plot, a_click_or_a_drag_among_curves_shows_the_point_under_the_pointer) {
    const rv_options options = {.at = 0, .pixel_width = 1280, .pixel_height = 720};
    rs_error error = {.text = ""};
    OWN_ARENA arena = {0};
    rv_stage *stage;
    rv_subject subject = told_subject("compare --gpus 2..9 --bytes 4kB --algo ring,tree", &arena);
    cr_assert_eq(rv_stage_new(&subject, &options, NULL, &error, &stage), RS_OK, "%s", error.text);
    rv_stage_draw(stage);
    step_after(stage, RV_POINT_MOVE, 5);
    cr_expect_eq(step_after(stage, RV_POINT_PRESS, 5), 5);
    cr_expect_eq(step_after(stage, RV_POINT_MOVE, 7), 7);
    cr_expect_eq(step_after(stage, RV_POINT_MOVE, 2), 2);
    cr_expect_eq(step_after(stage, RV_POINT_RELEASE, 2), 2);
    cr_expect_eq(step_after(stage, RV_POINT_MOVE, 6), 2, "let go, it follows no more");
    rv_stage_free(stage);
    rv_subject_free(&subject);
}

static const char *const nine[] = {"ring",        "naive",         "tree",  "doubling",
                                   "halving",     "bidirectional", "rings", "two-level",
                                   "double-tree", "lower bound"};

/* Each name stands at its curve's end, in its colour; where curves lie on each other, the lower are wider. */
Test(scene_plot, no_curve_hides_another_and_each_has_its_name_at_its_end) {
    const rv_options options = {.at = -1, .pixel_width = 1280, .pixel_height = 720};
    rs_error error = {.text = ""};
    OWN_ARENA arena = {0};
    rv_stage *stage;
    rv_subject subject = told_subject("compare --gpus 2..16 --bytes 100MB", &arena);
    cr_assert_eq(rv_stage_new(&subject, &options, NULL, &error, &stage), RS_OK, "%s", error.text);
    rv_stage_draw(stage);
    const rv_scene *scene = &stage->scene;
    int n_names = 0, n_last = 0;
    for (int32_t i = 0; i < scene->n_items; i++) {
        const rv_item *item = &scene->items[i];
        if (item->shape != RV_LABEL) continue;
        const char *text = scene->text + item->first;
        n_last += strcmp(text, "16 GPUs") == 0 && item->box.y > 500 && item->box.y < 550;
        for (int k = 0; k < 10; k++) n_names += strcmp(text, nine[k]) == 0 && item->box.x > 1100;
    }
    cr_expect_eq(n_names, 10);
    cr_expect_eq(n_last, 1);
    for (int32_t i = 0; i < scene->n_items; i++) { /* later ones lie on top */
        const rv_item *low = &scene->items[i];
        if (low->shape != RV_SEGMENT || low->line < 2 || low->box.w < 20) continue;
        for (int32_t k = i + 1; k < scene->n_items; k++) {
            const rv_item *high = &scene->items[k];
            const bool same = high->shape == RV_SEGMENT && fabs(high->box.x - low->box.x) < 0.5 &&
                              fabs(high->box.y - low->box.y) < 0.5 &&
                              fabs(high->box.w - low->box.w) < 0.5 &&
                              fabs(high->box.h - low->box.h) < 0.5;
            if (same) cr_expect_gt(low->line, high->line + 1, "at %g, %g", low->box.x, low->box.y);
        }
    }
    rv_stage_free(stage);
    rv_subject_free(&subject);
}
