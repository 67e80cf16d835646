/* draw_ring.c: the GPUs on a ring, each a card with its chunks.
 *
 *     GPU 0 ---> GPU 1        each GPU a card: a cell for each chunk, in it a sliver for each GPU
 *       ^           |         whose data are inside
 *     GPU 4 <- ...  v
 *
 *   - While a step runs, the STILL layer does not change by a bit: it shows the state before the
 *     step until the step is done, then the state after it.
 */
#include "terminal/compose.h"
#include "panels/ring/ring.h"
#include "text/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool in_step(const rv_model *model) {
    return model->step >= 0 && model->step < model->n_steps;
}

/* ----------------------------------------------------------------------------------------- cards */

static void draw_head_line(const rv_stage *stage, const rv_model *model, rv_scene *scene,
                           const rv_ring *ring, rv_box card, int32_t rank, bool dead) {
    const rv_look *look = &stage->look;
    const bool followed = stage->playback.rank == rank;
    const double size = fmin(0.95 * ring->unit, 0.62 * ring->head);
    if (size < 5) return;
    rv_box line = {card.x, card.y, card.w, ring->head};
    if (followed) {
        rv_box tab = rv_inset(line, 0.14 * ring->head);
        rv_scene_rect(scene, tab, 0.25 * ring->unit, look->focus);
    }
    line = rv_inset(line, 0.17 * ring->head);
    const rv_dye dye = rv_dye_of(look, rank);
    const double chip = line.h;
    if (card.w > 5.5 * size) {
        const rv_box box = rv_inset(rv_cut_right(&line, chip), 0.08 * chip);
        rv_item *item = rv_scene_rect(scene, box, 0.15 * chip, dead ? look->raised : dye.fill);
        rv_outline(item, look->outline, 1);
        rv_hatch(item, (chip > 9 ? dye.pattern : RV_SOLID), dead ? 0 : dye.hatch);
        rv_scene_label(scene, box, RV_MIDDLE, 0.8 * size, dead ? look->quiet : dye.ink, dye.letter)
            ->bold = true;
    }
    rv_cut_left(&line, 0.3 * size);
    char name[RV_RANK_NAME];
    rv_rank_name(model, rank, name);
    const double w = rv_label_width(name, size);
    if (w > line.w) snprintf(name, sizeof name, "%d", (int)rank);
    const rs_net *net = &model->report->request.job.net;
    const int32_t gpu = net->place != NULL ? net->place[rank] : rank;
    const char *device = net->machine != NULL ? net->machine->names[gpu] : "";
    rv_box behind = line;
    rv_cut_left(&behind, 1.1 * w + 0.4 * size);
    if (device[0] != '\0' && rv_label_width(device, 0.75 * size) < behind.w)
        rv_scene_label(scene, behind, RV_LEFT, 0.75 * size,
                       followed ? look->focus_ink : look->quiet, device);
    rv_scene_label(scene, line, RV_LEFT, size,
                   followed ? look->focus_ink
                   : dead   ? look->quiet
                            : look->ink,
                   name)
        ->bold = true;
}

/* Frames a cell that the step has changed, until the next step. */
static void frame_cell(const rv_stage *stage, const rv_shown_run *run, const rv_ring *ring,
                       rv_cell_look *cell) {
    const rv_model *model = run->model;
    if (!model->cells || !in_step(model) || model->moment != RV_DONE || run->hidden) return;
    const rv_mark mark = rv_mark_at(model, cell->rank, cell->chunk);
    if (mark != RV_ADDED && mark != RV_COPIED) return;
    cell->frame = stage->look.accent;
    cell->line = fmax(2, 0.16 * ring->unit);
}

/* While a chunk stands at the door: what will be added, "300+44", or that the old value goes. */
static void tell_arrival(const rv_shown_run *run, rv_cell_look *cell, char *text, size_t n_text) {
    const rv_model *model = run->model;
    if (!model->values || !model->cells || run->hidden || !in_step(model)) return;
    if (rv_mark_at(model, cell->rank, cell->chunk) != RV_ARRIVES) return;
    const rs_op op = model->report->request.op;
    const char *sign = op == RS_PROD ? "\xC3\x97" : op == RS_SUM || op == RS_AVG ? "+" : ",";
    rv_flights flights = rv_flights_of(model, run->progress);
    rv_flight flight;
    int n = 0;
    while (rv_next_flight(&flights, &flight)) {
        const rs_transfer *t = &flight.transfer;
        const bool here =
            t->dst == cell->rank && t->chunk <= cell->chunk && cell->chunk < t->chunk + t->n_chunks;
        if (!here || !flight.happens || flight.flown < 1) continue;
        char own[64], other[64];
        rv_value_at(model, cell->rank, cell->chunk, own, sizeof own);
        rv_value_at(model, t->src, cell->chunk, other, sizeof other);
        snprintf(text, n_text, "%s%s%s", own, sign, other);
        cell->struck = t->effect == RS_COPY;
        n++;
    }
    if (n == 1 && !cell->struck) cell->value = text; /* of several each is added in its turn */
}

/* A sum that arrives, and is too long for its cell. */
typedef struct bubble {
    char text[144]; /* "": there is none */
    rv_point at;
    double size, w;
} bubble;

/* Finds a card's only one: several would hide each other. */
static bubble find_bubble(const rv_stage *stage, const rv_shown_run *run, const rv_ring *ring,
                          rv_box card, int32_t rank) {
    bubble b = {.text = ""};
    int n = 0;
    for (int32_t c = 0; c < run->model->n_chunks; c++) {
        rv_cell_look cell = {.rank = rank, .chunk = c};
        char text[sizeof b.text];
        tell_arrival(run, &cell, text, sizeof text);
        if (cell.value == NULL) continue;
        double size;
        const rv_box strip =
            rv_cell_value_box(stage, run->model, rv_ring_cell(ring, card, c), &size);
        const double w = 0.6 * size * (double)strlen(text);
        n++;
        if (size <= 0 || w <= strip.w) continue;
        b = (bubble){.at = rv_centre(strip), .size = size, .w = w + size};
        snprintf(b.text, sizeof b.text, "%s", text);
    }
    if (n > 1) b.text[0] = '\0';
    return b;
}

static void draw_cells(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene,
                       const rv_ring *ring, rv_box card, int32_t rank, bool dead) {
    const rv_model *model = run->model;
    const bubble sum = find_bubble(stage, run, ring, card, rank);
    const bool between = model->moment == RV_BETWEEN; /* what is finished stands out */
    for (int32_t c = 0; c < model->n_chunks; c++) {
        const rv_box box = rv_ring_cell(ring, card, c);
        rv_cell_look cell = {
            .rank = rank, .chunk = c, .w = box.w, .h = box.h, .fade = dead ? 0.35 : 1};
        char text[144], own[64] = "";
        if (between && rv_worth_of(model, rank, c) != RV_WHOLE) cell.fade = 0.35;
        frame_cell(stage, run, ring, &cell);
        tell_arrival(run, &cell, text, sizeof text);
        const double apart = fabs(sum.at.x - rv_centre(box).x);
        if (sum.text[0] != '\0') rv_value_at(model, rank, c, own, sizeof own);
        const bool covered = sum.text[0] != '\0' && sum.at.y > box.y && sum.at.y < box.y + box.h &&
                             apart < (sum.w + 0.6 * sum.size * (double)strlen(own)) / 2;
        if (covered) cell.value = ""; /* half a number would be another one */
        rv_draw_cell(stage, run, scene, box, &cell);
        rv_scene_rect(scene, box, 0, 0)->target = rv_target_of(RV_CELL, rank, c);
    }
    if (sum.text[0] == '\0') return;
    rv_draw_pill(stage, scene, ring->box, sum.at, sum.size, stage->look.panel, stage->look.accent,
                 sum.text);
}

static void draw_card(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene,
                      const rv_ring *ring, int32_t rank) {
    const rv_look *look = &stage->look;
    const rv_box card = rv_ring_card(ring, rank);
    const rv_gpu_faults faults = rv_gpu_faults_of(run, rank);
    const bool followed = stage->playback.rank == rank;
    const bool asked = run->hidden && stage->playback.question.rank == rank;
    const double round = fmin(0.5 * ring->unit, 0.08 * card.h);
    if (asked) {
        rv_scene_rect(scene, rv_inset(card, -0.3 * ring->unit), round + 0.3 * ring->unit,
                      rv_fade(look->accent, 0.45));
    }
    rv_item *ground = rv_scene_rect(scene, card, round, faults.dead ? look->ground : look->panel);
    ground->stroke = asked         ? look->accent
                     : followed    ? look->focus
                     : faults.dead ? look->faint
                                   : look->edge;
    ground->line = followed || asked ? fmax(1.8, 0.14 * ring->unit) : 1.2;
    ground->target = rv_target_of(RV_GPU, rank, 0);
    draw_head_line(stage, run->model, scene, ring, card, rank, faults.dead);
    draw_cells(stage, run, scene, ring, card, rank, faults.dead);
    rv_draw_card_faults(stage, scene, ring, card, &faults);
    if (!asked) return;
    /* In the middle of the first line, where it hides neither name nor letter. */
    const double r = fmin(0.8 * ring->unit, 0.48 * ring->head);
    const rv_point at = {card.x + 0.5 * card.w, card.y + 0.5 * ring->head};
    rv_outline(rv_scene_disc(scene, at, r, look->accent), look->accent_ink, fmax(1, 0.12 * r));
    rv_scene_label(scene, (rv_box){at.x - r, at.y - r, 2 * r, 2 * r}, RV_MIDDLE, 1.4 * r,
                   look->accent_ink, "?")
        ->bold = true;
}

/* ------------------------------------------------------------------------------------ in the middle */

/* Returns what the receivers do with all that arrives in the step; NULL: some add, some copy. */
static const char *what_becomes(const rv_model *model, bool *replace) {
    rs_cursor cursor = {0};
    rs_transfer t;
    bool adds = false, copies = false;
    while (rs_next_transfer(model->schedule, model->step, &cursor, &t)) {
        adds = adds || t.effect == RS_REDUCE;
        copies = copies || t.effect == RS_COPY;
    }
    if (adds == copies) return NULL;
    *replace = copies;
    if (!rs_collective_reduces(model->schedule->collective)) return _("arriving chunks are stored");
    return adds ? _("arriving chunks are added") : _("arriving chunks replace");
}

/* Says in the middle how to read the cards, as long as nothing has moved. */
static void draw_legend(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene,
                        const rv_ring *ring) {
    if (!rv_has_legend(run->model)) return;
    rv_box best = {0};
    double largest = 0.72 * ring->unit;
    bool wide = false;
    for (int i = 0; i < 2; i++) {
        const rv_legend_size size = rv_size_legend(i == 1);
        const rv_box box = rv_ring_middle(ring, size.columns / size.rows, false);
        const double type = fmin(ring->unit, box.h / size.rows);
        if (type <= largest) continue;
        const double w = type * size.columns, h = type * size.rows;
        best = (rv_box){box.x + (box.w - w) / 2, box.y + (box.h - h) / 2, w, h};
        largest = type;
        wide = i == 1;
    }
    if (best.w > 0) rv_draw_legend(stage, run, scene, best, wide);
}

/* Words in the middle: a title and lines below it, the most important first. */
enum { MIDDLE_LINES = 4 };
typedef struct middle_words {
    char title[64], lines[MIDDLE_LINES][96];
    rv_colour ink, inks[MIDDLE_LINES];
    int n_lines;
    bool races; /* the last line is a button */
} middle_words;

static char *add_line(middle_words *m, rv_colour ink) {
    m->inks[m->n_lines] = ink;
    return m->lines[m->n_lines++];
}

/* Says which phase it is, the step and its iteration, and what the receivers do with what arrives. */
static void tell_step(const rv_stage *stage, const rv_shown_run *run, middle_words *m) {
    enum { LINE = sizeof m->lines[0] };
    const rv_model *model = run->model;
    const rs_schedule *schedule = model->schedule;
    int32_t iteration, of;
    const char *phase = rv_phase_title(rs_phase_at(schedule, model->step, &iteration, &of));
    bool replace;
    const char *becomes = what_becomes(model, &replace);
    char *line = phase[0] != '\0' ? add_line(m, stage->look.quiet) : m->title;
    snprintf(m->title, sizeof m->title, "%s", phase);
    snprintf(line, sizeof m->title, _("step %d of 0..%d"), (int)model->step,
             (int)schedule->n_steps - 1);
    if (phase[0] != '\0' && of > 1) {
        snprintf(line, LINE, _("step %d of 0..%d: iteration %d of %d"), (int)model->step,
                 (int)schedule->n_steps - 1, (int)iteration + 1, (int)of);
    }
    if (!run->hidden && becomes != NULL)
        snprintf(add_line(m, replace ? stage->look.good : stage->look.accent), LINE, "%s", becomes);
}

/* Says what the middle is to say at the moment; false: nothing. */
static bool tell_middle(const rv_stage *stage, const rv_shown_run *run, middle_words *m) {
    enum { LINE = sizeof m->lines[0] };
    const rv_look *look = &stage->look;
    const rv_model *model = run->model;
    rv_pause pause;
    rv_gain gain;
    m->ink = look->ink;
    if (rv_stalled_text(model, m->title, sizeof m->title) > 0) {
        m->ink = look->bad;
        snprintf(add_line(m, look->quiet), LINE, _("the %s never ends"),
                 rv_collective_word(model->schedule->collective));
    } else if (model->moment == RV_BETWEEN && rv_between_phases(model, &pause)) {
        m->ink = look->good;
        snprintf(m->title, sizeof m->title, "%s", pause.title);
        snprintf(add_line(m, look->ink), LINE, "%s", pause.reached);
        snprintf(add_line(m, look->accent), LINE, "%s", pause.next);
    } else if (in_step(model)) {
        tell_step(stage, run, m);
    } else if (rv_gain_of(model, &gain)) {
        m->ink = look->good;
        char time[32];
        rv_format_time(model->own.time_ps, time, sizeof time);
        snprintf(m->title, sizeof m->title, _("Done in %s"), time);
        snprintf(add_line(m, look->ink), LINE, "%s", gain.own);
        if (gain.rival[0] == '\0' || stage->other != NULL) return true; /* a race says it below */
        snprintf(add_line(m, look->quiet), LINE, "%s", gain.rival);
        if (gain.then[0] != '\0') snprintf(add_line(m, look->quiet), LINE, "%s", gain.then);
        m->races = stage->output != RV_TO_FIGURE && !stage->bare && stage->course == NULL;
        if (m->races) snprintf(add_line(m, look->ink), LINE, "%s", _("Race against it (x)"));
    } else {
        return false;
    }
    rv_name_ranks(model, m->lines[0], LINE);
    return true;
}

/* Returns the size of type in which the title and n lines fit into the middle, and the box. */
static double fit_middle(const rv_ring *ring, const middle_words *m, int n, bool moves,
                         rv_box *box) {
    double wide = 1.1 * rv_label_width(m->title, 1);
    const double high = 1.4 + 1.1 * n + (m->races && n == m->n_lines ? 0.5 : 0);
    for (int i = 0; i < n; i++) wide = fmax(wide, 0.75 * rv_label_width(m->lines[i], 1));
    *box = rv_ring_middle(ring, fmax(1.2, wide / high), moves);
    const double size = fmin(1.5 * ring->unit, fmin(box->w / fmax(3, wide), box->h / high));
    box->y += (box->h - high * size) / 2;
    box->h = high * size;
    return size;
}

/* Draws a button's ground, in the size of the words around it; returns its box. */
static rv_box draw_race_button(const rv_stage *stage, rv_scene *scene, rv_box line,
                               const char *text) {
    const rv_look *look = &stage->look;
    const double size = line.h / 1.1, wide = 0.75 * rv_label_width(text, size) + 1.4 * size;
    const rv_target target = rv_target_of(RV_BUTTON, RV_RACE, 0);
    const rv_box box = {line.x + (line.w - wide) / 2, line.y + 0.2 * size, wide, 1.4 * size};
    const rv_colour fill = rv_same_target(stage->hover, target)
                               ? rv_mix(look->raised, look->accent, 0.25)
                               : look->raised;
    rv_outline(rv_scene_rect(scene, box, 0.35 * size, fill), look->edge, look->hair)->target =
        target;
    return box;
}

/* Writes where the run stands into the middle; what does not fit there is left out. */
static void draw_middle(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene,
                        const rv_ring *ring) {
    middle_words m = {0};
    rv_box box;
    if (run->model->step < 0) draw_legend(stage, run, scene, ring);
    if (!tell_middle(stage, run, &m)) return;
    int n = m.n_lines;
    const bool moves = in_step(run->model) && run->model->moment != RV_BETWEEN;
    double size = fit_middle(ring, &m, n, moves, &box);
    while (size < 0.9 * ring->unit && n > 0) size = fit_middle(ring, &m, --n, moves, &box);
    if (size < 0.9 * ring->unit) return;
    const rv_box title = rv_cut_top(&box, 1.4 * size);
    rv_scene_label(scene, title, RV_MIDDLE, size, m.ink, m.title)->bold = true;
    for (int i = 0; i < n; i++) {
        rv_box line = rv_cut_top(&box, 1.1 * size);
        if (m.races && i == m.n_lines - 1) line = draw_race_button(stage, scene, line, m.lines[i]);
        rv_scene_label(scene, line, RV_MIDDLE, 0.75 * size, m.inks[i], m.lines[i]);
    }
}

/* ------------------------------------------------------------------------------ what is pointed at */

static void light_box(const rv_stage *stage, rv_scene *scene, rv_box box, double line) {
    rv_outline(rv_scene_rect(scene, rv_inset(box, -line), 0.3 * stage->look.unit,
                             rv_fade(stage->look.accent, 0.12)),
               stage->look.accent, line);
}

/* Lights what is under the pointer in the moving layer, so that the canvas need not paint the still
   one again. */
static void draw_lit(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene,
                     const rv_ring *ring) {
    const rv_target hover = stage->hover;
    const int32_t n = ring->n_ranks;
    scene->layer = RV_MOVING;
    if (hover.thing == RV_GPU && hover.a < n) {
        light_box(stage, scene, rv_ring_card(ring, hover.a), fmax(2, 0.15 * ring->unit));
    }
    if (hover.thing == RV_LINK && hover.a < n && hover.b < n) {
        const rv_wire wire = rv_wire_between(ring, hover.a, hover.b);
        const rv_wire_look as = {stage->look.accent, fmax(3, 0.25 * ring->unit), false};
        rv_draw_wire(scene, &wire, &as, hover);
    }
    if (hover.thing != RV_CELL && hover.thing != RV_TRANSFER) return;
    for (int32_t r = 0; r < n; r++) {
        for (int32_t c = 0; c < run->model->n_chunks; c++) {
            if (!rv_is_lit(stage, -1, c)) continue;
            light_box(stage, scene, rv_ring_cell(ring, rv_ring_card(ring, r), c),
                      rv_is_lit(stage, r, c) ? fmax(2.5, 0.2 * ring->unit) : 1);
        }
    }
}

/* Draws one run; each of its messages has its bytes' share of array_area. */
static void draw_run(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene, rv_box box,
                     double array_area) {
    const rv_model *model = run->model;
    const rv_ring ring = rv_kept_ring(stage, model->schedule, box);
    const bool is_ring = rv_is_ring(model->schedule);
    scene->layer = RV_STILL;
    rv_draw_links(stage, run, scene, &ring, is_ring);
    const bool moves = !run->hidden && model->moment != RV_BETWEEN;
    if (moves) rv_draw_trails(stage, run, scene, &ring);
    if (ring.kind == RV_FORM_RING || ring.spread || is_ring) draw_middle(stage, run, scene, &ring);
    for (int32_t i = 0; i < model->n_ranks; i++) draw_card(stage, run, scene, &ring, i);
    if (moves) {
        rv_draw_flights(stage, run, scene, &ring, array_area);
        rv_draw_waiting(stage, run, scene, &ring);
    }
    draw_lit(stage, run, scene, &ring);
}

/* Tells whether the GPUs are dots here: they are too many for cards, or, in a page, which may be on a phone, many, and
   nobody could read what is on these. Of few the cards say enough without figures. */
static bool are_dots(const rv_stage *stage, const rv_model *model, rv_box box) {
    if (rv_is_crowd(model) || model->n_ranks <= RV_FEW || stage->output != RV_TO_PAGE)
        return rv_is_crowd(model);
    const rv_ring ring = rv_kept_ring(stage, model->schedule, box);
    return !rv_cell_has_number(&stage->look, model, ring.cell_w, ring.cell_h);
}

void rv_draw_rings(const rv_stage *stage, const rv_shown_run runs[], const rv_box boxes[], int n,
                   rv_scene *scene) {
    double array_area = INFINITY;
    bool dots = false; /* of one because nobody could read it: of both */
    for (int i = 0; i < n; i++) {
        const rv_model *model = runs[i].model;
        if (are_dots(stage, model, boxes[i])) {
            dots = dots || !rv_is_crowd(model);
            continue;
        }
        const rv_ring ring = rv_kept_ring(stage, model->schedule, boxes[i]);
        array_area = fmin(array_area, rv_array_area(&ring, model));
    }
    for (int i = 0; i < n; i++) {
        if (dots || rv_is_crowd(runs[i].model)) {
            rv_draw_crowd(stage, &runs[i], scene, boxes[i]);
        } else {
            draw_run(stage, &runs[i], scene, boxes[i], array_area);
        }
    }
}

static void draw_middle_panel(rv_stage *stage, rv_scene *scene, rv_box box) {
    rv_shown_run runs[2];
    const int n = rv_list_runs(stage, runs);
    rv_box boxes[2] = {box, stage->layout.second};
    for (int i = 0; i < n && n > 1; i++) rv_draw_race(stage, runs, i, scene, &boxes[i]);
    rv_draw_rings(stage, runs, boxes, n, scene);
}

const rv_panel rv_panel_ring = {.word = "ring",
                                .fits = rv_has_model,
                                .place = RV_PLACE_MIDDLE,
                                .kept_bytes = sizeof(rv_ring_plans),
                                .draw = draw_middle_panel,
                                .lines = rv_ring_lines,
                                .compose = rv_compose_ring,
                                .explain = rv_draw_key};
