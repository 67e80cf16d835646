/* box.h: a box as somebody described it, before it is a machine. Private to this folder.
 *
 *     processor 0 --- bridge --- GPU, GPU, NIC        parts, a tree of PCIe below each processor
 *     GPU === GPU, GPU === switches                   NVLinks: bundles, and a GPU's to the switches
 *     NIC --- the network                             a link for each port
 */
#ifndef RC_BOX_H
#define RC_BOX_H

#include "ringsim_machine.h"
#include "topology/findings.h"

enum { RC_MOST_HOST_CPUS = 256 }; /* each is linked with each */

typedef enum rc_part_kind { RC_HOST_CPU, RC_BRIDGE, RC_GPU_PART, RC_NIC_PART } rc_part_kind;

typedef struct rc_box_part {
    rc_part_kind kind;
    int64_t line; /* where it is described */
    int32_t up;   /* the part above it, which stands before it; -1: a processor has none */
    int32_t host; /* from 0: NVLinks may join several */
    uint64_t up_Bps, up_raw_Bps; /* of PCIe to the part above */
    uint64_t id;                 /* PCI bus id; of a processor its NUMA node */
    int32_t dev;                 /* of a GPU, among its host's; of a NIC its first port's */
    int32_t sm;                  /* of a GPU: compute capability, 90 is 9.0; 0: unknown */
    int32_t n_to_switch;         /* of a GPU: NVLinks to switches */
    uint64_t c2c_Bps;            /* of a GPU: to its processor */
    uint64_t between_Bps;        /* of a processor: to another of its host */
} rc_box_part;

/* NVLinks between two GPUs, or from a GPU to its processor. */
typedef struct rc_bundle {
    int32_t a, b; /* parts */
    int32_t n_links;
    int64_t line;
} rc_bundle;

/* A NIC's port. */
typedef struct rc_port {
    int32_t nic; /* a part */
    int32_t dev;
    uint64_t Bps;
    int64_t line;
} rc_port;

typedef struct rc_box {
    rc_box_part *parts;
    rc_bundle *bundles; /* each once, whichever GPU described it */
    rc_port *ports;     /* those of a NIC side by side */
    int32_t n_parts, n_bundles, n_ports;
    int32_t n_hosts;
    const char *const *names; /* [n_parts] NULL: they are named by their kinds and numbers */
} rc_box;

/* box_lint.c: adds to the findings what cannot be; `line` is where the box begins. A NIC that stands below several
   processors, as NCCL writes those whose place it does not know, stays below the first. */
rc_exit rc_lint_box(rc_box *box, int64_t line, rs_arena *arena, rc_findings *findings,
                    rs_error *error);

/* box_machine.c: makes the machine; what cannot reach another is an error among the findings, then nothing is made. */
rc_exit rc_make_box(const rc_box *box, const char *name, rs_arena *arena, rc_findings *findings,
                    rs_error *error, rs_machine *machine);

/* Returns the processor above a part; itself if it is one. */
int32_t rc_processor_of(const rc_box *box, int32_t part);

#endif
