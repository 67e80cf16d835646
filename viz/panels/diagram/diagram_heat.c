/* diagram_heat.c: how busy each lane is, where there are too many transfers for bars: a picture of
 * rows (one GPU, or some together) x columns (spans of time).
 *
 *   - A pixel first counts, in two halves of its 32 bits, how long its GPUs add and how long they
 *     copy; then it gets its colour. A pixel that is busy all the time counts FULL.
 *   - In very large runs the heat map reads only some steps and transfers, each of which stands for
 *     its neighbours, so that the picture stays quick.
 */
#include "panels/diagram/diagram.h"

#include <assert.h>
#include <math.h>

enum { FULL = 4096, MOST_LOOKED_AT = 60000 };

typedef struct heat {
    const rv_chart *chart;
    rv_colour *pixels;
    int32_t columns, rows;
    int32_t stride, apart; /* reads every stride-th step, and in it every apart-th transfer */
    double per_ps;         /* columns for a picosecond */
} heat;

static int32_t row_of(const heat *h, int32_t rank) {
    assert(rank >= 0 && rank < h->chart->sight->model->n_ranks && h->rows >= 1);
    return (int32_t)((int64_t)rank * h->rows / h->chart->sight->model->n_ranks);
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
    const rv_model *model = h->chart->sight->model;
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
    const rv_model *model = h->chart->sight->model;
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
    const rv_model *model = h->chart->sight->model;
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
    const rv_model *model = h->chart->sight->model;
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
    const rv_model *model = chart->sight->model;
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
