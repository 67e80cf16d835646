/* draw_numbers.c: the sliders, and the curve of time against the number that was moved last. */
#include "panels/draw.h"
#include "terminal/compose.h"
#include "text/words.h"

#include <math.h>

/* Returns the width of the columns on both sides of the sliders: names and values; below them the
   curve's times and names. */
static double side_of(const rv_stage *stage, rv_box row) {
    return fmin(0.26 * row.w, 5.5 * stage->look.unit);
}

static void draw_slider(const rv_stage *stage, rv_scene *scene, rv_box row, rv_knob knob) {
    const rv_look *look = &stage->look;
    const rv_setup *setup = &stage->what_if->setup;
    const double u = look->unit;
    const rv_target target = rv_target_of(RV_SLIDER, (int32_t)knob, 0);
    const bool turns = rv_knob_turns(setup, knob), chosen = stage->knob == knob;
    const bool hot = rv_same_target(stage->hover, target) || rv_same_target(stage->held, target);
    const rv_colour ink = turns ? look->ink : look->quiet;
    char text[32];
    rv_knob_text(setup, knob, text, sizeof text);
    const double column = side_of(stage, row);
    const rv_box name = rv_cut_left(&row, column), value = rv_cut_right(&row, column);
    const double size = fmin(0.95 * u, 0.7 * row.h);
    const char *word = rv_knob_name(knob);
    if (knob == RV_KNOB_BANDWIDTH && rv_label_width(word, 0.8 * size) > name.w) word = _("BW");
    rv_scene_label(scene, name, RV_LEFT, size, chosen ? look->ink : look->quiet, word)->bold =
        chosen;
    rv_scene_label(scene, value, RV_RIGHT, size, ink, text)->bold = chosen;
    const double knob_r = (hot || chosen ? 0.5 : 0.42) * u;
    const rv_box axis = {row.x + 0.8 * u, row.y, row.w - 1.6 * u, row.h};
    const rv_box line = {axis.x, axis.y + axis.h / 2 - 0.12 * u, axis.w, 0.24 * u};
    const double at = rv_knob_place(setup, knob) * axis.w;
    const rv_colour colour = !turns ? look->faint : chosen ? look->accent : look->quiet;
    rv_scene_rect(scene, line, 0.12 * u, look->raised);
    rv_scene_rect(scene, (rv_box){line.x, line.y, fmax(at, 0.1), line.h}, 0.12 * u, colour);
    rv_outline(rv_scene_disc(scene, (rv_point){axis.x + at, axis.y + axis.h / 2}, knob_r,
                             turns ? colour : look->panel),
               hot && turns ? look->ink : colour, 0.1 * u);
    rv_scene_rect(scene, axis, 0, 0)->target = target;
}

/* ------------------------------------------------------------------------------------- the curve */

typedef struct plot {
    const rv_stage *stage;
    const rv_curve *curve;
    rv_box box;       /* between the axes */
    double low, high; /* logarithms of the times at bottom and top */
} plot;

static rv_point point_at(const plot *p, double place, int64_t time_ps) {
    const double share = (log10((double)time_ps) - p->low) / (p->high - p->low);
    return (rv_point){p->box.x + p->box.w * place,
                      p->box.y + p->box.h * (1 - fmin(1, fmax(0, share)))};
}

/* Draws times at powers of ten, as many as fit, and below the curve the slider's own values. */
static void draw_grid(const plot *p, rv_scene *scene, rv_box times, rv_box values) {
    const rv_look *look = &p->stage->look;
    const double u = look->unit, first = ceil(p->low), decades = floor(p->high) - first + 1;
    const double every = fmax(1, ceil(decades * 1.6 * u / p->box.h));
    char text[32];
    for (double power = first; power <= p->high; power += every) {
        const int64_t time_ps = (int64_t)llround(pow(10, power));
        const rv_point at = point_at(p, 0, time_ps);
        rv_scene_segment(scene, at, (rv_point){at.x + p->box.w, at.y}, look->hair, look->edge);
        rv_format_time(time_ps, text, sizeof text);
        rv_scene_label(scene, (rv_box){times.x, at.y - 0.7 * u, times.w - 0.4 * u, 1.4 * u},
                       RV_RIGHT, 0.8 * u, look->quiet, text);
    }
    double place, after = -1;
    for (int i = 0;
         rv_knob_tick(&p->stage->what_if->setup, p->curve->knob, i, &place, text, sizeof text);
         i++) {
        const double x = p->box.x + p->box.w * place, w = rv_label_width(text, 0.8 * u) + 0.4 * u;
        if (x - w / 2 < after) continue;
        after = x + w / 2;
        rv_scene_label(scene, (rv_box){x - w / 2, values.y, w, values.h}, RV_MIDDLE, 0.8 * u,
                       look->quiet, text);
    }
}

/* Draws a line; returns its right end. */
static rv_point draw_line(const plot *p, rv_scene *scene, int which, rv_colour colour,
                          double width) {
    rv_point points[RV_CURVE_POINTS], last = {0, 0};
    int32_t n = 0;
    for (int32_t i = 0; i < p->curve->n_points; i++) {
        const rv_curve_point *of = &p->curve->points[i];
        const int64_t time_ps = which == 0 ? of->bound_ps : which == 1 ? of->rival_ps : of->own_ps;
        if (time_ps > 0) points[n++] = last = point_at(p, of->place, time_ps);
    }
    if (n < 2) return last;
    rv_outline(rv_scene_polygon(scene, points, n, 0), colour, width)->dashed = which == 0;
    return last;
}

/* Writes the lines' names to their right, moved apart where they would overlap. */
static void draw_names(const plot *p, rv_scene *scene, rv_box side, const rv_point ends[3],
                       const rv_colour colours[3]) {
    const double size = 0.85 * p->stage->look.unit, h = 1.4 * size;
    const char *names[3] = {_("bound"), rv_algorithm_word(p->curve->rival->name),
                            rv_algorithm_word(p->stage->what_if->model->schedule->name)};
    int order[3] = {2, 1, 0}; /* from the top */
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) {
            if (ends[order[k]].y <= ends[order[k + 1]].y) continue;
            const int swapped = order[k];
            order[k] = order[k + 1];
            order[k + 1] = swapped;
        }
    }
    double y = p->box.y - h;
    for (int i = 0; i < 3; i++) {
        const int which = order[i];
        if (ends[which].y <= 0) continue;
        y = fmax(y, ends[which].y - h / 2);
        const double most = p->box.y + p->box.h - h * (2 - i) - h / 2;
        y = fmin(y, most);
        rv_item *name =
            rv_scene_label(scene, (rv_box){side.x + 0.4 * size, y, side.w - 0.4 * size, h}, RV_LEFT,
                           size, colours[which], names[which]);
        name->bold = which == 2;
        y += h;
    }
}

/* Marks the run as it is now. */
static void draw_here(const plot *p, rv_scene *scene, rv_box top) {
    const rv_look *look = &p->stage->look;
    const rs_outcome *outcome = &p->stage->what_if->report->outcome;
    const double u = look->unit;
    const double place = rv_knob_place(&p->stage->what_if->setup, p->curve->knob);
    if (!outcome->completed || outcome->makespan_ps <= 0) return;
    const rv_point at = point_at(p, place, outcome->makespan_ps);
    rv_scene_line(scene, at.x, p->box.y, at.x, p->box.y + p->box.h, look->hair, look->quiet)
        ->dashed = true;
    rv_outline(rv_scene_disc(scene, at, 0.42 * u, look->accent), look->panel, 2 * look->hair);
    char text[32];
    rv_format_time(outcome->makespan_ps, text, sizeof text);
    const double w = rv_label_width(text, 0.95 * u) + 0.8 * u;
    const double x = fmin(fmax(at.x - w / 2, p->box.x), p->box.x + p->box.w - w);
    rv_scene_label(scene, (rv_box){x, top.y, w, top.h}, RV_MIDDLE, 0.95 * u, look->ink, text)
        ->bold = true;
}

static bool knows_own(const rv_curve *curve) {
    for (int32_t i = 0; i < curve->n_points; i++) {
        if (curve->points[i].own_ps > 0) return true;
    }
    return false;
}

static void draw_curve(const rv_stage *stage, rv_scene *scene, rv_box box) {
    const rv_look *look = &stage->look;
    const double u = look->unit, column = side_of(stage, box);
    plot p = {.stage = stage, .curve = &stage->curve};
    rv_cut_top(&box, 0.3 * u);
    rv_box head = rv_cut_top(&box, 1.4 * u), foot = rv_cut_bottom(&box, 1.4 * u);
    const rv_box left = rv_cut_left(&box, column), right = rv_cut_right(&box, column);
    p.box = (rv_box){box.x + 0.8 * u, box.y + 0.3 * u, box.w - 1.6 * u, box.h - 0.6 * u};
    if (p.curve->least_ps <= 0 || !knows_own(p.curve)) {
        rv_scene_labelf(scene, p.box, RV_MIDDLE, u, look->quiet, _("The %s never ends"),
                        rv_collective_word(stage->what_if->model->schedule->collective));
        return;
    }
    p.low = log10((double)p.curve->least_ps) - 0.05;
    p.high = log10((double)p.curve->most_ps) + 0.05;
    const rv_colour colours[3] = {look->quiet, look->quiet, look->accent};
    const double widths[3] = {1.2 * look->hair, 0.12 * u, 0.2 * u};
    rv_point ends[3];
    draw_grid(&p, scene, left, foot);
    for (int i = 0; i < 3; i++) ends[i] = draw_line(&p, scene, i, colours[i], widths[i]);
    draw_names(&p, scene, right, ends, colours);
    draw_here(&p, scene, head);
    rv_scene_label(scene, (rv_box){left.x, head.y, left.w, head.h}, RV_LEFT, 0.85 * u, look->quiet,
                   _("Time"));
}

static void draw(rv_stage *stage, rv_scene *scene, rv_box box) {
    const double u = stage->look.unit, least = 7 * u;
    const rs_algorithm *rival = stage->pairing->races ? stage->other->setup.algorithm : NULL;
    rv_curve_take(&stage->curve, stage->what_if, rival, stage->knob);
    rv_box inside = rv_draw_panel(stage, scene, box, box.h >= 9 * u ? _("Numbers") : NULL);
    const double row = fmin(fmax(24, 1.9 * u), inside.h / RV_N_KNOBS);
    for (int knob = 0; knob < RV_N_KNOBS; knob++) {
        draw_slider(stage, scene, rv_cut_top(&inside, row), (rv_knob)knob);
    }
    if (inside.h >= least && stage->curve.n_points > 1) draw_curve(stage, scene, inside);
}

static const rv_stroke sign[] = {{RV_LINE, {-0.85, -0.45, 0.85, -0.45, 0.16}}, /* two sliders */
                                 {RV_LINE, {-0.85, 0.45, 0.85, 0.45, 0.16}},
                                 {RV_DOT, {-0.3, -0.45, 0.3}},
                                 {RV_DOT, {0.35, 0.45, 0.3}},
                                 {0}};

const rv_panel rv_panel_numbers = {.word = "numbers",
                                   .name = N_("Numbers"),
                                   .key = "n",
                                   .help = N_("show the sliders"),
                                   .sign = sign,
                                   .fits = rv_has_model,
                                   .place = RV_PLACE_BESIDE,
                                   .right = true,
                                   .least = 7.5,
                                   .weight = 3,
                                   .draw = draw,
                                   .lines = rv_number_lines,
                                   .compose = rv_compose_numbers};
