/* A worked example: the first of the two bandwidths.
 *
 *     100 MB in 0.01 s: 100e6 / 0.01 = 10e9 bytes a second: algbw is 10 GB/s
 *
 * What each link really carried is more: your exercise.
 *
 *     ringsim grade 15 example.c         gets 0 of 10: it is given; busbw() is missing
 */
#include "ring.h"

double algbw(double bytes, double seconds) {
    /* What was asked for? The array of one GPU, summed up: not what the links carried. */
    const double done = bytes;
    /* A speed: something over the time that it took. */
    return done / seconds;
}
