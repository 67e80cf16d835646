/* test_scene_clash.c: two things at once: keys while something is dragged, clicks while something is typed
 * or asked, a run that changes under an open menu, and windows without room.
 */
#include "stage/stage.h"
#include "support/view_fixture.h"

#include <criterion/criterion.h>
#include <math.h>

static rv_stage *stage_of(view_fixture *v, const rv_options *options) {
    view_fixture_prepare(v, "ring", 5);
    rv_stage *stage = view_fixture_stage(v, options);
    rv_stage_draw(stage);
    return stage;
}

static void press(rv_stage *stage, const char *keys) {
    rs_error error;
    for (; *keys != '\0'; keys++) cr_assert_eq(rv_stage_key(stage, *keys, &error), RS_OK);
    rv_stage_draw(stage);
}

static void key(rv_stage *stage, int32_t pressed) {
    rs_error error;
    cr_assert_eq(rv_stage_key(stage, pressed, &error), RS_OK);
    rv_stage_draw(stage);
}

static void point(rv_stage *stage, rv_pointer what, double x, double y) {
    rs_error error;
    cr_assert_eq(rv_stage_pointer(stage, what, x, y, &error), RS_OK);
    rv_stage_draw(stage);
}

static rv_box slider_of(const rv_stage *stage, rv_knob knob) {
    for (const rv_item *item = NULL; (item = view_fixture_next(&stage->scene, item)) != NULL;) {
        if (rv_same_target(item->target, rv_target_of(RV_SLIDER, (int32_t)knob, 0)))
            return item->box;
    }
    cr_assert_fail("there is no slider %d", (int)knob);
    return (rv_box){0};
}

/* Holds the slider of the GPUs in its middle. */
static rv_box hold_slider(rv_stage *stage) {
    const rv_box box = slider_of(stage, RV_KNOB_GPUS);
    point(stage, RV_POINT_MOVE, box.x + box.w / 2, box.y + box.h / 2);
    point(stage, RV_POINT_PRESS, box.x + box.w / 2, box.y + box.h / 2);
    cr_assert_eq((int)stage->held.thing, RV_SLIDER);
    return box;
}

Test(scene_clash, a_question_opened_while_a_slider_is_held_keeps_its_run) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = stage_of(&v, &(rv_options){.at = -1, .views = VIEW_NUMBERS});
    const rv_box box = hold_slider(stage);
    const int32_t n = stage->what_if->model->n_ranks;
    press(stage, "p");
    key(stage, RV_KEY_RIGHT);
    cr_assert_eq((int)stage->playback.mode, RV_ASKING);
    point(stage, RV_POINT_MOVE, box.x, box.y + box.h / 2);
    cr_expect_eq(stage->what_if->model->n_ranks, n);
    press(stage, "?"); /* nor does it where help covers the question */
    point(stage, RV_POINT_MOVE, box.x + box.w, box.y + box.h / 2);
    cr_expect_eq(stage->what_if->model->n_ranks, n);
}

Test(scene_clash, sliders_closed_under_the_pointer_stay_where_they_are) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = stage_of(&v, &(rv_options){.at = -1, .views = VIEW_NUMBERS});
    const rv_box box = hold_slider(stage);
    const int32_t n = stage->what_if->model->n_ranks;
    press(stage, "n");
    point(stage, RV_POINT_MOVE, box.x + 0.8 * box.w, box.y + box.h / 2);
    cr_expect_eq(stage->what_if->model->n_ranks, n);
}

/* `g` covers the question; the slider beside it must not change the run that is asked about. */
Test(scene_clash, a_click_while_a_number_is_typed_leads_back_to_the_question) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = stage_of(&v, &(rv_options){.at = 2, .predict = true, .views = VIEW_NUMBERS});
    cr_assert_eq((int)stage->playback.mode, RV_ASKING);
    press(stage, "g4");
    cr_assert_eq((int)stage->playback.mode, RV_TYPING);
    hold_slider(stage);
    cr_expect_eq((int)stage->playback.mode, RV_ASKING);
    cr_expect_eq(stage->what_if->model->n_ranks, 5);
    cr_expect_eq(stage->playback.question.step, stage->what_if->model->step);
}

Test(scene_clash, a_race_from_the_start_asks_nothing) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = stage_of(&v, &(rv_options){.at = 3, .predict = true, .compare = "naive"});
    cr_expect_eq(stage->pairing, &rv_raced);
    cr_expect_eq((int)stage->playback.mode, RV_LOOKING);
}

Test(scene_clash, the_menu_of_a_gpu_goes_with_the_gpu) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = stage_of(&v, &(rv_options){.at = 2});
    stage->playback.rank = 4;
    stage->menu = rv_target_of(RV_GPU, 4, 0);
    press(stage, "/,");
    cr_expect_eq(stage->what_if->model->n_ranks, 4);
    cr_expect_eq(stage->menu.thing, RV_NOTHING);
    cr_expect_eq(stage->playback.rank, 0);
}

/* A window manager may make any size of a window, and type may be scaled. */
Test(scene_clash, a_window_without_room_is_drawn_all_the_same) {
    static const double sizes[][2] = {{1, 1}, {64, 64}, {320, 40}, {40, 320}, {200, 100}};
    for (int32_t second = 0; second < 2; second++) {
        const rv_options options = {
            .at = 3, .scale = 4, .views = 63, .compare = second ? "naive" : NULL};
        OWN_VIEW v = {0};
        OWN_STAGE *stage = stage_of(&v, &options);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            rv_stage_resize(stage, sizes[i][0], sizes[i][1]);
            rv_stage_draw(stage);
            for (int32_t k = 0; k < stage->scene.n_items; k++) {
                const rv_box box = stage->scene.items[k].box;
                cr_assert(isfinite(box.x) && isfinite(box.y), "%g x %g", sizes[i][0], sizes[i][1]);
            }
        }
    }
}
