/* ring_stored.c: rings and speeds that NCCL's own search found, as public logs show them, each with its source. */
#include "ringsim_rings.h"

#include <string.h>

/* 8 V100 with NCCL_P2P_LEVEL=NVL: two rings over the double links' circle and one over the single links, each way; 20 GB/s a
   link as NCCL counts. The log has each of them twice. */
static const int32_t cube_mesh[6][8] = {{0, 3, 2, 1, 5, 6, 7, 4}, {0, 3, 2, 1, 5, 6, 7, 4},
                                        {0, 4, 7, 6, 5, 1, 2, 3}, {0, 4, 7, 6, 5, 1, 2, 3},
                                        {0, 1, 3, 7, 5, 4, 6, 2}, {0, 2, 6, 4, 5, 7, 3, 1}};
/* Behind an NVSwitch all rings are alike. */
#define UP                                                                                         \
    { 0, 1, 2, 3, 4, 5, 6, 7 }
static const int32_t six_alike[6][8] = {UP, UP, UP, UP, UP, UP};
/* A ring a NIC: in at the GPU beside it, and downwards. */
static const int32_t by_nic[8][8] = {{0, 7, 6, 5, 4, 3, 2, 1}, {1, 0, 7, 6, 5, 4, 3, 2},
                                     {2, 1, 0, 7, 6, 5, 4, 3}, {3, 2, 1, 0, 7, 6, 5, 4},
                                     {4, 3, 2, 1, 0, 7, 6, 5}, {5, 4, 3, 2, 1, 0, 7, 6},
                                     {6, 5, 4, 3, 2, 1, 0, 7}, {7, 6, 5, 4, 3, 2, 1, 0}};

typedef struct stored {
    const char *name;
    bool several_nodes;
    rn_rings rings;
} stored;

/* Speeds are those before NCCL doubles channels: six of 60 are twelve of 30. */
static const stored all[] = {
    {"dgx1-v100",
     false,
     {8, 6, cube_mesh[0], 20, true, "a public log of NCCL 2.19.3 on 8 V100 with 12 channels"}},
    {"hgx-a100",
     false,
     {8, 6, six_alike[0], 40, true, "public logs of A100 behind NVSwitches: 12 of 20 GB/s"}},
    {"dgx-h100", false, {8, 6, six_alike[0], 60, true, "NVIDIA/nccl#1197 and 1259: 12 of 30 GB/s"}},
    {"dgx-h100", true, {8, 8, by_nic[0], 0, true, "NVIDIA/nccl#1453: 3 nodes of 8 H100"}},
};

bool rn_rings_stored(const char *name, size_t n, int32_t n_nodes, rn_rings *rings) {
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (strlen(all[i].name) != n || strncmp(all[i].name, name, n) != 0) continue;
        if (all[i].several_nodes != (n_nodes > 1)) continue;
        *rings = all[i].rings;
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------ speeds */

/* The speeds a channel that NCCL tries, and when it makes two channels of one (src/graph/search.cc). */

enum { HOPPER = 90, BLACKWELL = 100 };

static const float other_outside[] = {48, 30, 28, 24, 20, 18,   15,   12,   10,   9,
                                      7,  6,  5,  4,  3,  2.4F, 1.2F, .24F, .12F, 0};
static const float other_inside[] = {40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 0};
static const float hopper_inside[] = {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3, 0};
static const float hopper_outside[] = {48, 45, 42, 40, 30,   24,   22,   20,   17.5F,
                                       15, 12, 6,  3,  2.4F, 1.2F, .24F, .12F, 0};
static const float blackwell_inside[] = {90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18, 0};
static const float blackwell_outside[] = {96,    86, 80, 48, 45.1F, 42,   40,   30,   24,   22, 20,
                                          17.5F, 15, 12, 6,  3,     2.4F, 1.2F, .24F, .12F, 0};

const float *rn_ring_speeds(int32_t cc, bool inside) {
    if (cc >= BLACKWELL) return inside ? blackwell_inside : blackwell_outside;
    if (cc >= HOPPER) return inside ? hopper_inside : hopper_outside;
    return inside ? other_inside : other_outside;
}

void rn_rings_double(int32_t cc, int32_t *n_channels, float *GBps) {
    if (*GBps < 25) return;
    if (cc > 80 && *GBps < 50 && *n_channels > 4) return;
    *n_channels *= 2;
    *GBps /= 2;
}
