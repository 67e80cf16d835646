/* Runs that go wrong, as they are told: the story, the words for it, and the comparison. */
#include <criterion/criterion.h>
#include <string.h>

#include "model/figures.h"
#include "model/cost_words.h"
#include "terminal/compose.h"
#include "model/model.h"
#include "support/view_fixture.h"
#include "model/playback.h"

static void tell(view_fixture *v, const rs_fault *fault) {
    const rv_options options = {.at = -1};
    view_fixture_shown.used = 0;
    v->request.job.faults = fault;
    v->request.job.n_faults = 1;
    cr_assert(view_fixture_run(v), "%s", v->error.text);
    cr_assert_eq(
        rv_write_text(&v->subject, &options, view_fixture_collect, &view_fixture_shown, &v->error),
        RS_OK);
}

Test(trouble, a_stalled_story_tells_each_survivor_and_skips_the_still_steps) {
    const rs_fault kill = {.kind = RS_KILL, .rank = 3, .step = 2};
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 5);
    tell(&v, &kill);
    cr_expect(strstr(view_fixture_shown.bytes, "\nStep 4 of 0..7\n") != NULL);
    cr_expect(strstr(view_fixture_shown.bytes, "\nSteps 5 to 7: nothing happens any more\n") !=
              NULL);
    cr_expect(strstr(view_fixture_shown.bytes, "\nStep 5 of 0..7\n") == NULL);
    cr_expect(strstr(view_fixture_shown.bytes,
                     "\n  GPU 1 waits in step 3 for GPU 2; GPU 2 waits in step 2 for GPU 3, "
                     "which died before step 2\n  GPU 2 waits in step 2 for GPU 3, which died "
                     "before step 2\n  GPU 4 waits") != NULL);
}

Test(trouble, many_survivors_are_counted_after_a_few) {
    const rs_fault kill = {.kind = RS_KILL, .rank = 30, .step = 2};
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 64);
    tell(&v, &kill);
    cr_expect(strstr(view_fixture_shown.bytes, "\n  GPU 3 waits") != NULL);
    cr_expect(strstr(view_fixture_shown.bytes, "\n  GPU 4 waits") == NULL);
    cr_expect(strstr(view_fixture_shown.bytes, "\n  and 59 more wait\n") != NULL);
}

Test(trouble, the_rival_runs_on_the_same_slow_machines) {
    const rs_fault late = {.kind = RS_LATE, .rank = 2, .time_ps = 3000000000};
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 5);
    tell(&v, &late);
    cr_expect_eq(v.model->own.time_ps, 11040000000);
    cr_expect_gt(v.model->rival.time_ps, 40040000000 - 1);
    cr_expect(strstr(view_fixture_shown.bytes, "\nWith faults: GPU 2 starts 3 ms late\n") != NULL);
    view_fixture_free(&v);
    const rs_fault slow = {.kind = RS_SLOW_LINK, .rank = 1, .factor_num = 2, .factor_den = 1};
    view_fixture_prepare(&v, "ring", 5);
    tell(&v, &slow);
    cr_expect_eq(v.model->rival.time_ps, 45045000000, "%lld", (long long)v.model->rival.time_ps);
    cr_expect(strstr(view_fixture_shown.bytes,
                     "\nWith faults: GPU 1's links are 2 times slower\n") != NULL);
}

Test(trouble, what_sends_less_than_an_all_reduce_must_reaches_no_bound) {
    OWN_VIEW v = {0};
    char text[256];
    view_fixture_prepare_text(
        &v, "ringsim-schedule 1\nranks 3\nchunks 3\nstep\n0 -> 1 chunk 0 reduce\n");
    cr_assert(view_fixture_run(&v), "%s", v.error.text);
    cr_assert_gt(rv_run_text(v.model, text, sizeof text), 0);
    cr_expect_str_eq(text, "No GPU sends the 16 B that an all-reduce needs");
}

Test(trouble, sums_that_wrap_are_announced_and_others_are_not) {
    static const struct {
        int32_t n;
        rs_dtype dtype;
        rs_op op;
        bool wraps;
    } cases[] = {{9, RS_I32, RS_SUM, false},  {16, RS_I32, RS_SUM, true},
                 {16, RS_I64, RS_SUM, false}, {16, RS_I32, RS_MAX, false},
                 {9, RS_I32, RS_PROD, true},  {16, RS_F32, RS_SUM, false}};
    for (int i = 0; i < 6; i++) {
        OWN_VIEW v = {0};
        char text[512];
        view_fixture_prepare(&v, "ring", cases[i].n);
        v.request.dtype = cases[i].dtype;
        v.request.op = cases[i].op;
        v.request.job.elem_bytes = rs_dtype_bytes(cases[i].dtype);
        v.request.data = cases[i].n > 9 || i == 4 ? RS_DATA_INDEX : RS_DATA_DIGITS;
        cr_assert(view_fixture_run(&v), "%s", v.error.text);
        rv_caption(v.model, 0, text, sizeof text);
        cr_expect_eq(strstr(text, "wrap round") != NULL, cases[i].wraps, "%d: %s", i, text);
    }
}

Test(trouble, predict_asks_before_a_jump_too) {
    const rv_options options = {.at = -1, .predict = true};
    OWN_VIEW v = {0};
    rv_playback playback;
    view_fixture_start(&v, "ring", 5);
    cr_assert_eq(rv_playback_start(&playback, &v.subject, &options, &v.error), RS_OK);
    const int32_t keys[] = {'g', '6', RV_KEY_ENTER};
    for (int i = 0; i < 3; i++) cr_assert_eq(rv_playback_key(&playback, keys[i], &v.error), RS_OK);
    cr_expect(playback.mode == RV_ASKING && playback.question.step == 6);
}

Test(trouble, the_squares_of_a_stalled_run_stay_empty_where_nothing_happens) {
    const rs_fault kill = {.kind = RS_KILL, .rank = 3, .step = 2};
    const rv_options options = {.at = 8};
    OWN_VIEW v = {0};
    rv_playback playback;
    view_fixture_prepare(&v, "ring", 5);
    view_fixture_faults(&v, &kill, 1);
    cr_assert(view_fixture_run(&v), "%s", v.error.text);
    cr_assert_eq(rv_playback_start(&playback, &v.subject, &options, &v.error), RS_OK);
    OWN_SCREEN screen = view_fixture_screen(80, 24);
    rv_compose(&playback, &screen);
    cr_expect(strstr(view_fixture_lines(&screen), "Scatter-reduce ■■■■  All-gather □□□□") != NULL,
              "%s", view_fixture_shown.bytes);
}

/* Whatever stalls: as soon as nothing happens any more, the run says that, and no iteration that never begins. */
Test(trouble, a_stalled_run_announces_nothing_that_never_begins) {
    static const char *const names[] = {"ring", "naive", "halving", "tree"};
    for (int i = 0; i < 4 * 16; i++) {
        const rs_fault kill = {.kind = RS_KILL, .rank = i % 4, .step = i / 4 % 4};
        char text[512];
        OWN_VIEW v = {0};
        view_fixture_prepare(&v, names[i / 16], 4);
        view_fixture_faults(&v, &kill, kill.step < v.schedule.n_steps);
        cr_assert(view_fixture_run(&v), "%s", v.error.text);
        for (int32_t step = 0; step < v.schedule.n_steps; step++) {
            cr_assert_eq(rv_model_seek(v.model, step, RV_DONE, &v.error), RS_OK);
            bool happens = false;
            rs_cursor cursor = {0};
            rs_transfer t;
            for (int32_t later = step; later < v.schedule.n_steps; later++, cursor = (rs_cursor){0})
                while (rs_next_transfer(&v.schedule, later, &cursor, &t))
                    happens = happens || rv_happened(v.model, later, &t);
            rv_caption(v.model, (kill.rank + 1) % 4, text, sizeof text);
            cr_expect_eq(strncmp(text, "Stalled ", 8) == 0, !happens, "%d, step %d: %s", i, step,
                         text);
            const rv_figure end = {step, 1, .ends = true, .phase = RS_SCATTER_REDUCE};
            rv_run_figure_text(&v.subject, &end, 0, text, sizeof text);
            const bool all = v.report.outcome.completed || step < kill.step;
            cr_expect(all || strstr(text, "the end") == NULL, "%d, step %d: %s", i, step, text);
        }
    }
}
