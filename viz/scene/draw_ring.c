/* draw_ring.c: the GPUs on a circle, each with its chunks; the chunks travel along the arcs.
 *
 *     GPU 0 ---> GPU 1        each GPU a card: a cell for each chunk, in it a sliver for each GPU
 *       ^           |         whose data are inside
 *     GPU 4 <- ...  v
 */
#include "stage.h"
#include "words.h"

#include <math.h>

#define TURN 6.28318530717958647692

typedef struct ring {
    rv_point centre;
    double radius;
    double card_w, card_h; /* of a GPU */
    double cell_w, cell_h;
} ring;

static ring plan(const rv_stage *stage, const rv_model *model, rv_box box) {
    const double u = stage->look.unit, n = model->n_ranks, c = fmax(1, model->n_chunks);
    ring r = {.centre = rv_centre(box)};
    const double side = fmin(box.w, box.h);
    r.card_w = fmin(0.42 * side, fmax(4 * u, TURN * 0.30 * side / n));
    r.cell_w = (r.card_w - 0.6 * u) / c;
    r.cell_h = fmin(4.2 * u, 0.13 * side);
    r.card_h = r.cell_h + 1.9 * u;
    r.radius = (side - r.card_h) / 2 - 0.3 * u;
    if (r.radius + r.card_w / 2 > box.w / 2) r.radius = (box.w - r.card_w) / 2;
    return r;
}

static double angle_of(const rv_model *model, double rank) {
    return -TURN / 4 + TURN * rank / model->n_ranks;
}

static rv_point on_ring(const ring *r, double angle) {
    return (rv_point){r->centre.x + r->radius * cos(angle), r->centre.y + r->radius * sin(angle)};
}

static rv_box card_of(const ring *r, const rv_model *model, int32_t rank) {
    const rv_point at = on_ring(r, angle_of(model, rank));
    return (rv_box){at.x - r->card_w / 2, at.y - r->card_h / 2, r->card_w, r->card_h};
}

static rv_box cell_of(const rv_stage *stage, const ring *r, rv_box card, int32_t chunk) {
    const double u = stage->look.unit;
    return (rv_box){card.x + 0.3 * u + chunk * r->cell_w, card.y + card.h - 0.3 * u - r->cell_h,
                    r->cell_w, r->cell_h};
}

/* A sliver for each GPU whose data are inside. */
static void draw_slivers(const rv_stage *stage, rv_scene *scene, const rv_model *model,
                         int32_t rank, int32_t chunk, rv_box box) {
    int32_t who[64];
    const int32_t n = model->n_ranks;
    if (!model->cells || n > 64) return;
    const int64_t inside = rs_contents_list(model->contents, rank, chunk, who, 64);
    const double h = box.h / n;
    for (int64_t i = 0; i < inside && i < 64; i++) {
        const rv_dye dye = rv_dye_of(&stage->look, who[i]);
        const rv_box sliver = {box.x, box.y + h * who[i], box.w, h};
        rv_item *item = rv_scene_rect(scene, sliver, 0, dye.fill);
        item->pattern = (uint8_t)dye.pattern;
        item->hatch = dye.hatch;
        if (h > 0.6 * stage->look.unit) {
            rv_scene_label(scene, sliver, RV_MIDDLE, fmin(0.8 * stage->look.unit, 0.9 * h), dye.ink,
                           dye.letter);
        }
    }
}

static void draw_card(const rv_stage *stage, const rv_sight *sight, rv_scene *scene, const ring *r,
                      int32_t rank) {
    const rv_look *look = &stage->look;
    const rv_model *model = sight->model;
    const rv_box card = card_of(r, model, rank);
    const bool followed = stage->walk.rank == rank;
    rv_item *ground = rv_scene_rect(scene, card, 0.4 * look->unit, look->panel);
    ground->stroke = followed ? look->accent : look->edge;
    ground->line = followed ? 2.5 : 1.2;
    ground->target = rv_target_of(RV_GPU, rank, 0);
    const rv_box name = {card.x + 0.4 * look->unit, card.y + 0.15 * look->unit,
                         card.w - 0.8 * look->unit, 1.3 * look->unit};
    rv_scene_labelf(scene, name, RV_LEFT, look->unit, look->ink, "GPU %d", (int)rank)->bold = true;
    for (int32_t c = 0; c < model->n_chunks; c++) {
        const rv_box cell = cell_of(stage, r, card, c);
        draw_slivers(stage, scene, model, rank, c, cell);
        rv_item *frame = rv_scene_rect(scene, cell, 2, 0);
        frame->stroke = look->outline;
        frame->line = 1.2;
        frame->target = rv_target_of(RV_CELL, rank, c);
    }
}

static void draw_flight(const rv_stage *stage, const rv_sight *sight, rv_scene *scene,
                        const ring *r, const rv_flight *flight) {
    const rv_model *model = sight->model;
    const rs_transfer *t = &flight->transfer;
    if (!flight->happens || flight->merged >= 1) return;
    double from = angle_of(model, t->src), to = angle_of(model, t->dst);
    if (to - from > TURN / 2) to -= TURN;
    if (from - to > TURN / 2) to += TURN;
    const rv_point at = on_ring(r, from + (to - from) * flight->flown);
    const double w = r->cell_w * t->n_chunks;
    const rv_box box = {at.x - w / 2, at.y - r->cell_h / 2, w, r->cell_h};
    draw_slivers(stage, scene, model, t->src, t->chunk, box);
    rv_item *frame = rv_scene_rect(scene, box, 2, 0);
    frame->stroke = stage->look.accent;
    frame->line = 2;
    frame->target = rv_target_of(RV_TRANSFER, model->step, t->src);
    frame->target.c = t->chunk;
}

void rv_draw_ring(const rv_stage *stage, const rv_sight *sight, rv_scene *scene, rv_box box) {
    const rv_model *model = sight->model;
    const ring r = plan(stage, model, box);
    scene->layer = RV_STILL;
    for (int32_t i = 0; i < model->n_ranks; i++) {
        const double from = angle_of(model, i), to = angle_of(model, i + 1);
        rv_scene_arc(scene, r.centre, r.radius, from, to, 2, stage->look.link)->target =
            rv_target_of(RV_LINK, i, (i + 1) % model->n_ranks);
    }
    for (int32_t i = 0; i < model->n_ranks; i++) draw_card(stage, sight, scene, &r, i);
    scene->layer = RV_MOVING;
    rv_flights flights = rv_flights_of(model, sight->progress);
    rv_flight flight;
    while (!sight->hidden && rv_next_flight(&flights, &flight)) {
        draw_flight(stage, sight, scene, &r, &flight);
    }
    scene->layer = RV_STILL;
}
