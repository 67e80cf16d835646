/* ring_places.c: where cards, cells and tracks lie in a plan. */
#include "panels/ring/ring.h"

#include <math.h>

/* Returns the point of |x|^p + |y|^p = 1 in the direction at a share of the way round. */
rv_point rv_oval_unit(double power, double share) {
    const double angle = RV_TURN * share, c = cos(angle), s = sin(angle);
    if (power == 2) return (rv_point){s, -c};
    const double r = pow(pow(fabs(s), power) + pow(fabs(c), power), -1 / power);
    return (rv_point){r * s, -r * c};
}

rv_point rv_ring_lane(const rv_ring *ring) {
    const double room = 0.2 * ring->unit;
    return (rv_point){0.5 * ring->parcel * ring->cell_w + room,
                      0.5 * ring->parcel * ring->cell_h + room};
}

rv_point rv_on_track(const rv_ring *ring, double share, int side) {
    const rv_point unit = rv_oval_unit(ring->power, share), lane = rv_ring_lane(ring);
    return (rv_point){ring->centre.x + (ring->ax + side * lane.x) * unit.x,
                      ring->centre.y + (ring->ay + side * lane.y) * unit.y};
}

rv_point rv_ring_centre(const rv_ring *ring, int32_t rank) {
    const rv_point unit = ring->spots[rank];
    return (rv_point){ring->centre.x + ring->ax * unit.x, ring->centre.y + ring->ay * unit.y};
}

rv_box rv_ring_card(const rv_ring *ring, int32_t rank) {
    const rv_point at = rv_ring_centre(ring, rank);
    return (rv_box){at.x - ring->card_w / 2, at.y - ring->card_h / 2, ring->card_w, ring->card_h};
}

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
