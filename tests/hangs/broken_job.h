/* broken_job.h: small jobs of each kind of fault, of up to eight ranks, as dumps: what a learner can read by eye. */
#ifndef TESTS_BROKEN_JOB_H
#define TESTS_BROKEN_JOB_H

#include "ringsim_hang.h"

typedef struct rs_broken_job {
    rs_hang_verdict kind;  /* missing-call, extra-call, swapped, mismatch or silent-rank */
    int32_t n_ranks, rank; /* rank: who does something else */
    uint64_t seed;
} rs_broken_job;
enum { RS_BROKEN_JOBS = 5, RS_BROKEN_RANKS = 8 /* the most of one */ };
/* Draws one job of each kind, in any order: the same seed, the same jobs. */
void rs_broken_jobs(uint64_t seed, rs_broken_job jobs[RS_BROKEN_JOBS]);
/* Runs such a job until nothing moves; dumps[]: room for n_ranks, of which *n_dumps are filled, from the arena. */
rs_status rs_break_job(const rs_broken_job *job, rs_arena *arena, rs_error *error, rs_dump dumps[],
                       int32_t *n_dumps);

#endif
