/* sampler.c: deals a dataset to the ranks in turn, so that all get equally many samples.
 *
 *   - Padding needs no list of its own: position p holds sample order[p mod L], which begins again
 *     with the first samples, as often as necessary.
 *   - With L = 0 nobody gets anything.
 */
#include "ringsim_sampler.h"

#include <assert.h>

/* ------------------------------------------------------------------ a shuffled order */

/* A shuffled order that is the same everywhere, and the one that torch.randperm gives.
 *
 *   - The generator is the Mersenne Twister mt19937 (Matsumoto and Nishimura, ACM TOMACS 8(1), 1998) with
 *     its usual seeding by one 32-bit number. PyTorch's generator on the CPU is the same.
 *   - The shuffle goes forward: place i swaps with one of the places from i on.
 *
 *         i = 1     4 | 1 2 3 0      r mod 4 = 2  -->  4 3 | 2 1 0
 *                       ^   ^
 *   - r mod (n - i) is not perfectly even: with n = 10^8 some places are likelier than others by
 *     one part in 42.
 */

enum { N_WORDS = 624, MIDDLE = 397 };

typedef struct twister {
    uint32_t words[N_WORDS];
    int next;
} twister;

static void seed_twister(twister *t, uint32_t seed) {
    t->words[0] = seed;
    for (uint32_t i = 1; i < N_WORDS; i++) {
        const uint32_t before = t->words[i - 1];
        t->words[i] = 1812433253u * (before ^ before >> 30) + i;
    }
    t->next = N_WORDS;
}

static uint32_t twist(uint32_t high, uint32_t low) {
    const uint32_t both = (high & 0x80000000u) | (low & 0x7fffffffu);
    return both >> 1 ^ ((low & 1) != 0 ? 0x9908b0dfu : 0);
}

static void refill(twister *t) {
    uint32_t *w = t->words;
    for (int i = 0; i < N_WORDS; i++) {
        w[i] = w[(i + MIDDLE) % N_WORDS] ^ twist(w[i], w[(i + 1) % N_WORDS]);
    }
    t->next = 0;
}

static uint32_t draw(twister *t) {
    if (t->next == N_WORDS) refill(t);
    uint32_t y = t->words[t->next++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

void rs_permute(int64_t n, uint64_t seed, int32_t order[]) {
    twister t;
    seed_twister(&t, (uint32_t)seed);
    for (int64_t i = 0; i < n; i++) order[i] = (int32_t)i;
    for (int64_t i = 0; i < n - 1; i++) {
        const int64_t other = i + draw(&t) % (uint32_t)(n - i);
        const int32_t kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

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
        if (made.order == NULL) return rs_no_memory(error);
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
