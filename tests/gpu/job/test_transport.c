/* test_transport.c: a job of one rank over a transport of this file, of which each call fails in turn, or the caller cancels: the
 * run ends there, nothing more is called, and what happened is told.
 */
#include <criterion/criterion.h>

#ifdef SANITIZED
#include <sanitizer/lsan_interface.h>
#endif
#include <stdio.h>
#include <string.h>

#include "ranks/communicator.h"
#include "support/backend_fixture.h"
#include "support/naive_apply.h"

enum { COUNT = 100, NEVER = 1 << 20 };

typedef struct told {
    int fails_at, n_calls; /* of all kinds */
    int n_runs, n_lined_up, n_copies, n_fetched, n_asked, n_prepared, n_released, n_collected;
    int stops_at, n_looks;    /* of the caller, who may cancel */
    bool waits, late, breaks; /* a run that does not end, and why */
    int step, n_peers;
} told;
static told t;

/* Counts a call; false: it is the one that fails. */
static bool goes(rg_ranks *ranks, int *count) {
    (*count)++;
    if (t.n_calls++ != t.fails_at) return true;
    return rg_ranks_trouble(ranks, "call %d broke", t.fails_at);
}

static bool collect(rg_ranks *ranks, const void *own, void *all, size_t n) {
    memcpy(all, own, n);
    return goes(ranks, &t.n_collected);
}
static bool line_up(rg_ranks *ranks, int64_t *start_ps) {
    *start_ps = rg_now_ps();
    return goes(ranks, &t.n_lined_up);
}
static rs_status prepare(rg_ranks *ranks, rg_rank_job *work, rs_arena *arena, rs_error *error) {
    (void)ranks, (void)work, (void)arena, (void)error;
    t.n_prepared++;
    return RS_OK;
}
static void release(rg_ranks *ranks, rg_rank_job *work) {
    (void)ranks, (void)work;
    t.n_released++;
}
static bool copy(rg_ranks *ranks, rg_rank_job *work, rg_range range) {
    memcpy((char *)work->target.data + 4 * range.first,
           (const char *)work->source.data + 4 * range.first, 4 * (size_t)range.n);
    return goes(ranks, &t.n_copies);
}
static bool run(rg_ranks *ranks, rg_rank_job *work) {
    (void)work;
    if (!t.waits) return goes(ranks, &t.n_runs);
    ranks->step = t.step;
    for (int i = 0; i < t.n_peers; i++) ranks->waits_for[ranks->n_waits_for++] = 3 * i;
    rg_ranks_is_open(ranks, true, 2);
    rg_ranks_is_open(ranks, false, 70);
    if (t.late) ranks->deadline_ps = 0;
    return t.breaks && rg_ranks_trouble(ranks, "it broke");
}
static bool fetch(rg_ranks *ranks, rg_rank_job *work) {
    (void)work;
    return goes(ranks, &t.n_fetched);
}
static bool takes(const rg_job *job, char note[RG_NOTE]) {
    (void)job, (void)note;
    return true;
}

static bool ask_oracle(rg_ranks *ranks, rg_rank_job *work, int64_t times[]) {
    for (int i = 0; i < work->job->times; i++) times[i] = 1000 + i;
    memcpy(work->oracle.data, work->target.data, 4 * COUNT);
    return goes(ranks, &t.n_asked);
}

static bool look(void *context, const char *what, int64_t done, int64_t total) {
    (void)context, (void)what, (void)done, (void)total;
    return t.n_looks++ != t.stops_at;
}

/* A run that fails keeps its memory until the process ends: others may still write there. */
static void leaks_are_meant(bool begins) {
#ifdef SANITIZED
    if (begins) __lsan_disable();
    if (!begins) __lsan_enable();
#endif
    (void)begins;
}

/* Runs the job, of which the call, or the look, of that number ends it. */
static rs_status run_once(int fails_at, int stops_at, const rg_job *job, rs_error *error,
                          rg_result *result) {
    const rg_transport transport = {collect, line_up, prepare,    release, copy, run,
                                    fetch,   takes,   ask_oracle, NULL,    false};
    const rs_host host = {.progress = look};
    rg_ranks ranks = {.group = {.n_ranks = 1, .host = &host},
                      .transport = &transport,
                      .timeout_ms = 60000,
                      .step = -1};
    rs_arena arena;
    static uint32_t crc32[1];
    static bool wrong[1];
    t = (told){.fails_at = fails_at, .stops_at = stops_at};
    *result = (rg_result){.completed = true, .crc32 = crc32, .wrong = wrong};
    rs_arena_init(&arena, &host);
    leaks_are_meant(true);
    const rs_status status = rg_ranks_run(&ranks.group, job, &arena, error, result);
    leaks_are_meant(false);
    result->stuck = NULL;
    rs_arena_free(&arena);
    return status;
}

Test(transport, a_call_that_fails_is_the_last) {
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 1, COUNT);
    for (int in_place = 0; in_place < 2; in_place++) {
        rg_job job = backend_fixture_job(&s, RS_F32, RS_SUM, COUNT);
        rs_error error = {.text = ""};
        rg_result result;
        job.warmup = 2;
        job.times = 3;
        job.check_every = true;
        job.in_place = in_place;
        cr_assert_eq(run_once(NEVER, NEVER, &job, &error, &result), RS_OK, "%s", error.text);
        cr_assert(result.completed && result.n_wrong == 0 && result.has_oracle, "%s",
                  result.failure);
        cr_assert(result.oracle_differs == 0 && result.oracle_time_ps == 1001);
        const told all = t;
        cr_expect(all.n_prepared == 1 && all.n_released == 1 && all.n_asked == 1);
        cr_expect(all.n_runs == 5 && all.n_lined_up == 5 && all.n_fetched == 3);
        cr_expect_eq(all.n_copies, 5);
        for (int i = 0; i < all.n_calls; i++) {
            char wanted[80];
            cr_assert_eq(run_once(i, NEVER, &job, &error, &result), RS_OK);
            snprintf(wanted, sizeof wanted, "rank 0: call %d broke", i);
            cr_expect(!result.completed, "call %d", i);
            cr_expect_str_eq(result.failure, wanted);
            cr_expect_eq(t.n_calls, i + 1, "%d calls behind call %d", t.n_calls - i - 1, i);
            cr_expect(t.n_released == 0, "messages may still arrive");
        }
        for (int i = 0; i < all.n_looks; i++) {
            const rs_status status = run_once(NEVER, i, &job, &error, &result);
            cr_expect_eq(status, RS_CANCELLED, "look %d of %d: %d", i, all.n_looks, (int)status);
            cr_expect_eq(t.n_looks, i + 1, "look %d", i);
        }
    }
}

/* Of troubles the first is kept, even a short one; of those whom a rank waits for the first eight, each once. */
Test(transport, what_came_first_is_told) {
    rg_ranks ranks = {.group.n_ranks = 10};
    cr_expect_not(rg_ranks_trouble(&ranks, "%s", "x"));
    cr_expect_not(rg_ranks_trouble(&ranks, "%s", "later"));
    cr_expect_str_eq(ranks.trouble, "x");
    for (int32_t i = 0; i < 40; i++) {
        rg_ranks_waits_for(&ranks, i * 7 % 10);
        const int n = i + 1 < RG_MOST_WAITS ? i + 1 : RG_MOST_WAITS;
        cr_assert_eq(ranks.n_waits_for, n);
        for (int32_t k = 0; k < n; k++) cr_assert_eq(ranks.waits_for[k], k * 7 % 10);
    }
}

/* A run that does not end: what failed or how long was waited, in which step, and for whom. */
Test(transport, a_run_that_waits_says_for_whom) {
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, 1, COUNT);
    const rg_transport transport = {collect, line_up, prepare,    release, copy, run,
                                    fetch,   takes,   ask_oracle, NULL,    false};
    rg_job job = backend_fixture_job(&s, RS_F32, RS_SUM, COUNT);
    job.timeout_ms = 7500;
    job.warmup = 2;
    for (int trial = 0; trial < 2 * 2 * 3 * 4; trial++) {
        char wanted[200], *end = wanted;
        rg_ranks ranks = {.group.n_ranks = 1, .transport = &transport, .rank = 0};
        rg_result result = {.completed = true};
        rs_error error = {.text = ""};
        rs_arena arena;
        t = (told){.fails_at = NEVER, .waits = true, .late = trial & 1, .breaks = trial & 2};
        t.step = trial / 4 % 3 * 7 - 1;
        t.n_peers = trial / 12;
        end += sprintf(end, "%s",
                       t.breaks ? "rank 0: it broke"
                       : t.late ? "no answer within 7.5 s: rank 0 waits"
                                : "another rank failed: rank 0 waits");
        if (t.step < 0 && !t.breaks) end += sprintf(end, " for the others");
        if (t.step >= 0) end += sprintf(end, t.breaks ? ", in step %d" : " in step %d", t.step);
        for (int i = 0; i < t.n_peers && t.step >= 0; i++) {
            if (i == 0) end += sprintf(end, t.breaks ? " with rank" : " for rank");
            end += sprintf(end, i == 0 ? " %d" : ", %d", 3 * i);
        }
        rs_arena_init(&arena, NULL);
        leaks_are_meant(true);
        cr_assert_eq(rg_ranks_run(&ranks.group, &job, &arena, &error, &result), RS_OK);
        leaks_are_meant(false);
        cr_expect(!result.completed && t.n_released == 0);
        cr_expect_str_eq(result.failure, wanted);
        cr_assert_eq(result.n_stuck, 1);
        cr_expect(result.stuck[0].rank == 0 && result.stuck[0].n_runs == 0);
        cr_expect(result.stuck[0].step == t.step && result.stuck[0].open_sends == 4);
        cr_expect_eq(result.stuck[0].open_recvs, (uint64_t)1 << 63);
        rs_arena_free(&arena);
    }
}
