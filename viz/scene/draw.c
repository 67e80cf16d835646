/* draw.c: the whole picture, out of its parts, and the pieces that they share. */
#include "stage.h"
#include "words.h"

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
    const rv_model *model = stage->trial->model;
    int32_t rank = -1;
    if (rv_inside(own, stage->pointer_x, stage->pointer_y)) return -1;
    if (h.thing == RV_GPU || h.thing == RV_CELL) rank = h.a;
    if (h.thing == RV_TRANSFER && h.a == model->step) rank = h.b;
    return rank < model->n_ranks ? rank : -1;
}

void rv_stage_draw(rv_stage *stage) {
    rv_scene *scene = &stage->scene;
    const rv_layout *at = &stage->layout;
    rv_sight sights[2] = {rv_main_sight(stage)};
    int n_sights = 1;
    if (stage->other != NULL) sights[n_sights++] = rv_other_sight(stage);
    rv_scene_start(scene, stage->width, stage->height, stage->look.ground);
    scene->unit = stage->look.unit;
    if (at->numbers.w > 0) {
        const rs_algorithm *rival =
            stage->second == RV_RACING ? stage->other->setup.algorithm : NULL;
        rv_curve_take(&stage->curve, stage->trial, rival, stage->knob);
    }
    if (at->title.w > 0) rv_draw_title(stage, scene, at->title);
    rv_box rings[2] = {at->ring, at->second};
    for (int i = 0; i < n_sights && at->ring.w > 0; i++) {
        if (n_sights > 1) rv_draw_race(stage, sights, i, scene, &rings[i]);
        if (sights[i].model->n_ranks > 16) {
            rv_draw_crowd(stage, &sights[i], scene, rings[i]);
        } else {
            rv_draw_ring(stage, &sights[i], scene, rings[i]);
        }
    }
    if (at->matrix.w > 0) rv_draw_matrix(stage, &sights[0], scene, at->matrix);
    if (at->cost.w > 0) rv_draw_cost(stage, &sights[0], scene, at->cost);
    if (at->rule.w > 0) rv_draw_rule(stage, &sights[0], scene, at->rule);
    if (at->numbers.w > 0) rv_draw_numbers(stage, scene, at->numbers);
    if (at->diagram.w > 0) rv_draw_diagram(stage, sights, n_sights, scene, at->diagram);
    if (at->caption.w > 0) rv_draw_caption(stage, scene, at->caption);
    if (at->controls.w > 0) rv_draw_controls(stage, scene, at->controls);
    scene->layer = RV_OVER;
    if (stage->menu_rank >= 0) rv_draw_menu(stage, scene);
    if (stage->walk.mode == RV_TYPING) rv_draw_typing(stage, scene);
    if (stage->walk.mode == RV_READING_HELP) {
        rv_draw_help(stage, scene);
    } else if (!stage->figure) {
        rv_draw_hint(stage, scene);
    }
}
