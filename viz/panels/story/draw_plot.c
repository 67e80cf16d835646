/* draw_plot.c: curves of a story; its bars: plot_bars.c.
 *
 *     +-- Loss (MSE) ------ o ddp  [] dp --+      +-- Memory (GB) --------------+
 *     | 2 |o                               |      | GPU 0  [############]  12.4 |
 *     |   | \o      :                      |      | GPU 1  [####]  4.1          |
 *     | 1 |   \o--o-:-o--o                 |      +-----------------------------+
 *     | 0 +---------:---------- step       |
 *     +------------------------------------+      : the moment shown
 *
 * Series differ in colour and in their marks; some curves are dashed.
 */
#include "panels/draw.h"
#include "panels/story/story_parts.h"
#include "base/containers.h"
#include "text/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Draws the mark of a curve, of radius r: a disc, square or triangle, then a ring, diamond or triangle on its head. */
static void draw_mark(rv_scene *scene, rv_point at, double r, int32_t series, rv_colour ink) {
    const int32_t shape = series < 6 ? series % 3 : 3 + series % 3;
    if (shape == 0) {
        rv_scene_disc(scene, at, r, ink);
    } else if (shape == 3) { /* rings, diamonds, triangles on their heads */
        rv_outline(rv_scene_disc(scene, at, 0.85 * r, 0), ink, 0.5 * r);
    } else if (shape >= 4) {
        const double low = shape == 4 ? 1.25 * r : 1.2 * r, side = shape == 4 ? 0 : -0.8 * r;
        const rv_point corners[4] = {{at.x, at.y + low},
                                     {at.x + 1.15 * r, at.y + side},
                                     {at.x, at.y - (shape == 4 ? 1.25 * r : 0.8 * r)},
                                     {at.x - 1.15 * r, at.y + side}};
        rv_scene_polygon(scene, corners, 4, ink);
    } else if (shape == 1) {
        rv_scene_rect(scene, (rv_box){at.x - 0.9 * r, at.y - 0.9 * r, 1.8 * r, 1.8 * r}, 0, ink);
    } else {
        const rv_point corners[3] = {{at.x, at.y - 1.2 * r},
                                     {at.x + 1.1 * r, at.y + 0.8 * r},
                                     {at.x - 1.1 * r, at.y + 0.8 * r}};
        rv_scene_polygon(scene, corners, 3, ink);
    }
}

enum { TEXT = 160, MOST_MARKS = 40 };

typedef struct axes {
    const rv_stage *stage;
    const rv_plot *plot;
    rv_box area;
    double x0, x1, y0, y1;
} axes;

/* ---------------------------------------------------------------------------------------- marks */

static double name_width(const rv_stage *stage, const rv_plot *plot, int32_t series) {
    const double u = stage->look.unit;
    const char *word = plot->series[series].name != NULL ? plot->series[series].name : "";
    return rv_label_width(word, 0.8 * u) * 1.05 + 1.9 * u;
}

/* Writes a name with its mark at the left of a line. */
static void draw_name(const rv_stage *stage, const rv_plot *plot, int32_t s, rv_scene *scene,
                      rv_box *line) {
    const rv_look *look = &stage->look;
    const double u = look->unit;
    rv_box part = rv_cut_left(line, name_width(stage, plot, s));
    rv_cut_left(&part, 0.6 * u);
    const rv_box sign = rv_cut_left(&part, 0.9 * u);
    draw_mark(scene, rv_centre(sign), 0.26 * u, s, rv_series_ink(stage, plot, s));
    rv_scene_label(scene, part, RV_LEFT, 0.8 * u, look->quiet,
                   plot->series[s].name != NULL ? plot->series[s].name : "");
}

/* Writes the names of the series: at the right end of the line; if they do not fit, in lines cut off the box. */
static void draw_names(const rv_stage *stage, const rv_plot *plot, rv_scene *scene, rv_box line,
                       rv_box *box) {
    const double u = stage->look.unit;
    double all = 0;
    for (int32_t s = 0; s < plot->n_series; s++) all += name_width(stage, plot, s);
    const bool fits = all <= line.w, wraps = !fits && box->h > 5 * u;
    if (wraps) line = rv_cut_top(box, 1.2 * u);
    if (line.w > all) rv_cut_left(&line, line.w - all);
    for (int32_t s = 0; s < plot->n_series; s++) {
        const bool room = line.w >= 0.99 * name_width(stage, plot, s);
        if (!room && (!wraps || box->h <= 5 * u)) return;
        if (!room) line = rv_cut_top(box, 1.2 * u);
        draw_name(stage, plot, s, scene, &line);
    }
}

/* Tells whether each curve's name has room at its end, where no curve can hide it. */
static bool names_its_ends(const rv_stage *stage, const rv_plot *plot, rv_box box) {
    const double u = stage->look.unit;
    return !plot->bars && plot->n_series > 1 && box.w > 30 * u && box.h > (plot->n_series + 4) * u;
}

/* Draws title and series, in one line or in two; cuts their place off the box. */
static void draw_head(const rv_stage *stage, const rv_plot *plot, rv_scene *scene, rv_box *box) {
    const rv_look *look = &stage->look;
    const double u = look->unit;
    char title[TEXT];
    rv_say_plot(plot, title, sizeof title);
    rv_box line = rv_cut_top(box, 1.4 * u);
    const double w = fmin(line.w, rv_label_width(title, 0.9 * u) * 1.06 + 0.6 * u);
    rv_scene_label(scene, rv_cut_left(&line, w), RV_LEFT, 0.9 * u, look->ink, title)->bold = true;
    if (plot->n_series < 2 || names_its_ends(stage, plot, *box)) return;
    draw_names(stage, plot, scene, line, box);
}

/* ----------------------------------------------------------------------------------------- axes */

static bool spans(axes *a) {
    double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY;
    for (int32_t s = 0; s < a->plot->n_series; s++) {
        const rv_series *series = &a->plot->series[s];
        for (int32_t i = 0; i < series->n; i++) {
            if (!isfinite(series->y[i]) || !isfinite(rv_series_x(series, i))) continue;
            x0 = fmin(x0, rv_series_x(series, i)), x1 = fmax(x1, rv_series_x(series, i));
            y0 = fmin(y0, series->y[i]), y1 = fmax(y1, series->y[i]);
        }
    }
    if (!isfinite(x0)) return false;
    if (x1 <= x0) x1 = x0 + 1;
    const rv_axis axis = a->plot->y_axis;
    if (axis == RV_AXIS_PS || (axis == RV_AXIS_NUMBER && y0 > 0 && y0 < 0.6 * y1)) y0 = 0;
    if (y1 <= y0) y1 = y0 + (y0 != 0 ? fabs(y0) : 1), y0 = y0 > 0 ? 0 : y0;
    if (axis == RV_AXIS_TIME) y0 -= 0.04 * (y1 - y0);
    a->x0 = x0, a->x1 = x1, a->y0 = y0, a->y1 = y1 + 0.04 * (y1 - y0);
    return true;
}

static rv_point place(const axes *a, double x, double y) {
    return (rv_point){a->area.x + a->area.w * (x - a->x0) / (a->x1 - a->x0),
                      a->area.y + a->area.h * (1 - (y - a->y0) / (a->y1 - a->y0))};
}

/* Writes where the horizontal lines lie: as many as fit; returns how many. */
static int upright_ticks(const axes *a, double ticks[RV_MOST_TICKS]) {
    const double u = a->stage->look.unit, least = a->area.h > 1.8 * u ? 2 : 1;
    const double fit = fmax(least, floor(a->area.h / (2.2 * u)));
    return rv_axis_ticks(a->plot->y_axis, a->y0, a->y1, fit, ticks);
}

static double numbers_width(const axes *a) {
    double width = 0, ticks[RV_MOST_TICKS];
    const int n = upright_ticks(a, ticks);
    for (int i = 0; i < n; i++) {
        char text[32];
        rv_axis_text(a->plot->y_axis, ticks[i], a->y1 - a->y0, text, sizeof text);
        width = fmax(width, rv_label_width(text, 0.75 * a->stage->look.unit));
    }
    return 1.06 * width;
}

static void draw_upright_axis(const axes *a, rv_scene *scene, double heads) {
    const rv_look *look = &a->stage->look;
    const double u = look->unit, size = 0.75 * u;
    double ticks[RV_MOST_TICKS];
    const int n = upright_ticks(a, ticks);
    for (int i = 0; i < n; i++) {
        char text[32];
        const rv_point at = place(a, a->x0, ticks[i]);
        rv_axis_text(a->plot->y_axis, ticks[i], a->y1 - a->y0, text, sizeof text);
        rv_scene_segment(scene, at, (rv_point){at.x + a->area.w, at.y}, look->hair, look->edge);
        const rv_box box = {a->area.x - heads - 0.4 * u, at.y - 0.6 * size, heads, 1.2 * size};
        rv_scene_label(scene, box, RV_RIGHT, size, look->quiet, text);
    }
}

static void draw_level_axis(const axes *a, rv_scene *scene, rv_box line) {
    const rv_look *look = &a->stage->look;
    const double u = look->unit, size = 0.75 * u;
    const char *name = a->plot->x_name != NULL ? a->plot->x_name : "";
    const double name_w = rv_label_width(name, size) * 1.06;
    const double fit = fmax(1, floor(a->area.w / (4.5 * u)));
    double ticks[RV_MOST_TICKS];
    const int n = rv_axis_ticks(a->plot->x_axis, a->x0, a->x1, fit, ticks);
    bool named = name[0] != '\0' && name_w < 0.6 * line.w;
    for (int i = 0; i < n; i++) {
        char text[64];
        rv_axis_text(a->plot->x_axis, ticks[i], a->x1 - a->x0, text, sizeof text);
        double w = rv_label_width(text, size) * 1.06;
        const double at = place(a, ticks[i], 0).x;
        /* at the very end "16 GPUs", "1 GiB"; before it no name */
        if (named && at + w / 2 + 0.5 * u > line.x + line.w - name_w) {
            const size_t used = strlen(text);
            const bool last = at > a->area.x + a->area.w - 0.5 * u;
            if (last && a->plot->x_axis == RV_AXIS_GPUS)
                snprintf(text, sizeof text, _("%d GPUs"), (int)(ticks[i] + 0.5));
            else if (last && a->plot->x_axis != RV_AXIS_BYTES)
                snprintf(text + used, sizeof text - used, " %s", name);
            w = rv_label_width(text, size) * 1.06;
            named = false;
        }
        const double left = fmax(line.x, fmin(line.x + line.w - w, at - w / 2));
        rv_scene_label(scene, (rv_box){left, line.y, w, line.h}, RV_MIDDLE, size, look->quiet,
                       text);
    }
    if (!named) return;
    rv_scene_label(scene, rv_cut_right(&line, name_w), RV_RIGHT, size, look->quiet, name);
}

/* --------------------------------------------------------------------------------------- curves */

/* Returns how many of the curves that are drawn over series s pass through its points i - 1 and i. */
static int32_t count_over(const axes *a, int32_t s, int32_t i) {
    const rv_series *own = &a->plot->series[s];
    int32_t n = 0;
    for (int32_t t = 0; t < s; t++) {
        const rv_series *over = &a->plot->series[t];
        bool same = true;
        for (int32_t k = i > 0 ? i - 1 : i; k <= i; k++) {
            same = same && k < over->n && rv_series_x(over, k) == rv_series_x(own, k) &&
                   isfinite(over->y[k]) &&
                   fabs(place(a, 0, over->y[k]).y - place(a, 0, own->y[k]).y) < 2;
        }
        n += same;
    }
    return n;
}

/* Draws a curve; where others will lie over it, so wide that its edges are seen beside them. */
static void draw_series(const axes *a, int32_t s, rv_scene *scene) {
    const rv_look *look = &a->stage->look;
    const rv_series *series = &a->plot->series[s];
    const rv_colour ink = rv_series_ink(a->stage, a->plot, s);
    const bool marks = series->n <= MOST_MARKS && a->area.w / fmax(1, series->n) > 0.5 * look->unit;
    rv_point before = {0, 0};
    bool joined = false;
    for (int32_t i = 0; i < series->n; i++) {
        if (!isfinite(series->y[i])) {
            joined = false;
            continue;
        }
        const rv_point at = place(a, rv_series_x(series, i), series->y[i]);
        const bool near = joined && fabs(at.x - before.x) < 0.75 && fabs(at.y - before.y) < 0.75;
        if (near && i + 1 < series->n) continue;
        if (joined) {
            const int32_t over = count_over(a, s, i);
            const double line = (0.14 + 0.16 * over) * look->unit;
            rv_scene_segment(scene, before, at, line, ink)->dashed = s % 2 == 1 && over == 0;
        }
        if (marks) draw_mark(scene, at, 0.22 * look->unit, s, ink);
        before = at;
        joined = true;
    }
}

/* Finds the series' value at x, on the line between two points; false: it has none there. */
static bool value_at(const rv_series *series, double x, double *y) {
    for (int32_t i = 0; i < series->n; i++) {
        if (rv_series_x(series, i) == x && isfinite(series->y[i])) {
            *y = series->y[i];
            return true;
        }
        if (i == 0 || rv_series_x(series, i) < x || rv_series_x(series, i - 1) > x) continue;
        const double from = rv_series_x(series, i - 1), span = rv_series_x(series, i) - from;
        *y = series->y[i - 1] + (series->y[i] - series->y[i - 1]) * (x - from) / span;
        return isfinite(*y);
    }
    return false;
}

static void draw_moment(const axes *a, rv_scene *scene) {
    const rv_look *look = &a->stage->look;
    const rv_plot *plot = a->plot;
    const double u = look->unit, now = plot->at;
    if (now < a->x0 || now > a->x1) return;
    const double x = place(a, now, a->y0).x;
    scene->layer = RV_MOVING;
    rv_scene_line(scene, x, a->area.y, x, a->area.y + a->area.h, 0.1 * u, look->ink);
    for (int32_t s = 0; s < plot->n_series; s++) {
        double y;
        if (!value_at(&plot->series[s], now, &y)) continue;
        rv_outline(
            rv_scene_disc(scene, place(a, now, y), 0.34 * u, rv_series_ink(a->stage, plot, s)),
            look->panel, 2 * look->hair);
        if (plot->n_series > 1) continue;
        char text[32];
        snprintf(text, sizeof text, "%.4g", y);
        const double w = rv_label_width(text, 0.8 * u) + 0.6 * u;
        const rv_point at = place(a, now, y);
        const double left = x + 0.5 * u + w < a->area.x + a->area.w ? x + 0.5 * u : x - 0.5 * u - w;
        const double top = fmax(a->area.y, fmin(at.y - 1.5 * u, a->area.y + a->area.h - 1.3 * u));
        const rv_box chip = {left, top, w, 1.3 * u};
        rv_scene_rect(scene, chip, 0.3 * u, rv_mix(look->panel, look->ink, 0.9));
        rv_scene_label(scene, chip, RV_MIDDLE, 0.8 * u, look->panel, text);
    }
    scene->layer = RV_STILL;
}

/* Draws the points that are named: uprights and rings, then the texts beside them, each lower than the one before. */
static void draw_points(const axes *a, rv_scene *scene) {
    const rv_look *look = &a->stage->look;
    const double u = look->unit, size = 0.85 * u, top = a->area.y, right = a->area.x + a->area.w;
    for (int32_t i = 0; i < a->plot->n_marks; i++) {
        const rv_point at = place(a, a->plot->marks[i].x, a->plot->marks[i].y);
        const rv_point from = {at.x, top}, to = {at.x, top + a->area.h};
        rv_scene_segment(scene, from, to, 1.2 * look->hair, look->ink)->dashed = true;
        rv_outline(rv_scene_disc(scene, at, 0.4 * u, 0), look->ink, 1.6 * look->hair);
    }
    for (int32_t i = 0; i < a->plot->n_marks; i++) {
        const rv_plot_point *mark = &a->plot->marks[i];
        const double x = place(a, mark->x, mark->y).x;
        const double w = rv_label_width(mark->text, size) * 1.06 + 0.6 * u;
        rv_box box = {x + 0.3 * u, top + 1.6 * u * (i % 4), w, 1.4 * u};
        if (box.x + w > right) box.x = x - 0.3 * u - w;
        rv_outline(rv_scene_rect(scene, box, 0.3 * u, look->panel), look->edge, look->hair);
        rv_scene_label(scene, box, RV_MIDDLE, size, look->ink, mark->text)->bold = true;
    }
}

/* Each point's column takes clicks: half-way to the points beside it. */
static void draw_columns(const axes *a, rv_scene *scene) {
    const rv_series *series = &a->plot->series[0];
    double left = a->area.x;
    for (int32_t i = 0; i < series->n; i++) {
        const double next = i + 1 < series->n ? rv_series_x(series, i + 1) : a->x1;
        const double right = i + 1 < series->n ? place(a, (rv_series_x(series, i) + next) / 2, 0).x
                                               : a->area.x + a->area.w;
        rv_scene_rect(scene, (rv_box){left, a->area.y, right - left, a->area.h}, 0, 0)->target =
            rv_target_of(RV_STEP_BAR, i, 0);
        left = right;
    }
}

typedef struct curve_end {
    double y; /* where the name lies */
    int32_t series;
    rv_point at;
} curve_end;

RS_ORDER(from_above, curve_end, y, series);

/* Writes each curve's name at its end, each below the one before, and leads it there. */
static void draw_ends(const axes *a, rv_scene *scene, rv_box names) {
    const double u = a->stage->look.unit, row = 1.05 * u;
    curve_end ends[RV_MOST_SERIES];
    int32_t n = 0;
    for (int32_t s = 0; s < a->plot->n_series; s++) {
        const rv_series *series = &a->plot->series[s];
        int32_t i = series->n;
        while (i > 0 && !isfinite(series->y[i - 1])) i--;
        if (i == 0) continue;
        const rv_point at = place(a, rv_series_x(series, i - 1), series->y[i - 1]);
        ends[n++] = (curve_end){at.y, s, at};
    }
    qsort(ends, (size_t)n, sizeof *ends, from_above);
    double least = names.y + row / 2, most = names.y + names.h - row / 2;
    for (int32_t i = 0; i < n; i++, least += row) least = ends[i].y = fmax(ends[i].y, least);
    for (int32_t i = n; i-- > 0; most -= row) most = ends[i].y = fmin(ends[i].y, most);
    for (int32_t i = 0; i < n; i++) {
        const rv_colour ink = rv_series_ink(a->stage, a->plot, ends[i].series);
        const rv_point to = {names.x + 0.5 * u, ends[i].y};
        rv_box line = {names.x, ends[i].y - row / 2, names.w, row};
        rv_scene_segment(scene, ends[i].at, to, a->stage->look.hair, rv_fade(ink, 0.6));
        draw_name(a->stage, a->plot, ends[i].series, scene, &line);
    }
}

static void draw_curves(const rv_stage *stage, const rv_plot *plot, rv_scene *scene, rv_box box) {
    const rv_look *look = &stage->look;
    const double u = look->unit;
    axes a = {.stage = stage, .plot = plot, .area = box};
    double ends = 0;
    for (int32_t s = 0; s < plot->n_series && names_its_ends(stage, plot, box); s++) {
        ends = fmax(ends, name_width(stage, plot, s));
    }
    const rv_box names = rv_cut_right(&a.area, ends);
    if (!spans(&a)) return;
    rv_box line = rv_cut_bottom(&a.area, fmin(1.3 * u, 0.3 * box.h));
    rv_cut_top(&a.area, 0.3 * u);
    const double heads = numbers_width(&a);
    rv_cut_left(&a.area, heads + 0.4 * u);
    rv_cut_right(&a.area, 0.5 * u);
    line = (rv_box){a.area.x, line.y, a.area.w + 0.5 * u, line.h};
    if (a.area.w < 2 * u || a.area.h < u) return;
    draw_upright_axis(&a, scene, heads);
    draw_level_axis(&a, scene, line);
    for (int32_t s = plot->n_series - 1; s >= 0; s--) draw_series(&a, s, scene);
    if (ends > 0) draw_ends(&a, scene, names);
    draw_points(&a, scene);
    draw_moment(&a, scene);
    if (plot->by_step) draw_columns(&a, scene);
}

void rv_draw_plot(const rv_stage *stage, const rv_plot *plot, rv_scene *scene, rv_box box) {
    const double u = stage->look.unit;
    rv_box inside = rv_draw_panel(stage, scene, box, NULL);
    if (box.h < 5 * u) inside = rv_inset(box, 0.35 * u);
    if (inside.w < 5 * u || inside.h < 2.5 * u) return;
    draw_head(stage, plot, scene, &inside);
    if (plot->bars) {
        rv_draw_bars(stage, plot, scene, inside);
    } else {
        draw_curves(stage, plot, scene, inside);
    }
}
