/* test_scene_meaning.c: what holds in every picture of every run, whatever it shows: an item stands for
 * what the run has, no GPU is drawn less than another, one GPU's data look the same everywhere, an axis
 * is to scale.
 */
#include "support/stage_fixture.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const unsigned views[] = {VIEW_RING, VIEW_MATRIX, VIEW_DIAGRAM,
                                 VIEW_COST, VIEW_RULE,   VIEW_NUMBERS};
enum { N_VIEWS = sizeof views / sizeof views[0] };
static const int sizes[][2] = {{800, 600}, {1280, 720}, {1920, 1300}};

typedef void look_at(const stage_fixture *s, const char *where);

/* Shows moments of all algorithms, with all views open, to a test. */
static void in_every_picture(look_at *test) {
    static const struct {
        const char *algorithm;
        int32_t n_ranks;
    } runs[] = {{"ring", 2}, {"ring", 5}, {"ring", 16}, {"naive", 4}, {"tree", 6}, {"halving", 8}};
    static stage_fixture s;
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        for (int size = 0; size < 3; size++) {
            s.options = (rv_options){.views = RV_VIEW_ALL,
                                     .pixel_width = sizes[size][0],
                                     .pixel_height = sizes[size][1],
                                     .dark = size == 1,
                                     .at = -1};
            view_fixture_prepare(&s.run, runs[i].algorithm, runs[i].n_ranks);
            stage_fixture_open(&s);
            const int32_t n_steps = s.run.model->n_steps;
            for (int32_t step = -1; step <= n_steps; step += 1 + n_steps / 5) {
                for (int part = 0; part < 4; part++) {
                    char where[96];
                    snprintf(where, sizeof where, "%s of %d, step %d + %d/4, %d x %d",
                             runs[i].algorithm, (int)runs[i].n_ranks, (int)step, part,
                             sizes[size][0], sizes[size][1]);
                    cr_assert_eq(rv_stage_show(s.stage, step, part / 4.0, &s.error), RS_OK);
                    rv_stage_draw(s.stage);
                    test(&s, where);
                }
            }
            stage_fixture_end(&s);
        }
    }
}

/* ------------------------------------------------------------------------------------- targets */

/* Tells whether the run has such a transfer. */
static bool is_transfer(const stage_fixture *s, int32_t step, int32_t sender, int32_t chunk) {
    rs_cursor cursor = {0};
    rs_transfer t;
    while (rs_next_transfer(s->run.model->schedule, step, &cursor, &t)) {
        if (t.src == sender && chunk >= t.chunk && chunk < t.chunk + t.n_chunks) return true;
    }
    return false;
}

static void stands_for_what_is_there(const stage_fixture *s, const char *where) {
    const rv_model *m = s->run.model;
    for (int32_t i = 0; i < s->stage->scene.n_items; i++) {
        const rv_target t = s->stage->scene.items[i].target;
        bool good = true;
        if (t.thing == RV_GPU) good = t.a >= 0 && t.a < m->n_ranks;
        if (t.thing == RV_CELL) {
            good = t.a >= 0 && t.a < m->n_ranks && t.b >= 0 && t.b < m->n_chunks;
        }
        if (t.thing == RV_LINK) {
            good = t.a >= 0 && t.a < m->n_ranks && t.b >= 0 && t.b < m->n_ranks && t.a != t.b;
        }
        if (t.thing == RV_STEP_BAR) good = t.a >= -1 && t.a <= m->n_steps;
        if (t.thing == RV_TRANSFER) good = is_transfer(s, t.a, t.b, t.c);
        cr_expect(good, "%s: an item stands for %d %d %d %d", where, (int)t.thing, (int)t.a,
                  (int)t.b, (int)t.c);
    }
}

Test(scene_meaning, an_item_stands_for_what_the_run_has) {
    in_every_picture(stands_for_what_is_there);
}

/* --------------------------------------------------------------------------------- no GPU is less */

enum { N_KINDS = 7 * 16 * 3 };
typedef struct counts {
    int of[N_VIEWS * N_KINDS];
} counts;

/* Counts a picture's items by view, shape, target and layer. */
static void count_items(const rv_stage *stage, counts *out) {
    *out = (counts){0};
    for (const rv_item *item = NULL; (item = view_fixture_next(&stage->scene, item)) != NULL;) {
        const rv_point at = rv_centre(item->box);
        for (int v = 0; v < N_VIEWS; v++) {
            if (!rv_inside(rv_view_box(stage, views[v]), at.x, at.y)) continue;
            out->of[v * N_KINDS + (item->shape * 16 + item->target.thing) * 3 + item->layer]++;
        }
    }
}

/* Points at a GPU so many behind the followed one, at one of its cells, at its wire; last, at nobody. */
static rv_target pointed_at(int32_t i, int32_t followed, int32_t n) {
    const int32_t rank = (followed + i / 3) % n, next = (rank + 1) % n;
    if (i == 3 * n) return (rv_target){0};
    return i % 3 == 0   ? rv_target_of(RV_GPU, rank, 0)
           : i % 3 == 1 ? rv_target_of(RV_CELL, rank, next)
                        : rv_target_of(RV_LINK, rank, next);
}

/* A ring looks the same from each GPU: who is followed and what is pointed at may go round it together. */
Test(scene_meaning, no_gpu_of_a_ring_is_drawn_or_lit_less_than_another) {
    enum { MOST = 7 };
    static stage_fixture s;
    static counts first[3 * MOST + 1], now;
    for (int32_t n = 3; n <= MOST; n++) {
        for (int32_t r = 0; r < n; r++) {
            s.options = (rv_options){.views = RV_VIEW_ALL,
                                     .pixel_width = 1920,
                                     .pixel_height = 1300,
                                     .at = n,
                                     .rank = r};
            view_fixture_prepare(&s.run, "ring", n);
            stage_fixture_open(&s);
            for (int32_t i = 0; i <= 3 * n; i++) {
                s.stage->hover = pointed_at(i, r, n);
                rv_stage_draw(s.stage);
                count_items(s.stage, r == 0 ? &first[i] : &now);
                for (int k = 0; k < N_VIEWS * N_KINDS * (r > 0); k++) {
                    const int here = now.of[k], there = first[i].of[k];
                    cr_expect_eq(here, there,
                                 "%d GPUs, followed %d, pointed at %d: %d items of shape %d, "
                                 "target %d, layer %d in view %d, from GPU 0 %d",
                                 (int)n, (int)r, (int)i, here, k % N_KINDS / 48, k / 3 % 16, k % 3,
                                 k / N_KINDS, there);
                }
            }
            stage_fixture_end(&s);
        }
    }
}

/* ---------------------------------------------------------------------------------------- colours */

static bool same_ink(rv_colour a, rv_colour b) {
    return a >> 8 == b >> 8; /* fading changes how much of it is seen */
}

/* Each area in the colour of a GPU's data has its hatching too, unless it is too small for it. */
static void is_hatched(const stage_fixture *s, const char *where) {
    const rv_look *look = &s->stage->look;
    for (const rv_item *item = NULL; (item = view_fixture_next(&s->stage->scene, item)) != NULL;) {
        if (item->shape == RV_LABEL || (item->fill & 0xFF) == 0 || item->box.w < 12 ||
            item->box.h < 12) {
            continue;
        }
        for (int32_t r = 0; r < s->run.model->n_ranks; r++) {
            const rv_dye dye = rv_dye_of(look, r);
            if (!same_ink(item->fill, dye.fill)) continue;
            if (item->pattern == dye.pattern &&
                (dye.pattern == RV_SOLID || same_ink(item->hatch, dye.hatch)))
                break;
            if (r + 8 < s->run.model->n_ranks) continue; /* the next of this colour */
            cr_expect(false, "%s: %.0f x %.0f at %.0f,%.0f, in GPU %d's colour, has pattern %d",
                      where, item->box.w, item->box.h, item->box.x, item->box.y, (int)r,
                      item->pattern);
        }
    }
}

Test(scene_meaning, what_has_the_colour_of_data_has_their_hatching) {
    in_every_picture(is_hatched);
}

/* ------------------------------------------------------------------------------------------- axes */

/* Reads "12.5 ms" as picoseconds; below 0: it is no time. */
static double time_of(const char *text) {
    static const struct {
        const char *unit;
        double ps;
    } units[] = {{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}};
    double number;
    char unit[8], rest;
    if (strcmp(text, "0") == 0) return 0;
    if (sscanf(text, "%lf %7s %c", &number, unit, &rest) != 2) return -1;
    for (int i = 0; i < 5; i++) {
        if (strcmp(unit, units[i].unit) == 0) return number * units[i].ps;
    }
    return -1;
}

static bool has_tick(const rv_scene *scene, double x) {
    for (const rv_item *item = NULL; (item = view_fixture_next(scene, item)) != NULL;) {
        if (item->shape == RV_SEGMENT && fabs(item->box.w) < 0.01 && fabs(item->box.x - x) < 0.01)
            return true;
    }
    return false;
}

/* The times below the diagram lie in proportion, evenly, from 0, in steps of a round time. */
static void is_to_scale(const stage_fixture *s, const char *where) {
    const rv_scene *scene = &s->stage->scene;
    const rv_box box = rv_view_box(s->stage, VIEW_DIAGRAM);
    double zero = -1, scale = 0, last = 0;
    int n = 0;
    for (const rv_item *item = NULL; (item = view_fixture_next(scene, item)) != NULL;) {
        const rv_point at = rv_centre(item->box);
        if (item->shape != RV_LABEL || !rv_inside(box, at.x, at.y) || item->layer != RV_STILL ||
            item->fill != s->stage->look.quiet || item->align != RV_MIDDLE)
            continue;
        const double time_ps = time_of(rv_label_text(scene, item));
        if (time_ps < 0) continue;
        if (n == 0) {
            cr_expect_eq(time_ps, 0, "%s: an axis begins at %g ps", where, time_ps);
            zero = at.x;
        } else {
            if (n == 1) scale = (at.x - zero) / time_ps;
            if (n == 1) last = time_ps;
            cr_expect_float_eq(at.x, zero + scale * time_ps, 0.01, "%s: %s", where,
                               rv_label_text(scene, item));
            cr_expect_float_eq(time_ps, n * last, 1e-6 * time_ps + 1, "%s: %s", where,
                               rv_label_text(scene, item));
        }
        cr_expect(has_tick(scene, at.x), "%s: no line at %s", where, rv_label_text(scene, item));
        n++;
    }
    const double first = last / pow(10, floor(log10(fmax(1, last)) + 1e-9));
    cr_expect(n < 2 || fabs(first - 1) < 1e-6 || fabs(first - 2) < 1e-6 || fabs(first - 5) < 1e-6,
              "%s: %g ps from time to time", where, last);
    cr_expect(box.w <= 0 || n >= 2, "%s: %d times on the axis", where, n);
}

Test(scene_meaning, an_axis_of_time_is_to_scale) {
    in_every_picture(is_to_scale);
}
