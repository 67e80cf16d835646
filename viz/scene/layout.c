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
 *   - No two boxes overlap, and all lie inside the picture. A box without width is not shown.
 *   - There is always room for title, caption, controls and one thing in the middle: the unit is
 *     never so large that fewer than RV_LEAST_COLUMNS x RV_LEAST_ROWS of it fit.
 */
#include "stage.h"

#include <math.h>

/* Stacks those of `shown` that belong beside the ring; each gets the least it needs, and of the rest a
   share. */
static void stack(rv_layout *layout, unsigned shown, rv_box side, double u, double gap) {
    struct {
        unsigned view;
        double weight;
        rv_box *box;
    } const parts[] = {{RV_VIEW_MATRIX, 3, &layout->matrix},
                       {RV_VIEW_COST, 2.2, &layout->cost},
                       {RV_VIEW_RULE, 1, &layout->rule},
                       {RV_VIEW_NUMBERS, 3, &layout->numbers}};
    enum { N_PARTS = sizeof parts / sizeof parts[0] };
    double weights = 0, spare = side.h + gap;
    for (int i = 0; i < N_PARTS; i++) {
        if ((shown & parts[i].view) == 0) continue;
        weights += parts[i].weight;
        spare -= u * rv_view_least(parts[i].view) + gap;
    }
    for (int i = 0; i < N_PARTS; i++) {
        if ((shown & parts[i].view) == 0) continue;
        const double least = u * rv_view_least(parts[i].view);
        *parts[i].box = rv_cut_top(&side, fmax(1, least + spare * parts[i].weight / weights));
        rv_cut_top(&side, gap);
    }
}

static const unsigned LEFT = RV_VIEW_MATRIX | RV_VIEW_RULE, RIGHT = RV_VIEW_COST | RV_VIEW_NUMBERS;
static const unsigned BESIDE = LEFT | RIGHT;

static int count(unsigned shown) {
    int n = 0;
    for (; shown != 0; shown &= shown - 1) n++;
    return n;
}

/* All that is open beside the ring: one column, or where that is wide and full two. */
static void share_side(rv_layout *layout, rv_box side, double u, double gap) {
    const unsigned shown = layout->shown & BESIDE;
    if (count(shown) >= 3 && side.w >= 36 * u && side.h < 40 * u) {
        stack(layout, shown & RIGHT, rv_cut_right(&side, 0.46 * (side.w - gap)), u, gap);
        rv_cut_right(&side, gap);
        stack(layout, shown & LEFT, side, u, gap);
    } else {
        stack(layout, shown, side, u, gap);
    }
}

static double least_side(unsigned shown, double u, double gap) {
    double height = 0;
    for (unsigned view = 1; view < RV_VIEW_ALL; view <<= 1) {
        if (shown & BESIDE & view) height += u * rv_view_least(view) + gap;
    }
    return height;
}

/* The middle: the ring, or the two, and what is open beside and below. */
static void share_out(const rv_stage *stage, rv_box all, rv_layout *layout) {
    const double u = stage->look.unit, gap = 0.5 * u;
    const unsigned shown = layout->shown;
    if ((shown & RV_VIEW_RING) == 0) { /* no room for two: one view takes it all */
        if (shown & RV_VIEW_DIAGRAM) layout->diagram = all;
        if (shown & BESIDE) share_side(layout, all, u, gap);
        return;
    }
    if (shown & RV_VIEW_DIAGRAM) {
        const double least = u * rv_view_least(RV_VIEW_DIAGRAM);
        const double most = all.h - gap - fmax(least_side(shown, u, gap), 9 * u);
        layout->diagram = rv_cut_bottom(&all, fmax(least, fmin(0.34 * all.h, most)));
        rv_cut_bottom(&all, gap);
    }
    if ((shown & BESIDE) && stage->other == NULL && all.h > 1.2 * all.w) { /* upright: below */
        const double most = all.h - gap - 0.6 * all.w, least = least_side(shown, u, gap);
        const rv_box side = rv_cut_bottom(&all, fmax(least, fmin(0.5 * all.h, most)));
        rv_cut_bottom(&all, gap);
        share_side(layout, side, u, gap);
    } else if (shown & BESIDE) {
        const double rest = all.w - (stage->other != NULL ? 2.2 : 1.25) * all.h;
        const double least = stage->other != NULL ? 0.30 : 0.40;
        rv_box side = rv_cut_right(&all, fmax(least * all.w, fmin(0.54 * all.w, rest)));
        rv_cut_right(&all, gap);
        share_side(layout, side, u, gap);
    }
    if (stage->other != NULL) {
        layout->second = rv_cut_right(&all, (all.w - gap) / 2);
        rv_cut_right(&all, gap);
    }
    layout->ring = all;
}

rv_layout rv_layout_of(const rv_stage *stage) {
    rv_layout layout = {.shown = RV_VIEW_RING};
    const double u = stage->look.unit, gap = 0.5 * u;
    const bool low = stage->height < 30 * u;
    rv_box all = rv_inset((rv_box){0, 0, stage->width, stage->height}, gap);
    if (stage->figure) {
        layout.ring = all;
        return layout;
    }
    const double button = rv_button_size(stage);
    layout.title = rv_cut_top(&all, button);
    rv_cut_top(&all, gap);
    layout.controls = rv_cut_bottom(&all, button + (low ? 2.0 : 3.6) * u);
    rv_cut_bottom(&all, 0.4 * gap);
    layout.caption = rv_cut_bottom(&all, fmax(24 + 3.4 * u, (low ? 4.4 : 5) * u));
    rv_cut_bottom(&all, gap);
    layout.shown = rv_views_that_fit(stage, all);
    share_out(stage, all, &layout);
    return layout;
}
