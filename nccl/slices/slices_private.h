/* slices_private.h: what the files of the slices share. Private to this folder.
 *
 *     slices_hop.c   latency and data of one hop, with each protocol
 *     slices_time.c --> slices_ring.c   rings, slice by slice; LL and LL128 line by line
 *                   --> slices_closed.c trees, NVLS, chains
 */
#pragma once

#include "ringsim_slices.h"
#include "tuning/tuning_constants.h"

/* A job with what every way of doing it needs. */
typedef struct rn_lowering {
    const rn_slices_job *job;
    const double *fit; /* [RN_N_CONSTANTS] */
    rn_tuning tuning;
    int generation, column;                   /* of its rows: one node, two, more */
    double share, message_us, latency_factor; /* of the network */
    double rate, latency;                     /* of a calibrated machine */
} rn_lowering;

/* Is the network served by libfabric's plug-in, not by NCCL itself? */
bool rn_by_plugin(rn_fabric fabric);
/* Latency of one hop, as NCCL documents it for an algorithm, with the fitted factors. */
double rn_hop_us(const rn_lowering *l, const rn_ring_hop *hop, rn_nccl_algorithm algorithm);
/* Data that a protocol gets through a hop of the ring, GB/s of all channels together. */
double rn_hop_GBps(const rn_lowering *l, const rn_ring_hop *hop);
/* The hop of the ring through which least get. */
const rn_ring_hop *rn_slowest_hop(const rn_lowering *l);

/* Each returns microseconds without the base latency, and the wire that bounds the bytes. */
double rn_ring_us(const rn_lowering *l, int32_t *wire);
double rn_chain_us(const rn_lowering *l, int32_t *wire);
double rn_tree_us(const rn_lowering *l, int32_t *wire);
double rn_nvls_us(const rn_lowering *l, int32_t *wire);
