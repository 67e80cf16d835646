/* A worked example: the ring of two GPUs.
 *
 *     step 0    each sends half of its array to the other, who adds        alpha + half / bandwidth
 *     step 1    each sends the half that is complete, who copies           alpha + half / bandwidth
 *
 * For two GPUs it is right. Any number of them is your exercise:
 *
 *     ringsim grade 07 example.c         gets 0 of 10: it is also asked about 64 GPUs
 *
 * 完整的示例：两个 GPU 的环。
 * 第 0 步：各把数组的一半发给对方，对方累加；第 1 步：各把完整的一半发出，对方覆盖。
 * 对两个 GPU 它是对的。任意多个 GPU 是你的练习。
 */
#include "ring.h"

double ring_seconds(int n, double bytes, double alpha, double bandwidth) {
    (void)n;
    /* How large is a message? A chunk: with two GPUs half of the array. */
    /* 一条消息多大？一块：两个 GPU 时是半个数组。 */
    const double half = bytes / 2;
    /* How long is it on its way? */
    /* 它在路上用多少时间？ */
    const double one_step = alpha + half / bandwidth;
    /* How many steps follow one another? One to add, one to copy. */
    /* 有多少步先后相接？一步累加，一步覆盖。 */
    return one_step + one_step;
}

double half_latency_bytes(int n, double alpha, double bandwidth) {
    (void)n;
    /* Half of a step is latency when the chunk takes as long as alpha: half / bandwidth = alpha. */
    /* 传一块的时间等于 alpha 时，一步里有一半是时延：half / bandwidth = alpha。 */
    const double half = alpha * bandwidth;
    /* That was the chunk. The array has two of them. */
    /* 那是一块。数组有两块。 */
    return 2 * half;
}
