/* train_shards.h: an all-reduce taken apart into its phases, and whose shard is what. Private to sim/.
 *
 *     all-reduce   [ reduce-scatter ][ between nodes, under hsdp ][ all-gather ]
 *     ddp          [                      whole                                ]
 *     zero, fsdp   [ gradients                                   ] update [ weights ]
 *
 * So a shard's sums have the bits that the whole all-reduce has, and what a collective takes is timed by the
 * simulator from its steps.
 */
#pragma once

#include "ringsim_train.h"

/* Some steps of a schedule, as a schedule. `whole` must outlive it. */
typedef struct rs_steps_of {
    const rs_schedule *whole;
    int32_t first_step;
} rs_steps_of;

/* The collectives of a sharded mode. Do not copy: the schedules point into it. */
typedef struct rs_shard_parts {
    rs_schedule scatter; /* in the node under hsdp */
    rs_schedule between; /* hsdp: shards between nodes, all-reduced; else without steps */
    rs_schedule sums;    /* both */
    rs_schedule gather;
    rs_steps_of places[4];
} rs_shard_parts;
/* Takes the ring in NCCL's order, or two-level, apart: any count. */
void rs_take_apart(const rs_schedule *schedule, rs_shard_parts *parts);

/* What a rank owns of a bucket. */
typedef struct rs_owned {
    int64_t first, count; /* elements of the flat gradient */
} rs_owned;
/* Returns the shard of `rank`; in modes without shards all of the bucket. */
rs_owned rs_owned_of(rs_parallel mode, const rs_schedule *schedule, const rs_bucket *bucket,
                     int32_t rank);
/* Returns how many parameters the rank updates, of all buckets together. */
int64_t rs_owned_count(const rs_step_plan *plan, rs_parallel mode, int32_t rank);
/* Returns the additions, multiplications, ... of one parameter's update: 2, 4, 13. */
int64_t rs_update_flops(rs_optimizer optimizer);
