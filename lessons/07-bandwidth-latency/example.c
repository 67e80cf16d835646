/* A worked example: the ring of two GPUs.
 *
 *     step 0    each sends half of its array to the other, who adds        alpha + half / bandwidth
 *     step 1    each sends the half that is complete, who copies           alpha + half / bandwidth
 *
 * For two GPUs it is right. Any number of them is your exercise:
 *
 *     ringsim grade 07 example.c         gets 0 of 10: it is also asked about 64 GPUs
 */
#include "ring.h"

double ring_seconds(int n, double bytes, double alpha, double bandwidth) {
    (void)n;
    /* How large is a message? A chunk: with two GPUs half of the array. */
    const double half = bytes / 2;
    /* How long is it on its way? */
    const double one_step = alpha + half / bandwidth;
    /* How many steps follow one another? One to add, one to copy. */
    return one_step + one_step;
}

double half_latency_bytes(int n, double alpha, double bandwidth) {
    (void)n;
    /* Half of a step is latency when the chunk takes as long as alpha: half / bandwidth = alpha. */
    const double half = alpha * bandwidth;
    /* That was the chunk. The array has two of them. */
    return 2 * half;
}
