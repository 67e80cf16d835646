/* Two lines to fill, of the exercise on sharing the data.
 *
 *     ringsim grade 02 fill.c
 */
#include "ring.h"

int sampler_indices(int len, int world, int rank, int out[]) {
    int each = len / world;
    /* Where samples are left over every rank gets one more, so that all have equally many. */
    /* 样本有剩余时，每个 rank 都多得一个，让大家一样多。 */
    /* SKELETON: each = each; */
    /* BEGIN SOLUTION */
    if (len % world != 0) each++;
    /* END SOLUTION */
    for (int i = 0; i < each; i++) {
        int sample = rank + i * world;
        /* Where the samples have run out one begins again with sample 0. */
        /* 样本用完之后，又从样本 0 开始。 */
        /* SKELETON: sample = sample; */
        /* BEGIN SOLUTION */
        sample = sample % len;
        /* END SOLUTION */
        out[i] = sample;
    }
    return each;
}
