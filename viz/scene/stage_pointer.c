/* stage_pointer.c: what pointing, clicking and dragging do. What is under the pointer comes from the
 * scene that was drawn last.
 */
#include "stage.h"

#include <math.h>

static rs_status scrub(rv_stage *stage, double x, rs_error *error) {
    const rv_model *model = stage->trial->model;
    for (int32_t i = 0; i < stage->scene.n_items; i++) {
        const rv_item *item = &stage->scene.items[i];
        if (item->target.thing != RV_TIMELINE || item->box.w <= 0) continue;
        const double share = fmin(1, fmax(0, (x - item->box.x) / item->box.w));
        const double at = share * model->n_steps;
        const int32_t step = share <= 0 ? -1 : (int32_t)fmin(at, model->n_steps);
        stage->walk.playing = false;
        stage->walk.mode = RV_LOOKING;
        return rv_stage_show(stage, step, step < 0 || step >= model->n_steps ? 1 : at - step,
                             error);
    }
    return RS_OK;
}

static rs_status press(rv_stage *stage, double x, double y, rs_error *error) {
    const rv_target at = rv_scene_hit(&stage->scene, x, y, 6, NULL);
    stage->held = at;
    switch ((rv_thing)at.thing) {
    case RV_BUTTON: return rv_stage_act(stage, (rv_action)at.a, error);
    case RV_CHOICE: return rv_stage_key(stage, 'a' + at.a, error);
    case RV_GPU:
    case RV_CELL: stage->walk.rank = at.a; return RS_OK;
    case RV_TIMELINE: return scrub(stage, x, error);
    default: return RS_OK;
    }
}

rs_status rv_stage_pointer(rv_stage *stage, rv_pointer what, double x, double y, rs_error *error) {
    stage->pointer_x = x;
    stage->pointer_y = y;
    stage->hover =
        what == RV_POINT_LEAVE ? (rv_target){0} : rv_scene_hit(&stage->scene, x, y, 6, NULL);
    if (what == RV_POINT_PRESS) return press(stage, x, y, error);
    if (what == RV_POINT_RELEASE) stage->held = (rv_target){0};
    if (what == RV_POINT_MOVE && stage->held.thing == RV_TIMELINE) return scrub(stage, x, error);
    return RS_OK;
}

rs_status rv_stage_wheel(rv_stage *stage, double by, rs_error *error) {
    return rv_stage_act(stage, by > 0 ? RV_BACK : RV_NEXT, error);
}
