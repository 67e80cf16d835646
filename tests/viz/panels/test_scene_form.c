/* test_scene_form.c: the cards of a star and of a tree stand as their wires go. */
#include "panels/ring/ring.h"
#include "support/naive_apply.h"

#include <criterion/criterion.h>

#include <math.h>

static rv_form form_of(const char *name, int32_t n) {
    const rs_schedule s = make_schedule(name, RS_ORDER_SEED, n, 1000);
    return rv_form_of(&s);
}

Test(scene_form, naive_is_a_star_round_the_gpu_that_adds) {
    for (int32_t n = 4; n <= 16; n++) {
        const rv_form form = form_of("naive", n);
        cr_assert(form.spread);
        cr_expect_eq(form.n_wires, n - 1);
        cr_expect(form.spots[0].x == 0 && form.spots[0].y == 0);
        for (int32_t r = 1; r < n; r++) {
            cr_expect_eq(form.wires[r], 1);
            cr_expect_float_eq(hypot(form.spots[r].x, form.spots[r].y), 1, 1e-9);
        }
    }
}

Test(scene_form, a_tree_has_its_root_on_top_and_each_gpu_below_the_one_it_sends_to) {
    for (int32_t n = 4; n <= 16; n++) {
        const rs_schedule s = make_schedule("tree", RS_ORDER_SEED, n, 1000);
        const rv_form form = rv_form_of(&s);
        cr_assert(form.spread);
        cr_expect_eq(form.spots[0].y, -1);
        for (int32_t step = 0; step < s.phases[1].first_step; step++) { /* up, to the root */
            rs_cursor cursor = {0};
            rs_transfer t;
            while (rs_next_transfer(&s, step, &cursor, &t)) {
                cr_expect_gt(form.spots[t.src].y, form.spots[t.dst].y, "%d GPUs: %d below %d", n,
                             t.src, t.dst);
            }
        }
    }
}

Test(scene_form, rings_cubes_chains_and_few_gpus_stay_on_the_oval) {
    static const char *const others[] = {"ring", "halving", "doubling", "bidirectional"};
    for (int i = 0; i < 4; i++) cr_expect_not(form_of(others[i], 8).spread, "%s", others[i]);
    cr_expect_not(form_of("naive", 3).spread);
    cr_expect_not(form_of("naive", 17).spread);
    rs_transfer list[] = {{.src = 0, .dst = 1, .n_chunks = 1},
                          {.src = 1, .dst = 2, .n_chunks = 1},
                          {.src = 2, .dst = 3, .n_chunks = 1}};
    static const int64_t first[] = {0, 1, 2, 3};
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rs_schedule s;
    cr_assert_eq(rs_schedule_from_list(4, 1, 3, first, list, &arena, NULL, &s), RS_OK);
    cr_expect_not(rv_form_of(&s).spread, "a chain");
    list[2] = (rs_transfer){.src = 2, .dst = 0, .n_chunks = 1};
    cr_assert_eq(rs_schedule_from_list(4, 1, 3, first, list, &arena, NULL, &s), RS_OK);
    cr_expect_not(rv_form_of(&s).spread, "a triangle and one apart");
    rs_arena_free(&arena);
}

Test(scene_form, cards_at_spots_neither_overlap_nor_leave_the_box) {
    static const double boxes[][2] = {
        {300, 200}, {200, 300}, {787, 440}, {1268, 540}, {3840, 2160}};
    static const char *const names[] = {"naive", "tree"};
    for (int i = 0; i < 2; i++) {
        for (int32_t n = 4; n <= 16; n += 3) {
            const rv_form form = form_of(names[i], n);
            for (int b = 0; b < 5; b++) {
                const rv_box box = {10, 20, boxes[b][0], boxes[b][1]};
                const rv_look look = rv_look_of(false, box.w, box.h, 1);
                const rv_ring ring = rv_plan_ring(&look, n, 1, &form, box);
                for (int32_t r = 0; r < n; r++) {
                    const rv_box card = rv_ring_card(&ring, r);
                    cr_expect(card.x >= box.x && card.y >= box.y &&
                                  card.x + card.w <= box.x + box.w &&
                                  card.y + card.h <= box.y + box.h,
                              "%s, %d GPUs, %g x %g: GPU %d leaves", names[i], n, box.w, box.h, r);
                    for (int32_t q = 0; q < r; q++) {
                        const rv_box other = rv_ring_card(&ring, q);
                        cr_expect(card.x + card.w <= other.x || other.x + other.w <= card.x ||
                                      card.y + card.h <= other.y || other.y + other.h <= card.y,
                                  "%s, %d GPUs, %g x %g: %d on %d", names[i], n, box.w, box.h, r,
                                  q);
                    }
                }
            }
        }
    }
}
