/* draw_path.c: one chunk's path through the GPUs: who holds its partial sum after which step, and whose data
 * are inside. In the window:
 *
 *             start   0       1       2    |   3       4           a column for a step, a row for a
 *             GPU
 *     GPU 0   [A  ]                        |       ,->[ABC]
 *     GPU 1        `->[AB ]                |  ,--'                 [AB ] whose data are inside; what a
 *     GPU 2                `->[ABC]--------'                             GPU holds goes on to the right
 *
 * and in the terminal:
 *
 *     Path     chunk 0: GPU 0 > 1 > 2 > 0 > 1        the GPUs that have it after each step
 *              GPU 2 holds 3 of 3 contributions
 *
 *   - The chunk is the one under the pointer, else the one clicked last, else the first that the followed GPU sends.
 *   - The path has only transfers that really happen: in a run that stalls it ends early.
 */
#include "text/say.h"
#include "panels/diagram/diagram.h"
#include "terminal/compose.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------ the path */

enum { MOST_RANKS = 64, MOST_STEPS = 512 };

typedef struct chunk_path {
    const rv_model *model;
    int32_t chunk, first; /* first: the first GPU of `starts` */
    uint64_t starts;      /* the GPUs that send it in its first step, a bit each */
    int32_t step;         /* the path holds the state before this step */
    uint64_t inside[MOST_RANKS];
    uint64_t twice; /* the GPUs where somebody's data are inside more than once */
    /* its first element, and what it is without flips */
    uint64_t held[MOST_RANKS], due[MOST_RANKS];
} chunk_path;

/* Tells whether a run is small enough for a path, and has chunks. */
static bool has_path(const rv_model *model) {
    return model->n_ranks <= MOST_RANKS && model->n_steps <= MOST_STEPS && model->n_chunks > 0;
}

/* Returns the first chunk that a GPU sends. */
static int32_t first_chunk(const rv_model *model, int32_t rank) {
    for (int32_t step = 0; step < model->n_steps; step++) {
        rs_cursor cursor = {0};
        rs_transfer t;
        while (rs_next_transfer(model->schedule, step, &cursor, &t)) {
            if (t.src == rank) return t.chunk;
        }
    }
    return rank % model->n_chunks;
}

/* Walks the transfers that carry the chunk in the path's step, in list order. */
static bool next_hop(const chunk_path *p, rs_cursor *cursor, rs_transfer *t) {
    assert(p->step >= 0);
    if (p->step >= p->model->n_steps) return false;
    while (rs_next_transfer(p->model->schedule, p->step, cursor, t)) {
        const bool has = t->chunk <= p->chunk && p->chunk < t->chunk + t->n_chunks;
        if (has && rv_happened(p->model, p->step, t)) return true;
    }
    return false;
}

/* Moves one value of the chunk: what `src` sends into what `dst` has. */
static void move_value(const chunk_path *p, const rs_transfer *t, uint64_t sent, uint64_t *cell) {
    const rs_request *request = &p->model->report->request;
    if (t->effect == RS_COPY)
        *cell = sent;
    else
        rs_fold(request->dtype, request->op, &sent, cell, cell, 1);
}

/* Goes a step on; returns the set of GPUs that receive the chunk in that step. */
static uint64_t go_a_step_on(chunk_path *p) {
    const chunk_path before = *p; /* a step reads before it writes */
    uint64_t there = 0;
    rs_cursor cursor = {0};
    rs_transfer t;
    while (next_hop(&before, &cursor, &t)) {
        const uint64_t src = UINT64_C(1) << t.src, dst = UINT64_C(1) << t.dst;
        const uint64_t carries = before.inside[t.src];
        const uint64_t old = t.effect == RS_REDUCE ? p->inside[t.dst] : 0;
        bool twice = (before.twice & src) != 0 || (old & carries) != 0;
        if (t.effect == RS_REDUCE) twice = twice || (p->twice & dst) != 0;
        p->inside[t.dst] = old | carries;
        p->twice = twice ? p->twice | dst : p->twice & ~dst;
        there |= dst;
        uint64_t sent = before.held[t.src];
        *(char *)&sent ^= rv_flips(&p->model->report->request.job, p->step, t.src);
        move_value(p, &t, sent, &p->held[t.dst]);
        move_value(p, &t, before.due[t.src], &p->due[t.dst]);
    }
    p->step++;
    return there;
}

static chunk_path start_path(const rv_model *model, int32_t chunk) {
    assert(model->n_ranks <= MOST_RANKS && chunk >= 0 && chunk < model->n_chunks);
    chunk_path p = {.model = model, .chunk = chunk};
    rs_cursor cursor = {0};
    rs_transfer t;
    for (int32_t r = 0; r < model->n_ranks; r++) {
        const size_t size = (size_t)model->report->request.job.elem_bytes;
        p.inside[r] = UINT64_C(1) << r;
        if (!model->values || chunk >= model->n_elems) continue;
        memcpy(&p.held[r], (const char *)model->inputs[r] + (size_t)chunk * size, size);
        p.due[r] = p.held[r];
    }
    while (p.step < model->n_steps && !next_hop(&p, &cursor, &t)) {
        cursor = (rs_cursor){0};
        p.step++;
    }
    if (p.step >= model->n_steps) { /* nobody sends it */
        p.first = chunk % model->n_ranks;
        p.starts = UINT64_C(1) << p.first;
    } else {
        p.first = t.src;
        do p.starts |= UINT64_C(1) << t.src;
        while (next_hop(&p, &cursor, &t));
    }
    p.step = 0;
    return p;
}

static chunk_path path_at(const rv_model *model, int32_t chunk, int32_t step) {
    chunk_path p = start_path(model, chunk);
    while (p.step < step) go_a_step_on(&p);
    assert(p.step == step || step < 0);
    return p;
}

/* Returns how many GPUs are in a set. */
static int count_set(uint64_t set) {
    int n = 0;
    for (; set != 0; set &= set - 1) n++;
    return n;
}

/* Returns what a rank holds of the chunk before the path's step is worth. */
static rv_worth worth_at(const chunk_path *p, int32_t rank) {
    const rv_model *model = p->model;
    const bool twice = (p->twice & UINT64_C(1) << rank) != 0;
    if (model->cells && p->step == rv_steps_executed(model))
        return rv_worth_of(model, rank, p->chunk);
    if (model->values && !rs_equal(model->report->request.dtype, &p->held[rank], &p->due[rank], 1))
        return RV_WRONG;
    const bool unsure = !model->values && p->step > model->first_flip;
    return !twice && !unsure && count_set(p->inside[rank]) == model->n_ranks ? RV_WHOLE : RV_PART;
}

/* Says how far the chunk has come. */
static void say_progress(const chunk_path *p, char *out, size_t n_out) {
    const int n = p->model->n_ranks;
    int whole = 0, wrong = 0;
    int32_t most = p->first;
    for (int32_t r = 0; r < n; r++) {
        whole += worth_at(p, r) == RV_WHOLE;
        wrong += worth_at(p, r) == RV_WRONG;
        if (count_set(p->inside[r]) > count_set(p->inside[most])) most = r;
    }
    rv_say say = rv_say_to(out, n_out);
    if (whole > 1) {
        rv_say_more(&say, _("complete on %d of %d GPUs"), whole, n);
    } else {
        rv_say_more(&say, _("GPU %d holds %d of %d contributions"), (int)most,
                    count_set(p->inside[most]), n);
    }
    if (wrong > 0) rv_say_more(&say, _(", wrong on %d"), wrong);
    rv_name_ranks(p->model, out, n_out);
}

enum { TEXT = 256 };

/* --------------------------------------------------------------------------------- in the window */

typedef struct grid {
    const rv_stage *stage;
    rv_scene *scene;
    rv_box cells; /* without the heads */
    double w, h;  /* from column to column, from row to row */
    double node_w, node_h;
    int32_t done, shown; /* how many steps are done; how many the picture shows */
} grid;

/* Column 0 is the start, column s + 1 what holds after step s. */
static rv_box node_box(const grid *g, int32_t rank, int32_t column) {
    const double x = g->cells.x + (column + 0.5) * g->w, y = g->cells.y + (rank + 0.5) * g->h;
    return (rv_box){x - g->node_w / 2, y - g->node_h / 2, g->node_w, g->node_h};
}

/* Draws a place for each GPU, filled if its data are inside; if places are too narrow, one colour
   of the heat map. */
static void draw_inside(const grid *g, rv_box box, uint64_t inside, int n) {
    const rv_look *look = &g->stage->look;
    const double w = box.w / n;
    if (w < 2) {
        const double share = (double)count_set(inside) / n;
        rv_scene_rect(g->scene, box, 0, rv_heat_of(look, share));
        return;
    }
    for (int r = 0; r < n; r++) {
        if ((inside & UINT64_C(1) << r) == 0) continue;
        const rv_dye dye = rv_dye_of(look, r);
        rv_item *item =
            rv_scene_rect(g->scene, (rv_box){box.x + w * r, box.y, w, box.h}, 0, dye.fill);
        if (n <= 8) {
            rv_hatch(item, dye.pattern, dye.hatch);
        }
        if (w < 0.85 * look->unit || box.h < 0.8 * look->unit) continue;
        rv_scene_label(g->scene, item->box, RV_MIDDLE, 0.75 * look->unit, dye.ink, dye.letter);
    }
}

static void draw_node(const grid *g, const chunk_path *p, int32_t rank, int32_t column) {
    const rv_look *look = &g->stage->look;
    const bool done = column <= g->done, now = column == g->done;
    const rv_box box = node_box(g, rank, column);
    const double radius = fmin(0.25 * look->unit, 0.2 * box.h);
    rv_scene_rect(g->scene, box, radius, done ? look->raised : look->panel);
    if (done) draw_inside(g, rv_inset(box, 0.06 * box.h), p->inside[rank], p->model->n_ranks);
    rv_item *frame = rv_scene_rect(g->scene, box, radius, 0);
    const bool lit = rv_is_lit(g->stage, rank, -1);
    const rv_worth worth = done ? worth_at(p, rank) : RV_PART;
    const double r = fmin(0.34 * look->unit, 0.3 * fmin(box.w, box.h));
    frame->stroke = worth == RV_WRONG   ? look->bad
                    : lit || now        ? look->ink
                    : !done             ? look->edge
                    : worth == RV_WHOLE ? look->good
                                        : look->quiet;
    if (worth == RV_WRONG)
        rv_draw_wrong(look, g->scene, (rv_point){box.x + box.w - r, box.y + r}, r);
    frame->line = (lit || now ? 2 : 1) * look->hair;
    frame->target = rv_target_of(RV_CELL, rank, p->chunk);
}

/* Draws a line from where the sender got the chunk to this step, and the transfer itself. */
static void draw_hop(const grid *g, const chunk_path *p, const rs_transfer *h, int32_t held_from) {
    const rv_look *look = &g->stage->look;
    const bool done = p->step < g->done, now = p->step + 1 == g->done;
    const rv_box from = node_box(g, h->src, p->step), to = node_box(g, h->dst, p->step + 1);
    const rv_box held = node_box(g, h->src, held_from);
    const rv_colour hue = rv_diagram_hue(look, h->effect);
    const rv_colour ink = done ? hue : rv_fade(hue, 0.45);
    const double line = (now ? 0.2 : 0.11) * look->unit;
    const rv_point leaves = {from.x + from.w, from.y + from.h / 2};
    if (held_from < p->step) {
        rv_scene_segment(g->scene, (rv_point){held.x + held.w, leaves.y}, leaves, line, ink)
            ->dashed = !done;
    }
    rv_item *way = rv_scene_segment(g->scene, leaves, (rv_point){to.x, to.y + to.h / 2}, line, ink);
    way->dashed = !done;
    way->arrow = g->w >= 1.5 * look->unit;
    const rv_shown_run run = rv_main_run(g->stage);
    way->target = rv_transfer_target(&run, p->step, h->src, p->chunk);
}

/* Goes along the path; draws its lines, or (nodes) the boxes upon them. */
static void draw_along(const grid *g, int32_t chunk, bool nodes) {
    chunk_path p = start_path(g->stage->what_if->model, chunk);
    int32_t held_from[MOST_RANKS] = {0};
    uint64_t seen = UINT64_C(1) << p.first;
    if (nodes) draw_node(g, &p, p.first, 0);
    while (p.step < g->shown) {
        rs_cursor cursor = {0};
        rs_transfer t;
        while (next_hop(&p, &cursor, &t)) {
            const bool comes = (seen & UINT64_C(1) << t.src) == 0; /* sends its own data alone */
            if (comes) held_from[t.src] = p.step;
            if (comes && nodes) draw_node(g, &p, t.src, p.step);
            if (!nodes) draw_hop(g, &p, &t, held_from[t.src]);
            held_from[t.src] = p.step;
            seen |= UINT64_C(1) << t.src;
        }
        const uint64_t there = go_a_step_on(&p);
        seen |= there;
        for (int32_t r = 0; r < p.model->n_ranks; r++) {
            if ((there & UINT64_C(1) << r) == 0) continue;
            held_from[r] = p.step;
            if (nodes) draw_node(g, &p, r, p.step);
        }
    }
}

static void draw_heads(const grid *g, rv_box heads, rv_box names) {
    const rv_stage *stage = g->stage;
    const rv_look *look = &stage->look;
    const rv_model *model = stage->what_if->model;
    const double size = 0.8 * look->unit;
    const double start = rv_label_width(_("start"), size);
    const int32_t columns = rv_every(g->w, 1.9 * size), rows = rv_every(g->h, 1.15 * size);
    for (int32_t c = 0; c <= model->n_steps; c++) {
        const bool now = c == g->done;
        if (!now && c > 0 && ((c - 1) % columns != 0 || abs(c - g->done) < columns)) continue;
        const double w = c == 0 ? fmax(start, g->w) : columns * g->w;
        if (c > 0 && (c + 0.5) * g->w - 0.7 * size < start) continue;
        rv_box box = {g->cells.x + (c + 0.5) * g->w - w / 2, heads.y, w, heads.h};
        if (c == 0) box.x = fmax(box.x, g->cells.x);
        char text[64];
        snprintf(text, sizeof text, "%d", (int)c - 1);
        rv_scene_label(g->scene, box, RV_MIDDLE, size, now ? look->accent : look->quiet,
                       c == 0 ? _("start") : text)
            ->bold = now;
    }
    for (int32_t r = 0; r < model->n_ranks; r++) {
        const bool followed = r == stage->playback.rank;
        if (!followed && (r % rows != 0 || abs(r - stage->playback.rank) < rows)) continue;
        rv_box box = {names.x, g->cells.y + r * g->h, names.w - 0.5 * look->unit, g->h};
        if (rows > 1) {
            box.y -= 0.6 * size - g->h / 2;
            box.h = 1.2 * size;
        }
        rv_draw_rank_head(stage, model, g->scene, box, size, r, true);
    }
}

/* Shades the column of the moment, and draws a line where a phase begins. */
static void draw_ground(const grid *g) {
    const rv_look *look = &g->stage->look;
    const rs_schedule *schedule = g->stage->what_if->model->schedule;
    const rv_box now = {g->cells.x + g->done * g->w, g->cells.y, g->w, g->cells.h};
    rv_scene_rect(g->scene, now, 0.3 * look->unit, rv_fade(look->accent, 0.13));
    for (int32_t i = 1; i < schedule->n_phases; i++) {
        const double x = g->cells.x + (schedule->phases[i].first_step + 1) * g->w;
        rv_scene_line(g->scene, x, g->cells.y, x, g->cells.y + g->cells.h, look->hair, look->edge);
    }
}

static int32_t chunk_in_window(const rv_stage *stage) {
    const rv_target at = stage->hover;
    const rv_model *model = stage->what_if->model;
    const int32_t pointed = at.thing == RV_CELL ? at.b : at.thing == RV_TRANSFER ? at.c : -1;
    if (pointed >= 0 && pointed < model->n_chunks) return pointed;
    const rv_target cell = stage->chosen;
    const bool follows = cell.thing == RV_CELL && cell.a == stage->playback.rank;
    if (follows && cell.b < model->n_chunks) return cell.b;
    return first_chunk(model, stage->playback.rank);
}

static void draw(rv_stage *stage, rv_scene *scene, rv_box box) {
    const rv_look *look = &stage->look;
    const rv_shown_run run = rv_main_run(stage);
    const rv_model *model = run.model;
    const double u = look->unit;
    char text[TEXT];
    if (!has_path(model)) {
        const rv_box inside = rv_draw_panel(stage, scene, box, _("Path"));
        rv_scene_label(scene, inside, RV_MIDDLE, u, look->quiet, _("too many cells to show"));
        return;
    }
    const int32_t chunk = chunk_in_window(stage), done = rv_steps_executed(model);
    snprintf(text, sizeof text, _("Path of chunk %d"), (int)chunk);
    rv_box inside = rv_draw_panel(stage, scene, box, text);
    rv_box line = {inside.x, inside.y - 1.3 * u, inside.w, 1.3 * u};
    rv_cut_left(&line, 1.1 * rv_label_width(text, 0.85 * u) + u);
    const chunk_path now = path_at(model, chunk, done);
    say_progress(&now, text, sizeof text);
    rv_scene_label(scene, line, RV_RIGHT, 0.8 * u, look->quiet, text);
    rv_box heads = rv_cut_top(&inside, 1.2 * u);
    const rv_box names = rv_cut_left(&inside, 3.6 * u);
    if (inside.w < 4 * u || inside.h < u) return;
    grid g = {.stage = stage, .scene = scene, .cells = inside, .done = done};
    g.shown = run.hidden ? done : model->n_steps;
    g.w = fmin(8 * u, inside.w / (model->n_steps + 1));
    g.h = fmin(4.6 * u, inside.h / model->n_ranks);
    g.cells.w = g.w * (model->n_steps + 1);
    g.cells.h = g.h * model->n_ranks;
    g.node_w = fmax(1.5, 0.62 * g.w);
    g.node_h = fmax(1.5, fmin(0.72 * g.h, 0.6 * g.node_w + 0.4 * u));
    draw_ground(&g);
    draw_heads(&g, heads, names);
    draw_along(&g, chunk, false);
    draw_along(&g, chunk, true);
}

/* -------------------------------------------------------------------------------- in the terminal */

enum { LABEL = 9 };

static int lines(rv_composition *page, int most) {
    const int wanted = has_path(page->playback->subject.model) ? 2 : 1;
    return wanted < most ? wanted : most;
}

/* Writes a set of GPUs: "3", "0,2", "8 GPUs"; "": none. */
static void say_set(const char *head, uint64_t set, char *out, size_t n_out) {
    rv_say say = rv_say_to(out, n_out);
    if (count_set(set) > 3) {
        rv_say_more(&say, _("%d GPUs"), count_set(set));
        return;
    }
    for (int r = 0; r < MOST_RANKS; r++) {
        if (set & UINT64_C(1) << r) rv_say_more(&say, "%s%d", say.used > 0 ? "," : head, r);
    }
}

/* Writes the chain's steps from..to - 1 from column x on (screen NULL: only measures); returns the
   column after it. */
static int put_chain(const chunk_path *start, rv_screen *screen, int x, int y, int32_t from,
                     int32_t to, int32_t done) {
    chunk_path p = *start;
    while (p.step < to) {
        const int32_t step = p.step;
        const rv_style style = step + 1 == done ? RV_CHOSEN : step < done ? RV_PLAIN : RV_DIM;
        char text[64];
        const uint64_t there = go_a_step_on(&p);
        if (there == 0 || step < from) continue;
        say_set("", there, text, sizeof text);
        if (screen != NULL) {
            rv_put(screen, x, y, 3, RV_DIM, " > ");
            rv_put_words(screen, x + 3, y, screen->width - x - 4, style, text);
        }
        x += 3 + rv_text_width(text);
    }
    return x;
}

static void compose(const rv_composition *page, int y, int n_lines) {
    const rv_playback *playback = page->playback;
    rv_screen *screen = page->screen;
    const rv_model *model = playback->subject.model;
    const bool hidden = rv_is_hidden(playback);
    char text[TEXT];
    rv_put(screen, 1, y, LABEL - 2, RV_BOLD, _("Path"));
    if (!has_path(model)) {
        rv_put_words(screen, LABEL, y, TEXT, RV_DIM, _("too many cells to show"));
        return;
    }
    const chunk_path start = start_path(model, first_chunk(model, playback->rank));
    const int32_t done = rv_steps_executed(model);
    snprintf(text, sizeof text, _("chunk %d: "), (int)start.chunk);
    int x = rv_put(screen, LABEL, y, TEXT, RV_PLAIN, text);
    const int room = screen->width - screen->width / 5; /* leaves a fifth for the steps to come */
    int32_t from = 0; /* a long chain leaves out its first steps, so that the moment is visible */
    while (from < done && put_chain(&start, NULL, x + 6, y, from, done, done) > room) {
        from++;
    }
    say_set("GPU ", start.starts, text, sizeof text);
    rv_name_ranks(model, text, sizeof text);
    if (from > 0) snprintf(text, sizeof text, "...");
    x = rv_put(screen, x, y, TEXT, done == 0 ? RV_CHOSEN : RV_PLAIN, text);
    put_chain(&start, screen, x, y, from, hidden ? done : model->n_steps, done);
    if (n_lines < 2) return;
    const chunk_path now = path_at(model, start.chunk, done);
    say_progress(&now, text, sizeof text);
    rv_put_words(screen, LABEL, y + 1, TEXT, RV_PLAIN, text);
}

static const rv_stroke sign[] = {{RV_BAR, {-0.95, -0.8, 0.75, 0.36}},
                                 {RV_BAR, {-0.4, -0.18, 0.75, 0.36}},
                                 {RV_BAR, {0.15, 0.44, 0.75, 0.36}},
                                 {0}};

const rv_panel rv_panel_path = {.word = "path",
                                .name = N_("Path"),
                                .key = "i",
                                .help = N_("show one chunk's path through the GPUs"),
                                .sign = sign,
                                .apart = true,
                                .fits = rv_has_model,
                                .place = RV_PLACE_BELOW,
                                .least = 6.5,
                                .weight = 1,
                                .draw = draw,
                                .lines = lines,
                                .compose = compose};
