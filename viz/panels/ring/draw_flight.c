/* draw_flight.c: chunks on their way, and the trail that a finished step leaves.
 *
 *     cell --lift--> the sender's door --flight--> along the wire, the receiver's door --merge--> cell
 *
 *   - What travels is a copy: the sender's cell stays as it is, and nothing waits above its card.
 *   - Data to add slide into the receiver's cell between those that are there; a copy covers it.
 *   - When the step is done nothing moves: an arrow under the cards says what went where.
 */
#include "panels/ring/ring.h"
#include "base/containers.h"
#include "text/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What becomes of a cell while a chunk lands in it.
 *
 *     added    300+44  -->  3 4 4     digits roll up like a counter's, from the old value to the sum
 *     copied   | 300 | -->  | 344 |   the old contents fall out, struck through, and fade
 *                           \ -300-
 *
 *   - It is drawn over the STILL layer, which shows the state before the step until the step is done.
 */

/* Returns the character at a place counted from the right; 0: there is none. */
static char from_right(const char *text, int i) {
    const int n = (int)strlen(text);
    return (char)(i < n ? text[n - 1 - i] : 0);
}

/* Draws a character `up` of a line above its place: the farther away, the paler. */
static void draw_sign_at(rv_scene *scene, rv_box place, double size, rv_colour ink, char c,
                         double up) {
    const char text[2] = {c, '\0'};
    const double seen = 1 - fmin(1, fabs(up));
    place.y -= up * 0.8 * size;
    if (c == 0 || seen <= 0.02) return;
    rv_scene_label(scene, place, RV_MIDDLE, size, rv_fade(ink, seen), text)->mono = true;
}

/* Rolls one character of a counter from a to b; *by: how far, 0..1. */
static void roll_digit(rv_scene *scene, rv_box place, double size, rv_colour ink, char a, char b,
                       double by) {
    if (a == b) {
        draw_sign_at(scene, place, size, ink, b, 0);
    } else if (rs_is_digit(b)) {
        const int from = rs_is_digit(a) ? a - '0' : 0;
        const double at = from + (b - '0' - from + 10) % 10 * by;
        const int low = (int)at;
        const double turned = at - low;
        draw_sign_at(scene, place, size, ink, (char)('0' + low % 10), turned);
        if (turned > 0) {
            draw_sign_at(scene, place, size, ink, (char)('0' + (low + 1) % 10), turned - 1);
        }
    } else {
        draw_sign_at(scene, place, size, ink, a, by);
        draw_sign_at(scene, place, size, ink, b, by - 1);
    }
}

/* Draws the value of a cell that is added to, on its way to the sum; what a cell that is overwritten
   throws away: `merged` of the way, 0..1. */
static void draw_rolling(const rv_stage *stage, const rv_model *model, rv_scene *scene, rv_box cell,
                         int32_t rank, int32_t chunk, double merged) {
    const rv_look *look = &stage->look;
    double most;
    const rv_box strip = rv_cell_value_box(stage, model, cell, &most);
    char own[64], sum[64];
    if (strip.h <= 0 || !rv_value_after(model, rank, chunk, sum, sizeof sum)) return;
    rv_value_at(model, rank, chunk, own, sizeof own);
    const int n = (int)strlen(sum), n_own = (int)strlen(own), most_chars = n > n_own ? n : n_own;
    const double size = fmin(most, strip.w / (0.6 * most_chars)), wide = 0.6 * size;
    const double middle = n + (n_own - n) * (1 - merged); /* characters: the text grows */
    const double right = strip.x + strip.w / 2 + middle * wide / 2;
    rv_scene_rect(scene, strip, 0, look->panel);
    for (int i = 0; i < most_chars; i++) {
        const rv_box place = {right - (i + 1) * wide, strip.y, wide, strip.h};
        roll_digit(scene, place, size, look->ink, from_right(own, i), from_right(sum, i), merged);
    }
}

/* Draws the value of a cell that is added to, on its way to the sum; what a cell that is overwritten
   throws away: `merged` of the way, 0..1. */
static void draw_thrown(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene,
                        const rv_ring *ring, int32_t rank, int32_t chunk, double merged) {
    const rv_look *look = &stage->look;
    const rv_box cell = rv_ring_cell(ring, rv_ring_card(ring, rank), chunk);
    const bool holds =
        run->model->cells && rs_contents_count(run->model->contents, rank, chunk) > 0;
    if (!holds || merged >= 1) return;
    const double low = ring->box.y + ring->box.h - cell.y - cell.h;
    const double fall = fmax(0, fmin(0.9 * cell.h, low)) * merged, shrink = 0.3 * merged;
    const rv_box box = {cell.x + 0.5 * shrink * cell.w, cell.y + shrink * cell.h + fall,
                        (1 - shrink) * cell.w, (1 - shrink) * cell.h};
    const rv_cell_look old = {.rank = rank,
                              .chunk = chunk,
                              .w = cell.w,
                              .h = cell.h,
                              .frame = look->quiet,
                              .line = 1,
                              .struck = true,
                              .fade = 1 - merged};
    rv_scene_rect(scene, cell, 0.1 * cell.w, look->panel); /* the cell is empty for a moment */
    rv_draw_cell(stage, run, scene, box, &old);
}

/* ---------------------------------------------------------------------------------- on the way */

/* A message: the chunks of a transfer in rows and columns, in the size that they have on the way. */
typedef struct transit {
    const rv_flight *flight;
    rv_wire wire;
    int32_t columns, rows;
    double cell_w, cell_h;
    double first, last; /* between these shares of the way it lies clear of both cards */
    double aside;       /* keeps several of one sender apart, as far as MOST_ASIDE of them */
    double late;        /* half way it lags behind by so much, as a share of the way */
} transit;

enum { MOST_ASIDE = 5 };

static bool touches(const transit *p, rv_box card, double share) {
    const rv_point at = rv_on_wire(&p->wire, share, NULL), middle = rv_centre(card);
    return fabs(at.x - middle.x) < (card.w + p->columns * p->cell_w) / 2 &&
           fabs(at.y - middle.y) < (card.h + p->rows * p->cell_h) / 2;
}

/* Finds where the message starts and ends: as near to both cards as it can be without hiding a part
   of them. Wires run aslant, and along a card's side, so half a message in transit is not always far enough. */
static void keep_clear(const rv_ring *ring, transit *p) {
    enum { STEPS = 24 };
    static const double most = 0.45; /* however narrow, a message in transit is seen to move */
    const rs_transfer *t = &p->flight->transfer;
    const rv_box from = rv_ring_card(ring, t->src), to = rv_ring_card(ring, t->dst);
    for (int i = 0; i <= STEPS; i++) {
        p->first = most * i / STEPS;
        if (!touches(p, from, p->first)) break;
    }
    for (int i = 0; i <= STEPS; i++) {
        p->last = 1 - most * i / STEPS;
        if (!touches(p, to, p->last)) break;
    }
}

static transit plan_transit(const rv_ring *ring, const rv_flight *flight, double array_area,
                            int32_t before, bool crossing) {
    const rs_transfer *t = &flight->transfer;
    transit p = {.flight = flight, .wire = rv_wire_between(ring, t->src, t->dst)};
    p.columns = t->n_chunks < ring->columns ? t->n_chunks : ring->columns;
    p.rows = (t->n_chunks + p.columns - 1) / p.columns;
    const double by = sqrt(array_area / ring->n_chunks / (ring->cell_w * ring->cell_h));
    p.cell_w = by * ring->cell_w;
    p.cell_h = by * ring->cell_h;
    /* Parcels that do not go round the ring would all overlap in the middle: they stay longer near
       their senders, where they are apart. */
    p.late = crossing ? 0.24 : 0;
    p.aside = 0.3 * p.cell_w * (before < MOST_ASIDE ? before : MOST_ASIDE);
    keep_clear(ring, &p);
    return p;
}

/* Returns the box of a rank's chunk in the rank's card. */
static rv_box cell_in(const rv_ring *ring, int32_t rank, int32_t chunk) {
    return rv_ring_cell(ring, rv_ring_card(ring, rank), chunk);
}

/* Returns the middle of the whole message on its way: at share 0 beside the sender's card, at 1 at the
   receiver's. */
static rv_point middle_at(const rv_ring *ring, const transit *p, double share) {
    const double on_wire =
        p->first + (p->last - p->first) * (share - p->late * sin(RV_TURN / 2 * share));
    rv_point at = rv_on_wire(&p->wire, on_wire, NULL);
    const double inside = ring->box.x + ring->box.w - 0.5 * p->columns * p->cell_w;
    at.x = fmax(at.x, fmin(at.x + p->aside, inside));
    return at;
}

/* Returns the box of one of the message's cells. */
static rv_box place_cell(const rv_ring *ring, const transit *p, int32_t i, double progress) {
    const rv_flight *f = p->flight;
    const rs_transfer *t = &f->transfer;
    const double lift = fmin(1, progress / RV_LIFT);
    const rv_point middle = middle_at(ring, p, f->flown);
    const rv_box box = {middle.x + (i % p->columns - p->columns / 2.0) * p->cell_w,
                        middle.y + (i / p->columns - p->rows / 2.0) * p->cell_h, p->cell_w,
                        p->cell_h};
    if (f->merged > 0) return rv_box_between(box, cell_in(ring, t->dst, t->chunk + i), f->merged);
    if (f->flown <= 0) return rv_box_between(cell_in(ring, t->src, t->chunk + i), box, lift);
    return box;
}

/* What is added has one colour, what replaces another, as in the diagram and on the timeline. */
static rv_colour effect_ink(const rv_stage *stage, const rs_transfer *t) {
    return t->effect == RS_REDUCE ? stage->look.accent : stage->look.good;
}

static void draw_sign(const rv_stage *stage, rv_scene *scene, rv_point at, double r,
                      const rs_transfer *t) {
    const rv_look *look = &stage->look;
    const bool adds = t->effect == RS_REDUCE;
    const double arm = 0.5 * r, line = fmax(1.2, 0.24 * r), apart = adds ? 0 : 0.25 * r;
    rv_outline(rv_scene_disc(scene, at, r, effect_ink(stage, t)), look->panel, fmax(1, 0.12 * r));
    rv_scene_segment(scene, (rv_point){at.x - arm, at.y - apart},
                     (rv_point){at.x + arm, at.y - apart}, line, look->accent_ink);
    rv_scene_line(scene, at.x - (adds ? 0 : arm), at.y + (adds ? -arm : apart),
                  at.x + (adds ? 0 : arm), at.y + (adds ? arm : apart), line, look->accent_ink);
}

/* Marks a cell that sends, or that will receive. */
static void draw_expected(const rv_stage *stage, rv_scene *scene, rv_box box) {
    rv_outline(rv_scene_rect(scene, rv_inset(box, -1.5), 3, 0), rv_fade(stage->look.accent, 0.8),
               1.5)
        ->dashed = true;
}

/* Returns how many messages of the step, that happen, end in a cell. */
static int count_arrivals(const rv_shown_run *run, int32_t rank, int32_t chunk) {
    rv_flights flights = rv_flights_of(run->model, run->progress);
    rv_flight flight;
    int n = 0;
    while (rv_next_flight(&flights, &flight)) {
        const rs_transfer *t = &flight.transfer;
        n +=
            flight.happens && t->dst == rank && t->chunk <= chunk && chunk < t->chunk + t->n_chunks;
    }
    return n;
}

static void draw_transit(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene,
                         const rv_ring *ring, const transit *p) {
    const rv_look *look = &stage->look;
    const rs_transfer *t = &p->flight->transfer;
    const bool adds = t->effect == RS_REDUCE;
    const double merged = p->flight->merged;
    rv_box all = {0};
    for (int32_t i = 0; i < t->n_chunks && merged > 0; i++) {
        const int32_t chunk = t->chunk + i;
        if (count_arrivals(run, t->dst, chunk) > 1) continue; /* each in its turn */
        if (adds) {
            const rv_box cell = cell_in(ring, t->dst, chunk);
            draw_rolling(stage, run->model, scene, cell, t->dst, chunk, merged);
        } else {
            draw_thrown(stage, run, scene, ring, t->dst, chunk, merged);
        }
    }
    for (int32_t i = 0; i < t->n_chunks; i++) {
        draw_expected(stage, scene, cell_in(ring, t->dst, t->chunk + i));
    }
    for (int32_t i = 0; i < t->n_chunks; i++) {
        const rv_box box = place_cell(ring, p, i, run->progress);
        const rv_colour shade = rv_fade(0x000000FF, 0.22 * (1 - p->flight->merged));
        const double drop = 0.18 * ring->unit;
        const bool sinks = adds && p->flight->merged > 0;
        const rv_box below = {box.x + drop, box.y + drop, box.w, box.h};
        if (!sinks) rv_scene_rect(scene, below, 3, shade);
        const rv_cell_look cell = {.rank = t->src,
                                   .chunk = t->chunk + i,
                                   .w = ring->cell_w,
                                   .h = ring->cell_h,
                                   .plain = sinks,
                                   .see_through = sinks,
                                   .frame = effect_ink(stage, t),
                                   .line = fmax(1.6, 0.13 * ring->unit),
                                   .head = effect_ink(stage, t),
                                   .head_ink = look->accent_ink,
                                   .fade = 1};
        rv_draw_cell(stage, run, scene, box, &cell);
        rv_item *felt = rv_scene_rect(scene, box, 0, 0);
        felt->target = rv_transfer_target(run, run->model->step, t->src, t->chunk + i);
        all = box;
    }
    const double r = fmin(0.5 * ring->unit, 0.3 * fmin(all.w, all.h));
    if (p->flight->flown >= 1 && r >= 3) {
        draw_sign(stage, scene, (rv_point){all.x, all.y + all.h}, r, t);
    }
}

/* Tells whether every wire of the step has room for words. */
static bool has_room_for_words(const rv_shown_run *run, const rv_ring *ring) {
    char text[48];
    const double size = 0.85 * ring->unit;
    snprintf(text, sizeof text, _("chunk %d"), 0);
    const double needed = rv_label_width(text, size) + 2.5 * size;
    rv_flights flights = rv_flights_of(run->model, run->progress);
    rv_flight flight;
    while (rv_next_flight(&flights, &flight)) {
        const rs_transfer *t = &flight.transfer;
        if (flight.happens && rv_wire_between(ring, t->src, t->dst).length < needed) return false;
    }
    return true;
}

static rv_colour trail_colour(const rv_stage *stage, const rs_fault *slow, const rs_transfer *t) {
    return slow != NULL ? stage->look.warn : effect_ink(stage, t);
}

/* Draws the arrow that stays on a wire when the step is done; a slow wire's is dashed, in another
   colour. */
static void draw_trail(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene,
                       const rv_ring *ring, const rs_transfer *t) {
    const rv_wire wire = rv_wire_between(ring, t->src, t->dst);
    const rs_fault *slow = rv_gpu_faults_of(run, t->src).slow_link;
    const rv_wire_look as = {trail_colour(stage, slow, t), fmax(2, 0.2 * ring->unit), slow != NULL};
    rv_draw_wire(scene, &wire, &as, (rv_target){0});
}

void rv_draw_trails(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene,
                    const rv_ring *ring) {
    rv_flights flights = rv_flights_of(run->model, run->progress);
    rv_flight flight;
    if (run->progress < 1) return;
    while (rv_next_flight(&flights, &flight)) {
        if (flight.happens) draw_trail(stage, run, scene, ring, &flight.transfer);
    }
}

/* Returns a place on a wire where a name of w x h hides no card: in the middle; nearer to the end
   if all ways cross in the middle. */
static rv_point place_name(const rv_ring *ring, const rv_wire *wire, double w, double h,
                           bool crossing) {
    static const double shares[] = {0.76, 0.68, 0.84, 0.6, 0.9};
    if (!crossing) return rv_on_wire(wire, 0.5, NULL);
    for (int i = 0; i < 5; i++) {
        const rv_point at = rv_on_wire(wire, shares[i], NULL);
        bool hides = false;
        for (int32_t r = 0; r < ring->n_ranks && !hides; r++) {
            const rv_point card = rv_centre(rv_ring_card(ring, r));
            hides = fabs(at.x - card.x) < (w + ring->card_w) / 2 &&
                    fabs(at.y - card.y) < (h + ring->card_h) / 2;
        }
        if (!hides) return at;
    }
    return rv_on_wire(wire, 0.5, NULL); /* no room: between both cards, a bit over each */
}

/* Writes on the trail what went there. */
static void draw_name(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene,
                      const rv_ring *ring, const rs_transfer *t, bool words, bool crossing) {
    const rv_wire wire = rv_wire_between(ring, t->src, t->dst);
    const rs_fault *slow = rv_gpu_faults_of(run, t->src).slow_link;
    char text[96], factor[48] = "";
    if (t->n_chunks > 1) {
        snprintf(text, sizeof text, "%d..%d", (int)t->chunk, (int)(t->chunk + t->n_chunks - 1));
    } else {
        snprintf(text, sizeof text, words ? _("chunk %d") : "%d", (int)t->chunk);
    }
    if (slow != NULL) rv_factor_text(slow, factor, sizeof factor);
    const size_t used = strlen(text);
    if (slow != NULL) snprintf(text + used, sizeof text - used, "  %s", factor);
    const double size = 0.85 * ring->unit, w = rv_label_width(text, size) + 1.1 * size;
    rv_draw_pill(stage, scene, ring->box, place_name(ring, &wire, w, 1.55 * size, crossing), size,
                 trail_colour(stage, slow, t),
                 slow != NULL ? stage->look.panel : stage->look.accent_ink, text);
}

/* Tells whether several messages travel at once, and not only from neighbour to neighbour. */
static bool ways_cross(const rv_shown_run *run) {
    rv_flights flights = rv_flights_of(run->model, run->progress);
    rv_flight flight;
    int n = 0;
    while (rv_next_flight(&flights, &flight)) n += flight.happens;
    return n > 2 && !rv_is_ring(run->model->schedule);
}

void rv_draw_flights(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene,
                     const rv_ring *ring, double array_area) {
    rv_flights flights = rv_flights_of(run->model, run->progress);
    rv_flight flight;
    rs_transfer last = {.src = -1};
    int32_t before = 0;
    const bool done = run->progress >= 1;
    const bool words = done && has_room_for_words(run, ring);
    const bool crossing = ways_cross(run);
    scene->layer = done ? RV_STILL : RV_MOVING;
    while (rv_next_flight(&flights, &flight)) {
        if (!flight.happens) continue;
        const bool beside = flight.transfer.src == last.src &&
                            (flight.transfer.dst == last.dst || ring->kind != RV_FORM_RING);
        before = beside ? before + 1 : 0; /* two ways round have tracks of their own */
        last = flight.transfer;
        if (done) {
            draw_name(stage, run, scene, ring, &flight.transfer, words, crossing);
        } else if (run->progress > 0) {
            const transit p = plan_transit(ring, &flight, array_area, before, crossing);
            draw_transit(stage, run, scene, ring, &p);
        }
    }
}
