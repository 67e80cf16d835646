/* Exercise of lesson 7: how long does the ring take?
 *
 * ring_seconds(): n GPUs, `bytes` bytes each; a message of b bytes takes alpha + b / bandwidth seconds.
 * half_latency_bytes(): for how many bytes is half of that time latency, half transfer?
 *
 *     ringsim grade 07 exercise.c
 */
#include "ring.h"

double ring_seconds(int n, double bytes, double alpha, double bandwidth) {
    /* SKELETON: (void)n; */
    /* SKELETON: return alpha + bytes / bandwidth; */
    /* BEGIN SOLUTION */
    return 2 * (n - 1) * (alpha + bytes / n / bandwidth);
    /* END SOLUTION */
}

double half_latency_bytes(int n, double alpha, double bandwidth) {
    /* SKELETON: (void)n; */
    /* SKELETON: return alpha * bandwidth; */
    /* BEGIN SOLUTION */
    return n * alpha * bandwidth;
    /* END SOLUTION */
}
