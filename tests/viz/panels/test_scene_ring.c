/* The ring as data: what travels where, what is felt, what is wrong. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ring_fixture.h"

Test(scene_ring, nothing_leaves_its_box) {
    static const double moments[] = {0.05, 0.4, 0.7, 0.9, 1};
    static const int32_t sizes[] = {2, 3, 5, 8, 16};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        OWN_VIEW v = {0};
        view_fixture_prepare(&v, "ring", sizes[k]);
        OWN_STAGE *stage = view_fixture_stage(&v, &(rv_options){.at = -1});
        for (int b = 2; b < RING_FIXTURE_BOXES; b++) {
            rv_stage_resize(stage, fmax(640, ring_fixture_boxes[b].w),
                            fmax(480, ring_fixture_boxes[b].h));
            for (size_t m = 0; m < sizeof moments / sizeof moments[0]; m++) {
                ring_fixture_draw(stage, sizes[k], moments[m]);
                const rv_box box = rv_inset(rv_view_box(stage, VIEW_RING), -0.3 * stage->look.unit);
                for (const rv_item *item = NULL;
                     (item = view_fixture_next(&stage->scene, item)) != NULL;) {
                    if (item->shape == RV_SEGMENT) continue;
                    cr_expect(ring_fixture_contains(box, item->box),
                              "N = %d, %g: shape %d at %g %g", sizes[k], moments[m], item->shape,
                              item->box.x, item->box.y);
                }
            }
        }
    }
}

/* The box round two cards and the centre, a card's height larger. */
static rv_box between(const rv_ring *ring, int32_t src, int32_t dst) {
    const rv_box a = rv_ring_card(ring, src), b = rv_ring_card(ring, dst);
    const double left = fmin(fmin(a.x, b.x), ring->centre.x);
    const double top = fmin(fmin(a.y, b.y), ring->centre.y);
    const double right = fmax(fmax(a.x, b.x) + ring->card_w, ring->centre.x);
    const double bottom = fmax(fmax(a.y, b.y) + ring->card_h, ring->centre.y);
    return rv_inset((rv_box){left, top, right - left, bottom - top}, -ring->card_h);
}

static void expect_on_the_way(rv_stage *stage, int32_t step) {
    const rv_model *model = stage->what_if->model;
    rs_transfer t;
    double before[64];
    for (int i = 0; i < 64; i++) before[i] = INFINITY;
    for (double p = RV_LIFT; p < 1; p += 0.04) {
        const rv_ring ring = ring_fixture_draw(stage, step, p);
        rs_cursor cursor = {0};
        for (int n = 0; rs_next_transfer(model->schedule, step, &cursor, &t) && n < 64; n++) {
            rv_target target = rv_target_of(RV_TRANSFER, step, t.src);
            target.c = t.chunk;
            const rv_item *item = ring_fixture_find(&stage->scene, target);
            cr_assert_not_null(item, "step %d: GPU %d's chunk is not there", step, t.src);
            cr_expect_eq(item->layer, RV_MOVING);
            const rv_point at = rv_centre(item->box);
            const rv_point to = rv_centre(rv_ring_cell(&ring, rv_ring_card(&ring, t.dst), t.chunk));
            if (p < RV_LIFT + 0.02) {
                const rv_box home = rv_inset(rv_ring_card(&ring, t.src), -ring.cell_h);
                cr_expect(rv_inside(home, at.x, at.y), "GPU %d: it starts elsewhere", t.src);
            }
            const double left = hypot(to.x - at.x, to.y - at.y);
            const rv_box ways = between(&ring, t.src, t.dst);
            cr_expect(rv_inside(ways, at.x, at.y), "%s, step %d at %g: GPU %d's chunk strays",
                      model->schedule->name, step, p, t.src);
            if (p > 0.85) cr_expect_leq(left, before[n], "GPU %d: away from its goal", t.src);
            before[n] = left;
        }
    }
    for (int i = 0; i < 64; i++) {
        if (!isinf(before[i])) cr_expect_lt(before[i], 0.1 * stage->height);
    }
}

Test(scene_ring, every_chunk_travels_from_its_sender_to_its_receiver) {
    static const char *const names[] = {"ring", "tree", "doubling", "halving", "naive"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        OWN_VIEW v = {0};
        view_fixture_prepare(&v, names[i], 8);
        OWN_STAGE *stage = view_fixture_stage(&v, &(rv_options){.at = -1});
        for (int32_t s = 0; s < v.schedule.n_steps; s++) expect_on_the_way(stage, s);
    }
}

Test(scene_ring, at_rest_nothing_moves_but_an_arrow_says_what_went_where) {
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 5);
    rv_stage *stage =
        view_fixture_stage(&v, &(rv_options){.at = -1, .reduced_motion = true, .dark = true});
    ring_fixture_draw(stage, 2, 1);
    int labels = 0;
    for (int32_t i = 0; i < stage->scene.n_items; i++) {
        cr_expect_eq(stage->scene.items[i].layer, RV_STILL);
        const char *text = rv_label_text(&stage->scene, &stage->scene.items[i]);
        labels += stage->scene.items[i].fill == stage->look.accent_ink &&
                  strchr(text, 'G') == NULL && text[0] != '\0';
    }
    cr_expect_eq(ring_fixture_things(&stage->scene, RV_TRANSFER), 0);
    cr_expect_eq(labels, 5);
    ring_fixture_draw(stage, -1, 1);
    cr_expect_eq(ring_fixture_things(&stage->scene, RV_TRANSFER), 0);
    rv_stage_free(stage);
}

Test(scene_ring, what_stands_still_stays_the_same_while_a_step_runs) {
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 8);
    OWN_STAGE *stage = view_fixture_stage(&v, &(rv_options){.at = -1});
    static rv_item first[1 << 14];
    int n_first = 0;
    for (double p = 0.02; p < 1; p += 0.07) {
        ring_fixture_draw(stage, 9, p);
        int n = 0;
        for (int32_t i = 0; i < stage->scene.n_items; i++) {
            rv_item item = stage->scene.items[i];
            if (item.layer != RV_STILL) continue;
            item.first = 0;
            if (n_first == n && p < 0.05) first[n_first++] = item;
            cr_assert_lt(n, n_first);
            cr_assert_eq(memcmp(&first[n], &item, sizeof item), 0, "item %d at %g", n, p);
            n++;
        }
        cr_expect_eq(n, n_first);
    }
}

Test(scene_ring, a_question_gives_nothing_away_and_cells_can_be_clicked) {
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 5);
    OWN_STAGE *stage = view_fixture_stage(&v, &(rv_options){.at = -1, .predict = true, .rank = 3});
    rs_error error;
    cr_assert_eq(rv_stage_key(stage, RV_KEY_RIGHT, &error), RS_OK);
    cr_assert_eq(stage->playback.mode, RV_ASKING);
    rv_stage_draw(stage);
    cr_expect_eq(ring_fixture_things(&stage->scene, RV_TRANSFER), 0);
    cr_expect_eq(ring_fixture_things(&stage->scene, RV_CELL), 25);
    int asked = 0;
    for (const rv_item *item = NULL; (item = view_fixture_next(&stage->scene, item)) != NULL;) {
        asked += strcmp(rv_label_text(&stage->scene, item), "?") == 0 &&
                 rv_inside(rv_view_box(stage, VIEW_RING), item->box.x, item->box.y);
    }
    cr_expect_eq(asked, 1);
}

Test(scene_ring, what_is_wrong_is_said_where_it_is) {
    const rs_fault faults[] = {{.kind = RS_SLOW_LINK, .rank = 1, .factor_num = 10, .factor_den = 1},
                               {.kind = RS_LATE, .rank = 2, .time_ps = 5000000000},
                               {.kind = RS_KILL, .rank = 3, .step = 2}};
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 5);
    view_fixture_faults(&v, faults, 3);
    OWN_STAGE *stage = view_fixture_stage(&v, &(rv_options){.at = -1});
    ring_fixture_draw(stage, 0, 0.5);
    cr_expect(ring_fixture_labels(&stage->scene, "\xC3\x97"
                                                 "10"));
    cr_expect(ring_fixture_labels(&stage->scene, "5 ms"));
    cr_expect_not(ring_fixture_labels(&stage->scene, "dead"));
    ring_fixture_draw(stage, v.schedule.n_steps, 1);
    cr_expect(ring_fixture_labels(&stage->scene, "dead"));
    cr_expect(ring_fixture_labels(&stage->scene, "waits for GPU 3"));
}

Test(scene_ring, who_waits_for_a_slow_link_says_so_while_others_have_theirs) {
    const rs_fault slow = {.kind = RS_SLOW_LINK, .rank = 1, .factor_num = 10, .factor_den = 1};
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 5);
    view_fixture_faults(&v, &slow, 1);
    OWN_STAGE *stage = view_fixture_stage(&v, &(rv_options){.at = -1});
    ring_fixture_draw(stage, 0, 0.5);
    cr_expect(ring_fixture_labels(&stage->scene, "waits for GPU 1"));
    ring_fixture_draw(stage, 0, 1);
    cr_expect_not(ring_fixture_labels(&stage->scene, "waits for GPU 1"));
}

Test(scene_ring, both_neighbours_of_a_late_gpu_wait_for_it_and_it_for_nobody) {
    const rs_fault late = {.kind = RS_LATE, .rank = 3, .time_ps = 2000000000};
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 5);
    view_fixture_faults(&v, &late, 1);
    OWN_STAGE *stage = view_fixture_stage(&v, &(rv_options){.at = -1});
    ring_fixture_draw(stage, 0, 0.4);
    int n_wait = 0;
    for (int32_t i = 0; i < stage->scene.n_items; i++) {
        const char *text = rv_label_text(&stage->scene, &stage->scene.items[i]);
        n_wait += strcmp(text, "waits for GPU 3") == 0;
        cr_expect_str_neq(text, "waits for GPU 2");
    }
    cr_expect_eq(n_wait, 2);
}

static void expect_felt(const rv_stage *stage, rv_point at, rv_target wanted, const char *what) {
    const rv_target hit = rv_scene_hit(&stage->scene, at.x, at.y, 6, NULL);
    cr_expect(rv_same_target(hit, wanted), "%s: %d %d %d", what, hit.thing, hit.a, hit.b);
}

Test(scene_ring, cards_cells_and_wires_are_felt_where_they_are_seen) {
    for (int32_t n = 2; n <= 16; n++) {
        OWN_VIEW v = {0};
        view_fixture_prepare(&v, "ring", n);
        OWN_STAGE *stage = view_fixture_stage(&v, &(rv_options){.at = -1});
        for (int32_t step = -1; step < 2; step += 2) {
            const rv_ring ring = ring_fixture_draw(stage, step, 1);
            for (int32_t r = 0; r < n; r++) {
                const rv_box card = rv_ring_card(&ring, r);
                const rv_point head = {card.x + card.w / 2, card.y + 0.3 * ring.head};
                const rv_wire wire = rv_wire_between(&ring, r, (r + 1) % n);
                expect_felt(stage, head, rv_target_of(RV_GPU, r, 0), "a card");
                expect_felt(stage, rv_centre(rv_ring_cell(&ring, card, n - 1)),
                            rv_target_of(RV_CELL, r, n - 1), "a cell");
                expect_felt(stage, rv_on_wire(&wire, 0.4, NULL),
                            rv_target_of(RV_LINK, r, (r + 1) % n), "a wire");
            }
        }
    }
}

Test(scene_ring, a_slow_wire_is_still_seen_when_the_step_is_done) {
    const rs_fault slow = {.kind = RS_SLOW_LINK, .rank = 1, .factor_num = 5, .factor_den = 2};
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 5);
    view_fixture_faults(&v, &slow, 1);
    OWN_STAGE *stage = view_fixture_stage(&v, &(rv_options){.at = -1});
    ring_fixture_draw(stage, 0, 1);
    cr_expect(ring_fixture_labels(&stage->scene, "chunk 1  \xC3\x97"
                                                 "2.50") ||
              ring_fixture_labels(&stage->scene, "1  \xC3\x97"
                                                 "2.50"));
}

Test(scene_ring, what_is_counted_twice_says_so_in_its_cell) {
    OWN_VIEW v = {0};
    view_fixture_prepare_text(&v,
                              "ringsim-schedule 1\nranks 3\nchunks 1\nstep\n0 -> 1 chunk 0 reduce\n"
                              "step\n0 -> 1 chunk 0 reduce\n1 -> 2 chunk 0 copy\n");
    OWN_STAGE *stage = view_fixture_stage(&v, &(rv_options){.at = -1});
    ring_fixture_draw(stage, 0, 1);
    cr_expect_not(ring_fixture_labels(&stage->scene, "\xC3\x97"
                                                     "2 "));
    cr_expect(ring_fixture_labels(&stage->scene, "arriving chunks are added"));
    cr_expect(ring_fixture_labels(&stage->scene, "step 0 of 0..1"), "a file has no phase to name");
    ring_fixture_draw(stage, 1, 1);
    cr_expect(ring_fixture_labels(&stage->scene, "\xC3\x97"
                                                 "2 "));
    cr_expect_not(ring_fixture_labels(&stage->scene, "+ is added"), "some is copied");
}

/* A file may let one GPU send hundreds of messages in a step. */
Test(scene_ring, many_messages_of_one_gpu_neither_leave_the_box_nor_pass_for_none) {
    enum { N_CHUNKS = 300 };
    static char text[64 + 40 * N_CHUNKS];
    OWN_VIEW v = {0};
    size_t used =
        (size_t)snprintf(text, sizeof text, "ringsim-schedule 1\nranks 3\nchunks 300\nstep\n");
    for (int i = 0; i < N_CHUNKS; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "0 -> 1 chunk %d reduce\n", i);
    }
    view_fixture_prepare_text(&v, text);
    OWN_STAGE *stage = view_fixture_stage(&v, &(rv_options){.at = -1, .views = VIEW_RULE});
    cr_assert_eq(rv_stage_show(stage, 0, 0.39, &v.error), RS_OK);
    rv_stage_draw(stage);
    for (const rv_item *item = NULL; (item = view_fixture_next(&stage->scene, item)) != NULL;) {
        if (item->target.thing != RV_TRANSFER) continue;
        cr_assert(ring_fixture_contains(rv_view_box(stage, VIEW_RING), item->box), "%g + %g",
                  item->box.x, item->box.w);
    }
    cr_expect(ring_fixture_labels(&stage->scene, "GPU 0 has more messages than fit here"));
    cr_expect_not(ring_fixture_labels(&stage->scene, "GPU 0 sends nothing in this step"));
}

/* Returns by how much a parcel covers a card, in pixels: the smaller of how wide and how high. */
static double covers(rv_box a, rv_box b) {
    const double wide = fmin(a.x + a.w, b.x + b.w) - fmax(a.x, b.x);
    const double high = fmin(a.y + a.h, b.y + b.h) - fmax(a.y, b.y);
    return fmin(wide, high);
}

/* Where there is little room a parcel may reach over the border round a card's cells, no further. */
static void expect_cards_uncovered(rv_stage *stage, int32_t step) {
    for (double p = RV_LIFT; p <= RV_ARRIVAL; p += 0.09) {
        const rv_ring ring = ring_fixture_draw(stage, step, p);
        for (const rv_item *item = NULL; (item = view_fixture_next(&stage->scene, item)) != NULL;) {
            if (item->target.thing != RV_TRANSFER) continue;
            for (int32_t r = 0; r < ring.n_ranks; r++) {
                const double over = covers(item->box, rv_ring_card(&ring, r));
                cr_expect_leq(over, ring.pad, "%s, %d GPUs, %g x %g, at %g: %g px of GPU %d's card",
                              stage->what_if->model->schedule->name, ring.n_ranks, stage->width,
                              stage->height, p, over, r);
            }
        }
    }
}

Test(scene_ring, nothing_that_travels_round_a_ring_hides_a_card) {
    static const char *const names[] = {"ring", "bidirectional"};
    static const int sizes[][2] = {{1280, 720}, {1920, 1080}, {900, 900}};
    for (int k = 0; k < 2 * 3 * 7; k++) {
        OWN_VIEW v = {0};
        view_fixture_prepare(&v, names[k % 2], 3 + k / 6);
        const rv_options options = {
            .at = -1, .pixel_width = sizes[k / 2 % 3][0], .pixel_height = sizes[k / 2 % 3][1]};
        OWN_STAGE *stage = view_fixture_stage(&v, &options);
        expect_cards_uncovered(stage, 1);
    }
}
