/* What leaves a card, what stands at the door, and what becomes of it. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "ring_fixture.h"

Test(scene_door, what_stands_at_the_door_is_told_as_a_sum_or_strikes_the_old_value_out) {
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 4);
    OWN_STAGE *stage = view_fixture_stage(&v, &(rv_options){.at = 0});
    const double arrive = rv_progress_of(RV_ARRIVE), before = 0.5 * (RV_LIFT + RV_ARRIVAL);
    ring_fixture_draw(stage, 0, before);
    cr_expect_eq(ring_fixture_labels(&stage->scene, "10+1"), 0, "not before it is there");
    ring_fixture_draw(stage, 0, arrive); /* GPU r sends chunk r, (r + 1) x 10^r, to GPU r + 1 */
    cr_expect_eq(ring_fixture_labels(&stage->scene, "10+1"), 1);
    cr_expect_eq(ring_fixture_labels(&stage->scene, "4+4000"), 1);
    ring_fixture_draw(stage, 0, 1);
    cr_expect_eq(ring_fixture_labels(&stage->scene, "10+1"), 0, "not when it is done");
    cr_expect_eq(ring_fixture_labels(&stage->scene, "11"), 1);
    int lines[2];
    for (int i = 0; i < 2; i++) { /* a line through each of four values, or none */
        ring_fixture_draw(stage, 3, i == 0 ? before : arrive);
        lines[i] = 0;
        for (const rv_item *item = NULL; (item = view_fixture_next(&stage->scene, item)) != NULL;) {
            lines[i] += item->shape == RV_SEGMENT && item->stroke == stage->look.ink;
        }
    }
    cr_expect_eq(lines[1] - lines[0], 4);
}

/* Writes the counter's characters in a box, from left to right, those that are seen best. */
static void read_counter(const rv_scene *scene, rv_box strip, char *out) {
    const rv_item *list[32];
    int n = 0;
    for (int32_t i = 0; i < scene->n_items && n < 32; i++) {
        const rv_item *item = &scene->items[i];
        const double y = item->box.y + item->box.h / 2 - strip.y - strip.h / 2;
        if (item->layer != RV_MOVING || item->shape != RV_LABEL || !item->mono) continue;
        if (strlen(rv_label_text(scene, item)) != 1 || fabs(y) > 0.2 * strip.h) continue;
        if (item->box.x < strip.x - 1 || item->box.x > strip.x + strip.w) continue;
        int k = n++;
        for (; k > 0 && list[k - 1]->box.x > item->box.x; k--) list[k] = list[k - 1];
        list[k] = item;
    }
    for (int i = 0; i < n; i++) out[i] = rv_label_text(scene, list[i])[0];
    out[n] = '\0';
}

Test(scene_door, digits_roll_from_the_old_value_to_the_sum) {
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 4);
    OWN_STAGE *stage = view_fixture_stage(&v, &(rv_options){.at = 0});
    static const struct {
        double progress;
        const char *shown;
    } moments[] = {{RV_ARRIVAL + 0.01, "0004"}, {0.999, "4004"}}; /* GPU 0's 4, and 4000 */
    for (int i = 0; i < 2; i++) {
        const rv_ring ring = ring_fixture_draw(stage, 0, moments[i].progress);
        double type;
        char shown[33];
        const rv_box cell = rv_ring_cell(&ring, rv_ring_card(&ring, 0), 3);
        const rv_box strip = rv_cell_value_box(stage, stage->what_if->model, cell, &type);
        read_counter(&stage->scene, strip, shown);
        cr_expect_str_eq(shown, moments[i].shown, "at %g: %s", moments[i].progress, shown);
    }
    ring_fixture_draw(stage, 0, 1);
    cr_expect_eq(ring_fixture_labels(&stage->scene, "4004"), 1, "it is what the step leaves");
}

Test(scene_door, an_old_value_falls_out_before_the_new_one_is_in) {
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 4);
    OWN_STAGE *stage = view_fixture_stage(&v, &(rv_options){.at = 0});
    double last = 0;
    for (double p = RV_ARRIVAL + 0.05; p < 0.95; p += 0.05) {
        const rv_ring ring = ring_fixture_draw(stage, 3, p); /* GPU 3 sends chunk 0 to GPU 0 */
        const rv_box cell = rv_ring_cell(&ring, rv_ring_card(&ring, 0), 0);
        double lowest = 0;
        for (const rv_item *item = NULL; (item = view_fixture_next(&stage->scene, item)) != NULL;) {
            if (item->layer != RV_MOVING || strcmp(rv_label_text(&stage->scene, item), "1") != 0)
                continue;
            if (item->mono) lowest = item->box.y + item->box.h - cell.y - cell.h;
        }
        cr_expect_gt(lowest, last, "at %g", p);
        last = lowest;
    }
    cr_expect_gt(last, 0, "it leaves its cell");
}

static double overlap(rv_box a, rv_box b) {
    const double w = fmin(a.x + a.w, b.x + b.w) - fmax(a.x, b.x);
    const double h = fmin(a.y + a.h, b.y + b.h) - fmax(a.y, b.y);
    return w > 0 && h > 0 ? w * h : 0;
}

Test(scene_door, what_leaves_hides_no_card) {
    static const char *const names[] = {"ring", "halving"};
    static const double most[] = {0.25, 0.6}; /* of it, beside a wire that is short */
    for (int a = 0; a < 2; a++) {
        for (int32_t n = 4; n <= 8; n += a == 0 ? 1 : 4) {
            OWN_VIEW v = {0};
            view_fixture_prepare(&v, names[a], n);
            OWN_STAGE *stage = view_fixture_stage(&v, &(rv_options){.at = 0});
            const rv_ring ring = ring_fixture_draw(stage, 0, RV_LIFT);
            int seen = 0;
            for (const rv_item *item = NULL;
                 (item = view_fixture_next(&stage->scene, item)) != NULL;) {
                if (item->target.thing != RV_TRANSFER) continue;
                seen++;
                for (int32_t r = 0; r < n; r++) {
                    const double hidden = overlap(item->box, rv_ring_card(&ring, r));
                    cr_expect_leq(hidden, most[a] * item->box.w * item->box.h,
                                  "%s, %d GPUs: GPU %d", names[a], n, r);
                }
            }
            cr_expect_gt(seen, 0);
        }
    }
}
