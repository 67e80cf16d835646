/* The views of more GPUs than there are cells, columns or letters for: from counts, and in words. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "panels/draw.h"
#include "stage/counts.h"
#include "support/stage_fixture.h"

enum { MANY = 300 };

static rv_stage *stage_of(view_fixture *v, const char *name) {
    view_fixture_prepare(v, name, MANY);
    rv_stage *stage = view_fixture_stage(v, &(rv_options){.at = -1});
    cr_assert_not(v->model->cells);
    return stage;
}

extern const rv_panel rv_panel_cost, rv_panel_matrix;

static rv_scene *draw(rv_stage *stage, int32_t step, bool costs, rv_box box) {
    rs_error error;
    cr_assert_eq(rv_stage_show(stage, step, 1, &error), RS_OK);
    rv_scene_start(&stage->scene, stage->width, stage->height, stage->look.ground);
    (costs ? &rv_panel_cost : &rv_panel_matrix)->draw(stage, &stage->scene, box);
    cr_assert_not(stage->scene.failed);
    return &stage->scene;
}

static const rv_item *grid_of(const rv_scene *scene) {
    for (int32_t i = 0; i < scene->n_items; i++) {
        if (scene->items[i].shape == RV_GRID) return &scene->items[i];
    }
    return NULL;
}

/* Each pixel has the heat of its block's fullest cell, and complete ones the colour of what is good. */
static void expect_heat(rv_stage *stage, const rv_scene *scene, int32_t step) {
    const rv_item *grid = grid_of(scene);
    cr_assert_not_null(grid);
    const int32_t columns = grid->columns, rows = grid->n / columns;
    const int32_t by_x = (MANY + columns - 1) / columns, by_y = (MANY + rows - 1) / rows;
    cr_expect_eq(grid->target.thing, RV_GPU);
    cr_expect_eq(grid->target.c, by_y, "who points at a row points at a block of GPUs");
    cr_expect(columns <= grid->box.w + 1 && rows <= grid->box.h + 1,
              "no more than there are pixels");
    const rv_colour *pixels = scene->pixels + grid->first;
    rv_counts *counts = rv_counts_new(stage->what_if->model);
    cr_assert(rv_counts_seek(counts, step + 1));
    int32_t complete = 0;
    for (int32_t r = 0; r < rows; r++) {
        for (int32_t c = 0; c < columns; c++) {
            int64_t inside = 0;
            for (int32_t i = 0; i < by_x * by_y; i++) {
                const int32_t rank = r * by_y + i / by_x, chunk = c * by_x + i % by_x;
                if (rank >= MANY || chunk >= MANY) continue;
                const int32_t count = rv_count_at(counts, rank, chunk);
                if (count > inside) inside = count;
            }
            const rv_colour got = pixels[r * columns + c];
            cr_expect_eq(got, rv_heat_of(&stage->look, (double)(inside * 256 / MANY) / 256));
            cr_expect_eq(got == stage->look.good, inside == MANY);
            complete += inside == MANY;
        }
    }
    cr_expect_eq(complete > 0, step >= MANY - 2);
    rv_counts_free(counts);
}

Test(scene_many, matrix_is_the_heat_of_counts) {
    static const rv_box boxes[] = {{10, 20, 900, 500}, {0, 0, 240, 180}};
    static const int32_t steps[] = {0, 100, MANY - 2, 2 * MANY - 3};
    OWN_VIEW v = {0};
    OWN_STAGE *stage = stage_of(&v, "ring");
    for (int b = 0; b < 2; b++) {
        for (int s = 0; s < 4; s++)
            expect_heat(stage, draw(stage, steps[s], false, boxes[b]), steps[s]);
    }
}

static bool says(const rv_scene *scene, const char *text) {
    for (int32_t i = 0; i < scene->n_items; i++) {
        if (strcmp(rv_label_text(scene, &scene->items[i]), text) == 0) return true;
    }
    return false;
}

Test(scene_many, costs_name_who_has_sent_least_and_most) {
    static const char *const names[] = {"ring", "tree", "naive"};
    for (int k = 0; k < 3; k++) {
        OWN_VIEW v = {0};
        OWN_STAGE *stage = stage_of(&v, names[k]);
        for (int32_t step = 0; step < v.schedule.n_steps; step += 1 + v.schedule.n_steps / 5) {
            const rv_scene *scene = draw(stage, step, true, (rv_box){0, 0, 420, 500});
            const rv_model *model = stage->what_if->model;
            int32_t least = 0, most = 0;
            for (int32_t r = MANY - 1; r >= 0; r--) {
                if (model->sent_bytes[r] <= model->sent_bytes[least]) least = r;
                if (model->sent_bytes[r] >= model->sent_bytes[most]) most = r;
            }
            char text[160], low[32], high[32];
            rv_format_bytes(model->sent_bytes[least], low, sizeof low);
            rv_format_bytes(model->sent_bytes[most], high, sizeof high);
            snprintf(text, sizeof text, "GPU %d has sent least, %s; GPU %d most, %s", (int)least,
                     low, (int)most, high);
            if (k == 0) snprintf(text, sizeof text, "every GPU has sent %s", low);
            cr_expect(says(scene, text), "%s, step %d: %s", names[k], (int)step, text);
        }
    }
}
