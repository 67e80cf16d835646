/* A worked example: no stages, that is training with an all-reduce.
 *
 *     kept    everything: 2 bytes of weight, 2 of gradient, 12 of the optimizer
 *     sent    two halves, reduce-scatter and all-gather, of (n - 1) / n each
 *
 * For stage 0 it is right. The stages are your exercise:
 *
 *     ringsim grade 18 example.c         gets 0 of 10: it is asked about stages 1, 2 and 3 as well
 */
#include "ring.h"

double zero_kept(int stage, int n, double params) {
    (void)stage, (void)n;
    const double weight = 2, gradient = 2, optimizer = 12;
    return (weight + gradient + optimizer) * params;
}

double zero_sent(int stage, int n, double bytes) {
    (void)stage;
    const double half = bytes * (n - 1) / n;
    return half + half;
}
