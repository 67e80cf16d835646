/* Colours tell things apart, and area is bytes. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "ring_fixture.h"

static double linear(double c) {
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double contrast(rv_colour a, rv_colour b) {
    double l[2];
    const rv_colour both[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        l[i] = 0.2126 * linear((both[i] >> 24) / 255.0) +
               0.7152 * linear((both[i] >> 16 & 0xFF) / 255.0) +
               0.0722 * linear((both[i] >> 8 & 0xFF) / 255.0);
    }
    return (fmax(l[0], l[1]) + 0.05) / (fmin(l[0], l[1]) + 0.05);
}

Test(scene_colours, text_and_parts_stand_out_in_both_themes) {
    for (int dark = 0; dark < 2; dark++) {
        const rv_look look = rv_look_of(dark, 1280, 720, 1);
        const rv_colour grounds[3] = {look.ground, look.panel, look.raised};
        const rv_colour texts[2] = {look.ink, look.quiet};
        const rv_colour parts[5] = {look.accent, look.good, look.bad, look.warn, look.link};
        cr_expect_geq(contrast(look.focus_ink, look.focus), 4.5);
        for (int g = 0; g < 3; g++) {
            for (int t = 0; t < 2; t++) cr_expect_geq(contrast(texts[t], grounds[g]), 4.5);
            for (int p = 0; p < 4 && g < 2; p++) { /* they are written too */
                cr_expect_geq(contrast(parts[p], grounds[g]), 4.5, "dark %d, part %d", dark, p);
            }
            cr_expect_geq(contrast(parts[4], grounds[g]), g < 2 ? 3 : 1, "dark %d: wires", dark);
        }
        cr_expect_geq(contrast(look.accent_ink, look.accent), 4.5);
        cr_expect_geq(contrast(look.panel, look.good), 4.5);
        for (int32_t r = 0; r < 8; r++) {
            const rv_dye dye = rv_dye_of(&look, r);
            const double fill = contrast(dye.fill, look.panel);
            cr_expect_geq(fmax(fill, contrast(look.outline, look.panel)), 3, "GPU %d", r);
            cr_expect_geq(contrast(dye.ink, dye.fill), 4.5, "GPU %d's letter", r);
        }
    }
}

Test(scene_colours, no_two_gpus_have_the_same_colour) {
    static const int32_t counts[] = {2, 8, 9, 16, 64, 256};
    for (int i = 0; i < 6; i++) {
        rv_look look = rv_look_of(false, 1280, 720, 1);
        look.n_dyes = counts[i];
        for (int32_t a = 0; a < counts[i]; a++) {
            const rv_dye x = rv_dye_of(&look, a);
            cr_expect_geq(contrast(x.ink, x.fill), 4.5, "GPU %d of %d", a, counts[i]);
            cr_expect(x.fill != look.accent && x.fill != look.focus);
            for (int32_t b = 0; b < a; b++) {
                const rv_dye y = rv_dye_of(&look, b);
                cr_expect_neq(x.fill, y.fill, "%d and %d of %d", b, a, counts[i]);
                cr_expect(strcmp(x.letter, y.letter) != 0);
            }
        }
    }
}

/* Adds up the areas of all that travels in one of the runs: of messages with as many chunks as they
   have rectangles of their own. */
static double area_on_the_way(const rv_scene *scene, bool second, int32_t *n_cells) {
    double area = 0;
    *n_cells = 0;
    for (const rv_item *item = NULL; (item = view_fixture_next(scene, item)) != NULL;) {
        if (item->target.thing != RV_TRANSFER || (item->target.a < 0) != second) continue;
        area += item->box.w * item->box.h;
        ++*n_cells;
    }
    return area;
}

Test(scene_colours, area_is_bytes_in_both_runs_of_a_race) {
    static const char *const others[] = {"naive", "tree", "halving", "bidirectional"};
    for (int i = 0; i < 4; i++) {
        for (int32_t n = 4; n <= 16; n *= 2) {
            OWN_FIXTURE s = {0};
            view_fixture_prepare(&s.run, "ring", n);
            s.options = (rv_options){.at = 0, .progress = 0.5, .compare = others[i]};
            stage_fixture_open(&s);
            rv_stage *stage = s.stage;
            rv_shown_run runs[2];
            const rv_box sides[2] = {{0, 0, 640, 400}, {640, 0, 640, 400}};
            cr_assert_eq(rv_list_runs(stage, runs), 2);
            runs[1].progress = 0.5;
            rv_scene_start(&stage->scene, 1280, 720, stage->look.ground);
            rv_draw_rings(stage, runs, sides, 2, &stage->scene);
            double area[2];
            for (int k = 0; k < 2; k++) {
                int32_t cells;
                area[k] = area_on_the_way(&stage->scene, k == 1, &cells) / cells *
                          runs[k].model->n_chunks;
                cr_assert_gt(cells, 0);
            }
            cr_expect_float_eq(area[0] / area[1], 1, 1e-6, "%s, %d GPUs: %g and %g", others[i], n,
                               area[0], area[1]);
        }
    }
}
