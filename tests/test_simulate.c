/* The engines' times, exactly: closed forms, and the two recurrences of the ring. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "ringsim.h"

static rs_arena arena;
static rs_error error;

static void open_arena(void) {
    rs_arena_init(&arena, NULL);
}

static void close_arena(void) {
    rs_arena_free(&arena);
}

TestSuite(simulate, .init = open_arena, .fini = close_arena);

static rs_schedule make(const char *algorithm, int32_t n_ranks, int64_t count) {
    rs_schedule schedule;
    const rs_status status = rs_schedule_make(rs_find_algorithm(algorithm), RS_ORDER_SEED, n_ranks,
                                              count, &error, &schedule);
    cr_assert_eq(status, RS_OK, "%s", error.text);
    return schedule;
}

static rs_job job_of(const rs_schedule *schedule, int64_t count, int32_t elem_bytes) {
    return (rs_job){
        .schedule = schedule,
        .count = count,
        .elem_bytes = elem_bytes,
        .net = {.link = {5000000, 20000000000}},
    };
}

static rs_outcome run(const rs_job *job) {
    rs_outcome outcome;
    const rs_status status = rs_simulate(job, RS_ENGINE_EVENTS, NULL, &arena, &error, &outcome);
    cr_assert_eq(status, RS_OK, "%s", error.text);
    return outcome;
}

Test(simulate, the_first_picture_shows_why_the_ring_exists) {
    const int64_t count = 25000000; /* 100 MB of i32 */
    const rs_schedule ring = make("ring", 5, count), naive = make("naive", 5, count);
    const rs_job ring_job = job_of(&ring, count, 4), naive_job = job_of(&naive, count, 4);
    cr_expect_eq(run(&ring_job).makespan_ps, 8040000000);
    cr_expect_eq(run(&naive_job).makespan_ps, 40040000000);
}

/* What one algorithm should take, written down here a second time, from the theory. */
static int64_t expected_ps(const char *name, int64_t n, int64_t count, int64_t elem_bytes,
                           const rs_net *net) {
    int64_t log = 0, up = 0;
    while (2LL << log <= n) log++;
    while (1LL << up < n) up++;
    const int64_t p = (int64_t)1 << log, extra = n > p;
    const int64_t largest = (count + n - 1) / n;
#define MESSAGE(elements)                                                                          \
    (net->link.alpha_ps + rs_wire_ps((elements)*elem_bytes, net->link.bandwidth_Bps, 1, 1))
#define ADDITION(elements)                                                                         \
    (net->reduce_Bps == 0 ? 0 : rs_wire_ps((elements)*elem_bytes, net->reduce_Bps, 1, 1))
    if (strcmp(name, "ring") == 0) {
        return 2 * (n - 1) * MESSAGE(largest) + (n - 1) * ADDITION(largest);
    }
    if (strcmp(name, "naive") == 0) {
        return 2 * (n - 1) * MESSAGE(count) + (n - 1) * ADDITION(count);
    }
    if (strcmp(name, "tree") == 0) return up * (2 * MESSAGE(count) + ADDITION(count));
    const int64_t fold = extra * (2 * MESSAGE(count) + ADDITION(count));
    if (strcmp(name, "doubling") == 0) return log * (MESSAGE(count) + ADDITION(count)) + fold;
    int64_t halving = fold;
    for (int64_t k = 0; k < log; k++) {
        const int64_t chunks = (int64_t)1 << k;
        const int64_t larger = count % p < chunks ? count % p : chunks;
        const int64_t elements = chunks * (count / p) + larger;
        halving += 2 * MESSAGE(elements) + ADDITION(elements);
    }
    return halving;
#undef MESSAGE
#undef ADDITION
}

static void expect_closed_form(const rs_algorithm *algorithm, int32_t n, int64_t count,
                               int32_t elem_bytes, uint64_t reduce_Bps) {
    const rs_schedule schedule = make(algorithm->name, n, count);
    rs_job job = job_of(&schedule, count, elem_bytes);
    job.net.link = (rs_link){1234567, 7000000001};
    job.net.reduce_Bps = reduce_Bps;
    const rs_outcome outcome = run(&job);
    cr_assert(outcome.completed);
    const int64_t expected =
        n == 1 || count == 0 ? 0 : expected_ps(algorithm->name, n, count, elem_bytes, &job.net);
    cr_assert_eq(outcome.makespan_ps, expected, "%s N=%d K=%d x %d: %lld, expected %lld",
                 algorithm->name, (int)n, (int)count, (int)elem_bytes,
                 (long long)outcome.makespan_ps, (long long)expected);
    cr_assert_eq(rs_closed_form_ps(&job), expected);
    cr_assert_eq(outcome.n_transfers, schedule.n_transfers);
    int64_t last = 0;
    for (int32_t r = 0; r < n; r++) {
        cr_assert_eq(outcome.bytes_sent[r], rs_elements_sent(&schedule, count, r) * elem_bytes);
        cr_assert_eq(outcome.entered[r], schedule.n_steps);
        if (outcome.finish_ps[r] > last) last = outcome.finish_ps[r];
    }
    cr_assert_eq(last, expected);
}

Test(simulate, closed_forms_hold_to_the_picosecond) {
    const int32_t sizes[] = {1, 2, 4, 8};
    for (int a = 0; rs_algorithms[a] != NULL; a++) {
        for (int32_t n = 1; n <= 64; n++) {
            const int64_t counts[] = {0, 1, n - 1, n, n + 1, 1000};
            for (int i = 0; i < 6 * 4; i++) {
                const uint64_t reduce_Bps = i % 2 == 0 ? 0 : 3000000007;
                expect_closed_form(rs_algorithms[a], n, counts[i / 4], sizes[i % 4], reduce_Bps);
                rs_arena_free(&arena);
            }
        }
    }
}
