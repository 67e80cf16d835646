/* draw_pieces.c: what the panels share: grounds, buttons, lights, and the targets of items. */
#include "panels/draw.h"

#include <stdio.h>

void rv_draw_panel(const rv_stage *stage, rv_scene *scene, rv_box box, const char *title,
                   rv_box *inside) {
    const rv_look *look = &stage->look;
    rv_item *ground = rv_scene_rect(scene, box, 0.5 * look->unit, look->panel);
    ground->stroke = look->edge;
    ground->line = look->hair;
    *inside = rv_inset(box, 0.6 * look->unit);
    if (title == NULL) return;
    const rv_box line = rv_cut_top(inside, 1.3 * look->unit);
    rv_scene_label(scene, line, RV_LEFT, 0.85 * look->unit, look->quiet, title);
}

rv_item *rv_draw_button(const rv_stage *stage, rv_scene *scene, rv_box box, const char *text,
                        bool lit, rv_target target) {
    const rv_look *look = &stage->look;
    const bool hot = rv_same_target(stage->hover, target);
    rv_item *ground = rv_scene_rect(scene, box, 0.35 * look->unit,
                                    lit   ? look->accent
                                    : hot ? rv_mix(look->raised, look->accent, 0.25)
                                          : look->raised);
    ground->stroke = lit ? look->accent : look->edge;
    ground->line = look->hair;
    ground->target = target;
    return rv_scene_label(scene, rv_inset(box, 0.2 * look->unit), RV_MIDDLE, 0.9 * look->unit,
                          lit ? look->accent_ink : look->ink, text);
}

bool rv_is_lit(const rv_stage *stage, int32_t rank, int32_t chunk) {
    const rv_target h = stage->hover;
    switch ((rv_thing)h.thing) {
    case RV_GPU: return h.a == rank;
    case RV_CELL: return (rank < 0 || h.a == rank) && (chunk < 0 || h.b == chunk);
    case RV_TRANSFER: return (chunk < 0 || h.c == chunk) && (rank < 0 || h.b == rank);
    default: return false;
    }
}

int32_t rv_pointed_gpu(const rv_stage *stage, rv_box own) {
    const rv_target h = stage->hover;
    const rv_model *model = stage->what_if->model;
    int32_t rank = -1;
    if (rv_inside(own, stage->pointer_x, stage->pointer_y)) return -1;
    if (h.thing == RV_GPU || h.thing == RV_CELL) rank = h.a;
    if (h.thing == RV_TRANSFER && h.a == model->step) rank = h.b;
    return rank < model->n_ranks ? rank : -1;
}

rv_target rv_transfer_target(const rv_sight *sight, int32_t step, int32_t src, int32_t chunk) {
    return (rv_target){RV_TRANSFER, sight->second ? -1 - step : step, src, chunk};
}

rv_target rv_link_target(const rv_stage *stage, const rv_sight *sight, int32_t src, int32_t dst) {
    const bool kept = sight->second && !stage->pairing->races;
    return kept ? (rv_target){0} : rv_target_of(RV_LINK, src, dst);
}

void rv_draw_rank_head(const rv_stage *stage, const rv_model *model, rv_scene *scene, rv_box box,
                       double size, int32_t rank, bool named) {
    const rv_look *look = &stage->look;
    const bool followed = rank == stage->playback.rank, lit = rv_is_lit(stage, rank, -1);
    char name[RV_RANK_NAME];
    rv_rank_name(model, rank, name);
    if (!named) snprintf(name, sizeof name, "%d", (int)rank);
    const rv_colour ink = followed ? look->focus : lit ? look->ink : look->quiet;
    rv_item *label = rv_scene_label(scene, box, RV_RIGHT, size, ink, name);
    label->bold = followed || lit;
    label->target = rv_target_of(RV_GPU, rank, 0);
}
