/* ringsim_machine.h: a machine: GPUs and switches, joined by links that transfers share.
 *
 *     .machine text, box:..., topology ---> MACHINE ---> route: which wires carry a transfer
 *
 *   - A device is a GPU (0 .. n_gpus - 1) or a switch, which passes on (n_gpus .. n_devices - 1).
 *   - Each direction of a link is a wire of its own; a shared link is one wire for both. Wire 2 x link leads
 *     from a to b, wire 2 x link + 1 back; of a shared link only wire 2 x link is used.
 *   - The rules of routes, times and bounds: README of this room, "Machines".
 */
#pragma once

#include "ringsim_collective.h"

RS_BEGIN_DECLS

enum {
    RS_MAX_MACHINE_GPUS = 131072,
    RS_MAX_MACHINE_LINKS = 500000,
    RS_MAX_MACHINE_DEVICES = 300000,
    RS_MAX_MACHINE_ROUTES = 1000000,
    RS_MAX_DEVICE_NAME = 63 /* bytes */
};

typedef enum rs_link_kind { RS_NVLINK, RS_PCIE, RS_CPU, RS_NET } rs_link_kind; /* the best first */
/* Returns "nvlink", "pcie", "cpu", "net". */
const char *rs_link_kind_name(rs_link_kind kind);

/* A link between two devices; each direction has the whole bandwidth, a shared link both together. */
typedef struct rs_machine_link {
    int32_t a, b;
    uint64_t bandwidth_Bps;      /* usable: times are computed with it */
    uint64_t raw_Bps;            /* the hardware's: bounds are */
    int64_t alpha_ps;            /* latency */
    uint64_t slow_num, slow_den; /* a fault makes it num/den times slower, latency too; 1/1: none */
    uint8_t kind;                /* rs_link_kind */
    bool shared;
    bool cut; /* a fault: no route takes it */
} rs_machine_link;

/* A route that the machine's description insists on; one direction. */
typedef struct rs_machine_route {
    int32_t src, dst;      /* GPUs */
    int32_t first, n_hops; /* hops[first ..]: the links, from src on */
} rs_machine_route;

typedef struct rs_machine {
    const char *name;
    int32_t n_gpus, n_devices;
    int32_t sm; /* compute capability of its GPUs, 90 is 9.0; 0: not known, or they differ */
    int64_t launch_ps, barrier_ps; /* what a kernel's start costs, and a barrier over all GPUs */
    const char *const *names;      /* [n_devices]; "gpu0", ... first */
    const bool *reduces; /* [n_devices] a switch that can add (bounds, and schedules that let it) */
    const rs_machine_link *links; /* [n_links] in the order of the description */
    int32_t n_links;
    const rs_machine_route *routes; /* [n_routes] sorted by (src, dst), no pair twice */
    int32_t n_routes;
    const int32_t *hops;
    /* Filled in by rs_machine_make. */
    int32_t n_nodes; /* parts that stay connected without RS_NET links and hold a GPU */
    const int32_t
        *node; /* [n_devices] which node, numbered by their first GPU; -1: a switch of none */
    const int32_t
        *at_first; /* [n_devices + 1] at[at_first[d] ..]: the links at a device, ascending */
    const int32_t *at;
} rs_machine;

/* Judges a machine whose upper part is filled in, and fills in the rest; arrays and names must outlive it.
   RS_BAD_INPUT, RS_TOO_LARGE: which device, link or route, and why. */
rs_status rs_machine_make(const rs_machine *described, rs_arena *arena, rs_error *error,
                          rs_machine *machine);
/* Parses .machine text, n_bytes of UTF-8: see ringsim-machine(5). RS_BAD_INPUT names line and column. The machine
   lives in the arena, with a copy of its name; the text may be freed afterwards. */
rs_status rs_parse_machine(const char *text, size_t n_bytes, const char *name, rs_arena *arena,
                           rs_error *error, rs_machine *machine);
/* Writes the machine as .machine text, in pieces; parsing it gives the same links, routes, devices. */
void rs_print_machine(const rs_machine *machine, rs_write write, void *context);
/* Makes a machine of n_copies nodes from one that is a node: all is copied, switches as "nodeN.NAME", but the switch
   `fabric`, and those named `fabric.` and something, which the nodes share. GPU i of node n is GPU n x g + i.
   RS_BAD_INPUT: no fabric; RS_TOO_LARGE. */
rs_status rs_machine_repeat(const rs_machine *node, int32_t n_copies, const char *name,
                            rs_arena *arena, rs_error *error, rs_machine *machine);
/* Tells whether all GPUs have a link to one switch that adds. */
bool rs_machine_adds(const rs_machine *machine);
/* Finds a device by its name; -1: there is none. */
int32_t rs_machine_device(const rs_machine *machine, const char *name, size_t n_bytes);

/* Faults of links: all links between two devices, both directions. They keep their numbers, and nodes stay what they
   are. RS_BAD_INPUT: there is no link between them. */
rs_status rs_machine_slow(rs_machine *machine, int32_t a, int32_t b, uint64_t num, uint64_t den,
                          rs_arena *arena, rs_error *error); /* num/den times slower; routes stay */
rs_status rs_machine_cut(rs_machine *machine, int32_t a, int32_t b, rs_arena *arena,
                         rs_error *error); /* gone; routes change */

/* A way from one GPU to another. */
typedef struct rs_route {
    const int32_t *wires; /* [n_wires] from the source on */
    int32_t n_wires;
    int64_t n_ways; /* how many routes differ only by their link numbers; at most INT64_MAX */
} rs_route;
typedef struct rs_router rs_router; /* what looking for routes needs, and the last one found */
rs_status rs_router_new(const rs_machine *machine, rs_arena *arena, rs_error *error,
                        rs_router **router);
/* Finds the route from src to dst, two different GPUs; of routes that differ only by their link numbers the one
   of number `channel` mod n_ways. It holds until the next call. RS_BAD_INPUT: no way leads there. */
rs_status rs_router_find(rs_router *router, int32_t src, int32_t dst, int32_t channel,
                         rs_error *error, rs_route *route);

/* Writes the GPU that each rank lives on, for as many ranks as there are GPUs; fewer ranks take the first of them.
   How: placing.c. */
typedef enum rs_placing { RS_PLACE_BLOCK, RS_PLACE_CYCLIC, RS_PLACE_RING } rs_placing;
rs_status rs_place_ranks(const rs_machine *machine, rs_placing placing, rs_arena *arena,
                         rs_error *error, int32_t place[]);
/* Finds how n_ranks ranks lie in the machine's nodes, rank r on GPU place[r] (NULL: on GPU r): *gpus_per_node of them
   in each node that holds any, one node after the other, or *dealt out over the nodes in turn. Leaves both alone where
   they lie in no such way. RS_NO_MEMORY. */
rs_status rs_ranks_in_nodes(const rs_machine *machine, const int32_t *place, int32_t n_ranks,
                            rs_arena *arena, rs_error *error, int32_t *gpus_per_node, bool *dealt);

/* bounds.c: what no schedule can beat, from what the wires can carry at all (raw). */
/* Which blocks of ranks bound a collective. */
typedef enum rs_bound_by {
    RS_BY_NOTHING, /* one rank, no bytes */
    RS_BY_RANKS,   /* all of them, each a block */
    RS_BY_NODES,   /* all of them */
    RS_BY_LEVEL,   /* what lies below each switch of a level */
    RS_BY_RANK,    /* one block, against the rest: a rank, */
    RS_BY_NODE,    /* a node, */
    RS_BY_SWITCH,  /* what lies below a switch, */
    RS_BY_CUT,     /* GPU 0's side of a least cut, as small as can be, */
    RS_BY_FAR_CUT  /* the other side of one, as small as can be */
} rs_bound_by;
typedef struct rs_bound {
    int64_t time_ps;      /* rounded up; -1: it never ends, some GPUs cannot be reached */
    int64_t in_switch_ps; /* where switches that add do it; -1: there are none */
    rs_bound_by by;
    int32_t which;    /* the rank, node, switch (a device) or level; of a cut the GPU beyond it */
    int32_t n_blocks; /* 1: a block against the rest, the others are a partition */
    const int32_t *block; /* [n_gpus] the block that a GPU belongs to; -1: none. NULL: no blocks */
} rs_bound;
/* Bounds each collective of n_bytes among all GPUs: `bounds[of]`, the blocks in the arena. n_bytes as in nccl-tests'
   size column. RS_TOO_LARGE: beyond 2^53 ps. */
rs_status rs_machine_bounds(const rs_machine *machine, int64_t n_bytes, rs_arena *arena,
                            rs_error *error, rs_bound bounds[RS_N_COLLECTIVES]);

RS_END_DECLS
