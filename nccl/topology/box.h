/* box.h: a box as somebody described it, before it is a machine. Private to this folder.
 *
 *     processor 0 --- bridge --- GPU, GPU, NIC        parts, a tree of PCIe below each processor
 *     GPU === GPU, GPU === switches                   NVLinks: bundles, and a GPU's to the switches
 *     NIC --- the network                             a link for each port
 */
#pragma once

#include "ringsim_machine.h"
#include "ringsim_findings.h"
#include "topology/link_rates.h"

enum { RN_MOST_HOST_CPUS = 256 }; /* each is linked with each */

typedef enum rn_part_kind { RN_HOST_CPU, RN_BRIDGE, RN_GPU_PART, RN_NIC_PART } rn_part_kind;

typedef struct rn_box_part {
    rn_part_kind kind;
    int64_t line;         /* where it is described */
    int32_t up;           /* the part above it, which stands before it; -1: a processor has none */
    int32_t host;         /* from 0: NVLinks may join several */
    rn_rate up_rate;      /* of PCIe to the part above */
    uint64_t id;          /* PCI bus id; of a processor its NUMA node */
    int32_t dev;          /* of a GPU, among its host's; of a NIC its first port's */
    const char *label;    /* it is named by this and dev; NULL: by its kind and numbers */
    int32_t sm;           /* of a GPU: compute capability, 90 is 9.0; 0: unknown */
    int32_t n_to_switch;  /* of a GPU: NVLinks to switches */
    int64_t n_links;      /* of a GPU: all its NVLinks (box_lint.c) */
    uint64_t ports_Bps;   /* of a NIC: all its ports (box_lint.c) */
    uint64_t c2c_Bps;     /* of a GPU: to its processor */
    uint64_t between_Bps; /* of a processor: to another of its host */
} rn_box_part;

/* NVLinks between two GPUs, or from a GPU to its processor. */
typedef struct rn_bundle {
    int32_t a, b; /* parts */
    int32_t n_links;
    int64_t line;
    int32_t from; /* whose half it is, while halves are read (topology_links.c) */
} rn_bundle;

/* A NIC's port. */
typedef struct rn_port {
    int32_t nic; /* a part */
    int32_t dev;
    uint64_t Bps;
    int64_t line;
} rn_port;

typedef struct rn_box {
    rn_box_part *parts;
    rn_bundle *bundles; /* each once, whichever GPU described it */
    rn_port *ports;     /* those of a NIC side by side */
    int32_t n_parts, n_bundles, n_ports;
    int32_t n_hosts;
} rn_box;

/* box_lint.c: adds to the findings what cannot be; `line` is where the box begins. A NIC that stands below several
   processors, as NCCL writes those whose place it does not know, stays below the first. */
rs_status rn_lint_box(rn_box *box, int64_t line, rs_arena *arena, rn_findings *findings,
                      rs_error *error);

/* box_machine.c: makes the machine; what cannot reach another is an error among the findings, then nothing is made. */
rs_status rn_make_box(const rn_box *box, const char *name, rs_arena *arena, rn_findings *findings,
                      rs_error *error, rs_machine *machine);

/* Returns the processor above a part; itself if it is one. */
int32_t rn_processor_of(const rn_box *box, int32_t part);
