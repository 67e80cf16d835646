/* crowd_ways.c: what travels between many GPUs: comets along the track, or across. */
#include "panels/ring/crowd.h"

#include <math.h>

double rv_crowd_angle(const rv_crowd *c, double rank) {
    return -RV_TURN / 4 + RV_TURN * rank / c->n;
}

rv_point rv_crowd_at(const rv_crowd *c, double radius, double angle) {
    return (rv_point){c->centre.x + radius * cos(angle), c->centre.y + radius * sin(angle)};
}

enum { MOST_COMETS = 256, MOST_WIRES = 64 };

/* Returns where a chunk from src to dst is: on the track if dst is the next GPU, else on the way
   across. */
static rv_point on_way(const rv_crowd *c, const rs_transfer *t, double share) {
    if (t->dst == (t->src + 1) % c->n) {
        return rv_crowd_at(c, c->track, rv_crowd_angle(c, t->src + share));
    }
    const rv_point a = rv_crowd_at(c, c->track, rv_crowd_angle(c, t->src));
    const rv_point b = rv_crowd_at(c, c->track, rv_crowd_angle(c, t->dst));
    const double u = 1 - share;
    return (rv_point){u * u * a.x + share * share * b.x + 2 * u * share * c->centre.x,
                      u * u * a.y + share * share * b.y + 2 * u * share * c->centre.y};
}

static void draw_way(const rv_crowd *c, const rs_transfer *t, double from, double to,
                     rv_colour colour) {
    enum { PIECES = 10 };
    rv_point last = on_way(c, t, from);
    for (int i = 1; i <= PIECES; i++) {
        const rv_point next = on_way(c, t, from + (to - from) * i / PIECES);
        rv_scene_segment(c->scene, last, next, fmax(1.2, 0.1 * c->stage->look.unit), colour);
        last = next;
    }
}

static void draw_comet(const rv_crowd *c, const rv_flight *f) {
    const rv_look *look = &c->stage->look;
    const rs_transfer *t = &f->transfer;
    const bool followed = t->src == c->stage->playback.rank;
    const double room = RV_TURN * c->track / c->n;
    const double r = followed ? 0.42 * look->unit : fmin(0.36 * look->unit, fmax(1, 0.2 * room));
    const double merged = f->merged, share = f->flown;
    rv_point p = on_way(c, t, share);
    const rv_point goal = rv_crowd_at(c, c->radius, rv_crowd_angle(c, t->dst));
    p = (rv_point){p.x + (goal.x - p.x) * merged, p.y + (goal.y - p.y) * merged};
    const double shown =
        c->counted ? (double)rv_count_at(c->sight->what_if->counts, t->src, t->chunk) / c->n : 0.5;
    if (merged <= 0 && room > 3) {
        draw_way(c, t, fmax(0, share - 0.45), share, rv_fade(look->accent, 0.45));
    }
    rv_outline(rv_scene_disc(c->scene, p, r, r > 2 ? rv_heat_of(look, shown) : look->accent),
               look->accent, r > 2 ? fmax(1, 0.1 * look->unit) : 0)
        ->target = rv_transfer_target(c->sight, c->sight->model->step, t->src, t->chunk);
}

void rv_crowd_comets(const rv_crowd *c) {
    const rs_schedule *schedule = c->sight->model->schedule;
    const int64_t a_step = schedule->n_transfers / (schedule->n_steps > 0 ? schedule->n_steps : 1);
    const int64_t each = a_step / MOST_COMETS + 1;
    const bool done = c->sight->progress >= 1;
    rv_flights flights = rv_flights_of(c->sight->model, c->sight->progress);
    rv_flight flight;
    c->scene->layer = done ? RV_STILL : RV_MOVING;
    for (int64_t i = 0; rv_next_flight(&flights, &flight); i++) {
        const bool followed = flight.transfer.src == c->stage->playback.rank;
        if (!flight.happens || (i % each != 0 && !followed)) continue;
        if (!done && c->sight->progress > 0) {
            draw_comet(c, &flight);
        } else if (done && (followed || (each == 1 && c->n <= MOST_WIRES))) {
            draw_way(c, &flight.transfer, 0.12, 0.88,
                     rv_fade(c->stage->look.accent, followed ? 1 : 0.55));
        }
    }
    c->scene->layer = RV_STILL;
}

void rv_crowd_track(const rv_crowd *c) {
    const rv_look *look = &c->stage->look;
    rv_item *track = rv_scene_arc(c->scene, c->centre, c->track, 0, RV_TURN,
                                  fmax(1, 0.07 * look->unit), look->edge);
    track->target = (rv_target){0};
    const bool few = c->n <= MOST_COMETS && c->is_ring;
    for (int32_t r = 0; few && r < c->n; r++) { /* invisible: for the pointer */
        rv_scene_arc(c->scene, c->centre, c->track, rv_crowd_angle(c, r), rv_crowd_angle(c, r + 1),
                     3, 0)
            ->target = rv_target_of(RV_LINK, r, (r + 1) % c->n);
    }
    for (int i = 0; i < 8 && few; i++) { /* arrow heads show the direction */
        const double angle = RV_TURN * (i + 0.5) / 8, size = 0.45 * look->unit;
        const rv_point p = rv_crowd_at(c, c->track, angle),
                       tip = {p.x - size * sin(angle), p.y + size * cos(angle)};
        const rv_point head[3] = {tip,
                                  {p.x + 0.6 * size * cos(angle), p.y + 0.6 * size * sin(angle)},
                                  {p.x - 0.6 * size * cos(angle), p.y - 0.6 * size * sin(angle)}};
        rv_scene_polygon(c->scene, head, 3, look->link);
    }
}
