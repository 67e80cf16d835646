/* machine_ways.c: links as roads: where each leaves its places, and which way it takes. See machine_draft.h.
 *
 *     rows apart   from the upper edge of the lower place to the lower edge of the upper one
 *     a row        straight between neighbours; past others as an arc, below GPUs and above switches
 */
#include "panels/machine/machine_draft.h"
#include "base/containers.h"

#include <math.h>
#include <stdlib.h>

static const double LANE_GAP = 0.14, ROAD_GAP = 0.2, THINNEST_LANE = 0.12, WIDEST_LANE = 0.8,
                    THINNEST = 0.15; /* in units of type; a factor */
static const double PI = 3.14159265358979323846;

typedef enum side { TOP, BOTTOM, NO_SIDE } side;

/* One of the two ends of a road. */
typedef struct road_end {
    int32_t place, road;
    side side;
    bool second, wide; /* at b; at the wider of the two places */
    double x, room;    /* room: how much of the edge it takes */
} road_end;

/* By the root: the area of a cable's cross-section is what one sees, and a tenth still holds two colours. */
double rv_lane_width(const rv_draft *draft, uint64_t capacity_Bps) {
    const double share = (double)capacity_Bps / fmax(1, (double)draft->fastest);
    return fmax(THINNEST_LANE, WIDEST_LANE * sqrt(fmin(1, share)));
}

int32_t rv_place_of_device(const rv_draft *draft, int32_t device) {
    const int32_t node = draft->machine->node[device];
    return draft->collapsed && node >= 0 ? draft->machine->n_devices + node : device;
}

/* ------------------------------------------------------------------------------- which roads there are */

typedef struct placed_link {
    int32_t a, b, link; /* places, a < b */
} placed_link;

RS_ORDER(by_places, placed_link, a, b, link);

/* Starts a road, or goes on with the last one. */
static void take_link(rv_draft *draft, const placed_link *at, int32_t *n) {
    const rs_machine_link *link = &draft->machine->links[at->link];
    rv_road *last = draft->n_roads > 0 ? &draft->roads[draft->n_roads - 1] : NULL;
    if (last == NULL || last->a != at->a || last->b != at->b) {
        last = &draft->roads[draft->n_roads++];
        *last = (rv_road){.a = at->a, .b = at->b, .first = *n, .shared = true, .cut = true};
    }
    draft->links[(*n)++] = at->link;
    last->n++;
    last->shared = last->shared && link->shared;
    if (link->kind > last->kind) last->kind = link->kind;
    last->cut = last->cut && link->cut;
}

static uint64_t capacity_of(const rv_draft *draft, const rv_road *road) {
    uint64_t capacity = 0;
    for (int32_t k = 0; k < road->n; k++) {
        capacity += draft->machine->links[draft->links[road->first + k]].bandwidth_Bps;
    }
    return capacity;
}

static bool find_roads(rv_draft *draft) {
    const rs_machine *machine = draft->machine;
    const size_t most = (size_t)machine->n_links + 1;
    placed_link *list = rs_alloc(draft->arena, most, sizeof *list);
    draft->roads = rs_alloc(draft->arena, most, sizeof *draft->roads);
    draft->links = rs_alloc(draft->arena, most, sizeof *draft->links);
    int32_t n = 0, taken = 0;
    if (!list || !draft->roads || !draft->links) return false;
    for (int32_t i = 0; i < machine->n_links; i++) {
        const int32_t a = rv_place_of_device(draft, machine->links[i].a);
        const int32_t b = rv_place_of_device(draft, machine->links[i].b);
        if (a != b) list[n++] = (placed_link){a < b ? a : b, a < b ? b : a, i};
    }
    qsort(list, (size_t)n, sizeof *list, by_places);
    for (int32_t i = 0; i < n; i++) take_link(draft, &list[i], &taken);
    for (int32_t i = 0; i < draft->n_roads; i++) {
        const uint64_t capacity = capacity_of(draft, &draft->roads[i]);
        if (capacity > draft->fastest) draft->fastest = capacity;
    }
    for (int32_t i = 0; i < draft->n_roads; i++) {
        rv_road *road = &draft->roads[i];
        road->lane = rv_lane_width(draft, capacity_of(draft, road)) * draft->unit;
    }
    return true;
}

static double width_of(const rv_draft *draft, const rv_road *road) {
    return road->shared ? road->lane : 2 * road->lane + LANE_GAP * draft->unit;
}

/* ------------------------------------------------------------------------------------------ ends */

static const rv_box *box_of(const rv_draft *draft, int32_t place) {
    return &draft->spots[place].box;
}

static bool in_one_row(const rv_draft *draft, const rv_road *road) {
    return fabs(box_of(draft, road->a)->y - box_of(draft, road->b)->y) < 1;
}

/* Tells whether nothing lies between the two in their row. */
static bool are_neighbours(const rv_draft *draft, const rv_road *road) {
    const rs_machine *machine = draft->machine;
    const rv_box *a = box_of(draft, road->a), *b = box_of(draft, road->b);
    const double from = fmin(rv_centre(*a).x, rv_centre(*b).x),
                 to = fmax(rv_centre(*a).x, rv_centre(*b).x);
    for (int32_t p = 0; p < machine->n_devices + machine->n_nodes; p++) {
        const rv_box *at = box_of(draft, p);
        if (at->w <= 0 || fabs(at->y - a->y) >= 1) continue;
        const double x = rv_centre(*at).x;
        if (x > from + 1 && x < to - 1) return false;
    }
    return true;
}

/* Returns where an end would like to be: right above or below what it leads to. */
static double wished_x(const rv_box *own, const rv_box *other) {
    const double middle = rv_centre(*own).x, far = rv_centre(*other).x, pad = 0.1 * own->w;
    if (middle >= other->x && middle <= other->x + other->w) return middle;
    return fmax(own->x + pad, fmin(own->x + own->w - pad, far));
}

RS_ORDER(by_side, road_end, place, side, x, road);

RS_ORDER(by_road, road_end, road, second);

/* Pushes the ends at one edge apart, and keeps them on it. */
static void push_apart(road_end ends[], int32_t n, const rv_box *box) {
    double all = 0;
    for (int32_t i = 0; i < n; i++) all += ends[i].room;
    const double share = all > box->w ? box->w / all : 1;
    double edge = box->x;
    for (int32_t i = 0; i < n; i++) {
        const double half = 0.5 * share * ends[i].room;
        ends[i].x = fmax(ends[i].x, edge + half);
        edge = ends[i].x + half;
    }
    edge = box->x + box->w;
    for (int32_t i = n; i-- > 0;) {
        const double half = 0.5 * share * ends[i].room;
        ends[i].x = fmin(ends[i].x, edge - half);
        edge = ends[i].x - half;
    }
}

/* Calls push_apart for each edge. */
static void spread_ends(const rv_draft *draft, road_end ends[], int32_t n) {
    qsort(ends, (size_t)n, sizeof *ends, by_side);
    for (int32_t i = 0, next; i < n; i = next) {
        for (next = i;
             next < n && ends[next].place == ends[i].place && ends[next].side == ends[i].side;)
            next++;
        if (ends[i].side != NO_SIDE) push_apart(&ends[i], next - i, box_of(draft, ends[i].place));
    }
}

/* Chooses the edges at which a road begins and ends. */
static void choose_sides(const rv_draft *draft, const rv_road *road, side sides[2]) {
    const rv_box *a = box_of(draft, road->a), *b = box_of(draft, road->b);
    sides[0] = sides[1] = NO_SIDE;
    if (!in_one_row(draft, road)) {
        sides[0] = a->y < b->y ? BOTTOM : TOP;
        sides[1] = a->y < b->y ? TOP : BOTTOM;
    } else if (!are_neighbours(draft, road)) {
        const bool gpus = road->a < draft->machine->n_gpus && draft->grid_columns == 0;
        sides[0] = sides[1] = gpus ? BOTTOM : TOP;
    }
}

static void list_ends(const rv_draft *draft, road_end ends[]) {
    for (int32_t i = 0; i < draft->n_roads; i++) {
        const rv_road *road = &draft->roads[i];
        const rv_box *boxes[2] = {box_of(draft, road->a), box_of(draft, road->b)};
        const int wide = boxes[0]->w > boxes[1]->w + 0.5 ? 0 : 1;
        side sides[2];
        choose_sides(draft, road, sides);
        for (int e = 0; e < 2; e++) {
            ends[2 * i + e] = (road_end){.place = e == 0 ? road->a : road->b,
                                         .road = i,
                                         .side = sides[e],
                                         .second = e == 1,
                                         .wide = e == wide,
                                         .x = wished_x(boxes[e], boxes[1 - e]),
                                         .room = width_of(draft, road) + ROAD_GAP * draft->unit};
        }
    }
}

/* Makes all roads so narrow that the ends fit at each edge. */
static void narrow_roads(rv_draft *draft, road_end ends[], int32_t n) {
    double thick = 1;
    qsort(ends, (size_t)n, sizeof *ends, by_side);
    for (int32_t i = 0, next; i < n; i = next) {
        double all = 0;
        for (next = i;
             next < n && ends[next].place == ends[i].place && ends[next].side == ends[i].side;)
            all += ends[next++].room;
        if (ends[i].side == NO_SIDE) continue;
        thick = fmin(thick, box_of(draft, ends[i].place)->w / all);
    }
    draft->thick = fmax(THINNEST, thick);
    for (int32_t i = 0; i < draft->n_roads; i++) draft->roads[i].lane *= draft->thick;
    for (int32_t i = 0; i < n; i++) ends[i].room *= draft->thick;
}

/* ------------------------------------------------------------------------------------------ ways */

/* Makes half an ellipse from one point to another, bulging by (dx, dy). */
static void bend_road(rv_road *road, rv_point from, rv_point to, double dx, double dy) {
    const rv_point middle = {(from.x + to.x) / 2, (from.y + to.y) / 2};
    const double hx = (to.x - from.x) / 2, hy = (to.y - from.y) / 2;
    road->n_points = RV_ROAD_POINTS;
    for (int i = 0; i < RV_ROAD_POINTS; i++) {
        const double angle = PI * i / (RV_ROAD_POINTS - 1), c = -cos(angle), s = sin(angle);
        road->points[i] = (rv_point){middle.x + c * hx + s * dx, middle.y + c * hy + s * dy};
    }
    road->points[0] = from;
    road->points[RV_ROAD_POINTS - 1] = to;
}

static void go_straight(rv_road *road, rv_point from, rv_point to) {
    road->n_points = 2;
    road->points[0] = from;
    road->points[1] = to;
}

/* A column of a grid: straight to the next one; from the last to the first beside the column. */
static void go_down_the_grid(const rv_draft *draft, rv_road *road) {
    const rv_box *a = box_of(draft, road->a), *b = box_of(draft, road->b);
    if (road->b - road->a == draft->grid_columns) {
        const double x = rv_centre(*a).x;
        go_straight(road, (rv_point){x, a->y + a->h}, (rv_point){x, b->y});
    } else {
        bend_road(road, (rv_point){a->x + a->w, a->y + 0.2 * a->h},
                  (rv_point){b->x + b->w, b->y + 0.8 * b->h}, 0.24 * draft->slot, 0);
    }
}

static void lay_road(const rv_draft *draft, rv_road *road, const road_end ends[2], double widest) {
    const rv_box *a = box_of(draft, road->a), *b = box_of(draft, road->b);
    const bool column = draft->grid_columns > 0 && !in_one_row(draft, road);
    if (column) {
        go_down_the_grid(draft, road);
    } else if (ends[0].side == NO_SIDE) {
        const bool forth = a->x < b->x;
        go_straight(road, (rv_point){forth ? a->x + a->w : a->x, rv_centre(*a).y},
                    (rv_point){forth ? b->x : b->x + b->w, rv_centre(*b).y});
    } else {
        const rv_point from = {ends[0].x, ends[0].side == TOP ? a->y : a->y + a->h};
        const rv_point to = {ends[1].x, ends[1].side == TOP ? b->y : b->y + b->h};
        if (ends[0].side != ends[1].side) {
            go_straight(road, from, to);
            return;
        }
        const double share = sqrt(fabs(to.x - from.x) / widest);
        const double most = draft->grid_columns > 0 ? 0.9 * a->h : draft->arc_room;
        const double room = fmax(0, most - road->lane - draft->unit * LANE_GAP);
        bend_road(road, from, to, 0, (ends[0].side == TOP ? -1 : 1) * room * fmin(1, share));
    }
}

bool rv_lay_roads(rv_draft *draft) {
    if (!find_roads(draft)) return false;
    const int32_t n = 2 * draft->n_roads;
    road_end *ends = rs_alloc(draft->arena, (size_t)n + 1, sizeof *ends);
    rv_point *points =
        rs_alloc(draft->arena, (size_t)draft->n_roads + 1, RV_ROAD_POINTS * sizeof *points);
    double widest = 1;
    if (ends == NULL || points == NULL) return false;
    list_ends(draft, ends);
    narrow_roads(draft, ends, n);
    spread_ends(draft, ends, n);
    qsort(ends, (size_t)n, sizeof *ends, by_road);
    for (int32_t i = 0; i < draft->n_roads; i++) { /* the wide ends follow the narrow ones */
        road_end *end = &ends[2 * i];
        const int narrow = end[0].wide ? 1 : 0;
        const rv_box *box = box_of(draft, end[1 - narrow].place);
        if (end[0].side == end[1].side) continue;
        end[1 - narrow].x = fmax(box->x, fmin(box->x + box->w, end[narrow].x));
    }
    spread_ends(draft, ends, n);
    qsort(ends, (size_t)n, sizeof *ends, by_road);
    for (int32_t i = 0; i < n; i += 2) {
        if (ends[i].side == ends[i + 1].side)
            widest = fmax(widest, fabs(ends[i].x - ends[i + 1].x));
    }
    for (int32_t i = 0; i < draft->n_roads; i++) {
        draft->roads[i].points = &points[(size_t)i * RV_ROAD_POINTS];
        lay_road(draft, &draft->roads[i], &ends[2 * i], widest);
    }
    return true;
}
