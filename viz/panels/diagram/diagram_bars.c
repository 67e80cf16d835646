/* diagram_bars.c: the transfers as slanted bars, the gaps between them as waiting.
 *
 *     start_ps, sender's lane     *----*
 *                                  \    \        upright ends: each edge is a time
 *     end_ps, receiver's lane       *----*[add]  until done_ps, if adding takes time
 *
 *   - In a ring the last GPU's bar leaves at the bottom and comes in again at the top.
 *   - Where messages share a machine's wires a bar is as thick as its share at that time: two at
 *     half speed are half as thick for twice as long.
 */
#include "panels/diagram/diagram.h"

#include <math.h>
#include <stdio.h>

enum { MOST_BARS = 1600, MOST_LANES = 64 };

rv_colour rv_diagram_hue(const rv_look *look, int effect) {
    return effect == RS_COPY ? look->good : look->accent;
}

bool rv_diagram_has_bars(const rv_chart *chart) {
    const rv_model *model = chart->run->model;
    const double shown = chart->stage->zoom.span > 0 ? chart->stage->zoom.span : 1;
    const double n = (double)model->report->trace->n_items * shown;
    const bool few = n <= 4 * model->n_ranks; /* few bars, or long ones, do not merge */
    const bool are_long = chart->lanes.w >= 3.6 * chart->stage->look.unit * model->n_steps * shown;
    const double least = few || are_long ? 0.2 * chart->stage->look.unit : 6;
    return model->n_ranks <= MOST_LANES && chart->lane >= least && n <= MOST_BARS;
}

/* ------------------------------------------------------------------------------------------ bars */

/* Sets how a bar looks: strong in the step shown, weaker in steps before, pale in steps to come. */
static void dress(const rv_chart *chart, const rs_timed *t, rv_item *item) {
    const rv_look *look = &chart->stage->look;
    const rv_model *model = chart->run->model;
    const rv_colour hue = rv_diagram_hue(look, t->transfer.effect);
    const bool now = t->step == model->step, past = t->step < model->step;
    const double depth = now ? 1 : past ? 0.42 : 0.14;
    item->fill = rv_mix(look->panel, hue, depth);
    rv_outline(item, rv_mix(look->panel, hue, now ? 1 : past ? 0.6 : 0.4), 0.06 * look->unit);
    if (t->transfer.effect == RS_COPY) { /* colour is never alone */
        rv_hatch(item, RV_RISING, rv_fade(look->panel, now ? 0.45 : 0.6));
    }
    if (rv_is_lit(chart->stage, t->transfer.src, t->transfer.chunk)) {
        rv_outline(item, look->ink, 0.13 * look->unit);
    }
    item->target = rv_transfer_target(chart->run, t->step, t->transfer.src, t->transfer.chunk);
}

/* A bar's way through the lanes: its middle line, and what of it is seen. */
typedef struct bar_line {
    double x0, y0, x1, y1;
    double top, bottom; /* the rest is cut off: a bar may leave the lanes */
} bar_line;

/* Draws the part of a bar between two shares of its length, so thick. */
static void draw_piece(const rv_chart *chart, rv_scene *scene, const rs_timed *t,
                       const bar_line *line, const double shares[2], double thick) {
    const double half = thick / 2, w = line->x1 - line->x0, h = line->y1 - line->y0;
    const rv_point a = {line->x0 + shares[0] * w, line->y0 + shares[0] * h};
    const rv_point b = {line->x0 + shares[1] * w, line->y0 + shares[1] * h};
    const rv_point all[4] = {
        {a.x, a.y - half}, {b.x, b.y - half}, {b.x, b.y + half}, {a.x, a.y + half}};
    rv_point some[8], rest[8];
    int n = rv_cut_polygon(all, 4, false, line->top, false, some);
    n = rv_cut_polygon(some, n, false, line->bottom, true, rest);
    if (n > 2) dress(chart, t, rv_scene_polygon(scene, rest, n, 1));
}

/* Returns a message's share of its wires at a part of its pace: a line is always seen. */
static double thickness(const rv_chart *chart, int32_t permille) {
    return fmax(fmin(chart->bar, 1.5), chart->bar * permille / 1000);
}

/* Draws a bar as thick as its share of the wires, part after part. */
static void draw_parts(const rv_chart *chart, rv_scene *scene, const rs_timed *t,
                       const bar_line *line) {
    const rv_model *model = chart->run->model;
    const rv_pace *pace = chart->pace;
    const int64_t item = t - model->report->trace->items;
    const int64_t first = pace != NULL ? pace->first[item] : 0;
    const int64_t end = pace != NULL ? pace->first[item + 1] : 0;
    const double whole = (double)(t->end_ps - t->start_ps);
    if (first == end || whole <= 0) {
        draw_piece(chart, scene, t, line, (double[]){0, 1}, chart->bar);
        return;
    }
    double from = 0;
    for (int64_t i = first; i < end; i++) {
        const int64_t to_ps = i + 1 < end ? pace->parts[i + 1].from_ps : t->end_ps;
        const double to = (double)(to_ps - t->start_ps) / whole;
        draw_piece(chart, scene, t, line, (double[]){from, to},
                   thickness(chart, pace->parts[i].permille));
        from = to;
    }
}

/* Returns how thick a bar is where it is thinnest. */
static double thinnest(const rv_chart *chart, const rs_timed *t) {
    const rv_pace *pace = chart->pace;
    const int64_t item = t - chart->run->model->report->trace->items;
    int32_t least = 1000;
    for (int64_t i = pace ? pace->first[item] : 0; pace && i < pace->first[item + 1]; i++) {
        if (pace->parts[i].permille < least) least = pace->parts[i].permille;
    }
    return thickness(chart, least);
}

/* Names the chunk inside its bar, if it fits: near the sender, since bars cross farther on; in a
   ring, where none cross, in the middle. */
static void draw_chunk(const rv_chart *chart, rv_scene *scene, const rs_timed *t, rv_box along) {
    const rv_look *look = &chart->stage->look;
    const rv_model *model = chart->run->model;
    const double thick = thinnest(chart, t), size = fmin(0.8 * look->unit, 0.92 * thick);
    const bool now = t->step == model->step;
    char text[32];
    if (t->step > model->step || (now && chart->run->hidden) || size < 0.55 * look->unit) return;
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
    if (slope * w + h > 1.15 * thick || at * along.w < w / 2) return;
    const rv_point c = {along.x + at * along.w, along.y + at * along.h};
    const rv_box box = {c.x - w / 2, c.y - 0.7 * size, w, 1.4 * size};
    rv_scene_label(scene, box, RV_MIDDLE, size, now ? look->accent_ink : look->ink, text)->bold =
        now;
}

static void draw_bar(const rv_chart *chart, rv_scene *scene, const rs_timed *t) {
    const rs_transfer *m = &t->transfer;
    const rv_model *model = chart->run->model;
    const double x0 = rv_chart_x(chart, t->start_ps);
    const double x1 = fmax(x0 + 0.5, rv_chart_x(chart, t->end_ps));
    const double y0 = rv_chart_y(chart, m->src), y1 = rv_chart_y(chart, m->dst);
    const bool wraps = model->schedule->fixed_neighbours && m->src == model->n_ranks - 1 &&
                       m->dst == 0 && model->n_ranks > 2;
    if (wraps) { /* leaves below the last lane and comes in above the first */
        const double top = chart->lanes.y, bottom = top + chart->lanes.h;
        const bar_line out = {x0, y0, x1, y0 + chart->lane, top, bottom};
        const bar_line in = {x0, y1 - chart->lane, x1, y1, top, bottom};
        draw_parts(chart, scene, t, &out);
        draw_parts(chart, scene, t, &in);
        return;
    }
    const bar_line line = {x0, y0, x1, y1, -INFINITY, INFINITY};
    draw_parts(chart, scene, t, &line);
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
                   t->step == chart->run->model->step ? look->accent_ink : look->ink, "+");
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
    rv_hatch(rv_scene_rect(scene, box, 0, rv_mix(chart->stage->look.panel, ink, 0.2)), RV_FALLING,
             rv_fade(ink, 0.55));
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
    const rv_model *model = chart->run->model;
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
        if (rv_is_killed(outcome, r)) {
            draw_cross(chart, scene, r, busy_until[r]);
        } else {
            draw_gap(chart, scene, r, busy_until[r], chart->to_ps, look->bad);
        }
    }
}

void rv_diagram_bars(const rv_chart *chart, rv_scene *scene) {
    const rs_trace *trace = chart->run->model->report->trace;
    const int32_t step = chart->run->model->step;
    draw_waiting(chart, scene);
    for (int now = 0; now < 2; now++) { /* the step shown lies on top */
        for (int64_t i = 0; i < trace->n_items; i++) {
            const rs_timed *t = &trace->items[i];
            if ((t->step == step) != (now == 1)) continue;
            if (t->done_ps < chart->from_ps || t->start_ps > chart->to_ps) continue;
            draw_bar(chart, scene, t);
            draw_addition(chart, scene, t);
        }
    }
}
