/* Two lines to fill, of lesson 15: what each link carried.
 *
 *     ringsim grade 15 fill.c
 */
#include "ring.h"

double algbw(double bytes, double seconds) {
    /* SKELETON: return bytes + 0 * seconds; */
    /* BEGIN SOLUTION */
    return bytes / seconds;
    /* END SOLUTION */
}

double busbw(int n, double bytes, double seconds) {
    double arrays = 1;
    /* How many times its array does a GPU send, in 2 (n - 1) steps of a chunk each? Mind whole numbers. */
    /* 2 (n - 1) 步，每步一块，一个 GPU 发送的是数组的多少倍？注意整数除法。 */
    /* SKELETON: arrays = n; */
    /* BEGIN SOLUTION */
    arrays = 2.0 * (n - 1) / n;
    /* END SOLUTION */
    return arrays * algbw(bytes, seconds);
}
