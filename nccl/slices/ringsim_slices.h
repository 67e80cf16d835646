/* ringsim_slices.h: what NCCL's kernels do with an array, as a pipeline of slices over a machine's wires, and how
 * long that takes.
 *
 *     machine --rs_slices_site--> SITE: what each hop of a ring carries, a GPU's port, a node's NICs
 *     site, algorithm, protocol, channels, bytes, constants --rs_slices_time--> microseconds, and the wire that bounds
 *
 *   - A slice leaves when the one before it has left, its data have come and the receiver has a free slot; so steps
 *     overlap. Simple sends slices of 1 MiB (two a chunk, four in flight); LL and LL128 flow line by line.
 *   - Channels are alike: one is simulated, with its share of each wire. Nodes are alike too: the ring repeats.
 *     Beyond some full loops the pipeline is steady, and its period is taken for the rest.
 *   - Trees, NVLS and chains are closed forms: latencies on the way, then bytes over the wires that must carry them.
 *   - Numbers that nobody can derive are the constants; an argument, so that a fit can vary them.
 */
#ifndef RINGSIM_SLICES_H
#define RINGSIM_SLICES_H

#include "ringsim_machine.h"
#include "ringsim_tuning.h"
#include "ringsim_rings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How neighbours of a ring reach each other. */
typedef enum rs_hop_kind {
    RS_HOP_NVLINK, /* the peer writes into memory of the other */
    RS_HOP_PCIE,   /* the same over PCIe */
    RS_HOP_HOST,   /* through the host's memory: GPUs are no peers */
    RS_HOP_NET,
    RS_N_HOP_KINDS
} rs_hop_kind;

typedef struct rs_ring_hop {
    rs_hop_kind kind;
    double GBps;     /* of all channels together */
    double alpha_us; /* latency of the machine's wires; 0: not said */
    int32_t wire;    /* that bounds it */
} rs_ring_hop;

/* A machine as its rings meet it. */
typedef struct rs_site {
    int32_t n_ranks, n_nodes, n_nics; /* n_nics: of a node */
    const rs_ring_hop *hops;          /* [n_hops] from rank to rank; then the ring repeats */
    int32_t n_hops;                   /* divides n_ranks */
    double port_GBps, nic_GBps; /* least GPU's links in its node; least node's NICs, 0: none */
    int32_t port_wire, nic_wire;
    bool adds; /* switches inside nodes add */
} rs_site;

enum { RS_MOST_HOPS = 512 };
/* Looks at a machine whose nodes are alike. host_memory: its GPUs are no peers. Arrays in the arena. RS_UNSUPPORTED: nodes
   of different size; RS_TOO_LARGE: more than RS_MOST_HOPS GPUs a node; RS_BAD_INPUT: fewer than two GPUs, no way. */
rs_status rs_slices_site(const rs_machine *machine, bool host_memory, rs_arena *arena,
                         rs_error *error, rs_site *site);

/* Networks whose own numbers are known; unknown: what NCCL documents, nothing more. */
typedef enum rs_fabric {
    RS_FABRIC_UNKNOWN,
    RS_FABRIC_INFINIBAND,
    RS_FABRIC_ROCE,
    RS_FABRIC_EFA,
    RS_FABRIC_SLINGSHOT,
    RS_N_FABRICS
} rs_fabric;
/* Returns "unknown", "infiniband", ... */
const char *rs_fabric_name(rs_fabric fabric);

/* What wires do not tell of a machine. */
typedef struct rs_box_facts {
    const char *name; /* of the preset */
    int32_t cc;       /* compute capability of its GPUs: 90 is 9.0 */
    rs_nccl_cpu cpu;
    bool host_memory; /* GPUs are no peers */
    rs_fabric fabric; /* that such machines usually have */
    rs_nccl_path to_nic;
} rs_box_facts;
/* Finds the preset's facts by its name, of which n bytes count; NULL: unknown. */
const rs_box_facts *rs_find_box_facts(const char *name, size_t n);
/* Returns those of the preset whose GPUs have the port nearest to this. */
const rs_box_facts *rs_guess_box_facts(const rs_site *site);
/* Fills in what NCCL's search would find on a machine with these rings, between nodes by a rule of our own (nccl_guess.c):
   graphs, speeds, channels; all algorithms allowed. */
void rs_nccl_guess(const rs_site *site, const rs_box_facts *facts, const rs_rings *rings,
                   int32_t version, rs_nccl_comm *comm);
/* Finds the rings that are stored for the machine's preset, where its wires carry them, or searches them. Arrays in the
   arena. Errors: as rs_rings_search. */
rs_status rs_rings_of(const rs_machine *machine, const rs_box_facts *facts, rs_arena *arena,
                      rs_error *error, rs_rings *rings);

/* The fitted constants: nobody derives them. */
typedef enum rs_slices_constant {
    RS_FIT_LAUNCH,    /* us, each GPU that one thread launches */
    RS_FIT_SLICE,     /* us, each slice of Simple */
    RS_FIT_HOP_LL128, /* factor on NCCL's latency of a hop inside a node */
    RS_FIT_COPY,      /* GB/s a channel, out of a FIFO, where ranks are processes */
    RS_FIT_NVLS,      /* factor on NCCL's share of a port that NVLS reaches */
    RS_FIT_FILL_NVLS, /* chunks until NVLS is full, */
    RS_FIT_FILL_TREE, /* until a tree is */
    RS_FIT_TREE_FAR,  /* what Simple's tree reaches on more than two nodes */
    RS_FIT_LL_PLUGIN, /* GB/s of LL that a node gets to a network of libfabric's */
    RS_FIT_FLUSH,     /* us, each message of Simple by that plug-in, where GPUs need it */
    RS_FIT_FABRICS,   /* from here on two a fabric: */
    RS_N_CONSTANTS = RS_FIT_FABRICS + 2 * (RS_N_FABRICS - 1)
} rs_slices_constant;
enum { RS_FABRIC_SHARE, RS_FABRIC_LATENCY, RS_OF_A_FABRIC }; /* share of the NIC, factor */

typedef struct rs_slices_constants {
    double at[RS_N_CONSTANTS];
} rs_slices_constants;
/* What a constant stands for. */
typedef struct rs_constant_row {
    const char *name, *unit, *what, *source;
    double documented; /* what one would take without measuring */
    double fitted;
    double least, most; /* a fit looks between them */
} rs_constant_row;
extern const rs_constant_row rs_constant_rows[RS_N_CONSTANTS];
/* Fills in the fitted values, or the documented ones. */
void rs_slices_constants_of(bool fitted, rs_slices_constants *constants);

/* What is asked. */
typedef struct rs_slices_job {
    const rs_site *site;
    rs_collective collective;
    rs_nccl_algorithm algorithm;
    rs_nccl_protocol protocol;
    int32_t n_channels;
    int64_t n_bytes;           /* as in nccl-tests' size column */
    int32_t version;           /* of NCCL */
    int32_t cc;                /* compute capability: 90 is 9.0 */
    int32_t launched_together; /* GPUs that one thread drives, 1: a process each */
    rs_fabric fabric;
    double rate,
        latency; /* of a calibrated machine: factors on all bandwidths, all latencies; 0: 1 */
} rs_slices_job;

typedef struct rs_slices_result {
    double us;
    int32_t wire; /* of the machine: what bounds it; -1: latency alone */
} rs_slices_result;
/* Says how long a job takes. RS_UNSUPPORTED: no such algorithm here. */
rs_status rs_slices_time(const rs_slices_job *job, const rs_slices_constants *constants,
                         rs_error *error, rs_slices_result *result);

/* Says how far off the simulated times are with two factors (rs_slices_job); 0: not at all. */
typedef double rs_slices_off(void *context, double rate, double latency);
/* Finds the factors that bring them nearest to what was measured. */
void rs_slices_calibrate(rs_slices_off *off, void *context, double *rate, double *latency);

#ifdef __cplusplus
}
#endif
#endif
