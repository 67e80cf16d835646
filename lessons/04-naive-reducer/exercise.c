/* Exercise of lesson 4: one reducer, and what it costs.
 *
 * reduce() adds up n arrays of `count` numbers; array r begins at in[r * count].
 * naive_seconds() says how long it takes when GPU 0 gets all the other arrays, one after the other, and
 * sends the sum back to each: a message of `bytes` bytes takes alpha + bytes / bandwidth seconds.
 *
 *     ringsim grade 04 exercise.c
 */
#include "ring.h"

void reduce(int n, int count, const int in[], int sum[]) {
    /* SKELETON: (void)n; */
    /* SKELETON: for (int i = 0; i < count; i++) sum[i] = in[i]; */
    /* BEGIN SOLUTION */
    for (int i = 0; i < count; i++) {
        sum[i] = 0;
        for (int r = 0; r < n; r++) sum[i] += in[r * count + i];
    }
    /* END SOLUTION */
}

double naive_seconds(int n, double bytes, double alpha, double bandwidth) {
    /* SKELETON: (void)n; */
    /* SKELETON: return alpha + bytes / bandwidth; */
    /* BEGIN SOLUTION */
    return 2 * (n - 1) * (alpha + bytes / bandwidth);
    /* END SOLUTION */
}
