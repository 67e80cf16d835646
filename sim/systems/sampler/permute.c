/* permute.c: a shuffled order that is the same everywhere, and the one that torch.randperm gives.
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
#include "ringsim_sampler.h"

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
