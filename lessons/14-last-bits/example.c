/* A worked example: the four sums of the lesson, with four ranks, written out.
 *
 *     chunk 0    ((x0 + x1) + x2) + x3       rank 0 begins, the sum goes round the ring
 *     chunk 1    ((x1 + x2) + x3) + x0       rank 1 begins, rank 0 adds last
 *     ...
 *
 * For four ranks it is right, to the last bit. Any number of them is your exercise:
 *
 *     ringsim grade 14 example.c         gets 0 of 10: it is also asked about 2 to 16 ranks
 */
#include "ring.h"

float ring_sum(int n, int chunk, const float x[]) {
    if (n != 4) return 0;
    /* Who begins? The rank with the chunk's number. Who comes next? Its neighbour; after 3 comes 0. */
    if (chunk == 0) return ((x[0] + x[1]) + x[2]) + x[3];
    if (chunk == 1) return ((x[1] + x[2]) + x[3]) + x[0];
    if (chunk == 2) return ((x[2] + x[3]) + x[0]) + x[1];
    return ((x[3] + x[0]) + x[1]) + x[2];
}
