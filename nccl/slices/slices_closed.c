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
#include "base/containers.h"

#include <math.h>

enum { MOST_HEADS = 32 }; /* of NVLS */
static const double per_GB_us = 1e3;
static const double tree_chunk = 524288, chain_chunk = 524288, ll128_chunk = 576000;
static const double nvls_chunk = 131072;

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

/* Algorithm bandwidth that the wires leave, of all channels, inside nodes and, net, between them; and what bounds it. */
typedef struct rates {
    double in_GBps, net_GBps;
    int32_t wire;
} rates;

/* What a tree over nodes makes of their NICs. */
static void add_net(const rn_lowering *l, rates *r) {
    const rn_site *site = l->job->site;
    const rn_ring_hop *out = outside(site);
    r->net_GBps = 1e9;
    if (out == NULL) return;
    r->net_GBps = rn_hop_GBps(l, out) * (site->n_nodes == 2   ? 1
                                         : site->n_nodes == 3 ? 2.0 / 3
                                                              : 0.5);
    if (r->net_GBps < r->in_GBps) r->wire = out->wire;
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

/* NCCL halves a chunk while a channel has few of them, down to a floor, by one rule after the other (src/enqueue.cc,
   src/transport/nvls.cc). */
static double halved(const rn_slices_job *job, double chunk, int parts, const double few[3],
                     const double floors[3]) {
    for (int i = 0; i < 3; i++) {
        while ((double)job->n_bytes / (job->n_channels * parts * chunk) < few[i] &&
               chunk > floors[i]) {
            chunk /= 2;
        }
    }
    return chunk;
}

static double tree_chunk_of(const rn_slices_job *job, int depth) {
    static const double floors[3] = {131072, 65536, 32768};
    return halved(job, tree_chunk, 1, (const double[3]){8.0 * depth, 4.0 * depth, depth}, floors);
}

/* The same with LL128: by ranks a node. */
static double ll128_chunk_of(const rn_slices_job *job) {
    static const double floors[3] = {131072, 32768, 0};
    const double ppn = ranks_a_node(job->site);
    const double steps = 1 + rs_floor_log2(job->site->n_nodes) + 0.1 * ppn;
    const double few[3] = {ceil(steps * 64 / ppn), ceil(steps * 16 / ppn), 0};
    return halved(job, ll128_chunk, 1, few, floors);
}

double rn_tree_us(const rn_lowering *l, int32_t *wire) {
    const rn_slices_job *job = l->job;
    const rn_site *site = job->site;
    const rn_ring_hop *in = inside(site), *out = outside(site);
    const int32_t ppn = ranks_a_node(site), across = rs_floor_log2(site->n_nodes);
    rates r = {.in_GBps = 1e9, .wire = -1};
    double us = 0;
    if (in != NULL) {
        r.in_GBps = rn_hop_GBps(l, in) / 2;
        r.wire = in->wire;
        us += 2.0 * (ppn - 1) * rn_hop_us(l, in, RN_NCCL_TREE);
    }
    add_net(l, &r);
    if (out != NULL) us += 2.0 * across * rn_hop_us(l, out, RN_NCCL_TREE);
    *wire = r.wire;
    if (job->protocol == RN_NCCL_SIMPLE) {
        return us + pipelined_us(l, tree_chunk_of(job, ppn - 1 + across), 1, &r, 1);
    }
    double bytes = (double)job->n_bytes, GBps = fmin(r.in_GBps, r.net_GBps);
    if (job->protocol == RN_NCCL_LL128) {
        bytes += fmin(ll128_chunk_of(job) * job->n_channels, bytes); /* a chunk until it is full */
        /* The graph's channels, of which there are twice as many, each no faster than NCCL knows them. */
        GBps = fmin(GBps, job->n_channels / 4.0 * l->tuning.tree_ll128[l->generation][l->column]);
    }
    return us + bytes / GBps / per_GB_us;
}

static double nvls_chunk_of(const rn_slices_job *job, int32_t heads) {
    static const double few[2][3] = {{64, 8, 2}, {4, 1, 0}}, floors[3] = {65536, 32768, 16384};
    const bool tree = job->algorithm == RN_NCCL_NVLS_TREE;
    return halved(job, tree && job->site->n_nodes >= 4 ? nvls_chunk / 2 : nvls_chunk, heads,
                  few[tree], floors);
}

double rn_nvls_us(const rn_lowering *l, int32_t *wire) {
    const rn_slices_job *job = l->job;
    const rn_site *site = job->site;
    const rn_ring_hop *out = outside(site);
    const int32_t g = ranks_a_node(site);
    const double reach = (double)rn_nvls_efficiency(l->generation) * l->fit[RN_FIT_NVLS];
    const double part = job->collective == RS_COLL_ALL_REDUCE ? g / (g + 1.0) : g / (g - 1.0);
    rates r = {.in_GBps = site->port_GBps * l->rate * reach * part, .wire = site->port_wire};
    double us = l->latency * l->tuning.us[RN_NCCL_NVLS][RN_NCCL_SIMPLE][RN_BY_NVLINK];
    add_net(l, &r);
    if (out != NULL) {
        us += 2.0 * rs_floor_log2(site->n_nodes) *
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
    const rn_ring_hop *slowest = rn_slowest_hop(l);
    const double GBps = rn_hop_GBps(l, slowest);
    double latency_us = 0;
    for (int32_t i = 0; i < site->n_hops; i++) {
        latency_us += per_hop * rn_hop_us(l, &site->hops[i], RN_NCCL_RING);
    }
    *wire = slowest->wire;
    const double bytes = (double)job->n_bytes / job->n_channels;
    if (job->protocol != RN_NCCL_SIMPLE)
        return latency_us + (double)job->n_bytes / GBps / per_GB_us;
    const double n_chunks = fmax(1, ceil(bytes / chain_chunk));
    const double each = bytes / n_chunks / (GBps / job->n_channels) / per_GB_us +
                        l->fit[RN_FIT_SLICE] + (outside(site) != NULL ? l->message_us : 0);
    return latency_us + (n_chunks + site->n_ranks - 2) * each;
}
