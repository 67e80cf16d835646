/* hang_judge.h: what the parts of the verdict share: who is to blame, found in edits (judge_hang.c), in the order of calls
 * and in their times (judge_order.c). Private to nccl/.
 */
#pragma once

#include "hang_job.h"

typedef struct rn_hang_judge {
    const rn_hang_job *job;
    const rn_waits *waits;
    rn_edits edits;
    rn_hang *hang;
    int32_t room;   /* of culprits */
    rs_texts named; /* their ranks, as bytes */
    bool partial;   /* dumps may be missing, for an archive is cut */
    bool over;      /* nothing waits: edits are looked for in calls that are over */
} rn_hang_judge;

/* Do calls show a hang, and whose? */
static inline bool rn_is_decided(const rn_hang *h) {
    return h->verdict >= RN_HANG_MISSING_CALL && h->verdict <= RN_HANG_STUCK_INSIDE;
}

/* ------------------------------------------------------------------ judge_hang.c */

/* Judges dumps of one source; what need not live on is taken from pieces. */
rs_status rn_judge_one(rs_heap *pieces, rn_dump dumps[], int32_t n_dumps, const rs_host *host,
                       rs_arena *arena, rs_error *error, rn_hang *hang);

/* The call of a row, as its rank made it. */
static inline rn_hang_place rn_row_place(const rn_hang_judge *j, const rn_wait_row *row) {
    return rn_place_of(j->job, j->job->dumps[row->dump].rank, row->call);
}

/* ------------------------------------------------------------------ hang_sources.c */

/* Does what rn_judge_hang does; what need not live on is taken from pieces. */
rs_status rn_judge_with(rs_heap *pieces, rn_dump dumps[], int32_t n_dumps, const rs_host *host,
                        rs_arena *arena, rs_error *error, rn_hang *hang);

/* ------------------------------------------------------------------ hang_blame.c */

/* Adds a rank, if it is not there yet. */
void rn_add_culprit(rn_hang_judge *j, rn_hang_place place);
/* Says what the others do; the first word counts. */
void rn_set_others(rn_hang_judge *j, rn_hang_place place, int32_t n_agree, int32_t n_of);

/* What is different in two calls that should be one. */
rn_hang_difference rn_hang_differs(const rn_hang_place *a, const rn_hang_place *b);

/* It waits for nobody, in none of its calls. */
bool rn_is_root(const rn_hang_judge *j, int32_t dump);

/* Is the first open call that the dump has the first of all? The ring buffer may have lost it. */
bool rn_is_known_first(const rn_hang_judge *j, const rn_wait_row *row);

/* ------------------------------------------------------------------ judge_order.c */

/* Of those who wait, one rank made the calls of two groups in another order than most, or left one out. */
bool rn_blame_odd(rn_hang_judge *j, const rn_waits *waits);
/* Nobody is idle, nobody is gone: whoever follows the waits comes back to where he was. */
bool rn_blame_cycle(rn_hang_judge *j, const rn_waits *waits);
/* Calls that all have made, launched in different order: each waits for the other. */
bool rn_blame_crossed(rn_hang_judge *j);
/* Nobody waits: does one come late to each call? First who costs the others the largest share of their time. */
void rn_blame_slow(rn_hang_judge *j);

/* ------------------------------------------------------------------ judge_inside.c */

/* An all-to-all in which more, or less, is sent than received. */
bool rn_blame_split(rn_hang_judge *j);
/* By lines of logs all are in a call of one number, but it is not the same call. */
bool rn_blame_unlike(rn_hang_judge *j);

/* ------------------------------------------------------------------ hang_doubt.c */

/* By lines of logs some are in a call that others have ended; all: of which none ends before all have come. */
bool rn_blame_passed(rn_hang_judge *j, bool all);
/* By recorders one is still in a call that others have ended, and waits for nobody. */
bool rn_blame_behind(rn_hang_judge *j);
/* A group lacks members that no line names, and just so many ranks of the job are in no call. */
bool rn_blame_lacking(rn_hang_judge *j);
/* As many ranks as jobs have: whole nodes, or a power of two. */
bool rn_is_usual(int32_t n);
/* Takes back what the evidence is not enough for. */
void rn_doubt(rn_hang_judge *j);
