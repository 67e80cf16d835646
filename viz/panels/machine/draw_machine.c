/* draw_machine.c: the machine of a run: its GPUs, switches and wires, who uses which wire now, and which is the
 * bottleneck.
 *
 *     Machine: dgx-h100:2            at 1.2 ms
 *     [ ============ fabric ============== ]       machine_draft.h
 *     | thickness: capacity  ...             |     the legend
 *     | nic0 → fabric  100 %  50 GB/s  rank 7|     the busiest wires at this moment
 */
#include "panels/machine/machine_view.h"
#include "text/say.h"

#include <math.h>
#include <stdio.h>

enum { TEXT = 256 };

/* ---------------------------------------------------------------------------------------- devices */

static void draw_frame(const rv_machine_view *view, int32_t node) {
    const rv_draft *draft = &view->draft;
    const rv_look *look = draft->look;
    const double u = draft->unit;
    rv_box box = draft->frames[node];
    rv_outline(rv_scene_rect(view->scene, box, 0.5 * u, rv_mix(look->panel, look->ground, 0.6)),
               look->edge, look->hair);
    rv_box line = rv_cut_bottom(&box, 1.25 * u);
    rv_cut_left(&line, 0.5 * u);
    rv_scene_labelf(view->scene, line, RV_LEFT, 0.75 * u, look->quiet, _("node %d"), (int)node);
}

/* A GPU in the colour of its rank's data, with both names; without a rank it is empty. */
static void draw_gpu(const rv_machine_view *view, int32_t gpu) {
    const rv_draft *draft = &view->draft;
    const rv_look *look = draft->look;
    const rv_box box = draft->spots[gpu].box;
    const int32_t rank = view->rank_at[gpu];
    const double u = draft->unit, size = fmin(0.95 * u, 0.55 * box.h);
    const rv_dye dye = rv_dye_of(look, rank < 0 ? 0 : rank);
    rv_item *card = rv_scene_rect(view->scene, box, 0.25 * u, rank < 0 ? look->raised : dye.fill);
    rv_outline(card, rank < 0 ? look->edge : look->outline, look->hair);
    const bool followed = rank >= 0 && view->model != NULL && rank == view->stage->playback.rank;
    if (followed) {
        rv_outline(card, look->focus, 0.22 * u);
    }
    if (rank >= 0 && view->model != NULL) card->target = rv_target_of(RV_GPU, rank, 0);
    const rv_colour ink = view->model == NULL ? look->ink : rank < 0 ? look->quiet : dye.ink;
    const char *device = rv_device_word(view->machine, gpu);
    const double narrow = 0.94 * box.w;
    const double small = fmin(0.75 * size, narrow / rv_label_width(device, 1));
    const bool named = small >= 0.45 * u; /* smaller would be too small to read */
    if (rank < 0) {
        if (named) rv_scene_label(view->scene, box, RV_MIDDLE, small, ink, device);
        return;
    }
    char name[32];
    snprintf(name, sizeof name, _("rank %d"), (int)rank);
    if (rv_label_width(name, 0.75 * size) > narrow) snprintf(name, sizeof name, "r%d", (int)rank);
    const double fits = fmin(size, narrow / rv_label_width(name, 1));
    if (fits < 0.7 * size) return;
    const bool both = named && box.h > 1.5 * size;
    rv_box upper = both ? rv_inset(box, 0.06 * box.h) : box;
    const rv_box lower = rv_cut_bottom(&upper, both ? 0.42 * upper.h : 0);
    rv_scene_label(view->scene, upper, RV_MIDDLE, fits, ink, name)->bold = true;
    if (both) rv_scene_label(view->scene, lower, RV_MIDDLE, small, ink, device);
}

static void draw_switch(const rv_machine_view *view, int32_t device) {
    const rv_draft *draft = &view->draft;
    const rv_look *look = draft->look;
    const rv_box box = draft->spots[device].box;
    const double u = draft->unit, size = 0.8 * u;
    if (box.w <= 0) return;
    rv_outline(rv_scene_rect(view->scene, box, 0.3 * u, look->raised),
               rv_mix(look->edge, look->quiet, 0.5), look->hair);
    const char *name = rv_device_word(view->machine, device);
    if (0.75 * rv_label_width(name, size) > box.w) return;
    rv_scene_label(view->scene, box, RV_MIDDLE, size, look->ink, name);
}

/* Returns how full the fullest wire inside a node is, in tenths of a percent. */
static int64_t use_inside(const rv_machine_view *view, int32_t node) {
    const rs_machine *machine = view->machine;
    int64_t most = 0;
    for (int32_t i = 0; i < machine->n_links; i++) {
        const rs_machine_link *link = &machine->links[i];
        if (machine->node[link->a] != node || machine->node[link->b] != node || link->cut) continue;
        for (int32_t w = 2 * i; w < 2 * i + 2; w++) {
            const int64_t own = rv_load_permille(view->traffic, view->load, w);
            if (own > most) most = own;
        }
    }
    return most;
}

/* Tells whether a tile has room to say how full the wires inside are. */
static bool has_inside(const rv_draft *draft, int32_t node) {
    const rv_box *box = &draft->frames[node];
    return box->h >= 4 * draft->unit && rv_label_width("100 %", 0.7 * draft->unit) <= 0.76 * box->w;
}

/* A node as a tile: its GPUs as dots, and how full its own wires are. */
static void draw_tile(const rv_machine_view *view, int32_t node) {
    const rv_draft *draft = &view->draft;
    const rv_look *look = draft->look;
    const double u = draft->unit;
    rv_box box = draft->frames[node];
    rv_outline(rv_scene_rect(view->scene, box, 0.3 * u, look->raised), look->edge, look->hair);
    box = rv_inset(box, 0.12 * box.w);
    char name[32];
    snprintf(name, sizeof name, _("node %d"), (int)node);
    if (rv_label_width(name, 0.75 * u) + 0.5 * u > box.w)
        snprintf(name, sizeof name, "%d", (int)node);
    if (rv_label_width(name, 0.6 * u) <= box.w && box.h > 2 * u) {
        rv_scene_label(view->scene, rv_cut_top(&box, 1.1 * u), RV_MIDDLE, 0.75 * u, look->ink,
                       name);
    }
    if (has_inside(draft, node)) rv_cut_bottom(&box, 1.15 * u);
    int32_t n = 0, at = 0;
    for (int32_t g = 0; g < view->machine->n_gpus; g++) n += view->machine->node[g] == node;
    const int32_t columns = n > 4 ? (n + 1) / 2 : n, rows = (n + columns - 1) / columns;
    const double w = box.w / columns, h = fmin(w, box.h / rows);
    for (int32_t g = 0; g < view->machine->n_gpus && w > 1.5; g++) {
        if (view->machine->node[g] != node) continue;
        const int32_t rank = view->rank_at[g];
        const rv_box cell = {box.x + w * (at % columns), box.y + h * (at / columns), w, h};
        rv_item *dot = rv_scene_rect(view->scene, rv_inset(cell, 0.12 * w), 0.1 * w,
                                     rank < 0 ? look->edge : rv_dye_of(look, rank).fill);
        if (rank >= 0 && view->model != NULL) dot->target = rv_target_of(RV_GPU, rank, 0);
        at++;
    }
}

/* Says on each tile how full the fullest wire inside is. */
static void draw_insides(const rv_machine_view *view) {
    const rv_draft *draft = &view->draft;
    const double u = draft->unit;
    for (int32_t k = 0; k < view->machine->n_nodes; k++) {
        rv_box box = rv_inset(draft->frames[k], 0.12 * draft->frames[k].w);
        char text[32];
        const int64_t most = use_inside(view, k);
        rv_format_percent((most + 5) / 10, 100, text, sizeof text);
        box = rv_cut_bottom(&box, u);
        if (!has_inside(draft, k)) continue;
        rv_scene_label(view->scene, box, RV_MIDDLE, 0.72 * u, draft->look->quiet, text);
    }
}

static void draw_devices(const rv_machine_view *view) {
    const rs_machine *machine = view->machine;
    for (int32_t k = 0; k < machine->n_nodes && view->draft.collapsed; k++) draw_tile(view, k);
    for (int32_t d = 0; d < machine->n_devices; d++) {
        if (view->draft.spots[d].box.w <= 0) continue;
        if (d < machine->n_gpus) {
            draw_gpu(view, d);
        } else {
            draw_switch(view, d);
        }
    }
}

/* ------------------------------------------------------------------------------------- bottleneck */

/* Marks the wire of the run's largest share, and says how full it is now, as its line below does. */
static void mark_bottleneck(const rv_machine_view *view, bool words) {
    const rv_draft *draft = &view->draft;
    const rv_look *look = draft->look;
    const rv_road *road;
    int64_t share;
    int lane;
    if (view->traffic == NULL) return;
    const int32_t wire = rv_traffic_bottleneck(view->traffic, &share);
    if (wire < 0) return;
    if (!rv_find_lane(draft, wire, &road, &lane)) { /* it is inside a tile */
        const int32_t node = view->machine->node[view->machine->links[wire / 2].a];
        rv_outline(rv_scene_rect(view->scene, rv_inset(draft->frames[node], -0.2 * draft->unit),
                                 0.4 * draft->unit, 0),
                   look->bad, 0.15 * draft->unit);
        return;
    }
    if (!words) {
        rv_draw_halo(view, road, lane, rv_fade(look->bad, 0.55));
        return;
    }
    if (view->load == NULL) return;
    double angle;
    char text[32];
    rv_point at = rv_lane_middle(draft, road, lane, &angle);
    const int64_t now = rv_load_permille(view->traffic, view->load, wire);
    rv_format_percent((now + 5) / 10, 100, text, sizeof text);
    const double size = 0.75 * draft->unit, w = rv_label_width(text, size) + 0.9 * size;
    /* to the lane's outer side, which it touches */
    const double out[2] = {-sin(angle), cos(angle)};
    const double far = road->lane / 2 + fabs(out[0]) * w / 2 + fabs(out[1]) * 0.8 * size;
    at = (rv_point){at.x + far * out[0], at.y + far * out[1]};
    if (now == 0) return;
    const double least = draft->box.x, most = draft->box.x + draft->box.w - w;
    const rv_box pill = {fmax(least, fmin(most, at.x - w / 2)), at.y - 0.8 * size, w, 1.6 * size};
    rv_scene_rect(view->scene, pill, 0.8 * size, look->bad);
    rv_scene_label(view->scene, pill, RV_MIDDLE, size, look->panel, text)->bold = true;
}

/* ------------------------------------------------------------------------------------ all of it */

/* Writes which rank lives on each GPU; NULL: no memory. */
static const int32_t *list_ranks(const rs_machine *machine, const rv_model *model,
                                 rs_arena *arena) {
    int32_t *rank_at = rs_alloc(arena, (size_t)machine->n_gpus, sizeof *rank_at);
    if (rank_at == NULL) return NULL;
    const int32_t *place = model != NULL ? model->report->request.job.net.place : NULL;
    const int32_t n = model != NULL ? model->n_ranks : 0;
    for (int32_t g = 0; g < machine->n_gpus; g++) rank_at[g] = -1;
    for (int32_t r = 0; r < n; r++) rank_at[place == NULL ? r : place[r]] = r;
    return rank_at;
}

static void draw_all(rv_machine_view *view) {
    rv_scene *scene = view->scene;
    const bool framed = view->draft.framed;
    for (int32_t k = 0; k < view->machine->n_nodes && framed; k++) draw_frame(view, k);
    mark_bottleneck(view, false);
    rv_draw_roads(view);
    draw_devices(view);
    scene->layer = RV_MOVING;
    if (view->load != NULL) rv_draw_streams(view);
    if (view->model == NULL) rv_draw_rates(view);
    if (view->load != NULL && view->draft.collapsed) draw_insides(view);
    mark_bottleneck(view, true);
    scene->layer = RV_STILL;
}

/* Says at which moment the wires are shown. */
static void draw_when(const rv_machine_view *view, rv_box line) {
    const rv_look *look = view->draft.look;
    char text[TEXT];
    if (view->load == NULL) return;
    view->scene->layer = RV_MOVING;
    rv_say say = rv_say_to(text, sizeof text);
    rv_say_when(&say, view->load);
    rv_scene_label(view->scene, line, RV_RIGHT, 0.82 * look->unit, look->accent, text);
    view->scene->layer = RV_STILL;
}

static void draw_view(rv_machine_view *view, rv_box inside) {
    const rv_look *look = &view->stage->look;
    const double u = look->unit;
    const int rows = view->traffic == NULL ? 0
                     : inside.h > 26 * u   ? 5
                     : inside.h > 20 * u   ? 4
                     : inside.h > 14 * u   ? 2
                                           : 0;
    rv_box list = rv_cut_bottom(&inside, rows * 1.3 * u);
    const rv_box legend = rv_cut_bottom(&inside, inside.h > 9 * u ? 1.6 * u : 0);
    if (inside.h < 2 * u || view->rank_at == NULL ||
        !rv_plan_machine(view->machine, look, view->draft.arena, rv_inset(inside, 0.3 * u),
                         &view->draft)) {
        rv_item *label = rv_scene_label(view->scene, inside, RV_MIDDLE, u, look->quiet,
                                        _("too many devices to draw"));
        label->wrap = true;
        view->draft.look = look;
        if (view->traffic != NULL) rv_draw_busiest(view, list);
        return;
    }
    draw_all(view);
    if (legend.h > 0) rv_draw_capacities(view, legend);
    if (rows > 0) rv_draw_busiest(view, list);
}

static void draw(rv_stage *stage, rv_scene *scene, rv_box box) {
    const rv_shown_run run = rv_main_run(stage);
    const rv_model *model = run.model;
    const rs_machine *machine = model->report->request.job.net.machine;
    const double u = stage->look.unit;
    rs_arena arena;
    char title[TEXT];
    rs_arena_init(&arena, stage->host);
    rv_machine_view view = {.stage = stage,
                            .machine = machine,
                            .model = model,
                            .traffic = model->traffic,
                            .rank_at = list_ranks(machine, model, &arena),
                            .scene = scene};
    view.draft = (rv_draft){.look = &stage->look, .arena = &arena};
    if (model->traffic != NULL && !run.hidden) {
        view.load = rv_traffic_at(model->traffic, model->step, run.now_ps);
    }
    rv_say say = rv_say_to(title, sizeof title);
    rv_say_more(&say, _("Machine: %s"), machine->name);
    rv_box inside = rv_draw_panel(stage, scene, box, NULL);
    rv_box line = rv_cut_top(&inside, 1.3 * u);
    draw_when(&view, rv_cut_right(&line, fmin(0.5 * line.w, 12 * u)));
    rv_scene_label(scene, line, RV_LEFT, 0.85 * u, stage->look.quiet, title);
    draw_view(&view, inside);
    rs_arena_free(&arena);
}

/* A machine without a run: its name, and what it has. */
static void draw_alone(rv_stage *stage, rv_scene *scene, rv_box box) {
    const rs_machine *machine = stage->playback.subject.machine;
    const rv_look *look = &stage->look;
    const double u = look->unit;
    rs_arena arena;
    char text[TEXT];
    rs_arena_init(&arena, stage->host);
    rv_machine_view view = {.stage = stage,
                            .machine = machine,
                            .rank_at = list_ranks(machine, NULL, &arena),
                            .scene = scene};
    view.draft = (rv_draft){.look = look, .arena = &arena};
    rv_box inside = rv_inset(box, u);
    rv_box line = rv_cut_top(&inside, 2 * u);
    rv_say say = rv_say_to(text, sizeof text);
    rv_say_more(&say, _("%d GPUs"), (int)machine->n_gpus);
    if (machine->n_nodes > 1) rv_say_more(&say, _(", %d nodes"), (int)machine->n_nodes);
    rv_scene_label(scene, rv_cut_right(&line, 0.35 * line.w), RV_RIGHT, u, look->quiet, text);
    rv_scene_label(scene, line, RV_LEFT, 1.3 * u, look->ink, machine->name)->bold = true;
    draw_view(&view, inside);
    rs_arena_free(&arena);
}

const rv_panel rv_panel_plan = {.fits = rv_is_machine, .place = RV_PLACE_STORY, .draw = draw_alone};

static bool hint(const rv_stage *stage, rv_target at, char *out, size_t n_out) {
    const rv_shown_run run = rv_main_run(stage);
    rv_traffic *traffic = run.model->traffic;
    if (at.thing != RV_WIRE || traffic == NULL) return false;
    const rv_load *load = run.hidden ? NULL : rv_traffic_at(traffic, run.model->step, run.now_ps);
    rv_say_hint(run.model, load, at.a, at.b, out, n_out);
    return true;
}

static const rv_stroke sign[] = {
    {RV_BAR, {-0.85, -0.85, 1.7, 0.4}}, {RV_LINE, {-0.6, -0.5, -0.6, 0.4, 0.14}},
    {RV_BAR, {-0.82, 0.35, 0.44, 0.5}}, {RV_LINE, {0, -0.5, 0, 0.4, 0.14}},
    {RV_BAR, {-0.22, 0.35, 0.44, 0.5}}, {RV_LINE, {0.6, -0.5, 0.6, 0.4, 0.14}},
    {RV_BAR, {0.38, 0.35, 0.44, 0.5}},  {0}};

const rv_panel rv_panel_machine = {.word = "machine",
                                   .name = N_("Machine"),
                                   .key = "M",
                                   .help =
                                       N_("show the machine: devices, wires, who uses them now"),
                                   .sign = sign,
                                   .fits = rv_has_machine,
                                   .lacking = N_("start with --machine dgx-h100:2 to see one"),
                                   .place = RV_PLACE_BESIDE,
                                   .opens = rv_has_machine,
                                   .broad = true,
                                   .least = 12,
                                   .weight = 8,
                                   .draw = draw,
                                   .hint = hint,
                                   .lines = rv_wire_lines,
                                   .compose = rv_compose_wires};
