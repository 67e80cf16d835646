/* ringsim_slices.h: what NCCL's kernels do with an array, as a pipeline of slices over a machine's wires, and how
 * long that takes.
 *
 *     machine --rn_slices_site--> SITE: what each hop of a ring carries, a GPU's port, a node's NICs
 *     site, algorithm, protocol, channels, bytes, constants --rn_slices_time--> microseconds, and the wire that bounds
 *
 *   - A slice leaves when the one before it has left, its data have come and the receiver has a free slot; so steps
 *     overlap. Simple sends slices of 1 MiB (two a chunk, four in flight); LL and LL128 flow line by line.
 *   - Channels are alike: one is simulated, with its share of each wire. Nodes are alike too: the ring repeats.
 *     Beyond some full loops the pipeline is steady, and its period is taken for the rest.
 *   - Trees, NVLS and chains are closed forms: latencies on the way, then bytes over the wires that must carry them.
 *   - Numbers that nobody can derive are the constants; an argument, so that a fit can vary them.
 */
#pragma once

#include "ringsim_machine.h"
#include "ringsim_tuning.h"
#include "ringsim_rings.h"

RS_BEGIN_DECLS

/* How neighbours of a ring reach each other. */
typedef enum rn_hop_kind {
    RN_HOP_NVLINK, /* the peer writes into memory of the other */
    RN_HOP_PCIE,   /* the same over PCIe */
    RN_HOP_HOST,   /* through the host's memory: GPUs are no peers */
    RN_HOP_NET,
    RN_N_HOP_KINDS
} rn_hop_kind;

typedef struct rn_ring_hop {
    rn_hop_kind kind;
    double GBps;     /* of all channels together */
    double alpha_us; /* latency of the machine's wires; 0: not said */
    int32_t wire;    /* that bounds it */
} rn_ring_hop;

/* A machine as its rings meet it. */
typedef struct rn_site {
    int32_t n_ranks, n_nodes, n_nics; /* n_nics: of a node */
    const rn_ring_hop *hops;          /* [n_hops] from rank to rank; then the ring repeats */
    int32_t n_hops;                   /* divides n_ranks */
    double port_GBps, nic_GBps; /* least GPU's links in its node; least node's NICs, 0: none */
    int32_t port_wire;
    bool adds; /* switches inside nodes add */
} rn_site;

enum { RN_MOST_HOPS = RN_MOST_RING_GPUS };
/* Looks at a machine whose nodes are alike. host_memory: its GPUs are no peers. Arrays in the arena. RS_UNSUPPORTED: nodes
   of different size; RS_TOO_LARGE: more than RN_MOST_HOPS GPUs a node; RS_BAD_INPUT: fewer than two GPUs, no way. */
rs_status rn_slices_site(const rs_machine *machine, bool host_memory, rs_arena *arena,
                         rs_error *error, rn_site *site);

/* Networks whose own numbers are known; unknown: what NCCL documents, nothing more. */
typedef enum rn_fabric {
    RN_FABRIC_UNKNOWN,
    RN_FABRIC_INFINIBAND,
    RN_FABRIC_ROCE,
    RN_FABRIC_EFA,
    RN_FABRIC_SLINGSHOT,
    RN_N_FABRICS
} rn_fabric;
/* Returns "unknown", "infiniband", ... */
const char *rn_fabric_name(rn_fabric fabric);

/* What wires do not tell of a machine. */
typedef struct rn_box_facts {
    const char *name; /* of the preset */
    int32_t cc;       /* compute capability of its GPUs: 90 is 9.0; 0: not NVIDIA's */
    rn_nccl_cpu cpu;
    bool host_memory; /* GPUs are no peers */
    rn_fabric fabric; /* that such machines usually have */
    rn_nccl_path to_nic;
} rn_box_facts;
/* Finds the preset's facts by its name, of which n bytes count; NULL: unknown. */
const rn_box_facts *rn_find_box_facts(const char *name, size_t n);
/* Returns those of the preset whose GPUs have this compute capability; sm 0, not known: the port nearest to this. */
const rn_box_facts *rn_guess_box_facts(const rn_site *site, int32_t sm);
/* Fills in what NCCL's search would find on a machine with these rings, between nodes by a rule of our own (nccl_guess.c):
   graphs, speeds, channels; all algorithms allowed. */
void rn_nccl_guess(const rn_site *site, const rn_box_facts *facts, rn_fabric fabric,
                   const rn_rings *rings, int32_t version, rn_nccl_comm *comm);
/* Finds the rings that are stored for the machine's preset, where its wires carry them, or searches them. Arrays in the
   arena. Errors: as rn_rings_search. */
rs_status rn_rings_of(const rs_machine *machine, const rn_box_facts *facts, rs_arena *arena,
                      rs_error *error, rn_rings *rings);

/* The fitted constants: nobody derives them. */
typedef enum rn_slices_constant {
    RN_FIT_LAUNCH, /* us, each GPU that one thread launches kernels on */
    RN_FIT_SLICE,  /* us, each slice of Simple: waiting, fences and posting */
    RN_FIT_NVLS,   /* factor on the share of a port that NCCL takes NVLS to reach */
    RN_FIT_FILL_NVLS_TREE, /* chunks until the pipeline of NVLS Tree is full: up, across, down; that of the others: 1 */
    RN_FIT_HOP_TREE, /* factor on NCCL's latency of a tree's LL and LL128 inside a node */
    RN_FIT_LL_PLUGIN, /* GB/s a node, data of LL that libfabric's plug-in gets through (EFA, Slingshot) */
    RN_FIT_FLUSH, /* us, each message of Simple by that plug-in where GPUs are older than Hopper */
    RN_FIT_FABRICS, /* from here on two a fabric: */
    RN_N_CONSTANTS = RN_FIT_FABRICS + 2 * (RN_N_FABRICS - 1)
} rn_slices_constant;
enum { RN_FABRIC_SHARE, RN_FABRIC_LATENCY, RN_OF_A_FABRIC }; /* share of the NIC, factor */

typedef struct rn_slices_constants {
    double at[RN_N_CONSTANTS];
} rn_slices_constants;
extern const rn_slices_constants rn_slices_fitted;

/* What is asked. */
typedef struct rn_slices_job {
    const rn_site *site;
    rs_collective collective;
    rn_nccl_algorithm algorithm;
    rn_nccl_protocol protocol;
    int32_t n_channels;
    int64_t n_bytes;           /* as in nccl-tests' size column */
    int32_t version;           /* of NCCL */
    int32_t cc;                /* compute capability: 90 is 9.0 */
    int32_t launched_together; /* GPUs that one thread drives, 1: a process each */
    rn_fabric fabric;
    /* of a calibrated machine: factors on all bandwidths, all latencies; 0: 1 */
    double rate, latency;
} rn_slices_job;

typedef struct rn_slices_result {
    double us;
    int32_t wire; /* of the machine: what bounds it; -1: latency alone */
} rn_slices_result;
/* Says how long a job takes. RS_UNSUPPORTED: no such algorithm here. */
rs_status rn_slices_time(const rn_slices_job *job, const rn_slices_constants *constants,
                         rs_error *error, rn_slices_result *result);

/* How sure a simulated time is, from tables that the constants were fitted without. */
enum { RN_RANGE_PLACES = 4, RN_RANGE_SIZES = 3 };
/* Says which cell of the ranges a job is in: one node, two, two by libfabric's plug-in, more; from 64 MiB on, from 2 MiB, below.
   false: of a network that nobody has measured, or of nodes larger than those of any table, nothing is said. */
bool rn_slices_range_cell(const rn_slices_job *job, int *place, int *size);
/* Returns the factor within which nine of ten measured times are of the simulated one; 0: not known. */
double rn_slices_range(const rn_slices_job *job);

/* Says how far off the simulated times are with two factors (rn_slices_job); 0: not at all. */
typedef double rn_slices_off(void *context, double rate, double latency);
/* Finds the factors that bring them nearest to what was measured. */
void rn_slices_calibrate(rn_slices_off *off, void *context, double *rate, double *latency);

RS_END_DECLS
