/* tune_time.c: what the tuning table says of a size: each cell's time, the choice, its channels and threads
 * (src/graph/tuning.cc, ncclTopoGetAlgoTime; src/enqueue.cc). */
#include "ringsim_tuning.h"
#include "tuning_constants.h"

#include <assert.h>

enum { WARP = 32, MOST_THREADS = 640, PCI_GBPS = 12 };

int32_t rn_nccl_channels(const rn_nccl_comm *comm) {
    if (comm->n_channels > 0) return comm->n_channels;
    const int32_t n = 2 * comm->graphs[RN_NCCL_RING].n_channels;
    return n < 1 ? 1 : n < RN_NCCL_MOST_CHANNELS ? n : RN_NCCL_MOST_CHANNELS;
}

rn_nccl_cost rn_nccl_cost_of(const rn_nccl_comm *comm, const rn_nccl_table *table,
                             rs_collective coll, rn_nccl_algorithm a, rn_nccl_protocol p,
                             int64_t n_bytes) {
    assert(n_bytes >= 0);
    const rn_nccl_cell *cell = &table->cells[coll][a][p];
    rn_nccl_cost cost = {.us = -1, .latency_factor = 1, .bandwidth_factor = 1};
    const bool all_reduce = coll == RS_COLL_ALL_REDUCE;
    const int64_t a_channel = n_bytes / ((int64_t)rn_nccl_channels(comm) * comm->n_ranks);
    const bool x86 = comm->cpu != RN_NCCL_ARM && comm->cpu != RN_NCCL_POWER;
    float bw = cell->bandwidth_GBps, latency = cell->latency_us;
    if (bw == 0) return cost;
    if (a == RN_NCCL_TREE && all_reduce) cost.bandwidth_factor = rn_tree_correction(p, n_bytes, 23);
    if (a == RN_NCCL_NVLS_TREE && all_reduce && comm->version >= 22902 && comm->cc_min >= 100 &&
        x86) {
        cost.bandwidth_factor = rn_tree_correction(p, n_bytes, 24);
    }
    bw *= cost.bandwidth_factor;
    if (a == RN_NCCL_RING && p == RN_NCCL_SIMPLE && comm->n_nodes > 1 && all_reduce &&
        a_channel >= 64) {
        const double factor = comm->cc_min < 80 ? 1.9 : 1.4;
        cost.latency_factor = (float)factor;
        latency = (float)(latency * factor);
    }
    cost.latency_us = latency;
    cost.bytes_us = (float)n_bytes / (1000 * bw);
    cost.us = latency + cost.bytes_us;
    return cost;
}

/* ------------------------------------------------------------------ channels and threads */

static int32_t threads_of(const rn_nccl_comm *comm, rn_nccl_algorithm a, rn_nccl_protocol p) {
    const rn_nccl_graph *ring = &comm->graphs[RN_NCCL_RING];
    if (comm->max_threads[a][p] > 0) return comm->max_threads[a][p];
    if (a != RN_NCCL_RING && a != RN_NCCL_TREE) return MOST_THREADS;
    if (p == RN_NCCL_LL128) return 640;
    const bool slow = ring->bw_intra * (float)ring->n_channels <= PCI_GBPS;
    return a == RN_NCCL_RING && p == RN_NCCL_SIMPLE && slow ? 256 : 512;
}

int64_t rn_nccl_chunk_bytes(rn_nccl_protocol protocol) {
    static const int64_t bytes[RN_NCCL_N_PROTOCOLS] = {
        [RN_NCCL_LL] = 32768, [RN_NCCL_LL128] = 576000, [RN_NCCL_SIMPLE] = 2097152};
    return bytes[protocol];
}

/* Bytes a thread must have for one channel more to be worth it. */
static int64_t threshold_of(const rn_nccl_comm *comm, rn_nccl_algorithm a, rn_nccl_protocol p) {
    if (a == RN_NCCL_COLLNET_DIRECT || a == RN_NCCL_COLLNET_CHAIN) return 512;
    if (p == RN_NCCL_SIMPLE) return 64;
    return p == RN_NCCL_LL && a == RN_NCCL_RING ? (int64_t)8 * comm->n_ranks : 8;
}

void rn_nccl_trim(const rn_nccl_comm *comm, int64_t n_bytes, rn_nccl_choice *choice) {
    const rn_nccl_algorithm a = choice->algorithm;
    const bool nvls = a == RN_NCCL_NVLS || a == RN_NCCL_NVLS_TREE;
    const int32_t most =
        comm->n_nvls_channels > 0 ? comm->n_nvls_channels : comm->graphs[a].n_channels;
    int64_t channels = rn_nccl_channels(comm), threads = threads_of(comm, a, choice->protocol);
    const int64_t threshold = threshold_of(comm, a, choice->protocol);
    if (nvls && (most < channels || comm->n_nodes == 1)) channels = most > 0 ? most : 1;
    if (!nvls) {
        while (channels > 1 && n_bytes < channels * threads * threshold) channels--;
        while (n_bytes < channels * threads * threshold && threads % 128 == 0) threads /= 2;
    }
    if (choice->protocol == RN_NCCL_SIMPLE && a == RN_NCCL_RING) threads += WARP; /* that waits */
    if (choice->protocol == RN_NCCL_SIMPLE && a == RN_NCCL_TREE) threads += 4 * WARP;
    if (threads < 3 * WARP) threads = 3 * WARP;
    if (a == RN_NCCL_PAT || (a == RN_NCCL_TREE && comm->version >= 22200)) threads = MOST_THREADS;
    choice->n_channels = (int32_t)channels;
    choice->n_threads = (int32_t)threads;
}

/* ------------------------------------------------------------------ the choice */

bool rn_nccl_choose(const rn_nccl_comm *comm, const rn_nccl_table *table, rs_collective coll,
                    int64_t n_bytes, rn_nccl_choice *choice) {
    bool found = false;
    for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) {
        for (int p = 0; p < RN_NCCL_N_PROTOCOLS; p++) {
            const rn_nccl_cost cost = rn_nccl_cost_of(comm, table, coll, (rn_nccl_algorithm)a,
                                                      (rn_nccl_protocol)p, n_bytes);
            if (!(cost.us >= 0) || (found && !(cost.us < choice->cost.us))) continue;
            *choice = (rn_nccl_choice){
                .algorithm = (rn_nccl_algorithm)a, .protocol = (rn_nccl_protocol)p, .cost = cost};
            found = true;
        }
    }
    if (found) rn_nccl_trim(comm, n_bytes, choice);
    return found;
}

static bool same(const rn_nccl_choice *a, const rn_nccl_choice *b) {
    return a->algorithm == b->algorithm && a->protocol == b->protocol;
}

bool rn_nccl_crossing(const rn_nccl_comm *comm, const rn_nccl_table *table, rs_collective coll,
                      int64_t n_bytes, int64_t most, int64_t *next) {
    rn_nccl_choice here, there;
    int64_t low = n_bytes;
    if (n_bytes < 0 || !rn_nccl_choose(comm, table, coll, n_bytes, &here)) return false;
    /* Between two powers of two the times are straight lines, but for one jump of the ring's latency: sixteen
       steps an octave find every stretch that is worth showing, and halving its first byte. */
    for (int64_t high = n_bytes; high < most;) {
        const int64_t step = high / 16 > 64 ? high / 16 : 64;
        low = high;
        high = most - high > step ? high + step : most;
        if (!rn_nccl_choose(comm, table, coll, high, &there) || same(&here, &there)) continue;
        while (high - low > 1) {
            const int64_t middle = low + (high - low) / 2;
            rn_nccl_choose(comm, table, coll, middle, &there);
            if (same(&here, &there)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        *next = high;
        return true;
    }
    return false;
}
