/* ring_speeds.c: the speeds a channel that NCCL tries, and when it makes two channels of one (src/graph/search.cc). */
#include "ringsim_rings.h"

enum { HOPPER = 90, BLACKWELL = 100 };

static const float other_speeds[] = {40, 30, 20, 18, 15,   12,   10,   9,    7,
                                     6,  5,  4,  3,  2.4F, 1.2F, .24F, .12F, 0};
static const float hopper_inside[] = {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3, 0};
static const float hopper_outside[] = {48, 45, 42, 40, 30,   24,   22,   20,   17.5F,
                                       15, 12, 6,  3,  2.4F, 1.2F, .24F, .12F, 0};
static const float blackwell_inside[] = {90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18, 0};
static const float blackwell_outside[] = {96,    86, 80, 48, 45.1F, 42,   40,   30,   24,   22, 20,
                                          17.5F, 15, 12, 6,  3,     2.4F, 1.2F, .24F, .12F, 0};

const float *rn_ring_speeds(int32_t cc, bool inside) {
    if (cc >= BLACKWELL) return inside ? blackwell_inside : blackwell_outside;
    if (cc >= HOPPER) return inside ? hopper_inside : hopper_outside;
    return other_speeds;
}

void rn_rings_double(int32_t cc, int32_t *n_channels, float *GBps) {
    if (*GBps < 25) return;
    if (cc > 80 && *GBps < 50 && *n_channels > 4) return;
    *n_channels *= 2;
    *GBps /= 2;
}
