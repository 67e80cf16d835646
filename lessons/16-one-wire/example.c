/* A worked example: two flows on one wire.
 *
 *     while both are there       each has half: the short one needs its bytes / (bandwidth / 2)
 *     when the short one is over the long one is alone, with all of the wire, and its rest to go
 *
 * For two flows it is right. Any number of them is your exercise:
 *
 *     ringsim grade 16 example.c         gets 0 of 10: it is asked about up to eight
 *
 * 完整的示例：一条链路上的两个流。
 * 两个都在时各得一半，短的用：字节数 / (带宽 / 2)；短的结束后，长的独占整条链路，传完余下的。
 * 对两个流它是对的。任意多个流是你的练习。
 */
#include "ring.h"

void flow_ends(int n, const double bytes[], double bandwidth, double end[]) {
    if (n != 2) return;
    /* Which is the short one? */
    /* 哪个是短的？ */
    const int small = bytes[0] < bytes[1] ? 0 : 1, large = 1 - small;
    /* Both are there. */
    /* 两个都在。 */
    end[small] = bytes[small] / (bandwidth / 2);
    /* The long one has moved as many bytes as the short one; the rest goes at full speed. */
    /* 长的已经传了和短的一样多的字节；余下的以全速传输。 */
    end[large] = end[small] + (bytes[large] - bytes[small]) / bandwidth;
}
