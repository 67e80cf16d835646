/* Two lines to fill, of lesson 7: how long does the ring take, and when is half of it latency?
 *
 *     ringsim grade 07 fill.c
 */
#include "ring.h"

double ring_seconds(int n, double bytes, double alpha, double bandwidth) {
    const int n_steps = 2 * (n - 1);
    double one_step = alpha;
    /* Not the whole array is sent in a step. How many bytes are? */
    /* 一步里发送的不是整个数组。是多少字节？ */
    /* SKELETON: one_step += bytes / bandwidth; */
    /* BEGIN SOLUTION */
    one_step += bytes / n / bandwidth;
    /* END SOLUTION */
    return n_steps * one_step;
}

double half_latency_bytes(int n, double alpha, double bandwidth) {
    /* 传这么多字节的时间等于 alpha。 */
    const double chunk_bytes = alpha * bandwidth; /* these take as long as alpha */
    /* How large is the array whose chunk that is? */
    /* 块这么大的数组，一共有多大？ */
    /* SKELETON: return chunk_bytes + 0 * n; */
    /* BEGIN SOLUTION */
    return n * chunk_bytes;
    /* END SOLUTION */
}
