/* The ring's plan: cards and ways keep clear of each other, in boxes of all shapes. */
#include <criterion/criterion.h>
#include <math.h>

#include "ring_fixture.h"

Test(scene_plan, cards_neither_overlap_nor_leave_the_box) {
    for (int b = 0; b < RING_FIXTURE_BOXES; b++) {
        const rv_box box = ring_fixture_boxes[b];
        const rv_look look = rv_look_of(false, box.w, box.h, 1);
        for (int32_t n = 1; n <= 16; n++) {
            for (int32_t chunks = 1; chunks <= n; chunks += n > 1 ? n - 1 : 1) {
                const rv_ring ring = rv_plan_ring(&look, n, chunks, NULL, box);
                for (int32_t i = 0; i < n; i++) {
                    const rv_box card = rv_ring_card(&ring, i);
                    cr_expect(card.w > 8 && card.h > 6, "N = %d: %g x %g", n, card.w, card.h);
                    cr_expect(ring_fixture_contains(box, card), "N = %d, GPU %d leaves the box", n,
                              i);
                    for (int32_t c = 0; c < chunks; c++) {
                        cr_expect(ring_fixture_contains(card, rv_ring_cell(&ring, card, c)),
                                  "N = %d", n);
                    }
                    for (int32_t j = 0; j < i; j++) {
                        cr_expect(ring_fixture_apart(card, rv_ring_card(&ring, j)),
                                  "N = %d: %d, %d", n, i, j);
                    }
                }
            }
        }
    }
}

static void expect_free_ways(const rv_ring *ring) {
    const double w = ring->travel_scale * ring->cell_w, h = ring->travel_scale * ring->cell_h;
    for (int32_t i = 0; i < ring->n_ranks; i++) {
        const int32_t next = (i + 1) % ring->n_ranks;
        const rv_wire wire = rv_wire_between(ring, i, next);
        const rv_point middle = rv_on_wire(&wire, 0.5, NULL);
        const rv_box parcel = /* a touch is no harm */
            rv_inset((rv_box){middle.x - w / 2, middle.y - h / 2, w, h}, 0.2 * w);
        for (int32_t j = 0; j < ring->n_ranks; j++) {
            const rv_box card = rv_ring_card(ring, j);
            cr_expect(ring->n_ranks > 8 || ring_fixture_apart(parcel, card),
                      "%g x %g, N = %d, %d -> %d hides GPU %d", ring->box.w, ring->box.h,
                      ring->n_ranks, i, next, j);
            for (int k = 1; k < RV_WIRE_POINTS - 1; k++) {
                cr_expect(!rv_inside(rv_inset(card, 1), wire.points[k].x, wire.points[k].y),
                          "%g x %g, N = %d: the wire %d -> %d crosses GPU %d", ring->box.w,
                          ring->box.h, ring->n_ranks, i, next, j);
            }
        }
    }
}

Test(scene_plan, a_wire_ends_at_its_end) {
    for (int b = 0; b < RING_FIXTURE_BOXES; b++) {
        const rv_box box = ring_fixture_boxes[b];
        const rv_look look = rv_look_of(false, box.w, box.h, 1);
        for (int32_t n = 2; n <= 16; n++) {
            const rv_ring ring = rv_plan_ring(&look, n, n, NULL, box);
            for (int32_t i = 0; i < n; i++) {
                const rv_wire wire = rv_wire_between(&ring, i, (i + 1) % n);
                const rv_point end = rv_on_wire(&wire, 1, NULL),
                               last = wire.points[RV_WIRE_POINTS - 1];
                cr_expect_lt(hypot(end.x - last.x, end.y - last.y), 0.01,
                             "%g x %g, N = %d: the arrow to GPU %d stops short", box.w, box.h, n,
                             (i + 1) % n);
            }
        }
    }
}

Test(scene_plan, no_wire_crosses_a_card) {
    for (int b = 0; b < RING_FIXTURE_BOXES; b++) {
        const rv_box box = ring_fixture_boxes[b];
        const rv_look look = rv_look_of(false, box.w, box.h, 1);
        for (int32_t n = 2; n <= 16; n++) {
            for (int32_t chunks = 1; chunks <= n; chunks += n - 1) {
                const rv_ring ring = rv_plan_ring(&look, n, chunks, NULL, box);
                expect_free_ways(&ring);
            }
        }
    }
}

Test(scene_plan, a_box_without_room_has_a_plan) {
    const rv_look look = rv_look_of(false, 64, 64, 1);
    for (int32_t n = 1; n <= RV_MOST_CARDS; n++) {
        const rv_ring ring = rv_plan_ring(&look, n, n, NULL, (rv_box){10, 10, 0, 0});
        const rv_box cell = rv_ring_cell(&ring, rv_ring_card(&ring, n - 1), n - 1);
        cr_expect(isfinite(cell.x) && isfinite(cell.y));
        const rv_wire wire = rv_wire_between(&ring, 0, n - 1);
        cr_expect(isfinite(rv_on_wire(&wire, 0.5, NULL).x));
    }
}
