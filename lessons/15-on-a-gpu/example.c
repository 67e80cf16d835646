/* A worked example: the first of the two bandwidths.
 *
 *     100 MB in 0.01 s: 100e6 / 0.01 = 10e9 bytes a second: algbw is 10 GB/s
 *
 * What each link really carried is more: your exercise.
 *
 *     ringsim grade 15 example.c         gets 0 of 10: it is given; busbw() is missing
 *
 * 完整的示例：两种带宽中的第一种。
 * 100 MB 用 0.01 s：100e6 / 0.01 = 每秒 10e9 字节，algbw 是 10 GB/s。
 * 每条链路实际传了更多：是你的练习。
 */
#include "ring.h"

double algbw(double bytes, double seconds) {
    /* What was asked for? The array of one GPU, summed up: not what the links carried. */
    /* 要的是什么？一个 GPU 的数组，求好和：不是链路上传的字节。 */
    const double done = bytes;
    /* A speed: something over the time that it took. */
    /* 速度：数量除以所用的时间。 */
    return done / seconds;
}
