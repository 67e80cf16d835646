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
#include "stage/panel.h"
#include "stage/stage.h"

#include <math.h>

static const double GAP = 0.5; /* between parts, in units */

/* The views of a place; beside the ring, in two columns, of one of them. */
static unsigned of_place(unsigned shown, rv_place place) {
    unsigned there = 0;
    for (int i = 0; rv_view(i) != NULL; i++) {
        if (rv_panels[i]->place == place) there |= 1u << i;
    }
    return shown & there;
}

static unsigned of_column(unsigned beside, bool right) {
    unsigned there = 0;
    for (int i = 0; rv_view(i) != NULL; i++) {
        if (rv_panels[i]->right == right) there |= 1u << i;
    }
    return beside & there;
}

/* Stacks those of `shown`; each gets the least it needs, and of the rest a share. */
static void stack(rv_layout *layout, unsigned shown, rv_box side, double u, double gap) {
    double weights = 0, spare = side.h + gap;
    for (int i = 0; rv_view(i) != NULL; i++) {
        if ((shown & 1u << i) == 0) continue;
        weights += rv_panels[i]->weight;
        spare -= u * rv_panels[i]->least + gap;
    }
    for (int i = 0; rv_view(i) != NULL; i++) {
        if ((shown & 1u << i) == 0) continue;
        const double height = u * rv_panels[i]->least + spare * rv_panels[i]->weight / weights;
        layout->views[i] = rv_cut_top(&side, fmax(1, height));
        rv_cut_top(&side, gap);
    }
}

static int count(unsigned shown) {
    int n = 0;
    for (; shown != 0; shown &= shown - 1) n++;
    return n;
}

/* The least height of those of `shown`, one below the other; 0: there are none. */
static double stack_least(unsigned shown) {
    double height = shown != 0 ? -GAP : 0;
    for (int i = 0; rv_view(i) != NULL; i++) {
        if (shown & 1u << i) height += rv_panels[i]->least + GAP;
    }
    return height;
}

double rv_below_least(unsigned shown) {
    return stack_least(of_place(shown, RV_PLACE_BELOW));
}

/* Whether the side, w x h units, has its views in two columns: where that is wide, and they many. */
static bool in_two(unsigned shown, double w, double h) {
    return count(of_place(shown, RV_PLACE_BESIDE)) >= 3 && w >= 36 && h < 40;
}

bool rv_is_upright(const rv_stage *stage, double w, double h) {
    return stage->other == NULL && h > 1.2 * w;
}

/* How wide the side is, beside a ring that is as wide as its height asks
   for; many GPUs ask for more. */
static double side_width(const rv_stage *stage, unsigned shown, double w, double h) {
    const bool two = stage->other != NULL;
    const bool many =
        stage->what_if->model->n_ranks > 8 && count(of_place(shown, RV_PLACE_BESIDE)) < 3;
    const double rest = w - (two ? 2.2 : 1.25) * h;
    return fmax((two ? 0.30 : 0.40) * w, fmin((many ? 0.42 : 0.54) * w, rest));
}

double rv_side_least(const rv_stage *stage, unsigned shown, double w, double h) {
    const unsigned beside = of_place(shown, RV_PLACE_BESIDE);
    if (beside == 0) return 0;
    const double side_w = rv_is_upright(stage, w, h) ? w : side_width(stage, shown, w, h);
    if (!in_two(shown, side_w, h)) return stack_least(beside);
    return fmax(stack_least(of_column(beside, false)), stack_least(of_column(beside, true)));
}

/* All that is open beside the ring, in one column or two. */
static void share_side(rv_layout *layout, rv_box side, double u, double gap) {
    const unsigned shown = of_place(layout->shown, RV_PLACE_BESIDE);
    if (in_two(shown, side.w / u, side.h / u)) {
        stack(layout, of_column(shown, true), rv_cut_right(&side, 0.46 * (side.w - gap)), u, gap);
        rv_cut_right(&side, gap);
        stack(layout, of_column(shown, false), side, u, gap);
    } else {
        stack(layout, shown, side, u, gap);
    }
}

/* What is open below the ring; one view alone takes it all. */
static void share_below(rv_layout *layout, unsigned below, rv_box box, double u, double gap) {
    if (count(below) > 1) {
        stack(layout, below, box, u, gap);
        return;
    }
    for (int i = 0; rv_view(i) != NULL; i++) {
        if (below & 1u << i) layout->views[i] = box;
    }
}

/* The middle: the ring, or the two, and what is open beside and below. */
static void share_out(const rv_stage *stage, rv_box all, rv_layout *layout) {
    const double u = stage->look.unit, gap = GAP * u;
    const unsigned shown = layout->shown;
    const unsigned beside = of_place(shown, RV_PLACE_BESIDE),
                   below = of_place(shown, RV_PLACE_BELOW);
    if ((shown & RV_THE_RING) == 0) { /* no room for two: one view takes it all */
        share_below(layout, below, all, u, gap);
        if (beside) share_side(layout, all, u, gap);
        return;
    }
    if (below) {
        const double least = u * rv_below_least(shown), low = all.h - least - gap;
        const double side = u * rv_side_least(stage, shown, all.w / u, low / u);
        const double most = all.h - gap - fmax(side, 9 * u);
        const double height = fmax(least, fmin(0.34 * all.h, most));
        share_below(layout, below, rv_cut_bottom(&all, height), u, gap);
        rv_cut_bottom(&all, gap);
    }
    if (beside && rv_is_upright(stage, all.w, all.h)) {
        const double most = all.h - gap - 0.6 * all.w;
        const double least = u * rv_side_least(stage, shown, all.w / u, all.h / u);
        const rv_box side = rv_cut_bottom(&all, fmax(least, fmin(0.5 * all.h, most)));
        rv_cut_bottom(&all, gap);
        share_side(layout, side, u, gap);
    } else if (beside) {
        const rv_box side = rv_cut_right(&all, side_width(stage, shown, all.w, all.h));
        rv_cut_right(&all, gap);
        share_side(layout, side, u, gap);
    }
    if (stage->other != NULL) {
        layout->second = rv_cut_right(&all, (all.w - gap) / 2);
        rv_cut_right(&all, gap);
    }
    layout->views[0] = all;
}

double rv_button_size(const rv_stage *stage) {
    return fmax(24, 2.1 * stage->look.unit);
}

rv_layout rv_layout_of(const rv_stage *stage) {
    rv_layout layout = {.shown = RV_THE_RING};
    const double u = stage->look.unit, gap = GAP * u;
    const bool low = stage->height < 30 * u;
    rv_box all = rv_inset((rv_box){0, 0, stage->width, stage->height}, gap);
    if (stage->figure) {
        *(rv_view_fits(0, &stage->playback.subject) ? &layout.views[0] : &layout.story) = all;
        return layout;
    }
    if (stage->course != NULL) layout.lesson = rv_place_lesson(stage, &all);
    if (all.w <= 0) {
        layout.shown = 0;
        return layout;
    }
    const double button = rv_button_size(stage);
    layout.title = rv_cut_top(&all, button);
    rv_cut_top(&all, gap);
    layout.controls = rv_cut_bottom(&all, button + (low ? 2.0 : 3.3) * u);
    rv_cut_bottom(&all, 0.4 * gap);
    /* Two lines; where it is narrow also a question's buttons below them. */
    const bool wide = all.w > 70 * u && u >= 12;
    layout.caption = rv_cut_bottom(&all, wide ? 4.2 * u : fmax(24 + 3.4 * u, (low ? 4.4 : 5) * u));
    rv_cut_bottom(&all, gap);
    layout.shown = rv_views_that_fit(stage, all);
    if (layout.shown == 0) {
        layout.story = all;
    } else {
        share_out(stage, all, &layout);
    }
    return layout;
}

rv_box rv_panel_box(const rv_stage *stage, int index) {
    const rv_layout *layout = &stage->layout;
    switch (rv_panels[index]->place) {
    case RV_PLACE_STORY: return layout->story;
    case RV_PLACE_LESSON: return layout->lesson;
    case RV_PLACE_TITLE: return layout->title;
    case RV_PLACE_CAPTION: return layout->caption;
    case RV_PLACE_CONTROLS: return layout->controls;
    case RV_PLACE_OVER: return (rv_box){0, 0, stage->width, stage->height};
    case RV_PLACE_MIDDLE:
    case RV_PLACE_BESIDE:
    case RV_PLACE_BELOW:
    case RV_N_PLACES: break;
    }
    return layout->views[index];
}

rv_box rv_view_box(const rv_stage *stage, unsigned view) {
    return rv_panel_box(stage, (int)rv_view_action(view) - RV_SHOW_VIEW);
}
