/* train_time.h: what the files share that time a training step. Private to sim/.
 *
 *     train_time.c    a step of ddp, zero1, zero2 and none
 *     ddp_cases.c   what ddp minds: unused layers, buffers, a rank without a batch
 *     train_zero3.c   the passes of zero3 and hsdp
 *     train_dp.c      a step of dp
 *     train_memory.c  what lies in the GPUs' memory
 *     train_join.c    an exchange that each rank joins when it is ready
 *     train_pass.c    one pass through the layers, under an interpreter's lock; pieces of work
 */
#pragma once

#include "systems/train/train_shards.h"

/* A rank's network carries one exchange after another. All [n_ranks]. */
typedef struct rs_network {
    int64_t *free_ps; /* when its last exchange is over */
    int64_t *join_ps; /* when it joined that */
    int64_t *busy_ps; /* all exchanges together, the wait for others included */
} rs_network;

/* A step on its way. The first failure stays, in `status`. */
typedef struct rs_step_run {
    const rs_step_plan *plan;
    rs_arena *arena;
    rs_error *error;
    rs_status status;
    int64_t *now_ps;     /* [n_ranks] when each GPU is free */
    int64_t *ready_ps;   /* [n_buckets * n_ranks] when its part of a bucket is there */
    int64_t *compute_ps; /* [n_ranks] busy with forward, backward, update */
    int64_t *forward_ps, *backward_ps; /* [n_ranks] of it */
    int64_t *waits_ps;                 /* [n_ranks] for exchanges, in which the GPU does nothing */
    int64_t *sent_bytes;               /* [n_ranks] */
    rs_network network;
    rs_shard_parts parts; /* sharded modes */
    const rs_ddp_case *ddp;
    int32_t n_extra;
    int64_t extra_bytes, *extra_ps; /* [n_ranks] */
    int64_t gil_ps;
    rs_train_span *pieces; /* [capacity] */
    int64_t n_pieces, capacity;
} rs_step_run;

/* Reports that `done` of `total` passes are timed; false: it failed, or the host says stop. */
bool rs_step_goes_on(rs_step_run *run, int32_t done, int32_t total);
/* Exchanges `count` elements: rank r joins at at_ps[r], and is through at what it then is. */
void rs_join(rs_step_run *run, const rs_schedule *schedule, int64_t count, const rs_sink *sink,
             int64_t at_ps[]);
/* Lets the network exchange `count` elements by a schedule; rank r is ready for it at ready_ps[r]. `index`: as in the
   pieces of work. *time gets the last ranks' times; it may be NULL. */
void rs_exchange_count(rs_step_run *run, const rs_schedule *schedule, rs_work work, int32_t index,
                       int64_t count, const int64_t ready_ps[], rs_bucket_time *time);
/* The same for a bucket. */
void rs_exchange(rs_step_run *run, const rs_schedule *schedule, rs_work work, int32_t bucket,
                 const int64_t ready_ps[], rs_bucket_time *time);
/* Makes each GPU wait until its network is free, or until at_ps[r] if that is not NULL. */
void rs_wait_for(rs_step_run *run, const int64_t at_ps[]);
int64_t rs_first_ps(const rs_step_run *run, const int64_t at_ps[]); /* of all ranks */
int64_t rs_last_ps(const rs_step_run *run, const int64_t at_ps[]);
/* Notes a piece of work, unless it takes no time or none are kept. */
void rs_note_piece(rs_step_run *run, rs_train_span piece);
/* Returns how long `rank` needs for `flops` operations; a step beyond 2^53 ps fails. */
int64_t rs_flops_ps(rs_step_run *run, int32_t rank, int64_t flops);
/* A forward pass on its way, of ranks first..last, which share one interpreter. */
typedef struct rs_forward {
    int32_t first, last;
    int64_t python_ps, lock_ps;
    int64_t *thread_ps;     /* [last - first + 1] */
    rs_train_span *kernels; /* [last - first + 1] */
} rs_forward;
rs_forward rs_begin_forward(rs_step_run *run, int32_t first, int32_t last, int64_t thread_ps[],
                            rs_train_span kernels[]);
/* Runs layers from..to-1 of the pass, as pieces of this index. */
void rs_run_layers(rs_step_run *run, rs_forward *forward, int32_t from, int32_t to, int32_t index);
/* Runs layers from, from-1, ..., to of a rank's backward pass, as one piece. */
void rs_run_back(rs_step_run *run, int32_t rank, int32_t from, int32_t to, int32_t index);
/* Runs the forward pass of ranks first..last, which share one interpreter, from their now_ps on. */
void rs_run_forward(rs_step_run *run, int32_t first, int32_t last, int32_t pass);
/* Runs the backward pass of one rank; `sync`: fills in ready_ps. */
void rs_run_backward(rs_step_run *run, int32_t rank, int32_t pass, bool sync);
/* Updates what the rank owns. */
void rs_run_update(rs_step_run *run, int32_t rank);
/* Runs forward and backward pass of zero3 or hsdp, gathers and reduce-scatters included; then all wait. */
void rs_run_zero3(rs_step_run *run, rs_step_time *step);
/* Says what is in each GPU's memory; the step's buckets are timed. */
void rs_fill_memory(const rs_step_plan *plan, const rs_bucket_time times[], rs_memory memory[]);
/* Counts the small exchanges that ddp's case makes in a step. */
int64_t rs_count_extra(const rs_step_plan *plan);
/* Runs those before the forward pass, for which all wait; those behind the backward pass. */
void rs_run_extra_before(rs_step_run *run);
void rs_run_extra_after(rs_step_run *run);
/* Returns the first bucket that is never exchanged; n_buckets: all are. */
int32_t rs_stuck_bucket(const rs_step_plan *plan);
/* Lets the ranks wait for ever: notes until when one sees them do so, which is then their now. */
void rs_run_stuck(rs_step_run *run);
/* Runs both passes and the exchange where statistics are gathered at each layer that has buffers. */
void rs_run_synced(rs_step_run *run, rs_bucket_time times[]);
/* Runs a whole step of dp; the result is in run->now_ps[0]. *exchange_ps: how long GPU 0's links
   are in use for it. */
void rs_run_dp(rs_step_run *run, int64_t *exchange_ps);
