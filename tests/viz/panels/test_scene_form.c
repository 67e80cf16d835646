/* test_scene_form.c: the cards stand as their wires go, whoever wrote the schedule. */
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

/* The form of a schedule of one-chunk messages "src dst", a step each. */
static rv_form form_of_list(int32_t n, int n_messages, const int32_t messages[][2]) {
    rs_transfer list[16];
    int64_t first[17];
    for (int i = 0; i <= n_messages; i++) {
        first[i] = i;
        if (i == n_messages) break;
        list[i] = (rs_transfer){.src = messages[i][0], .dst = messages[i][1], .n_chunks = 1};
    }
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rs_schedule s;
    cr_assert_eq(rs_schedule_from_list(n, 1, n_messages, first, list, &arena, NULL, &s), RS_OK);
    const rv_form form = rv_form_of(&s);
    rs_arena_free(&arena);
    return form;
}

static rv_point minus(rv_point a, rv_point b) {
    return (rv_point){a.x - b.x, a.y - b.y};
}

Test(scene_form, halving_and_doubling_are_a_cube_of_as_many_dimensions_as_steps) {
    static const char *const names[] = {"halving", "doubling"};
    for (int i = 0; i < 2; i++) {
        for (int32_t n = 4; n <= 16; n++) {
            const rv_form form = form_of(names[i], n);
            int32_t core = 4;
            while (2 * core <= n) core *= 2;
            cr_assert_eq(form.kind, RV_FORM_CUBE, "%s, %d GPUs", names[i], n);
            for (int32_t bit = 1; bit < core; bit *= 2) { /* an edge is the same in all the cube */
                const rv_point edge = minus(form.spots[bit], form.spots[0]);
                for (int32_t r = 0; r < core; r++) {
                    if (r & bit) continue;
                    const rv_point here = minus(form.spots[r | bit], form.spots[r]);
                    cr_expect(fabs(here.x - edge.x) < 1e-9 && fabs(here.y - edge.y) < 1e-9);
                }
            }
            for (int32_t r = core; r < n; r++) { /* who is folded in stands beside his partner */
                const rv_point own = minus(form.spots[r], form.spots[r - core]);
                for (int32_t q = 0; q < core; q++) {
                    if (q == r - core || core > 4) continue;
                    const rv_point other = minus(form.spots[r], form.spots[q]);
                    cr_expect_lt(hypot(own.x, own.y), hypot(other.x, other.y));
                }
            }
        }
    }
    cr_expect_eq(form_of("doubling", 3).kind, RV_FORM_LINE, "a pair, and one that is folded in");
}

Test(scene_form, nodes_are_rows_or_columns) {
    rs_schedule s = make_schedule("two-level", RS_ORDER_SEED, 12, 1000);
    const rv_form form = rv_form_of(&s);
    cr_assert_eq(form.kind, RV_FORM_NODES);
    cr_expect_eq(form.per_node, s.gpus_per_node);
    for (int32_t r = 1; r < 12; r++) {
        const bool together = r / form.per_node == (r - 1) / form.per_node;
        cr_expect_eq(form.spots[r].y == form.spots[r - 1].y, together);
    }
}

/* Words in the middle, the phase's title: wherever there is room, they lie over no node's name. */
Test(scene_form, words_in_the_middle_leave_the_names_of_nodes_free) {
    static const double boxes[][2] = {{787, 440}, {1268, 540}, {1900, 830}};
    static const int32_t per_node[] = {2, 3, 4, 6};
    for (int i = 0; i < 4 * 3; i++) {
        rs_error error;
        rs_schedule s;
        const rs_spec spec = {.n_ranks = 12, .gpus_per_node = per_node[i % 4]};
        cr_assert_eq(rs_schedule_from_spec(rs_find_algorithm(RS_COLL_ALL_REDUCE, "two-level"),
                                           &spec, 1000, &error, &s),
                     RS_OK);
        const rv_form form = rv_form_of(&s);
        const rv_box box = {10, 60, boxes[i / 4][0], boxes[i / 4][1]};
        const rv_look look = rv_look_of(false, 1.01 * box.w, 1.33 * box.h, 1);
        const rv_ring ring = rv_plan_ring(&look, 12, s.n_chunks, &form, box);
        cr_assert_eq(ring.per_node, per_node[i % 4]);
        const rv_box middle = rv_inset(rv_ring_middle(&ring, 2.4, true), 0.01);
        for (int32_t node = 0; node < 12 / ring.per_node; node++) {
            rv_box name;
            rv_ring_node(&ring, node, &name);
            const bool apart = middle.x + middle.w <= name.x || name.x + name.w <= middle.x ||
                               middle.y + middle.h <= name.y || name.y + name.h <= middle.y;
            cr_expect(middle.h <= 0 || apart, "%d a node, %g x %g: node %d", (int)ring.per_node,
                      box.w, box.h, (int)node);
        }
    }
}

Test(scene_form, a_ring_of_ones_own_stands_in_its_order_and_a_chain_in_a_line) {
    static const int32_t ring[][2] = {{0, 2}, {2, 4}, {4, 1}, {1, 3}, {3, 0}};
    rv_form form = form_of_list(5, 5, ring);
    cr_assert_eq(form.kind, RV_FORM_RING);
    for (int32_t i = 0; i < 5; i++) cr_expect_eq(form.order[i], 2 * i % 5);
    form = form_of_list(5, 4, ring);
    cr_assert_eq(form.kind, RV_FORM_LINE);
    for (int32_t i = 1; i < 5; i++) {
        const rv_point step = minus(form.spots[2 * i % 5], form.spots[2 * (i - 1) % 5]);
        cr_expect_float_eq(fabs(step.x), 0.5, 1e-9);
        cr_expect_eq(step.y, 0);
    }
    static const int32_t apart[][2] = {{0, 1}, {1, 2}, {2, 0}};
    cr_expect_eq(form_of_list(4, 3, apart).kind, RV_FORM_OVAL, "a triangle and one apart");
    cr_expect_not(form_of("naive", 17).spread);
    cr_expect_eq(form_of("naive", 3).kind, RV_FORM_LINE);
}

static double way_between(const rv_wire *wire, rv_point p) {
    double least = INFINITY;
    for (int i = 0; i < RV_WIRE_POINTS; i++) {
        least = fmin(least, hypot(wire->points[i].x - p.x, wire->points[i].y - p.y));
    }
    return least;
}

Test(scene_form, two_rings_have_a_track_each_way) {
    const rv_box box = {0, 0, 1268, 540};
    const rv_look look = rv_look_of(false, box.w, box.h, 1);
    for (int32_t n = 3; n <= 16; n++) {
        const rv_form form = form_of("bidirectional", n);
        cr_assert(form.kind == RV_FORM_RING && form.two_way);
        const rv_ring ring = rv_plan_ring(&look, n, 2 * n, &form, box);
        for (int32_t r = 0; r < n; r++) {
            const rv_wire there = rv_wire_between(&ring, r, (r + 1) % n);
            const rv_wire back = rv_wire_between(&ring, (r + 1) % n, r);
            for (int i = 0; i < RV_WIRE_POINTS; i++) {
                cr_expect_gt(way_between(&back, there.points[i]),
                             0.5 * ring.travel_scale * ring.cell_w, "%d GPUs, wire %d", n, r);
            }
        }
    }
    cr_expect_eq(form_of("ring", 8).kind, RV_FORM_RING);
    cr_expect_not(form_of("ring", 8).two_way);
}

static void expect_free_wires(const rv_form *form, const rv_ring *ring) {
    for (int32_t a = 0; a < ring->n_ranks; a++) {
        for (int32_t b = 0; b < ring->n_ranks; b++) {
            if (!(form->wires[a] & 1U << b)) continue;
            const rv_wire wire = rv_resting_wire(ring, a, b);
            for (int32_t r = 0; r < ring->n_ranks; r++) {
                const rv_box card = rv_inset(rv_ring_card(ring, r), 1);
                for (int i = 1; i < RV_WIRE_POINTS - 1; i++) {
                    cr_expect_not(rv_inside(card, wire.points[i].x, wire.points[i].y),
                                  "kind %d, %d GPUs, %g x %g: %d - %d crosses %d", form->kind,
                                  ring->n_ranks, ring->box.w, ring->box.h, a, b, r);
                }
            }
        }
    }
}

static bool are_apart(rv_box a, rv_box b) {
    return a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
}

/* Each node's frame holds its cards alone, and a name beside them. */
static void expect_own_frames(const rv_ring *ring) {
    rv_box name, other;
    for (int32_t node = 0; ring->per_node > 0 && node < ring->n_ranks / ring->per_node; node++) {
        const rv_box frame = rv_ring_node(ring, node, &name);
        const rv_box one = rv_ring_card(ring, node * ring->per_node);
        const rv_box next = rv_ring_card(ring, node * ring->per_node + 1);
        cr_expect(ring->upright ||
                      next.x - one.x - one.w >= fmin(3 * ring->unit, 0.35 * ring->card_w) - 0.01,
                  "room for a block of chunks");
        cr_expect(rv_inside(frame, rv_centre(name).x, rv_centre(name).y));
        cr_expect(node == 0 || are_apart(frame, rv_ring_node(ring, node - 1, &other)), "%d", node);
        for (int32_t r = 0; r < ring->n_ranks; r++) {
            const rv_box card = rv_ring_card(ring, r);
            cr_expect(are_apart(rv_inset(name, 0.01), card), "node %d's name on %d", node, r);
            cr_expect_neq(are_apart(frame, card), r / ring->per_node == node, "%d, %d", node, r);
        }
    }
}

Test(scene_form, cards_at_spots_neither_overlap_nor_leave_the_box_nor_lie_on_a_wire) {
    static const double boxes[][2] = {
        {300, 200}, {200, 300}, {787, 440}, {1268, 540}, {3840, 2160}};
    static const char *const names[] = {"naive", "tree", "halving", "doubling", "two-level"};
    for (int i = 0; i < 5; i++) {
        for (int32_t n = 3; n <= 16; n++) {
            const rv_form form = form_of(names[i], n);
            for (int b = 0; b < 5; b++) {
                const rv_box box = {10, 20, boxes[b][0], boxes[b][1]};
                const rv_look look = rv_look_of(false, box.w, box.h, 1);
                const rv_ring ring = rv_plan_ring(&look, n, i < 2 ? 1 : n, &form, box);
                if (form.spread) expect_free_wires(&form, &ring);
                expect_own_frames(&ring);
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
