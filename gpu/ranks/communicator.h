/* communicator.h: a whole job on N processes, over any transport of their messages. Private to
 * gpu/.
 *
 *     same job? --> prepare --> vote --> repeat (line up, clock, run) --> oracle --> judge the own result --> vote
 *
 *     mpi/    MPI_Isend and MPI_Irecv between arrays of processes         } each is a table of
 *     nccl/   ncclSend and ncclRecv between arrays of GPUs, our kernels   } functions: an rg_transport
 *
 *   - Every process makes the same calls in the same order; after a call that may fail in one of
 *     them, all vote before the next collective call.
 *   - No rank waits without end: a rank that waits too long, or whose device or library fails,
 *     notes that in rg_ranks and returns false; the caller can then only close the group.
 */
#pragma once

#include "ranks/messages.h"

typedef struct rg_transport rg_transport;

enum { RG_MOST_WAITS = 8 };
/* One of the ranks: the first member of each transport's own group. */
typedef struct rg_ranks {
    rg_group group;
    const rg_transport *transport;
    int32_t rank;
    int64_t ahead_ps;    /* this machine's clock minus that of rank 0 */
    int64_t deadline_ps; /* of the current run */
    int32_t timeout_ms;
    bool stuck, cancelled;
    char trouble[256];                /* what failed here; "": nothing did, it only waits */
    int32_t n_runs;                   /* of the job that are over */
    int32_t step;                     /* where it waits; -1: between the steps */
    uint64_t open_sends, open_recvs;  /* as in rg_stand */
    int32_t waits_for[RG_MOST_WAITS]; /* the first of them */
    int n_waits_for;
    int64_t *pids; /* malloc; of the ranks on rank 0's machine */
    int32_t n_pids;
} rg_ranks;

typedef struct rg_log { /* what this rank saw, for the trace */
    rs_timed *sends, *recvs;
    int64_t n_sends, n_recvs;
    int n_step; /* of the receives, those of the step that was started last */
} rg_log;

/* What one rank needs for one job. The arrays are the host's; a transport whose ranks have devices has
   copies of its own there. */
typedef struct rg_rank_job {
    const rg_job *job;
    rg_array source, target, oracle; /* source: the run must not change it, unless in place */
    rg_judge judge;
    rg_messages messages;
    rg_log *log; /* of the current run; NULL: it keeps none */
    /* The transport's: where the target's data lie, the room where messages arrive beside them, and its own data. */
    char *array, *room;
    void *own;
} rg_rank_job;

/* Each function that returns false has waited too long, or has noted a trouble. */
struct rg_transport {
    /* Collects n bytes of each rank, in rank order, in every rank. */
    bool (*collect)(rg_ranks *ranks, const void *own, void *all, size_t n);
    /* Waits until all ranks are here; *start_ps: when they go on together, by this rank's clock. */
    bool (*line_up)(rg_ranks *ranks, int64_t *start_ps);
    /* Makes what the job needs beside the arrays. The source is filled already. */
    rs_status (*prepare)(rg_ranks *ranks, rg_rank_job *work, rs_arena *arena, rs_error *error);
    void (*release)(rg_ranks *ranks, rg_rank_job *work); /* NULL: the arena has all of it */
    /* Copies a range of the source to the target. */
    bool (*copy)(rg_ranks *ranks, rg_rank_job *work, rg_range range);
    /* Runs this rank's part once, to its end. */
    bool (*run)(rg_ranks *ranks, rg_rank_job *work);
    /* Copies the arrays with their guards to the host; NULL: they are there. */
    bool (*fetch)(rg_ranks *ranks, rg_rank_job *work);
    /* Tells whether the vendor's own collective takes such a job; if not, `note` says why. */
    bool (*takes)(const rg_job *job, char note[RG_NOTE]);
    /* Runs it from source to oracle, as often as the job says: what the rank must hold at the end lies where the
       schedule leaves it. times[i]: this rank's times. */
    bool (*ask_oracle)(rg_ranks *ranks, rg_rank_job *work, int64_t times[]);
    /* Writes into result->note what the reader should know, now that all have voted; NULL: nothing. */
    void (*remark)(rg_ranks *ranks, const rg_rank_job *work, rg_result *result);
    bool wraps; /* the vendor says that integers wrap around */
};

/* A whole job, as rg_group_run; the group is an rg_ranks. */
rs_status rg_ranks_run(rg_group *group, const rg_job *job, rs_arena *arena, rs_error *error,
                       rg_result *result);

/* ------------------------------------------------------------------ communicator.c */

/* Return a message's place in the array, and where it arrives or leaves from: there, or in the room, which an empty one
   does not need. */
char *rg_place_of(const rg_rank_job *work, const rg_message *message);
char *rg_way_of(const rg_rank_job *work, const rg_message *message);

void rg_ranks_deadline(rg_ranks *ranks, int32_t timeout_ms);
bool rg_ranks_late(
    rg_ranks *ranks); /* tells whether the deadline is over; then notes that it is stuck */
/* Notes that this rank waits for `peer`, too. */
void rg_ranks_waits_for(rg_ranks *ranks, int32_t peer);
/* Notes that send, or recv, i of the step is not over. */
void rg_ranks_is_open(rg_ranks *ranks, bool sends, int i);
/* Notes what failed here, printf-style; returns false. */
bool rg_ranks_trouble(rg_ranks *ranks, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

typedef enum rg_vote_kind { RG_ADD, RG_LARGEST } rg_vote_kind;
/* Adds up, or takes the largest of, n numbers of all ranks, in place. */
bool rg_ranks_vote(rg_ranks *ranks, int64_t numbers[], int64_t n, rg_vote_kind kind);

/* ------------------------------------------------------------------ measured_log.c */

rs_status rg_log_new(const rg_messages *messages, rs_arena *arena, rs_error *error, rg_log **log);
void rg_log_reset(rg_log *log);
/* Starts a step's messages in the log: they are ready to go now. */
void rg_log_start(rg_log *log, const rg_messages *messages, int64_t now_ps);
rs_timed *rg_log_recv(rg_log *log, int i); /* receive i of the step started last */
void rg_log_shift(rg_log *log, int64_t by_ps);
/* Brings all ranks' logs together; *trace on rank 0 only. false: it waits too long. */
bool rg_log_gather(rg_ranks *ranks, rg_log *log, rs_arena *arena, rs_error *error,
                   rs_status *status, rs_trace **trace);
