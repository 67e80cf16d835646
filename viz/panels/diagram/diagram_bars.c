/* diagram_bars.c: the transfers as slanted bars, the gaps between them as waiting.
 *
 *     start_ps, sender's lane     *----*
 *                                  \    \        upright ends: each edge is a time
 *     end_ps, receiver's lane       *----*[add]  until done_ps, if adding takes time
 *
 * In a ring the last GPU's bar leaves at the bottom and comes in again at the top.
 */
#include "panels/diagram/diagram.h"

#include <math.h>
#include <stdio.h>

enum { MOST_BARS = 1600, MOST_LANES = 64 };

rv_colour rv_diagram_hue(const rv_look *look, int effect) {
    return effect == RS_COPY ? look->good : look->accent;
}

bool rv_diagram_has_bars(const rv_chart *chart) {
    const rv_model *model = chart->sight->model;
    const int64_t n = model->report->trace->n_items;
    const bool few = n <= 4 * (int64_t)model->n_ranks; /* few bars, or long ones, do not merge */
    const bool are_long = chart->lanes.w >= 3.6 * chart->stage->look.unit * model->n_steps;
    const double least = few || are_long ? 0.2 * chart->stage->look.unit : 6;
    return model->n_ranks <= MOST_LANES && chart->lane >= least && n <= MOST_BARS;
}

/* ------------------------------------------------------------------------------------------ bars */

/* Sets how a bar looks: strong in the step shown, weaker in steps before, pale in steps to come. */
static void dress(const rv_chart *chart, const rs_timed *t, rv_item *item) {
    const rv_look *look = &chart->stage->look;
    const rv_model *model = chart->sight->model;
    const rv_colour hue = rv_diagram_hue(look, t->transfer.effect);
    const bool now = t->step == model->step, past = t->step < model->step;
    const double depth = now ? 1 : past ? 0.42 : 0.14;
    item->fill = rv_mix(look->panel, hue, depth);
    item->stroke = rv_mix(look->panel, hue, now ? 1 : past ? 0.6 : 0.4);
    item->line = 0.06 * look->unit;
    if (t->transfer.effect == RS_COPY) { /* colour is never alone */
        item->pattern = RV_RISING;
        item->hatch = rv_fade(look->panel, now ? 0.45 : 0.6);
    }
    if (rv_is_lit(chart->stage, t->transfer.src, t->transfer.chunk)) {
        item->stroke = look->ink;
        item->line = 0.13 * look->unit;
    }
    item->target = rv_transfer_target(chart->sight, t->step, t->transfer.src, t->transfer.chunk);
}

static void draw_piece(const rv_chart *chart, rv_scene *scene, const rs_timed *t,
                       const rv_point corners[4]) {
    dress(chart, t, rv_scene_polygon(scene, corners, 4, 1));
}

/* Draws a bar that leaves below the last lane and comes in above the first. */
static void draw_wrapped(const rv_chart *chart, rv_scene *scene, const rs_timed *t, double x0,
                         double x1) {
    const double half = chart->bar / 2, w = x1 - x0, low = chart->lanes.y + chart->lanes.h;
    const double y0 = rv_chart_y(chart, t->transfer.src), y1 = rv_chart_y(chart, t->transfer.dst);
    const double near = w * (0.5 - half / chart->lane), far = w * (0.5 + half / chart->lane);
    const rv_point out[4] = {{x0, y0 - half}, {x0 + far, low}, {x0 + near, low}, {x0, y0 + half}};
    const rv_point in[4] = {
        {x1 - near, chart->lanes.y}, {x1, y1 - half}, {x1, y1 + half}, {x1 - far, chart->lanes.y}};
    draw_piece(chart, scene, t, out);
    draw_piece(chart, scene, t, in);
}

/* Names the chunk inside its bar, if it fits: near the sender, since bars cross farther on; in a
   ring, where none cross, in the middle. */
static void draw_chunk(const rv_chart *chart, rv_scene *scene, const rs_timed *t, rv_box along) {
    const rv_look *look = &chart->stage->look;
    const rv_model *model = chart->sight->model;
    const double size = fmin(0.8 * look->unit, 0.92 * chart->bar);
    const bool now = t->step == model->step;
    char text[32];
    if (t->step > model->step || (now && chart->sight->hidden) || size < 0.55 * look->unit) return;
    if (model->n_chunks < 2) return;
    snprintf(text, sizeof text, "%d", (int)t->transfer.chunk);
    if (t->transfer.n_chunks > 1) {
        snprintf(text, sizeof text, "%d..%d", (int)t->transfer.chunk,
                 (int)(t->transfer.chunk + t->transfer.n_chunks - 1));
    }
    const double w = rv_label_width(text, size) + 2, h = 0.75 * size;
    const double slope = fabs(along.h) / along.w, lanes = fabs(along.h) / chart->lane;
    const bool apart = model->schedule->fixed_neighbours && model->n_ranks > 2;
    const double at = apart ? 0.5 : 0.25 / fmax(1, lanes);
    if (slope * w + h > 1.15 * chart->bar || at * along.w < w / 2) return;
    const rv_point c = {along.x + at * along.w, along.y + at * along.h};
    const rv_box box = {c.x - w / 2, c.y - 0.7 * size, w, 1.4 * size};
    rv_scene_label(scene, box, RV_MIDDLE, size, now ? look->accent_ink : look->ink, text)->bold =
        now;
}

static void draw_bar(const rv_chart *chart, rv_scene *scene, const rs_timed *t) {
    const rs_transfer *m = &t->transfer;
    const double x0 = rv_chart_x(chart, t->start_ps), half = chart->bar / 2;
    const double x1 = fmax(x0 + 0.5, rv_chart_x(chart, t->end_ps));
    const double y0 = rv_chart_y(chart, m->src), y1 = rv_chart_y(chart, m->dst);
    const rv_model *model = chart->sight->model;
    if (model->schedule->fixed_neighbours && m->src == model->n_ranks - 1 && m->dst == 0 &&
        model->n_ranks > 2) {
        draw_wrapped(chart, scene, t, x0, x1);
        return;
    }
    const rv_point corners[4] = {
        {x0, y0 - half}, {x1, y1 - half}, {x1, y1 + half}, {x0, y0 + half}};
    draw_piece(chart, scene, t, corners);
    draw_chunk(chart, scene, t, (rv_box){x0, y0, x1 - x0, y1 - y0});
}

static void draw_addition(const rv_chart *chart, rv_scene *scene, const rs_timed *t) {
    const rv_look *look = &chart->stage->look;
    const double x0 = rv_chart_x(chart, t->end_ps), x1 = rv_chart_x(chart, t->done_ps);
    if (x1 - x0 < 0.75) return;
    const rv_box box = {x0, rv_chart_y(chart, t->transfer.dst) - chart->bar / 2, x1 - x0,
                        chart->bar};
    rv_item *item = rv_scene_rect(scene, box, 0, 0);
    dress(chart, t, item);
    item->fill = rv_mix(item->fill, look->ink, 0.25);
    if (x1 - x0 < 0.9 * chart->bar || chart->bar < 0.7 * look->unit) return;
    rv_scene_label(scene, box, RV_MIDDLE, 0.9 * chart->bar,
                   t->step == chart->sight->model->step ? look->accent_ink : look->ink, "+");
}

/* --------------------------------------------------------------------------------------- waiting */

/* Draws a time in which a GPU neither sends nor receives nor adds. */
static void draw_gap(const rv_chart *chart, rv_scene *scene, int32_t rank, int64_t from_ps,
                     int64_t to_ps, rv_colour ink) {
    const double x0 = rv_chart_x(chart, from_ps), x1 = rv_chart_x(chart, to_ps);
    const double h =
        fmin(fmax(0.7 * chart->bar, 4.5), fmin(0.6 * chart->stage->look.unit, 0.8 * chart->lane));
    if (x1 - x0 < 2.5) return;
    const rv_box box = {x0 + 0.75, rv_chart_y(chart, rank) - h / 2, x1 - x0 - 1.5, h};
    rv_item *item = rv_scene_rect(scene, box, 0, rv_mix(chart->stage->look.panel, ink, 0.2));
    item->pattern = RV_FALLING;
    item->hatch = rv_fade(ink, 0.55);
}

/* Returns how late a GPU starts, by its faults. */
static int64_t late_ps(const rv_model *model, int32_t rank) {
    const rs_job *job = &model->report->request.job;
    int64_t time_ps = 0;
    for (int32_t i = 0; i < job->n_faults; i++) {
        if (job->faults[i].kind == RS_LATE && job->faults[i].rank == rank) {
            time_ps += job->faults[i].time_ps;
        }
    }
    return time_ps;
}

static bool is_killed(const rs_outcome *outcome, int32_t rank) {
    for (int32_t i = 0; i < outcome->n_killed; i++) {
        if (outcome->killed[i] == rank) return true;
    }
    return false;
}

static void draw_cross(const rv_chart *chart, rv_scene *scene, int32_t rank, int64_t time_ps) {
    const rv_look *look = &chart->stage->look;
    const double r = fmin(0.45 * look->unit, 0.4 * chart->lane), y = rv_chart_y(chart, rank);
    const double x =
        fmin(rv_chart_x(chart, time_ps) + 1.5 * r, chart->lanes.x + chart->lanes.w - r);
    const double line = fmax(1.5, 0.3 * r);
    rv_scene_segment(scene, (rv_point){x - r, y - r}, (rv_point){x + r, y + r}, line, look->bad);
    rv_scene_segment(scene, (rv_point){x - r, y + r}, (rv_point){x + r, y - r}, line, look->bad);
}

static void draw_waiting(const rv_chart *chart, rv_scene *scene) {
    const rv_look *look = &chart->stage->look;
    const rv_model *model = chart->sight->model;
    const rs_trace *trace = model->report->trace;
    const rs_outcome *outcome = &model->report->outcome;
    int64_t busy_until[MOST_LANES] = {0};
    for (int32_t r = 0; r < model->n_ranks; r++) {
        const int64_t late = late_ps(model, r);
        if (late <= 0) continue;
        draw_gap(chart, scene, r, 0, late < chart->to_ps ? late : chart->to_ps, look->warn);
        busy_until[r] = late;
    }
    for (int64_t i = 0; i < trace->n_items; i++) {
        const rs_timed *t = &trace->items[i];
        const int32_t ends[2] = {t->transfer.src, t->transfer.dst};
        const int64_t until[2] = {t->end_ps, t->done_ps};
        for (int e = 0; e < 2; e++) {
            int64_t *busy = &busy_until[ends[e]];
            if (t->start_ps > *busy)
                draw_gap(chart, scene, ends[e], *busy, t->start_ps, look->quiet);
            if (until[e] > *busy) *busy = until[e];
        }
    }
    for (int32_t r = 0; r < model->n_ranks; r++) {
        if (outcome->finish_ps[r] >= 0) continue; /* it has finished: it does not wait */
        if (is_killed(outcome, r)) {
            draw_cross(chart, scene, r, busy_until[r]);
        } else {
            draw_gap(chart, scene, r, busy_until[r], chart->to_ps, look->bad);
        }
    }
}

void rv_diagram_bars(const rv_chart *chart, rv_scene *scene) {
    const rs_trace *trace = chart->sight->model->report->trace;
    const int32_t step = chart->sight->model->step;
    draw_waiting(chart, scene);
    for (int now = 0; now < 2; now++) { /* the step shown lies on top */
        for (int64_t i = 0; i < trace->n_items; i++) {
            if ((trace->items[i].step == step) != (now == 1)) continue;
            draw_bar(chart, scene, &trace->items[i]);
            draw_addition(chart, scene, &trace->items[i]);
        }
    }
}
