/* train_time.h: what the files share that time a training step. Private to sim/.
 *
 *     train_time.c    a step of ddp and none; memory
 *     train_dp.c      a step of dp
 *     train_join.c    an exchange that each rank joins when it is ready
 *     train_pass.c    one pass through the layers, under an interpreter's lock; pieces of work
 */
#ifndef RS_TRAIN_TIME_H
#define RS_TRAIN_TIME_H

#include "ringsim_train.h"

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
    int64_t gil_ps;
    rs_train_span *pieces; /* [capacity] */
    int64_t n_pieces, capacity;
} rs_step_run;

/* Reports that `done` of `total` passes are timed; false: it failed, or the host says stop. */
bool rs_step_goes_on(rs_step_run *run, int32_t done, int32_t total);
/* Exchanges `count` elements: rank r joins at at_ps[r], and is through at what it then is. */
void rs_join(rs_step_run *run, const rs_schedule *schedule, int64_t count, const rs_sink *sink,
             int64_t at_ps[]);
int64_t rs_first_ps(const rs_step_run *run, const int64_t at_ps[]); /* of all ranks */
int64_t rs_last_ps(const rs_step_run *run, const int64_t at_ps[]);
/* Notes a piece of work, unless it takes no time or none are kept. */
void rs_note_piece(rs_step_run *run, rs_train_span piece);
/* Returns how long `rank` needs for `flops` operations; a step beyond 2^53 ps fails. */
int64_t rs_flops_ps(rs_step_run *run, int32_t rank, int64_t flops);
/* Runs the forward pass of ranks first..last, which share one interpreter, from their now_ps on. */
void rs_run_forward(rs_step_run *run, int32_t first, int32_t last, int32_t pass);
/* Runs the backward pass of one rank; `sync`: fills in ready_ps. */
void rs_run_backward(rs_step_run *run, int32_t rank, int32_t pass, bool sync);
void rs_run_update(rs_step_run *run, int32_t rank);
/* Runs a whole step of dp; the result is in run->now_ps[0]. *exchange_ps: how long GPU 0's links
   are in use for it. */
void rs_run_dp(rs_step_run *run, int64_t *exchange_ps);

#endif
