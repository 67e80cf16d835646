/* Exercise of lesson 14: the ring's own sum.
 *
 * x[r] is what rank r holds in chunk `chunk`. Add up the n numbers in float, in the very order in which
 * the ring does: rank `chunk` begins, then chunk + 1, and so on round the ring. The grader compares bits.
 * Then: does NCCL's ring add an element in the same order in arrays of two sizes?
 *
 *     ringsim grade 14 exercise.c
 */
#include "ring.h"

float ring_sum(int n, int chunk, const float x[]) {
    /* SKELETON: (void)n; */
    /* SKELETON: return x[chunk]; */
    /* BEGIN SOLUTION */
    float sum = x[chunk];
    for (int i = 1; i < n; i++) sum += x[(chunk + i) % n];
    return sum;
    /* END SOLUTION */
}

int keeps_order(int n, int count, int other, int element) {
    /* SKELETON: (void)n, (void)count, (void)other, (void)element; */
    /* SKELETON: return -1; */
    /* BEGIN SOLUTION */
    return element / (count / n) == element / (other / n);
    /* END SOLUTION */
}
