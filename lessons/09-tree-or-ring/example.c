/* A worked example: tree or ring, for eight GPUs.
 *
 *     tree    three levels up, three down: 6 messages of the whole array, one after the other
 *     ring    7 steps that add, 7 that copy: 14 messages of an eighth
 *
 * For eight GPUs it is right. Any number of them is your exercise:
 *
 *     ringsim grade 09 example.c         gets 0 of 10: it is asked about 3 to 64 GPUs
 *
 * 完整的示例：八个 GPU，用树还是用环？
 * 树：上三层，下三层，先后 6 条消息，每条是整个数组；环：7 步累加，7 步覆盖，14 条消息，每条八分之一。
 * 对八个 GPU 它是对的。任意多个 GPU 是你的练习。
 */
#include "ring.h"

int choose(int n, double bytes, double alpha, double bandwidth) {
    (void)n;
    /* How long is one message of each kind on its way? */
    /* 两种消息，每条各用多少时间？ */
    const double whole = alpha + bytes / bandwidth, eighth = alpha + bytes / 8 / bandwidth;
    /* How many follow one another? */
    /* 各有多少条先后相接？ */
    const double tree_takes = 6 * whole, ring_takes = 14 * eighth;
    /* 1 says: the ring. */
    /* 1 表示：用环。 */
    return ring_takes < tree_takes ? 1 : 0;
}
