/* Two lines to fill, of lesson 19: the fastest schedule for a row of GPUs.
 *
 *     ringsim --machine line --algo fill.c --step
 *     ringsim grade 19 fill.c
 */
#include "ring.h"

int chunks(int n) {
    return 12 * n;
}

int steps(int n) {
    return chunks(n) + 2 * n - 3;
}

int sends(int step, int rank, int n, rs_send out[]) {
    int used = 0, leftwards = -1, rightwards = -1;
    /* GPU n-1 sends chunk c to the left in step c, GPU n-2 a step later: which one does this GPU send? */
    /* GPU n-1 在第 c 步向左发送块 c，GPU n-2 晚一步：这个 GPU 发送哪一块？ */
    /* SKELETON: leftwards = step; */
    /* BEGIN SOLUTION */
    leftwards = step - (n - 1 - rank);
    /* END SOLUTION */
    /* GPU 0 sends chunk c back in step c + n - 1, GPU 1 a step later. */
    /* GPU 0 在第 c + n - 1 步把块 c 发回去，GPU 1 晚一步。 */
    /* SKELETON: rightwards = step - n; */
    /* BEGIN SOLUTION */
    rightwards = step - (n - 1) - rank;
    /* END SOLUTION */
    if (rank > 0 && leftwards >= 0 && leftwards < chunks(n)) {
        out[used].to = rank - 1;
        out[used++].chunk = leftwards;
    }
    if (rank + 1 < n && rightwards >= 0 && rightwards < chunks(n)) {
        out[used].to = rank + 1;
        out[used].copy = 1;
        out[used++].chunk = rightwards;
    }
    return used;
}
