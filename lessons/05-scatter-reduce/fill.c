/* Two lines to fill, of lesson 5: the same function as in exercise.c, half done.
 *
 *     ringsim grade 05 fill.c
 */
#include "ring.h"

int send_chunk(int step, int rank, int n) {
    int chunk = rank;
    /* In step 0 that is right. Each step on, what has just arrived is sent: which chunk is it? */
    /* 第 0 步这样是对的。以后每一步发送刚收到的块：是哪一块？ */
    /* SKELETON: chunk = chunk; (void)step; */
    /* BEGIN SOLUTION */
    chunk = rank - step;
    /* END SOLUTION */
    /* Below 0 one begins again at the other end. */
    /* 小于 0 时从另一端重新数起。 */
    /* SKELETON: (void)n; */
    /* BEGIN SOLUTION */
    if (chunk < 0) chunk = chunk + n;
    /* END SOLUTION */
    return chunk;
}
