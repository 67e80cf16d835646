/* test_hang_slow.c: a rank that comes late to each call is named; one that others wait for elsewhere, that is ahead, or
 * that nobody waits for is not; whatever the clocks say.
 */
#include "ringsim_hang.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 4, CALLS = 60, MS = 1000000 };

static rs_arena keep;
static rs_error error;
static rs_dump dumps[RANKS];
static const char *const words[] = {"", "0", "default_pg", "all_reduce", "barrier", "train.py:7"};

static void start(void) {
    rs_arena_init(&keep, NULL);
    memset(dumps, 0, sizeof dumps);
    for (int32_t r = 0; r < RANKS; r++) {
        rs_dump *d = &dumps[r];
        *d = (rs_dump){.rank = r, .whole = true, .n_groups = 1, .words = rs_alloc(&keep, 8, 8)};
        memcpy(d->words, words, sizeof words);
        d->n_words = sizeof words / sizeof *words;
        d->groups = rs_alloc(&keep, 1, sizeof *d->groups);
        d->calls = rs_alloc(&keep, CALLS, sizeof *d->calls);
        int32_t *ranks = rs_alloc(&keep, RANKS, sizeof *ranks);
        for (int32_t i = 0; i < RANKS; i++) ranks[i] = i;
        d->groups[0] = (rs_call_group){1, 2, RANKS, -1, ranks, -1};
    }
}
static void stop(void) {
    rs_arena_free(&keep);
}
TestSuite(hang_slow, .init = start, .fini = stop);

/* Adds a call of all, which all leave together, `takes` after the last came. came: by one clock; clocks are seconds
   apart. */
static int64_t call_of_all(const int64_t came[RANKS], uint32_t name) {
    int64_t end = 0;
    for (int32_t r = 0; r < RANKS; r++) end = came[r] > end ? came[r] : end;
    end += MS / 10;
    for (int32_t r = 0; r < RANKS; r++) {
        rs_dump *d = &dumps[r];
        const int64_t clock = (int64_t)(r * 7 % 3) * 3000 * MS + 1;
        d->calls[d->n_calls] = (rs_call){.created_ns = came[r] + clock,
                                         .completed_ns = end + clock,
                                         .seq = d->n_calls + 1,
                                         .name = name,
                                         .where = 5,
                                         .n_in = 8,
                                         .n_out = 8,
                                         .peer = -1,
                                         .root = -1,
                                         .op = -1,
                                         .state = RS_CALL_COMPLETED};
        d->n_calls++;
    }
    return end;
}

/* Work between two calls: uneven, but of no rank longer than of the others. */
static int64_t work(int i, int r) {
    return (10 + i % 3 * 5 + (i * 5 + r * 3) % 4) * MS;
}

static rs_hang judge(int32_t n) {
    rs_hang hang;
    cr_assert_eq(rs_judge_hang(dumps, n, NULL, &keep, &error, &hang), RS_OK, "%s", error.text);
    return hang;
}

/* late: what the rank works more before each call. */
static void run(int32_t rank, int64_t late) {
    int64_t came[RANKS], end = 1000 * MS;
    for (int i = 0; i < CALLS; i++) {
        for (int r = 0; r < RANKS; r++) came[r] = end + work(i, r);
        if (rank >= 0) came[rank] += late + i % 4 * late / 2;
        end = call_of_all(came, i % 5 == 4 ? 4 : 3);
    }
}

Test(hang_slow, names_who_comes_late_to_each_call) {
    for (int32_t rank = 0; rank < RANKS; rank++) {
        for (int32_t r = 0; r < RANKS; r++) dumps[r].n_calls = 0;
        stop();
        start();
        run(rank, 20 * MS);
        const rs_hang hang = judge(RANKS);
        cr_assert_eq(hang.verdict, RS_HANG_SLOW, "rank %d: %s", (int)rank,
                     rs_hang_name(hang.verdict));
        cr_assert_eq(hang.n_culprits, 1);
        cr_expect_eq(hang.culprits[0].rank, rank);
        cr_expect_eq(hang.n_agree, CALLS);
        cr_expect_eq(hang.n_of, CALLS);
        cr_expect(hang.late_ns > 30 * MS && hang.late_ns < 40 * MS, "%d ns", (int)hang.late_ns);
        cr_expect_eq(hang.n_waits, 0);
    }
}

Test(hang_slow, says_nothing_where_all_are_alike) {
    run(-1, 0);
    cr_expect_eq(judge(RANKS).verdict, RS_HANG_NONE);
}

Test(hang_slow, says_nothing_of_little) {
    run(2, MS / 2);
    cr_expect_eq(judge(RANKS).verdict, RS_HANG_NONE);
}

Test(hang_slow, says_nothing_where_a_dump_is_missing) {
    run(1, 20 * MS);
    cr_expect_eq(judge(RANKS - 1).verdict, RS_HANG_NONE);
}

/* Rank 3 is behind by as much all the time, but the others go on as if it were not. */
Test(hang_slow, says_nothing_of_ranks_that_are_only_ahead) {
    int64_t came[RANKS], now = 1000 * MS;
    for (int i = 0; i < CALLS; i++) {
        now += work(i, 0);
        for (int r = 0; r < RANKS; r++) came[r] = now + r * MS / 10;
        came[3] += 6 * MS;
        call_of_all(came, 3);
    }
    cr_expect_eq(judge(RANKS).verdict, RS_HANG_NONE);
}

/* Where all work longer, those that are ahead drift further apart: still nobody waits. */
Test(hang_slow, says_nothing_of_ranks_that_drift_apart) {
    int64_t came[RANKS], now = 1000 * MS, behind = 12 * MS;
    for (int i = 0; i < CALLS; i++) {
        const bool later = i >= CALLS / 2;
        now += (later ? 90 : 30) * MS + (i * 5 % 7) * MS / 3;
        behind += (later ? 4 : 1) * ((i * i % 11) * MS / 10 - MS / 3);
        for (int r = 0; r < RANKS; r++) came[r] = now + r * MS / 10;
        came[3] += behind;
        call_of_all(came, 3);
    }
    const rs_hang hang = judge(RANKS);
    cr_expect_eq(hang.verdict, RS_HANG_NONE, "%s", rs_hang_name(hang.verdict));
}

/* Each wanders by itself, and the last is far behind them: how long one waits and when it comes next are two things, also
   where so few calls make them look like one. */
Test(hang_slow, says_nothing_of_ranks_that_wander) {
    for (uint64_t seed = 1; seed <= 400; seed++) {
        int64_t came[RANKS], at[RANKS] = {0};
        uint64_t state = seed;
        stop();
        start();
        for (int i = 0; i < 26; i++) {
            for (int r = 0; r < RANKS; r++) {
                state = state * 6364136223846793005 + 1442695040888963407;
                at[r] += (int64_t)(state >> 33) % (2 * MS) - MS;
                came[r] = (1000 + 60 * i) * (int64_t)MS + at[r] + (r == RANKS - 1) * 20 * MS;
            }
            call_of_all(came, 3);
        }
        cr_assert_eq(judge(RANKS).verdict, RS_HANG_NONE, "seed %d", (int)seed);
    }
}

/* What a pipeline's stage waits for makes it late: it is not slow. */
Test(hang_slow, says_nothing_of_a_rank_that_waited_elsewhere) {
    int64_t came[RANKS], end = 1000 * MS;
    enum { N = CALLS / 2 };
    for (int i = 0; i < N; i++) {
        for (int r = 0; r < RANKS; r++) came[r] = end + work(i, r);
        came[2] += 20 * MS + i % 4 * 10 * MS;
        const int64_t clock = (int64_t)(2 * 7 % 3) * 3000 * MS + 1;
        rs_dump *d = &dumps[2];
        d->calls[d->n_calls++] = (rs_call){.created_ns = end + MS + clock,
                                           .completed_ns = came[2] - 2 * MS + clock,
                                           .seq = i + 1,
                                           .name = 3,
                                           .peer = 0,
                                           .root = -1,
                                           .op = -1,
                                           .state = RS_CALL_COMPLETED};
        end = call_of_all(came, 3);
        d->calls[d->n_calls - 1].seq = i + 1;
    }
    const rs_hang hang = judge(RANKS);
    cr_expect_eq(hang.verdict, RS_HANG_NONE, "%s", rs_hang_name(hang.verdict));
}

/* Times that cannot be: nothing is said, and nothing overflows. */
Test(hang_slow, bears_any_time) {
    run(1, 20 * MS);
    for (int i = 0; i < CALLS; i++) {
        dumps[1].calls[i].created_ns = i % 2 == 0 ? 0 : INT64_MAX / 4 - 1;
        dumps[2].calls[i].completed_ns = i % 2 == 0 ? 1 : INT64_MAX / 4 - 1;
        dumps[0].calls[i].lasted_ns = i % 3 == 0 ? 1000000000000000000 : 1;
    }
    cr_expect_eq(judge(RANKS).verdict, RS_HANG_NONE);
}
