/* Two lines to fill, of lesson 14: the sum in the ring's order.
 *
 *     ringsim grade 14 fill.c
 */
#include "ring.h"

float ring_sum(int n, int chunk, const float x[]) {
    int rank = 0;
    /* Which rank begins with this chunk? */
    /* 这一块由哪个 rank 开始？ */
    /* SKELETON: (void)chunk; */
    /* BEGIN SOLUTION */
    rank = chunk;
    /* END SOLUTION */
    float total = x[rank];
    for (int hop = 1; hop < n; hop++) {
        /* To whom does the sum travel? After the last rank comes rank 0. */
        /* 和接着传给谁？最后一个 rank 之后是 rank 0。 */
        /* SKELETON: rank = hop; */
        /* BEGIN SOLUTION */
        rank = (rank + 1) % n;
        /* END SOLUTION */
        total += x[rank];
    }
    return total;
}
