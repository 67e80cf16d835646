/* Deals blocks, not cards. */
#include "ring.h"

int sampler_indices(int len, int world, int rank, int out[]) {
    const int count = (len + world - 1) / world;
    for (int i = 0; i < count; i++) out[i] = (rank * count + i) % len;
    return count;
}
