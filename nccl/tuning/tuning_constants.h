/* tuning_constants.h: the numbers behind NCCL's tuning model in a version. */
#ifndef RS_TUNING_CONSTANTS_H
#define RS_TUNING_CONSTANTS_H

#include "ringsim_tuning.h"

enum { RS_VOLTA, RS_AMPERE, RS_HOPPER, RS_BLACKWELL, RS_N_GENERATIONS };
enum { RS_BY_NVLINK, RS_BY_PCI, RS_BY_NET, RS_N_WAYS };

typedef struct rs_tuning {
    /* us, [algorithm][protocol] and a step by NVLink, PCI, network */
    double base[RS_NCCL_N_ALGORITHMS][RS_NCCL_N_PROTOCOLS];
    double hop[RS_N_WAYS][RS_NCCL_N_ALGORITHMS][RS_NCCL_N_PROTOCOLS];
    /* GB/s, [generation][one node, two, more] */
    double ll_most[RS_N_GENERATIONS][3];
    double ring_ll128[RS_N_GENERATIONS][3], tree_ll128[RS_N_GENERATIONS][3];
    double tree[RS_N_GENERATIONS][3], nvls_tree[RS_N_GENERATIONS][3]; /* a channel, Simple */
} rs_tuning;

/* Fills in the numbers of a version, by differences from the newest. */
void rs_tuning_of(int32_t version, rs_tuning *tuning);
/* Finds the generation whose row a GPU takes in a version. */
int rs_tuning_generation(int32_t version, int32_t cc);
/* Returns how much of NVLink's bandwidth NVLS is taken to reach (since 2.28). */
float rs_nvls_efficiency(int generation);
/* Returns what a tree reaches of its bandwidth at a size; without effect: 1. */
float rs_tree_correction(rs_nccl_protocol protocol, int64_t n_bytes, int n_sizes);

#endif
