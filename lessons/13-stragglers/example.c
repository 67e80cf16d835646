/* A worked example: a ring of three GPUs.
 *
 * There are only two: 0 -> 1 -> 2 -> 0 and 0 -> 2 -> 1 -> 0. Of each the slowest link counts, and the ring
 * whose slowest link is the faster one is taken. For more GPUs there are more orders: (n - 1)! of them, 5040
 * for eight. To find the best of all is your exercise.
 *
 *     ringsim grade 13 example.c         gets 0 of 10: it is asked about 3 to 9 GPUs
 *
 * 完整的示例：三个 GPU 的环。
 * 只有两种走法。每种都看最慢的链路，取最慢链路较快的那个环。
 * GPU 更多时，顺序也更多：(n - 1)! 种，八个就是 5040 种。从中找出最好的，是你的练习。
 */
#include "ring.h"

static double larger(double a, double b) {
    return a > b ? a : b;
}

/* The slowest link of the ring a -> b -> c -> a. */
/* 环 a -> b -> c -> a 里最慢的链路。 */
static double slowest_of_three(const double seconds[], int a, int b, int c) {
    return larger(seconds[a * 3 + b], larger(seconds[b * 3 + c], seconds[c * 3 + a]));
}

void ring_order(int n, const double seconds[], int order[]) {
    /* 第一个环。 */
    for (int gpu = 0; gpu < n; gpu++) order[gpu] = gpu; /* the first ring */
    if (n != 3) return;
    /* Is the second one better? Then its order is the answer. */
    /* 第二个更好吗？那么答案就是它的顺序。 */
    if (slowest_of_three(seconds, 0, 2, 1) < slowest_of_three(seconds, 0, 1, 2)) {
        order[1] = 2;
        order[2] = 1;
    }
}
