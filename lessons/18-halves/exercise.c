/* Exercise of lesson 18: what a GPU keeps, and sends.
 *
 * Adam in mixed precision on n GPUs: 2 bytes a parameter for the weight, 2 for the gradient, 12 for the optimizer. Stage
 * 0 cuts nothing into shards, 1 the optimizer, 2 the gradients, too, 3 the weights, too. A half of an all-reduce lets
 * each GPU send (n - 1) / n of the array.
 *
 *     ringsim grade 18 exercise.c
 */
#include "ring.h"

double zero_kept(int stage, int n, double params) {
    /* SKELETON: (void)stage, (void)n, (void)params; */
    /* SKELETON: return 0; */
    /* BEGIN SOLUTION */
    const double weight = stage >= 3 ? 2.0 / n : 2, gradient = stage >= 2 ? 2.0 / n : 2;
    const double optimizer = stage >= 1 ? 12.0 / n : 12;
    return params * (weight + gradient + optimizer);
    /* END SOLUTION */
}

double zero_sent(int stage, int n, double bytes) {
    /* SKELETON: (void)stage, (void)n, (void)bytes; */
    /* SKELETON: return 0; */
    /* BEGIN SOLUTION */
    const int halves = stage == 3 ? 3 : 2;
    return halves * bytes * (n - 1) / n;
    /* END SOLUTION */
}
