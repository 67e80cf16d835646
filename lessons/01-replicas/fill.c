/* Two lines to fill, of lesson 1: the mean over all samples.
 *
 *     ringsim grade 01 fill.c
 */
#include "ring.h"

double average(int n, const double grads[], const int samples[]) {
    double total = 0;
    int n_samples = 0;
    for (int rank = 0; rank < n; rank++) {
        n_samples += samples[rank];
        /* grads[rank] is a mean. What does this rank add to the sum over all samples? */
        /* grads[rank] 是平均值。这个 rank 给全部样本的总和加上多少？ */
        /* SKELETON: total += grads[rank]; */
        /* BEGIN SOLUTION */
        total += grads[rank] * samples[rank];
        /* END SOLUTION */
    }
    /* Over how many was summed? */
    /* 一共对多少个样本求了和？ */
    /* SKELETON: return n_samples > 0 ? total : 0; */
    /* BEGIN SOLUTION */
    return total / n_samples;
    /* END SOLUTION */
}
