/* slices_private.h: what the files of the slices share. Private to this folder.
 *
 *     slices_hop.c   latency and data of one hop, with each protocol
 *     slices_time.c --> slices_ring.c   rings, slice by slice; LL and LL128 line by line
 *                   --> slices_closed.c trees, NVLS, chains
 */
#ifndef RS_SLICES_PRIVATE_H
#define RS_SLICES_PRIVATE_H

#include "ringsim_slices.h"
#include "tuning/tuning_constants.h"

/* A job with what every way of doing it needs. */
typedef struct rs_lowering {
    const rs_slices_job *job;
    const double *fit; /* [RS_N_CONSTANTS] */
    rs_tuning tuning;
    int generation;
    double share, message_us, latency_factor; /* of the network */
    double rate, latency;                     /* of a calibrated machine */
} rs_lowering;

/* Is the network served by libfabric's plug-in, not by NCCL itself? */
bool rs_by_plugin(rs_fabric fabric);
/* Latency of one hop, as NCCL documents it for an algorithm, with the fitted factors. */
double rs_hop_us(const rs_lowering *l, const rs_ring_hop *hop, rs_nccl_algorithm algorithm);
/* Data that a protocol gets through a hop of the ring, GB/s of all channels together. */
double rs_hop_GBps(const rs_lowering *l, const rs_ring_hop *hop);

/* Each returns microseconds without the base latency, and the wire that bounds the bytes. */
double rs_ring_us(const rs_lowering *l, int32_t *wire);
double rs_chain_us(const rs_lowering *l, int32_t *wire);
double rs_tree_us(const rs_lowering *l, int32_t *wire);
double rs_nvls_us(const rs_lowering *l, int32_t *wire);

#endif
