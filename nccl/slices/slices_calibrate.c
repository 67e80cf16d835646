/* slices_calibrate.c: two factors that bring what is simulated to what was measured: on all bandwidths, on all latencies.
 *
 *   - A small array tells the latency, a large one the bandwidth; each is looked for in turn, finer every time.
 */
#include "ringsim_slices.h"

#include <math.h>

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
