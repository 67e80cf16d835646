/* A worked example: two flows on one wire.
 *
 *     while both are there       each has half: the short one needs its bytes / (bandwidth / 2)
 *     when the short one is over the long one is alone, with all of the wire, and its rest to go
 *
 * For two flows it is right. Any number of them is your exercise:
 *
 *     ringsim grade 16 example.c         gets 0 of 10: it is asked about up to eight
 */
#include "ring.h"

void flow_ends(int n, const double bytes[], double bandwidth, double end[]) {
    if (n != 2) return;
    /* Which is the short one? */
    const int small = bytes[0] < bytes[1] ? 0 : 1, large = 1 - small;
    /* Both are there. */
    end[small] = bytes[small] / (bandwidth / 2);
    /* The long one has moved as many bytes as the short one; the rest goes at full speed. */
    end[large] = end[small] + (bytes[large] - bytes[small]) / bandwidth;
}
