/* test_scene_bounds.c: what has a largest size, or must stay within its lanes, in boxes of any size. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "panels/diagram/diagram.h"
#include "support/naive_apply.h"
#include "support/stage_fixture.h"

static double between(uint64_t *state, double from, double to) {
    return from + (to - from) * random_below(state, 100001) / 100000.0;
}

extern const rv_panel rv_panel_cost;

/* The bytes that each GPU has sent are columns that grow with the box, up to so many lines of type, and then no more. */
Test(scene_bounds, columns_of_the_costs_grow_to_a_largest_size) {
    OWN_FIXTURE s = {0};
    stage_fixture_start(&s, "ring", 5, 3);
    const double u = s.stage->look.unit, most = (6 - 1.2 * 0.75) * u; /* a line of names below */
    double before = 0;
    bool grew = false;
    for (double h = 4; h < 60; h += 0.25) {
        OWN_SCENE scene = {0};
        double column = 0, bottom = 0;
        rv_panel_cost.draw(s.stage, &scene, (rv_box){0, 0, 40 * u, h * u});
        for (const rv_item *item = NULL; (item = view_fixture_next(&scene, item)) != NULL;) {
            if (item->target.thing != RV_GPU) continue;
            column = item->box.h;
            bottom = item->box.y + item->box.h;
        }
        cr_expect_leq(column, most + 1e-9, "%g lines: %g", h, column / u);
        cr_expect_leq(bottom, h * u);
        cr_expect_geq(column, before - 1e-9, "%g lines: %g after %g", h, column / u, before / u);
        grew = grew || (column > 0 && column < most - 1e-9);
        before = column;
    }
    cr_expect(grew && fabs(before - most) < 1e-9, "%g", before / u);
}

static const rv_item *name_of_chunk(const rv_scene *scene) {
    for (int32_t i = 0; i < scene->n_items; i++) {
        if (strncmp(rv_label_text(scene, &scene->items[i]), "chunk ", 6) == 0)
            return &scene->items[i];
    }
    return NULL;
}

/* A followed chunk is named where its way begins, above or below it, but always within the lanes. */
Test(scene_bounds, the_name_of_a_chunk_stays_within_the_lanes) {
    enum { N = 6 };
    OWN_FIXTURE s = {0};
    stage_fixture_start(&s, "ring", N, 2);
    rv_shown_run run = rv_main_run(s.stage);
    const rs_trace *trace = run.model->report->trace;
    const double u = s.stage->look.unit, size = 0.8 * u;
    uint64_t state = 4;
    int n_named = 0, n_free = 0, n_top = 0, n_bottom = 0;
    for (int turn = 0; turn < 600; turn++) {
        const rv_box lanes = {between(&state, -50, 50), between(&state, -50, 50),
                              between(&state, 8, 60) * u, between(&state, 1.5, 20) * u};
        const rv_chart chart = {.stage = s.stage,
                                .run = &run,
                                .lanes = lanes,
                                .lane = lanes.h / N,
                                .to_ps = trace->items[trace->n_items - 1].done_ps,
                                .now_ps = -1};
        OWN_SCENE scene = {0};
        s.stage->playback.rank = turn % N;
        rv_diagram_path(&chart, &scene);
        const rv_item *name = name_of_chunk(&scene);
        cr_assert_eq(name != NULL, lanes.h >= 3 * size, "%g lines", lanes.h / u);
        if (name != NULL) {
            const rv_box box = name->box;
            const double bottom = lanes.y + lanes.h, tiny = 1e-6;
            int chunk;
            cr_assert_eq(sscanf(rv_label_text(&scene, name), "chunk %d", &chunk), 1);
            cr_expect(box.y >= lanes.y - tiny && box.y + box.h <= bottom + tiny &&
                          box.x + box.w <= lanes.x + lanes.w + tiny,
                      "turn %d", turn);
            int64_t first = 0;
            while (trace->items[first].transfer.chunk != chunk) first++;
            const rs_transfer *t = &trace->items[first].transfer;
            const double at = rv_chart_y(&chart, t->src);
            const double place = t->dst > t->src ? at - 1.4 * size : at + 0.3 * size;
            const double kept = fmax(lanes.y, fmin(place, bottom - 1.3 * size));
            cr_expect(fabs(box.y - kept) < tiny, "turn %d: %g, not %g", turn, box.y, kept);
            n_named++;
            n_free += kept == place;
            n_top += kept > place;
            n_bottom += kept < place;
        }
    }
    cr_expect(n_named > 400 && n_free > 100 && n_top > 20 && n_bottom > 20, "%d: %d, %d, %d",
              n_named, n_free, n_top, n_bottom);
}
