/* A worked example: four layers, and a bucket that is full at 25 bytes.
 *
 *     layer        0   1   2   3
 *     bytes       10  10  20  10
 *     backward   <-----------------   first 3, then 2: 30 bytes, the bucket is full
 *     bucket       1   1   0   0      then 1, then 0: 20 bytes, and nothing comes any more
 *
 * All buckets are full at the same size here. That the first one is smaller, and when the exchange is
 * over, is your exercise:
 *
 *     ringsim grade 12 example.c         gets 0 of 10: its first bucket is as large as the others
 *
 * 完整的示例：四层，桶装到 25 字节就满。
 * 反向传播先到第 3 层，再到第 2 层：30 字节，桶满了；然后是第 1、0 层：20 字节，后面没有了。
 * 这里所有的桶一样大。第一个桶比较小，以及交换何时结束，是你的练习。
 */
#include "ring.h"

int make_buckets(int n, const int bytes[], int first, int limit, int bucket[]) {
    int now = 0, held = 0;
    (void)first;
    /* From the last layer to the first: the order in which gradients are found. */
    for (int i = n - 1; i >= 0; i--) {
        /* The layer goes into the bucket that is open, even if that makes it too long. */
        bucket[i] = now;
        held += bytes[i];
        /* Full? Then it is sent, and the next layer opens a new one. */
        if (held >= limit) {
            now++;
            held = 0;
        }
    }
    /* Layer 0 is in the last bucket; one counts from 0. */
    return bucket[0] + 1;
}
