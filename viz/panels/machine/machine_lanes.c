/* machine_lanes.c: a road's lanes: how thick they are says what they can carry, the coloured part what they carry.
 *
 *     |==|  |  |     two lanes of a road, one each way, on the right hand; GPU 2 has all of the one that leads up
 */
#include "panels/machine/machine_view.h"
#include "base/containers.h"

#include <math.h>
#include <stdlib.h>

static const double LANE_GAP = 0.14, LEAST_STRIPE = 1.3; /* in units of type; in pixels */

/* ------------------------------------------------------------------------------------------- sums */

static int32_t first_place(const rv_draft *draft, int32_t wire) {
    const rs_machine_link *link = &draft->machine->links[wire / 2];
    return rv_place_of_device(draft, wire % 2 == 0 ? link->a : link->b);
}

/* Returns the wire of a link that belongs to a lane of a road. */
static int32_t wire_of(const rv_draft *draft, const rv_road *road, int32_t link, int lane) {
    if (draft->machine->links[link].shared) return 2 * link;
    const int32_t from = lane == 0 ? road->a : road->b;
    return first_place(draft, 2 * link) == from ? 2 * link : 2 * link + 1;
}

static bool is_stream_lit(const rv_machine_view *view, const rv_stream *stream) {
    const rv_target h = view->stage->hover;
    if (h.thing == RV_GPU) return h.a == stream->src;
    if (h.thing == RV_TRANSFER) return h.b == stream->src;
    if (h.thing != RV_WIRE) return true;
    for (int32_t k = 0; k < stream->n; k++) {
        if (view->load->wires[stream->first + k] == h.a) return true;
    }
    return false;
}

static void add_part(rv_lane *lane, const rv_slice *part) {
    for (int32_t i = 0; i < lane->n_parts; i++) {
        if (lane->parts[i].src != part->src) continue;
        lane->parts[i].rate_Bps += part->rate_Bps;
        lane->parts[i].lit = lane->parts[i].lit || part->lit;
        return;
    }
    lane->n_senders++;
    if (lane->n_parts < RV_MOST_SENDERS) lane->parts[lane->n_parts++] = *part;
}

RS_ORDER(by_sender, rv_slice, src);

rv_lane rv_lane_of(const rv_machine_view *view, const rv_road *road, int number) {
    const rv_draft *draft = &view->draft;
    const rv_load *load = view->load;
    rv_lane lane = {.wire = -1};
    for (int32_t k = 0; k < road->n; k++) {
        const int32_t link = draft->links[road->first + k];
        const int32_t wire = wire_of(draft, road, link, number);
        if (lane.n++ == 0) lane.wire = wire;
        if (view->machine->links[link].cut) continue;
        lane.capacity_Bps += view->traffic != NULL ? rv_traffic_capacity(view->traffic, wire)
                                                   : view->machine->links[link].bandwidth_Bps;
        if (load == NULL) continue;
        lane.used_Bps += load->used_Bps[wire];
        for (int32_t i = load->first[wire]; i < load->first[wire + 1]; i++) {
            const rv_stream *stream = &load->streams[load->users[i]];
            add_part(&lane,
                     &(rv_slice){stream->src, stream->rate_Bps, is_stream_lit(view, stream)});
        }
    }
    if (lane.n_parts > 1) qsort(lane.parts, (size_t)lane.n_parts, sizeof *lane.parts, by_sender);
    return lane;
}

/* -------------------------------------------------------------------------------------------- ways */

/* Returns a point of the road, moved to its right hand by so much (left: < 0) as seen from a. */
static rv_point beside(const rv_road *road, int i, double by) {
    const int before = i > 0 ? i - 1 : 0, after = i + 1 < road->n_points ? i + 1 : i;
    const rv_point *p = road->points;
    const double dx = p[after].x - p[before].x, dy = p[after].y - p[before].y;
    const double length = fmax(1e-9, hypot(dx, dy));
    return (rv_point){p[i].x - by * dy / length, p[i].y + by * dx / length};
}

/* Returns how far a lane's middle is from the road's, on its right hand. */
static double offset_of(const rv_draft *draft, const rv_road *road, int lane) {
    if (road->shared) return 0;
    const double by = (road->lane + LANE_GAP * draft->unit * draft->thick) / 2;
    return lane == 0 ? by : -by;
}

rv_point rv_lane_middle(const rv_draft *draft, const rv_road *road, int lane, double *angle) {
    const double by = offset_of(draft, road, lane);
    const int i = road->n_points / 2;
    const rv_point from = beside(road, i - 1, by), to = beside(road, i, by);
    *angle = atan2(to.y - from.y, to.x - from.x) + (lane == 1 ? 3.14159265358979323846 : 0);
    if (road->n_points > 2) return to;
    return (rv_point){(from.x + to.x) / 2, (from.y + to.y) / 2};
}

bool rv_find_lane(const rv_draft *draft, int32_t wire, const rv_road **found, int *lane) {
    for (int32_t i = 0; i < draft->n_roads; i++) {
        const rv_road *road = &draft->roads[i];
        for (int32_t k = 0; k < road->n; k++) {
            if (draft->links[road->first + k] != wire / 2) continue;
            *found = road;
            *lane = first_place(draft, wire) == road->a || road->shared ? 0 : 1;
            return true;
        }
    }
    return false;
}

/* ---------------------------------------------------------------------------------------- at rest */

/* NVLink is solid, PCIe pale, a CPU's wire empty, a network's dashed: told apart without colours, which are the
   senders'. */
rv_kind_look rv_kind_look_of(const rv_look *look, rs_link_kind kind) {
    static const double grounds[] = {0.42, 0.16, 0, 0.1}, edges[] = {0.9, 0.7, 0.7, 0.9};
    return (rv_kind_look){rv_mix(look->panel, look->link, grounds[kind]),
                          rv_mix(look->panel, look->link, edges[kind]), kind == RS_NET};
}

static void draw_path(const rv_machine_view *view, const rv_road *road, double by, double line,
                      rv_colour colour, rv_target target) {
    for (int i = 1; i < road->n_points; i++) {
        rv_item *item = rv_scene_segment(view->scene, beside(road, i - 1, by), beside(road, i, by),
                                         line, colour);
        item->dashed = road->cut;
        item->target = target;
    }
}

void rv_draw_halo(const rv_machine_view *view, const rv_road *road, int lane, rv_colour colour) {
    const double by = offset_of(&view->draft, road, lane);
    draw_path(view, road, by, road->lane + 0.55 * view->draft.unit, colour, (rv_target){0});
}

/* Tells whether a fault makes any of a road's links slower. */
static bool is_slow(const rv_machine_view *view, const rv_road *road) {
    for (int32_t k = 0; k < road->n; k++) {
        const int32_t link = view->draft.links[road->first + k];
        if (view->machine->links[link].slow_num > view->machine->links[link].slow_den) return true;
    }
    return false;
}

void rv_draw_roads(const rv_machine_view *view) {
    const rv_draft *draft = &view->draft;
    const rv_look *look = draft->look;
    const rv_target hover = view->stage->hover;
    for (int32_t i = 0; i < draft->n_roads; i++) {
        const rv_road *road = &draft->roads[i];
        for (int lane = 0; lane < (road->shared ? 1 : 2); lane++) {
            const rv_lane all = rv_lane_of(view, road, lane);
            const double by = offset_of(draft, road, lane);
            const rv_target target = {RV_WIRE, all.wire, all.n, 0};
            const bool hot = rv_same_target(hover, target);
            const double hair = fmin(look->hair, 0.35 * road->lane);
            const rv_kind_look wire = rv_kind_look_of(look, road->kind);
            const bool marked = hot || road->cut || is_slow(view, road);
            if (marked || !wire.dashed) {
                draw_path(view, road, by, road->lane + (marked ? 4 : 2) * hair,
                          hot         ? look->ink
                          : road->cut ? look->bad
                          : marked    ? look->warn
                                      : wire.edge,
                          target);
            }
            if (!road->cut) draw_path(view, road, by, road->lane, wire.ground, target);
            for (int side = -1; side <= 1 && wire.dashed && !marked; side += 2) {
                if (side * by < 0) continue; /* the outer edges */
                const double edge = by + side * road->lane / 2;
                for (int p = 1; p < road->n_points; p++) {
                    rv_scene_segment(view->scene, beside(road, p - 1, edge), beside(road, p, edge),
                                     1.6 * hair, wire.edge)
                        ->dashed = true;
                }
            }
        }
    }
}

/* ------------------------------------------------------------------------------------- what flows */

/* Draws a stripe with flat ends, `wide`, its middle at `by`. */
static void draw_stripe(const rv_machine_view *view, const rv_road *road, double by, double wide,
                        rv_colour colour) {
    rv_point outline[2 * RV_ROAD_POINTS];
    const int n = road->n_points;
    for (int i = 0; i < n; i++) {
        outline[i] = beside(road, i, by - wide / 2);
        outline[2 * n - 1 - i] = beside(road, i, by + wide / 2);
    }
    rv_scene_polygon(view->scene, outline, 2 * n, colour);
}

static void draw_head(const rv_machine_view *view, const rv_road *road, int lane) {
    const rv_draft *draft = &view->draft;
    const double size = fmax(0.26 * draft->unit, 0.75 * road->lane);
    double angle;
    rv_point at = rv_lane_middle(draft, road, lane, &angle);
    const rv_point *end = &road->points[road->n_points - 1];
    if (hypot(end->x - road->points[0].x, end->y - road->points[0].y) < 2 * size) return;
    at.x += 0.6 * size * cos(angle);
    at.y += 0.6 * size * sin(angle);
    const rv_point head[3] = {
        at,
        {at.x - 1.5 * size * cos(angle - 0.42), at.y - 1.5 * size * sin(angle - 0.42)},
        {at.x - 1.5 * size * cos(angle + 0.42), at.y - 1.5 * size * sin(angle + 0.42)}};
    rv_scene_polygon(view->scene, head, 3, draft->look->ink);
}

/* Draws each sender's part of a lane in its colour; parts too thin to tell, or a whole run's, in one. */
static void draw_parts(const rv_machine_view *view, const rv_road *road, int number,
                       const rv_lane *lane) {
    const rv_look *look = view->draft.look;
    const double side = number == 0 ? 1 : -1;
    const double used = road->lane * fmin(1, (double)lane->used_Bps / (double)lane->capacity_Bps);
    const double by = offset_of(&view->draft, road, number);
    const bool one = lane->n_parts == 0 || lane->n_senders > lane->n_parts ||
                     used / lane->n_parts < LEAST_STRIPE;
    double edge = by - side * used / 2;
    bool lit = lane->n_parts == 0;
    for (int32_t i = 0; i < lane->n_parts; i++) lit = lit || lane->parts[i].lit;
    if (one && lane->n_parts != 1) {
        const rv_colour many = rv_mix(look->panel, look->ink, 0.62);
        draw_stripe(view, road, by, fmax(0.8, used), lit ? many : rv_fade(many, 0.25));
        return;
    }
    for (int32_t i = 0; i < lane->n_parts; i++) {
        const rv_slice *part = &lane->parts[i];
        const rv_colour dye = rv_dye_of(look, part->src).fill;
        const double w = fmax(i == 0 && lane->n_parts == 1 ? 0.8 : 0,
                              used * (double)part->rate_Bps / (double)lane->used_Bps);
        draw_stripe(view, road, edge + side * w / 2, w, part->lit ? dye : rv_fade(dye, 0.25));
        edge += side * w;
    }
}

void rv_draw_streams(const rv_machine_view *view) {
    const rv_draft *draft = &view->draft;
    if (view->load == NULL) return;
    for (int32_t i = 0; i < draft->n_roads; i++) {
        const rv_road *road = &draft->roads[i];
        for (int number = 0; number < (road->shared ? 1 : 2); number++) {
            const rv_lane lane = rv_lane_of(view, road, number);
            if (lane.used_Bps == 0 || lane.capacity_Bps == 0) continue;
            draw_parts(view, road, number, &lane);
            if (!road->shared && road->lane > 2 && !view->load->whole)
                draw_head(view, road, number);
        }
    }
}
