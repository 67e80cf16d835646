/* tune.c: NCCL's tuning table: latency and bandwidth of each cell (src/graph/tuning.cc, ncclTopoTuneModel).
 *
 *   - A bandwidth is what the search found, times channels, cut by what a protocol or a generation of GPUs reaches,
 *     then turned from bus to algorithm bandwidth.
 *   - A latency is a start and so many hops, inside the node and between nodes.
 *   - Constants are doubles and results floats, as in NCCL: a float takes each result of an assignment.
 */
#include "tuning_constants.h"
#include "base/containers.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ which cells there are */

/* ... and which are switched off, by machine, version and environment (the second half of ncclTopoTuneModel). */

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

/* Tells whether NCCL works the cell out at all; false: it prints 0.0/0.0. CollNet with LL has a latency, but no bandwidth. */
static bool exists(const rn_nccl_comm *comm, rs_collective coll, rn_nccl_algorithm a,
                   rn_nccl_protocol p) {
    if (!rn_nccl_has(coll, a, is_collnet(a) ? RN_NCCL_SIMPLE : p)) return false;
    if (a == RN_NCCL_PAT) return pat_rule(comm) == RN_NCCL_ON;
    return !is_nvls(a) || comm->version < 22800 || comm->graphs[a].n_channels >= 2;
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

/* Finds the rule that switches a cell off; RN_NCCL_ON: none. */
static rn_nccl_rule rule_of(const rn_nccl_comm *comm, rs_collective coll, rn_nccl_algorithm a,
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

/* A communicator, and the cell that is worked out. */
typedef struct model {
    const rn_nccl_comm *comm;
    rn_tuning t;
    int generation, row, column; /* column: one node, two, more; row: of what LL reaches */
    float ppn;
    rs_collective coll;
    rn_nccl_algorithm a;
    rn_nccl_protocol p;
    const rn_nccl_graph *graph;
    rn_nccl_cell *cell;
} model;

static int n_steps(const model *m) {
    const int n = m->comm->n_ranks;
    return m->coll == RS_COLL_ALL_REDUCE ? 2 * (n - 1) : gives_shards(m->coll) ? n - 1 : n;
}

/* ------------------------------------------------------------------ bandwidth */

/* The least of both, and by what. */
static float cut(const model *m, double bandwidth, double most, rn_nccl_limit by) {
    if (most < bandwidth) m->cell->limit = by;
    return (float)(most < bandwidth ? most : bandwidth);
}

static float nvls_before_2_28(const model *m) {
    const rn_nccl_graph *g = m->graph;
    const int nodes = m->comm->n_nodes;
    if (m->comm->version < 21900) return nodes <= 2 ? g->bw_intra : g->bw_inter;
    const float inter = m->a == RN_NCCL_NVLS || nodes <= 2 ? g->bw_inter : (float)(g->bw_inter / 2);
    m->cell->limit = RN_NCCL_BY_NVLINK;
    return cut(m, g->bw_intra, inter, RN_NCCL_BY_NETWORK);
}

/* What one channel of NVLS carries. */
static float nvls_channel(const model *m) {
    const rn_nccl_graph *g = m->graph;
    const bool tree = m->a == RN_NCCL_NVLS_TREE;
    if (m->comm->version < 22800) return nvls_before_2_28(m);
    float intra = g->bw_intra * rn_nvls_efficiency(m->generation) * (float)(g->n_channels - 1) /
                  (float)g->n_channels;
    if (m->coll == RS_COLL_ALL_REDUCE) { /* both halves at once */
        intra *= 2.0F;
    } else {
        intra *= (m->ppn - 1) / m->ppn;
    }
    const float inter = g->bw_inter * (m->comm->n_nodes <= 2 && tree ? 2 : 1);
    m->cell->limit = RN_NCCL_BY_NVLINK;
    float bw = cut(m, intra, inter, RN_NCCL_BY_NETWORK);
    if (tree) bw = cut(m, bw, (float)m->t.nvls_tree[m->generation][m->column], RN_NCCL_BY_CHANNEL);
    return bw;
}

static float ring_bandwidth(const model *m, float bus) {
    const int version = m->comm->version;
    if (m->p == RN_NCCL_LL) {
        const bool more =
            m->comm->n_nodes > 1 || m->coll == RS_COLL_ALL_REDUCE || m->coll == RS_COLL_REDUCE;
        const double part = version >= 22100 ? .5 : more ? 1.0 / 4.0 : 1.0 / 3.0;
        return cut(m, bus * part, m->t.ll_most[m->row][m->column], RN_NCCL_BY_LL);
    }
    if (m->p == RN_NCCL_LL128) {
        return cut(m, bus * (version < 22300 && m->ppn < 2 ? 0.7 : 0.92),
                   m->graph->n_channels * m->t.ring_ll128[m->generation][m->column],
                   RN_NCCL_BY_CHANNEL);
    }
    return bus;
}

static float tree_bandwidth(const model *m, float bus) {
    const rn_nccl_comm *comm = m->comm;
    const int channels = m->graph->n_channels;
    const rn_nccl_pattern pattern =
        comm->version >= 22600 && comm->max_tree_pattern != RN_PATTERN_NONE ? comm->max_tree_pattern
                                                                            : m->graph->pattern;
    bus = cut(m, bus * .92, channels * m->t.tree[m->generation][m->column], RN_NCCL_BY_CHANNEL);
    if (m->p == RN_NCCL_LL) {
        bus = cut(m, bus * 1.0 / 3.8, m->t.ll_most[m->row][m->column], RN_NCCL_BY_LL);
    }
    if (m->p == RN_NCCL_LL128) {
        bus = cut(m, bus * (comm->n_nodes == 1 ? 7.0 / 9.0 : 120.0 / 128.0),
                  channels * m->t.tree_ll128[m->generation][m->column], RN_NCCL_BY_CHANNEL);
    }
    if (pattern == RN_PATTERN_TREE) bus = (float)(bus * .85);
    return bus;
}

static float direct_bandwidth(const model *m, float bus) {
    const rn_nccl_graph *g = m->graph;
    if (gives_shards(m->coll) && m->comm->version < 22100) {
        const float weight = (m->ppn - 1) / (8 - 1);
        return (float)(m->ppn * g->bw_intra * (weight * 0.85 + (1 - weight) * 0.95));
    }
    if (gives_shards(m->coll)) {
        return m->ppn * cut(m, g->bw_intra, g->bw_inter * 0.9F, RN_NCCL_BY_NETWORK);
    }
    float factor = (float)(m->ppn / (1.0 * g->n_channels)); /* GPUs that share a NIC */
    factor -= (factor - 1) / 2;
    bus /= factor;
    if (m->comm->cc_min >= 90) bus = (float)(bus * .85);
    return bus;
}

/* Bus bandwidth to algorithm bandwidth. */
static float ratio_of(const model *m) {
    const bool nvls = is_nvls(m->a) && (m->a == RN_NCCL_NVLS || m->comm->version >= 21900);
    if (m->a != RN_NCCL_RING && gives_shards(m->coll)) return 1;
    if (nvls && m->comm->version < 22800) return (float)(5.0 / 6.0);
    if (nvls || m->a == RN_NCCL_NVLS_TREE || m->a == RN_NCCL_RING) {
        if (m->a == RN_NCCL_NVLS_TREE && m->comm->version < 21900) return .5F;
        return (float)((1.0 * m->comm->n_ranks) / n_steps(m));
    }
    return .5F;
}

static float bandwidth_of(const model *m) {
    const rn_nccl_graph *g = m->graph;
    const bool collnet = is_collnet(m->a);
    if (g->n_channels == 0 || (collnet && m->p != RN_NCCL_SIMPLE)) return 0;
    m->cell->limit = RN_NCCL_BY_GRAPH;
    float bw = m->comm->n_nodes <= 2 || collnet ? g->bw_intra : g->bw_inter;
    if (is_nvls(m->a)) bw = nvls_channel(m);
    float bus = (float)g->n_channels * bw;
    switch (m->a) {
    case RN_NCCL_RING: bus = ring_bandwidth(m, bus); break;
    case RN_NCCL_TREE: bus = tree_bandwidth(m, bus); break;
    case RN_NCCL_COLLNET_DIRECT: bus = direct_bandwidth(m, bus); break;
    case RN_NCCL_PAT: bus = (float)(bus * (m->comm->version < 22400 ? .85 : .75)); break;
    default: break;
    }
    return bus * ratio_of(m);
}

/* ------------------------------------------------------------------ latency */

static float ring_latency(const model *m, float latency, float intra, float inter) {
    const rn_nccl_comm *comm = m->comm;
    const int steps = n_steps(m), nodes = comm->n_nodes;
    const int inside = m->graph->type_intra == RN_PATH_NVL ? RN_BY_NVLINK : RN_BY_PCI;
    if (rs_collective_rooted(m->coll)) {
        const int way = nodes == 1 ? inside : RN_BY_NET;
        const bool as_tree = !m->graph->same_channels && m->p == RN_NCCL_SIMPLE;
        const float hop = (float)m->t.us[as_tree ? RN_NCCL_TREE : RN_NCCL_RING][m->p][way];
        return latency + (m->graph->same_channels ? hop : (float)steps * hop);
    }
    float overhead = 0; /* each step between nodes is posted to the network */
    if (nodes > 1) {
        overhead = comm->net_overhead_us > 0  ? comm->net_overhead_us
                   : comm->cpu == RN_NCCL_AMD ? 2.0F
                                              : 1.0F;
        if (m->p == RN_NCCL_SIMPLE) overhead *= 3;
    }
    if (overhead > intra) intra = overhead;
    int between = nodes == 1 ? 0 : m->coll == RS_COLL_ALL_REDUCE ? 2 * (nodes - 1) : nodes - 1;
    if (nodes > 1 && m->coll == RS_COLL_ALL_REDUCE && comm->version < 22300) between = 2 * nodes;
    return latency + ((float)(steps - between) * intra + (float)between * inter);
}

static float latency_of(const model *m) {
    const rn_nccl_comm *comm = m->comm;
    const int nodes = comm->n_nodes, others = comm->n_ranks / nodes - 1;
    const int inside = m->graph->type_intra == RN_PATH_NVL ? RN_BY_NVLINK : RN_BY_PCI;
    const bool bare = m->ppn == 1 && comm->version >= 22300; /* nothing hides the network */
    const float latency = (float)m->t.us[m->a][m->p][RN_ONCE];
    const float intra = (float)m->t.us[m->a][m->p][inside];
    float inter = (float)m->t.us[bare ? RN_NCCL_TREE : m->a][m->p][RN_BY_NET];
    inter += m->graph->latency_inter;
    if (m->p == RN_NCCL_SIMPLE) inter += m->graph->latency_inter; /* the flush */
    switch (m->a) {
    case RN_NCCL_RING: return ring_latency(m, latency, intra, inter);
    case RN_NCCL_TREE:
        return latency + 2 * ((float)others * intra + (float)rs_floor_log2(nodes) * inter);
    case RN_NCCL_COLLNET_DIRECT:
        return (float)(latency + (2 * ((float)(others > 0) * intra + others * 0.4) + inter));
    case RN_NCCL_COLLNET_CHAIN: return latency + ((float)(2 * others) * intra + inter);
    case RN_NCCL_NVLS:
        if (comm->version < 21900) return latency;
        return nodes > 1 ? intra + inter : intra;
    case RN_NCCL_NVLS_TREE:
        if (comm->version < 21900) return latency + (float)(2 * (nodes - 1)) * inter;
        return latency + (intra + (float)(2 * rs_floor_log2(nodes)) * inter);
    case RN_NCCL_PAT:
        return (float)(latency + (rs_floor_log2(nodes) * (inter / 3.5) + comm->n_ranks * 2.8));
    default: return latency;
    }
}

/* ------------------------------------------------------------------ the table */

static rs_status check(const rn_nccl_comm *comm, rs_error *error) {
    if (comm->version < RN_NCCL_OLDEST) {
        return rs_fail(error, RS_UNSUPPORTED,
                       "the tuning model of NCCL before 2.18 is not known here");
    }
    if (comm->n_ranks < 2 || comm->n_nodes < 1 || comm->n_nodes > comm->n_ranks) {
        return rs_fail(error, RS_BAD_INPUT,
                       "NCCL tunes for 2 ranks or more on 1 to as many nodes, not %d on %d",
                       (int)comm->n_ranks, (int)comm->n_nodes);
    }
    for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) {
        const rn_nccl_graph *g = &comm->graphs[a];
        const bool fine = g->n_channels >= 0 && g->n_channels <= RN_NCCL_MOST_CHANNELS &&
                          g->bw_intra >= 0 && g->bw_intra < 1e6F && g->bw_inter >= 0 &&
                          g->bw_inter < 1e6F && g->latency_inter >= 0 && g->latency_inter < 1e6F;
        if (!fine) {
            return rs_fail(error, RS_BAD_INPUT,
                           "the graph of %s: 0 to %d channels, bandwidths of 0 to 1000000 GB/s",
                           rn_nccl_algorithm_title((rn_nccl_algorithm)a), RN_NCCL_MOST_CHANNELS);
        }
    }
    return RS_OK;
}

static rs_status prepare(const rn_nccl_comm *comm, rs_error *error, model *m) {
    const rs_status status = check(comm, error);
    const bool amd = comm->cpu == RN_NCCL_AMD || comm->cpu == RN_NCCL_MIXED_CPUS;
    if (status != RS_OK) return status;
    m->comm = comm;
    rn_tuning_of(comm->version, &m->t);
    m->generation = rn_tuning_generation(comm->version, comm->cc_min);
    m->column = comm->n_nodes <= 2 ? comm->n_nodes - 1 : 2;
    m->row = comm->n_nodes == 1 ? m->generation : amd ? 1 : 0;
    m->ppn = (float)comm->n_ranks / (float)comm->n_nodes;
    if (comm->cpu == RN_NCCL_POWER) {
        m->t.us[RN_NCCL_TREE][RN_NCCL_SIMPLE][RN_BY_PCI] =
            m->t.us[RN_NCCL_RING][RN_NCCL_SIMPLE][RN_BY_PCI];
    }
    return RS_OK;
}

static void fill(model *m, rs_collective coll, rn_nccl_algorithm a, rn_nccl_protocol p,
                 rn_nccl_cell *cell) {
    *cell = (rn_nccl_cell){.off = rule_of(m->comm, coll, a, p)};
    if (!exists(m->comm, coll, a, p)) {
        if (cell->off == RN_NCCL_ON) cell->off = RN_NCCL_NO_SUCH;
        return;
    }
    m->coll = coll;
    m->a = a;
    m->p = p;
    m->graph = &m->comm->graphs[a];
    m->cell = cell;
    cell->without_GBps = bandwidth_of(m);
    cell->latency_us = latency_of(m);
    if (cell->off == RN_NCCL_ON && !(cell->without_GBps > 0)) {
        cell->off = rn_nvls_efficiency(m->generation) > 0 || m->comm->version < 22800
                        ? RN_NCCL_NO_GRAPH
                        : RN_NCCL_NO_EFFICIENCY;
    }
    if (cell->off == RN_NCCL_ON) cell->bandwidth_GBps = cell->without_GBps;
}

rs_status rn_nccl_tune_cell(const rn_nccl_comm *comm, rs_collective coll, rn_nccl_algorithm a,
                            rn_nccl_protocol p, rn_nccl_cell *cell) {
    model m;
    const rs_status status = prepare(comm, NULL, &m);
    if (status == RS_OK) fill(&m, coll, a, p, cell);
    return status;
}

rs_status rn_nccl_tune(const rn_nccl_comm *comm, rs_error *error, rn_nccl_table *table) {
    model m;
    const rs_status status = prepare(comm, error, &m);
    for (int coll = 0; status == RS_OK && coll < RS_N_COLLECTIVES; coll++) {
        for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) {
            for (int p = 0; p < RN_NCCL_N_PROTOCOLS; p++) {
                fill(&m, (rs_collective)coll, (rn_nccl_algorithm)a, (rn_nccl_protocol)p,
                     &table->cells[coll][a][p]);
            }
        }
    }
    return status;
}
