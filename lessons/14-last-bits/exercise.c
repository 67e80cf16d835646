/* Exercise of lesson 14: the ring's own sum.
 *
 * x[r] is what rank r holds in chunk `chunk`. Add up the n numbers in float, in the very order in which
 * the ring does: rank `chunk` begins, then chunk + 1, and so on round the ring. The grader compares bits.
 * Then: does NCCL's ring add an element in the same order in arrays of two sizes?
 * And: what is the least that makes all elements keep their bits?
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

int what_to_set(int n, int count, int other, int channels, int other_channels) {
    /* SKELETON: (void)n, (void)count, (void)other, (void)channels, (void)other_channels; */
    /* SKELETON: return -1; */
    /* BEGIN SOLUTION */
    if (n <= 2 || count == other) return SET_NOTHING;
    return channels == 1 && other_channels == 1 ? SET_TREE : SET_TREE_ON_ONE_CHANNEL;
    /* END SOLUTION */
}
