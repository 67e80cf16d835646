/* ringsim_check.h: does a schedule do what its collective wants, and if not, which transfer made it wrong?
 *
 *     schedule ---> check ---> VERDICT        schedule, step ---> CONTENTS: who is inside each cell
 */
#pragma once

#include "ringsim_schedule.h"

RS_BEGIN_DECLS

typedef enum rs_verdict_fault {
    RS_SOUND,
    RS_UNFINISHED,            /* "unfinished": contributions never came */
    RS_WRONG,                 /* "wrong": a copy and another message hit one cell in one step */
    RS_COUNTED_TWICE,         /* "counted-twice" */
    RS_OVERWRITTEN_TOO_EARLY, /* "overwritten-too-early": contributions were lost under a copy */
    RS_ADDED_TO_NOTHING /* "added-to-nothing": where data are only copied, a cell that holds none was added */
} rs_verdict_fault;

typedef struct rs_verdict {
    bool sound; /* at the end every cell that the collective defines holds what it defines, once */
    rs_verdict_fault fault;
    rs_collective collective;
    int32_t step, rank, chunk; /* the receiver's cell, and when; step -1: never touched */
    int32_t src;               /* who sent what spoilt it; -1: nobody */
    int32_t who;       /* the contribution counted twice, lost or missing (the lowest); -1 */
    char had[96];      /* what was there, e.g. "ranks 0 1 2", "ranks 0..7", "rank 1 twice" */
    char expected[96]; /* what should have been */
    char text[320];    /* one English sentence: "step 3: rank 2 adds rank 1's ..." */
} rs_verdict;

const char *rs_fault_name(rs_verdict_fault fault); /* NULL for RS_SOUND */
/* Judges any schedule. Fails only without memory or when cancelled. Time: chunks moved x N / 64. */
rs_status rs_check(const rs_schedule *schedule, const rs_host *host, rs_error *error,
                   rs_verdict *verdict);

/* Who is inside each cell after some steps, for views and for the exact answer. It lives in the arena; the
   schedule must outlive it. At first it stands before step 0. */
typedef struct rs_contents rs_contents;
rs_status rs_contents_new(const rs_schedule *schedule, rs_arena *arena, rs_error *error,
                          rs_contents **contents);
/* Moves to the moment before `step` (n_steps: the end); backwards replays. `entered` as in rs_apply. */
rs_status rs_contents_seek(rs_contents *contents, int32_t step, const int32_t entered[],
                           rs_error *error);
/* Lists the cell's contributors in fold order into out[0..max-1]; returns how many there are. A rank
   counted twice is listed twice. */
int64_t rs_contents_list(const rs_contents *contents, int32_t rank, int32_t chunk, int32_t out[],
                         int64_t max);
/* Returns how many contributors the cell has, those counted twice twice. */
int64_t rs_contents_count(const rs_contents *contents, int32_t rank, int32_t chunk);
/* Tells whether the cell holds the answer: every rank exactly once, or the one whose data the chunk is. */
bool rs_contents_complete(const rs_contents *contents, int32_t rank, int32_t chunk);

RS_END_DECLS
