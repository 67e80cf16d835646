/* test_hang_slow.c: a rank that comes late to each call is named; one that others wait for elsewhere, that is ahead, or
 * that nobody waits for is not; whatever the clocks say.
 */
#include "hangs/plain_slow.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = PLAIN_SLOW_RANKS, CALLS = 60, ROOM = PLAIN_SLOW_CALLS, MS = 1000000 };

static rs_arena keep;
static rs_error error;
static rn_dump dumps[RANKS];
static const char *const words[] = {"", "0", "default_pg", "all_reduce", "barrier", "train.py:7"};

static void start(void) {
    rs_arena_init(&keep, NULL);
    memset(dumps, 0, sizeof dumps);
    for (int32_t r = 0; r < RANKS; r++) {
        rn_dump *d = &dumps[r];
        *d = (rn_dump){.rank = r, .whole = true, .n_groups = 1, .words = rs_alloc(&keep, 8, 8)};
        memcpy(d->words, words, sizeof words);
        d->n_words = sizeof words / sizeof *words;
        d->groups = rs_alloc(&keep, 1, sizeof *d->groups);
        d->calls = rs_alloc(&keep, ROOM, sizeof *d->calls);
        int32_t *ranks = rs_alloc(&keep, RANKS, sizeof *ranks);
        for (int32_t i = 0; i < RANKS; i++) ranks[i] = i;
        d->groups[0] = (rn_call_group){1, 2, RANKS, -1, ranks, -1, 0, 0, false, 0};
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
        rn_dump *d = &dumps[r];
        const int64_t clock = (int64_t)(r * 7 % 3) * 3000 * MS + 1;
        d->calls[d->n_calls] = (rn_call){.created_ns = came[r] + clock,
                                         .completed_ns = end + clock,
                                         .seq = d->n_calls + 1,
                                         .name = name,
                                         .where = 5,
                                         .n_in = 8,
                                         .n_out = 8,
                                         .peer = -1,
                                         .root = -1,
                                         .op = -1,
                                         .state = RN_CALL_COMPLETED};
        d->n_calls++;
    }
    return end;
}

/* Work between two calls: uneven, but of no rank longer than of the others. */
static int64_t work(int i, int r) {
    return (10 + i % 3 * 5 + (i * 5 + r * 3) % 4) * MS;
}

static rn_hang judge(int32_t n) {
    rn_hang hang;
    cr_assert_eq(rn_judge_hang(dumps, n, NULL, &keep, &error, &hang), RS_OK, "%s", error.text);
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
        const rn_hang hang = judge(RANKS);
        cr_assert_eq(hang.verdict, RN_HANG_SLOW, "rank %d: %s", (int)rank,
                     rn_hang_name(hang.verdict));
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
    cr_expect_eq(judge(RANKS).verdict, RN_HANG_NONE);
}

Test(hang_slow, says_nothing_of_little) {
    run(2, MS / 2);
    cr_expect_eq(judge(RANKS).verdict, RN_HANG_NONE);
}

Test(hang_slow, says_nothing_where_a_dump_is_missing) {
    run(1, 20 * MS);
    cr_expect_eq(judge(RANKS - 1).verdict, RN_HANG_UNDECIDED);
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
    cr_expect_eq(judge(RANKS).verdict, RN_HANG_NONE);
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
    const rn_hang hang = judge(RANKS);
    cr_expect_eq(hang.verdict, RN_HANG_NONE, "%s", rn_hang_name(hang.verdict));
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
        cr_assert_eq(judge(RANKS).verdict, RN_HANG_NONE, "seed %d", (int)seed);
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
        rn_dump *d = &dumps[2];
        d->calls[d->n_calls++] = (rn_call){.created_ns = end + MS + clock,
                                           .completed_ns = came[2] - 2 * MS + clock,
                                           .seq = i + 1,
                                           .name = 3,
                                           .peer = 0,
                                           .root = -1,
                                           .op = -1,
                                           .state = RN_CALL_COMPLETED};
        end = call_of_all(came, 3);
        d->calls[d->n_calls - 1].seq = i + 1;
    }
    const rn_hang hang = judge(RANKS);
    cr_expect_eq(hang.verdict, RN_HANG_NONE, "%s", rn_hang_name(hang.verdict));
}

/* Times that cannot be: nothing is said, and nothing overflows. */
Test(hang_slow, bears_any_time) {
    run(1, 20 * MS);
    for (int i = 0; i < CALLS; i++) {
        dumps[1].calls[i].created_ns = i % 2 == 0 ? 0 : INT64_MAX / 4 - 1;
        dumps[2].calls[i].completed_ns = i % 2 == 0 ? 1 : INT64_MAX / 4 - 1;
        dumps[0].calls[i].lasted_ns = i % 3 == 0 ? 1000000000000000000 : 1;
    }
    cr_expect_eq(judge(RANKS).verdict, RN_HANG_NONE);
}

/* ------------------------------------------------------------------ against a plain account */

static uint64_t state;
static int64_t draw(int64_t below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (int64_t)(state >> 33) % below;
}

static rn_call *add(int32_t r, int64_t created_ns, int64_t completed_ns, int64_t seq) {
    rn_dump *d = &dumps[r];
    const int64_t clock = 5000 * (int64_t)MS + (r * 7 % 3) * (int64_t)3000 * MS;
    rn_call *call = &d->calls[d->n_calls++];
    *call = (rn_call){.created_ns = created_ns + clock,
                      .completed_ns = completed_ns + clock,
                      .seq = seq,
                      .name = 3,
                      .peer = -1,
                      .root = -1,
                      .op = -1,
                      .state = RN_CALL_COMPLETED};
    return call;
}

/* n ranks, of which one comes later by some, for it works longer or waits elsewhere; who goes on before a call is over; what is
   measured on the GPU; who comes at the same time; calls that cannot be compared; ends that are lost. */
static void draw_run(int32_t n, int32_t n_calls) {
    const int64_t late = draw(20) * MS, spread = 1 + draw(8) * MS, noise = 1 + draw(8) * MS;
    const int64_t rank = draw(n), elsewhere = draw(3) == 0 ? 1 + draw(20) * MS : 0;
    const int64_t ahead = draw(4) == 0 ? draw(12) : 0, odd = draw(4) == 0 ? draw(12) : 0;
    const bool timed = draw(2);
    const int64_t grid = draw(3) == 0 ? MS : 1; /* several come at one time */
    int64_t from[RANKS] = {0};
    for (int i = 0; i < n_calls; i++) {
        int64_t came[RANKS], end = 0;
        for (int32_t r = 0; r < n; r++) {
            came[r] = from[r] + 10 * MS + draw(noise) + (r == rank ? late + draw(spread) : 0);
            came[r] = came[r] / grid * grid;
            if (r == rank && elsewhere > 0) {
                add(r, came[r], came[r] + elsewhere, i + 1)->peer = 0;
                came[r] += elsewhere;
            }
            if (came[r] > end) end = came[r];
        }
        for (int32_t r = 0; r < n; r++) {
            const int64_t seen = end + 1 + draw(MS) / grid;
            rn_call *call = add(r, came[r], seen, i + 1);
            if (timed) call->lasted_ns = seen - came[r] - draw(seen - came[r]) / 4;
            from[r] = draw(100) < ahead ? came[r] + 1 : seen;
            if (draw(200) >= odd) continue;
            const int how = (int)draw(5);
            if (how == 0) call->lasted_ns = timed ? 0 : 1;
            if (how == 1) call->created_ns = 0;
            if (how == 2) call->name = 2;
            if (how == 3) call->completed_ns = call->created_ns;
            if (how == 4) call->created_ns -= ((int64_t)1 << 41) + 1;
        }
    }
    for (int32_t r = 0; r < n; r++) {
        const int64_t lost = draw(3) ? 0 : draw(12);
        dumps[r].calls += lost;
        dumps[r].n_calls -= lost + draw(2) * draw(4);
    }
}

/* Where the plain account is not sure by a millionth nothing is compared. */
Test(hang_slow, is_what_a_plain_account_finds) {
    int n_slow = 0, n_not = 0, n_close = 0;
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        rs_heap heap = {.arena = &keep};
        rn_hang_job job;
        rn_slow plain = {0}, list[2] = {{0}};
        int32_t n_found = -1;
        state = seed * 0x9e3779b97f4a7c15;
        stop();
        start();
        const int32_t n = 1 + (int32_t)draw(RANKS);
        for (int32_t r = 0; r < n; r++) dumps[r].groups[0].n_ranks = n;
        draw_run(n, 24 + (int32_t)draw(CALLS - 24));
        const long double sure = plain_slow(dumps, n, &plain);
        cr_assert_eq(rn_gather_job(dumps, n, &heap, &error, &job), RS_OK);
        for (int32_t r = 0; r < n; r++)
            for (int64_t i = 0; i < dumps[r].n_calls; i++) dumps[r].calls[i].group = 0;
        n_found = rn_find_slow(&job, list, 2);
        cr_assert_not(job.pieces->arena->lacked);
        n_close += fabsl(sure) <= 1e-6L;
        if (fabsl(sure) <= 1e-6L) continue;
        cr_assert_eq(n_found, sure > 0, "seed %d: %d, sure by %g", (int)seed, (int)n_found,
                     (double)sure);
        n_slow += sure > 0;
        n_not += sure > -0.5L && sure < 0;
        if (sure <= 0) continue;
        cr_assert(list[0].rank == plain.rank && list[0].call == plain.call);
        cr_assert(list[0].n_last == plain.n_last && list[0].n_of == plain.n_of);
        cr_assert(list[0].late_ns == plain.late_ns && list[0].lost_ns == plain.lost_ns &&
                  list[0].all_ns == plain.all_ns);
    }
    cr_assert(n_slow > 300 && n_not > 300 && n_close < 10, "%d, %d, %d", n_slow, n_not, n_close);
}

/* Pairs of ranks, each with its own that comes late: who costs the others most of their time is named first. */
Test(hang_slow, names_first_who_costs_most) {
    enum { PAIRS = RANKS / 2 };
    for (int64_t first = 8; first <= 40; first += 8) {
        const int64_t late[PAIRS] = {first, 48 - first};
        int32_t pairs[PAIRS][2];
        stop();
        start();
        for (int32_t r = 0; r < RANKS; r++) {
            pairs[r / 2][r % 2] = r;
            dumps[r].groups[0] = (rn_call_group){1, 2, 2, -1, pairs[r / 2], -1, 0, 0, false, 0};
        }
        for (int32_t g = 0; g < PAIRS; g++) {
            for (int64_t i = 0, from = 0; i < CALLS; i++) {
                const int64_t came = from + 10 * MS + i % 3 * MS,
                              last = came + late[g] * MS + i % 4 * MS;
                add(2 * g, came, last + MS, i + 1);
                add(2 * g + 1, last, last + MS, i + 1);
                from = last + MS;
            }
        }
        const rn_hang hang = judge(RANKS);
        cr_assert_eq(hang.verdict, RN_HANG_SLOW, "%s", rn_hang_name(hang.verdict));
        cr_assert_eq(hang.n_culprits, PAIRS);
        const int32_t most = late[0] >= late[1] ? 0 : 1;
        cr_assert_eq(hang.culprits[0].rank, 2 * most + 1, "%d", (int)first);
        cr_assert_eq(hang.culprits[1].rank, 2 * (1 - most) + 1);
        cr_assert(hang.n_agree == CALLS && hang.n_of == CALLS);
        cr_assert_eq(hang.late_ns, late[most] * MS + 3 * MS / 2);
    }
}
