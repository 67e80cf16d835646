/* diagram_path.c: one chunk's way through the lanes, drawn over a heat map, which shows none by itself.
 *
 *     GPU 0  o---.                       start_ps, sender's lane; end_ps, receiver's lane
 *     GPU 1       `---.
 *     GPU 2            `---> chunk 3
 *
 *   - Where many GPUs send it at once only those hops are shown that the followed GPU takes part in.
 *   - It is the chunk under the pointer, else the one that the followed GPU sends in the step shown,
 *     else the first that it sends.
 */
#include "panels/diagram/diagram.h"
#include "text/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
    const rv_model *model = chart->sight->model;
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
    const rv_model *model = chart->sight->model;
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
    const rv_model *model = chart->sight->model;
    const rs_timed *items = model->report->trace->items, *first = NULL;
    if (model->report->trace->n_items > MOST_ITEMS || chart->sight->hidden) return;
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
