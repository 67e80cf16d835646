/* draw_matrix.c: the table GPUs x chunks: what each cell holds, whose data are inside, what has
 * just changed.
 *
 *              0        1        2            a cell:  +-----------+
 *     GPU 0 [     1] [     2] [     3]                 |    1011 + |  value, at the right; what happened
 *     GPU 1 [ 11 + ] [    20] [    30]                 | ##.##.... |  a place for each GPU's data
 *     GPU 2                                            +-----------+
 *
 *   - A cell too small for a value has the strip alone; if cells are too small for that, there is a
 *     heat map: a pixel for each cell, the stronger the more is inside.
 *   - Within a step the cells stand still; the signs of what happens are on the moving layer.
 */
#include "panels/draw.h"
#include "terminal/compose.h"
#include "text/say.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STRIPS = 20, MOST_PLACES = 80, MOST_HATCHED = 8, MOST_VALUE = 40 };

static const char *const signs[] = {"", ">", "<", "+", "="}; /* of marks */

/* The room beside a value for the sign of what happens, in sizes of type. */
static const double SIGN = 0.8;

typedef struct matrix_table {
    rv_box cells;                                       /* without the heads */
    int32_t first_rank, n_ranks, first_chunk, n_chunks; /* the part that is shown */
    rv_box heads;                                       /* of the columns */
    double w, h;                                        /* of a cell */
    double value; /* size of the values' type; 0: they do not fit */
    bool strips;  /* cells have strips; else the table is a heat map */
} matrix_table;

/* Returns the width of the run's widest value, by its size. */
static double widest_value(const rv_model *model) {
    const double bold = 1.06;
    char widest[MOST_VALUE + 1] = "";
    memset(widest, '8', (size_t)model->value_width);
    return bold * rv_label_width(widest, 1);
}

/* Returns the largest size of type in which every value of the run fits a cell; 0: too small to
   read. */
static double value_size(const rv_look *look, const rv_model *model, double w, double h) {
    if (h < 1.45 * look->unit) return 0;
    if (!model->values || model->value_width < 1 || model->value_width > MOST_VALUE) return 0;
    const double wanted = widest_value(model) + SIGN;
    const double room = w - 0.35 * look->unit;
    const double size = fmin(fmin(1.15 * look->unit, 0.62 * h), room / wanted);
    return size < 0.55 * look->unit ? 0 : size;
}

/* Cuts n down to the part of a zoom, at least 2; returns where that begins. */
static int32_t part_of(double from, double span, int32_t *n) {
    const int32_t all = *n, part = (int32_t)fmax(fmin(2, all), ceil(span * all - 1e-9));
    if (span <= 0 || part >= all) return 0;
    *n = part;
    return (int32_t)fmin(all - part, floor(from * all + 0.5));
}

static matrix_table plan(const rv_look *look, const rv_model *model, rv_zoom zoom, rv_box box) {
    const double u = look->unit;
    matrix_table t = {.n_ranks = model->n_ranks, .n_chunks = model->n_chunks};
    t.first_rank = part_of(zoom.from_y, zoom.span, &t.n_ranks);
    t.first_chunk = part_of(zoom.from, zoom.span, &t.n_chunks);
    const double least = fmin(0.9 * u, box.h / (t.n_ranks + 1));
    t.heads = rv_cut_top(&box, fmin(1.2 * u, fmax(least, 0.8 * u)));
    const double head_w = fmin(0.2 * box.w, box.h / t.n_ranks < 0.6 * u ? 2 * u : 3.4 * u);
    rv_cut_left(&box, head_w);
    t.w = fmin(10 * u, box.w / fmax(1, t.n_chunks));
    t.h = fmin(4.4 * u, box.h / fmax(1, t.n_ranks));
    t.cells = (rv_box){box.x, box.y, t.w * t.n_chunks, t.h * t.n_ranks};
    t.strips = model->cells && t.n_ranks <= MOST_STRIPS && model->n_ranks <= MOST_PLACES &&
               t.w >= 0.9 * u && t.h >= 4.5;
    if (t.strips) t.value = value_size(look, model, t.w, t.h);
    return t;
}

static rv_box cell_of(const matrix_table *t, int32_t rank, int32_t chunk) {
    return (rv_box){t->cells.x + (chunk - t->first_chunk) * t->w,
                    t->cells.y + (rank - t->first_rank) * t->h, t->w, t->h};
}

static bool is_between(int32_t at, int32_t first, int32_t n) {
    return at >= first && at < first + n;
}

/* ------------------------------------------------------------------------------------- one cell */

static double strip_height(const matrix_table *t) {
    return fmax(3, 0.28 * t->h);
}

/* Draws a place for each GPU, coloured if its data are inside; narrow places are the pixels of a
   grid. */
static void draw_strip(const rv_look *look, const rv_model *model, rv_scene *scene, rv_box box,
                       int32_t rank, int32_t chunk) {
    int32_t who[MOST_PLACES];
    const int32_t n = model->n_ranks;
    int64_t inside = rs_contents_list(model->contents, rank, chunk, who, MOST_PLACES);
    if (inside > MOST_PLACES) inside = MOST_PLACES;
    if (n <= MOST_HATCHED && box.w >= 5.0 * n) {
        for (int64_t i = 0; i < inside; i++) {
            const rv_dye dye = rv_dye_of(look, who[i]);
            const double w = box.w / n;
            rv_item *item = rv_hatch(
                rv_scene_rect(scene, (rv_box){box.x + w * who[i], box.y, w, box.h}, 0, dye.fill),
                dye.pattern, dye.hatch);
            if (w < 1.2 * look->unit || box.h < 0.9 * look->unit) continue;
            rv_scene_label(scene, item->box, RV_MIDDLE, 0.7 * look->unit, dye.ink, dye.letter);
        }
    } else {
        rv_colour *pixels;
        rv_scene_grid(scene, box, n, 1, &pixels);
        if (pixels == NULL) return;
        for (int32_t r = 0; r < n; r++) pixels[r] = look->raised;
        for (int64_t i = 0; i < inside; i++) pixels[who[i]] = rv_dye_of(look, who[i]).fill;
    }
}

static void draw_cell(const rv_stage *stage, const rv_model *model, rv_scene *scene,
                      const matrix_table *t, int32_t rank, int32_t chunk) {
    const rv_look *look = &stage->look;
    const rv_worth worth = rv_worth_of(model, rank, chunk);
    const rv_colour tint = worth == RV_WRONG ? look->bad : look->good;
    const bool lit = rv_is_lit(stage, rank, chunk);
    const bool roomy = t->h >= 0.7 * look->unit;
    const double gap = t->h > look->unit ? 1.5 : 0.75;
    rv_box box = rv_inset(cell_of(t, rank, chunk), gap);
    const double radius = fmin(0.25 * look->unit, 0.2 * t->h);
    rv_scene_rect(scene, box, radius,
                  worth != RV_PART ? rv_mix(look->panel, tint, 0.16)
                                   : rv_mix(look->panel, look->raised, 0.7));
    rv_box left = rv_inset(box, radius / 2);
    if (t->value > 0) {
        char text[64];
        const rv_box strip = rv_cut_bottom(&left, strip_height(t));
        draw_strip(look, model, scene, strip, rank, chunk);
        rv_value_at(model, rank, chunk, text, sizeof text);
        rv_cut_right(&left, SIGN * t->value);
        rv_cut_right(&left, fmax(0, left.w - widest_value(model) * t->value) / 2);
        rv_scene_label(scene, left, RV_RIGHT, t->value, worth == RV_WRONG ? look->bad : look->ink,
                       text)
            ->bold = worth != RV_PART;
    } else {
        draw_strip(look, model, scene, left, rank, chunk);
    }
    rv_item *frame = rv_scene_rect(scene, box, radius, 0);
    frame->stroke = lit                 ? look->ink
                    : worth == RV_WRONG ? look->bad
                    : worth == RV_WHOLE ? rv_mix(look->panel, tint, 0.7)
                                        : look->edge;
    frame->line = lit ? 0.13 * look->unit : roomy ? 1 : 0;
    frame->target = rv_target_of(RV_CELL, rank, chunk);
    const double r = fmin(0.34 * look->unit, 0.3 * fmin(box.w, box.h));
    if (worth == RV_WRONG)
        rv_draw_wrong(look, scene, (rv_point){box.x + box.w - r, box.y + box.h - r}, r);
}

/* Marks what happens to a cell: a frame in the accent colour, and a sign. */
static void draw_mark(const rv_stage *stage, const rv_model *model, rv_scene *scene,
                      const matrix_table *t, rv_mark mark, int32_t rank, int32_t chunk) {
    const rv_look *look = &stage->look;
    rv_box box = rv_inset(cell_of(t, rank, chunk), t->h > look->unit ? 1.5 : 0.5);
    if (!t->strips) { /* on a heat map: large enough to be seen, even if its cell is not */
        const rv_point c = rv_centre(cell_of(t, rank, chunk));
        const double w = fmax(1.5, 0.9 * t->w), h = fmax(1.5, 0.9 * t->h);
        rv_scene_rect(scene, (rv_box){c.x - w / 2, c.y - h / 2, w, h}, 0, look->ink);
        return;
    }
    rv_item *frame = rv_scene_rect(scene, box, fmin(0.25 * look->unit, 0.2 * t->h), 0);
    frame->stroke = rv_worth_of(model, rank, chunk) == RV_WRONG ? look->bad : look->accent;
    frame->line = (t->h > look->unit ? 0.13 : 0.1) * look->unit;
    const double size = t->value > 0 ? t->value : fmin(0.8 * look->unit, 0.8 * t->h);
    if (size < 0.55 * look->unit) return;
    rv_box place = rv_inset(box, t->value > 0 ? 2 : 1);
    if (t->value > 0) rv_cut_bottom(&place, strip_height(t));
    place = rv_cut_right(&place, SIGN * size);
    /* a ground on top of the strip */
    if (t->value <= 0) rv_scene_rect(scene, place, 1, look->accent);
    rv_scene_label(scene, place, RV_MIDDLE, size, t->value > 0 ? look->accent : look->accent_ink,
                   signs[mark])
        ->bold = true;
}

/* Draws all marks, and tells which there are. */
static void draw_marks(const rv_stage *stage, const rv_model *model, rv_scene *scene,
                       const matrix_table *t, bool there[]) {
    scene->layer = RV_MOVING;
    for (int32_t r = t->first_rank; r < t->first_rank + t->n_ranks; r++) {
        for (int32_t c = t->first_chunk; c < t->first_chunk + t->n_chunks; c++) {
            const rv_mark mark = rv_mark_at(model, r, c);
            there[mark] = true;
            if (mark != RV_SAME) draw_mark(stage, model, scene, t, mark, r, c);
        }
    }
    scene->layer = RV_STILL;
}

/* ------------------------------------------------------------------------------------- the table */

/* Draws the heat map: a pixel a cell, or where there is no room for that a pixel a block of them. False: no memory, or
   too many cells. */
static bool draw_heat(const rv_stage *stage, const rv_shown_run *run, rv_scene *scene,
                      const matrix_table *t) {
    const rv_model *model = run->model;
    rv_counts *counts = run->what_if->counts;
    const bool each = model->cells; /* each cell can be pointed at */
    int32_t columns = each ? t->n_chunks : (int32_t)fmax(1, t->cells.w);
    int32_t rows = each ? t->n_ranks : (int32_t)fmax(1, t->cells.h);
    const rv_cells part = {t->first_rank, t->n_ranks, t->first_chunk, t->n_chunks};
    if (counts == NULL || !rv_counts_seek(counts, rv_steps_executed(model))) return false;
    rv_item *grid = rv_draw_counts(stage, run, part, 0, scene, t->cells, &columns, &rows);
    grid->target = each ? rv_target_of(RV_CELL, t->first_rank, t->first_chunk)
                        : rv_target_of(RV_GPU, t->first_rank, 0);
    if (!each) grid->target.c = (t->n_ranks + rows - 1) / rows;
    return true;
}

static void draw_heads(const rv_stage *stage, const rv_model *model, rv_scene *scene,
                       const matrix_table *t, rv_box box) {
    const rv_look *look = &stage->look;
    const double u = look->unit, size = fmin(0.8 * u, fmax(0.6 * u, 0.8 * t->h));
    const double words = rv_label_width(_("chunk %d"), size);
    const double digits = model->n_chunks > 100 ? 2.6 : model->n_chunks > 10 ? 2 : 1.4;
    const int32_t columns = rv_every(t->w, digits * size), rows = rv_every(t->h, 1.15 * size);
    const int32_t end_chunk = t->first_chunk + t->n_chunks, end_rank = t->first_rank + t->n_ranks;
    for (int32_t c = (t->first_chunk + columns - 1) / columns * columns; c < end_chunk;
         c += columns) {
        const bool lit = rv_is_lit(stage, -1, c);
        rv_box head = {cell_of(t, 0, c).x, t->heads.y, t->w * columns, t->heads.h};
        if (columns > 1) head.x -= (head.w - t->w) / 2;
        if (head.x + head.w > box.x + box.w + 0.5) continue;
        rv_scene_labelf(scene, head, RV_MIDDLE, size, lit ? look->ink : look->quiet,
                        t->w > words ? _("chunk %d") : "%d", (int)c)
            ->bold = lit;
    }
    for (int32_t r = t->first_rank; r < end_rank; r++) {
        const bool followed = r == stage->playback.rank;
        const bool covered = abs(r - stage->playback.rank) * t->h < 1.15 * size;
        if (!followed && (r % rows != 0 || covered)) continue;
        rv_box head = {box.x, cell_of(t, r, 0).y, t->cells.x - box.x - 0.55 * u, t->h};
        if (rows > 1) {
            head.y -= 0.6 * size - t->h / 2;
            head.h = 1.2 * size;
        }
        rv_draw_rank_head(stage, model, scene, head, size, r, head.w > 2.6 * u);
    }
}

/* Draws an arrow at the followed row, and on a heat map a frame round the row or cell under the
   pointer. */
static void draw_rows(const rv_stage *stage, rv_scene *scene, const matrix_table *t) {
    const rv_look *look = &stage->look;
    const double y = cell_of(t, stage->playback.rank, 0).y + 0.5 * t->h, x = t->cells.x - 2;
    const double r = 0.28 * look->unit;
    const rv_point arrow[3] = {{x - r, y - r}, {x, y}, {x - r, y + r}};
    if (is_between(stage->playback.rank, t->first_rank, t->n_ranks))
        rv_scene_polygon(scene, arrow, 3, look->focus);
    const rv_target at = stage->hover;
    const bool row = at.thing == RV_GPU,
               cell = at.thing == RV_CELL && is_between(at.b, t->first_chunk, t->n_chunks);
    if (t->strips || !(row || cell) || !is_between(at.a, t->first_rank, t->n_ranks)) return;
    rv_box box = cell_of(t, at.a, row ? t->first_chunk : at.b);
    if (row) box.w = t->cells.w;
    rv_outline(rv_scene_rect(scene, rv_inset(box, -1.5), 1, 0), look->ink, 0.1 * look->unit);
}

/* Writes at the right end of the title's line what the signs of this moment mean, each apart. */
static void draw_legend(const rv_stage *stage, const matrix_table *t, const bool there[],
                        bool reduces, rv_scene *scene, rv_box line) {
    const char *const words[] = {"", N_("leaves"), N_("has arrived"), N_("added"),
                                 reduces ? N_("replaced") : N_("stored")};
    const rv_look *look = &stage->look;
    const double size = 0.8 * look->unit;
    scene->layer = RV_MOVING;
    for (rv_mark mark = RV_COPIED; mark > RV_SAME; mark--) {
        const double w = rv_label_width(_(words[mark]), size);
        if (!there[mark] || line.w < w + 2.5 * size) continue;
        rv_scene_label(scene, rv_cut_right(&line, w), RV_RIGHT, size, look->accent, _(words[mark]));
        rv_cut_right(&line, 0.4 * size);
        const rv_point at = rv_centre(rv_cut_right(&line, 1.1 * size));
        const double r = (t->strips ? 0.55 : 0.25) * size;
        const rv_box chip = {at.x - r, at.y - r, 2 * r, 2 * r};
        rv_scene_rect(scene, chip, 0.4 * r, t->strips ? look->accent : look->ink);
        if (t->strips)
            rv_scene_label(scene, chip, RV_MIDDLE, size, look->accent_ink, signs[mark])->bold =
                true;
        rv_cut_right(&line, size);
    }
    scene->layer = RV_STILL;
}

static void draw(rv_stage *stage, rv_scene *scene, rv_box box) {
    const rv_shown_run shown = rv_main_run(stage), *run = &shown;
    const rv_model *model = run->model;
    const double u = stage->look.unit;
    const bool titled = box.h > 4 * u;
    char title[64];
    rv_say say = rv_say_to(title, sizeof title);
    rv_say_more(&say, "%s", _("Matrix"));
    if (stage->map.span > 0) rv_say_more(&say, _(" \xC3\x97%g, 0: all"), 1 / stage->map.span);
    rv_box inside = rv_draw_panel(stage, scene, box, titled ? title : NULL);
    if (inside.h < 1 || inside.w < 1) return;
    const matrix_table t = plan(&stage->look, model, stage->map, inside);
    rv_scene_rect(scene, t.cells, 0, 0)->target = rv_target_of(RV_MAP, 0, 0);
    if (!t.strips && (model->n_chunks < 1 || !draw_heat(stage, run, scene, &t))) {
        rv_scene_label(scene, inside, RV_MIDDLE, stage->look.unit, stage->look.quiet,
                       _("too many cells to show"))
            ->wrap = true;
        return;
    }
    for (int32_t r = t.first_rank; t.strips && r < t.first_rank + t.n_ranks; r++) {
        for (int32_t c = t.first_chunk; c < t.first_chunk + t.n_chunks; c++) {
            draw_cell(stage, model, scene, &t, r, c);
        }
    }
    draw_heads(stage, model, scene, &t, inside);
    draw_rows(stage, scene, &t);
    if (!model->cells || run->hidden) return;
    bool there[RV_COPIED + 1] = {false};
    draw_marks(stage, model, scene, &t, there);
    if (!titled) return;
    draw_legend(stage, &t, there, rs_collective_reduces(model->schedule->collective), scene,
                (rv_box){inside.x, inside.y - 1.3 * u, inside.w, 1.3 * u});
}

#define CELL(x, y)                                                                                 \
    {                                                                                              \
        RV_BAR, {                                                                                  \
            x, y, 0.48, 0.48                                                                       \
        }                                                                                          \
    }
static const rv_stroke sign[] = {CELL(-0.85, -0.85), CELL(-0.23, -0.85),
                                 CELL(0.39, -0.85),  CELL(-0.85, -0.23),
                                 CELL(-0.23, -0.23), CELL(0.39, -0.23),
                                 CELL(-0.85, 0.39),  CELL(-0.23, 0.39),
                                 CELL(0.39, 0.39),   {0}};

const rv_panel rv_panel_matrix = {.word = "matrix",
                                  .name = N_("Matrix"),
                                  .key = "m",
                                  .help = N_("show the matrix of ranks and chunks"),
                                  .sign = sign,
                                  .fits = rv_has_model,
                                  .opens = rv_is_own,
                                  .place = RV_PLACE_BESIDE,
                                  .least = 5.5,
                                  .weight = 3,
                                  .draw = draw,
                                  .lines = rv_cells_lines,
                                  .compose = rv_compose_cells,
                                  .always = true,
                                  .fills = true};
