/* tuning_constants.c: the constants of NCCL's tuning model (src/graph/tuning.cc) in 2.30, and what each earlier version
 * has otherwise, newest difference first. */
#include "tuning_constants.h"

#include <string.h>

static const rn_tuning newest = {
    .base = {{6.8, 14, 8.4}, {6.6, 14, 8.4}, {0}, {0}, {0}, {0}, {8, 8, 8}},
    .hop =
        {
            [RN_BY_NVLINK] = {{.6, 1.25, 4},
                              {.6, 1.9, 3.4},
                              {0, 0, 3.7},
                              {0, 0, 2.8},
                              {0, 0, 25},
                              {0, 0, 25},
                              {0, 0, 4}},
            [RN_BY_PCI] =
                {{1, 1.9, 4}, {1, 2.5, 5.7}, {0, 0, 3.7}, {0, 0, 2.8}, {0}, {0}, {0, 0, 4}},
            [RN_BY_NET] = {{5, 8.5, 14},
                           {2.7, 4, 14},
                           {0, 0, 31},
                           {0, 0, 30},
                           {0, 0, 18},
                           {0, 0, 20.9},
                           {0, 0, 14}},
        },
    .ll_most = {{39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35}, {282, 90, 70}},
    .ring_ll128 = {{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 36.7}, {40, 40, 40}},
    .tree_ll128 = {{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {55.6, 31.67, 20}},
    .tree = {{26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {70, 42.8, 24}},
    .nvls_tree = {{26.5, 18.5, 10}, {24, 23.6, 17.8}, {0, 57.7, 45.5}, {0, 96, 80}},
};

static void set_row(double row[3], double one, double two, double more) {
    row[0] = one;
    row[1] = two;
    row[2] = more;
}

/* The tree's latencies with Simple: once, and a hop by NVLink, PCI, network. */
static void set_tree_simple(rn_tuning *t, double base, const double hop[RN_N_WAYS]) {
    t->base[RN_NCCL_TREE][RN_NCCL_SIMPLE] = base;
    for (int way = 0; way < RN_N_WAYS; way++) {
        t->hop[way][RN_NCCL_TREE][RN_NCCL_SIMPLE] = hop[way];
    }
}

static void set_nvls_hops(rn_tuning *t, double hop) {
    t->hop[RN_BY_NVLINK][RN_NCCL_NVLS][RN_NCCL_SIMPLE] = hop;
    t->hop[RN_BY_NVLINK][RN_NCCL_NVLS_TREE][RN_NCCL_SIMPLE] = hop;
}

static void go_back_to_2_18(rn_tuning *t) {
    static const double tree[RN_N_WAYS] = {4, 6, 14}, direct[RN_N_WAYS] = {8, 8, 10.7},
                        chain[RN_N_WAYS] = {4.75, 8, 14};
    set_tree_simple(t, 0, tree);
    t->base[RN_NCCL_NVLS][RN_NCCL_SIMPLE] = 23;
    t->base[RN_NCCL_NVLS_TREE][RN_NCCL_SIMPLE] = 23;
    t->hop[RN_BY_NET][RN_NCCL_NVLS_TREE][RN_NCCL_SIMPLE] = 19;
    for (int way = 0; way < RN_N_WAYS; way++) {
        t->hop[way][RN_NCCL_COLLNET_DIRECT][RN_NCCL_SIMPLE] = direct[way];
        t->hop[way][RN_NCCL_COLLNET_CHAIN][RN_NCCL_SIMPLE] = chain[way];
    }
    for (int a = RN_NCCL_COLLNET_DIRECT; a <= RN_NCCL_COLLNET_CHAIN; a++) {
        t->base[a][RN_NCCL_LL] = 6.8;
        t->base[a][RN_NCCL_LL128] = 14;
    }
}

void rn_tuning_of(int32_t version, rn_tuning *t) {
    static const double tree_before_2_23[RN_N_WAYS] = {28, 28, 28};
    memcpy(t, &newest, sizeof *t);
    if (version < 23000) t->nvls_tree[RN_BLACKWELL][2] = 43.8;
    if (version < 22907) set_row(t->ring_ll128[RN_BLACKWELL], 34.5, 34.6, 34.5);
    if (version < 22902) set_row(t->ring_ll128[RN_BLACKWELL], 73.4, 34.6, 73.4);
    if (version < 22809) {
        t->hop[RN_BY_NET][RN_NCCL_NVLS_TREE][RN_NCCL_SIMPLE] = 14;
        set_row(t->ring_ll128[RN_BLACKWELL], 73.4, 73.4, 73.4);
        t->nvls_tree[RN_BLACKWELL][2] = 43.1;
    }
    if (version < 22800) {
        set_row(t->tree_ll128[RN_BLACKWELL], 73.4, 73.4, 58);
        set_row(t->tree[RN_BLACKWELL], 77.4, 82.8, 72);
    }
    if (version < 22300) set_tree_simple(t, 0, tree_before_2_23);
    if (version < 22100) {
        set_row(t->ll_most[RN_HOPPER], 87.7, 22.5, 19);
        set_nvls_hops(t, 23);
    }
    if (version < 21900) go_back_to_2_18(t);
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
