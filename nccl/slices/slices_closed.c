/* slices_closed.c: what is no ring, in closed form: latencies along the way, bytes over the wires that must carry them,
 * and the chunks until a pipeline is full.
 *
 *     tree    up and down: chains inside nodes, two binary trees over nodes, half of the array each
 *     NVLS    each GPU sends S for the others' sums and S/n for its own through the switch
 *     chain   broadcast and reduce: rank after rank
 *
 *   Algorithm bandwidth of a tree, B of a GPU's port, K of a node's NICs: one node B/2; two min(K, B/2); three
 *   min(2K/3, B/2); more min(K/2, B/2). NVLS B n/(n+1); between nodes its tree as above.
 */
#include "slices/slices_private.h"

#include <math.h>

enum { MOST_HEADS = 32 }; /* of NVLS */
static const double per_GB_us = 1e3;
static const double tree_chunk = 524288, chain_chunk = 524288, ll128_chunk = 576000;
static const double nvls_chunk = 131072;

static int floor_log2(int64_t n) {
    int log = 0;
    while (n > 1) n >>= 1, log++;
    return log;
}

static int32_t ranks_a_node(const rn_site *site) {
    return site->n_ranks / site->n_nodes;
}

/* The slowest hop inside a node. */
static const rn_ring_hop *inside(const rn_site *site) {
    const rn_ring_hop *slowest = NULL;
    for (int32_t i = 0; i < site->n_hops; i++) {
        const rn_ring_hop *hop = &site->hops[i];
        if (hop->kind == RN_HOP_NET) continue;
        if (slowest == NULL || hop->GBps < slowest->GBps) slowest = hop;
    }
    return slowest;
}

static const rn_ring_hop *outside(const rn_site *site) {
    const rn_ring_hop *last = &site->hops[site->n_hops - 1];
    return last->kind == RN_HOP_NET ? last : NULL;
}

/* What a tree over nodes makes of their NICs. */
static double net_part(const rn_site *site) {
    return site->n_nodes == 2 ? 1 : site->n_nodes == 3 ? 2.0 / 3 : 0.5;
}

/* Algorithm bandwidth that the wires leave, of all channels, inside nodes and, net, between them; and what bounds it. */
typedef struct rates {
    double in_GBps, net_GBps;
    int32_t wire;
} rates;

static double bound_GBps(const rates *r) {
    return fmin(r->in_GBps, r->net_GBps);
}

/* Bytes through a pipeline of chunks on each channel: GPUs handle one while NICs carry another. */
static double pipelined_us(const rn_lowering *l, double chunk, double parts, const rates *r,
                           double fill) {
    const rn_slices_job *job = l->job;
    const double bytes = (double)job->n_bytes / job->n_channels; /* of a channel */
    const double n_chunks = fmax(1, ceil(bytes / (chunk * parts)));
    const double chunk_us = bytes / n_chunks * job->n_channels / per_GB_us; /* at 1 GB/s */
    const double in_us = chunk_us / r->in_GBps + l->fit[RN_FIT_SLICE];
    const double net_us = chunk_us / r->net_GBps + l->message_us;
    return (n_chunks + fill) * (outside(job->site) != NULL ? fmax(in_us, net_us) : in_us);
}

/* NCCL halves a chunk while a channel has few of them (src/enqueue.cc). */
static double tree_chunk_of(const rn_slices_job *job, int depth) {
    static const double floors[] = {131072, 65536, 32768};
    const double many[] = {8.0 * depth, 4.0 * depth, 1.0 * depth};
    double chunk = tree_chunk;
    for (int i = 0; i < 3; i++) {
        while ((double)job->n_bytes / (job->n_channels * chunk) < many[i] && chunk > floors[i]) {
            chunk /= 2;
        }
    }
    return chunk;
}

/* The same with LL128: by ranks a node. */
static double ll128_chunk_of(const rn_slices_job *job) {
    const double ppn = ranks_a_node(job->site);
    const double steps = 1 + floor_log2(job->site->n_nodes) + 0.1 * ppn;
    static const double many[] = {64, 16}, floors[] = {131072, 32768};
    double chunk = ll128_chunk;
    for (int i = 0; i < 2; i++) {
        while (floor((double)job->n_bytes / (job->n_channels * chunk)) < steps * many[i] / ppn &&
               chunk > floors[i]) {
            chunk /= 2;
        }
    }
    return chunk;
}

static rates tree_rates(const rn_lowering *l) {
    const rn_slices_job *job = l->job;
    const rn_site *site = job->site;
    const rn_ring_hop *in = inside(site), *out = outside(site);
    rates r = {.in_GBps = 1e9, .net_GBps = 1e9, .wire = -1};
    if (in != NULL) {
        r.in_GBps = rn_hop_GBps(l, in) / 2;
        r.wire = in->wire;
    }
    if (out != NULL) {
        r.net_GBps = rn_hop_GBps(l, out) * net_part(site);
        if (r.net_GBps < r.in_GBps) r.wire = out->wire;
    }
    if (job->protocol == RN_NCCL_LL128) {
        /* The graph's channels, of which there are twice as many, each no faster than NCCL knows them. */
        const int n = site->n_nodes < 3 ? site->n_nodes - 1 : 2;
        const double most = job->n_channels / 2.0 * l->tuning.tree_ll128[l->generation][n] / 2;
        r.in_GBps = fmin(r.in_GBps, most);
        r.net_GBps = fmin(r.net_GBps, most);
    }
    return r;
}

double rn_tree_us(const rn_lowering *l, int32_t *wire) {
    const rn_slices_job *job = l->job;
    const rn_site *site = job->site;
    const rn_ring_hop *in = inside(site), *out = outside(site);
    const int32_t ppn = ranks_a_node(site);
    const int depth = ppn - 1 + floor_log2(site->n_nodes);
    const rates r = tree_rates(l);
    double us = 0;
    *wire = r.wire;
    if (in != NULL) us += 2.0 * (ppn - 1) * rn_hop_us(l, in, RN_NCCL_TREE);
    if (out != NULL) us += 2.0 * floor_log2(site->n_nodes) * rn_hop_us(l, out, RN_NCCL_TREE);
    if (job->protocol != RN_NCCL_SIMPLE) {
        double bytes = (double)job->n_bytes;
        if (job->protocol == RN_NCCL_LL128) { /* a chunk until it is full */
            bytes += fmin(ll128_chunk_of(job) * job->n_channels, bytes);
        }
        return us + bytes / bound_GBps(&r) / per_GB_us;
    }
    return us + pipelined_us(l, tree_chunk_of(job, depth), 1, &r, 1);
}

/* NCCL takes smaller chunks for less data (src/enqueue.cc, src/transport/nvls.cc). */
static double nvls_chunk_of(const rn_slices_job *job, int32_t heads) {
    static const double below[2][3] = {{64, 8, 2}, {4, 1, 0}};
    static const double then[2][3] = {{65536, 32768, 16384}, {65536, 32768, 0}};
    const int tree = job->algorithm == RN_NCCL_NVLS_TREE;
    double chunk = tree && job->site->n_nodes >= 4 ? 65536 : nvls_chunk;
    for (int i = 0; i < 3; i++) {
        const double all = (double)job->n_channels * heads * chunk;
        if ((double)job->n_bytes < below[tree][i] * all && chunk > then[tree][i]) {
            chunk = then[tree][i];
        }
    }
    return chunk;
}

double rn_nvls_us(const rn_lowering *l, int32_t *wire) {
    const rn_slices_job *job = l->job;
    const rn_site *site = job->site;
    const rn_ring_hop *out = outside(site);
    const int32_t g = ranks_a_node(site);
    const double reach = (double)rn_nvls_efficiency(l->generation) * l->fit[RN_FIT_NVLS];
    const double part = job->collective == RS_COLL_ALL_REDUCE ? g / (g + 1.0) : g / (g - 1.0);
    rates r = {.in_GBps = site->port_GBps * l->rate * reach * part,
               .net_GBps = 1e9,
               .wire = site->port_wire};
    double us = l->latency * l->tuning.us[RN_NCCL_NVLS][RN_NCCL_SIMPLE][RN_BY_NVLINK];
    if (out != NULL) {
        r.net_GBps = rn_hop_GBps(l, out) * net_part(site);
        if (r.net_GBps < r.in_GBps) r.wire = out->wire;
        us += 2.0 * floor_log2(site->n_nodes) *
              (l->latency * l->latency_factor *
                   l->tuning.us[RN_NCCL_NVLS_TREE][RN_NCCL_SIMPLE][RN_BY_NET] +
               l->message_us);
    }
    *wire = r.wire;
    const double fill = job->algorithm == RN_NCCL_NVLS_TREE ? l->fit[RN_FIT_FILL_NVLS_TREE] : 1;
    const int32_t heads = g < MOST_HEADS ? g : MOST_HEADS;
    return us + pipelined_us(l, nvls_chunk_of(job, heads), heads, &r, fill);
}

double rn_chain_us(const rn_lowering *l, int32_t *wire) {
    const rn_slices_job *job = l->job;
    const rn_site *site = job->site;
    const double per_hop = (double)(site->n_ranks - 1) / site->n_hops;
    double latency_us = 0, GBps = 1e9;
    for (int32_t i = 0; i < site->n_hops; i++) {
        const rn_ring_hop *hop = &site->hops[i];
        latency_us += per_hop * rn_hop_us(l, hop, RN_NCCL_RING);
        if (rn_hop_GBps(l, hop) >= GBps) continue;
        GBps = rn_hop_GBps(l, hop);
        *wire = hop->wire;
    }
    const double bytes = (double)job->n_bytes / job->n_channels;
    if (job->protocol != RN_NCCL_SIMPLE)
        return latency_us + (double)job->n_bytes / GBps / per_GB_us;
    const double n_chunks = fmax(1, ceil(bytes / chain_chunk));
    const double each = bytes / n_chunks / (GBps / job->n_channels) / per_GB_us +
                        l->fit[RN_FIT_SLICE] + (outside(site) != NULL ? l->message_us : 0);
    return latency_us + (n_chunks + site->n_ranks - 2) * each;
}
