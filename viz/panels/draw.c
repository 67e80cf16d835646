/* draw.c: the whole picture, out of its parts. */
#include "stage/stage.h"

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
        rv_curve_take(&stage->curve, stage->what_if, rival, stage->knob);
    }
    if (at->story.w > 0) rv_draw_story(stage, scene, at->story);
    if (at->lesson.w > 0) rv_draw_lesson(stage, scene, at->lesson);
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
    if (stage->playback.mode == RV_TYPING) rv_draw_typing(stage, scene);
    if (stage->playback.mode == RV_READING_HELP) {
        rv_draw_help(stage, scene);
    } else if (!stage->figure) {
        rv_draw_hint(stage, scene);
    }
}
