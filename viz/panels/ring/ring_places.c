/* ring_places.c: where nodes, cells and their names lie in a plan. */
#include "panels/ring/ring.h"

#include <math.h>

rv_point rv_ring_names(const rv_ring *ring) {
    if (ring->per_node == 0) return (rv_point){0, 0};
    return ring->upright ? (rv_point){0, 1.2 * ring->unit} : (rv_point){3.1 * ring->unit, 0};
}

rv_box rv_ring_node(const rv_ring *ring, int32_t node, rv_box *name) {
    const rv_box a = rv_ring_card(ring, node * ring->per_node);
    const rv_box b = rv_ring_card(ring, (node + 1) * ring->per_node - 1);
    const rv_point lane = rv_ring_lane(ring), names = rv_ring_names(ring);
    const double left = ring->lanes_x && !ring->upright ? 2 * lane.x : 0;
    const double top = ring->lanes_y && ring->upright ? 2 * lane.y : 0;
    const rv_box all = {a.x - left - names.x, a.y - top - names.y, b.x + b.w - a.x + left + names.x,
                        b.y + b.h - a.y + top + names.y};
    const rv_box frame = rv_inset(all, -0.35 * ring->unit);
    *name = ring->upright ? (rv_box){frame.x, frame.y, frame.w, names.y + 0.35 * ring->unit}
                          : (rv_box){frame.x, frame.y, names.x + 0.35 * ring->unit, frame.h};
    return frame;
}

rv_box rv_ring_cell(const rv_ring *ring, rv_box card, int32_t chunk) {
    const int32_t column = chunk % ring->columns, row = chunk / ring->columns;
    return (rv_box){card.x + ring->pad + column * (ring->cell_w + ring->gap),
                    card.y + ring->head + row * (ring->cell_h + ring->gap), ring->cell_w,
                    ring->cell_h};
}

/* ---------------------------------------------------------------------------------- the middle */

/* Where there is room for words: inside the oval, or between spots and their wires. */

/* Returns how high half a box of a `shape` round a place may be, so that it keeps a gap from another
   box. */
static double half_beside(rv_box other, rv_point at, double shape, double gap) {
    const rv_point middle = rv_centre(other);
    const double beside = fabs(middle.x - at.x) - other.w / 2 - gap;
    const double below = fabs(middle.y - at.y) - other.h / 2 - gap;
    return fmax(beside / shape, below);
}

/* Returns how high half a box round a place may be, so that it keeps clear of cards, of nodes' names,
   of wires and of what travels there. */
static double half_at(const rv_ring *ring, const rv_wire *wires, int n_wires, rv_point at,
                      double shape, rv_point clear) {
    const double gap = 0.5 * ring->unit;
    const rv_box box = ring->box;
    double half = fmin(fmin(at.y - box.y, box.y + box.h - at.y),
                       fmin(at.x - box.x, box.x + box.w - at.x) / shape);
    for (int32_t i = 0; i < ring->n_ranks; i++) {
        half = fmin(half, half_beside(rv_ring_card(ring, i), at, shape, gap));
    }
    for (int32_t i = 0; ring->per_node > 0 && i < ring->n_ranks / ring->per_node; i++) {
        rv_box name;
        rv_ring_node(ring, i, &name);
        half = fmin(half, half_beside(name, at, shape, 0));
    }
    for (int i = 0; i < n_wires * RV_WIRE_POINTS && half > 0; i++) {
        const rv_point on = wires[i / RV_WIRE_POINTS].points[i % RV_WIRE_POINTS];
        half = fmin(half, fmax((fabs(on.x - at.x) - clear.x) / shape, fabs(on.y - at.y) - clear.y));
    }
    return half;
}

/* The same between spots: anywhere, but rather near the centre. */
static rv_box free_box(const rv_ring *ring, double shape, rv_point clear) {
    enum { MOST_WIRES = 64, ACROSS = 24, DOWN = 16 };
    rv_wire wires[MOST_WIRES];
    int n = 0;
    for (int32_t a = 0; a < ring->n_ranks; a++) {
        for (int32_t b = a + 1; b < ring->n_ranks && n < MOST_WIRES; b++) {
            if (ring->wires[a] & 1U << b) wires[n++] = rv_resting_wire(ring, a, b);
        }
    }
    const rv_point c = rv_centre(ring->box);
    rv_box best = {c.x, c.y, 0, 0};
    double most = 0;
    for (int i = 1; i < ACROSS * DOWN; i++) {
        const double x = (double)(i % ACROSS) / ACROSS, y = (double)(i / ACROSS) / DOWN;
        const rv_point at = {ring->box.x + x * ring->box.w, ring->box.y + y * ring->box.h};
        const double half = half_at(ring, wires, n, at, shape, clear);
        const double liked = half * (1 - 0.5 * hypot(x - 0.5, y - 0.5));
        if (liked <= most) continue;
        most = liked;
        best = (rv_box){at.x - half * shape, at.y - half, 2 * half * shape, 2 * half};
    }
    return best;
}

rv_box rv_ring_middle(const rv_ring *ring, double shape, bool moves) {
    const double gap = 0.5 * ring->unit;
    const double w = moves ? ring->travel_scale * ring->cell_w / 2 : gap;
    const double h = moves ? ring->travel_scale * ring->cell_h / 2 : gap;
    const rv_point c = {rv_centre(ring->box).x, ring->centre.y};
    if (ring->spread) return free_box(ring, shape, (rv_point){w, h});
    /* The corners of a box lie on the oval where (shape * half / ax)^2 + (half / ay)^2 is 1. */
    const double most = 1 / hypot(shape / fmax(1, ring->ax - w), 1 / fmax(1, ring->ay - h));
    rv_box best = {c.x, c.y, 0, 0};
    for (int at = -8; at <= 8; at++) { /* also somewhat above and below the centre */
        const double y = c.y + at * 0.05 * ring->ay;
        double half = most - fabs(y - c.y);
        for (int32_t i = 0; i < ring->n_ranks; i++) {
            half = fmin(half, half_beside(rv_ring_card(ring, i), (rv_point){c.x, y}, shape, gap));
        }
        if (2 * half <= best.h) continue;
        best = (rv_box){c.x - half * shape, y - half, 2 * half * shape, 2 * half};
    }
    return best;
}
