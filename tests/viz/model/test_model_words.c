/* test_model_words.c: the sentences of runs: every operation, fault and broken schedule, told at each moment.
 *
 * Golden: tests/golden/words/. RINGSIM_UPDATE=1 writes them anew; look at them then.
 */
#include "model/model.h"
#include "support/golden.h"
#include "support/view_fixture.h"
#include "text/say.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static view_fixture v;

static void put(const char *before, const char *text) {
    view_fixture_collect(&view_fixture_shown, before, strlen(before));
    view_fixture_collect(&view_fixture_shown, text, strlen(text));
    view_fixture_collect(&view_fixture_shown, "\n", 1);
}

/* All moments, as rank 1 lives through them; a sentence that says the same again is left out. */
static void put_moments(const char *heading) {
    char last[1024] = "", text[1024];
    put("\n", heading);
    cr_assert(view_fixture_run(&v), "%s", v.error.text);
    for (int32_t step = -1; step <= v.model->n_steps; step++) {
        for (int moment = RV_SEND; moment <= RV_DONE; moment++) {
            cr_assert_eq(rv_model_seek(v.model, step, (rv_moment)moment, &v.error), RS_OK);
            rv_caption(v.model, 1, text, sizeof text);
            if (strcmp(text, last) == 0) continue;
            snprintf(last, sizeof last, "%s", text);
            put("  ", text);
        }
        if (rv_trouble_text(v.model, text, sizeof text) > 0) put("  ! ", text);
    }
    rv_verdict_text(&v.report.verdict, text, sizeof text);
    put("  = ", text);
    for (int32_t r = 0; r < v.model->n_ranks; r++) {
        if (rv_stall_text(&v.report.outcome, r, text, sizeof text) > 0) put("  ? ", text);
    }
    view_fixture_free(&v);
}

Test(model_words, of_every_operation_are_as_they_were) {
    static const char *const names[] = {"sum", "prod", "min", "max"};
    static const rs_op ops[] = {RS_SUM, RS_PROD, RS_MIN, RS_MAX};
    view_fixture_shown.used = 0;
    for (int i = 0; i < 4; i++) {
        for (int a = 0; rs_algorithms[a] != NULL; a++) {
            char heading[64];
            if (i > 0 && a > 1) continue;
            view_fixture_prepare(&v, rs_algorithms[a]->name, 3);
            v.request.op = ops[i];
            snprintf(heading, sizeof heading, "%s, %s", rs_algorithms[a]->name, names[i]);
            put_moments(heading);
        }
    }
    golden_compare("words/operations", view_fixture_shown.bytes);
}

Test(model_words, of_every_fault_are_as_they_were) {
    static const rs_fault faults[] = {
        {.kind = RS_KILL, .rank = 2, .step = 1},
        {.kind = RS_LATE, .rank = 0, .time_ps = 2500000000},
        {.kind = RS_SLOW_LINK, .rank = 0, .factor_num = 5, .factor_den = 2},
        {.kind = RS_STRAGGLER, .rank = 2, .time_ps = 30000000},
        {.kind = RS_FLIP, .rank = 0, .step = 1},
        {.kind = RS_SLOW_REDUCE, .rank = 1, .factor_num = 8, .factor_den = 1},
        {.kind = RS_DOWN, .rank = 0, .step = 2, .time_ps = 7000000000}};
    view_fixture_shown.used = 0;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        view_fixture_prepare(&v, "ring", 3);
        view_fixture_faults(&v, &faults[i], 1);
        v.request.job.net.reduce_Bps = 30000000000;
        put_moments("a fault");
    }
    golden_compare("words/faults", view_fixture_shown.bytes);
}

Test(model_words, of_broken_schedules_are_as_they_were) {
    static const char *const texts[] = {
        ("ringsim-schedule 1\nranks 3\nchunks 1\nstep\n0 -> 1 chunk 0 reduce\nstep\n"
         "0 -> 1 chunk 0 reduce\n"),
        "ringsim-schedule 1\nranks 3\nchunks 2\nstep\n0 -> 1 chunk 0..1 copy\n",
        "ringsim-schedule 1\nranks 3\nchunks 2\nstep\n0 -> 1 chunk 0 reduce\n2 -> 1 chunk 0 copy\n",
        "ringsim-schedule 1\nranks 2\nchunks 2\nstep\n0 -> 1 chunk 0 reduce\n"};
    view_fixture_shown.used = 0;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        view_fixture_prepare_text(&v, texts[i]);
        put_moments("a schedule");
    }
    golden_compare("words/schedules", view_fixture_shown.bytes);
}
