/* sampler.c: deals a dataset to the ranks in turn, so that all get equally many samples.
 *
 *   - Padding needs no list of its own: position p holds sample order[p mod L], which begins again
 *     with the first samples, as often as necessary.
 *   - With L = 0 nobody gets anything.
 */
#include "ringsim_sampler.h"

#include <assert.h>

static rs_status check_numbers(const rs_sampling *s, rs_error *error) {
    if (s->n_samples < 0 || s->n_samples > RS_MAX_SAMPLES) {
        return rs_fail(error, RS_BAD_INPUT,
                       "a dataset of %lld samples: the sampler deals out 0..%d",
                       (long long)s->n_samples, RS_MAX_SAMPLES);
    }
    if (s->n_ranks < 1 || s->n_ranks > RS_MAX_RANKS) {
        return rs_fail(error, RS_BAD_INPUT, "%d ranks: the sampler deals to 1..%d", (int)s->n_ranks,
                       RS_MAX_RANKS);
    }
    return RS_OK;
}

rs_status rs_shard(const rs_sampling *sampling, rs_arena *arena, rs_error *error,
                   rs_shards *shards) {
    const rs_status status = check_numbers(sampling, error);
    if (status != RS_OK) return status;
    const int64_t n = sampling->n_samples, ranks = sampling->n_ranks;
    rs_shards made = {.of = *sampling};
    made.per_rank = sampling->drop_last ? n / ranks : (n + ranks - 1) / ranks;
    made.total = made.per_rank * ranks;
    made.n_padded = made.total > n ? made.total - n : 0;
    made.n_dropped = made.total < n ? n - made.total : 0;
    if (sampling->shuffle) {
        made.order = rs_alloc(arena, (size_t)n, sizeof *made.order);
        if (made.order == NULL) {
            return rs_no_memory(error);
        }
        rs_permute(n, sampling->seed + sampling->epoch, made.order);
    }
    *shards = made;
    return RS_OK;
}

int64_t rs_shard_position(const rs_shards *shards, int64_t position) {
    assert(position >= 0 && position < shards->total);
    const int64_t place = position % shards->of.n_samples;
    return shards->order != NULL ? shards->order[place] : place;
}

int64_t rs_shard_sample(const rs_shards *shards, int32_t rank, int64_t i) {
    assert(i >= 0 && i < shards->per_rank);
    return rs_shard_position(shards, i * shards->of.n_ranks + rank);
}

void rs_batches_of(const rs_shards *shards, int64_t per_rank, rs_batches *batches) {
    assert(per_rank >= 1);
    const int64_t n_steps = shards->per_rank / per_rank + (shards->per_rank % per_rank != 0);
    *batches = (rs_batches){.per_rank = per_rank,
                            .per_step = per_rank * shards->of.n_ranks,
                            .n_steps = n_steps,
                            .last = n_steps > 0 ? shards->per_rank - (n_steps - 1) * per_rank : 0};
}
