/* draw_cost.c: what the run costs: bars of time and bytes against the least that any algorithm
 * needs.
 *
 *     Time   [====~~~~|~~~~~~~~]  3.58 ms     | the lower bound
 *            latency 15 us + transfer 3 ms    words and numbers are the terminal's (cost_words.c)
 *     Bytes  [=========|       ]  60 MB
 *     each   # # # # #                        a column for each GPU
 *
 * Before the first step it compares the run with its rival instead, as the terminal does.
 */
#include "model/cost_words.h"
#include "panels/draw.h"
#include "terminal/compose.h"
#include "text/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 256, MOST_SPLIT = 256 };

typedef struct gauge {
    const rv_stage *stage;
    rv_scene *scene;
    double label, value; /* widths of the columns beside the bar */
    double row, small;   /* heights of a bar's line and of a line of small type */
    bool narrow;         /* name and value stand above the bar */
} gauge;

static double share_of(int64_t part, int64_t whole) {
    return whole > 0 ? fmin(1, fmax(0, (double)part / (double)whole)) : 0;
}

/* Returns where a bar's name and value stand. */
static rv_box head_of(const gauge *g, rv_box line) {
    return g->narrow ? rv_cut_top(&line, 0.55 * line.h) : line;
}

/* Draws a line with a name and a bar's ground, and leaves the value's place; returns the bar. */
static rv_box draw_frame(const gauge *g, rv_box line, const char *name) {
    const rv_look *look = &g->stage->look;
    rv_box head = head_of(g, line);
    const rv_box label = rv_cut_left(&head, g->label);
    rv_scene_label(g->scene, label, RV_LEFT, 0.9 * look->unit, look->ink, name)->bold = true;
    if (g->narrow) {
        line = rv_cut_bottom(&line, 0.45 * line.h);
    } else {
        rv_cut_left(&line, g->label);
        rv_cut_right(&line, g->value);
    }
    const double h = fmin(0.75 * look->unit, 0.7 * line.h);
    const rv_box bar = {line.x, line.y + (line.h - h) / 2, line.w, h};
    rv_scene_rect(g->scene, bar, 0, look->raised);
    return bar;
}

static void draw_value(const gauge *g, rv_box line, const char *text) {
    const rv_look *look = &g->stage->look;
    rv_box head = head_of(g, line);
    const rv_box value = rv_cut_right(&head, g->value - 0.5 * look->unit);
    rv_scene_label(g->scene, value, RV_RIGHT, 0.95 * look->unit, look->ink, text)->bold = true;
}

static void draw_bound(const gauge *g, rv_box bar, double at) {
    const double x = bar.x + bar.w * at, out = 0.2 * g->stage->look.unit;
    rv_scene_segment(g->scene, (rv_point){x, bar.y - out}, (rv_point){x, bar.y + bar.h + out},
                     0.13 * g->stage->look.unit, g->stage->look.ink);
}

/* Writes small type under a bar: from the bar's left end, or if that is too narrow from the panel's
   left edge, or in fewer words. */
static void draw_note(const gauge *g, rv_box *rest, const char *text, const char *shorter) {
    const rv_look *look = &g->stage->look;
    const double size = 0.8 * look->unit, width = 0.95 * rv_label_width(text, size);
    if (rest->h < g->small || text[0] == '\0') return;
    rv_box line = rv_cut_top(rest, g->small);
    if (width > line.w) text = shorter;
    if (text == shorter || width <= line.w - g->label) rv_cut_left(&line, g->label);
    rv_scene_label(g->scene, line, RV_LEFT, size, look->quiet, text);
}

/* Draws where the time went, one part after the other; returns where the last ends. */
static double draw_split(const gauge *g, rv_box bar, const rs_time_split *split, int64_t whole_ps) {
    const rv_look *look = &g->stage->look;
    const struct {
        int64_t time_ps;
        rv_colour fill;
        rv_pattern pattern;
    } all[] = {{split->latency_ps, look->quiet, RV_SOLID},
               {split->wire_ps, look->accent, RV_SOLID},
               {split->adding_ps, look->good, RV_RISING},
               {split->waiting_ps, rv_mix(look->panel, look->quiet, 0.3), RV_FALLING}};
    double x = bar.x;
    for (int i = 0; i < 4; i++) {
        const double w = bar.w * share_of(all[i].time_ps, whole_ps);
        if (w < 0.25) continue;
        rv_hatch(rv_scene_rect(g->scene, (rv_box){x, bar.y, w, bar.h}, 0, all[i].fill),
                 all[i].pattern, rv_fade(i == 3 ? look->quiet : look->panel, 0.55));
        x += w;
    }
    return x;
}

/* ---------------------------------------------------------------------------------- at the start */

static void draw_racer(const gauge *g, rv_box *rest, const rv_cost *cost, int64_t longest_ps) {
    char text[TEXT];
    const rv_box line = rv_cut_top(rest, g->row),
                 bar = draw_frame(g, line, rv_algorithm_said(cost->name));
    if (cost->has_split) {
        draw_split(g, bar, &cost->split, longest_ps);
    } else {
        rv_scene_rect(g->scene,
                      (rv_box){bar.x, bar.y, bar.w * share_of(cost->time_ps, longest_ps), bar.h}, 0,
                      g->stage->look.accent);
    }
    rv_format_time(cost->time_ps, text, sizeof text);
    draw_value(g, line, text);
    if (!cost->has_split) return;
    rv_split_text(&cost->split, text, sizeof text);
    draw_note(g, rest, text, "");
}

/* Returns how high a wrapped sentence will be. */
static double height_of(const gauge *g, double width, const char *text) {
    const double size = 0.85 * g->stage->look.unit;
    return ceil(1.1 * rv_label_width(text, size) / width) * 1.35 * size;
}

/* Writes a sentence on as many lines as are left. */
static void draw_words(const gauge *g, rv_box *rest, int most_lines, const char *text) {
    const rv_look *look = &g->stage->look;
    const double size = 0.85 * look->unit, line = 1.35 * size;
    const int lines = (int)fmin(most_lines, floor(rest->h / line));
    if (lines < 1 || text[0] == '\0') return;
    const double needed = height_of(g, rest->w, text);
    rv_item *item = rv_scene_label(g->scene, rv_cut_top(rest, fmin(lines * line, needed)), RV_LEFT,
                                   size, look->quiet, text);
    item->wrap = item->top = true;
}

static void draw_race(gauge *g, const rv_model *model, rv_box rest) {
    const rv_cost *own = &model->own, *rival = &model->rival;
    const double size = 0.9 * g->stage->look.unit;
    char text[TEXT];
    g->label = fmax(rv_label_width(rv_algorithm_said(own->name), size),
                    rv_label_width(rv_algorithm_said(rival->name), size)) +
               size;
    const int64_t longest_ps = own->time_ps > rival->time_ps ? own->time_ps : rival->time_ps;
    draw_racer(g, &rest, own, longest_ps);
    draw_racer(g, &rest, rival, longest_ps);
    rv_cut_top(&rest, 0.3 * g->stage->look.unit);
    rv_race_text(model, &model->rival, RV_RACE_SENT, text, sizeof text);
    if (height_of(g, rest.w, text) > rest.h)
        rv_race_text(model, &model->rival, RV_RACE_TIMES, text, sizeof text);
    draw_words(g, &rest, 3, text);
    rv_cut_top(&rest, 0.3 * g->stage->look.unit);
    rv_run_text(model, text, sizeof text);
    draw_words(g, &rest, 2, text);
}

/* ------------------------------------------------------------------------------------- on the way */

/* Draws the time: the part up to the last finished step stands still, the part from there to the
   play head moves. */
static void draw_time(const gauge *g, const rv_shown_run *run, rv_box *rest) {
    const rv_model *model = run->model;
    const int64_t bound_ps = model->report->lower_bound_ps;
    const int64_t now_ps = run->now_ps >= 0 ? run->now_ps : rv_time_now_ps(model);
    const int64_t whole_ps = model->own.time_ps > bound_ps ? model->own.time_ps : bound_ps;
    char text[TEXT], whole[TEXT], time[32];
    rs_time_split split = {0};
    const rv_box line = rv_cut_top(rest, g->row), bar = draw_frame(g, line, _("Time"));
    const bool is_split = model->own.has_split && model->n_ranks <= MOST_SPLIT;
    if (is_split) split = rv_split_now(model);
    const double x = is_split ? draw_split(g, bar, &split, whole_ps) : bar.x;
    rv_format_time(model->own.time_ps, time, sizeof time);
    snprintf(whole, sizeof whole, model->own.known ? _("(whole run %s)") : _("(stalled at %s)"),
             time);
    const bool frame = is_split && split.latency_ps + split.wire_ps > 0;
    if (frame) rv_split_text(&split, text, sizeof text);
    draw_note(g, rest, frame ? text : whole, whole);
    g->scene->layer = RV_MOVING;
    const double end = bar.x + bar.w * share_of(now_ps, whole_ps);
    if (end - x > 0.25) {
        rv_scene_rect(g->scene, (rv_box){x, bar.y, end - x, bar.h}, 0,
                      rv_fade(g->stage->look.accent, is_split ? 0.6 : 1));
    }
    if (bound_ps > 0) draw_bound(g, bar, share_of(bound_ps, whole_ps));
    if (now_ps >= 0) rv_format_time(now_ps, time, sizeof time);
    if (now_ps >= 0) draw_value(g, line, time);
    g->scene->layer = RV_STILL;
}

/* Returns the bytes that a full bar or column stands for. */
static int64_t most_bytes(const rv_model *model) {
    return model->own.most_bytes > model->bound_bytes ? model->own.most_bytes : model->bound_bytes;
}

static rv_colour bytes_ink(const rv_stage *stage, const rv_model *model, int32_t rank) {
    return rv_is_wasteful(model, model->sent_bytes[rank]) ? stage->look.warn : stage->look.accent;
}

static void draw_bytes(const gauge *g, const rv_model *model, rv_box *rest) {
    const rv_stage *stage = g->stage;
    rv_playback playback = stage->playback;
    char text[TEXT], shorter[TEXT], percent[32];
    playback.subject.model = (rv_model *)model; /* of this run, which may be the second */
    const int32_t pointed = rv_pointed_gpu(stage, rv_view_box(stage, rv_view_bit("cost")));
    if (pointed >= 0) playback.rank = pointed;
    if (playback.rank >= model->n_ranks) playback.rank = 0;
    const int32_t rank = rv_named_sender(&playback);
    const rv_box line = rv_cut_top(rest, g->row), bar = draw_frame(g, line, _("Bytes"));
    const double share = share_of(model->sent_bytes[rank], most_bytes(model));
    rv_scene_rect(g->scene, (rv_box){bar.x, bar.y, bar.w * share, bar.h}, 0,
                  bytes_ink(stage, model, rank))
        ->target = rv_target_of(RV_GPU, rank, 0);
    draw_bound(g, bar, share_of(model->bound_bytes, most_bytes(model)));
    rv_format_bytes(model->sent_bytes[rank], text, sizeof text);
    draw_value(g, line, text);
    rv_bytes_text(&playback, text, sizeof text);
    rv_format_percent(model->sent_bytes[rank], model->bound_bytes, percent, sizeof percent);
    snprintf(shorter, sizeof shorter, _("%s of the lower bound"), percent);
    draw_note(g, rest, text, shorter);
}

/* Writes who has sent least and most: there are too many GPUs for columns. */
static void draw_extremes(const gauge *g, const rv_model *model, rv_box box) {
    char text[TEXT], low[32], high[32];
    int32_t least = 0, most = 0;
    for (int32_t r = 1; r < model->n_ranks; r++) {
        if (model->sent_bytes[r] < model->sent_bytes[least]) least = r;
        if (model->sent_bytes[r] > model->sent_bytes[most]) most = r;
    }
    rv_format_bytes(model->sent_bytes[least], low, sizeof low);
    rv_format_bytes(model->sent_bytes[most], high, sizeof high);
    if (strcmp(low, high) == 0) {
        snprintf(text, sizeof text, _("every GPU has sent %s"), low);
    } else {
        snprintf(text, sizeof text, _("GPU %d has sent least, %s; GPU %d most, %s"), (int)least,
                 low, (int)most, high);
    }
    rv_name_ranks(model, text, sizeof text);
    draw_words(g, &box, 2, text);
}

/* Draws a column for each GPU, if they are wide enough to tell apart. */
static void draw_columns(const gauge *g, const rv_model *model, rv_box box) {
    const rv_look *look = &g->stage->look;
    const double u = look->unit, size = 0.75 * u;
    const double least = 2.5;
    rv_cut_top(&box, 0.5 * u);
    if (box.w < least * model->n_ranks) {
        draw_extremes(g, model, box);
        return;
    }
    if (box.h > 6 * u) box.h = 6 * u;
    rv_box side = {box.x, box.y, 0, box.h};
    if (box.w - g->label - g->value >= least * model->n_ranks) {
        side = rv_cut_left(&box, g->label);
        rv_cut_right(&box, g->value);
    }
    const double w = fmin(4 * u, box.w / model->n_ranks);
    const bool named = w >= (model->n_ranks > 10 ? 1.5 : 1.1) * size;
    const rv_box names = rv_cut_bottom(&box, named ? 1.2 * size : 0);
    if (box.h < 1.2 * u) return;
    side = rv_cut_bottom(&side, 1.2 * size);
    if (named && side.w > 0) rv_scene_label(g->scene, side, RV_LEFT, size, look->quiet, "GPU");
    const double gap = fmin(0.2 * u, 0.2 * w);
    for (int32_t r = 0; r < model->n_ranks; r++) {
        const rv_box place = {box.x + r * w, box.y, w, box.h};
        const double h = box.h * share_of(model->sent_bytes[r], most_bytes(model));
        const bool followed = r == g->stage->playback.rank || rv_is_lit(g->stage, r, -1);
        rv_scene_rect(g->scene, (rv_box){place.x + gap, box.y, w - 2 * gap, box.h}, 0, look->raised)
            ->target = rv_target_of(RV_GPU, r, 0);
        rv_scene_rect(g->scene, (rv_box){place.x + gap, box.y + box.h - h, w - 2 * gap, h}, 0,
                      followed ? bytes_ink(g->stage, model, r)
                               : rv_mix(look->raised, bytes_ink(g->stage, model, r), 0.55));
        if (!named) continue;
        const rv_box name = {place.x, box.y + box.h, w, names.h};
        rv_scene_labelf(g->scene, name, RV_MIDDLE, size, followed ? look->focus : look->quiet, "%d",
                        (int)r);
    }
    const double y = box.y + box.h * (1 - share_of(model->bound_bytes, most_bytes(model)));
    rv_scene_segment(g->scene, (rv_point){box.x - 0.2 * u, y},
                     (rv_point){box.x + w * model->n_ranks + 0.2 * u, y}, 0.1 * u, look->ink);
}

/* Returns how many steps all ranks have behind them at the moment that is shown. */
static int32_t steps_done(const rv_model *model) {
    const rs_report *report = model->report;
    int32_t done = rv_steps_executed(model);
    if (report == NULL || report->outcome.completed) return done;
    for (int32_t i = 0; i < report->outcome.n_stalled; i++) {
        const int32_t step = report->outcome.stalled[i].step;
        if (step < done) done = step;
    }
    for (int32_t i = 0; i < report->outcome.n_killed; i++) {
        const int32_t entered = report->outcome.entered[report->outcome.killed[i]];
        if (entered < done) done = entered;
    }
    return done;
}

/* Writes at the end of the title's line how far the run is, and what the upright line means. */
static void draw_key(const gauge *g, const rv_model *model, rv_box line) {
    const rv_look *look = &g->stage->look;
    const double u = look->unit, size = 0.8 * u;
    const double w = rv_label_width(_("lower bound"), size) + 0.4 * u;
    if (!rv_races(model) && line.w > w + 8 * u) {
        const rv_box text = rv_cut_right(&line, w);
        rv_scene_label(g->scene, text, RV_RIGHT, size, look->quiet, _("lower bound"));
        const rv_box mark = rv_cut_right(&line, 0.5 * u);
        rv_scene_line(g->scene, mark.x + mark.w / 2, mark.y + 0.2 * u, mark.x + mark.w / 2,
                      mark.y + mark.h - 0.2 * u, 0.13 * u, look->ink);
        rv_cut_right(&line, 0.8 * u);
    }
    rv_cut_left(&line, 4 * u);
    const int done = (int)steps_done(model);
    if (done == 0) return;
    rv_scene_labelf(g->scene, line, RV_RIGHT, size, look->quiet, _("after step %d of 0..%d"),
                    done - 1, (int)model->n_steps - 1);
}

static void draw(rv_stage *stage, rv_scene *scene, rv_box box) {
    const rv_shown_run shown = rv_main_run(stage), *run = &shown;
    const rv_model *model = run->model;
    const double u = stage->look.unit;
    const bool titled = box.h > 5.2 * u;
    rv_gain gain;
    char text[TEXT];
    rv_box inside = rv_draw_panel(stage, scene, box, titled ? _("Costs") : NULL);
    gauge g = {.stage = stage, .scene = scene, .label = 4 * u, .value = 5.4 * u, .small = 1.2 * u};
    g.narrow = inside.w < 12 * u;
    g.row = fmin(g.narrow ? 2.3 * u : 1.7 * u, inside.h / 2);
    if (inside.w < 8 * u || inside.h < 1.6 * u) return;
    if (titled) {
        draw_key(&g, model, (rv_box){inside.x, inside.y - 1.3 * u, inside.w, 1.3 * u});
    }
    if (inside.h < 2 * g.row + 2 * g.small) { /* no room for notes */
        g.small = inside.h;
        g.row = fmin(g.row, g.narrow ? 2.3 * u : 1.5 * u);
    }
    if (rv_races(model)) {
        draw_race(&g, model, inside);
        return;
    }
    draw_time(&g, run, &inside);
    draw_bytes(&g, model, &inside);
    rv_cut_top(&inside, 0.3 * u);
    rv_run_text(model, text, sizeof text);
    draw_words(&g, &inside, 2, text);
    if (strstr(text, "busbw") != NULL && inside.h > 6 * u) {
        draw_words(&g, &inside, 3,
                   _("algbw: bytes / time; busbw: scaled, to compare with a link's bandwidth"));
    }
    if (rv_gain_of(model, &gain) && model->rival.known && inside.h > 6 * u) {
        rv_race_text(model, &model->rival, RV_RACE_SENT, text, sizeof text);
        draw_words(&g, &inside, 2, text);
    }
    draw_columns(&g, model, inside);
}

static const rv_stroke sign[] = {{RV_BAR, {-0.8, 0.1, 0.42, 0.75}},
                                 {RV_BAR, {-0.2, -0.35, 0.42, 1.2}},
                                 {RV_BAR, {0.4, -0.8, 0.42, 1.65}},
                                 {0}};

const rv_panel rv_panel_cost = {.word = "cost",
                                .name = N_("Costs"),
                                .key = "c",
                                .help = N_("show the costs"),
                                .sign = sign,
                                .fits = rv_has_model,
                                .place = RV_PLACE_BESIDE,
                                .right = true,
                                .least = 5.5,
                                .weight = 2.2,
                                .draw = draw,
                                .lines = rv_cost_lines,
                                .compose = rv_compose_cost,
                                .always = true};
