/* test_hang_verdict.c: random small jobs, whole and torn: the verdict is the one of a plain account over the edits and waits that
 * its parts find, which have tests of their own.
 */
#include "hangs/drawn.h"
#include "hangs/plain_verdict.h"

#include <criterion/criterion.h>
#include <string.h>

enum { RANKS = PLAIN_RANKS, GROUPS = 3, CALLS = 12, LENGTH = 7 };
enum { W_GROUPS = 1, W_OPS = W_GROUPS + GROUPS, W_LINE = W_OPS + 4, N_WORDS };

static const char *const words[N_WORDS] = {
    "", "g0", "g1", "g2", "all_reduce", "broadcast", "all_to_all", "a_barrier", "a.py:7"};

static rs_error error;
static rn_dump dumps[2][RANKS]; /* the same twice: judging changes them */
static rn_call calls[2][RANKS][CALLS];
static rn_call_group groups[2][RANKS][GROUPS];
static const char *own_words[2][N_WORDS];
static int32_t ranks[GROUPS][RANKS], n_ranks[GROUPS], n_dumps;

TestSuite(hang_verdict, .init = start, .fini = stop);

/* ------------------------------------------------------------------ random jobs */

static rn_call drawn_call(void) {
    return (rn_call){.group = draw(GROUPS),
                     .name = (uint32_t)(W_OPS + (draw(3) ? 0 : draw(4))),
                     .where = draw(2) ? W_LINE : 0,
                     .stack = (uint64_t)draw(2),
                     .n_in = 4,
                     .n_out = 4,
                     .peer = -1,
                     .root = -1,
                     .op = -1};
}

static bool is_in(int32_t g, int32_t r) {
    for (int32_t i = 0; i < n_ranks[g]; i++) {
        if (ranks[g][i] == r) return true;
    }
    return false;
}

/* How the ranks of a job differ from each other. */
typedef struct made_job {
    int edits, ends, opens, torn; /* in so many of eight */
    bool messages, launched;
} made_job;

static void make_rank(const made_job *job, int32_t r, const rn_call program[LENGTH]) {
    const int32_t at = n_dumps++, n = draw(8) < job->ends ? draw(LENGTH + 1) : LENGTH;
    const int32_t edit = draw(8) < job->edits ? draw(LENGTH) : -1, how = draw(4);
    const int32_t open = draw(8) < job->opens ? draw(LENGTH + 1) : LENGTH - 1;
    int64_t seq[GROUPS] = {0}, first = draw(8) < job->torn ? draw(3) : 0;
    rn_dump *d = &dumps[0][at];
    *d = (rn_dump){.rank = r, .whole = first == 0, .n_groups = GROUPS, .n_words = N_WORDS};
    d->cut = draw(24) < job->torn;
    d->rough = draw(24) < job->torn;
    d->launched = job->launched || draw(24) < job->torn;
    d->unread = draw(24) < job->torn;
    d->partial = draw(48) < job->torn;
    if (d->unread) d->n_groups = 0;
    for (int32_t i = 0; i < n && !d->unread; i++) {
        for (int k = 0; k < 1 + (i == edit && how == 0); k++) {
            rn_call call = program[i];
            if (i == edit && how == 1) continue;
            if (i == edit && k == 0 && how != 3) call = drawn_call();
            if (how == 3 && edit >= 0 && i / 2 == edit / 2 && (i ^ 1) < LENGTH)
                call = program[i ^ 1];
            if (!is_in(call.group, r)) continue;
            call.seq = ++seq[call.group];
            call.state = i < open ? RN_CALL_COMPLETED : (uint8_t)draw(2);
            if (job->messages && draw(4) == 0) {
                call.peer = draw(RANKS);
                call.sends = draw(2);
            }
            if (first-- <= 0) calls[0][at][d->n_calls++] = call;
        }
    }
    for (int32_t g = 0; g < d->n_groups; g++)
        groups[0][at][g] = (rn_call_group){
            (uint32_t)(W_GROUPS + g), 0, n_ranks[g], -1, ranks[g], -1, 0, 0, false, 0};
}

static void make_job(uint64_t seed) {
    rn_call program[LENGTH];
    stop();
    start();
    state = seed * 0x9e3779b97f4a7c15;
    n_dumps = 0;
    const made_job job = {draw(3) * draw(4), draw(9),      draw(2) * draw(9),
                          draw(2) * draw(5), draw(5) == 0, draw(12) == 0};
    const int32_t n_gone = draw(2) * draw(4);
    for (int32_t g = 0; g < GROUPS; g++) {
        n_ranks[g] = 0;
        for (int32_t r = 0; r < RANKS; r++)
            if (g == 0 || draw(3)) ranks[g][n_ranks[g]++] = r;
    }
    const bool distinct = draw(2);
    for (int32_t i = 0; i < LENGTH; i++) {
        program[i] = drawn_call();
        if (distinct) program[i].n_in = program[i].n_out = 10 + i;
        if (distinct && draw(2)) program[i].group = 0;
    }
    for (int32_t r = 0; r < RANKS; r++)
        if (draw(8) >= n_gone) make_rank(&job, r, program);
    memcpy(calls[1], calls[0], sizeof calls[0]);
    memcpy(groups[1], groups[0], sizeof groups[0]);
    for (int copy = 0; copy < 2; copy++) {
        memcpy(own_words[copy], words, sizeof words);
        for (int32_t d = 0; d < n_dumps; d++) {
            dumps[copy][d] = dumps[0][d];
            dumps[copy][d].calls = calls[copy][d];
            dumps[copy][d].groups = groups[copy][d];
            dumps[copy][d].words = own_words[copy];
        }
    }
}

/* ------------------------------------------------------------------ the same? */

static void same_place(const rn_hang_place *a, const rn_hang_place *b) {
    cr_assert(a->rank == b->rank && a->seq == b->seq);
    cr_assert(strcmp(a->group, b->group) == 0 && strcmp(a->call, b->call) == 0);
    cr_assert_eq(a->where != NULL, b->where != NULL);
}

static void same_hang(const rn_hang *hang, const rn_hang *made) {
    cr_assert_eq(hang->verdict, made->verdict, "%s, not %s", rn_hang_name(hang->verdict),
                 rn_hang_name(made->verdict));
    cr_assert(hang->n_files == made->n_files && hang->n_cut == made->n_cut);
    cr_assert(hang->n_culprits == made->n_culprits && hang->n_waits == made->n_waits);
    cr_assert(hang->has_others == made->has_others && hang->difference == made->difference);
    cr_assert(hang->n_agree == made->n_agree && hang->n_of == made->n_of);
    cr_assert(hang->crossed == made->crossed && hang->unread == made->unread);
    cr_assert(hang->in_file == made->in_file && hang->n_strayed == made->n_strayed);
    cr_assert(hang->knotted == made->knotted && hang->lost == made->lost);
    cr_assert_eq(hang->later, made->later);
    for (int32_t i = 0; i < made->n_culprits; i++)
        same_place(&hang->culprits[i], &made->culprits[i]);
    if (made->has_others) same_place(&hang->others, &made->others);
    for (int64_t i = 0; i < made->n_waits; i++) {
        same_place(&hang->waits[i].at, &made->waits[i].at);
        cr_assert_eq(hang->waits[i].n_ranks, made->waits[i].n_ranks);
    }
    const char *shown = plain_shown();
    cr_assert_eq(hang->lanes.group == NULL, shown == NULL);
    if (shown != NULL) cr_assert_str_eq(hang->lanes.group, shown);
}

Test(hang_verdict, is_that_of_a_plain_account_of_edits_and_waits) {
    int n_of[RN_N_HANG_VERDICTS] = {0}, n_strayed = 0, n_knotted = 0, n_lost = 0, n_unread = 0;
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        rn_hang hang;
        make_job(seed);
        cr_assert_eq(rn_judge_one(&heap, dumps[0], n_dumps, NULL, &arena, &error, &hang), RS_OK);
        heap = (rs_heap){.arena = &arena};
        same_hang(&hang, plain_verdict(dumps[1], n_dumps, &heap));
        n_of[hang.verdict]++;
        n_strayed += hang.n_strayed > 0;
        n_knotted += hang.knotted;
        n_lost += hang.lost;
        n_unread += hang.unread;
    }
    for (int v = 0; v < RN_HANG_DIED; v++)
        cr_assert(n_of[v] > 30 || v == RN_HANG_SLOW, "%s: %d", rn_hang_name((rn_hang_verdict)v),
                  n_of[v]);
    cr_assert(n_strayed > 50 && n_knotted > 20 && n_lost > 25 && n_unread > 50, "%d %d %d %d",
              n_strayed, n_knotted, n_lost, n_unread);
}
