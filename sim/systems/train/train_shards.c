/* train_shards.c: an all-reduce taken apart, and whose shard is what.
 *
 *     N = 4                 ring, NCCL's order        two-level, nodes of 2
 *     chunks of a bucket    | 0 | 1 | 2 | 3 |         | 0   1 | 2   3 |
 *     rank that owns them     0   1   2   3             0, 2    1, 3
 *
 * A rank owns what the reduce-scatter leaves complete on it and the all-gather begins with (algo_ring.c,
 * algo_two_level.c). In the ring's other order rank r would end with chunk r + 1.
 */
#include "systems/train/train_shards.h"

#include <assert.h>

static int sends(const rs_schedule *part, int32_t step, int32_t rank, rs_transfer out[]) {
    const rs_steps_of *of = part->context;
    return of->whole->sends(of->whole, of->first_step + step, rank, out);
}

static int recvs(const rs_schedule *part, int32_t step, int32_t rank, rs_transfer out[]) {
    const rs_steps_of *of = part->context;
    return of->whole->recvs(of->whole, of->first_step + step, rank, out);
}

static const rs_algorithm phase_of_another = {.name = "phase",
                                              .summary = "a phase of an all-reduce"};

/* Makes a schedule of the steps first..end-1, in each of which every rank sends one message. */
static void take_steps(const rs_schedule *whole, int32_t first, int32_t end, rs_steps_of *place,
                       rs_schedule *part) {
    assert(whole->table == NULL && whole->max_sends <= 1 && first <= end);
    *place = (rs_steps_of){whole, first};
    *part = *whole;
    part->n_steps = end - first;
    part->n_transfers = (int64_t)part->n_steps * whole->n_ranks;
    part->n_phases = 0;
    part->sends = sends;
    part->recvs = recvs;
    part->n_recvs = NULL;
    part->next_step = NULL;
    part->next_sender = NULL;
    part->context = place;
    part->algorithm = &phase_of_another;
}

void rs_take_apart(const rs_schedule *schedule, rs_shard_parts *parts) {
    int32_t between = 0, gather = schedule->n_steps;
    for (int32_t i = 0; i < schedule->n_phases; i++) {
        const rs_phase_range *range = &schedule->phases[i];
        if (range->phase == RS_ALL_GATHER) gather = range->first_step;
    }
    between = gather;
    for (int32_t i = 0; i < schedule->n_phases; i++) {
        const rs_phase_range *range = &schedule->phases[i];
        if (range->phase == RS_EXCHANGE) between = range->first_step;
    }
    take_steps(schedule, 0, between, &parts->places[0], &parts->scatter);
    take_steps(schedule, between, gather, &parts->places[1], &parts->between);
    take_steps(schedule, 0, gather, &parts->places[2], &parts->sums);
    take_steps(schedule, gather, schedule->n_steps, &parts->places[3], &parts->gather);
}

int32_t rs_sharers(rs_parallel mode, const rs_schedule *schedule) {
    switch (mode) {
    case RS_ZERO1:
    case RS_ZERO2:
    case RS_ZERO3: return schedule->n_ranks;
    case RS_HSDP: return schedule->gpus_per_node > 0 ? schedule->gpus_per_node : 1;
    default: return 1;
    }
}

rs_owned rs_owned_of(rs_parallel mode, const rs_schedule *schedule, const rs_bucket *bucket,
                     int32_t rank) {
    const int32_t sharers = rs_sharers(mode, schedule);
    if (sharers == 1) return (rs_owned){bucket->offset, bucket->count};
    const int32_t n = schedule->n_ranks, each = n / sharers, place = rank % sharers;
    const int64_t first = rs_chunk_offset(bucket->count, n, place * each);
    const int64_t end = rs_chunk_offset(bucket->count, n, (place + 1) * each);
    return (rs_owned){bucket->offset + first, end - first};
}

int64_t rs_owned_count(const rs_step_plan *plan, rs_parallel mode, int32_t rank) {
    if (rs_sharers(mode, plan->schedule) == 1) return plan->layers->parameters;
    int64_t count = 0;
    for (int32_t b = 0; b < plan->n_buckets; b++) {
        count += rs_owned_of(mode, plan->schedule, &plan->buckets[b], rank).count;
    }
    return count;
}

bool rs_is_sharded(rs_parallel mode) {
    return mode == RS_ZERO1 || mode == RS_ZERO2 || rs_shards_weights(mode);
}

bool rs_shards_weights(rs_parallel mode) {
    return mode == RS_ZERO3 || mode == RS_HSDP;
}

const char *rs_parallel_name(rs_parallel mode) {
    static const char *const names[] = {"ddp", "dp", "none", "zero1", "zero2", "zero3", "hsdp"};
    return names[mode];
}
