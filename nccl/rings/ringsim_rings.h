/* ringsim_rings.h: along which rings data go round in a node: as NCCL's own search found them on such a machine, with the
 * source, or by a search of our own.
 *
 *     preset's name, nodes --rn_rings_stored--> RINGS that a public log or issue shows
 *     machine              --rn_rings_search--> RINGS that keep every wire within its rate
 *
 *   - Own search (ring_search.c), no copy of NCCL's: at each speed that NCCL tries (src/graph/search.cc) as many rings as
 *     the wires carry; the speed with most in all wins.
 *   - Several nodes: a ring a NIC. It comes in at the GPU that is nearest to the NIC; the last GPU's data go out there, too,
 *     over the wire that closes the ring.
 */
#pragma once

#include "ringsim_machine.h"
#include "ringsim_tuning.h"

RS_BEGIN_DECLS

enum { RN_MOST_RINGS = 32 /* half of NCCL's channels */, RN_MOST_RING_GPUS = 512 /* of a node */ };

typedef struct rn_rings {
    int32_t n_gpus, n_rings; /* of a node; before NCCL doubles them */
    const int32_t *order;    /* [n_rings][n_gpus] in the order in which data go; GPUs of the node */
    float GBps;              /* each ring; 0: stored without */
    bool nvlink;             /* found over NVLink alone */
    const char *source;      /* where it was found; NULL: by ringsim's own search */
} rn_rings;

/* Finds what is stored for a preset, of whose name n bytes count, on so many nodes; false: nothing. */
bool rn_rings_stored(const char *name, size_t n, int32_t n_nodes, rn_rings *rings);

/* Searches the first node of a machine whose nodes are alike, for GPUs of compute capability cc (90 is 9.0); amd: its processors. Arrays in the
   arena. RS_BAD_INPUT: fewer than two GPUs in a node, or no way between them; RS_TOO_LARGE; RS_NO_MEMORY. */
rs_status rn_rings_search(const rs_machine *machine, int32_t cc, bool amd, rs_arena *arena,
                          rs_error *error, rn_rings *rings);

/* Tells whether the first node has so many GPUs, and its wires carry the rings; what it needs is taken from the arena. */
bool rn_rings_fit(const rs_machine *machine, const rn_rings *rings, rs_arena *arena);

/* Checks that all nodes have as many GPUs, one node after another, two in all: RS_BAD_INPUT, RS_UNSUPPORTED, RS_TOO_LARGE. */
rs_status rn_check_nodes(const rs_machine *machine, rs_error *error);
/* Returns what a link carries, GB/s: as slow as it is, 0 where it is cut. */
double rn_usable_GBps(const rs_machine_link *link);
/* Returns the speeds a channel that NCCL tries, GB/s, from the fastest on, 0 last: inside a node, between nodes. */
const float *rn_ring_speeds(int32_t cc, bool inside);
/* Doubles channels at half the speed where NCCL does (src/graph/search.cc). */
void rn_rings_double(int32_t cc, int32_t *n_channels, float *GBps);

RS_END_DECLS
