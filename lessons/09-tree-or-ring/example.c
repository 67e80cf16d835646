/* A worked example: tree or ring, for eight GPUs.
 *
 *     tree    three levels up, three down: 6 messages of the whole array, one after the other
 *     ring    7 steps that add, 7 that copy: 14 messages of an eighth
 *
 * For eight GPUs it is right. Any number of them is your exercise:
 *
 *     ringsim grade 09 example.c         gets 0 of 10: it is asked about 3 to 64 GPUs
 */
#include "ring.h"

int choose(int n, double bytes, double alpha, double bandwidth) {
    (void)n;
    /* How long is one message of each kind on its way? */
    const double whole = alpha + bytes / bandwidth, eighth = alpha + bytes / 8 / bandwidth;
    /* How many follow one another? */
    const double tree_takes = 6 * whole, ring_takes = 14 * eighth;
    /* 1 says: the ring. */
    return ring_takes < tree_takes ? 1 : 0;
}
