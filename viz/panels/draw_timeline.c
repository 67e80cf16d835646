/* draw_timeline.c: all steps on a line, on which the reader can click and drag.
 *
 *       Scatter-reduce           All-gather            bands: the phases; a click on a name goes to
 *       its start
 *     o [ 0 | 1 | 2 | 3 ][ 4 | 5 | 6 | 7 ] o           o: the start, the end
 *               (3)                                    the knob shows the step's number
 */
#include "panels/draw.h"

#include <math.h>
#include <stdio.h>

typedef struct line {
    const rv_stage *stage;
    int32_t step, n_steps, still; /* still: from here on nothing happens any more */
    rv_box head, axis, tail;      /* start, steps, end */
    double step_w;
} line;

static double place_of(const line *l, double at) {
    return l->axis.x + l->axis.w * fmin(1, at / fmax(1, l->n_steps));
}

/* Draws a phase: its band and, if there is room, its name. */
static void draw_band(const line *l, rv_scene *scene, rv_box names, rv_colour ink, int32_t first,
                      int32_t after, const char *title) {
    const rv_look *look = &l->stage->look;
    const double u = look->unit;
    const double x = place_of(l, first), w = place_of(l, after) - x;
    const rv_box band = {x, l->axis.y, w, l->axis.h};
    rv_scene_rect(scene, band, 0.2 * u, rv_mix(look->raised, ink, 0.16));
    const rv_box name = {x, names.y, w, names.h};
    if (names.h <= 0 || rv_label_width(title, 0.85 * u) > w) return;
    rv_scene_label(scene, name, RV_LEFT, 0.85 * u, look->quiet, title)->target =
        rv_target_of(RV_STEP_BAR, first, 0);
}

/* Hatches the steps that a run that stalls never reaches. */
static void draw_unreached(const line *l, rv_scene *scene) {
    const rv_look *look = &l->stage->look;
    const double x = place_of(l, l->still);
    if (l->still >= l->n_steps) return;
    rv_hatch(rv_scene_rect(scene, (rv_box){x, l->axis.y, l->axis.x + l->axis.w - x, l->axis.h},
                           0.2 * look->unit, look->raised),
             RV_RISING, rv_fade(look->bad, 0.5));
}

/* Draws the bands of the phases, or (done >= 0) what is done of them, so many pixels, each in its colour. */
static void draw_bands(const line *l, rv_scene *scene, rv_box names, double done) {
    const rv_subject *subject = &l->stage->playback.subject;
    const rv_look *look = &l->stage->look;
    const int32_t rank = l->stage->playback.rank;
    rv_phase phase = {0}, next;
    int32_t n = 0;
    while (subject->kind->phase(subject, rank, n, &phase)) n++;
    if (done < 0) rv_scene_rect(scene, l->axis, 0.2 * look->unit, look->raised);
    for (int32_t i = 0; i < n || i == 0; i++) { /* without phases one band */
        const bool named = subject->kind->phase(subject, rank, i, &phase);
        const bool last = i + 1 >= n || !subject->kind->phase(subject, rank, i + 1, &next);
        const bool odd = i % 2 == 1 && n < l->n_steps; /* steps that are all named are no phases */
        const rv_colour ink = odd ? look->good : look->accent;
        const int32_t after = last ? l->n_steps : next.first_step;
        if (done < 0) {
            if (named) draw_band(l, scene, names, ink, phase.first_step, after, phase.name);
            continue;
        }
        const double x = place_of(l, named ? phase.first_step : 0);
        const double w = fmin(place_of(l, after), l->axis.x + done) - x;
        if (w > 0) {
            rv_scene_rect(scene, (rv_box){x, l->axis.y, w, l->axis.h}, 0.2 * look->unit,
                          rv_fade(ink, 0.35));
        }
    }
}

/* Writes the steps' numbers. If each step has one, draws a tick between steps; else ticks would run
   through the numbers. The knob has the number of the step shown. */
static void draw_ticks(const line *l, rv_scene *scene) {
    const rv_look *look = &l->stage->look;
    const double u = look->unit;
    int32_t every = 1; /* 1, 2, 5, 10, 20, ... */
    for (int i = 0; every * l->step_w < 2.4 * u; i++)
        every = i % 3 == 1 ? every / 2 * 5 : every * 2;
    for (int32_t step = 0; step < l->n_steps; step++) {
        const double x = l->axis.x + l->step_w * step;
        if (step > 0 && every == 1) {
            rv_scene_segment(scene, (rv_point){x, l->axis.y + 1},
                             (rv_point){x, l->axis.y + l->axis.h - 1}, look->hair, look->panel);
        }
        if (step % every != 0 || step == l->step) continue;
        char number[16];
        snprintf(number, sizeof number, "%d", (int)step);
        const double w = rv_label_width(number, 0.8 * u) + 0.3 * u;
        const double first = l->axis.x, last = l->axis.x + l->axis.w - w;
        const rv_box box = {fmin(last, fmax(first, x + l->step_w / 2 - w / 2)), l->axis.y, w,
                            l->axis.h};
        rv_scene_label(scene, box, RV_MIDDLE, 0.8 * u, look->quiet, number);
    }
}

/* Draws a small stop at either end, for start and end; two of the buttons below lead there, too. */
static void draw_ends(const line *l, rv_scene *scene) {
    const rv_look *look = &l->stage->look;
    const rv_target ends[2] = {rv_target_of(RV_STEP_BAR, -1, 0),
                               rv_target_of(RV_STEP_BAR, l->n_steps, 0)};
    const rv_box boxes[2] = {l->head, l->tail};
    for (int i = 0; i < 2; i++) {
        const bool hot = rv_same_target(l->stage->hover, ends[i]);
        rv_scene_disc(scene, rv_centre(boxes[i]), 0.3 * look->unit,
                      hot ? look->accent : look->faint);
        rv_scene_rect(scene, boxes[i], 0, 0)->target = ends[i];
    }
}

/* Draws the part of the line that is done, and the knob with the step's number. */
static void draw_knob(const line *l, rv_scene *scene) {
    const rv_look *look = &l->stage->look;
    const double u = look->unit, h = l->axis.h + 0.4 * u, y = l->axis.y - 0.2 * u;
    const bool start = l->step < 0, end = l->step >= l->n_steps;
    const double at = end ? l->n_steps : l->step + l->stage->progress;
    const double x = place_of(l, start ? 0 : at);
    const double done = fmin(x, place_of(l, l->still)) - l->axis.x;
    draw_bands(l, scene, (rv_box){0}, fmax(0, done));
    char number[16] = "";
    if (!start && !end) snprintf(number, sizeof number, "%d", (int)l->step);
    const double w = fmax(h, rv_label_width(number, u) + 0.9 * u);
    rv_point centre = {x, l->axis.y + l->axis.h / 2};
    if (l->step_w > w) { /* keep it within its step, so that it hides no other step's number */
        centre.x = place_of(l, l->step) + w / 2 + (l->step_w - w) * l->stage->progress;
    }
    if (start) centre.x = rv_centre(l->head).x;
    if (end) centre.x = rv_centre(l->tail).x;
    const rv_box knob = {centre.x - w / 2, y, w, h};
    rv_outline(
        rv_scene_rect(scene, knob, h / 2,
                      l->step >= l->still && l->still < l->n_steps ? look->bad : look->accent),
        look->panel, 2 * look->hair);
    if (start || end) {
        rv_scene_disc(scene, centre, 0.3 * u, look->accent_ink);
    } else {
        rv_scene_label(scene, knob, RV_MIDDLE, u, look->accent_ink, number)->bold = true;
    }
}

void rv_draw_timeline(const rv_stage *stage, rv_scene *scene, rv_box box) {
    if (stage->other != NULL) {
        rv_draw_race_line(stage, scene, box);
        return;
    }
    const double u = stage->look.unit;
    line l = {.stage = stage,
              .step = rv_position_of(&stage->playback).step,
              .n_steps = stage->playback.subject.n_steps};
    const rv_model *model = stage->playback.subject.model;
    l.still = model != NULL && !model->report->outcome.completed ? rv_still_from(model) : l.n_steps;
    rv_box names = {0};
    if (box.h > 2.4 * u) names = rv_cut_top(&box, 1.2 * u);
    rv_cut_top(&box, 0.2 * u);
    rv_cut_bottom(&box, 0.2 * u);
    const double end = fmax(24, 2 * u);
    l.head = rv_cut_left(&box, end);
    l.tail = rv_cut_right(&box, end);
    rv_cut_left(&box, 0.3 * u);
    rv_cut_right(&box, 0.3 * u);
    l.axis = box;
    l.step_w = box.w / fmax(1, l.n_steps);
    draw_bands(&l, scene, names, -1);
    draw_unreached(&l, scene);
    draw_ticks(&l, scene);
    draw_ends(&l, scene);
    scene->layer = RV_MOVING;
    draw_knob(&l, scene);
    rv_scene_rect(scene, l.axis, 0, 0)->target = rv_target_of(RV_TIMELINE, 0, 0);
    scene->layer = RV_STILL;
}
