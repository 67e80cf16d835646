#include "ring_fixture.h"

#include <criterion/criterion.h>
#include <string.h>

const rv_box ring_fixture_boxes[RING_FIXTURE_BOXES] = {
    {7, 11, 300, 200}, {7, 11, 200, 300},   {7, 11, 787, 440},   {7, 11, 1268, 540},
    {7, 11, 560, 540}, {7, 11, 3840, 2160}, {7, 11, 2160, 3840}, {7, 11, 3800, 500}};

rv_ring ring_fixture_draw(rv_stage *stage, int32_t step, double progress) {
    rs_error error;
    cr_assert_eq(rv_stage_show(stage, step, progress, &error), RS_OK);
    const rv_shown_run run = rv_main_run(stage);
    const rv_box box = rv_view_box(stage, VIEW_RING);
    rv_scene_start(&stage->scene, stage->width, stage->height, stage->look.ground);
    rv_draw_rings(stage, &run, &box, 1, &stage->scene);
    cr_assert_not(stage->scene.failed);
    const rs_schedule *schedule = stage->what_if->model->schedule;
    const rv_form shape = rv_form_of(schedule);
    return rv_plan_ring(&stage->look, schedule->n_ranks, schedule->n_chunks, &shape, box);
}

int ring_fixture_things(const rv_scene *scene, rv_thing thing) {
    int n = 0;
    for (int32_t i = 0; i < scene->n_items; i++) {
        n += scene->items[i].target.thing == (int32_t)thing;
    }
    return n;
}

const rv_item *ring_fixture_find(const rv_scene *scene, rv_target target) {
    for (int32_t i = scene->n_items - 1; i >= 0; i--) {
        if (rv_same_target(scene->items[i].target, target)) return &scene->items[i];
    }
    return NULL;
}

bool ring_fixture_apart(rv_box a, rv_box b) {
    return a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
}

bool ring_fixture_contains(rv_box box, rv_box part) {
    return part.x >= box.x - 0.01 && part.y >= box.y - 0.01 &&
           part.x + part.w <= box.x + box.w + 0.01 && part.y + part.h <= box.y + box.h + 0.01;
}

int ring_fixture_labels(const rv_scene *scene, const char *text) {
    int n = 0;
    for (const rv_item *item = NULL; (item = view_fixture_next(scene, item)) != NULL;) {
        n += item->shape == RV_LABEL && strcmp(rv_label_text(scene, item), text) == 0;
    }
    return n;
}
