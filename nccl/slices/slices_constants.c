/* slices_constants.c: the constants of the model that nobody derives, as published tables of nccl-tests say them (`bench_fidelity
 * --fit` finds them from tests/data/nccl-tables/).
 */
#include "ringsim_slices.h"

#include <assert.h>
#include <math.h>

/* In the order of rn_slices_constant; the fabrics from InfiniBand on. */
const rn_slices_constants rn_slices_fitted = {{5.8, 2.34, 1, 200, 0.962, 1.03, 6.35, 0.672, 1.41,
                                               13, 0.99, 1, 0.955, 1.29, 0.962, 1, 0.912, 1.95}};

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
