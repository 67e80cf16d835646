/* draw_lanes.c: a story's timeline: who works on what, who waits; with the diagram's time axis.
 *
 *     +-- Timeline ------------------- # forward  = backward  // waits --+
 *     | GPU 0       [####][=====]//////[####]                            |
 *     | GPU 0 comm        [2 ][1 ][0 ]                                   |
 *     |             0      10 ms      20 ms  [30.2 ms]                   |
 *     +------------------------------------------------------------------+
 *
 *   - A kind has the colour of its tone; its hatching tells it from other kinds of that tone.
 *   - The spans of the moment stand out; a click on a span shows its moment.
 *   - If there are more spans than pixels can show, each pixel shows the kind that fills most of
 *     it.
 */
#include "panels/diagram/diagram.h"
#include "panels/story/story_parts.h"
#include "text/words.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_BARS = 3000 };

/* --------------------------------------------------------------------------------------- kinds */

typedef struct kind_look {
    rv_colour fill, hatch;
    rv_pattern pattern;
} kind_look;

/* Returns a kind's look: the n-th kind of a tone has the n-th pattern; a kind marked `hatched` is
   never plain. */
static kind_look look_of(const rv_look *look, const rv_story *story, int32_t kind) {
    static const rv_pattern patterns[] = {RV_SOLID, RV_RISING, RV_DOTS, RV_UPRIGHT, RV_CROSSED};
    const rv_kind *k = &story->kinds[kind];
    int n = 0;
    for (int32_t i = 0; i < kind; i++) {
        n += story->kinds[i].tone == k->tone && story->kinds[i].hatched == k->hatched;
    }
    kind_look made = {.fill = rv_tone_fill(look, k->tone), .pattern = patterns[n % 5]};
    made.hatch = rv_fade(look->panel, 0.5);
    if (k->hatched) {
        made.pattern = n == 0 ? RV_FALLING : RV_CHECKS;
        made.fill = rv_mix(look->panel, made.fill, k->tone == RV_TONE_QUIET ? 0.7 : 0.4);
        made.hatch =
            rv_fade(k->tone == RV_TONE_QUIET ? look->quiet : rv_tone_fill(look, k->tone), 0.6);
    }
    return made;
}

static double kind_width(const rv_stage *stage, int32_t kind) {
    const double u = stage->look.unit;
    return rv_label_width(rv_kind_word(rv_stage_story(stage), kind), 0.8 * u) * 1.05 + 2.6 * u;
}

static double legend_width(const rv_stage *stage) {
    double all = 0;
    for (int32_t k = 0; k < rv_count_kinds(rv_stage_story(stage)); k++) all += kind_width(stage, k);
    return all;
}

static void draw_kinds(const rv_stage *stage, rv_scene *scene, rv_box line) {
    const rv_look *look = &stage->look;
    const rv_story *story = rv_stage_story(stage);
    const double u = look->unit;
    if (line.w > legend_width(stage)) rv_cut_left(&line, line.w - legend_width(stage));
    for (int32_t k = 0; k < rv_count_kinds(story); k++) {
        const double w = kind_width(stage, k);
        if (line.w < 0.999 * w) return;
        rv_box part = rv_cut_left(&line, w);
        const kind_look dress = look_of(look, story, k);
        rv_cut_left(&part, 0.5 * u);
        rv_box swatch = rv_cut_left(&part, 1.3 * u);
        swatch = (rv_box){swatch.x, swatch.y + swatch.h / 2 - 0.35 * u, swatch.w, 0.7 * u};
        rv_hatch(rv_scene_rect(scene, swatch, 0.12 * u, dress.fill), dress.pattern, dress.hatch);
        rv_cut_left(&part, 0.3 * u);
        rv_scene_label(scene, part, RV_LEFT, 0.8 * u, look->quiet, rv_kind_word(story, k));
    }
}

/* ---------------------------------------------------------------------------------------- works */

static rv_story lanes_of(const rv_stage *stage) {
    return rv_lanes_now(rv_stage_story(stage), rv_stage_frame(stage));
}

static bool is_known(const rv_story *story, const rv_work_span *work) {
    return work->lane >= 0 && work->lane < story->n_lanes && work->kind >= 0 &&
           work->kind < rv_count_kinds(story);
}

static void draw_work(const rv_chart *chart, const rv_work_span *work, int32_t step,
                      rv_scene *scene) {
    const rv_stage *stage = chart->stage;
    const rv_look *look = &stage->look;
    const double x0 = rv_chart_x(chart, work->start_ps), x1 = rv_chart_x(chart, work->end_ps);
    const bool lit = step >= 0 && work->step == step, dim = step >= 0 && !lit && work->step >= 0;
    const kind_look dress = look_of(look, rv_stage_story(stage), work->kind);
    const double gap = x1 - x0 > 4 ? 0.5 : 0, h = chart->bar;
    const rv_box box = {x0 + gap, rv_chart_y(chart, work->lane) - h / 2,
                        fmax(0.75, x1 - x0 - 2 * gap), h};
    rv_item *item = rv_hatch(rv_scene_rect(scene, box, x1 - x0 > 6 ? 0.15 * h : 0,
                                           dim ? rv_mix(look->panel, dress.fill, 0.5) : dress.fill),
                             dress.pattern, dress.hatch);
    if (lit && h > 5) {
        rv_outline(item, look->ink, 1.5 * look->hair);
    }
    const rv_target target =
        work->step >= 0 ? rv_target_of(RV_STEP_BAR, work->step, 0) : (rv_target){0};
    item->target = target;
    if (work->label == NULL) return;
    const double size = fmin(0.72 * h, 0.8 * look->unit);
    if (size < 0.5 * look->unit || rv_label_width(work->label, size) + 0.3 * size > box.w) return;
    rv_item *label = rv_scene_label(
        scene, box, RV_MIDDLE, size,
        rv_ink_upon(dim ? rv_mix(look->panel, dress.fill, 0.5) : dress.fill), work->label);
    label->bold = lit;
    label->target = target;
}

/* Returns the step whose spans stand out; -1: none do: at the start, at the end, or if the step has
   no span. */
static int32_t lit_step(const rv_story *story, int32_t step) {
    if (step < 0 || step >= story->n_steps) return -1;
    for (int64_t i = 0; i < story->n_spans; i++) {
        if (story->spans[i].step == step) return step;
    }
    return -1;
}

static void draw_works(const rv_chart *chart, const rv_story *story, int32_t step,
                       rv_scene *scene) {
    for (int now = 0; now < 2; now++) { /* the moment's own spans lie on top */
        for (int64_t i = 0; i < story->n_spans; i++) {
            const rv_work_span *work = &story->spans[i];
            if (!is_known(story, work) || (work->step == step) != (now == 1)) continue;
            draw_work(chart, work, step, scene);
        }
    }
}

/* The kind that fills most of each pixel. A row is a lane, or several if lanes are thinner than a
   pixel. */
typedef struct pixels {
    int32_t columns, rows;
    double *most;   /* the share that it fills */
    int32_t *which; /* 0: nothing; else 1 + 2 * kind + (1 if it belongs to the moment) */
} pixels;

static void fill_pixels(const rv_chart *chart, const rv_story *story, int32_t step, pixels *p) {
    for (int64_t i = 0; i < story->n_spans; i++) {
        const rv_work_span *work = &story->spans[i];
        if (!is_known(story, work)) continue;
        const int64_t row = (int64_t)work->lane * p->rows / story->n_lanes;
        const double x0 = rv_chart_x(chart, work->start_ps) - chart->lanes.x;
        const double x1 = rv_chart_x(chart, work->end_ps) - chart->lanes.x;
        const int32_t what = 1 + 2 * work->kind + (work->step >= 0 && work->step == step);
        for (int32_t x = (int32_t)fmax(0, x0); x < p->columns && x < x1; x++) {
            const double share = fmin(x1, x + 1) - fmax(x0, x);
            const int64_t at = row * p->columns + x;
            if (share <= p->most[at]) continue;
            p->most[at] = share;
            p->which[at] = what;
        }
    }
}

static void paint_row(const rv_chart *chart, const rv_story *story, const pixels *p, int32_t row,
                      bool all_lit, rv_colour out[]) {
    const rv_look *look = &chart->stage->look;
    rv_colour fills[RV_MOST_KINDS];
    for (int32_t k = 0; k < rv_count_kinds(story); k++) fills[k] = look_of(look, story, k).fill;
    for (int32_t x = 0; x < p->columns; x++) {
        const int64_t at = (int64_t)row * p->columns + x;
        const int32_t what = p->which[at] - 1;
        const bool lit = all_lit || what % 2 == 1;
        const double share = fmin(1, p->most[at]) * (lit ? 1 : 0.6);
        out[x] = what < 0 ? look->panel : rv_mix(look->panel, fills[what / 2], share);
    }
}

static void draw_pixels(const rv_chart *chart, const rv_story *story, int32_t step,
                        rv_scene *scene) {
    const rv_box lanes = chart->lanes;
    const bool apart = chart->lane >= 5;
    pixels p = {.columns = (int32_t)fmax(1, lanes.w),
                .rows = (int32_t)fmin(story->n_lanes, fmax(1, lanes.h))};
    const size_t n = (size_t)p.columns * (size_t)p.rows;
    p.most = calloc(n, sizeof *p.most);
    p.which = calloc(n, sizeof *p.which);
    if (p.most != NULL && p.which != NULL) {
        rv_colour *out = NULL;
        fill_pixels(chart, story, step, &p);
        if (!apart) rv_scene_grid(scene, lanes, p.columns, p.rows, &out);
        for (int32_t row = 0; row < p.rows; row++) {
            const rv_box bar = {lanes.x, rv_chart_y(chart, row) - chart->bar / 2, lanes.w,
                                chart->bar};
            if (apart) rv_scene_grid(scene, bar, p.columns, 1, &out);
            if (out == NULL) break;
            paint_row(chart, story, &p, row, step < 0,
                      apart ? out : out + (size_t)row * (size_t)p.columns);
        }
    } else {
        scene->failed = true;
    }
    free(p.most);
    free(p.which);
}

/* ---------------------------------------------------------------------------------------- panel */

static double heads_width(const rv_stage *stage, double most) {
    const rv_story seen = lanes_of(stage), *story = &seen;
    double width = 0;
    for (int32_t lane = 0; lane < story->n_lanes; lane++) {
        char name[RV_LANE_NAME];
        rv_lane_text(story, lane, name, sizeof name);
        width = fmax(width, rv_label_width(name, 0.8 * stage->look.unit));
    }
    return fmin(width * 1.06, most);
}

static void draw_heads(const rv_chart *chart, const rv_story *story, rv_scene *scene,
                       rv_box heads) {
    const rv_look *look = &chart->stage->look;
    const double size = fmin(0.8 * look->unit, fmax(0.6 * look->unit, 0.8 * chart->lane));
    double free_from = 0; /* below the name before */
    const int32_t every = rv_every(chart->lane, 1.1 * size);
    for (int32_t lane = 0; lane < story->n_lanes; lane++) {
        const double y = rv_chart_y(chart, lane), h = fmin(1.2 * size, heads.h);
        if (chart->lane >= 4.5) {
            rv_scene_segment(scene, (rv_point){chart->lanes.x, y},
                             (rv_point){chart->lanes.x + chart->lanes.w, y}, 1, look->edge);
        }
        if (lane % every != 0) continue;
        const rv_box box = {heads.x, fmax(heads.y, fmin(heads.y + heads.h - h, y - h / 2)), heads.w,
                            h};
        if (box.y < free_from) continue;
        free_from = box.y + 1.1 * size;
        char name[RV_LANE_NAME];
        rv_lane_text(story, lane, name, sizeof name);
        rv_scene_label(scene, box, RV_RIGHT, size, look->quiet, name);
    }
}

double rv_lanes_height(const rv_stage *stage) {
    const rv_story seen = lanes_of(stage), *story = &seen;
    return story->n_lanes > 0 ? (1.65 * story->n_lanes + 1.4 + 1.4 + 1.3) * stage->look.unit : 0;
}

void rv_draw_lanes(const rv_stage *stage, rv_scene *scene, rv_box box) {
    const rv_story seen = lanes_of(stage), *story = &seen;
    const rv_look *look = &stage->look;
    const double u = look->unit;
    const char *title = _("Timeline");
    const bool titled = box.h > 6 * u;
    rv_box inside = rv_draw_panel(stage, scene, box, titled ? title : NULL);
    const double name = rv_label_width(title, 0.85 * u) * 1.06 + u;
    rv_box line = {inside.x + name, inside.y - 1.3 * u, inside.w - name, 1.3 * u};
    if (titled && line.w < legend_width(stage) && box.h > 9 * u) {
        line = rv_cut_bottom(&inside, 1.3 * u); /* a line of its own */
        rv_cut_bottom(&inside, 0.2 * u);
    }
    if (titled) draw_kinds(stage, scene, line);
    rv_cut_right(&inside, 0.4 * u);
    if (inside.w < 6 * u || inside.h < 1.5 * u) return;
    const rv_box heads = rv_cut_left(&inside, heads_width(stage, 0.25 * inside.w));
    rv_cut_left(&inside, 0.5 * u);
    const rv_box axis = rv_cut_bottom(&inside, fmin(1.4 * u, 0.3 * inside.h));
    rv_chart chart = {.stage = stage,
                      .lanes = inside,
                      .to_ps = story->end_ps > 0 ? story->end_ps : 1,
                      .now_ps = rv_main_run(stage).now_ps};
    chart.lane = inside.h / story->n_lanes;
    chart.bar = chart.lane < 5 ? chart.lane : fmin(1.25 * u, 0.74 * chart.lane);
    rv_diagram_axis(&chart, scene, axis, inside);
    draw_heads(&chart, story, scene, (rv_box){heads.x, inside.y, heads.w, inside.h});
    const int32_t step = lit_step(story, rv_position_of(&stage->playback).step);
    if (story->n_spans <= MOST_BARS) {
        draw_works(&chart, story, step, scene);
    } else {
        draw_pixels(&chart, story, step, scene);
    }
    rv_diagram_head(&chart, scene, axis, inside.y);
}
