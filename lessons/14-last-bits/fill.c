/* Two lines to fill, of lesson 14: the sum in the ring's order, and who keeps it.
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

/* Two chunks, two sizes, two numbers of channels: when do they add in one order? */
static int same(int one, int other) {
    int yes = 0;
    /* Chunk c begins at rank c + 1 whatever the array; a size always has the same chunks. */
    /* 块 c 总是从 rank c + 1 开始，与数组无关；同一个大小总是切成同样的块。 */
    /* SKELETON: (void)one, (void)other; */
    /* BEGIN SOLUTION */
    yes = one == other;
    /* END SOLUTION */
    return yes;
}

int keeps_order(int n, int count, int other, int element) {
    return same(element / (count / n), element / (other / n));
}

int what_to_set(int n, int count, int other, int channels, int other_channels) {
    if (n <= 2 || same(count, other)) return SET_NOTHING;
    return same(channels, 1) && same(other_channels, 1) ? SET_TREE : SET_TREE_ON_ONE_CHANNEL;
}
