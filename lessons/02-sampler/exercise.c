/* Exercise on sharing the data: which samples does a rank see?
 *
 * `len` samples are dealt to `world` ranks like cards: rank r gets r, r + world, r + 2 world, ... All get
 * equally many, ceil(len / world); where the samples run out they begin again with sample 0. Write them
 * into out[] and return how many there are.
 *
 *     ringsim grade 02 exercise.c
 */
#include "ring.h"

int sampler_indices(int len, int world, int rank, int out[]) {
    /* SKELETON: (void)len, (void)world; */
    /* SKELETON: out[0] = rank; */
    /* SKELETON: return 1; */
    /* BEGIN SOLUTION */
    const int count = (len + world - 1) / world;
    for (int i = 0; i < count; i++) out[i] = (rank + i * world) % len;
    return count;
    /* END SOLUTION */
}
