/* ring_ways.c: the way from a card to another: along the oval, across its middle, or straight. Pure
 * geometry.
 *
 *   - Wires run along the oval, from card to card; others bend to the centre.
 *   - Between spots (ring_form.c) they are straight.
 *   - A wire begins and ends at the cards' edges.
 */
#include "panels/ring/ring.h"

#include <math.h>

static double clamp(double x, double low, double high) {
    return fmin(high, fmax(low, x));
}

static rv_point mix(rv_point a, rv_point b, double share) {
    return (rv_point){a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share};
}

static rv_point cubic(const rv_point p[4], double t) {
    const double u = 1 - t, a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
    return (rv_point){a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
                      a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

static rv_point centre_of(const rv_ring *ring, int32_t rank) {
    return rv_centre(rv_ring_card(ring, rank));
}

/* Returns a point of the way from a card's middle to another's: it bends to the centre, the more
   the farther apart the cards are, and lies a little to the right, so that two GPUs that exchange
   do not share a way. */
static rv_point across(const rv_ring *ring, int32_t src, int32_t dst, double t) {
    const rv_point from = centre_of(ring, src), to = centre_of(ring, dst);
    const int32_t around = dst > src ? dst - src : dst - src + ring->n_ranks;
    const double far = 2.0 * fmin(around, ring->n_ranks - around) / ring->n_ranks;
    const double pull = 0.25 + 0.3 * far, length = fmax(1, hypot(to.x - from.x, to.y - from.y));
    const double aside = 0.55 * ring->parcel * ring->cell_w + 0.2 * ring->unit;
    const rv_point right = {-(to.y - from.y) / length * aside, (to.x - from.x) / length * aside};
    rv_point p[4] = {from, mix(from, ring->centre, pull), mix(to, ring->centre, pull), to};
    for (int i = 0; i < 4; i++) p[i] = (rv_point){p[i].x + right.x, p[i].y + right.y};
    return cubic(p, t);
}

/* The same between spots: straight, and a little to the right. */
static rv_point straight(const rv_ring *ring, int32_t src, int32_t dst, double t) {
    const rv_point from = centre_of(ring, src), to = centre_of(ring, dst);
    const double length = fmax(1, hypot(to.x - from.x, to.y - from.y)), aside = 0.35 * ring->unit;
    const rv_point at = mix(from, to, t);
    return (rv_point){at.x - (to.y - from.y) / length * aside,
                      at.y + (to.x - from.x) / length * aside};
}

static rv_point way(const rv_ring *ring, int32_t src, int32_t dst, double t) {
    if (ring->spread) return straight(ring, src, dst, t);
    if (dst != (src + 1) % ring->n_ranks) return across(ring, src, dst, t);
    return rv_on_oval(ring, ring->at[src] + (ring->at[src + 1] - ring->at[src]) * t);
}

/* Returns where a wire leaves the sender's card, or where it meets the receiver's. */
static double edge_of(const rv_ring *ring, int32_t src, int32_t dst, bool out) {
    enum { STEPS = 24 };
    const rv_box card = rv_ring_card(ring, out ? src : dst);
    double inside = out ? 0 : 1, outside = 0.5;
    for (int i = 1; i < STEPS; i++) { /* from the middle outwards: the place nearest to it */
        const double t = out ? 0.5 - 0.5 * i / STEPS : 0.5 + 0.5 * i / STEPS;
        const rv_point at = way(ring, src, dst, t);
        if (rv_inside(card, at.x, at.y)) {
            inside = t;
            break;
        }
        outside = t;
    }
    for (int i = 0; i < 8; i++) {
        const double t = (inside + outside) / 2;
        const rv_point at = way(ring, src, dst, t);
        *(rv_inside(card, at.x, at.y) ? &inside : &outside) = t;
    }
    return outside;
}

rv_wire rv_wire_between(const rv_ring *ring, int32_t src, int32_t dst) {
    rv_wire wire = {0};
    const double first = edge_of(ring, src, dst, true), last = edge_of(ring, src, dst, false);
    for (int i = 0; i < RV_WIRE_POINTS; i++) {
        const double share = (double)i / (RV_WIRE_POINTS - 1);
        wire.points[i] = way(ring, src, dst, first + (last - first) * share);
        if (i == 0) continue;
        wire.length +=
            hypot(wire.points[i].x - wire.points[i - 1].x, wire.points[i].y - wire.points[i - 1].y);
    }
    return wire;
}

rv_point rv_on_wire(const rv_wire *wire, double share, double *angle) {
    double left = clamp(share, 0, 1) * wire->length;
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
    return step > 0 && !beyond ? mix(a, b, clamp(left / step, 0, 1)) : b;
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
