/* judge_plan.h: one schedule judged. */
#pragma once

#include "grade/result.h"

typedef struct rc_plan_case {
    int n_ranks;
    int count; /* elements a rank, no multiple of n_ranks */
    bool sound;
    /* a chunk below 0 was meant mod N: no sound answer, but the right idea if the rest is */
    bool wraps;
    double bytes, steps; /* times the least */
    int64_t time_ps;     /* on the lab's machine; 0: not timed */
    char why[RC_WHY];
    int32_t wrong_rank; /* who makes the first mistake; -1: nobody in particular */
} rc_plan_case;
/* Judges one schedule. *schedule is replaced by the whole all-reduce where only a first phase was
   asked for; *step: the first wrong one. */
rc_exit rc_judge_plan(bool first_phase_only, rs_arena *arena, rs_error *error,
                      rs_schedule *schedule, rc_plan_case *one, int *step);
