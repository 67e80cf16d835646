/* estimate_options.h: the options of `estimate`, and of `fit --machine`, by their ids. */
#ifndef RC_ESTIMATE_OPTIONS_H
#define RC_ESTIMATE_OPTIONS_H

#include "base/units.h"
#include "run/options.h"

enum {
    RC_LEAST = RC_OWN,
    RC_MOST,
    RC_FACTOR,
    RC_NCCL,
    RC_LAUNCH,
    RC_NCCL_ALGO,
    RC_NCCL_PROTO,
    RC_LIKE,
    RC_FABRIC,
    RC_RATE,
    RC_LATENCIES,
    RC_MEASURED,
    RC_GRAPHS,
    RC_STRICT
};

/* Which NCCL, on what. */
#define RC_TAKE_NCCL                                                                               \
    {.id = RC_NCCL,                                                                                \
     .name = "nccl",                                                                               \
     .argument = "VERSION",                                                                        \
     .help = N_("NCCL's version, 2.28.9; known: 2.18 to 2.30")},                                   \
        {.id = RC_LAUNCH,                                                                          \
         .name = "launch",                                                                         \
         .argument = "threads|processes",                                                          \
         .help = N_("one thread launches all GPUs of a node, or each has a process; processes"),   \
         .type = RC_ONE_OF("processes", "threads", "processes")},                                  \
        {.id = RC_NCCL_ALGO,                                                                       \
         .name = "nccl-algo",                                                                      \
         .argument = "LIST",                                                                       \
         .help = N_("as NCCL_ALGO: Ring,Tree or ^NVLS or allreduce:Ring;...")},                    \
        {.id = RC_NCCL_PROTO,                                                                      \
         .name = "nccl-proto",                                                                     \
         .argument = "LIST",                                                                       \
         .help = N_("as NCCL_PROTO: Simple or ^LL128")},                                           \
        {.id = RC_LIKE,                                                                            \
         .name = "like",                                                                           \
         .argument = "PRESET",                                                                     \
         .help = N_("the preset whose GPUs and processors a file's or a box's machine has")},      \
    {                                                                                              \
        .id = RC_FABRIC, .name = "fabric", .argument = "NAME",                                     \
        .help = N_(                                                                                \
            "the network between nodes: unknown, infiniband, roce, efa, slingshot; the preset's"), \
        .type = RC_ONE_OF("unknown", "unknown", "infiniband", "roce", "efa", "slingshot")          \
    }

#endif
