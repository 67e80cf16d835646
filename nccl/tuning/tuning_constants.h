/* tuning_constants.h: the numbers behind NCCL's tuning model in a version. */
#pragma once

#include "ringsim_tuning.h"

enum { RN_VOLTA, RN_AMPERE, RN_HOPPER, RN_BLACKWELL, RN_N_GENERATIONS };
enum { RN_ONCE, RN_BY_NVLINK, RN_BY_PCI, RN_BY_NET, RN_N_WAYS };

typedef struct rn_tuning {
    /* latency of the whole, and of a step by NVLink, PCI, network */
    double us[RN_NCCL_N_ALGORITHMS][RN_NCCL_N_PROTOCOLS][RN_N_WAYS];
    /* GB/s, [generation][one node, two, more] */
    double ll_most[RN_N_GENERATIONS][3];
    double ring_ll128[RN_N_GENERATIONS][3], tree_ll128[RN_N_GENERATIONS][3];
    double tree[RN_N_GENERATIONS][3], nvls_tree[RN_N_GENERATIONS][3]; /* a channel, Simple */
} rn_tuning;

/* Fills in the numbers of a version, by differences from the newest. */
void rn_tuning_of(int32_t version, rn_tuning *tuning);
/* Finds the generation whose row a GPU takes in a version. */
int rn_tuning_generation(int32_t version, int32_t cc);
/* Returns how much of NVLink's bandwidth NVLS is taken to reach (since 2.28). */
float rn_nvls_efficiency(int generation);
/* Returns what a tree reaches of its bandwidth at a size; without effect: 1. */
float rn_tree_correction(rn_nccl_protocol protocol, int64_t n_bytes, int n_sizes);
