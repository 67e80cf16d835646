/* stage_draw.c: the whole picture, out of the panels of the table. */
#include "stage/panel.h"
#include "stage/stage.h"

void rv_stage_draw(rv_stage *stage) {
    rv_scene *scene = &stage->scene;
    rv_scene_start(scene, stage->width, stage->height, stage->look.ground);
    scene->unit = stage->look.unit;
    stage->look.n_dyes = stage->playback.subject.n_ranks;
    if (stage->other != NULL && stage->other->model->n_ranks > stage->look.n_dyes) {
        stage->look.n_dyes = stage->other->model->n_ranks;
    }
    for (int place = 0; place < RV_N_PLACES; place++) {
        if (place == RV_PLACE_OVER) scene->layer = RV_OVER;
        for (int i = 0; rv_panels[i] != NULL; i++) {
            if ((int)rv_panels[i]->place != place) continue;
            if (!rv_view_fits(i, &stage->playback.subject)) continue;
            const rv_box box = rv_panel_box(stage, i);
            const rv_look look = stage->look;
            stage->drawn = i;
            if (place == RV_PLACE_CONTROLS) stage->look = rv_bar_look(stage);
            if (box.w > 0) rv_panels[i]->draw(stage, scene, box);
            stage->look = look;
        }
    }
}
