/* test_scene_recorded.c: recorded runs at the window: shown like any other, and nothing of them can be
 * changed, whatever is pressed. */
#include "support/stage_fixture.h"

#include <criterion/criterion.h>
#include <string.h>

typedef struct recorded {
    view_fixture runs[2];
    rs_recording recordings[2];
    rs_report reports[2];
    stage_fixture s;
} recorded;

/* Records a ring; `measured` as if by a clock. */
static void record(recorded *r, int which, int32_t n, bool measured, const rs_fault *fault) {
    view_fixture *run = &r->runs[which];
    view_fixture_prepare(run, "ring", n);
    if (fault != NULL) {
        run->request.job.faults = fault;
        run->request.job.n_faults = 1;
    }
    cr_assert(view_fixture_run(run), "%s", run->error.text);
    cr_assert_eq(
        rs_recording_of(&run->report, "a test", &run->arena, &run->error, &r->recordings[which]),
        RS_OK);
    r->recordings[which].measured = measured;
    cr_assert_eq(
        rs_recording_report(&r->recordings[which], &run->arena, &run->error, &r->reports[which]),
        RS_OK);
}

static void open_stage(recorded *r, bool two) {
    r->s.options = (rv_options){.at = 2, .colour = true, .views = RV_VIEW_ALL};
    const rv_subject subject =
        two ? rv_pair_subject(&r->reports[0], &r->reports[1]) : rv_run_subject(&r->reports[0]);
    cr_assert_eq(rv_stage_new(&subject, &r->s.options, NULL, &r->s.error, &r->s.stage), RS_OK);
    rv_stage_draw(r->s.stage);
}

static void end(recorded *r, int n) {
    rv_stage_free(r->s.stage);
    for (int i = 0; i < n; i++) view_fixture_free(&r->runs[i]);
}

Test(scene_recorded, it_says_that_it_was_measured_and_on_no_network) {
    static recorded r;
    char title[256];
    record(&r, 0, 5, true, NULL);
    open_stage(&r, false);
    rv_stage_title(r.s.stage, title, sizeof title);
    cr_expect(strstr(title, "measured") != NULL, "%s", title);
    cr_expect(stage_fixture_shows(&r.s, "measured"));
    cr_expect_not(stage_fixture_shows(&r.s, "20 GB/s"));
    cr_expect_not(stage_fixture_shows(&r.s, "latency "), "where the time went is not known");
    cr_expect_eq(stage_fixture_time_ps(&r.s), r.runs[0].report.outcome.makespan_ps);
    end(&r, 1);
}

Test(scene_recorded, no_key_and_no_click_changes_it) {
    static recorded r;
    static const char keys[] = "wekuFxxNNn,.<>-+mdcvpahrlti[]0123456789g3\n?";
    record(&r, 0, 5, false, NULL);
    open_stage(&r, false);
    const int64_t time_ps = stage_fixture_time_ps(&r.s);
    stage_fixture_press(&r.s, "w");
    cr_expect(stage_fixture_says(&r.s, "A recorded run stays as it was"));
    stage_fixture_click(&r.s, RV_LINK, 1, 2);
    cr_expect(stage_fixture_says(&r.s, "A recorded run stays as it was"));
    stage_fixture_click(&r.s, RV_GPU, 3, 0);
    cr_expect_eq(r.s.stage->playback.rank, 3);
    cr_expect_eq(r.s.stage->menu.thing, RV_NOTHING);
    for (int round = 0; round < 3; round++) {
        for (const char *key = keys; *key != '\0'; key++) {
            stage_fixture_key(&r.s, *key);
            stage_fixture_tick(&r.s, 40);
        }
        for (int32_t key = RV_KEY_RIGHT; key <= RV_KEY_ESCAPE; key++) stage_fixture_key(&r.s, key);
    }
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(rv_stage_turn(r.s.stage, (rv_knob)i, 0.7, &r.s.error), RS_OK);
        rv_stage_draw(r.s.stage);
    }
    for (int i = RV_NO_ACTION; i <= RV_KNOB_MORE; i++) {
        if (i == RV_QUIT) continue;
        cr_assert_eq(rv_stage_act(r.s.stage, (rv_action)i, &r.s.error), RS_OK);
        rv_stage_draw(r.s.stage);
    }
    cr_expect_eq(stage_fixture_time_ps(&r.s), time_ps);
    cr_expect(r.s.stage->what_if->report == &r.reports[0] && r.s.stage->other == NULL);
    end(&r, 1);
}

Test(scene_recorded, two_lie_on_one_time_axis_and_are_told_apart) {
    static recorded r;
    const rs_fault slow = {.kind = RS_SLOW_LINK, .rank = 3, .factor_num = 4, .factor_den = 1};
    char title[256];
    record(&r, 0, 5, false, NULL);
    record(&r, 1, 5, true, &slow);
    open_stage(&r, true);
    cr_assert_not_null(r.s.stage->other);
    cr_expect(stage_fixture_shows(&r.s, "simulated") && stage_fixture_shows(&r.s, "measured"));
    rv_stage_title(r.s.stage, title, sizeof title);
    cr_expect(strstr(title, "beside another") != NULL, "%s", title);
    stage_fixture_key(&r.s, RV_KEY_END);
    stage_fixture_tick(&r.s, 500);
    cr_expect_eq(r.s.stage->now_ps, r.reports[1].outcome.makespan_ps);
    stage_fixture_press(&r.s, "wekuFxx");
    cr_expect(r.s.stage->other != NULL && r.s.stage->other->report == &r.reports[1]);
    for (int i = RV_NO_ACTION; i <= RV_KNOB_MORE; i++) {
        if (i == RV_QUIT) continue;
        cr_assert_eq(rv_stage_act(r.s.stage, (rv_action)i, &r.s.error), RS_OK);
        rv_stage_draw(r.s.stage);
    }
    end(&r, 2);
}

Test(scene_recorded, two_of_a_kind_and_of_different_sizes_are_first_and_second) {
    static recorded r;
    record(&r, 0, 5, true, NULL);
    record(&r, 1, 8, true, NULL);
    open_stage(&r, true);
    cr_expect(stage_fixture_shows(&r.s, "first") && stage_fixture_shows(&r.s, "second"));
    end(&r, 2);
}

Test(scene_recorded, a_run_that_stalled_says_who_waits) {
    static recorded r;
    const rs_fault dead = {.kind = RS_KILL, .rank = 2, .step = 3};
    record(&r, 0, 5, true, &dead);
    open_stage(&r, false);
    cr_expect_not(r.reports[0].outcome.completed);
    cr_expect(stage_fixture_shows(&r.s, "stalls"));
    stage_fixture_key(&r.s, RV_KEY_END);
    stage_fixture_tick(&r.s, 500);
    end(&r, 1);
}
