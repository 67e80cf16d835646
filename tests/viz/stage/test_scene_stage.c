/* The stage by keys and pointer: whole sessions, asserted on the state and on the scene as data. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "stage/panel.h"
#include "stage/stage.h"
#include "support/view_fixture.h"

/* ---------------------------------------------------------------------------------------- helpers */

static rv_stage *stage_of(view_fixture *v, const rv_options *options) {
    rv_stage *stage = view_fixture_stage(v, options);
    rv_stage_draw(stage);
    return stage;
}

/* The ring of five, paused at the start. */
static rv_stage *five(view_fixture *v, bool reduced_motion) {
    const rv_options options = {.at = -1, .reduced_motion = reduced_motion};
    view_fixture_prepare(v, "ring", 5);
    return stage_of(v, &options);
}

static const char *title_of(const rv_stage *stage) {
    static char title[256];
    rv_stage_title(stage, title, sizeof title);
    return title;
}

/* With reduced motion a step is two stills: shows the second. */
static void let_arrive(rv_stage *stage) {
    rs_error error;
    if (stage->reduced_motion) cr_assert_eq(rv_stage_settle(stage, &error), RS_OK);
}

static void expect_title(rv_stage *stage, const char *wanted) {
    let_arrive(stage);
    cr_expect_str_eq(title_of(stage), wanted);
}

static void press(rv_stage *stage, int32_t key) {
    rs_error error;
    cr_assert_eq(rv_stage_key(stage, key, &error), RS_OK);
    rv_stage_draw(stage);
}

static void wait_ms(rv_stage *stage, double ms) {
    rs_error error;
    for (; ms > 0; ms -= 10) cr_assert_eq(rv_stage_tick(stage, fmin(10, ms), &error), RS_OK);
    rv_stage_draw(stage);
}

static void point(rv_stage *stage, rv_pointer what, double x, double y) {
    rs_error error;
    cr_assert_eq(rv_stage_pointer(stage, what, x, y, &error), RS_OK);
    rv_stage_draw(stage);
}

/* The box of what stands for `target` in the scene; without width where nothing does. */
static rv_box box_of(const rv_stage *stage, rv_target target) {
    for (int32_t i = stage->scene.n_items - 1; i >= 0; i--) {
        const rv_item *item = &stage->scene.items[i];
        if (rv_same_target(item->target, target)) return item->box;
    }
    return (rv_box){0};
}

static void click(rv_stage *stage, rv_target target) {
    const rv_box box = box_of(stage, target);
    cr_assert(box.w > 0, "target %d %d %d is in the picture", target.thing, target.a, target.b);
    const rv_point at = rv_centre(box);
    point(stage, RV_POINT_MOVE, at.x, at.y);
    point(stage, RV_POINT_PRESS, at.x, at.y);
    point(stage, RV_POINT_RELEASE, at.x, at.y);
}

static void click_button(rv_stage *stage, rv_action action) {
    click(stage, rv_target_of(RV_BUTTON, (int32_t)action, 0));
}

static double timeline_x(const rv_stage *stage, double share) {
    const rv_box axis = box_of(stage, rv_target_of(RV_TIMELINE, 0, 0));
    cr_assert(axis.w > 0);
    return axis.x + axis.w * share;
}

static double timeline_y(const rv_stage *stage) {
    return rv_centre(box_of(stage, rv_target_of(RV_TIMELINE, 0, 0))).y;
}

static bool shows(const rv_stage *stage, const char *text) {
    for (int32_t i = 0; i < stage->scene.n_items; i++) {
        if (strstr(rv_label_text(&stage->scene, &stage->scene.items[i]), text) != NULL) return true;
    }
    return false;
}

static void expect_at(rv_stage *stage, int32_t step, double progress) {
    let_arrive(stage);
    cr_expect_eq(stage->what_if->model->step, step, "step %d, not %d: %s",
                 (int)stage->what_if->model->step, (int)step, title_of(stage));
    cr_expect_float_eq(stage->progress, progress, 1e-9, "progress %g, not %g", stage->progress,
                       progress);
}

/* ------------------------------------------------------------------------------------------- keys */

Test(scene_stage, the_title_tells_the_whole_state) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = five(&v, true);
    expect_title(stage, "ring, 5 GPUs - start, GPU 0");
    press(stage, RV_KEY_RIGHT);
    expect_title(stage, "ring, 5 GPUs - step 0 of 0..7, done, GPU 0");
    press(stage, RV_KEY_SHIFT_RIGHT);
    press(stage, RV_KEY_DOWN);
    expect_title(stage, "ring, 5 GPUs - step 1 of 0..7, send, GPU 1");
    press(stage, 'g');
    press(stage, '6');
    expect_title(stage, "ring, 5 GPUs - step 1 of 0..7, send, GPU 1 - typing 6");
    press(stage, RV_KEY_ENTER);
    press(stage, '?');
    expect_title(stage, "ring, 5 GPUs - step 6 of 0..7, done, GPU 1 - help");
    press(stage, RV_KEY_ESCAPE);
    press(stage, 'p');
    press(stage, RV_KEY_RIGHT);
    expect_title(stage, "ring, 5 GPUs - step 7 of 0..7, send, GPU 1 - asking");
    press(stage, '0' + stage->playback.question.choices[stage->playback.question.answer]);
    press(stage, RV_KEY_ENTER);
    expect_title(stage, "ring, 5 GPUs - step 7 of 0..7, done, GPU 1 - 1 of 1 right");
    press(stage, RV_KEY_END);
    expect_title(stage, "ring, 5 GPUs - end, GPU 1 - 1 of 1 right");
}

Test(scene_stage, one_key_lets_the_chunks_travel_once_and_then_all_is_still) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = five(&v, false);
    cr_expect_eq(rv_stage_still_ms(stage), -1);
    press(stage, RV_KEY_RIGHT);
    expect_at(stage, 0, 0);
    cr_expect_eq(rv_stage_still_ms(stage), 0);
    wait_ms(stage, RV_MOTION_MS / 2.0);
    expect_at(stage, 0, 0.5);
    cr_expect_eq(v.model->n_steps, 8);
    wait_ms(stage, RV_MOTION_MS / 2.0 + 10);
    expect_at(stage, 0, 1);
    cr_expect_eq(stage->what_if->model->moment, RV_DONE);
    cr_expect_eq(rv_stage_still_ms(stage), -1, "nothing moves until the next key");
}

Test(scene_stage, two_quick_keys_are_two_steps) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = five(&v, false);
    press(stage, RV_KEY_PAGE_DOWN);
    wait_ms(stage, 100);
    press(stage, RV_KEY_PAGE_DOWN);
    expect_at(stage, 1, 0);
    wait_ms(stage, 100);
    press(stage, RV_KEY_PAGE_UP);
    wait_ms(stage, 1000);
    expect_at(stage, 0, 1);
    press(stage, RV_KEY_PAGE_UP);
    press(stage, RV_KEY_PAGE_UP);
    wait_ms(stage, 1000);
    expect_at(stage, -1, 1);
}

Test(scene_stage, a_presenters_two_buttons_walk_the_whole_ring_with_motion) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = five(&v, false);
    for (int step = 0; step <= 8; step++) {
        press(stage, RV_KEY_PAGE_DOWN);
        wait_ms(stage, RV_MOTION_MS + 10);
        expect_at(stage, step, 1);
        if (step != 3) continue;
        press(stage, RV_KEY_PAGE_DOWN);
        expect_title(stage, "ring, 5 GPUs - step 3 of 0..7, between the phases, GPU 0");
        cr_expect_eq(rv_stage_still_ms(stage), -1, "nothing moves there");
        cr_expect(shows(stage, "Scatter-reduce is done"));
    }
    for (int step = 7; step >= -1; step--) {
        press(stage, RV_KEY_PAGE_UP);
        wait_ms(stage, 260);
        expect_at(stage, step, 1);
        cr_expect_eq(rv_stage_still_ms(stage), -1, "back within 250 ms");
        if (step != 3) continue;
        cr_expect(shows(stage, "Scatter-reduce is done"), "they fly back to the stop, too");
        press(stage, RV_KEY_PAGE_UP);
        expect_title(stage, "ring, 5 GPUs - step 3 of 0..7, done, GPU 0");
    }
}

Test(scene_stage, a_step_back_lets_the_chunks_fly_back) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = five(&v, false);
    press(stage, 'g');
    press(stage, '3');
    press(stage, RV_KEY_ENTER);
    expect_at(stage, 3, 1);
    press(stage, RV_KEY_LEFT);
    wait_ms(stage, 125);
    expect_at(stage, 3, 0.5);
    wait_ms(stage, 130);
    expect_at(stage, 2, 1);
}

Test(scene_stage, micro_steps_stop_at_send_arrive_and_add_both_ways) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = five(&v, false);
    const double stops[] = {RV_LIFT, RV_ARRIVAL, 1};
    for (int i = 0; i < 6; i++) {
        press(stage, RV_KEY_SHIFT_RIGHT);
        wait_ms(stage, 1000);
        expect_at(stage, i / 3, stops[i % 3]);
        cr_expect_eq(stage->what_if->model->moment, (rv_moment)(i % 3));
    }
    for (int i = 4; i >= 0; i--) {
        press(stage, RV_KEY_SHIFT_LEFT);
        wait_ms(stage, 1000);
        expect_at(stage, i / 3, stops[i % 3]);
    }
    press(stage, RV_KEY_SHIFT_LEFT);
    wait_ms(stage, 1000);
    expect_at(stage, -1, 1);
}

Test(scene_stage, with_reduced_motion_a_step_is_two_stills) {
    OWN_VIEW v = {0};
    rs_error error;
    OWN_STAGE *stage = five(&v, true);
    press(stage, RV_KEY_RIGHT);
    cr_expect_eq(stage->what_if->model->step, 0);
    cr_expect_float_eq(stage->progress, RV_ARRIVAL, 1e-9, "it arrives");
    const int still_ms = rv_stage_still_ms(stage);
    cr_expect(still_ms >= 500, "%d ms", still_ms);
    rv_stage_tick(stage, still_ms / 2, &error);
    cr_expect_float_eq(stage->progress, RV_ARRIVAL, 1e-9, "nothing moves");
    rv_stage_tick(stage, still_ms, &error);
    cr_expect_eq(stage->progress, 1, "it has arrived");
    cr_expect_eq(rv_stage_still_ms(stage), -1);
    press(stage, RV_KEY_RIGHT);
    press(stage, RV_KEY_RIGHT);
    cr_expect_eq(stage->what_if->model->step, 2, "who is quicker does not wait");
    press(stage, RV_KEY_LEFT);
    cr_expect_eq(rv_stage_still_ms(stage), -1, "backwards at once");
    expect_at(stage, 1, 1);
}

/* ---------------------------------------------------------------------------------------- playing */

Test(scene_stage, plays_a_step_a_second_to_the_end_and_starts_over) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = five(&v, false);
    press(stage, ' ');
    wait_ms(stage, 300);
    cr_expect_eq(stage->what_if->model->step, 0);
    wait_ms(stage, 1000);
    cr_expect_eq(stage->what_if->model->step, 1);
    wait_ms(stage, 3000);
    cr_expect(stage->what_if->model->step == 3 && stage->what_if->model->moment == RV_BETWEEN);
    wait_ms(stage, 4000);
    cr_expect_eq(stage->what_if->model->step, 7);
    cr_expect(stage->playback.playing);
    wait_ms(stage, 1000);
    cr_expect_eq(stage->what_if->model->step, 8);
    cr_expect_not(stage->playback.playing, "it stops at the end");
    cr_expect_eq(rv_stage_still_ms(stage), -1);
    press(stage, ' ');
    wait_ms(stage, 50);
    cr_expect(stage->playback.playing && stage->what_if->model->step == 0);
}

Test(scene_stage, the_fastest_speed_plays_64_steps_a_second) {
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 64);
    const rv_options options = {.at = -1, .play = true, .speed = 64};
    OWN_STAGE *stage = stage_of(&v, &options);
    wait_ms(stage, 700 + 1000);
    const int32_t step = stage->what_if->model->step;
    cr_expect(step >= 62 && step <= 65, "step %d after a second", (int)step);
    press(stage, '+');
    cr_expect_eq(stage->playback.speed, 64.0);
    for (int i = 0; i < 12; i++) press(stage, '-');
    cr_expect_eq(stage->playback.speed, 1.0 / 8);
    cr_expect(stage->playback.playing);
    cr_expect(shows(stage, "1/8"), "the controls show the speed");
}

Test(scene_stage, pausing_freezes_chunks_in_flight_and_micro_steps_go_on_from_there) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = five(&v, false);
    press(stage, ' ');
    wait_ms(stage, 300);
    press(stage, ' ');
    const double frozen = stage->progress;
    cr_expect(frozen > 0.2 && frozen < 0.7, "%g", frozen);
    wait_ms(stage, 1000);
    expect_at(stage, 0, frozen);
    press(stage, RV_KEY_SHIFT_LEFT);
    wait_ms(stage, 1000);
    expect_at(stage, 0, RV_LIFT);
    press(stage, ' ');
    wait_ms(stage, 650);
    expect_at(stage, 0, 1);
}

/* --------------------------------------------------------------------------------------- timeline */

Test(scene_stage, a_click_on_the_timeline_goes_to_that_step) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = five(&v, false);
    const double y = timeline_y(stage);
    point(stage, RV_POINT_PRESS, timeline_x(stage, 3.4 / 8), y);
    point(stage, RV_POINT_RELEASE, timeline_x(stage, 3.4 / 8), y);
    expect_at(stage, 3, 1);
    click(stage, rv_target_of(RV_STEP_BAR, -1, 0));
    expect_at(stage, -1, 1);
    click(stage, rv_target_of(RV_STEP_BAR, 8, 0));
    expect_at(stage, 8, 1);
    click(stage, rv_target_of(RV_STEP_BAR, 4, 0));
    expect_at(stage, 4, 1);
}

Test(scene_stage, dragging_the_timeline_scrubs_inside_the_steps) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = five(&v, false);
    const double y = timeline_y(stage);
    point(stage, RV_POINT_PRESS, timeline_x(stage, 0.01), y);
    for (int i = 1; i < 80; i++) {
        point(stage, RV_POINT_MOVE, timeline_x(stage, (i + 0.5) / 80.0), y + 100);
        cr_expect_eq(stage->what_if->model->step, i / 10, "at %d", i);
        cr_expect_float_eq(stage->progress, (i % 10 + 0.5) / 10.0, 1e-6, "at %d", i);
    }
    point(stage, RV_POINT_MOVE, 1e6, y);
    expect_at(stage, 8, 1);
    point(stage, RV_POINT_MOVE, -1e6, y);
    expect_at(stage, -1, 1);
    point(stage, RV_POINT_RELEASE, 0, y);
    point(stage, RV_POINT_MOVE, timeline_x(stage, 0.5), y);
    expect_at(stage, -1, 1);
}

Test(scene_stage, the_timeline_of_a_long_run_reaches_every_end) {
    const int32_t sizes[] = {2, 64, 256, 1024};
    for (int i = 0; i < 4; i++) {
        OWN_VIEW v = {0};
        view_fixture_prepare(&v, "ring", sizes[i]);
        const rv_options options = {.at = -1, .reduced_motion = true};
        OWN_STAGE *stage = stage_of(&v, &options);
        const int32_t n_steps = stage->what_if->model->n_steps;
        const double y = timeline_y(stage);
        cr_expect_eq(n_steps, 2 * (sizes[i] - 1));
        point(stage, RV_POINT_PRESS, timeline_x(stage, 0.25), y);
        for (int k = 0; k <= 8; k++) {
            point(stage, RV_POINT_MOVE, timeline_x(stage, k / 8.0), y);
            const int32_t step = stage->what_if->model->step;
            const double wanted = n_steps * k / 8.0;
            if (k == 0) cr_expect_eq(step, -1);
            if (k == 8) cr_expect_eq(step, n_steps);
            if (k > 0 && k < 8) cr_expect(fabs(step - wanted) <= 1, "%d %g", (int)step, wanted);
        }
        cr_expect_lt(stage->scene.n_items, 6000, "%d", (int)stage->scene.n_items);
    }
}

Test(scene_stage, the_wheel_steps) {
    OWN_VIEW v = {0};
    rs_error error;
    OWN_STAGE *stage = five(&v, true);
    cr_assert_eq(rv_stage_wheel(stage, -1, &error), RS_OK);
    cr_assert_eq(rv_stage_wheel(stage, -1, &error), RS_OK);
    expect_at(stage, 1, 1);
    cr_assert_eq(rv_stage_wheel(stage, 0.5, &error), RS_OK);
    expect_at(stage, 1, 1);
    cr_assert_eq(rv_stage_wheel(stage, 0.5, &error), RS_OK);
    expect_at(stage, 0, 1);
}

Test(scene_stage, hovering_the_timeline_names_the_step_and_a_button_its_key) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = five(&v, true);
    point(stage, RV_POINT_MOVE, timeline_x(stage, 5.5 / 8), timeline_y(stage));
    cr_expect(shows(stage, "step 5: All-gather, iteration 2 of 4"));
    const rv_point at = rv_centre(box_of(stage, rv_target_of(RV_BUTTON, RV_NEXT, 0)));
    point(stage, RV_POINT_MOVE, at.x, at.y);
    cr_expect(shows(stage, "one step on (Right, PgDn, Enter)"));
    cr_expect_not(shows(stage, "ms"), "the hint stands in the place of the time");
    point(stage, RV_POINT_LEAVE, 0, 0);
    cr_expect_not(shows(stage, "one step on (Right, PgDn, Enter)"));
}

/* ---------------------------------------------------------------------------------------- buttons */

Test(scene_stage, the_buttons_do_what_the_keys_do) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = five(&v, true);
    click_button(stage, RV_NEXT);
    expect_at(stage, 0, 1);
    click_button(stage, RV_MICRO_NEXT);
    expect_at(stage, 1, RV_LIFT);
    click_button(stage, RV_MICRO_BACK);
    expect_at(stage, 0, 1);
    click_button(stage, RV_END);
    expect_at(stage, 8, 1);
    click_button(stage, RV_BACK);
    expect_at(stage, 7, 1);
    click_button(stage, RV_HOME);
    expect_at(stage, -1, 1);
    click_button(stage, RV_FASTER);
    cr_expect_eq(stage->playback.speed, 2.0);
    click_button(stage, RV_SLOWER);
    click_button(stage, RV_PLAY);
    cr_expect(stage->playback.playing);
    click_button(stage, RV_PLAY);
    cr_expect_not(stage->playback.playing);
    for (int dark = 0; dark < 3; dark++) { /* the desktop's, until somebody chooses */
        stage->desktop_theme = dark < 2;
        rv_stage_take_theme(stage, dark == 1);
        cr_expect_eq(stage->look.dark, dark > 0);
    }
    stage->desktop_theme = true;
    click_button(stage, RV_THEME);
    rv_stage_take_theme(stage, true);
    cr_expect_not(stage->dark || stage->look.dark);
    click_button(stage, RV_LANGUAGE);
    cr_expect_eq(stage->wish, RV_WISH_LANGUAGE);
    click_button(stage, RV_PREDICT);
    cr_expect(stage->playback.predict);
}

Test(scene_stage, every_key_can_be_clicked_in_the_help) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = five(&v, true);
    click_button(stage, RV_HELP);
    cr_expect_eq(stage->playback.mode, RV_READING_HELP);
    rv_key_row row;
    int n_rows = 0;
    for (int r = 0; (row = rv_key_row_at(r)).action != RV_NO_ACTION; r++) {
        const int view = (int)row.action - RV_SHOW_VIEW;
        const bool is_view = view >= 0 && view < RV_MOST_VIEWS;
        if (row.lesson_only || row.not_there != NULL ||
            (is_view && !rv_view_fits(view, &stage->playback.subject)))
            continue;
        n_rows++;
        const rv_target target = rv_target_of(RV_BUTTON, (int32_t)row.action, 0);
        bool over = false;
        for (const rv_item *item = NULL; (item = view_fixture_next(&stage->scene, item)) != NULL;) {
            if (item->layer == RV_OVER && rv_same_target(item->target, target)) over = true;
        }
        cr_expect(over, "%s", row.help);
    }
    cr_expect_gt(n_rows, 35);
    click_button(stage, RV_END);
    cr_expect_eq(stage->playback.mode, RV_LOOKING);
    expect_at(stage, 8, 1);
    press(stage, '?');
    point(stage, RV_POINT_PRESS, 3, 3);
    cr_expect_eq(stage->playback.mode, RV_LOOKING, "a click beside closes it");
    expect_at(stage, 8, 1);
}

Test(scene_stage, q_always_quits_and_escape_never) {
    const int32_t before[] = {0, '?', 'g', 'p'};
    for (int i = 0; i < 4; i++) {
        OWN_VIEW v = {0};
        OWN_STAGE *stage = five(&v, true);
        if (before[i] != 0) press(stage, before[i]);
        if (before[i] == 'p') press(stage, RV_KEY_RIGHT);
        if (before[i] == 'p') cr_expect_eq(stage->playback.mode, RV_ASKING);
        rv_stage *other = stage;
        press(other, RV_KEY_ESCAPE);
        cr_expect(!other->playback.quit && other->playback.mode == RV_LOOKING, "%d", i);
        if (before[i] != 0) press(stage, before[i] == 'p' ? RV_KEY_RIGHT : before[i]);
        press(stage, 'q');
        cr_expect(stage->playback.quit, "%d", i);
    }
}

Test(scene_stage, a_number_is_typed_into_a_box_on_the_picture) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = five(&v, true);
    press(stage, 'g');
    press(stage, '4');
    cr_expect(shows(stage, "Go to step") && shows(stage, "4_"));
    press(stage, RV_KEY_ESCAPE);
    expect_at(stage, -1, 1);
    cr_expect_not(shows(stage, "Go to step"));
    press(stage, 'g');
    press(stage, '4');
    click_button(stage, RV_NEXT);
    expect_at(stage, 0, 1);
}

Test(scene_stage, a_click_follows_a_gpu_and_a_bar_leads_to_its_step) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = five(&v, true);
    rs_error error;
    const rv_target cell = rv_target_of(RV_CELL, 3, 1);
    cr_assert_eq(rv_stage_click(stage, cell, &error), RS_OK);
    cr_expect_eq(stage->playback.rank, 3);
    press(stage, 'd');
    const rv_target bar = {RV_TRANSFER, 5, 2, 2};
    if (box_of(stage, bar).w > 0 || box_of(stage, bar).h > 0) {
        const rv_point at = rv_centre(box_of(stage, bar));
        point(stage, RV_POINT_PRESS, at.x, at.y);
        cr_expect_eq(stage->what_if->model->step, 5);
    }
}

/* ---------------------------------------------------------------------------------------- predict */

static rv_stage *asked(view_fixture *v, const char *algorithm) {
    const rv_options options = {.at = -1, .reduced_motion = true, .predict = true};
    view_fixture_prepare(v, algorithm, 5);
    rv_stage *stage = stage_of(v, &options);
    press(stage, RV_KEY_RIGHT);
    cr_assert_eq(stage->playback.mode, RV_ASKING);
    return stage;
}

/* The first click chooses, the second commits. */
static void answer(rv_stage *stage, rv_target target) {
    click(stage, target);
    cr_expect_eq(stage->playback.mode, RV_ASKING);
    click(stage, target);
}

Test(scene_stage, the_question_is_answered_by_its_buttons) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = asked(&v, "ring");
    cr_expect(shows(stage, "GPU 1 begins with chunk 1, GPU 2 with chunk 2. And GPU 0?"));
    cr_expect(rv_main_run(stage).hidden);
    click(stage, rv_target_of(RV_CHOICE, 3, 0));
    cr_expect(shows(stage, "chunk 3: Enter commits it; another number changes it"));
    answer(stage, rv_target_of(RV_CHOICE, 0, 0));
    cr_expect(stage->playback.n_asked == 1 && stage->playback.n_right == 1);
    expect_at(stage, 0, 1);
    cr_expect(shows(stage, "Right: chunk 0") && shows(stage, "GPU 0 sends chunk 0 to GPU 1"));
    cr_expect(shows(stage, "1 of 1 right"));
    cr_expect_not(rv_main_run(stage).hidden);
    press(stage, RV_KEY_RIGHT);
    cr_expect_not(shows(stage, "Right: chunk 0"));
    answer(stage, rv_target_of(RV_CHOICE, 0, 0));
    cr_expect(stage->playback.n_asked == 2 && stage->playback.n_right == 1);
    cr_expect(shows(stage, "No: chunk 4, just received.") && shows(stage, "1 of 2 right"));
}

Test(scene_stage, the_question_is_answered_by_the_asked_gpus_cells_only) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = asked(&v, "ring");
    click(stage, rv_target_of(RV_CELL, 3, 0));
    click(stage, rv_target_of(RV_GPU, 2, 0));
    cr_expect(stage->playback.mode == RV_ASKING && stage->playback.n_asked == 0);
    cr_expect_eq(stage->playback.rank, 0, "nor is another GPU followed");
    cr_expect_eq(stage->menu.thing, RV_NOTHING);
    answer(stage, rv_target_of(RV_CELL, 0, 0));
    cr_expect(stage->playback.n_asked == 1 && stage->playback.n_right == 1);
    for (int32_t wrong = 0; wrong < 4; wrong++) {
        press(stage, RV_KEY_RIGHT);
        if (stage->what_if->model->moment == RV_BETWEEN) press(stage, RV_KEY_RIGHT);
        const rv_question *q = &stage->playback.question;
        answer(stage, rv_target_of(RV_CELL, 0, (q->choices[q->answer] + 1 + wrong) % 5));
        cr_expect_eq(stage->playback.n_asked, 2 + wrong);
        cr_expect_eq(stage->playback.n_right, 1);
        cr_expect_eq(stage->playback.reply, RV_REPLY_WRONG);
    }
}

Test(scene_stage, a_question_for_the_receiver_is_answered_by_clicking_a_gpu) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = asked(&v, "tree");
    const rv_question q = stage->playback.question;
    cr_assert_eq(q.ask, RV_ASK_PEER);
    rs_error error;
    cr_assert_eq(rv_stage_click(stage, rv_target_of(RV_GPU, q.rank, 0), &error), RS_OK);
    cr_expect_eq(stage->playback.n_asked, 0, "nobody sends to itself");
    answer(stage, rv_target_of(RV_GPU, q.choices[q.answer], 0));
    cr_expect(stage->playback.n_asked == 1 && stage->playback.n_right == 1);
}

Test(scene_stage, the_answer_stays_while_the_step_is_animated) {
    OWN_VIEW v = {0};
    const rv_options options = {.at = -1, .predict = true};
    view_fixture_prepare(&v, "ring", 5);
    OWN_STAGE *stage = stage_of(&v, &options);
    press(stage, RV_KEY_RIGHT);
    expect_at(stage, 0, 0);
    cr_expect_eq(rv_stage_still_ms(stage), -1, "nothing moves while it asks");
    press(stage, '0');
    press(stage, RV_KEY_ENTER);
    expect_at(stage, 0, 0);
    wait_ms(stage, 300);
    cr_expect(stage->progress > 0.3 && shows(stage, "Right: chunk 0"));
    wait_ms(stage, 700);
    expect_at(stage, 0, 1);
    cr_expect(shows(stage, "Right: chunk 0"));
}

/* ------------------------------------------------------------------------------------------ words */

Test(scene_stage, the_sentence_does_not_change_while_the_chunks_fly) {
    OWN_VIEW v = {0};
    OWN_STAGE *stage = five(&v, false);
    press(stage, RV_KEY_RIGHT);
    for (int i = 0; i < 70; i++) {
        cr_expect(shows(stage, "GPU 0 sends chunk 0 to GPU 1, which adds it"), "after %d ms",
                  i * 10);
        wait_ms(stage, 10);
    }
}

Test(scene_stage, a_stall_is_told_at_the_end_with_who_waits_for_whom) {
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 5);
    const rs_fault fault = {.kind = RS_KILL, .rank = 2, .step = 3};
    view_fixture_faults(&v, &fault, 1);
    const rv_options options = {.at = 8, .reduced_motion = true};
    OWN_STAGE *stage = stage_of(&v, &options);
    cr_expect(shows(stage, "GPU 1 waits in step 3 for GPU 2, which died before step 3"));
    cr_expect(shows(stage, "stalls"));
}

/* ---------------------------------------------------------------------------------------- pictures */

/* The size of the first label with that text. */
static double type_of(rv_stage *stage, const char *text) {
    rv_stage_draw(stage);
    for (const rv_item *item = NULL; (item = view_fixture_next(&stage->scene, item)) != NULL;) {
        if (item->shape == RV_LABEL && strcmp(rv_label_text(&stage->scene, item), text) == 0) {
            return item->radius;
        }
    }
    return NAN;
}

Test(scene_stage, in_a_picture_scale_enlarges_the_figure_and_not_what_is_pressed) {
    view_fixture v[2];
    rv_stage *stages[2];
    for (int i = 0; i < 2; i++) {
        const rv_options options = {.at = 2, .scale = i == 0 ? 1 : 1.5};
        view_fixture_prepare(&v[i], "ring", 5);
        stages[i] = stage_of(&v[i], &options);
        rv_stage_enlarge_figure(stages[i]);
    }
    cr_expect_float_eq(type_of(stages[1], "Predict"), type_of(stages[0], "Predict"), 0.1);
    cr_expect_float_eq(type_of(stages[1], "Ring all-reduce, 5 GPUs"),
                       1.5 * type_of(stages[0], "Ring all-reduce, 5 GPUs"), 0.1);
    for (int i = 0; i < 2; i++) {
        rv_stage_free(stages[i]);
        view_fixture_free(&v[i]);
    }
}
