/* diagram_heat.c: how busy each lane is, where there are too many transfers for bars: a picture of
 * rows (one GPU, or some together) x columns (spans of time).
 *
 *   - A pixel first counts, in two halves of its 32 bits, how long its GPUs add and how long they
 *     copy; then it gets its colour. A pixel that is busy all the time counts FULL.
 *   - In very large runs the heat map reads only some steps and transfers, each of which stands for
 *     its neighbours, so that the picture stays quick.
 */
#include "panels/diagram/diagram.h"
#include "text/words.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FULL = 4096, MOST_LOOKED_AT = 60000 };

typedef struct heat {
    const rv_chart *chart;
    rv_colour *pixels;
    int32_t columns, rows;
    int32_t stride, apart; /* reads every stride-th step, and in it every apart-th transfer */
    double per_ps;         /* columns for a picosecond */
} heat;

static int32_t row_of(const heat *h, int32_t rank) {
    assert(rank >= 0 && rank < h->chart->run->model->n_ranks && h->rows >= 1);
    return (int32_t)((int64_t)rank * h->rows / h->chart->run->model->n_ranks);
}

/* Adds `weight` to each column that [from, to) covers, less if it covers a part only. */
static void count(const heat *h, int32_t rank, int64_t from_ps, int64_t to_ps, int effect,
                  double weight) {
    const double x0 = fmax(0, (double)(from_ps - h->chart->from_ps) * h->per_ps);
    const double x1 = fmin(h->columns, (double)(to_ps - h->chart->from_ps) * h->per_ps);
    rv_colour *row = h->pixels + (ptrdiff_t)row_of(h, rank) * h->columns;
    const int shift = effect == RS_COPY ? 16 : 0;
    for (int32_t x = (int32_t)x0; x < x1; x++) {
        const double covered = fmin(x + 1, x1) - fmax(x, x0);
        const uint32_t had = row[x] >> shift & 0xFFFF;
        const uint32_t more = (uint32_t)(FULL * weight * covered);
        row[x] += (had + more > 0xFFFF ? 0xFFFF - had : more) << shift;
    }
}

/* Chooses what to leave out: steps, as long as one is read for two columns; then transfers. */
static void thin_out(heat *h) {
    const rv_model *model = h->chart->run->model;
    const int64_t n_items = model->report->trace->n_items;
    const int64_t needed = n_items / MOST_LOOKED_AT + 1,
                  most = 2 * (int64_t)model->n_steps / h->columns;
    h->stride = (int32_t)(needed < most ? needed : most > 1 ? most : 1);
    h->apart = (int32_t)((needed + h->stride - 1) / h->stride);
    if (h->rows > model->n_ranks / h->apart) h->rows = model->n_ranks / h->apart;
    if (h->rows < 1) h->rows = 1;
    assert(h->stride >= 1 && h->apart >= 1);
}

static void count_all(const heat *h) {
    const rv_model *model = h->chart->run->model;
    const rs_trace *trace = model->report->trace;
    const int32_t stride = h->stride, apart = h->apart;
    const double together = fmax(1, (double)model->n_ranks / h->rows);
    const double weight = fmin(1, apart / together) / 2; /* each transfer keeps two GPUs busy */
    for (int32_t s = 0; s < model->n_steps; s += stride) {
        for (int64_t i = model->step_items[s]; i < model->step_items[s + 1]; i += apart) {
            const rs_timed *t = &trace->items[i];
            const int64_t more_ps = (stride - 1) * (t->end_ps - t->start_ps);
            count(h, t->transfer.src, t->start_ps, t->end_ps + more_ps, t->transfer.effect, weight);
            count(h, t->transfer.dst, t->start_ps, t->done_ps + more_ps, t->transfer.effect,
                  weight);
        }
    }
}

/* Gives all pixels their colours, paler after the step shown, as bars are. Takes the square root of
   how busy a pixel is, so that one busy GPU among many can be seen. */
static void colour_all(const heat *h) {
    const rv_look *look = &h->chart->stage->look;
    const rv_model *model = h->chart->run->model;
    enum { SHADES = 33 };
    rv_colour shades[2][2][SHADES]; /* [to come][copies][how busy] */
    for (int i = 0; i < 4 * SHADES; i++) {
        const int later = i / (2 * SHADES), copies = i / SHADES % 2, busy = i % SHADES;
        const double depth = 0.04 + (later ? 0.18 : 0.42) * sqrt(busy / (SHADES - 1.0));
        const rv_colour hue = rv_diagram_hue(look, copies ? RS_COPY : RS_REDUCE);
        shades[later][copies][busy] = rv_mix(look->panel, hue, depth);
    }
    const int32_t step = model->step < 0 ? 0 : model->step;
    const int64_t done_ps = step >= model->n_steps ? h->chart->to_ps : model->step_done_ps[step];
    const double done = (double)(done_ps - h->chart->from_ps) * h->per_ps;
    for (int32_t i = 0; i < h->columns * h->rows; i++) {
        const uint32_t adds = h->pixels[i] & 0xFFFF, copies = h->pixels[i] >> 16;
        const uint32_t busy = adds + copies > FULL ? FULL : adds + copies;
        const int later = i % h->columns >= done;
        h->pixels[i] = shades[later][copies > adds][busy * (SHADES - 1) / FULL];
    }
}

/* Gives the pixels of the step shown a strong colour. */
static void colour_step(const heat *h) {
    const rv_model *model = h->chart->run->model;
    if (model->step < 0 || model->step >= model->n_steps) return;
    const int64_t end = model->step_items[model->step + 1];
    for (int64_t i = model->step_items[model->step]; i < end; i++) {
        const rs_timed *t = &model->report->trace->items[i];
        const rv_colour hue = rv_diagram_hue(&h->chart->stage->look, t->transfer.effect);
        const double x0 = fmax(0, (double)(t->start_ps - h->chart->from_ps) * h->per_ps);
        const double x1 = (double)(t->end_ps - h->chart->from_ps) * h->per_ps;
        rv_colour *row = h->pixels + (ptrdiff_t)row_of(h, t->transfer.src) * h->columns;
        for (int32_t x = (int32_t)x0; x < h->columns && (x < x1 || x == (int32_t)x0); x++) {
            row[x] = hue;
        }
    }
}

void rv_diagram_heat(const rv_chart *chart, rv_scene *scene) {
    const rv_model *model = chart->run->model;
    const double span = (double)(chart->to_ps - chart->from_ps);
    heat h = {.chart = chart,
              .columns = (int32_t)fmax(1, fmin(800, chart->lanes.w / 2)),
              .rows = (int32_t)fmax(1, fmin(model->n_ranks, chart->lanes.h))};
    thin_out(&h);
    rv_item *grid = rv_scene_grid(scene, chart->lanes, h.columns, h.rows, &h.pixels);
    if (h.rows == model->n_ranks) grid->target = rv_target_of(RV_GPU, 0, 0);
    if (h.pixels == NULL) return;
    for (int32_t i = 0; i < h.columns * h.rows; i++) h.pixels[i] = 0;
    h.per_ps = h.columns / span;
    count_all(&h);
    colour_all(&h);
    colour_step(&h);
}

/* ----------------------------------------------------------------------------- one chunk's way */

/* One chunk's way through the lanes, drawn over a heat map, which shows none by itself.
 *
 *     GPU 0  o---.                       start_ps, sender's lane; end_ps, receiver's lane
 *     GPU 1       `---.
 *     GPU 2            `---> chunk 3
 *
 *   - Where many GPUs send it at once only those hops are shown that the followed GPU takes part in.
 *   - It is the chunk under the pointer, else the one that the followed GPU sends in the step shown,
 *     else the first that it sends.
 */

enum { MOST_ITEMS = 200000 }; /* looked through for each picture */

static bool has(const rs_transfer *t, int32_t chunk) {
    return t->chunk <= chunk && chunk < t->chunk + t->n_chunks;
}

/* Returns the first chunk that `rank` sends in the steps from..to-1; -1: none. */
static int32_t sent_in(const rv_model *model, int32_t rank, int32_t from, int32_t to) {
    for (int64_t i = model->step_items[from]; i < model->step_items[to]; i++) {
        const rs_transfer *t = &model->report->trace->items[i].transfer;
        if (t->src == rank) return t->chunk;
    }
    return -1;
}

static int32_t chunk_to_follow(const rv_chart *chart) {
    const rv_model *model = chart->run->model;
    const rv_target hover = chart->stage->hover;
    const int32_t rank = chart->stage->playback.rank, step = model->step;
    if ((hover.thing == RV_CELL && hover.b < model->n_chunks) && hover.b >= 0) return hover.b;
    if (hover.thing == RV_TRANSFER && hover.c < model->n_chunks) return hover.c;
    int32_t chunk = -1;
    if (step >= 0 && step < model->n_steps) chunk = sent_in(model, rank, step, step + 1);
    return chunk >= 0 ? chunk : sent_in(model, rank, 0, model->n_steps);
}

/* Counts the transfers of a step that carry the chunk. */
static int carriers(const rv_model *model, int32_t step, int32_t chunk) {
    int n = 0;
    for (int64_t i = model->step_items[step]; i < model->step_items[step + 1]; i++) {
        n += has(&model->report->trace->items[i].transfer, chunk);
    }
    return n;
}

static void draw_hop(const rv_chart *chart, rv_scene *scene, const rs_timed *t, double line) {
    const rv_look *look = &chart->stage->look;
    const rv_model *model = chart->run->model;
    /* From the last lane to the first it would cross all others. */
    const bool wraps = model->schedule->fixed_neighbours &&
                       abs(t->transfer.src - t->transfer.dst) == model->n_ranks - 1;
    const rv_point from = {rv_chart_x(chart, t->start_ps), rv_chart_y(chart, t->transfer.src)};
    const rv_point to = {rv_chart_x(chart, t->end_ps), rv_chart_y(chart, t->transfer.dst)};
    const rv_colour ink = t->step <= model->step ? look->ink : rv_fade(look->ink, 0.45);
    if (!wraps) rv_scene_segment(scene, from, to, line, ink);
    rv_scene_disc(scene, from, 0.9 * line, ink);
}

static void draw_name(const rv_chart *chart, rv_scene *scene, const rs_timed *first,
                      int32_t chunk) {
    const rv_look *look = &chart->stage->look;
    const double size = 0.8 * look->unit;
    char text[48];
    snprintf(text, sizeof text, _("chunk %d"), (int)chunk);
    const double w = rv_label_width(text, size) + 0.4 * size;
    const double x = rv_chart_x(chart, first->start_ps) + 0.8 * size;
    const bool falls = first->transfer.dst > first->transfer.src;
    const double y = rv_chart_y(chart, first->transfer.src) - (falls ? 1.4 : -0.3) * size;
    const rv_box lanes = chart->lanes;
    if (lanes.h < 3 * size) return;
    const rv_box box = {fmin(x, lanes.x + lanes.w - w),
                        fmax(lanes.y, fmin(y, lanes.y + lanes.h - 1.3 * size)), w, 1.3 * size};
    rv_scene_label(scene, box, RV_LEFT, size, look->ink, text)->stroke = look->panel;
}

void rv_diagram_path(const rv_chart *chart, rv_scene *scene) {
    enum { MOST_ALIKE = 2 };
    const rv_model *model = chart->run->model;
    const rs_timed *items = model->report->trace->items, *first = NULL;
    if (model->report->trace->n_items > MOST_ITEMS || chart->run->hidden) return;
    const int32_t chunk = chunk_to_follow(chart), rank = chart->stage->playback.rank;
    const double line = fmax(1.5, 0.11 * chart->stage->look.unit);
    for (int32_t step = 0; step < model->n_steps && chunk >= 0; step++) {
        const bool all = carriers(model, step, chunk) <= MOST_ALIKE;
        for (int64_t i = model->step_items[step]; i < model->step_items[step + 1]; i++) {
            const rs_transfer *t = &items[i].transfer;
            if (!has(t, chunk) || !(all || t->src == rank || t->dst == rank)) continue;
            if (first == NULL) first = &items[i];
            draw_hop(chart, scene, &items[i], line);
        }
    }
    if (first != NULL) draw_name(chart, scene, first, chunk);
}
