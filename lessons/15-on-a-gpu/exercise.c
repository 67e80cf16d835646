/* Exercise of lesson 15: the two bandwidths of nccl-tests.
 *
 * An all-reduce of `bytes` bytes a GPU took `seconds`. algbw() is bytes over time. busbw() is what each
 * link really carried: a GPU sends 2 (n - 1) / n times its array. Both in bytes a second.
 *
 *     ringsim grade 15 exercise.c
 */
#include "ring.h"

double algbw(double bytes, double seconds) {
    /* SKELETON: (void)seconds; */
    /* SKELETON: return bytes; */
    /* BEGIN SOLUTION */
    return bytes / seconds;
    /* END SOLUTION */
}

double busbw(int n, double bytes, double seconds) {
    /* SKELETON: (void)n; */
    /* SKELETON: return algbw(bytes, seconds); */
    /* BEGIN SOLUTION */
    return algbw(bytes, seconds) * 2 * (n - 1) / n;
    /* END SOLUTION */
}
