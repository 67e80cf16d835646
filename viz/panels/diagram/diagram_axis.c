/* diagram_axis.c: the time axis of a diagram, of runs or of a story's lanes, and its play head.
 *
 *     0        10 ms        20 ms      [30.2 ms]
 */
#include "panels/diagram/diagram.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

/* Returns the smallest 1, 2 or 5 times a power of ten that is at least `least_ps`. */
static int64_t round_time(double least_ps) {
    static const int64_t factors[] = {1, 2, 5};
    for (int64_t power = 1; power < INT64_MAX / 100; power *= 10) {
        for (int i = 0; i < 3; i++) {
            if ((double)(factors[i] * power) >= least_ps) return factors[i] * power;
        }
    }
    return INT64_MAX / 2;
}

/* The ticks of an axis: every `tick_ps` from `first_ps` on. */
typedef struct ticks {
    int64_t first_ps, tick_ps;
    double apart, size; /* of their labels, pixels */
} ticks;

static ticks ticks_of(const rv_chart *chart, rv_box axis) {
    const rv_look *look = &chart->stage->look;
    const double apart = 6 * look->unit, span_ps = (double)(chart->to_ps - chart->from_ps);
    const int64_t tick_ps = round_time(span_ps * apart / fmax(apart, axis.w));
    assert(tick_ps > 0 && chart->to_ps <= INT64_MAX - tick_ps);
    return (ticks){(chart->from_ps + tick_ps - 1) / tick_ps * tick_ps, tick_ps, apart,
                   0.75 * look->unit};
}

/* Writes a tick's label; returns the box in whose middle it stands. */
static rv_box label_tick(const rv_chart *chart, const ticks *t, rv_box axis, int64_t at_ps,
                         char *out, size_t n_out) {
    snprintf(out, n_out, "0");
    if (at_ps > 0) rv_format_time(at_ps, out, n_out);
    return (rv_box){rv_chart_x(chart, at_ps) - t->apart / 2, axis.y + 2, t->apart, axis.h - 2};
}

void rv_diagram_axis(const rv_chart *chart, rv_scene *scene, rv_box axis, rv_box all) {
    const rv_look *look = &chart->stage->look;
    const ticks t = ticks_of(chart, axis);
    for (int64_t at_ps = t.first_ps; at_ps <= chart->to_ps; at_ps += t.tick_ps) {
        const double x = rv_chart_x(chart, at_ps);
        char text[32];
        rv_scene_segment(scene, (rv_point){x, all.y}, (rv_point){x, axis.y + 3}, 1, look->edge);
        const rv_box box = label_tick(chart, &t, axis, at_ps, text, sizeof text);
        if (box.x + box.w > all.x + all.w || axis.h < 0.8 * t.size) continue;
        rv_scene_label(scene, box, RV_MIDDLE, t.size, look->quiet, text);
    }
}

/* Covers the labels of which the play head's chip would leave a part. */
static void cover_ticks(const rv_chart *chart, rv_scene *scene, rv_box axis, rv_box chip) {
    const ticks t = ticks_of(chart, axis);
    for (int64_t at_ps = t.first_ps; at_ps <= chart->to_ps; at_ps += t.tick_ps) {
        char text[32];
        rv_box box = label_tick(chart, &t, axis, at_ps, text, sizeof text);
        if (box.x + box.w > axis.x + axis.w) continue; /* it has none */
        const double w = rv_label_width(text, t.size) * 1.06;
        box = (rv_box){box.x + (box.w - w) / 2, box.y, w, box.h};
        if (box.x < chip.x + chip.w && chip.x < box.x + box.w) {
            rv_scene_rect(scene, box, 0, chart->stage->look.panel);
        }
    }
}

void rv_diagram_head(const rv_chart *chart, rv_scene *scene, rv_box axis, double top) {
    const rv_look *look = &chart->stage->look;
    const int64_t now_ps = chart->now_ps;
    const bool beyond = chart->stage->zoom.span > 0 && now_ps > chart->to_ps;
    if (now_ps < 0 || now_ps < chart->from_ps || beyond) return;
    const double x = rv_chart_x(chart, now_ps < chart->to_ps ? now_ps : chart->to_ps);
    char text[32];
    scene->layer = RV_MOVING;
    rv_scene_line(scene, x, top, x, axis.y + 2, 0.13 * look->unit, look->ink);
    if (axis.h >= 0.8 * look->unit) {
        snprintf(text, sizeof text, "0");
        if (now_ps > 0) rv_format_time(now_ps, text, sizeof text);
        const double size = 0.75 * look->unit, w = rv_label_width(text, size) + look->unit;
        const double left = fmin(axis.x + axis.w - w, fmax(axis.x - w / 2, x - w / 2));
        const rv_box chip = {left, axis.y + 2, w, fmin(axis.h - 2, 1.25 * look->unit)};
        cover_ticks(chart, scene, axis, chip);
        rv_scene_rect(scene, chip, 0.3 * look->unit, look->ink);
        rv_scene_label(scene, chip, RV_MIDDLE, size, look->panel, text);
    }
    scene->layer = RV_STILL;
}
