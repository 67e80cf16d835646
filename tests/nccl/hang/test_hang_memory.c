/* test_hang_memory.c: jobs of each verdict judged with every amount of memory: the answer is the one of much memory, or that
 * there was none.
 */
#include "hang/hang_judge.h"

#include <criterion/criterion.h>
#include <string.h>

enum { RANKS = 4, CALLS = 40, STEP = 16, MUCH = 1 << 17 };
enum { W_ALL = 1, W_PAIR, W_REDUCE, W_SPLIT, N_WORDS };

typedef enum made_job {
    ALL_STAND,
    ONE_BEHIND,
    ONE_AHEAD,
    ONE_OTHER,
    ONE_SILENT,
    ONE_STRAYED,
    KNOT,
    CROSSED,
    CYCLE,
    UNEVEN_SPLIT,
    MESSAGES,
    ALL_OVER,
    OVER_UNLIKE,
    N_JOBS
} made_job;

static rs_arena keep;
static rs_error error;
static rn_hang hang;
static rn_dump dumps[RANKS];
static rn_call calls[RANKS][CALLS];
static rn_call_group groups[RANKS][2];
static int32_t all[RANKS] = {0, 1, 2, 3}, pairs[2][2] = {{0, 1}, {2, 3}};
static char room[MUCH] __attribute__((aligned(64)));

static void start(void) {
    rs_arena_init(&keep, NULL);
}
static void stop(void) {
    rs_arena_free(&keep);
}
TestSuite(hang_memory, .init = start, .fini = stop);

/* ------------------------------------------------------------------ a job of each kind */

static rn_call *add(int32_t r, int32_t group, int64_t seq, rn_call_state state) {
    rn_call *call = &calls[r][dumps[r].n_calls++];
    *call = (rn_call){.seq = seq,
                      .group = group,
                      .name = W_REDUCE,
                      .n_in = 4,
                      .n_out = 4,
                      .peer = -1,
                      .root = -1,
                      .op = -1,
                      .state = (uint8_t)state};
    return call;
}

static void add_calls(made_job kind, int32_t r) {
    const rn_call_state open = RN_CALL_SCHEDULED, over = RN_CALL_COMPLETED;
    const bool odd = r == 1;
    for (int64_t seq = 1; seq <= 3; seq++) add(r, 0, seq, over);
    switch (kind) {
    case ALL_STAND: add(r, 0, 4, open); break;
    case ONE_BEHIND:
        if (!odd) add(r, 0, 4, open);
        break;
    case ONE_AHEAD:
        if (odd) add(r, 0, 4, open);
        break;
    case ONE_OTHER: add(r, 0, 4, open)->n_in = odd ? 5 : 4; break;
    case ONE_SILENT: add(r, 0, 4, open); break;
    case ONE_STRAYED:
        if (!odd) add(r, 1, 1, over);
        add(r, 0, 4, open);
        break;
    case KNOT: /* 0 and 1 wait for each other, 2 for who has no dump */
    case CYCLE:
        if (r != 1) add(r, r == 0 ? 1 : 0, r == 0 ? 1 : 4, open);
        if (r == 1) add(r, 0, 4, open);
        if (r > 1 && kind == CYCLE) dumps[r].calls[dumps[r].n_calls - 1].state = over;
        break;
    case CROSSED:
        add(r, odd, odd ? 1 : 4, open);
        add(r, !odd, odd ? 4 : 1, open);
        break;
    case OVER_UNLIKE: add(r, 0, 4, over)->n_in = odd ? 5 : 4; break;
    case UNEVEN_SPLIT: {
        rn_call *call = add(r, 0, 4, open);
        call->name = W_SPLIT;
        call->n_in = odd ? 5 : 4;
        break;
    }
    case MESSAGES: {
        rn_call *call = add(r, 0, 1, open);
        call->peer = r ^ 1;
        call->sends = r % 2 == 0;
        break;
    }
    default: break;
    }
}

static int32_t make_job(made_job kind) {
    static const char *words[N_WORDS] = {"", "0", "1", "all_reduce", "all_to_all"};
    const bool gone = kind == ONE_SILENT || kind == ONE_STRAYED || kind == KNOT;
    for (int32_t r = 0; r < RANKS; r++) {
        groups[r][0] = (rn_call_group){W_ALL, 0, RANKS, -1, all, -1, 0, 0, false, 0};
        groups[r][1] = (rn_call_group){W_PAIR, 0, 2, -1, pairs[r / 2], -1, 0, 0, false, 0};
        dumps[r] = (rn_dump){.rank = r,
                             .whole = true,
                             .calls = calls[r],
                             .groups = groups[r],
                             .n_groups = 2,
                             .words = words,
                             .n_words = N_WORDS};
        add_calls(kind, r);
    }
    return gone ? RANKS - 1 : RANKS;
}

/* ------------------------------------------------------------------ every amount of memory */

static void same_answer(const rn_hang *a, const rn_hang *b) {
    cr_assert(a->verdict == b->verdict && a->n_culprits == b->n_culprits &&
                  a->n_waits == b->n_waits,
              "%s, not %s", rn_hang_name(a->verdict), rn_hang_name(b->verdict));
    cr_assert(a->lanes.n_lanes == b->lanes.n_lanes && a->lanes.n_columns == b->lanes.n_columns);
    cr_assert(a->crossed == b->crossed && a->knotted == b->knotted && a->lost == b->lost);
    cr_assert(a->n_strayed == b->n_strayed && a->has_others == b->has_others);
    for (int32_t i = 0; i < a->n_culprits; i++)
        cr_assert_eq(a->culprits[i].rank, b->culprits[i].rank);
    for (int64_t i = 0; i < a->n_waits; i++) cr_assert_eq(a->waits[i].n_ranks, b->waits[i].n_ranks);
}

Test(hang_memory, is_enough_for_the_answer_or_for_none) {
    int n_of[RN_N_HANG_VERDICTS] = {0};
    for (int kind = 0; kind < N_JOBS; kind++) {
        stop();
        start();
        const int32_t n = make_job((made_job)kind);
        cr_assert_eq(rn_judge_hang(dumps, n, NULL, &keep, &error, &hang), RS_OK);
        n_of[hang.verdict]++;
        rs_status status = RS_NO_MEMORY;
        for (size_t left = 0; status != RS_OK; left += STEP) {
            rs_arena none, made;
            rn_hang answer;
            rs_arena_init(&none, NULL);
            rs_arena_init(&made, NULL);
            none.limit_bytes = 1;
            rs_heap heap = {.arena = &none, .at = room, .left = left};
            cr_assert_lt(left, (size_t)MUCH);
            memset(room, 0, sizeof room);
            make_job((made_job)kind);
            error.text[0] = '\0';
            status = rn_judge_with(&heap, dumps, n, NULL, &made, &error, &answer);
            if (status == RS_OK) {
                same_answer(&answer, &hang);
            } else {
                cr_assert_eq(status, RS_NO_MEMORY);
                cr_assert_eq(strncmp(error.text, "no memory ", 10), 0, "%s", error.text);
            }
            rs_arena_free(&made);
        }
    }
    cr_assert(n_of[RN_HANG_NONE] == 1 && n_of[RN_HANG_CYCLE] >= 1);
    for (int v = RN_HANG_MISSING_CALL; v < RN_HANG_DIED; v++)
        cr_assert(n_of[v] > 0 || v == RN_HANG_SWAPPED, "%s: %d", rn_hang_name((rn_hang_verdict)v),
                  n_of[v]);
}
