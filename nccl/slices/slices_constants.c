/* slices_constants.c: the constants of the model that nobody derives: what each stands for, what one would take without
 * measuring, and what published tables of nccl-tests say (`bench_fidelity --fit` finds it from tests/data/nccl-tables/).
 */
#include "ringsim_slices.h"

#include <assert.h>
#include <math.h>

#define TABLES "fitted on tests/data/nccl-tables"
#define FABRIC(fabric, share, factor)                                                              \
    {fabric " share",                                                                              \
     "of the NIC",                                                                                 \
     "what of a NIC's bandwidth NCCL reaches over " fabric,                                        \
     TABLES,                                                                                       \
     1,                                                                                            \
     share,                                                                                        \
     0.5,                                                                                          \
     1.1},                                                                                         \
    {                                                                                              \
        fabric " latency", "factor", "on NCCL's latency of a hop over " fabric, TABLES, 1, factor, \
            0.3, 8                                                                                 \
    }

const rn_constant_row rn_constant_rows[RN_N_CONSTANTS] = {
    [RN_FIT_LAUNCH] = {"launch", "us", "each GPU that one thread launches kernels on", TABLES, 0,
                       5.8, 0, 12},
    [RN_FIT_SLICE] = {"slice", "us", "each slice of Simple: waiting, fences and posting", TABLES, 0,
                      2.34, 0, 12},
    [RN_FIT_HOP_LL128] = {"LL128 hop", "factor", "on NCCL's latency of LL128 inside a node", TABLES,
                          1, 1, 0.3, 6},
    [RN_FIT_COPY] = {"local copy", "GB/s a channel",
                     "the last receive out of a FIFO where ranks are processes", TABLES, 200, 200,
                     4, 200},
    [RN_FIT_NVLS] = {"NVLS reach", "factor", "on the share of a port that NCCL takes NVLS to reach",
                     TABLES, 1, 0.962, 0.6, 1.3},
    [RN_FIT_FILL_NVLS] = {"NVLS fill", "chunks", "until the pipeline of NVLS is full", TABLES, 1,
                          1.03, 0, 6},
    [RN_FIT_FILL_TREE] = {"tree fill", "chunks", "until the pipeline of a tree is full", TABLES, 1,
                          6.35, 0, 12},
    [RN_FIT_TREE_FAR] = {"far tree", "of the NICs",
                         "what Simple's tree reaches on three and more nodes", TABLES, 1, 0.672,
                         0.3, 1.1},
    [RN_FIT_LL_PLUGIN] = {"LL by plug-in", "GB/s a node",
                          "data of LL that libfabric's plug-in gets through (EFA, Slingshot)",
                          TABLES, 40, 1.41, 0.2, 40},
    [RN_FIT_FLUSH] = {"plug-in flush", "us",
                      "each message of Simple by that plug-in where GPUs are older than Hopper",
                      TABLES, 0, 13, 0, 40},
    FABRIC("infiniband", 0.99, 1),
    FABRIC("roce", 0.955, 1.29),
    FABRIC("efa", 0.962, 1),
    FABRIC("slingshot", 0.912, 1.95),
};

void rn_slices_constants_of(bool fitted, rn_slices_constants *constants) {
    for (int i = 0; i < RN_N_CONSTANTS; i++) {
        constants->at[i] = fitted ? rn_constant_rows[i].fitted : rn_constant_rows[i].documented;
    }
}

const char *rn_fabric_name(rn_fabric fabric) {
    static const char *const names[RN_N_FABRICS] = {"unknown", "infiniband", "roce", "efa",
                                                    "slingshot"};
    assert(fabric < RN_N_FABRICS);
    return names[fabric];
}

/* ------------------------------------------------------------------ calibration */

/* Two factors that bring what is simulated to what was measured: on all bandwidths, on all latencies.
 *
 *   - A small array tells the latency, a large one the bandwidth; each is looked for in turn, finer every time.
 */

enum { TURNS = 12, TRIES = 20 };

/* Tries factors around *at, from its half to its double in the first turns, then nearer. */
static void look(rn_slices_off *off, void *context, double *at, const double *rate,
                 const double *latency, double reach) {
    const double middle = *at;
    double best = middle, least = off(context, *rate, *latency);
    for (int i = -TRIES; i <= TRIES; i++) {
        *at = middle * exp(reach * i / TRIES);
        const double now = off(context, *rate, *latency);
        if (now >= least) continue;
        least = now;
        best = *at;
    }
    *at = best;
}

void rn_slices_calibrate(rn_slices_off *off, void *context, double *rate, double *latency) {
    double reach = log(20);
    *rate = *latency = 1;
    for (int turn = 0; turn < TURNS; turn++, reach *= 0.6) {
        look(off, context, rate, rate, latency, reach);
        look(off, context, latency, rate, latency, reach);
    }
}
