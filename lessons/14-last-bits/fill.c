/* Two lines to fill, of lesson 14: the sum in the ring's order, and who keeps it. What makes all keep it is there.
 *
 *     ringsim grade 14 fill.c
 */
#include "ring.h"

float ring_sum(int n, int chunk, const float x[]) {
    int rank = chunk;
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

int keeps_order(int n, int count, int other, int element) {
    const int chunk = element / (count / n);
    int in_other = 0;
    /* In which chunk does it lie in the other array? */
    /* 在另一个数组里，它在哪一块？ */
    /* SKELETON: (void)other; */
    /* BEGIN SOLUTION */
    in_other = element / (other / n);
    /* END SOLUTION */
    return chunk == in_other;
}

int what_to_set(int n, int count, int other, int channels, int other_channels) {
    if (n <= 2 || count == other) return SET_NOTHING;
    /* On one channel both calls have the same tree; the least setting leaves the others alone. */
    /* 只有一个通道时，两个调用用同一棵树；最少的设置不动其余的。 */
    return channels == 1 && other_channels == 1 ? SET_TREE : SET_TREE_ON_ONE_CHANNEL;
}
