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
 */
#include "stage.h"

#include <math.h>

/* Stacks the open ones of the side column; each gets a share by its weight. */
static void stack(rv_layout *layout, unsigned views, rv_box side, double gap) {
    struct {
        unsigned view;
        double weight;
        rv_box *box;
    } const parts[] = {{RV_VIEW_MATRIX, 3, &layout->matrix},
                       {RV_VIEW_COST, 2.2, &layout->cost},
                       {RV_VIEW_RULE, 1.5, &layout->rule},
                       {RV_VIEW_NUMBERS, 3, &layout->numbers}};
    enum { N_PARTS = sizeof parts / sizeof parts[0] };
    double weights = 0;
    int n = 0;
    for (int i = 0; i < N_PARTS; i++) {
        if ((views & parts[i].view) == 0) continue;
        weights += parts[i].weight;
        n++;
    }
    const double height = side.h - gap * (n - 1);
    for (int i = 0; i < N_PARTS; i++) {
        if ((views & parts[i].view) == 0) continue;
        *parts[i].box = rv_cut_top(&side, height * parts[i].weight / weights);
        rv_cut_top(&side, gap);
    }
}

rv_layout rv_layout_of(const rv_stage *stage) {
    rv_layout layout = {0};
    const double u = stage->look.unit, gap = 0.5 * u;
    const unsigned beside = RV_VIEW_MATRIX | RV_VIEW_COST | RV_VIEW_RULE | RV_VIEW_NUMBERS;
    rv_box all = rv_inset((rv_box){0, 0, stage->width, stage->height}, gap);
    if (stage->figure) {
        layout.ring = all;
        return layout;
    }
    layout.title = rv_cut_top(&all, 2.2 * u);
    rv_cut_top(&all, gap);
    layout.controls = rv_cut_bottom(&all, 4.4 * u);
    rv_cut_bottom(&all, gap);
    layout.caption = rv_cut_bottom(&all, 3.6 * u);
    rv_cut_bottom(&all, gap);
    if (stage->views & RV_VIEW_DIAGRAM) {
        layout.diagram = rv_cut_bottom(&all, fmax(7 * u, 0.32 * all.h));
        rv_cut_bottom(&all, gap);
    }
    if (stage->views & beside) {
        const double share = stage->second == RV_ALONE ? 0.44 : 0.32;
        rv_box side = rv_cut_right(&all, share * all.w);
        rv_cut_right(&all, gap);
        stack(&layout, stage->views, side, gap);
    }
    if (stage->other != NULL) {
        layout.second = rv_cut_right(&all, (all.w - gap) / 2);
        rv_cut_right(&all, gap);
    }
    layout.ring = all;
    return layout;
}
