/* layout.c: which part of the picture lies where, at any size. Pure.
 *
 *     +--------------------------------------------+
 *     | title                                views |
 *     +---------------------------+----------------+
 *     | ring        (second run)  | matrix         |
 *     |                           | cost, rule,    |
 *     |                           | numbers        |
 *     +---------------------------+----------------+
 *     | diagram of space and time                  |
 *     +--------------------------------------------+
 *     | caption, or question                       |
 *     | controls                                   |
 *     +--------------------------------------------+
 *
 *     A lesson's text takes a column on the left, or a row on top; the rest is as above.
 *
 *   - No two boxes overlap, and all lie inside the picture. A box without width is not shown.
 *   - There is always room for title, caption, controls and one thing in the middle: the unit is
 *     never so large that fewer than RV_LEAST_COLUMNS x RV_LEAST_ROWS of it fit.
 */
#include "lesson/course.h"
#include "stage/panel.h"
#include "stage/stage.h"
#include "story/telling.h"

#include <assert.h>
#include <math.h>

/* How one ring, or two beside each other, share the middle: the least width, in units; the width
   that they would like, as a multiple of their height; the least share of the width for the views
   beside. */
static const struct middle {
    int n_rings;
    double least, across, side;
} middles[] = {{1, 12, 1.25, 0.40}, {2, 22, 2.2, 0.30}};

static const struct middle *middle_of(const rv_stage *stage) {
    return &middles[stage->other != NULL];
}

/* In units: the gap between parts; the least width and height for views; from which width, or
   height if they lie one below the other, a lesson's text and its animation both fit. */
static const double GAP = 0.5, LEAST_SIDE = 16, LEAST_HEIGHT = 9, BESIDE = 56, UPRIGHT = 40;

/* Tells whether the view that may lie below the ring has only a few lines. */
static bool is_low(const rv_stage *stage) {
    bool low = false;
    for (int i = 0; rv_view(i) != NULL; i++) {
        if (rv_panels[i]->low != NULL && rv_view_fits(i, &stage->playback.subject))
            low = rv_panels[i]->low(stage);
    }
    return low;
}

/* Returns those of the views that belong to a place; one that wants a few lines lies below the ring where it would
   have all the side for itself. */
static unsigned of_place(bool low, unsigned shown, rv_place place) {
    unsigned there[RV_N_PLACES] = {0}, few = 0;
    for (int i = 0; rv_view(i) != NULL; i++) {
        there[rv_panels[i]->place] |= shown & 1u << i;
        if (rv_panels[i]->low != NULL && low) few |= shown & 1u << i;
    }
    if (few != 0 && there[RV_PLACE_BESIDE] == few) {
        there[RV_PLACE_BESIDE] = 0;
        there[RV_PLACE_BELOW] |= few;
    }
    return there[place];
}

/* Returns those of the views beside the ring that belong to one of two columns. */
static unsigned of_column(unsigned beside, bool right) {
    unsigned there = 0;
    for (int i = 0; rv_view(i) != NULL; i++) there |= (unsigned)(rv_panels[i]->right == right) << i;
    return beside & there;
}

/* A learner's function wants more room than a line of ours, which below the ring wants no more than its least. */
static double weight_of(const rv_layout *layout, int view, bool below) {
    const rv_panel *panel = rv_panels[view];
    if (below && panel->low != NULL) return 0.01;
    return layout->own && panel->own_weight > 0 ? panel->own_weight : panel->weight;
}

/* Stacks the views of `shown`: each gets its least height, and a share of what is left by its
   weight. */
static void stack(rv_layout *layout, unsigned shown, rv_box side, double u, double gap) {
    double weights = 0, spare = side.h + gap;
    const bool below = shown == of_place(layout->low, layout->shown, RV_PLACE_BELOW);
    for (int i = 0; rv_view(i) != NULL; i++) {
        if ((shown & 1u << i) == 0) continue;
        weights += weight_of(layout, i, below);
        spare -= u * rv_panels[i]->least + gap;
    }
    assert(weights > 0 || shown == 0);
    for (int i = 0; rv_view(i) != NULL; i++) {
        if ((shown & 1u << i) == 0) continue;
        const double height =
            u * rv_panels[i]->least + spare * weight_of(layout, i, below) / weights;
        layout->views[i] = rv_cut_apart(&side, rv_cut_top, fmax(1, height), gap);
    }
}

static int count(unsigned shown) {
    int n = 0;
    for (; shown != 0; shown &= shown - 1) n++;
    return n;
}

/* Returns the least height of the views of `shown`, one below the other; 0: there are none. */
static double stack_least(unsigned shown) {
    double height = shown != 0 ? -GAP : 0;
    for (int i = 0; rv_view(i) != NULL; i++) {
        if (shown & 1u << i) height += rv_panels[i]->least + GAP;
    }
    return height;
}

static double below_least(bool low, unsigned shown) {
    return stack_least(of_place(low, shown, RV_PLACE_BELOW));
}

/* Tells whether the side, w x h units, has two columns: it is wide and not high, with 3 views or
   more. */
static bool in_two(bool low, unsigned shown, double w, double h) {
    return count(of_place(low, shown, RV_PLACE_BESIDE)) >= 3 && w >= 36 && h < 40;
}

static bool is_upright(const rv_stage *stage, double w, double h) {
    return middle_of(stage)->n_rings == 1 && h > 1.2 * w;
}

/* Tells whether the views lie below the ring, which is then small: the window is upright, or a lesson's page is about
   a machine. */
static bool lie_below(const rv_stage *stage, unsigned shown, double w, double h) {
    const unsigned beside = of_place(is_low(stage), shown, RV_PLACE_BESIDE);
    bool broad = stage->course != NULL && middle_of(stage)->n_rings == 1 && beside != 0;
    for (int i = 0; rv_view(i) != NULL; i++) {
        broad = broad && ((beside & 1u << i) == 0 || rv_panels[i]->broad);
    }
    return broad || is_upright(stage, w, h);
}

/* Returns how wide the side is beside a ring that takes the width it would like for its height;
   many GPUs leave less to the side. */
static double side_width(const rv_stage *stage, unsigned shown, double w, double h) {
    const struct middle *of = middle_of(stage);
    bool many = stage->what_if->model->n_ranks > 8 &&
                count(of_place(is_low(stage), shown, RV_PLACE_BESIDE)) < 3;
    for (int i = 0; rv_view(i) != NULL; i++) {
        if (shown & 1u << i && rv_panels[i]->broad) many = false;
    }
    const double rest = w - of->across * h;
    return fmax(of->side * w, fmin((many ? 0.42 : 0.54) * w, rest));
}

static double side_least(const rv_stage *stage, unsigned shown, double w, double h) {
    const unsigned beside = of_place(is_low(stage), shown, RV_PLACE_BESIDE);
    if (beside == 0) return 0;
    const double side_w = lie_below(stage, shown, w, h) ? w : side_width(stage, shown, w, h);
    if (!in_two(is_low(stage), shown, side_w, h)) return stack_least(beside);
    return fmax(stack_least(of_column(beside, false)), stack_least(of_column(beside, true)));
}

/* Places the views beside the ring, in one column or two. */
static void share_side(rv_layout *layout, rv_box side, double u, double gap) {
    const unsigned shown = of_place(layout->low, layout->shown, RV_PLACE_BESIDE);
    if (in_two(layout->low, shown, side.w / u, side.h / u)) {
        stack(layout, of_column(shown, true), rv_cut_right(&side, 0.46 * (side.w - gap)), u, gap);
        rv_cut_right(&side, gap);
        stack(layout, of_column(shown, false), side, u, gap);
    } else {
        stack(layout, shown, side, u, gap);
    }
}

/* Shares out the middle: the ring, or the two, and the views beside and below. */
static void share_out(const rv_stage *stage, rv_box all, rv_layout *layout) {
    const double u = stage->look.unit, gap = GAP * u;
    const unsigned shown = layout->shown;
    const unsigned beside = of_place(layout->low, shown, RV_PLACE_BESIDE),
                   below = of_place(layout->low, shown, RV_PLACE_BELOW);
    if ((shown & RV_THE_RING) == 0) { /* no room for two: one view takes it all */
        stack(layout, below, all, u, gap);
        if (beside) share_side(layout, all, u, gap);
        return;
    }
    if (below) {
        const double least = u * below_least(layout->low, shown), low = all.h - least - gap;
        const double side = u * side_least(stage, shown, all.w / u, low / u);
        const double most = all.h - gap - fmax(side, 9 * u);
        const double share = count(below) > 1 ? 0.42 : 0.34;
        double height = fmax(least, fmin(share * all.h, most));
        for (int i = 0; rv_view(i) != NULL; i++) {
            if (below == 1u << i && rv_panels[i]->low != NULL) height = least + 1.4 * u;
        }
        stack(layout, below, rv_cut_apart(&all, rv_cut_bottom, height, gap), u, gap);
    }
    if (beside && lie_below(stage, shown, all.w, all.h)) {
        const bool upright = is_upright(stage, all.w, all.h);
        const double most = upright ? all.h - gap - 0.6 * all.w : 0.62 * all.h;
        const double least = u * side_least(stage, shown, all.w / u, all.h / u);
        const rv_box side =
            rv_cut_bottom(&all, fmax(least, fmin((upright ? 0.5 : 1) * all.h, most)));
        rv_cut_bottom(&all, gap);
        share_side(layout, side, u, gap);
    } else if (beside) {
        const rv_box side = rv_cut_right(&all, side_width(stage, shown, all.w, all.h));
        rv_cut_right(&all, gap);
        share_side(layout, side, u, gap);
    }
    if (middle_of(stage)->n_rings > 1) {
        layout->second = rv_cut_apart(&all, rv_cut_right, (all.w - gap) / 2, gap);
    }
    layout->views[0] = all;
}

/* --------------------------------------------------------------------------------- which views fit */

static bool fit(const rv_stage *stage, unsigned shown, rv_box middle) {
    const double u = stage->look.unit, width = middle.w / u;
    double height = middle.h / u;
    const double below = below_least(is_low(stage), shown);
    if (below > 0) height -= below + GAP;
    const double side = side_least(stage, shown, width, height);
    if (side > 0 && lie_below(stage, shown, width, height)) {
        height -= side + GAP;
    } else if (side > 0 && (side > height || width < middle_of(stage)->least + GAP + LEAST_SIDE)) {
        return false;
    }
    return height >= LEAST_HEIGHT;
}

/* Returns the view that was opened longest ago; of several that never were, the last in the
   table. */
static int oldest(const rv_stage *stage, unsigned shown) {
    int found = -1;
    for (int i = 0; rv_view(i) != NULL; i++) {
        if ((shown & 1u << i) == 0) continue;
        if (found < 0 || stage->opened[i] <= stage->opened[found]) found = i;
    }
    return found;
}

/* Returns the open views that fit between title and caption. The latest opened have priority; in a
   window too small for any view beside the ring, the latest one takes the ring's place. */
static unsigned views_that_fit(const rv_stage *stage, rv_box middle) {
    unsigned shown = stage->views | RV_THE_RING, last = 0;
    if (stage->other != NULL) shown &= ~stage->unasked;
    for (int i = 0; rv_view(i) != NULL; i++) {
        if (!rv_view_fits(i, &stage->playback.subject)) shown &= ~(1u << i);
    }
    while (shown != 0 && !fit(stage, shown, middle)) {
        const int out = oldest(stage, shown & ~(unsigned)RV_THE_RING);
        if (out < 0) break;
        last = 1u << out;
        shown &= ~last;
    }
    assert((shown & ~(stage->views | RV_THE_RING)) == 0);
    return shown == RV_THE_RING && last != 0 ? last : shown;
}

/* ---------------------------------------------------------------------------------------- a lesson */

bool rv_lesson_veils(const rv_stage *stage) {
    return stage->course != NULL && stage->course->reading.at < RV_STOP_ANSWER;
}

/* Cuts the lesson's place off *all. Whichever of the two ends without width is not shown. */
static rv_box place_lesson(const rv_stage *stage, rv_box *all) {
    const double u = stage->look.unit, gap = 0.5 * u;
    const bool upright = all->h > 1.25 * all->w && all->h >= UPRIGHT * u;
    const bool both = upright || all->w >= BESIDE * u;
    rv_box text = {0};
    if (stage->course == NULL || (stage->half == RV_STAGE_ALONE && !rv_lesson_veils(stage))) {
        return text;
    }
    if (stage->half == RV_TEXT_ALONE || !both || stage->plain || rv_lesson_veils(stage)) {
        text = *all;
        *all = (rv_box){0};
    } else if (upright) {
        text = rv_cut_apart(all, rv_cut_top, 0.48 * all->h, gap);
    } else {
        /* At 1280 pixels a line of 80 signs fits in letters that can be read. */
        const double ring = fmax(27 * u, 0.7 * all->h);
        text = rv_cut_left(all, fmax(0.4 * all->w, fmin(0.52 * all->w, all->w - ring)));
        rv_cut_left(all, gap);
    }
    return text;
}

/* -------------------------------------------------------------------------------------- all of it */

double rv_button_size(const rv_stage *stage) {
    return fmax(24, 2.1 * stage->look.unit);
}

static rv_layout layout_of(const rv_stage *stage) {
    rv_layout layout = {.shown = RV_THE_RING, .own = rv_is_own(&stage->playback.subject)};
    layout.low = is_low(stage);
    const double u = stage->look.unit, gap = GAP * u;
    const bool low = stage->height < 30 * u;
    rv_box all = rv_inset((rv_box){0, 0, stage->width, stage->height}, gap);
    if (stage->output == RV_TO_FIGURE) {
        const unsigned machine = stage->views & rv_view_bit("machine");
        for (int i = 0; machine != 0 && rv_view(i) != NULL; i++) {
            if (machine != 1u << i || !rv_view_fits(i, &stage->playback.subject)) continue;
            layout.views[i] = rv_cut_apart(&all, rv_cut_right, 0.46 * all.w, gap);
            layout.shown |= machine;
        }
        *(rv_view_fits(0, &stage->playback.subject) ? &layout.views[0] : &layout.story) = all;
        return layout;
    }
    layout.lesson = place_lesson(stage, &all);
    if (all.w <= 0) {
        layout.shown = 0;
        return layout;
    }
    const rv_look bars = rv_bar_look(stage);
    const double button = fmax(24, 2.1 * bars.unit);
    layout.title = rv_cut_top(&all, fmax(button, stage->output == RV_TO_FILE ? 1.8 * u : 0));
    rv_cut_top(&all, gap);
    if (!stage->bare) {
        layout.controls = rv_cut_bottom(&all, button + (low ? 2.0 : 3.3) * bars.unit);
        rv_cut_bottom(&all, 0.4 * gap);
    }
    /* Two lines; in a narrow window a question's buttons lie below them. */
    const bool wide = all.w > 70 * u && u >= 12;
    layout.caption = rv_cut_bottom(&all, wide ? 4.2 * u : fmax(24 + 3.4 * u, (low ? 4.4 : 5) * u));
    rv_cut_bottom(&all, gap);
    layout.shown = views_that_fit(stage, all);
    if (layout.shown == 0) {
        layout.story = all;
    } else {
        share_out(stage, all, &layout);
    }
    return layout;
}

static rv_look look_of(const rv_stage *stage, double scale) {
    rv_look look = rv_look_of(stage->dark, stage->width, stage->height, scale);
    const double most = fmin(stage->width / RV_LEAST_COLUMNS, stage->height / RV_LEAST_ROWS);
    look.unit = fmin(look.unit, most);
    look.pixel = fmax(1, stage->density);
    return look;
}

void rv_stage_resize(rv_stage *stage, double width, double height) {
    stage->width = fmax(64, width);
    stage->height = fmax(64, height);
    stage->look = look_of(stage, stage->scale);
    stage->layout = layout_of(stage);
    /* the terminal makes room itself */
    if (stage->output == RV_TO_TERMINAL) stage->layout.shown = stage->views;
}

void rv_stage_take_theme(rv_stage *stage, bool dark) {
    if (!stage->desktop_theme) return;
    stage->dark = dark;
    rv_stage_resize(stage, stage->width, stage->height);
}

void rv_stage_enlarge_figure(rv_stage *stage) {
    if (stage->output != RV_TO_FIGURE) stage->output = RV_TO_FILE;
    rv_stage_resize(stage, stage->width, stage->height);
}

rv_box rv_view_box(const rv_stage *stage, unsigned view) {
    return rv_panel_box(stage, (int)rv_view_action(view) - RV_SHOW_VIEW);
}

rv_look rv_bar_look(const rv_stage *stage) {
    if (stage->output != RV_TO_FILE) return stage->look;
    rv_look look = look_of(stage, fmin(1, stage->scale));
    look.n_dyes = stage->look.n_dyes;
    return look;
}

void rv_stage_draw(rv_stage *stage) {
    rv_scene *scene = &stage->scene;
    rv_refresh_story(&stage->playback.subject);
    rv_scene_start(scene, stage->width, stage->height, stage->look.ground);
    scene->unit = stage->look.unit;
    stage->look.n_dyes = stage->playback.subject.n_ranks;
    if (stage->other != NULL && stage->other->model->n_ranks > stage->look.n_dyes) {
        stage->look.n_dyes = stage->other->model->n_ranks;
    }
    for (int place = 0; place < RV_N_PLACES; place++) {
        for (int i = 0; rv_panels[i] != NULL; i++) {
            if ((int)rv_panels[i]->place != place) continue;
            if (!rv_view_fits(i, &stage->playback.subject)) continue;
            const rv_box box = rv_panel_box(stage, i);
            const rv_look look = stage->look;
            stage->drawn = i;
            scene->layer = place == RV_PLACE_OVER ? RV_OVER : RV_STILL;
            if (place == RV_PLACE_CONTROLS) stage->look = rv_bar_look(stage);
            if (box.w > 0) rv_panels[i]->draw(stage, scene, box);
            stage->look = look;
        }
    }
}
