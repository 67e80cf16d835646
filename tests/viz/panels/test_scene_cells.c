/* What a cell shows: a row for each GPU whose data are inside. */
#include <criterion/criterion.h>
#include <string.h>

#include "ring_fixture.h"

/* The letters of a GPU's data, besides those on the cards' first lines. */
static int count_letters(const rv_scene *scene, const rv_ring *ring, const char *letter) {
    int n = 0;
    for (const rv_item *item = NULL; (item = view_fixture_next(scene, item)) != NULL;) {
        if (item->shape != RV_LABEL || strcmp(rv_label_text(scene, item), letter) != 0) continue;
        for (int32_t r = 0; r < ring->n_ranks; r++) {
            rv_box cells = rv_ring_card(ring, r);
            rv_cut_top(&cells, ring->head);
            n += ring_fixture_contains(cells, item->box);
        }
    }
    return n;
}

Test(scene_cells, slivers_of_up_to_six_gpus_have_letters_at_every_size) {
    const double sizes[][2] = {{800, 600}, {1280, 720}, {3840, 2160}};
    for (int32_t n = 2; n <= 6; n++) {
        OWN_VIEW v = {0};
        view_fixture_prepare(&v, "ring", n);
        const rv_options options = {.at = 0};
        OWN_STAGE *stage = view_fixture_stage(&v, &options);
        for (int s = 0; s < 3; s++) {
            rv_stage_resize(stage, sizes[s][0], sizes[s][1]);
            const rv_ring ring = ring_fixture_draw(stage, -1, 0);
            for (int32_t r = 0; r < n; r++) {
                cr_expect_eq(count_letters(&stage->scene, &ring, rv_dye_of(&stage->look, r).letter),
                             n, "N = %d, %g x %g, GPU %d: each of its chunks shows its letter", n,
                             sizes[s][0], sizes[s][1], r);
            }
        }
    }
}

/* Row g of every cell is GPU g's, as wide as all rows, at the same height of its cell. */
Test(scene_cells, slivers_are_rows_of_one_order_however_many) {
    for (int32_t n = 2; n <= 16; n++) {
        OWN_VIEW v = {0};
        view_fixture_prepare(&v, "ring", n);
        OWN_STAGE *stage = view_fixture_stage(&v, &(rv_options){.at = 0});
        stage->look.n_dyes = n;
        const rv_ring ring = ring_fixture_draw(stage, -1, 0);
        double heights[16] = {0};
        for (const rv_item *item = NULL; (item = view_fixture_next(&stage->scene, item)) != NULL;) {
            for (int32_t g = 0; g < n; g++) {
                const rv_box cell = rv_ring_cell(&ring, rv_ring_card(&ring, g), 0);
                if (!ring_fixture_contains(cell, item->box)) continue;
                if (item->shape == RV_GRID) {
                    cr_expect_eq(item->columns, 1);
                    heights[g] = item->box.h / n * (g + 0.5) + item->box.y - cell.y;
                } else if (item->shape == RV_RECT &&
                           item->fill == rv_dye_of(&stage->look, g).fill) {
                    cr_expect_gt(item->box.w, 0.85 * cell.w);
                    heights[g] = item->box.y + item->box.h / 2 - cell.y;
                }
            }
        }
        for (int32_t g = 1; g < n; g++) {
            cr_expect_float_eq(heights[g] - heights[g - 1], heights[1] - heights[0], 1e-6);
            cr_expect_gt(heights[g], heights[g - 1], "%d GPUs, row %d", n, g);
        }
    }
}

/* Counts the slivers of a colour inside a cell: shapes, or pixels where they are tiny. */
static int slivers_in(const rv_scene *scene, rv_box cell, const rv_dye *dye) {
    int n = 0;
    for (const rv_item *item = NULL; (item = view_fixture_next(scene, item)) != NULL;) {
        if (!ring_fixture_contains(cell, item->box)) continue;
        n += item->shape == RV_RECT && item->fill == dye->fill;
        for (int32_t k = 0; item->shape == RV_GRID && k < item->n; k++) {
            n += scene->pixels[item->first + k] == dye->fill;
        }
    }
    return n;
}

static void expect_slivers(rv_stage *stage, int32_t step) {
    const rv_model *model = stage->what_if->model;
    const rv_ring ring = ring_fixture_draw(stage, step, 1);
    int total = 0;
    for (int32_t r = 0; r < 8; r++) {
        for (int32_t c = 0; c < 8; c++) {
            int32_t who[8];
            bool inside[8] = {false};
            const int64_t n = rs_contents_list(model->contents, r, c, who, 8);
            for (int64_t i = 0; i < n; i++) inside[who[i]] = true;
            const rv_box cell = rv_ring_cell(&ring, rv_ring_card(&ring, r), c);
            for (int32_t g = 0; g < 8; g++) {
                const rv_dye dye = rv_dye_of(&stage->look, g);
                const int shown = slivers_in(&stage->scene, cell, &dye);
                cr_expect_eq(shown, inside[g] ? 1 : 0, "step %d, GPU %d, chunk %d: GPU %d", step, r,
                             c, g);
                total += shown;
            }
        }
    }
    cr_expect_geq(total, 64);
}

Test(scene_cells, a_cell_shows_a_sliver_for_each_gpu_whose_data_are_inside) {
    static const int widths[] = {640, 1280, 3840};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        OWN_VIEW v = {0};
        view_fixture_prepare(&v, "ring", 8);
        const rv_options options = {
            .at = -1, .pixel_width = widths[i], .pixel_height = widths[i] * 9 / 16};
        OWN_STAGE *stage = view_fixture_stage(&v, &options);
        for (int32_t step = -1; step <= v.schedule.n_steps; step += 3) expect_slivers(stage, step);
    }
}

/* 7 elements on 5 GPUs are chunks of 2, 2, 1, 1, 1: half as long; with 3, two chunks are empty. */
Test(scene_cells, a_short_chunk_has_short_slivers) {
    static const double lengths[2][5] = {{1, 1, 0.5, 0.5, 0.5}, {1, 1, 1, 0, 0}};
    for (int i = 0; i < 2; i++) {
        OWN_VIEW v = {0};
        view_fixture_prepare(&v, "ring", 5);
        v.request.job.count = i == 0 ? 7 : 3;
        OWN_STAGE *stage = view_fixture_stage(&v, &(rv_options){.at = 0});
        const rv_ring ring = ring_fixture_draw(stage, -1, 0);
        double whole = 0;
        for (int32_t c = 0; c < 5; c++) {
            const rv_box cell = rv_ring_cell(&ring, rv_ring_card(&ring, 2), c);
            for (const rv_item *item = NULL;
                 (item = view_fixture_next(&stage->scene, item)) != NULL;) {
                if (item->shape != RV_RECT || item->fill != rv_dye_of(&stage->look, 2).fill ||
                    !ring_fixture_contains(cell, item->box))
                    continue;
                if (c == 0) whole = item->box.w;
                cr_expect_float_eq(item->box.w, lengths[i][c] * whole, 1e-6, "chunk %d", c);
            }
        }
        cr_expect_gt(whole, 0);
    }
}

/* --scale enlarges what has room; what has none stays legible instead of going. */
Test(scene_cells, values_stay_where_all_type_is_enlarged) {
    static const double scales[] = {1, 1.5, 2};
    for (int i = 0; i < 2 * 3; i++) {
        OWN_VIEW v = {0};
        view_fixture_prepare(&v, i % 2 == 0 ? "ring" : "naive", 5);
        const rv_options options = {
            .at = 1, .pixel_width = 1920, .pixel_height = 1080, .scale = scales[i / 2]};
        OWN_STAGE *stage = view_fixture_stage(&v, &options);
        const rv_ring ring = ring_fixture_draw(stage, 1, 1);
        cr_expect(rv_cell_has_value(&stage->look, stage->what_if->model, ring.cell_w, ring.cell_h),
                  "%s at scale %g", v.schedule.name, scales[i / 2]);
    }
}
