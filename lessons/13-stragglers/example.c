/* A worked example: a ring of three GPUs.
 *
 * There are only two: 0 -> 1 -> 2 -> 0 and 0 -> 2 -> 1 -> 0. Of each the slowest link counts, and the ring
 * whose slowest link is the faster one is taken. For more GPUs there are more orders: (n - 1)! of them, 5040
 * for eight. To find the best of all is your exercise.
 *
 *     ringsim grade 13 example.c         gets 0 of 10: it is asked about 3 to 9 GPUs
 */
#include "ring.h"

static double larger(double a, double b) {
    return a > b ? a : b;
}

/* The slowest link of the ring a -> b -> c -> a. */
static double slowest_of_three(const double seconds[], int a, int b, int c) {
    return larger(seconds[a * 3 + b], larger(seconds[b * 3 + c], seconds[c * 3 + a]));
}

void ring_order(int n, const double seconds[], int order[]) {
    for (int gpu = 0; gpu < n; gpu++) order[gpu] = gpu; /* the first ring */
    if (n != 3) return;
    /* Is the second one better? Then its order is the answer. */
    if (slowest_of_three(seconds, 0, 2, 1) < slowest_of_three(seconds, 0, 1, 2)) {
        order[1] = 2;
        order[2] = 1;
    }
}
