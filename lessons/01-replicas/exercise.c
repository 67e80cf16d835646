/* Exercise of lesson 1: the mean over all samples.
 *
 * n replicas have each computed the mean gradient over their own samples: grads[r], over samples[r] of
 * them. The numbers of samples differ; a replica may have none. Return the mean over all samples, the
 * one that a single machine with all the data would have found.
 *
 *     ringsim grade 01 exercise.c
 */
#include "ring.h"

double average(int n, const double grads[], const int samples[]) {
    /* SKELETON: (void)n, (void)samples; */
    /* SKELETON: return grads[0]; */
    /* BEGIN SOLUTION */
    double sum = 0, all = 0;
    for (int r = 0; r < n; r++) {
        sum += grads[r] * samples[r];
        all += samples[r];
    }
    return sum / all;
    /* END SOLUTION */
}
