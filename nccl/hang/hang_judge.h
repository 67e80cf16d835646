/* hang_judge.h: what the parts of the verdict share: who is to blame, found in edits (judge_hang.c), in the order of calls
 * and in their times (judge_order.c). Private to nccl/.
 */
#ifndef RS_HANG_JUDGE_H
#define RS_HANG_JUDGE_H

#include "hang_job.h"

typedef struct rs_hang_judge {
    const rs_hang_job *job;
    const rs_waits *waits;
    rs_edits edits;
    rs_hang *hang;
    int32_t room;   /* of culprits */
    int32_t *named; /* [n_slots] their ranks, + 1; 0: free */
    uint32_t n_slots;
    bool partial; /* dumps may be missing, for an archive is cut */
    bool over;    /* nothing waits: edits are looked for in calls that are over */
} rs_hang_judge;

/* ------------------------------------------------------------------ judge_hang.c */

/* Does what rs_judge_hang does; what need not live on is taken from pieces. */
rs_status rs_judge_with(rs_heap *pieces, rs_dump dumps[], int32_t n_dumps, const rs_host *host,
                        rs_arena *arena, rs_error *error, rs_hang *hang);

/* ------------------------------------------------------------------ hang_blame.c */

/* Makes room for so many; false: no memory. */
bool rs_begin_culprits(rs_hang_judge *j, int32_t room);
/* Adds a rank, if it is not there yet. */
void rs_add_culprit(rs_hang_judge *j, rs_hang_place place);
/* Says what the others do; the first word counts. */
void rs_set_others(rs_hang_judge *j, rs_hang_place place, int32_t n_agree, int32_t n_of);

/* What is different in two calls that should be one. */
rs_hang_difference rs_hang_differs(const rs_hang_place *a, const rs_hang_place *b);

/* Is the first open call that the dump has the first of all? The ring buffer may have lost it. */
bool rs_is_known_first(const rs_hang_judge *j, const rs_wait_row *row);

/* ------------------------------------------------------------------ judge_order.c */

/* Of those who wait, one rank made the calls of two groups in another order than most, or left one out. */
bool rs_blame_odd(rs_hang_judge *j, const rs_waits *waits);
/* Nobody is idle, nobody is gone: whoever follows the waits comes back to where he was. */
bool rs_blame_cycle(rs_hang_judge *j, const rs_waits *waits);
/* Calls that all have made, launched in different order: each waits for the other. */
bool rs_blame_crossed(rs_hang_judge *j);
/* Nobody waits: does one come late to each call? First who costs the others the largest share of their time. */
rs_status rs_blame_slow(rs_hang_judge *j, rs_error *error);

/* ------------------------------------------------------------------ judge_inside.c */

/* An all-to-all in which more, or less, is sent than received. */
bool rs_blame_split(rs_hang_judge *j);
/* By lines of logs all are in a call of one number, but it is not the same call. */
bool rs_blame_unlike(rs_hang_judge *j);

/* ------------------------------------------------------------------ hang_doubt.c */

/* By lines of logs some are in a call that others have ended. */
bool rs_blame_passed(rs_hang_judge *j);
/* By recorders one is still in a call that others have ended, and waits for nobody. */
bool rs_blame_behind(rs_hang_judge *j);
/* A group lacks members that no line names, and just so many ranks of the job are in no call. */
bool rs_blame_lacking(rs_hang_judge *j);
/* Takes back what the evidence is not enough for. */
void rs_doubt(rs_hang_judge *j);

#endif
