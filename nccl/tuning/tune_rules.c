/* tune_rules.c: which cells of NCCL's tuning table exist, and which are switched off, by machine, version and environment
 * (src/graph/tuning.cc, the second half of ncclTopoTuneModel). */
#include "tune_rules.h"

static bool is_collnet(rn_nccl_algorithm a) {
    return a == RN_NCCL_COLLNET_DIRECT || a == RN_NCCL_COLLNET_CHAIN;
}
static bool is_nvls(rn_nccl_algorithm a) {
    return a == RN_NCCL_NVLS || a == RN_NCCL_NVLS_TREE;
}
static bool gives_shards(rs_collective coll) {
    return coll == RS_COLL_ALL_GATHER || coll == RS_COLL_REDUCE_SCATTER;
}

/* PAT: from 2.23 on, where each node has one GPU. */
static rn_nccl_rule pat_rule(const rn_nccl_comm *comm) {
    if (comm->version < 22300) return RN_NCCL_NO_SUCH;
    if (comm->n_nodes != comm->n_ranks) return RN_NCCL_MANY_A_NODE;
    if (comm->version >= 22600 && comm->cc_min < 60) return RN_NCCL_OLD_GPU;
    return RN_NCCL_ON;
}

bool rn_cell_exists(const rn_nccl_comm *comm, rs_collective coll, rn_nccl_algorithm a,
                    rn_nccl_protocol p) {
    const bool all_reduce = coll == RS_COLL_ALL_REDUCE;
    if (coll == RS_COLL_ALL_TO_ALL) return false;
    if (a != RN_NCCL_RING && !all_reduce && !gives_shards(coll)) return false;
    if (gives_shards(coll) &&
        (a == RN_NCCL_TREE || a == RN_NCCL_COLLNET_CHAIN || a == RN_NCCL_NVLS_TREE)) {
        return false;
    }
    if (a == RN_NCCL_PAT) return !all_reduce && p == RN_NCCL_SIMPLE && pat_rule(comm) == RN_NCCL_ON;
    if (!is_nvls(a)) return true; /* CollNet with LL has a latency, but no bandwidth */
    return p == RN_NCCL_SIMPLE && (comm->version < 22800 || comm->graphs[a].n_channels >= 2);
}

/* LL128 trusts that 128 bytes arrive as they left: only on paths where that was tried. */
static rn_nccl_rule ll128_rule(const rn_nccl_comm *comm, const rn_nccl_graph *g) {
    const bool hopper = comm->cc_min >= 90;
    const bool far_allowed = hopper && (comm->version < 22700 || !comm->no_ll128_c2c);
    if (g->type_inter > (far_allowed ? RN_PATH_PXN : RN_PATH_PXB)) return RN_NCCL_FAR_OUTSIDE;
    if (g->type_intra > RN_PATH_NVB) return RN_NCCL_FAR_INSIDE;
    if (comm->cc_min != comm->cc_max && !(hopper && comm->version >= 23000)) {
        return RN_NCCL_MIXED_GPUS;
    }
    if (comm->cc_min < 70) return RN_NCCL_OLD_GPU;
    /* Before 2.25 the list of tried GPUs was 7.0, 8.0 and 9.0. */
    if (comm->version < 22500 && comm->cc_min != 70 && comm->cc_min != 80 && comm->cc_min != 90) {
        return RN_NCCL_NOT_KNOWN_SAFE;
    }
    return RN_NCCL_ON;
}

rn_nccl_rule rn_cell_rule(const rn_nccl_comm *comm, rs_collective coll, rn_nccl_algorithm a,
                          rn_nccl_protocol p) {
    const rn_nccl_graph *g = &comm->graphs[a];
    if (!rn_nccl_has(coll, a, p)) return RN_NCCL_NO_SUCH;
    if (a == RN_NCCL_PAT && pat_rule(comm) != RN_NCCL_ON) return pat_rule(comm);
    if (a == RN_NCCL_NVLS_TREE && comm->n_nodes == 1) return RN_NCCL_ONE_NODE;
    if (!comm->collnet && (is_collnet(a) || (a == RN_NCCL_NVLS && comm->n_nodes > 1))) {
        return RN_NCCL_NO_COLLNET;
    }
    if (a == RN_NCCL_COLLNET_DIRECT && comm->n_nvswitches == 0) return RN_NCCL_NO_NVSWITCH;
    if (g->n_channels < (is_nvls(a) && comm->version >= 22800 ? 2 : 1)) return RN_NCCL_NO_GRAPH;
    if (comm->filter.algorithms[coll][a] == 0) return RN_NCCL_ALGO_SETTING;
    if (comm->filter.protocols[coll][p] == 0) return RN_NCCL_PROTO_SETTING;
    if (p == RN_NCCL_LL128 && comm->filter.protocols[coll][p] == 2) return ll128_rule(comm, g);
    return RN_NCCL_ON;
}
