/* A worked example: eight samples for four ranks.
 *
 *     sample    0 1 2 3 4 5 6 7
 *     rank      0 1 2 3 0 1 2 3        like cards: rank 1 sees samples 1 and 5
 *
 * For as many samples as can be shared out evenly it is right. What is done with nine is your exercise:
 *
 *     ringsim grade 02 example.c         gets 0 of 10: it is asked about fewer samples than ranks
 */
#include "ring.h"

int sampler_indices(int len, int world, int rank, int out[]) {
    /* How many does each rank get? All samples, shared out; nothing may be left over here. */
    const int each = len / world;
    /* Which is its first? The one with its own number. */
    int sample = rank;
    /* And the next one? As many further on as there are ranks, since the others come between. */
    for (int i = 0; i < each; i++, sample += world) out[i] = sample;
    return each;
}
