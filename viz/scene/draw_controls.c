/* draw_controls.c: the timeline, which can be dragged, and the buttons. */
#include "stage.h"
#include "words.h"

static double place_of(const rv_stage *stage, const rv_model *model) {
    if (model->n_steps == 0) return 1;
    const double at = model->step < 0 ? 0 : model->step + stage->progress;
    return model->step >= model->n_steps ? 1 : at / model->n_steps;
}

void rv_draw_controls(const rv_stage *stage, rv_scene *scene, rv_box box) {
    const rv_look *look = &stage->look;
    const rv_model *model = stage->walk.model;
    const double u = look->unit;
    rv_box line = rv_inset(rv_cut_top(&box, 1.8 * u), 0);
    const rv_box axis = {line.x + u, line.y + 0.6 * u, line.w - 2 * u, 0.5 * u};
    scene->layer = RV_STILL;
    rv_scene_rect(scene, axis, 0.25 * u, look->raised);
    scene->layer = RV_MOVING;
    const double at = place_of(stage, model);
    rv_scene_rect(scene, (rv_box){axis.x, axis.y, axis.w * at, axis.h}, 0.25 * u, look->accent);
    rv_scene_disc(scene, (rv_point){axis.x + axis.w * at, axis.y + axis.h / 2}, 0.55 * u,
                  look->accent);
    rv_scene_rect(scene, axis, 0, 0)->target = rv_target_of(RV_TIMELINE, 0, 0);
    scene->layer = RV_STILL;
    static const struct {
        const char *sign;
        rv_action action;
    } buttons[] = {
        {"|<", RV_HOME}, {"<", RV_BACK}, {">", RV_PLAY}, {">|", RV_NEXT}, {"?", RV_HELP}};
    rv_cut_top(&box, 0.3 * u);
    for (int i = 0; i < 5; i++) {
        const rv_box button = rv_cut_left(&box, 3 * u);
        rv_cut_left(&box, 0.4 * u);
        rv_draw_button(stage, scene, button, buttons[i].sign, false,
                       rv_target_of(RV_BUTTON, (int32_t)buttons[i].action, 0));
    }
}
