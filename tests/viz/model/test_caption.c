/* The caption: one plain sentence for every moment of every run. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "support/view_fixture.h"

static const char *caption(view_fixture *v, int32_t step, rv_moment moment, int32_t rank) {
    static char text[512];
    cr_assert_eq(rv_model_seek(v->model, step, moment, &v->error), RS_OK);
    cr_expect_eq(rv_caption(v->model, rank, text, sizeof text), strlen(text));
    return text;
}

static const char *trouble(view_fixture *v, int32_t step) {
    static char text[512];
    cr_assert_eq(rv_model_seek(v->model, step, RV_DONE, &v->error), RS_OK);
    cr_expect_eq(rv_trouble_text(v->model, text, sizeof text), strlen(text));
    return text;
}

Test(caption, says_who_sends_what_to_whom) {
    OWN_VIEW v = {0};
    view_fixture_start(&v, "ring", 5);
    cr_expect_str_eq(caption(&v, 1, RV_DONE, 3), "Scatter-reduce, iteration 2 of 4: GPU 3 sends "
                                                 "chunk 2 to GPU 4, which adds it");
    cr_expect_str_eq(caption(&v, 4, RV_DONE, 4), "All-gather, iteration 1 of 4: GPU 4 sends chunk "
                                                 "0 to GPU 0, which replaces its own with it");
    cr_expect_str_eq(caption(&v, 1, RV_SEND, 3),
                     "Scatter-reduce, iteration 2 of 4: GPU 3 sends chunk 2 to GPU 4");
    cr_expect_str_eq(caption(&v, 1, RV_ARRIVE, 3),
                     "Scatter-reduce, iteration 2 of 4: GPU 3 has sent chunk 2 to "
                     "GPU 4, which adds it next");
    cr_expect_str_eq(
        caption(&v, -1, RV_DONE, 3),
        "Each of 5 GPUs holds an array, in training its gradient, cut into 5 chunks. At the end each shall hold the "
        "sum of all arrays: 11111, 22222, ..., 55555");
    cr_expect_str_eq(
        caption(&v, 8, RV_DONE, 3),
        "Done: every GPU holds the same result, each contribution inside exactly once");
}

Test(caption, knows_the_other_algorithms) {
    OWN_VIEW v = {0};
    view_fixture_start(&v, "naive", 4);
    cr_expect_str_eq(caption(&v, 0, RV_DONE, 0), "Reduce, iteration 1 of 3: GPU 0 receives the "
                                                 "whole array from GPU 1 and adds it");
    cr_expect_str_eq(caption(&v, 0, RV_DONE, 3),
                     "Reduce, iteration 1 of 3: GPU 3 has nothing to send or to receive");
    view_fixture_free(&v);
    view_fixture_prepare(&v, "halving", 8);
    v.request.op = RS_MAX;
    cr_assert(view_fixture_run(&v));
    cr_expect_str_eq(caption(&v, 0, RV_DONE, 1),
                     "Scatter-reduce, iteration 1 of 3: GPU 1 sends the block of chunks 4..7 to "
                     "GPU 5, which keeps the larger");
}

Test(caption, says_who_waits_for_whom_when_one_has_died) {
    const rs_fault kill = {.kind = RS_KILL, .rank = 3, .step = 2};
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 5);
    view_fixture_faults(&v, &kill, 1);
    cr_assert(view_fixture_run(&v), "%s", v.error.text);
    cr_expect_str_eq(
        caption(&v, 2, RV_DONE, 4),
        "Scatter-reduce, iteration 3 of 4: GPU 4 sends chunk 2 to GPU 0, which adds it; GPU 4 waits in "
        "step 2 for GPU 3, which died before step 2");
    cr_expect_str_eq(caption(&v, 2, RV_DONE, 3),
                     "Scatter-reduce, iteration 3 of 4: GPU 3 died before step 2");
    cr_expect_str_eq(caption(&v, 8, RV_DONE, 0),
                     "The run does not complete: GPU 0 waits in step 3 for GPU 4; GPU 4 waits in "
                     "step 2 for GPU 3, which died before step 2");
    cr_expect_str_eq(caption(&v, 8, RV_DONE, 3),
                     "The run does not complete: GPU 3 died before step 2; GPU 0 waits in step 3 "
                     "for GPU 4; GPU 4 waits in step 2 for GPU 3, which died before step 2");
    cr_expect_str_eq(trouble(&v, -1), "With faults: GPU 3 dies before step 2");
    cr_expect_str_eq(trouble(&v, 1), "");
    cr_expect_str_eq(trouble(&v, 2), "Here it goes wrong: GPU 3 has died");
    cr_expect_str_eq(trouble(&v, 8), "");
}

Test(caption, tells_a_long_chain_short_down_to_the_cause) {
    const rs_fault kill = {.kind = RS_KILL, .rank = 3, .step = 0};
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 12);
    view_fixture_faults(&v, &kill, 1);
    cr_assert(view_fixture_run(&v), "%s", v.error.text);
    cr_expect_str_eq(caption(&v, v.model->n_steps, RV_DONE, 9),
                     "The run does not complete: GPU 9 waits in step 5 for GPU 8; so it goes on "
                     "through 4 more; GPU 4 waits in step 0 for GPU 3, which never joined");
}

Test(caption, ends_every_chain_at_a_dead_gpu) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (int32_t n = 2; n <= 9; n++) {
            for (int32_t step = 0; step < 4; step++) {
                const rs_fault kill = {.kind = RS_KILL, .rank = n / 2, .step = step};
                OWN_VIEW v = {0};
                view_fixture_prepare(&v, rs_algorithms[i]->name, n);
                view_fixture_faults(&v, &kill, step < v.schedule.n_steps);
                cr_assert(view_fixture_run(&v), "%s", v.error.text);
                const rs_outcome *outcome = &v.report.outcome;
                for (int32_t s = 0; s < outcome->n_stalled; s++) {
                    char text[512], cause[64];
                    rv_stall_text(outcome, outcome->stalled[s].rank, text, sizeof text);
                    snprintf(cause, sizeof cause, "for GPU %d, which ", (int)(n / 2));
                    cr_expect(strstr(text, cause) != NULL, "%s", text);
                }
            }
        }
    }
}

Test(caption, says_who_is_held_up_by_whom_where_a_run_goes_on) {
    const rs_fault slow = {.kind = RS_SLOW_LINK, .rank = 1, .factor_num = 10, .factor_den = 1};
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 5);
    view_fixture_faults(&v, &slow, 1);
    cr_assert(view_fixture_run(&v));
    cr_expect_str_eq(caption(&v, 1, RV_SEND, 0), "Scatter-reduce, iteration 2 of 4: GPU 0 sends "
                                                 "chunk 4 to GPU 1; GPU 0 waits 9.05 ms for GPU 1");
    cr_expect_str_eq(caption(&v, 1, RV_DONE, 3),
                     "Scatter-reduce, iteration 2 of 4: GPU 3 sends chunk 2 to GPU 4, which adds "
                     "it; GPU 3 has waited 9.05 ms for GPU 2");
    cr_expect_str_eq(caption(&v, 1, RV_DONE, 2),
                     "Scatter-reduce, iteration 2 of 4: GPU 2 sends chunk 1 to GPU 3, which adds "
                     "it; GPU 1's links are 10 times slower");
}

Test(caption, waits_for_an_uneven_chunk_are_not_worth_a_word) {
    const rs_fault late = {.kind = RS_LATE, .rank = 100, .time_ps = 3000000000};
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 1024);
    v.request.values = RS_VALUES_NONE;
    view_fixture_faults(&v, &late, 1);
    v.request.trace_limit = 1 << 22;
    cr_assert(view_fixture_run(&v));
    cr_assert_eq(rv_model_seek(v.model, 300, RV_DONE, &v.error), RS_OK);
    cr_expect_eq(rv_wait_in_step(v.model, 0).time_ps, 200);
    cr_expect_str_eq(caption(&v, 300, RV_DONE, 0), "Scatter-reduce, iteration 301 of 1023: GPU 0 "
                                                   "sends chunk 724 to GPU 1, which adds it");
}

static int64_t most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* The waiting of every step, from the ring's recurrence: t[s+1][r] = max(max(t[r], t[r+1]) + c[r],
   max(t[r-1], t[r]) + c[r-1]), whoever is burdened entering its step later. */
Test(caption, waits_are_those_of_the_recurrence) {
    enum { N = 5, LATE_PS = 2000000000, MORE_PS = 300000000, C_PS = 1005000000 };
    const rs_fault faults[] = {{.kind = RS_SLOW_LINK, .rank = 1, .factor_num = 3, .factor_den = 1},
                               {.kind = RS_LATE, .rank = 3, .time_ps = LATE_PS},
                               {.kind = RS_STRAGGLER, .rank = 4, .time_ps = MORE_PS}};
    int64_t t[N] = {0, 0, 0, LATE_PS, MORE_PS}, next[N],
            c[N] = {C_PS, 3LL * C_PS, C_PS, C_PS, C_PS};
    int n_waits = 0;
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", N);
    view_fixture_faults(&v, faults, 3);
    cr_assert(view_fixture_run(&v));
    for (int32_t s = 0; s < v.model->n_steps; s++) {
        cr_assert_eq(rv_model_seek(v.model, s, RV_SEND, &v.error), RS_OK);
        for (int32_t r = 0; r < N; r++) {
            const int32_t on = (r + 1) % N, back = (r + N - 1) % N;
            const int64_t wanted_ps = most(most(t[on], t[back]) - t[r], 0);
            const rv_wait wait = rv_wait_in_step(v.model, r);
            cr_expect_eq(wait.time_ps, wanted_ps, "step %d, GPU %d: %lld", s, r,
                         (long long)wait.time_ps);
            cr_expect(wanted_ps == 0 ? wait.peer < 0 : t[wait.peer] == t[r] + wanted_ps);
            n_waits += wanted_ps > 0;
            next[r] = most(most(t[r], t[on]) + c[r], most(t[back], t[r]) + c[back]);
        }
        memcpy(t, next, sizeof t);
        t[4] += MORE_PS;
    }
    cr_expect_geq(n_waits, 10);
}

/* Nobody followed the values: then it is said, wherever the flip stands among the faults. */
Test(caption, says_of_a_flipped_bit_whether_it_was_followed) {
    static const rs_fault kinds[] = {{.kind = RS_FLIP, .rank = 2, .step = 5},
                                     {.kind = RS_LATE, .rank = 1, .time_ps = 1000},
                                     {.kind = RS_STRAGGLER, .rank = 0, .time_ps = 1000}};
    for (int n = 0; n <= 3; n++) {
        for (int at = 0; at <= n; at++) { /* == n: none is flipped */
            rs_fault faults[4];
            OWN_VIEW v = {0};
            for (int i = 0; i < n; i++) faults[i] = kinds[i == at ? 0 : 1 + i % 2];
            view_fixture_prepare(&v, "ring", 5);
            view_fixture_faults(&v, faults, n);
            v.request.values = RS_VALUES_NONE;
            cr_assert(view_fixture_run(&v), "%s", v.error.text);
            const bool says = strstr(caption(&v, 8, RV_DONE, 0), "flipped bit") != NULL;
            cr_expect_eq(says, at < n, "%d faults, the flip is %d: %s", n, at,
                         caption(&v, 8, RV_DONE, 0));
        }
    }
}

Test(caption, names_who_ends_wrong_after_a_flipped_bit) {
    const rs_fault flip = {.kind = RS_FLIP, .rank = 2, .step = 5};
    OWN_VIEW v = {0};
    view_fixture_prepare(&v, "ring", 5);
    view_fixture_faults(&v, &flip, 1);
    cr_assert(view_fixture_run(&v), "%s", v.error.text);
    cr_expect_str_eq(trouble(&v, 5), "Here it goes wrong: a bit flips on its way from GPU 2");
    cr_expect_str_eq(caption(&v, 8, RV_DONE, 0), "Done, but wrong at the end: GPU 0 3 4");
}

Test(caption, says_plainly_when_right_sums_cost_too_many_bytes) {
    OWN_VIEW v = {0};
    view_fixture_start(&v, "doubling", 16);
    cr_expect_str_eq(
        caption(&v, 4, RV_DONE, 0),
        "Done: every GPU holds the same result, each contribution inside exactly once; "
        "but GPU 0 has sent 2.13 times the bytes that it takes");
}

/* Says what is reached where a phase ends; "": nobody stops there. */
static const char *pause_of(const char *algorithm, int32_t n, int32_t step) {
    static char text[256];
    OWN_VIEW v = {0};
    rv_pause pause = {0};
    view_fixture_start(&v, algorithm, n);
    cr_assert_eq(rv_model_seek(v.model, step, RV_BETWEEN, &v.error), RS_OK);
    const bool stops = rv_between_phases(v.model, &pause);
    rv_caption(v.model, 0, text, sizeof text);
    cr_expect_eq(stops, text[0] != '\0');
    cr_expect_eq(strncmp(text, pause.reached, strlen(pause.reached)), 0);
    return text;
}

Test(caption, between_two_phases_says_what_is_reached_and_what_comes) {
    cr_expect_str_eq(
        pause_of("ring", 5, 3),
        "Every GPU owns one finished chunk: each has added up one part, nobody all of them; now they hand them round");
    for (int step = 0; step < 8; step++) {
        if (step != 3) cr_expect_str_eq(pause_of("ring", 5, step), "", "step %d", step);
    }
    cr_expect_str_eq(
        pause_of("bidirectional", 5, 3),
        "Every GPU owns 2 finished chunks: each has added up one part, nobody all of them; now they hand them round");
    cr_expect_str_eq(pause_of("naive", 5, 3), "GPU 0 holds the whole result; now it goes to all");
    cr_expect_str_eq(pause_of("halving", 5, 2),
                     "Every chunk is finished on some GPU; now they hand them round");
    cr_expect_str_eq(pause_of("halving", 5, 4), "", "nothing is added in an all-gather");
    cr_expect_str_eq(pause_of("doubling", 5, 2),
                     "4 of 5 GPUs hold the whole result; now the others get it");
}

Test(caption, nobody_stops_between_the_phases_of_a_run_that_stalls_before) {
    const rs_fault kill = {.kind = RS_KILL, .rank = 3, .step = 2};
    OWN_VIEW v = {0};
    rv_pause pause;
    view_fixture_prepare(&v, "ring", 5);
    view_fixture_faults(&v, &kill, 1);
    cr_assert(view_fixture_run(&v), "%s", v.error.text);
    cr_assert_eq(rv_model_seek(v.model, 3, RV_DONE, &v.error), RS_OK);
    cr_expect_not(rv_between_phases(v.model, &pause));
}

Test(caption, the_end_says_what_was_gained) {
    OWN_VIEW v = {0};
    char text[256];
    view_fixture_start(&v, "ring", 5);
    cr_assert_eq(rv_model_seek(v.model, 7, RV_DONE, &v.error), RS_OK);
    cr_expect_eq(rv_gain_text(v.model, text, sizeof text), 0, "not before the end");
    cr_assert_eq(rv_model_seek(v.model, 8, RV_DONE, &v.error), RS_OK);
    char own[32], rival[32], time[32], wanted[256];
    rv_format_time(v.model->rival.time_ps, time, sizeof time);
    rv_format_bytes(v.model->own.most_bytes, own, sizeof own);
    rv_format_bytes(v.model->rival.most_bytes, rival, sizeof rival);
    snprintf(
        wanted, sizeof wanted,
        "8 steps, %s sent by each GPU; one reducer: GPU 0 would receive %s and then send %s: %s",
        own, rival, rival, time);
    rv_gain_text(v.model, text, sizeof text);
    cr_expect_str_eq(text, wanted);
}

Test(caption, puts_a_verdict_into_words) {
    OWN_VIEW v = {0};
    view_fixture_prepare_text(&v,
                              "ringsim-schedule 1\nranks 2\nchunks 1\nstep\n0 -> 1 chunk 0 reduce\n"
                              "step\n0 -> 1 chunk 0 reduce\n");
    cr_assert(view_fixture_run(&v), "%s", v.error.text);
    cr_expect_str_eq(caption(&v, 1, RV_DONE, 0),
                     "Step 1 of 0..1: GPU 0 sends the whole array to GPU 1, which adds it");
    cr_expect_str_eq(
        caption(&v, 2, RV_DONE, 0),
        "Not an all-reduce. Step 1: GPU 1 adds GPU 0's contribution to chunk 0 a second time. "
        "Wrong at the end: GPU 0 1");
    cr_expect_str_eq(trouble(&v, 0), "");
    cr_expect_str_eq(trouble(&v, 1), "Here it goes wrong: GPU 1 adds GPU 0's contribution to "
                                     "chunk 0 a second time");
}

/* Whatever the algorithm, size, moment and language: a sentence, whole and in valid UTF-8. */
static void expect_sentences(const char *algorithm, int32_t n) {
    OWN_VIEW v = {0};
    view_fixture_start(&v, algorithm, n);
    for (int32_t step = -1; step <= v.model->n_steps; step++) {
        for (int moment = RV_SEND; moment <= RV_DONE; moment++) {
            for (int32_t rank = 0; rank < n; rank++) {
                const char *text = caption(&v, step, (rv_moment)moment, rank);
                cr_assert(strlen(text) > 10 && strlen(text) < 400 && strchr(text, '%') == NULL,
                          "%s N=%d step %d: %s", algorithm, (int)n, (int)step, text);
            }
        }
    }
}

Test(caption, there_is_one_for_every_moment) {
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        for (int32_t n = 1; n <= 9; n++) expect_sentences(rs_algorithms[i]->name, n);
    }
    if (!view_fixture_chinese())
        cr_skip_test("no Chinese catalogue was built (gettext is missing)");
    for (int32_t n = 2; n <= 5; n++) expect_sentences("ring", n);
}

Test(caption, is_cut_at_a_whole_character_where_there_is_no_room) {
    if (!view_fixture_chinese())
        cr_skip_test("no Chinese catalogue was built (gettext is missing)");
    OWN_VIEW v = {0};
    view_fixture_start(&v, "ring", 5);
    rv_model_seek(v.model, 1, RV_DONE, &v.error);
    for (size_t n = 1; n < 120; n++) {
        char text[120];
        const size_t used = rv_caption(v.model, 3, text, n);
        cr_expect(used < n && text[used] == '\0');
        const bool part = used > 0 && (text[used - 1] & 0xc0) == 0xc0;
        cr_expect(!part, "%zu bytes end within a character", n);
    }
}
