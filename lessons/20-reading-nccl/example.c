/* A worked example: the time of one way.
 *
 *     75.2 us and 176.6 GB/s, 64 MiB    75.2 + 67108864 / 176600 = 455.2 us
 *
 * Which of all is the fastest, and busbw's factor, is your exercise.
 *
 *     ringsim grade 20 example.c         gets 0 of 10: it is given; it always takes the first way
 *
 * 完整的示例：一种方式的时间。
 * 75.2 us 和 176.6 GB/s，64 MiB：75.2 + 67108864 / 176600 = 455.2 us。
 * 全部方式中哪一种最快，以及 busbw 的系数，是你的练习。
 */
#include "ring.h"

/* What never changes with the size, and what the bytes take: 1 GB/s is 1000 bytes a microsecond. */
/* 与大小无关的部分，加上传字节的时间：1 GB/s 是每微秒 1000 字节。 */
static double way_us(double latency_us, double GBps, double bytes) {
    const double a_microsecond = GBps * 1000;
    return latency_us + bytes / a_microsecond;
}

int choose_way(int n, const double latency_us[], const double GBps[], double bytes) {
    return n > 0 && way_us(latency_us[0], GBps[0], bytes) >= 0 ? 0 : -1;
}
