/* ring_plan.c: where the ring's cards, doors and wires lie, in any box. Pure geometry.
 *
 *   - The cards' centres are equally spaced in angle on an ellipse; the ellipse touches the box.
 *   - Wires run from card to card along that ellipse where parcels fit between the cards; else they
 *     bow inwards to a rail, the largest ellipse of the same shape that clears every card.
 *   - Cells are tried in several rows and shapes; for each the size is found by halving, and the
 *     largest cell wins. So no card overlaps another or leaves the box, whatever the box.
 */
#include "ring.h"

#include <math.h>

/* What is tried. */
typedef struct attempt {
    int32_t rows;
    double shape; /* height of a cell over its width */
    double start;
    bool inside; /* the rail runs inside the cards, not from card to card */
} attempt;

double rv_ring_angle(const rv_ring *ring, double rank) {
    return ring->start + RV_TURN * rank / ring->n_ranks;
}

/* A point of the cards' ellipse made smaller. */
static rv_point on_ellipse(const rv_ring *ring, double angle, double share) {
    return (rv_point){ring->centre.x + share * ring->ax * cos(angle),
                      ring->centre.y + share * ring->ay * sin(angle)};
}

rv_box rv_ring_card(const rv_ring *ring, int32_t rank) {
    const double angle = rv_ring_angle(ring, rank);
    return (rv_box){ring->centre.x + ring->ax * cos(angle) - ring->card_w / 2,
                    ring->centre.y + ring->ay * sin(angle) - ring->card_h / 2, ring->card_w,
                    ring->card_h};
}

rv_box rv_ring_cell(const rv_ring *ring, rv_box card, int32_t chunk) {
    const int32_t column = chunk % ring->columns, row = chunk / ring->columns;
    return (rv_box){card.x + ring->pad + column * (ring->cell_w + ring->gap),
                    card.y + ring->head + row * (ring->cell_h + ring->gap), ring->cell_w,
                    ring->cell_h};
}

/* ------------------------------------------------------------------------------------- the plan */

/* Sizes of a card for a cell's width. */
static void size_card(rv_ring *ring, const attempt *try, double cell_w) {
    ring->rows = try->rows;
    ring->columns = (ring->n_chunks + try->rows - 1) / try->rows;
    ring->cell_w = cell_w;
    ring->cell_h = cell_w * try->shape;
    ring->gap = fmin(0.3 * ring->unit, 0.1 * cell_w);
    ring->pad = fmin(0.5 * ring->unit, 0.16 * cell_w + 1);
    const double cells_h = ring->rows * (ring->cell_h + ring->gap) - ring->gap;
    ring->head = fmin(1.75 * ring->unit, 0.35 * cells_h + 3);
    ring->card_w = ring->columns * (ring->cell_w + ring->gap) - ring->gap + 2 * ring->pad;
    ring->card_h = ring->head + cells_h + ring->pad;
}

static bool cards_overlap(const rv_ring *ring) {
    const double gap = fmin(0.6 * ring->unit, 0.12 * ring->card_h + 1);
    for (int32_t i = 0; i < ring->n_ranks; i++) {
        const rv_box a = rv_ring_card(ring, i);
        for (int32_t j = i + 1; j < ring->n_ranks; j++) {
            const rv_box b = rv_ring_card(ring, j);
            if (fabs(a.x - b.x) < ring->card_w + gap && fabs(a.y - b.y) < ring->card_h + gap) {
                return true;
            }
        }
    }
    return false;
}

static double clamp(double x, double low, double high) {
    return fmin(high, fmax(low, x));
}

/* The largest rail inside that clears the cards: the nearest point of each, grown by half a parcel, to
   the centre, measured on the cards' own ellipse. */
static void lay_rail_inside(rv_ring *ring) {
    const double clear = 0.3 * ring->unit;
    const double w = ring->parcel * ring->cell_w / 2 + clear;
    const double h = ring->parcel * ring->cell_h / 2 + clear;
    ring->rail = 0.92;
    for (int32_t i = 0; i < ring->n_ranks; i++) {
        const rv_box card = rv_ring_card(ring, i);
        const double x = card.x - ring->centre.x, y = card.y - ring->centre.y;
        const double near_x = clamp(0, x - w, x + card.w + w);
        const double near_y = clamp(0, y - h, y + card.h + h);
        ring->rail = fmin(ring->rail, hypot(near_x / ring->ax, near_y / ring->ay));
    }
}

/* Tells whether parcels have no room on a rail inside: those of neighbours must not touch. */
static bool inside_is_tight(const rv_ring *ring) {
    const double w = ring->parcel * ring->cell_w, h = ring->parcel * ring->cell_h;
    if (ring->rail * ring->ay < 0.9 * h || ring->rail * ring->ax < 0.9 * w) return true;
    for (int32_t i = 0; i < ring->n_ranks; i++) {
        const rv_point a = on_ellipse(ring, rv_ring_angle(ring, i), ring->rail);
        const rv_point b = on_ellipse(ring, rv_ring_angle(ring, i + 1), ring->rail);
        if (fabs(a.x - b.x) < 1.5 * w && fabs(a.y - b.y) < 1.5 * h) return true;
    }
    return false;
}

/* Tells whether a parcel half way between two cards would touch a card. */
static bool between_is_tight(const rv_ring *ring) {
    const double room = 0.5 * ring->unit;
    const double w = ring->parcel * ring->cell_w + room, h = ring->parcel * ring->cell_h + room;
    for (int32_t i = 0; i < ring->n_ranks; i++) {
        const rv_point at = on_ellipse(ring, rv_ring_angle(ring, i + 0.5), 1);
        for (int32_t j = i; j < i + 2; j++) {
            const rv_point card = rv_centre(rv_ring_card(ring, j));
            const double beside = fabs(card.x - at.x) - (ring->card_w + w) / 2;
            const double below = fabs(card.y - at.y) - (ring->card_h + h) / 2;
            if (beside < 0 && below < 0) return true;
        }
    }
    return false;
}

static bool fits(rv_ring *ring, const attempt *try, double cell_w) {
    size_card(ring, try, cell_w);
    const double edge = fmin(0.3 * ring->unit, 0.02 * fmin(ring->box.w, ring->box.h));
    ring->start = try->start;
    ring->ax = (ring->box.w - ring->card_w) / 2 - edge;
    ring->ay = (ring->box.h - ring->card_h) / 2 - edge;
    if (ring->n_ranks == 1) return ring->ax >= 0 && ring->ay >= 0;
    if (ring->ax <= 0 || ring->ay <= 0 || cards_overlap(ring)) return false;
    ring->rail = 1;
    if (!try->inside) return !between_is_tight(ring);
    lay_rail_inside(ring);
    return !inside_is_tight(ring);
}

/* Leaves the largest plan of this attempt in *ring. */
static void grow(rv_ring *ring, const attempt *try) {
    double low = 0, high = fmin(6.5 * ring->unit, 9 * ring->unit / try->shape);
    if (fits(ring, try, high)) return;
    for (int i = 0; i < 14; i++) {
        const double middle = (low + high) / 2;
        if (fits(ring, try, middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    fits(ring, try, low);
}

/* A cell is worth its area; one row reads best, and so do GPU 0 at the top and a wide ring. */
static double worth(const rv_ring *ring, const attempt *try, double top) {
    const double area = ring->cell_w * ring->cell_h;
    const double tall = try->shape > 1.2 ? 1 : 0.9;
    return area * (try->rows == 1 ? 1.25 : 1) * tall * (try->start == top ? 1.12 : 1) *
           (try->inside ? 0.6 : 1);
}

static void take_best(const rv_ring *empty, const attempt *try, double *most, rv_ring *best) {
    rv_ring ring = *empty;
    grow(&ring, try);
    const double value = worth(&ring, try, -RV_TURN / 4);
    if (value <= *most) return;
    *most = value;
    *best = ring;
}

rv_ring rv_plan_ring(const rv_look *look, int32_t n_ranks, int32_t n_chunks, rv_box box) {
    static const double shapes[] = {0.8, 1.1, 1.4, 1.8, 2.2};
    enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };
    rv_ring empty = {.box = box, .n_ranks = n_ranks, .parcel = 0.78, .centre = rv_centre(box)};
    empty.n_chunks = n_chunks > 0 ? n_chunks : 1;
    empty.unit = fmin(look->unit, fmax(5, 0.045 * fmin(box.w, box.h)));
    rv_ring best = empty;
    double most = -1;
    const int turns = n_ranks % 2 == 0 ? 2 : 1; /* also with a gap at the top */
    for (int32_t rows = 1; rows <= 4 && rows <= empty.n_chunks; rows++) {
        for (int i = 0; i < N_SHAPES * turns * 2; i++) {
            const int turned = i / N_SHAPES % turns;
            const attempt try = {.rows = rows,
                                 .shape = shapes[i % N_SHAPES],
                                 .start = -RV_TURN / 4 - turned * RV_TURN / 2 / n_ranks,
                                 .inside = i >= N_SHAPES * turns};
            take_best(&empty, &try, &most, &best);
        }
    }
    return best;
}

/* Shrinks a box until the rail with what travels on it, and the cards, stay outside. */
rv_box rv_ring_middle(const rv_ring *ring) {
    const double w = ring->parcel * ring->cell_w / 2, h = ring->parcel * ring->cell_h / 2;
    double share = ring->rail * 0.7071;
    for (int32_t i = 0; i < ring->n_ranks; i++) {
        const rv_box card = rv_ring_card(ring, i);
        const double x = fabs(rv_centre(card).x - ring->centre.x) - card.w / 2;
        const double y = fabs(rv_centre(card).y - ring->centre.y) - card.h / 2;
        share = fmin(share, fmax(x / ring->ax, y / ring->ay));
    }
    const double half_w = fmax(0, share * ring->ax - w), half_h = fmax(0, share * ring->ay - h);
    return (rv_box){ring->centre.x - half_w, ring->centre.y - half_h, 2 * half_w, 2 * half_h};
}

/* ----------------------------------------------------------------------------------------- wires */

static rv_point mix(rv_point a, rv_point b, double share) {
    return (rv_point){a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share};
}

static rv_point cubic(const rv_point p[4], double t) {
    const double u = 1 - t, a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
    return (rv_point){a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
                      a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

/* From a card's middle to the next one's: along their ellipse, or bowed inwards as far as the rail. */
static rv_point along(const rv_ring *ring, int32_t src, double t) {
    const double from = rv_ring_angle(ring, src), step = RV_TURN / ring->n_ranks;
    if (ring->rail >= 1) return on_ellipse(ring, from + step * t, 1);
    const double deep = (ring->rail - 0.25) / 0.75;
    const rv_point p[4] = {on_ellipse(ring, from, 1), on_ellipse(ring, from + 0.2 * step, deep),
                           on_ellipse(ring, from + 0.8 * step, deep),
                           on_ellipse(ring, from + step, 1)};
    return cubic(p, t);
}

/* From a card's middle to any other's: drawn to the centre the more, the farther they are apart; a
   little to the right, so that two that exchange do not share a way. */
static rv_point across(const rv_ring *ring, int32_t src, int32_t dst, double t) {
    const rv_point from = rv_centre(rv_ring_card(ring, src)),
                   to = rv_centre(rv_ring_card(ring, dst));
    const int32_t around = dst > src ? dst - src : dst - src + ring->n_ranks;
    const double far = 2.0 * fmin(around, ring->n_ranks - around) / ring->n_ranks;
    const double pull = 0.25 + 0.3 * far, length = fmax(1, hypot(to.x - from.x, to.y - from.y));
    const double aside = 0.55 * ring->parcel * ring->cell_w + 0.2 * ring->unit;
    const rv_point right = {-(to.y - from.y) / length * aside, (to.x - from.x) / length * aside};
    rv_point p[4] = {from, mix(from, ring->centre, pull), mix(to, ring->centre, pull), to};
    for (int i = 0; i < 4; i++) p[i] = (rv_point){p[i].x + right.x, p[i].y + right.y};
    return cubic(p, t);
}

static rv_point way(const rv_ring *ring, int32_t src, int32_t dst, double t) {
    const bool next = dst == (src + 1) % ring->n_ranks;
    return next ? along(ring, src, t) : across(ring, src, dst, t);
}

rv_wire rv_wire_between(const rv_ring *ring, int32_t src, int32_t dst) {
    enum { FINE = 96 };
    rv_wire wire = {0};
    const rv_box from = rv_ring_card(ring, src), to = rv_ring_card(ring, dst);
    int first = 0, last = FINE;
    for (int i = 0; i <= FINE / 2; i++) { /* the wire is what lies outside both cards */
        const rv_point a = way(ring, src, dst, (double)i / FINE);
        const rv_point b = way(ring, src, dst, 1 - (double)i / FINE);
        if (rv_inside(from, a.x, a.y)) first = i;
        if (rv_inside(to, b.x, b.y)) last = FINE - i;
    }
    for (int i = 0; i < RV_WIRE_POINTS; i++) {
        const double share = (double)i / (RV_WIRE_POINTS - 1);
        wire.points[i] = way(ring, src, dst, (first + (last - first) * share) / FINE);
    }
    for (int i = 1; i < RV_WIRE_POINTS; i++) {
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
    if (i == RV_WIRE_POINTS) i--;
    const rv_point a = wire->points[i - 1], b = wire->points[i];
    if (angle != NULL) *angle = atan2(b.y - a.y, b.x - a.x);
    return step > 0 ? mix(a, b, clamp(left / step, 0, 1)) : b;
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
