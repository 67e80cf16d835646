/* ring_plan.c: where the ring's cards lie, in any box. Pure geometry.
 *
 *   - The cards' centres lie on an oval, from an ellipse to nearly a rectangle (many cards need the
 *     corners), at even distances: measured in widths along the top, in heights at the sides.
 *   - A shape that is no ring (ring_form.c) stands at its own spots.
 *   - Half way along the oval (ring_ways.c) a message in transit touches no card.
 *   - It tries cells in several rows and shapes, finds the size of each by bisection, and takes the
 *     best. So no card overlaps another or leaves the box, whatever the box.
 */
#include "panels/ring/ring.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { N_SAMPLES = 96 };

/* An oval's unit points, clockwise from the top. */
typedef struct oval {
    double power;
    rv_point points[N_SAMPLES + 1];
} oval;

/* One plan to try. */
typedef struct attempt {
    const oval *on; /* NULL: at the shape's spots */
    int32_t rows;
    double unit, pixel;  /* of the look: letters are drawn in it */
    double shape;        /* height of a cell over its width */
    double travel_scale; /* how large a cell is on its way */
    bool turned;         /* the gap between two cards at the top, not GPU 0 */
} attempt;

/* ------------------------------------------------------------------------------------- the plan */

/* Sets the sizes of a card for a cell's width. */
static void size_card(rv_ring *ring, const attempt *try, double cell_w) {
    ring->rows = try->rows;
    ring->columns = (ring->n_chunks + try->rows - 1) / try->rows;
    ring->travel_scale = try->travel_scale;
    ring->cell_w = cell_w;
    ring->cell_h = cell_w * try->shape;
    ring->gap = fmin(0.3 * ring->unit, 0.1 * cell_w);
    ring->pad = fmin(0.5 * ring->unit, 0.16 * cell_w + 1);
    const double cells_h = ring->rows * (ring->cell_h + ring->gap) - ring->gap;
    ring->head = fmin(1.75 * ring->unit, 0.35 * cells_h + 3);
    ring->card_w = ring->columns * (ring->cell_w + ring->gap) - ring->gap + 2 * ring->pad;
    ring->card_h = ring->head + cells_h + ring->pad;
}

/* Spreads the cards over the oval so that neighbours have equal distances, measured in cards. */
static void spread_cards(rv_ring *ring, const attempt *try) {
    const double x = fmax(1, ring->box.w - ring->card_w) / ring->card_w;
    const double y = fmax(1, ring->box.h - ring->card_h) / ring->card_h;
    double along[N_SAMPLES + 1] = {0};
    for (int i = 1; i <= N_SAMPLES; i++) {
        const rv_point a = try->on->points[i - 1], b = try->on->points[i];
        const double dx = x * (b.x - a.x), dy = y * (b.y - a.y);
        along[i] = along[i - 1] + sqrt(dx * dx + dy * dy); /* hypot takes three times as long */
    }
    int k = 1;
    for (int32_t i = 0; i <= ring->n_ranks; i++) {
        const double part = (i + (try->turned ? 0.5 : 0)) / ring->n_ranks;
        const double want = along[N_SAMPLES] * (part > 1 ? 1 : part);
        while (k < N_SAMPLES && along[k] < want) k++;
        const double step = along[k] - along[k - 1];
        const double within = step > 0 ? (want - along[k - 1]) / step : 0;
        ring->at[i] = (k - 1 + within) / N_SAMPLES;
    }
    ring->at[ring->n_ranks] = ring->at[0] + 1;
    for (int32_t i = 0; i < ring->n_ranks; i++) {
        ring->spots[ring->order[i]] = rv_oval_unit(ring->power, ring->at[i]);
    }
}

/* How far the outermost cards lie from the centre, as shares of the half axes. */
typedef struct reach {
    double right, top, bottom;
} reach;

static reach reach_of(const rv_ring *ring) {
    reach r = {.right = 1e-9};
    for (int32_t i = 0; i < ring->n_ranks; i++) {
        r.right = fmax(r.right, fabs(ring->spots[i].x));
        r.top = fmax(r.top, -ring->spots[i].y);
        r.bottom = fmax(r.bottom, ring->spots[i].y);
    }
    return r;
}

/* Makes the largest oval whose cards, and what travels between them, stay in the box. With GPU 0 at
   the top and an odd number of GPUs no card is at the bottom: then the centre lies lower. */
static void lay_oval(rv_ring *ring) {
    const double edge = fmin(0.3 * ring->unit, 0.02 * fmin(ring->box.w, ring->box.h));
    const rv_box box = rv_inset(ring->box, edge);
    const double tracks = ring->two_way ? 2 : 1;
    const double parcel_w = tracks * ring->travel_scale * ring->cell_w;
    const double parcel_h = tracks * ring->travel_scale * ring->cell_h;
    const double right = reach_of(ring).right, top = reach_of(ring).top,
                 bottom = reach_of(ring).bottom;
    ring->ax = fmin((box.w - ring->card_w) / 2 / right, (box.w - parcel_w) / 2);
    const double half = (ring->card_h + parcel_h) / 2;
    ring->ay = fmin(fmin((box.h - ring->card_h) / (top + bottom), (box.h - parcel_h) / 2),
                    fmin((box.h - half) / (1 + top), (box.h - half) / (1 + bottom)));
    if (ring->n_ranks <= 3) ring->ax = fmin(ring->ax, 2.2 * ring->ay); /* few: no flat ring */
    const double above = fmax(ring->card_h / 2 + top * ring->ay, parcel_h / 2 + ring->ay);
    const double below = fmax(ring->card_h / 2 + bottom * ring->ay, parcel_h / 2 + ring->ay);
    ring->centre = rv_centre(box);
    ring->centre.y += (above - below) / 2;
}

/* Stretches the spots over the box. */
static void lay_spots(rv_ring *ring) {
    const double edge = fmin(0.3 * ring->unit, 0.02 * fmin(ring->box.w, ring->box.h));
    rv_box box = rv_inset(ring->box, edge);
    const rv_point lane = rv_ring_lane(ring);
    if (ring->lanes_x) box = (rv_box){box.x + 2 * lane.x, box.y, box.w - 4 * lane.x, box.h};
    if (ring->lanes_y) box = (rv_box){box.x, box.y + 2 * lane.y, box.w, box.h - 4 * lane.y};
    const rv_point names = rv_ring_names(ring);
    rv_cut_left(&box, names.x);
    rv_cut_top(&box, names.y);
    const double right = reach_of(ring).right, top = reach_of(ring).top,
                 bottom = reach_of(ring).bottom;
    ring->ay = (box.h - ring->card_h) / fmax(1e-9, top + bottom);
    ring->ax = fmin((box.w - ring->card_w) / 2 / right, 3 * ring->ay + 1.5 * ring->card_w);
    ring->centre = rv_centre(box);
    ring->centre.y += (top - bottom) * ring->ay / 2;
}

/* Tells whether two cards overlap, or stand closer than what travels between them needs. */
static bool cards_overlap(const rv_ring *ring) {
    const double least = fmin(0.6 * ring->unit, 0.12 * ring->card_h + 1);
    const double room = ring->per_node > 0 ? 3.2 : 1.8; /* a node's blocks have several chunks */
    const double wide = ring->spread ? fmin(room * ring->unit, 0.4 * ring->card_w) : least;
    double high = ring->spread ? 0.3 * ring->card_h : least;
    if (ring->kind == RV_FORM_TREE) { /* wires lead down: what travels lies between two levels */
        high = fmax(high, ring->travel_scale * ring->cell_h);
    }
    if (ring->lanes_x && ring->lanes_y) high = fmax(high, rv_ring_lane(ring).y);
    if (ring->per_node > 0) { /* room for two frames, and for what goes from one to the other */
        high = fmax(high, fmin(1.7 * ring->unit, 0.5 * ring->card_h));
    }
    const double w = (ring->card_w + wide) / ring->ax, h = (ring->card_h + high) / ring->ay;
    for (int32_t i = 0; i < ring->n_ranks; i++) {
        const rv_point a = ring->spots[i];
        for (int32_t j = i + 1; j < ring->n_ranks; j++) {
            const rv_point b = ring->spots[j];
            if (fabs(a.x - b.x) < w && fabs(a.y - b.y) < h) return true;
        }
    }
    return false;
}

/* Tells whether a cube's wire would cross a card. */
static bool edges_are_blocked(const rv_ring *ring) {
    for (int32_t a = 0; a < ring->n_ranks && ring->kind == RV_FORM_CUBE; a++) {
        for (int32_t b = a + 1; b < ring->n_ranks; b++) {
            if (ring->wires[a] & 1U << b && rv_way_is_blocked(ring, a, b)) return true;
        }
    }
    return false;
}

/* Tells whether a message in transit half way between two cards would touch any card. */
static bool ways_are_tight(const rv_ring *ring) {
    const double room = 0.3 * ring->unit;
    const double w = (ring->travel_scale * ring->cell_w + room + ring->card_w) / 2;
    const double h = (ring->travel_scale * ring->cell_h + room + ring->card_h) / 2;
    const int32_t tracks = ring->two_way ? 2 : 1;
    for (int32_t i = 0; i < ring->n_ranks * tracks; i++) {
        const double share = (ring->at[i / tracks] + ring->at[i / tracks + 1]) / 2;
        const rv_point at = rv_on_track(ring, share, tracks == 1 ? 0 : i % 2 == 0 ? 1 : -1);
        for (int32_t j = 0; j < ring->n_ranks; j++) {
            const rv_point card = rv_ring_centre(ring, j);
            if (fabs(card.x - at.x) < w && fabs(card.y - at.y) < h) return true;
        }
    }
    return false;
}

/* Tells whether the way to the next card comes back over a card that it has left: that happens
   round the end of a flat box. */
static bool ways_return(const rv_ring *ring) {
    enum { STEPS = 12 };
    for (int32_t i = 0; i < ring->n_ranks && ring->n_ranks > 1; i++) {
        for (int k = 1; k < STEPS; k++) {
            const double share = (double)k / STEPS;
            const rv_point at =
                rv_on_track(ring, ring->at[i] + (ring->at[i + 1] - ring->at[i]) * share, 0);
            const int32_t card = ring->order[share < 0.5 ? (i + 1) % ring->n_ranks : i];
            if (rv_inside(rv_ring_card(ring, card), at.x, at.y)) return true;
        }
    }
    return false;
}

static bool fits(rv_ring *ring, const attempt *try, double cell_w) {
    size_card(ring, try, cell_w);
    if (ring->card_w >= ring->box.w || ring->card_h >= ring->box.h) return false;
    if (ring->n_ranks == 1) {
        ring->ax = ring->ay = 0;
        return true;
    }
    if (ring->spread) {
        lay_spots(ring);
        return ring->ax > 0 && ring->ay > 0 && !cards_overlap(ring) && !edges_are_blocked(ring);
    }
    ring->power = try->on->power;
    spread_cards(ring, try);
    lay_oval(ring);
    const bool is_open = ring->ax > 0 && ring->ay > 0.6 * ring->card_h; /* a ring, not a row */
    return is_open && !cards_overlap(ring) && !ways_are_tight(ring);
}

/* Finds the largest plan of this attempt, which fits with cells as wide as `low`; leaves it in
   *ring. */
static void grow(rv_ring *ring, const attempt *try, double low, double high) {
    for (int i = 0; i < 12; i++) {
        const double middle = (low + high) / 2;
        if (fits(ring, try, middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    fits(ring, try, low);
}

/* Returns a factor for how well an attempt reads: better with one row, with GPU 0 at the top, with
   a round ring, and with messages in transit hardly smaller than their cells. */
static double preference_of(const attempt *try) {
    const double slim = try->shape < 1.2 ? 0.75 : try->shape > 2.2 ? 0.85 : 1;
    return slim * (try->rows == 1 ? 1.15 : 1) * (try->turned ? 1 : 1.12) *
           (try->on == NULL || try->on->power == 2 ? 1.18 : 1) *
           (try->travel_scale > 0.7 ? 1.1 : 1);
}

/* Returns what a plan is worth: the area of a cell, times preference_of(); less if the letters are small.
   With more than eight GPUs letters can never be read, and do not count. */
static double value_of(const rv_ring *ring, const attempt *try) {
    const double area = preference_of(try) * ring->cell_w * ring->cell_h;
    if (ring->n_ranks > RV_FEW) return area;
    const double letter = rv_cell_letter(try->unit, try->pixel, ring->n_ranks, ring->n_chunks,
                                         ring->cell_w, ring->cell_h);
    return area * fmax(0.4, fmin(1, letter / (0.62 * try->unit)));
}

/* Keeps the attempt's plan if it is worth more than *most. First tries whether it can be: that is
   quick, and most attempts cannot. */
static void take_best(const rv_ring *empty, const attempt *try, double *most, rv_ring *best) {
    rv_ring ring = *empty;
    const double widest = fmin(6.5 * ring.unit, 9 * ring.unit / try->shape);
    const double needed = 1.001 * sqrt(*most / (preference_of(try) * try->shape));
    if (needed > widest || !fits(&ring, try, needed)) return;
    if (!fits(&ring, try, widest)) grow(&ring, try, needed, widest);
    if (value_of(&ring, try) <= *most || (!ring.spread && ways_return(&ring))) return;
    *most = value_of(&ring, try);
    *best = ring;
}

/* Plans tiny cards in the middle of a box that has no room for any plan, so that callers always get
   one. */
static void plan_tiny_cards(rv_ring *ring) {
    const attempt tiny = {.rows = 1, .shape = 1, .travel_scale = 0.78};
    size_card(ring, &tiny, 0.01);
    ring->power = 2;
    for (int32_t i = 0; i <= ring->n_ranks; i++) ring->at[i] = (double)i / ring->n_ranks;
}

static void try_sizes(const rv_ring *empty, attempt *try, double *most, rv_ring *best) {
    static const double shapes[] = {0.8, 1.1, 1.5, 1.8, 2.1, 2.5}, scales[] = {0.78, 0.68};
    static const double tall = 3.4; /* many GPUs in nodes: all cells of a card stand in one row */
    for (int32_t rows = 1; rows <= 4 && rows <= empty->n_chunks; rows++) {
        for (int i = 0; i < 6 * 2 * (!empty->spread && empty->n_ranks % 2 == 0 ? 2 : 1); i++) {
            try->rows = rows;
            try->shape = shapes[i % 6];
            if (empty->per_node > 0 && empty->n_ranks > 8 && i % 6 == 0) try->shape = tall;
            try->travel_scale = scales[i / 6 % 2];
            try->turned = i >= 12;
            take_best(empty, try, most, best);
        }
    }
}

rv_ring rv_plan_ring(const rv_look *look, int32_t n_ranks, int32_t n_chunks, const rv_form *shape,
                     rv_box box) {
    static const double powers[] = {2, 2.5, 3, 5};
    assert(n_ranks >= 1 && n_ranks <= RV_MOST_CARDS);
    rv_ring empty = {
        .box = box, .n_ranks = n_ranks, .travel_scale = 0.78, .centre = rv_centre(box)};
    empty.n_chunks = n_chunks > 0 ? n_chunks : 1;
    empty.unit = fmin(look->unit, fmax(5, 0.045 * fmin(box.w, box.h)));
    for (int32_t i = 0; i < n_ranks; i++) {
        empty.order[i] = shape != NULL ? shape->order[i] : i;
        empty.place[empty.order[i]] = i;
    }
    if (shape != NULL) {
        empty.kind = shape->kind;
        empty.two_way = shape->two_way && shape->kind == RV_FORM_RING;
    }
    rv_ring best = empty;
    double most = 0.01; /* a cell of a tenth of a pixel always fits */
    if (shape != NULL && shape->spread) {
        attempt try = {.unit = look->unit, .pixel = look->pixel};
        best.spread = empty.spread = true;
        empty.two_way = shape->two_way;
        empty.lanes_x = shape->rows > 2;
        empty.lanes_y = shape->columns > 2;
        empty.per_node = shape->kind == RV_FORM_NODES ? shape->per_node : 0;
        empty.upright = shape->rows < shape->columns && shape->rows == shape->per_node;
        memcpy(empty.spots, shape->spots, sizeof empty.spots);
        memcpy(empty.wires, shape->wires, sizeof empty.wires);
        try_sizes(&empty, &try, &most, &best);
        if (best.rows > 0) return best;
        empty.spread = empty.two_way = empty.lanes_x = empty.lanes_y = empty.upright = false;
        empty.per_node = 0;
        empty.kind = RV_FORM_OVAL;
        best = empty;
    }
    for (int p = 0; p < (n_ranks > 4 ? 4 : 1); p++) {
        oval on = {.power = powers[p]};
        for (int i = 0; i <= N_SAMPLES; i++) {
            on.points[i] = rv_oval_unit(powers[p], (double)i / N_SAMPLES);
        }
        attempt try = {.on = &on, .unit = look->unit, .pixel = look->pixel};
        try_sizes(&empty, &try, &most, &best);
    }
    if (best.rows == 0) plan_tiny_cards(&best);
    return best;
}

/* ---------------------------------------------------------------------------------- kept plans */

/* Keeps the ring's last plans. To make one takes milliseconds, and it only changes
 * with the box, the numbers of GPUs and chunks, and the size of type.
 */

/* Tells whether a plan was made for this shape. */
static bool is_of(const rv_form *made_for, const rv_form *shape) {
    return made_for->kind == shape->kind && made_for->two_way == shape->two_way &&
           memcmp(made_for->order, shape->order, sizeof shape->order) == 0 &&
           (!shape->spread || memcmp(made_for->spots, shape->spots, sizeof shape->spots) == 0);
}

rv_ring rv_kept_ring(const rv_stage *stage, const rs_schedule *schedule, rv_box box) {
    rv_ring_plans *plans = rv_kept(stage);
    const int32_t n_ranks = schedule->n_ranks, n_chunks = schedule->n_chunks;
    const rv_form shape = rv_form_of(schedule);
    for (int i = 0; plans != NULL && i < RV_KEPT_RINGS; i++) {
        const rv_ring *ring = &plans->kept[i].ring;
        if (plans->kept[i].unit == stage->look.unit && ring->n_ranks == n_ranks &&
            plans->kept[i].n_chunks == n_chunks && ring->box.x == box.x && ring->box.y == box.y &&
            ring->box.w == box.w && ring->box.h == box.h && is_of(&plans->kept[i].form, &shape)) {
            return *ring;
        }
    }
    const rv_ring ring = rv_plan_ring(&stage->look, n_ranks, n_chunks, &shape, box);
    if (plans == NULL) return ring;
    plans->kept[plans->next].unit = stage->look.unit;
    plans->kept[plans->next].n_chunks = n_chunks;
    plans->kept[plans->next].form = shape;
    plans->kept[plans->next].ring = ring;
    plans->next = (plans->next + 1) % RV_KEPT_RINGS;
    return ring;
}

/* ---------------------------------------------------------------------------- size of a message in transit */

/* How large a message is drawn on its way. Area is bytes.
 *
 *     ring: five chunks of 20 MB        naive: 100 MB
 *              +-+                        +----+
 *              +-+                        +----+
 *
 *   - One measure holds for all messages of a picture: the area of the whole array. In a race both
 *     runs share it.
 *   - It is as large as the largest message, and the room on the wires, allow.
 */

/* The largest message of a schedule, in chunks, and whether many cross in the middle. */
typedef struct load {
    int32_t most_chunks;
    bool crosses;
} load;

static load load_of(const rs_schedule *schedule) {
    enum { MOST_STEPS = 64, MOST_APART = 2 }; /* so many ways still keep clear of each other */
    load found = {.most_chunks = 1};
    for (int32_t step = 0; step < schedule->n_steps && step < MOST_STEPS; step++) {
        rs_cursor cursor = {0};
        rs_transfer t;
        int n = 0;
        while (rs_next_transfer(schedule, step, &cursor, &t)) {
            if (t.n_chunks > found.most_chunks) found.most_chunks = t.n_chunks;
            n++;
        }
        if (n > MOST_APART) found.crosses = true;
    }
    return found;
}

double rv_array_area(const rv_ring *ring, const rv_model *model) {
    const double cell = ring->travel_scale * ring->cell_w * ring->travel_scale * ring->cell_h;
    const double as_planned = cell * ring->n_chunks;
    if (rv_is_ring(model->schedule)) return as_planned;
    const load most = load_of(model->schedule);
    const double side = (most.crosses ? 3.4 : 7) * ring->unit;
    const double card = 0.6 * ring->card_w * ring->card_h;
    const double area = fmin(side * side, card) * ring->n_chunks / most.most_chunks;
    return most.crosses || ring->kind == RV_FORM_TREE ? fmin(area, as_planned) : area;
}
