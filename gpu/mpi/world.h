/* world.h: what the files of the MPI module share.
 *
 *     world.c   start and end, waiting with a deadline, votes, clocks
 *     steps.c   one rank's part of the schedule, step by step
 *     oracle.c  MPI_Allreduce with the same inputs
 *     run.c     a whole job: arrays, repetitions, judgement, vote
 *
 *   - Every process makes the same calls in the same order; whatever can fail in one of them is
 *     voted on before the next collective call.
 *   - Nothing of ours waits without end: who waits too long says so in the group's `stuck` and returns
 *     false, and the group can then only be closed.
 */
#ifndef RG_MPI_WORLD_H
#define RG_MPI_WORLD_H

#include "module.h"

#include <mpi.h>

enum { RG_MOST_WAITS = 8 };
typedef struct world {
    rg_group group;
    int32_t rank;
    int64_t ahead_ps; /* this machine's clock minus that of rank 0 */
    int64_t *pids;    /* of the ranks on rank 0's machine */
    int32_t n_pids;
    int64_t deadline_ps; /* of the job that runs */
    int32_t timeout_ms;
    bool stuck, cancelled;
    int32_t step;                     /* where it waits; -1: between the steps */
    int32_t waits_for[RG_MOST_WAITS]; /* the first of them */
    int n_waits_for;
} world;

void rg_world_deadline(world *w, int32_t timeout_ms);
/* Waits for any of n requests; false: too long. *index as in MPI_Testany. */
bool rg_wait_any(world *w, MPI_Request requests[], int n, int *index);
bool rg_wait(world *w, MPI_Request *request);
bool rg_barrier(world *w);
/* Adds up, or takes the largest of, n numbers of all ranks, in place. */
bool rg_vote(world *w, int64_t numbers[], int n, MPI_Op op);
/* Collects n bytes of each rank, in rank order, in every rank. */
bool rg_collect(world *w, const void *own, void *all, size_t n);

/* run.c: a whole job, as rg_group_run. */
rs_status rg_world_run(rg_group *group, const rg_job *job, rs_arena *arena, rs_error *error,
                       rg_result *result);

/* ------------------------------------------------------------------ steps.c */

typedef struct rg_log { /* what this rank saw, for the trace */
    rs_timed *sends, *recvs;
    int64_t n_sends, n_recvs;
} rg_log;

typedef struct rg_steps {
    const rg_job *job;
    char *data;                 /* the array that is reduced, in place */
    char *room;                 /* for what arrives and is added, and for flipped messages */
    rs_transfer *sends, *recvs; /* [max_sends] each */
    char **arrives;             /* [max_sends] where each message is received */
    int *missing;               /* [max_sends] how many of its parts are still under way */
    MPI_Request *requests;      /* one a part of a message, of both ways */
    int *owners;                /* whose part a request is: receive i, or send ~i */
    int n_requests;
    rg_log *log; /* NULL: none is kept */
} rg_steps;
rs_status rg_steps_new(const world *w, const rg_job *job, void *data, rs_arena *arena,
                       rs_error *error, rg_steps *steps);
/* Runs this rank's part once; false: it waits too long. */
bool rg_steps_run(world *w, rg_steps *steps);
rs_status rg_log_new(const world *w, const rg_job *job, rs_arena *arena, rs_error *error,
                     rg_log **log);
/* Brings all ranks' logs together (trace.c); *trace on rank 0 only. */
rs_status rg_gather_trace(world *w, const rg_log *log, rs_arena *arena, rs_error *error,
                          rs_trace **trace);

/* ------------------------------------------------------------------ oracle.c */

/* Runs MPI_Allreduce on `source` into `target`, as often as the job says; times[i]: of this rank.
   false: there is no such operation, or too many elements for it. */
bool rg_oracle_run(world *w, const rg_job *job, const void *source, void *target, int64_t times[]);

#endif
