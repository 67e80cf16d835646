/* train_memory.c: what lies in the GPUs' memory: of this training, in float; and of a model trained in mixed
 * precision.
 *
 *     bytes a parameter, adam    weights  gradients  copy  states      sum
 *     ddp                              2          2     4       8       16
 *     zero1                            2          2   4/N     8/N    4 + 12/N
 *     zero2                            2        2/N   4/N     8/N    2 + 14/N
 *     zero3                          2/N        2/N   4/N     8/N    16/N     and the bucket that is gathered
 *
 * Rajbhandari, Rasley, Ruwase, He: ZeRO, SC 2020 (arXiv 1910.02054), sections 3.1 and 5. Shards are exact: of K elements
 * the first K mod N ranks own one more.
 */
#include "systems/train/train_time.h"

/* Returns the elements that lie gathered at the same time, at the most: of a bucket, with prefetch of two that
   follow each other. */
static int64_t gathered_count(const rs_step_plan *plan) {
    int64_t most = 0;
    for (int32_t b = 0; b < plan->n_buckets; b++) {
        const bool two = plan->overlap && b + 1 < plan->n_buckets;
        const int64_t count = plan->buckets[b].count + (two ? plan->buckets[b + 1].count : 0);
        if (count > most) most = count;
    }
    return most;
}

/* Returns the elements of gradients that were found and not yet scattered, at the most: a bucket is filled from
   when the one before it is full. */
static int64_t unscattered_count(const rs_step_plan *plan, const rs_bucket_time times[]) {
    int64_t most = 0, count = 0;
    int32_t oldest = 0;
    for (int32_t b = 0; b < plan->n_buckets; b++) {
        count += plan->buckets[b].count;
        while (oldest < b && times[oldest].end_ps <= times[b - 1].ready_ps) {
            count -= plan->buckets[oldest++].count;
        }
        if (count > most) most = count;
    }
    return most;
}

static bool shards_gradients(const rs_step_plan *plan, rs_parallel mode) {
    return (mode == RS_ZERO2 || rs_shards_weights(mode)) && plan->accumulate == 1;
}

rs_model_state rs_model_state_of(const rs_step_plan *plan, rs_parallel mode, int32_t rank) {
    const int64_t all = plan->layers->parameters, own = rs_owned_count(plan, mode, rank);
    const bool sharded = rs_sharers(mode, plan->schedule) > 1, weights = rs_shards_weights(mode);
    const int64_t states = rs_optimizer_states(plan->optimizer);
    rs_model_state state = {.weights = 2 * (weights ? own : all),
                            .gradients = 2 * (shards_gradients(plan, mode) ? own : all),
                            .copy = 4 * own,
                            .optimizer = 4 * states * own};
    if (sharded && weights) state.gathered = 2 * gathered_count(plan);
    if (mode == RS_DP && rank > 0) state.copy = state.optimizer = 0;
    return state;
}

int64_t rs_model_state_bytes(const rs_model_state *s) {
    return s->weights + s->gradients + s->copy + s->optimizer + s->gathered;
}

static void fill_dp(const rs_step_plan *plan, int32_t rank, int64_t all_samples, rs_memory *m) {
    const rs_layers *layers = plan->layers;
    /* outputs and their gradients; GPU 0 has everybody's, the whole batch, and what arrives */
    m->data += 2 * plan->batch[rank] * RS_ELEMENT_BYTES * layers->output;
    if (rank > 0) {
        m->states = 0;
        return;
    }
    m->buckets = m->weights;
    m->data = RS_ELEMENT_BYTES * all_samples * (layers->input + 2 * layers->output);
}

static void fill_sharded(const rs_step_plan *plan, const rs_bucket_time times[], int64_t own_bytes,
                         rs_memory *m) {
    if (shards_gradients(plan, plan->mode)) {
        m->gradients = own_bytes;
        m->buckets = RS_ELEMENT_BYTES * unscattered_count(plan, times);
    }
    if (rs_shards_weights(plan->mode)) {
        m->weights = own_bytes + RS_ELEMENT_BYTES * gathered_count(plan);
    }
}

void rs_fill_memory(const rs_step_plan *plan, const rs_bucket_time times[], rs_memory memory[]) {
    const rs_layers *layers = plan->layers;
    const int64_t model = layers->parameters * RS_ELEMENT_BYTES;
    const bool exchanges = plan->n_ranks > 1 && plan->mode != RS_NONE;
    int64_t all_samples = 0;
    for (int32_t r = 0; r < plan->n_ranks; r++) all_samples += plan->batch[r];
    for (int32_t r = 0; r < plan->n_ranks; r++) {
        const bool ended = plan->ddp != NULL && r == plan->ddp->ended_rank;
        const int64_t own = ended ? 0 : plan->batch[r] * RS_ELEMENT_BYTES;
        const int64_t owned = rs_owned_count(plan, plan->mode, r) * RS_ELEMENT_BYTES;
        rs_memory *m = &memory[r];
        *m = (rs_memory){.weights = model,
                         .gradients = model,
                         .activations = own * layers->activations,
                         .data = own * layers->input,
                         .states = rs_optimizer_states(plan->optimizer) * owned};
        if (exchanges && plan->mode == RS_DP) {
            fill_dp(plan, r, all_samples, m);
        } else if (exchanges) {
            m->buckets = model;
        }
        if (rs_sharers(plan->mode, plan->schedule) > 1) fill_sharded(plan, times, owned, m);
    }
}
