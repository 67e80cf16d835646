/* nccl_guess.c: which channels NCCL's search would find on a machine, and how fast each: by a rule of our own, where no
 * log and no graph dump says it.
 *
 *   - One node: the rings that NCCL found there or our own search does (ringsim_rings.h), doubled as NCCL does.
 *   - Several nodes: a ring a NIC, as fast as the NIC and a GPU's share of its port allow. Channels of 25 GB/s and more
 *     are doubled at half the speed, but for those of newer GPUs below 50 GB/s where there are more than four. A tree
 *     has the same channels, and is tried faster inside the node until it is twice as fast there (src/graph/search.cc).
 *   - NVLS where switches add and there are NVSwitches of Hopper or newer.
 */
#include "ringsim_slices.h"

#include <string.h>

enum { TURING = 75, AMPERE = 80, ADA = 86, HOPPER = 90, BLACKWELL = 100 };
/* NCCL's: rings that are searched before they are doubled, heads of NVLS (MAXCHANNELS / 2, NCCL_MAX_NVLS_ARITY). */
enum { MOST_RINGS = 32, MOST_HEADS = 32 };

static const rn_box_facts boxes[] = {
    {"dgx-h100", 90, RN_NCCL_INTEL, false, RN_FABRIC_INFINIBAND, RN_PATH_PXB},
    {"dgx-h200", 90, RN_NCCL_INTEL, false, RN_FABRIC_INFINIBAND, RN_PATH_PXB},
    {"h20", 90, RN_NCCL_INTEL, false, RN_FABRIC_ROCE, RN_PATH_PXB},
    {"h800", 90, RN_NCCL_INTEL, false, RN_FABRIC_INFINIBAND, RN_PATH_PXB},
    {"b300", 103, RN_NCCL_INTEL, false, RN_FABRIC_INFINIBAND, RN_PATH_PXB},
    {"gb200-nvl72", 100, RN_NCCL_ARM, false, RN_FABRIC_INFINIBAND, RN_PATH_P2C},
    {"gb300-nvl72", 103, RN_NCCL_ARM, false, RN_FABRIC_INFINIBAND, RN_PATH_PXB},
    {"dgx-spark", 121, RN_NCCL_ARM, false, RN_FABRIC_ROCE, RN_PATH_PHB},
    {"b200", 100, RN_NCCL_INTEL, false, RN_FABRIC_INFINIBAND, RN_PATH_PXB},
    {"gh200x4", 90, RN_NCCL_ARM, false, RN_FABRIC_SLINGSHOT, RN_PATH_PHB},
    {"dgx-a100", 80, RN_NCCL_AMD, false, RN_FABRIC_INFINIBAND, RN_PATH_PXB},
    {"hgx-a100", 80, RN_NCCL_AMD, false, RN_FABRIC_INFINIBAND, RN_PATH_PXB},
    {"dgx1-v100", 70, RN_NCCL_INTEL, false, RN_FABRIC_INFINIBAND, RN_PATH_PXB},
    {"rtx4090-p2p", 89, RN_NCCL_AMD, false, RN_FABRIC_UNKNOWN, RN_PATH_PHB},
    {"rtx4090-host", 89, RN_NCCL_AMD, true, RN_FABRIC_UNKNOWN, RN_PATH_PHB},
    {"l40s", 89, RN_NCCL_AMD, false, RN_FABRIC_UNKNOWN, RN_PATH_PHB},
    {"t4", 75, RN_NCCL_INTEL, false, RN_FABRIC_UNKNOWN, RN_PATH_PHB},
    {"mi300x", 0, RN_NCCL_AMD, false, RN_FABRIC_UNKNOWN, RN_PATH_PHB},
    {"rtx2080ti", 75, RN_NCCL_INTEL, true, RN_FABRIC_UNKNOWN, RN_PATH_PHB},
};

const rn_box_facts *rn_find_box_facts(const char *name, size_t n) {
    for (size_t i = 0; i < sizeof boxes / sizeof boxes[0]; i++) {
        if (strlen(boxes[i].name) == n && strncmp(boxes[i].name, name, n) == 0) return &boxes[i];
    }
    return NULL;
}

const rn_box_facts *rn_guess_box_facts(const rn_site *site, int32_t sm) {
    const bool nvlink = site->hops[0].kind == RN_HOP_NVLINK;
    const char *name = sm >= BLACKWELL         ? "b200"
                       : sm >= HOPPER          ? "dgx-h100"
                       : sm >= ADA             ? "rtx4090-p2p"
                       : sm >= TURING          ? nvlink && sm == AMPERE ? "hgx-a100" : "rtx2080ti"
                       : sm > 0                ? "dgx1-v100"
                       : !nvlink               ? "rtx4090-p2p"
                       : site->port_GBps > 600 ? "b200"
                       : site->port_GBps > 300 ? "dgx-h100"
                       : site->port_GBps > 150 ? "hgx-a100"
                       : site->port_GBps > 60  ? "dgx1-v100"
                                               : "rtx4090-p2p";
    return rn_find_box_facts(name, strlen(name));
}

/* The largest speed that is no more than this; below all of them: this. */
static float speed_below(const float speeds[], double most) {
    for (int i = 0; speeds[i] > 0; i++) {
        if (speeds[i] <= most + 0.001) return speeds[i];
    }
    return (float)most;
}

/* A tree's speed inside nodes: raised while it is below twice that between them, as the wires allow. */
static float raised(const float speeds[], float from, double most) {
    int i = 0;
    float speed = from;
    while (speeds[i] > from) i++;
    while (speed < 2 * from && i > 0 && speeds[i - 1] <= most + 0.001) speed = speeds[--i];
    return speed;
}

static void ring_and_tree(const rn_site *site, int32_t cc, const rn_rings *rings,
                          rn_nccl_graph *ring, rn_nccl_graph *tree) {
    const int32_t n = site->n_nics > 0 ? site->n_nics : 1, k = n < MOST_RINGS ? n : MOST_RINGS;
    const double a_nic = site->nic_GBps / n, a_ring = site->port_GBps / k;
    const float *speeds = rn_ring_speeds(cc, false);
    const bool alone = site->n_nodes == 1;
    ring->n_channels = alone ? rings->n_rings : k;
    ring->bw_intra = alone ? rings->GBps : speed_below(speeds, a_nic < a_ring ? a_nic : a_ring);
    rn_rings_double(cc, &ring->n_channels, &ring->bw_intra);
    ring->bw_inter = ring->bw_intra;
    *tree = *ring;
    if (alone) return;
    tree->bw_intra = raised(speeds, ring->bw_inter, site->port_GBps / ring->n_channels);
}

static rn_nccl_graph nvls_of(const rn_site *site, const rn_box_facts *facts,
                             const rn_nccl_graph *ring) {
    rn_nccl_graph nvls = *ring;
    const int32_t ppn = site->n_ranks / site->n_nodes, heads = ppn < MOST_HEADS ? ppn : MOST_HEADS;
    if (!site->adds || facts->cc < HOPPER || heads < 2) return (rn_nccl_graph){0};
    nvls.pattern = RN_PATTERN_NVLS;
    nvls.n_channels = heads;
    nvls.bw_intra = speed_below(rn_ring_speeds(facts->cc, true), site->port_GBps / heads);
    nvls.bw_inter = site->n_nodes > 1
                        ? speed_below(rn_ring_speeds(facts->cc, false), site->nic_GBps / heads)
                        : nvls.bw_intra;
    if (site->n_nodes == 1) {
        nvls.n_channels *= 2;
        nvls.bw_intra /= 2; /* and there is no network that could be less */
    }
    return nvls;
}

/* NVLS's channels (src/transport/nvls.cc). */
static int32_t nvls_channels(int32_t cc, int32_t version, int32_t n_nodes) {
    if (cc < BLACKWELL || version < 22500) return 16;
    return n_nodes == 1 && version >= 22700 ? 24 : 32;
}

/* The tree's pattern (src/graph/search.cc): from Hopper on the simplest one is found where each GPU has a NIC, and a node of
   one GPU has no other. */
static rn_nccl_pattern tree_pattern(const rn_site *site, int32_t cc) {
    const int32_t ppn = site->n_ranks / site->n_nodes;
    const bool a_nic_each = site->n_nodes > 1 && site->n_nics >= ppn;
    if (ppn == 1 || (cc >= HOPPER && a_nic_each)) return RN_PATTERN_TREE;
    return cc >= HOPPER ? RN_PATTERN_BALANCED_TREE : RN_PATTERN_SPLIT_TREE;
}

void rn_nccl_guess(const rn_site *site, const rn_box_facts *facts, rn_fabric fabric,
                   const rn_rings *rings, int32_t version, rn_nccl_comm *comm) {
    rn_nccl_comm made = {.version = version,
                         .n_ranks = site->n_ranks,
                         .n_nodes = site->n_nodes,
                         .cc_min = facts->cc,
                         .cc_max = facts->cc,
                         .cpu = facts->cpu};
    rn_nccl_graph *ring = &made.graphs[RN_NCCL_RING], *tree = &made.graphs[RN_NCCL_TREE];
    const bool nvlink = site->hops[0].kind == RN_HOP_NVLINK || site->hops[0].kind == RN_HOP_NET;
    /* By Slingshot's plug-in NCCL knows no LL128: its NICs are reached through the processor. */
    *ring =
        (rn_nccl_graph){.type_intra = nvlink ? RN_PATH_NVL : RN_PATH_PHB,
                        .type_inter = fabric == RN_FABRIC_SLINGSHOT ? RN_PATH_PHB : facts->to_nic,
                        .pattern = RN_PATTERN_RING,
                        .same_channels = true};
    ring_and_tree(site, facts->cc, rings, ring, tree);
    tree->pattern = tree_pattern(site, facts->cc);
    made.graphs[RN_NCCL_NVLS] = nvls_of(site, facts, ring);
    made.graphs[RN_NCCL_NVLS_TREE] = made.graphs[RN_NCCL_NVLS];
    made.n_nvswitches = site->adds ? 1 : 0;
    if (site->adds) made.n_nvls_channels = nvls_channels(facts->cc, version, site->n_nodes);
    rn_nccl_filter_open(&made.filter);
    *comm = made;
}

rs_status rn_rings_of(const rs_machine *machine, const rn_box_facts *facts, rs_arena *arena,
                      rs_error *error, rn_rings *rings) {
    const size_t n = strcspn(machine->name, ":");
    if (rn_rings_stored(machine->name, n, machine->n_nodes, rings) &&
        rn_rings_fit(machine, rings, arena)) {
        return RS_OK;
    }
    return rn_rings_search(machine, facts->cc, facts->cpu == RN_NCCL_AMD, arena, error, rings);
}
