/* draw_diagram.c: the diagram of space and time: lanes, one time axis for all runs, the play head.
 *
 *     +-- Space and time ----------- # adds  / copies  \\ waits --+
 *     | ring   scatter-reduce        all-gather                   |
 *     | GPU 0  \####\ \####\ \####\ ...                           |   a stack of lanes for each run:
 *     | GPU 1   \####\ \####\ ...                                 |   a fork or a race has two
 *     | naive  reduce                         broadcast           |
 *     | GPU 0  ...                                                |
 *     |        0        10 ms        20 ms         [30.2 ms]      |
 *     +-----------------------------------------------------------+
 */
#include "model/traffic.h"
#include "panels/diagram/diagram.h"
#include "text/say.h"

#include <math.h>

enum { MOST_STACKS = 2 };

/* ----------------------------------------------------------------------------------------- lanes */

/* Returns when a phase begins: the first start in its first step; -1: nothing happens in that
   step. */
static int64_t phase_start(const rv_model *model, int32_t step) {
    int64_t first_ps = -1;
    for (int64_t i = model->step_items[step]; i < model->step_items[step + 1]; i++) {
        const int64_t start_ps = model->report->trace->items[i].start_ps;
        if (first_ps < 0 || start_ps < first_ps) first_ps = start_ps;
    }
    return first_ps;
}

static void draw_phases(const rv_chart *chart, rv_scene *scene, rv_box line) {
    const rv_look *look = &chart->stage->look;
    const rv_model *model = chart->run->model;
    const rs_schedule *s = model->schedule;
    double end = fmin(chart->lanes.x + chart->lanes.w,
                      rv_chart_x(chart, model->report->outcome.makespan_ps));
    for (int32_t p = s->n_phases - 1; p >= 0; p--) {
        const int64_t start_ps = phase_start(model, s->phases[p].first_step);
        if (start_ps < 0) continue;
        const double begins = rv_chart_x(chart, start_ps), x = fmax(chart->lanes.x, begins);
        if (end < x) continue;
        const rv_box box = {x + 0.3 * look->unit, line.y, end - x - 0.4 * look->unit, line.h};
        rv_scene_line(scene, x, line.y + 2, x, chart->lanes.y + chart->lanes.h, 1.5,
                      rv_mix(look->panel, look->quiet, 0.5));
        end = x;
        const char *title = rv_phase_title(s->phases[p].phase);
        if (box.w < 2.5 * look->unit || line.h < 0.6 * look->unit) continue;
        rv_scene_label(scene, box, RV_LEFT, 0.75 * look->unit, look->quiet, title);
    }
}

/* Returns the box of a lane's name: beside the lane, but inside `heads`. */
static rv_box head_of(const rv_chart *chart, rv_box heads, int32_t rank, double size) {
    const double h = fmin(1.2 * size, heads.h), y = rv_chart_y(chart, rank) - h / 2;
    return (rv_box){heads.x, fmax(heads.y, fmin(heads.y + heads.h - h, y)), heads.w, h};
}

static void draw_lane_heads(const rv_chart *chart, rv_scene *scene, rv_box heads) {
    const rv_look *look = &chart->stage->look;
    const rv_model *model = chart->run->model;
    const double size = fmin(0.8 * look->unit, fmax(0.6 * look->unit, 0.8 * chart->lane));
    const int32_t every = rv_every(chart->lane, 1.1 * size), rank = chart->stage->playback.rank;
    for (int32_t r = 0; r < model->n_ranks; r++) {
        const rv_box box = head_of(chart, heads, r, size);
        const double apart = fabs(box.y - head_of(chart, heads, rank, size).y);
        if (r != rank && (r % every != 0 || apart < 1.1 * size)) continue;
        rv_draw_rank_head(chart->stage, model, scene, box, size, r, heads.w > 2.7 * look->unit);
    }
}

static rv_box lane_of(const rv_chart *chart, int32_t rank) {
    return (rv_box){chart->lanes.x, rv_chart_y(chart, rank) - chart->lane / 2, chart->lanes.w,
                    chart->lane};
}

/* Shades the lane of the GPU under the pointer, on top of its bars. */
static void draw_lit_lane(const rv_chart *chart, rv_scene *scene) {
    const rv_target at = chart->stage->hover;
    if (at.thing != RV_GPU && at.thing != RV_CELL) return;
    if (at.a < 0 || at.a >= chart->run->model->n_ranks) return;
    const rv_look *look = &chart->stage->look;
    const bool thin = chart->lane < 0.4 * look->unit; /* too thin for a shade to be seen */
    rv_outline(rv_scene_rect(scene, lane_of(chart, at.a), 0, thin ? 0 : rv_fade(look->ink, 0.14)),
               thin ? look->ink : 0, thin ? 0.08 * look->unit : 0);
}

static void draw_lanes(const rv_chart *chart, rv_scene *scene) {
    const rv_look *look = &chart->stage->look;
    const rv_model *model = chart->run->model;
    for (int32_t r = 0; r < model->n_ranks && chart->lane >= 4.5; r++) {
        const double y = rv_chart_y(chart, r);
        rv_scene_line(scene, chart->lanes.x, y, chart->lanes.x + chart->lanes.w, y, 1, look->edge);
    }
    if (chart->stage->playback.rank < model->n_ranks) {
        rv_scene_rect(scene, lane_of(chart, chart->stage->playback.rank), 0,
                      rv_fade(look->focus, 0.08));
    }
}

/* ----------------------------------------------------------------------------------------- panel */

static void draw_key(const rv_stage *stage, rv_scene *scene, rv_box line, bool shared) {
    const rv_look *look = &stage->look;
    const double u = look->unit, size = 0.8 * u;
    const struct {
        const char *text;
        rv_colour fill;
        rv_pattern pattern;
    } keys[] = {
        {_("waits"), rv_mix(look->panel, look->quiet, 0.12), RV_FALLING},
        {_("copies"), rv_diagram_hue(look, RS_COPY), RV_RISING},
        {_("adds"), rv_diagram_hue(look, RS_REDUCE), RV_SOLID},
    };
    for (int i = 0; i < 3; i++) {
        const double w = rv_label_width(keys[i].text, size) + 0.5 * u;
        if (line.w < w + 8 * u) return;
        const rv_box text = rv_cut_right(&line, w);
        rv_scene_label(scene, text, RV_RIGHT, size, look->quiet, keys[i].text);
        rv_box swatch = rv_cut_right(&line, 1.3 * u);
        swatch = (rv_box){swatch.x, swatch.y + swatch.h / 2 - 0.3 * u, swatch.w, 0.6 * u};
        rv_hatch(rv_scene_rect(scene, swatch, 0, keys[i].fill), keys[i].pattern,
                 i == 0 ? rv_fade(look->quiet, 0.55) : rv_fade(look->panel, 0.45));
        rv_cut_right(&line, 0.8 * u);
    }
    const char *text = _("thinner: shares a wire");
    const double w = rv_label_width(text, size) + 0.5 * u;
    if (!shared || line.w < w + 9 * u) return;
    rv_scene_label(scene, rv_cut_right(&line, w), RV_RIGHT, size, look->quiet, text);
    const rv_box at = rv_cut_right(&line, 1.3 * u);
    const double y = at.y + at.h / 2, half = at.x + 0.5 * at.w, end = at.x + at.w;
    const rv_point wedge[8] = {{at.x, y - 0.3 * u}, {half, y - 0.3 * u}, {half, y - 0.12 * u},
                               {end, y - 0.12 * u}, {end, y + 0.12 * u}, {half, y + 0.12 * u},
                               {half, y + 0.3 * u}, {at.x, y + 0.3 * u}};
    rv_scene_polygon(scene, wedge, 8, look->quiet);
}

/* Draws one run: its phases' names, its lanes, what happens on them. */
static void draw_stack(const rv_chart *chart, rv_scene *scene, rv_box phases, rv_box heads,
                       bool several) {
    const rv_look *look = &chart->stage->look;
    const rv_model *model = chart->run->model;
    if (several) {
        const rv_box name = {heads.x, phases.y, heads.w, phases.h};
        const char *title = chart->run->title;
        rv_scene_label(scene, name, RV_RIGHT, 0.8 * look->unit, look->ink,
                       title != NULL ? title : model->schedule->name)
            ->bold = true;
    }
    draw_lane_heads(chart, scene, heads);
    if (model->step_items == NULL) {
        rv_scene_label(scene, chart->lanes, RV_MIDDLE, look->unit, look->quiet,
                       _("the run is too large to keep its times"))
            ->wrap = true;
        return;
    }
    draw_lanes(chart, scene);
    const int32_t first = scene->n_items;
    if (rv_diagram_has_bars(chart)) {
        rv_diagram_bars(chart, scene);
    } else {
        rv_diagram_heat(chart, scene);
        rv_diagram_path(chart, scene);
    }
    draw_lit_lane(chart, scene);
    draw_phases(chart, scene, phases);
    if (chart->stage->zoom.span > 0) {
        rv_scene_clip(scene, first, chart->lanes.x, chart->lanes.x + chart->lanes.w);
    }
}

static rv_chart chart_of(const rv_stage *stage, const rv_shown_run *run, rv_box lanes,
                         int64_t to_ps) {
    rv_chart chart = {
        .stage = stage, .run = run, .lanes = lanes, .to_ps = to_ps, .now_ps = run->now_ps};
    const rv_zoom zoom = stage->zoom;
    if (zoom.span > 0) {
        chart.from_ps = (int64_t)((double)to_ps * zoom.from);
        chart.to_ps = chart.from_ps + (int64_t)fmax(1, (double)to_ps * zoom.span);
    }
    chart.lane = lanes.h / run->model->n_ranks;
    chart.bar = fmin(1.15 * stage->look.unit, 0.62 * chart.lane);
    const rv_model *model = run->model;
    if (model->traffic != NULL && rv_diagram_has_bars(&chart)) {
        const rv_pace *pace = rv_traffic_pace(model->traffic);
        if (pace != NULL && pace->shared) chart.pace = pace;
    }
    return chart;
}

void rv_draw_diagram(const rv_stage *stage, const rv_shown_run runs[], int n_runs, rv_scene *scene,
                     rv_box box) {
    const double u = stage->look.unit;
    const bool titled = box.h > 6 * u;
    char title[128];
    rv_say say = rv_say_to(title, sizeof title);
    rv_say_more(&say, "%s", _("Space and time"));
    if (stage->zoom.span > 0) rv_say_more(&say, _(" \xC3\x97%g, 0: all"), 1 / stage->zoom.span);
    rv_box inside = rv_draw_panel(stage, scene, box, titled ? title : NULL);
    const rv_box key = {inside.x, inside.y - 1.3 * u, inside.w, 1.3 * u};
    rv_cut_right(&inside, 0.4 * u);
    if (inside.w < 8 * u || inside.h < 2 * u) return;
    int64_t to_ps = 1;
    for (int i = 0; i < n_runs; i++) {
        const int64_t end_ps = runs[i].model->report->outcome.makespan_ps;
        if (end_ps > to_ps) to_ps = end_ps;
    }
    rv_box heads = rv_cut_apart(&inside, rv_cut_left, 3.4 * u, 0.5 * u);
    const rv_box axis = rv_cut_bottom(&inside, fmin(1.4 * u, 0.25 * inside.h));
    const double each = inside.h / n_runs, head = fmin(1.1 * u, 0.28 * each);
    rv_chart charts[MOST_STACKS];
    const rv_box all = inside;
    for (int i = 0; i < n_runs && i < MOST_STACKS; i++) {
        rv_box lanes = rv_cut_top(&inside, each);
        rv_cut_top(&lanes, head);
        if (i + 1 < n_runs) rv_cut_bottom(&lanes, 0.3 * u);
        charts[i] = chart_of(stage, &runs[i], lanes, to_ps);
    }
    const bool shared = charts[0].pace != NULL || (n_runs > 1 && charts[1].pace != NULL);
    if (titled) draw_key(stage, scene, key, shared);
    rv_scene_rect(scene, all, 0, 0)->target = rv_target_of(RV_TIME_AXIS, 0, 0);
    rv_diagram_axis(&charts[0], scene, axis, all);
    for (int i = 0; i < n_runs && i < MOST_STACKS; i++) {
        const rv_box lanes = charts[i].lanes;
        const rv_box phases = {lanes.x, lanes.y - head, lanes.w, head};
        draw_stack(&charts[i], scene, phases, (rv_box){heads.x, lanes.y, heads.w, lanes.h},
                   n_runs > 1);
    }
    rv_diagram_head(&charts[0], scene, axis, all.y + head);
}

/* Moves the part of the time that is shown to the play head, when that has left it. */
static void follow_head(rv_stage *stage, const rv_shown_run runs[], int n_runs) {
    rv_zoom *zoom = &stage->zoom;
    double whole_ps = 1;
    for (int i = 0; i < n_runs; i++) {
        whole_ps = fmax(whole_ps, (double)runs[i].model->report->outcome.makespan_ps);
    }
    const double at = (double)runs[0].now_ps / whole_ps;
    const bool moved = runs[0].now_ps != zoom->head_ps && runs[0].now_ps >= 0;
    zoom->head_ps = runs[0].now_ps;
    if (!moved || zoom->span <= 0 || (at >= zoom->from && at <= zoom->from + zoom->span)) return;
    zoom->from = fmax(0, fmin(1 - zoom->span, at - 0.25 * zoom->span));
}

static void draw(rv_stage *stage, rv_scene *scene, rv_box box) {
    rv_shown_run runs[2];
    const int n_runs = rv_list_runs(stage, runs);
    follow_head(stage, runs, n_runs);
    rv_draw_diagram(stage, runs, n_runs, scene, box);
}

static const rv_stroke sign[] = {{RV_LINE, {-0.8, -0.8, -0.1, 0, 0.24}},
                                 {RV_LINE, {-0.1, 0, 0.6, 0.8, 0.24}},
                                 {RV_LINE, {0.1, -0.8, 0.8, 0, 0.24}},
                                 {0}};

const rv_panel rv_panel_diagram = {.word = "diagram",
                                   .name = N_("Diagram"),
                                   .key = "d",
                                   .help = N_("show the diagram of space and time"),
                                   .sign = sign,
                                   .fits = rv_has_model,
                                   .place = RV_PLACE_BELOW,
                                   .least = 7,
                                   .weight = 1,
                                   .draw = draw};
