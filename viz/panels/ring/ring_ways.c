/* ring_ways.c: where cards and tracks lie, and the way from a card to another: along the oval, across its middle, or straight. Pure
 * geometry.
 *
 *   - Wires run along the oval, from card to card, in two rings each on a track of its own; others
 *     bend to the centre.
 *   - Between spots (ring_form.c) they are straight, and go round a card that lies between.
 *   - A wire begins and ends at the cards' edges.
 */
#include "panels/ring/ring.h"

#include <math.h>

/* Returns the point of |x|^p + |y|^p = 1 in the direction at a share of the way round. */
rv_point rv_oval_unit(double power, double share) {
    const double angle = RV_TURN * share, c = cos(angle), s = sin(angle);
    if (power == 2) return (rv_point){s, -c};
    const double r = pow(pow(fabs(s), power) + pow(fabs(c), power), -1 / power);
    return (rv_point){r * s, -r * c};
}

rv_point rv_on_track(const rv_ring *ring, double share, int side) {
    const rv_point unit = rv_oval_unit(ring->power, share), lane = rv_ring_lane(ring);
    return (rv_point){ring->centre.x + (ring->ax + side * lane.x) * unit.x,
                      ring->centre.y + (ring->ay + side * lane.y) * unit.y};
}

rv_point rv_ring_lane(const rv_ring *ring) {
    const double room = 0.2 * ring->unit;
    return (rv_point){0.5 * ring->travel_scale * ring->cell_w + room,
                      0.5 * ring->travel_scale * ring->cell_h + room};
}

rv_box rv_ring_card(const rv_ring *ring, int32_t rank) {
    const rv_point at = rv_ring_centre(ring, rank);
    return (rv_box){at.x - ring->card_w / 2, at.y - ring->card_h / 2, ring->card_w, ring->card_h};
}

rv_point rv_ring_centre(const rv_ring *ring, int32_t rank) {
    const rv_point unit = ring->spots[rank];
    return (rv_point){ring->centre.x + ring->ax * unit.x, ring->centre.y + ring->ay * unit.y};
}

static rv_point cubic(const rv_point p[4], double t) {
    const double u = 1 - t, a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
    return (rv_point){a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
                      a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

/* Returns a point of the way from a card's middle to another's: it bends to the centre, the more
   the farther apart the cards are, and lies a little to the right, so that two GPUs that exchange
   do not share a way. */
static rv_point across(const rv_ring *ring, int32_t src, int32_t dst, double t) {
    const rv_point from = rv_ring_centre(ring, src), to = rv_ring_centre(ring, dst);
    const int32_t apart = ring->place[dst] - ring->place[src];
    const int32_t around = apart > 0 ? apart : apart + ring->n_ranks;
    const double far = 2.0 * fmin(around, ring->n_ranks - around) / ring->n_ranks;
    const double pull = 0.25 + 0.3 * far, length = fmax(1, hypot(to.x - from.x, to.y - from.y));
    const double aside = 0.55 * ring->travel_scale * ring->cell_w + 0.2 * ring->unit;
    const rv_point right = {-(to.y - from.y) / length * aside, (to.x - from.x) / length * aside};
    rv_point p[4] = {from, rv_between(from, ring->centre, pull), rv_between(to, ring->centre, pull),
                     to};
    for (int i = 0; i < 4; i++) p[i] = (rv_point){p[i].x + right.x, p[i].y + right.y};
    return cubic(p, t);
}

/* A way: where spots are joined, how far it goes round the cards in between. */
typedef struct route {
    const rv_ring *ring;
    int32_t src, dst;
    rv_point round;
    double aside; /* so far to the right */
} route;

bool rv_way_is_blocked(const rv_ring *ring, int32_t src, int32_t dst) {
    enum { STEPS = 24 };
    const rv_point from = rv_ring_centre(ring, src), to = rv_ring_centre(ring, dst);
    for (int32_t r = 0; r < ring->n_ranks; r++) {
        if (r == src || r == dst) continue;
        const rv_box card = rv_ring_card(ring, r);
        for (int i = 1; i < STEPS; i++) {
            const rv_point at = rv_between(from, to, (double)i / STEPS);
            if (rv_inside(card, at.x, at.y)) return true;
        }
    }
    return false;
}

/* Returns how far to go round: not at all if no other card lies between. Outwards: up or down where
   the cards are in a row, else to a side. */
static rv_point go_round(const rv_ring *ring, int32_t src, int32_t dst) {
    const rv_point from = rv_ring_centre(ring, src), to = rv_ring_centre(ring, dst);
    const rv_point lane = rv_ring_lane(ring);
    if (!rv_way_is_blocked(ring, src, dst)) return (rv_point){0, 0};
    if (fabs(to.x - from.x) > fabs(to.y - from.y)) {
        const double by = 0.5 * ring->card_h + lane.y;
        return (rv_point){0, from.y + to.y > 2 * ring->centre.y + 1 ? by : -by};
    }
    const double by = 0.5 * ring->card_w + lane.x;
    return (rv_point){from.x + to.x > 2 * ring->centre.x + 1 ? by : -by, 0};
}

/* Returns a point of the way between spots: straight, or round the cards; a little to the right
   where something may come the other way. */
static rv_point straight(const route *r, double t) {
    const rv_ring *ring = r->ring;
    const rv_point from = rv_ring_centre(ring, r->src), to = rv_ring_centre(ring, r->dst);
    const double length = fmax(1, hypot(to.x - from.x, to.y - from.y));
    const rv_point along = {(to.x - from.x) / length, (to.y - from.y) / length};
    const double round = 1 - pow(2 * t - 1, 12);
    const rv_point at = rv_between(from, to, t);
    return (rv_point){at.x - along.y * r->aside + round * r->round.x,
                      at.y + along.x * r->aside + round * r->round.y};
}

static rv_point point_on_route(const route *r, double t) {
    const rv_ring *ring = r->ring;
    if (ring->spread) return straight(r, t);
    const int32_t n = ring->n_ranks, from = ring->place[r->src], to = ring->place[r->dst];
    if (to == (from + 1) % n) {
        const double share = ring->at[from] + (ring->at[from + 1] - ring->at[from]) * t;
        return rv_on_track(ring, share, ring->two_way ? 1 : 0);
    }
    if (ring->kind == RV_FORM_RING && from == (to + 1) % n) {
        const double share = ring->at[to + 1] - (ring->at[to + 1] - ring->at[to]) * t;
        return rv_on_track(ring, share, ring->two_way ? -1 : 0);
    }
    return across(ring, r->src, r->dst, t);
}

/* Returns where a wire leaves the sender's card, or where it meets the receiver's. */
static double edge_of(const route *r, bool out) {
    enum { STEPS = 24 };
    const rv_box card = rv_ring_card(r->ring, out ? r->src : r->dst);
    double inside = out ? 0 : 1, outside = 0.5;
    for (int i = 1; i < STEPS; i++) { /* from the middle outwards: the place nearest to it */
        const double t = out ? 0.5 - 0.5 * i / STEPS : 0.5 + 0.5 * i / STEPS;
        const rv_point at = point_on_route(r, t);
        if (rv_inside(card, at.x, at.y)) {
            inside = t;
            break;
        }
        outside = t;
    }
    for (int i = 0; i < 8; i++) {
        const double t = (inside + outside) / 2;
        const rv_point at = point_on_route(r, t);
        *(rv_inside(card, at.x, at.y) ? &inside : &outside) = t;
    }
    return outside;
}

/* Returns how far aside a way between spots lies: two messages that are exchanged pass each other. */
static double aside_of(const rv_ring *ring, int32_t src, int32_t dst) {
    const rv_point from = rv_ring_centre(ring, src), to = rv_ring_centre(ring, dst);
    const double length = fmax(1, hypot(to.x - from.x, to.y - from.y));
    const double along_x = fabs(to.x - from.x) / length, along_y = fabs(to.y - from.y) / length;
    const double transit =
        0.5 * ring->travel_scale * (along_y * ring->cell_w + along_x * ring->cell_h);
    const double most = 0.3 * (along_y * ring->card_w + along_x * ring->card_h);
    return ring->two_way ? fmin(transit + 0.1 * ring->unit, most) : 0;
}

static rv_wire wire_of(const route *r) {
    rv_wire wire = {0};
    const double first = edge_of(r, true), last = edge_of(r, false);
    for (int i = 0; i < RV_WIRE_POINTS; i++) {
        const double share = (double)i / (RV_WIRE_POINTS - 1);
        wire.points[i] = point_on_route(r, first + (last - first) * share);
        if (i == 0) continue;
        wire.length +=
            hypot(wire.points[i].x - wire.points[i - 1].x, wire.points[i].y - wire.points[i - 1].y);
    }
    return wire;
}

rv_wire rv_wire_between(const rv_ring *ring, int32_t src, int32_t dst) {
    route r = {.ring = ring, .src = src, .dst = dst};
    if (ring->spread) r.round = go_round(ring, src, dst);
    const bool goes_round = r.round.x != 0 || r.round.y != 0;
    if (ring->spread && !goes_round) r.aside = aside_of(ring, src, dst);
    return wire_of(&r);
}

rv_wire rv_resting_wire(const rv_ring *ring, int32_t a, int32_t b) {
    route r = {.ring = ring, .src = a, .dst = b};
    if (ring->spread) r.round = go_round(ring, a, b);
    return wire_of(&r);
}

rv_point rv_on_wire(const rv_wire *wire, double share, double *angle) {
    double left = fmin(1, fmax(0, share)) * wire->length;
    int i = 1;
    double step = 0;
    for (; i < RV_WIRE_POINTS; i++) {
        const rv_point a = wire->points[i - 1], b = wire->points[i];
        step = hypot(b.x - a.x, b.y - a.y);
        if (left <= step && step > 0) break;
        left -= step;
    }
    const bool beyond = i == RV_WIRE_POINTS; /* a rounding error led past the end: take the end */
    if (beyond) i--;
    const rv_point a = wire->points[i - 1], b = wire->points[i];
    if (angle != NULL) *angle = atan2(b.y - a.y, b.x - a.x);
    return step > 0 && !beyond ? rv_between(a, b, fmin(1, fmax(0, left / step))) : b;
}

bool rv_is_ring(const rs_schedule *schedule) {
    enum { MOST_STEPS = 64 };
    for (int32_t step = 0; step < schedule->n_steps && step < MOST_STEPS; step++) {
        rs_cursor cursor = {0};
        rs_transfer t;
        while (rs_next_transfer(schedule, step, &cursor, &t)) {
            if (t.dst != (t.src + 1) % schedule->n_ranks) return false;
        }
    }
    return schedule->n_steps > 0;
}
