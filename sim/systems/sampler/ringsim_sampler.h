/* ringsim_sampler.h: which rank sees which sample of a dataset: the rules of a distributed sampler.
 *
 *     dataset 0..L-1 --> order (0, 1, 2, ... or shuffled) --> given to the ranks in turn
 *
 *     L = 10, R = 4     order  0 1 2 3 4 5 6 7 8 9 | 0 1      padded from the order's own head
 *     rank 0            0       4       8
 *     rank 1              1       5       9
 *     rank 2                2       6          0              seen twice
 *     rank 3                  3       7          1            seen twice
 *
 *   - Position p of the order goes to rank p mod R. Every rank gets ceil(L / R) samples: a rank with
 *     fewer would leave the collectives of the last step early, and the others would wait for it.
 *   - Where the order ends, it begins again, as often as needed (3 samples on 7 ranks work).
 *   - With drop_last every rank gets floor(L / R) and the order's last L mod R samples are seen by nobody.
 *   - The rules are those of torch.utils.data.DistributedSampler, pytorch/pytorch
 *     torch/utils/data/distributed.py; the shuffled order is what it gets from torch.randperm on the CPU.
 */
#pragma once

#include "ringsim.h"

RS_BEGIN_DECLS

enum { RS_MAX_SAMPLES = 100000000 }; /* from 214,748,364 on torch.randperm draws another way */

/* Writes a permutation of 0..n-1 into order[n], the same on all machines: mt19937 seeded with the low
   32 bits of `seed`; for i = 0, 1, ..., n-2 the places i and i + (next 32 bits) mod (n - i) change
   contents. Bit for bit torch.randperm(n) after manual_seed(seed) on the CPU (pytorch/pytorch,
   aten/src/ATen/native/TensorFactories.cpp, randperm_cpu), for 0 <= n <= RS_MAX_SAMPLES. */
void rs_permute(int64_t n, uint64_t seed, int32_t order[]);

typedef struct rs_sampling {
    int64_t n_samples; /* L, 0..RS_MAX_SAMPLES */
    int32_t n_ranks;   /* R, 1..RS_MAX_RANKS */
    bool shuffle;      /* in the order of rs_permute(L, seed + epoch); else 0, 1, 2, ... */
    bool drop_last;
    uint64_t seed, epoch; /* an epoch that nobody sets is 0 for ever */
} rs_sampling;

typedef struct rs_shards {
    rs_sampling of;
    int64_t per_rank; /* samples of each rank, repeated ones counted again */
    int64_t total;    /* per_rank * R */
    int64_t n_padded; /* total - L where that is positive: samples that are seen once more */
    int64_t n_dropped;
    int32_t *order; /* [n_samples], the caller's arena; NULL: 0, 1, 2, ... */
} rs_shards;

/* Deals the dataset out. RS_BAD_INPUT: a number is out of its range. */
rs_status rs_shard(const rs_sampling *sampling, rs_arena *arena, rs_error *error,
                   rs_shards *shards);
/* Returns the i-th sample of a rank, 0 <= i < per_rank. */
int64_t rs_shard_sample(const rs_shards *shards, int32_t rank, int64_t i);
/* Returns the sample at a position 0..total-1 of the padded order: rank p mod R's (p / R)-th. */
int64_t rs_shard_position(const rs_shards *shards, int64_t position);

/* How a rank's samples become batches, as a data loader makes them that keeps the last, short one. */
typedef struct rs_batches {
    int64_t per_rank; /* samples of a rank in a full batch */
    int64_t per_step; /* of all ranks together: what one update of the weights has seen */
    int64_t n_steps;  /* of an epoch, of every rank alike */
    int64_t last;     /* samples of a rank in the last batch */
} rs_batches;
/* Cuts the shards into batches of per_rank >= 1 samples. */
void rs_batches_of(const rs_shards *shards, int64_t per_rank, rs_batches *batches);

RS_END_DECLS
