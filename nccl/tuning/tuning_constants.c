/* tuning_constants.c: the constants of NCCL's tuning model (src/graph/tuning.cc) in 2.30, and what each earlier version
 * has otherwise, newest difference first. */
#include "tuning_constants.h"

#include <stddef.h>
#include <string.h>

static const rn_tuning newest = {
    .us = {[RN_NCCL_TREE] = {{6.8, .6, 1, 5}, {14, 1.25, 1.9, 8.5}, {8.4, 4, 4, 14}},
           [RN_NCCL_RING] = {{6.6, .6, 1, 2.7}, {14, 1.9, 2.5, 4}, {8.4, 3.4, 5.7, 14}},
           [RN_NCCL_COLLNET_DIRECT] = {[RN_NCCL_SIMPLE] = {0, 3.7, 3.7, 31}},
           [RN_NCCL_COLLNET_CHAIN] = {[RN_NCCL_SIMPLE] = {0, 2.8, 2.8, 30}},
           [RN_NCCL_NVLS] = {[RN_NCCL_SIMPLE] = {0, 25, 0, 18}},
           [RN_NCCL_NVLS_TREE] = {[RN_NCCL_SIMPLE] = {0, 25, 0, 20.9}},
           [RN_NCCL_PAT] = {[RN_NCCL_SIMPLE] = {8, 4, 4, 14}}},
    .ll_most = {{39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35}, {282, 90, 70}},
    .ring_ll128 = {{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 36.7}, {40, 40, 40}},
    .tree_ll128 = {{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {55.6, 31.67, 20}},
    .tree = {{26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {70, 42.8, 24}},
    .nvls_tree = {{26.5, 18.5, 10}, {24, 23.6, 17.8}, {0, 57.7, 45.5}, {0, 96, 80}},
};

/* n numbers from a place on that versions before one have otherwise; a later row changes what those above it left. */
#define AT(field) offsetof(rn_tuning, field)
static const struct change {
    int32_t before;
    int n;
    size_t at;
    double to[12];
} changes[] = {
    {23000, 1, AT(nvls_tree[RN_BLACKWELL][2]), {43.8}},
    {22907, 3, AT(ring_ll128[RN_BLACKWELL]), {34.5, 34.6, 34.5}},
    {22902, 3, AT(ring_ll128[RN_BLACKWELL]), {73.4, 34.6, 73.4}},
    {22809, 1, AT(us[RN_NCCL_NVLS_TREE][RN_NCCL_SIMPLE][RN_BY_NET]), {14}},
    {22809, 3, AT(ring_ll128[RN_BLACKWELL]), {73.4, 73.4, 73.4}},
    {22809, 1, AT(nvls_tree[RN_BLACKWELL][2]), {43.1}},
    {22800, 3, AT(tree_ll128[RN_BLACKWELL]), {73.4, 73.4, 58}},
    {22800, 3, AT(tree[RN_BLACKWELL]), {77.4, 82.8, 72}},
    {22300, 4, AT(us[RN_NCCL_TREE][RN_NCCL_SIMPLE]), {0, 28, 28, 28}},
    {22100, 3, AT(ll_most[RN_HOPPER]), {87.7, 22.5, 19}},
    {22100, 2, AT(us[RN_NCCL_NVLS][RN_NCCL_SIMPLE]), {0, 23}},
    {22100, 2, AT(us[RN_NCCL_NVLS_TREE][RN_NCCL_SIMPLE]), {0, 23}},
    {21900, 4, AT(us[RN_NCCL_TREE][RN_NCCL_SIMPLE]), {0, 4, 6, 14}},
    {21900, 1, AT(us[RN_NCCL_NVLS][RN_NCCL_SIMPLE]), {23}},
    {21900, 4, AT(us[RN_NCCL_NVLS_TREE][RN_NCCL_SIMPLE]), {23, 23, 0, 19}},
    {21900, 12, AT(us[RN_NCCL_COLLNET_DIRECT]), {6.8, 0, 0, 0, 14, 0, 0, 0, 0, 8, 8, 10.7}},
    {21900, 12, AT(us[RN_NCCL_COLLNET_CHAIN]), {6.8, 0, 0, 0, 14, 0, 0, 0, 0, 4.75, 8, 14}},
};

void rn_tuning_of(int32_t version, rn_tuning *t) {
    *t = newest;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const struct change *c = &changes[i];
        if (version < c->before) memcpy((char *)t + c->at, c->to, (size_t)c->n * sizeof *c->to);
    }
}

int rn_tuning_generation(int32_t version, int32_t cc) {
    if (cc >= 100 && version >= 22500) return RN_BLACKWELL;
    return cc >= 90 ? RN_HOPPER : cc >= 80 ? RN_AMPERE : RN_VOLTA;
}

float rn_nvls_efficiency(int generation) {
    static const float of[RN_N_GENERATIONS] = {0, 0, 0.85F, 0.74F};
    return of[generation];
}

float rn_tree_correction(rn_nccl_protocol protocol, int64_t n_bytes, int n_sizes) {
    /* Tenths, for 64 bytes and each double of it. */
    static const int8_t tenths[RN_NCCL_N_PROTOCOLS][24] = {
        {10, 10, 10, 10, 9, 8, 7, 7, 7, 7, 6, 5, 4, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 10},
        {10, 10, 10, 10, 10, 9, 8, 8, 8, 7, 6, 6, 6, 6, 6, 6, 8, 9, 9, 9, 9, 10, 10, 10},
        {9, 9, 9, 9, 9, 9, 9, 8, 7, 6, 6, 5, 5, 5, 5, 6, 7, 8, 7, 7, 8, 9, 9, 9},
    };
    int log = -1;
    for (uint64_t pieces = (uint64_t)n_bytes >> 6; pieces > 0; pieces >>= 1) log++;
    return log < 0 || log >= n_sizes ? 1 : (float)(tenths[protocol][log] / 10.0);
}
