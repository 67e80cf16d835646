/* slices_constants.c: the constants of the model that nobody derives, as published tables of nccl-tests say them (`bench_fidelity
 * --fit` finds them from tests/data/nccl-tables/).
 */
#include "slices/slices_private.h"

#include <assert.h>
#include <math.h>

/* In the order of rn_slices_constant; the fabrics from InfiniBand on. */
const rn_slices_constants rn_slices_fitted = {
    {5.68, 1.92, 0.948, 1.47, 2.05, 1.45, 19.7, 0.954, 1.33, 0.951, 1.35, 1, 4.14, 0.896, 2.42}};

/* What bench_fidelity says of tables left out one by one. */
static const double ranges[RN_RANGE_PLACES][RN_RANGE_SIZES] = {
    {1.09, 1.28, 1.25}, {1.21, 1.31, 1.56}, {1.34, 1.46, 1.86}, {1.6, 3.56, 2.29}};

bool rn_slices_range_cell(const rn_slices_job *job, int *place, int *size) {
    const int64_t huge = 64 << 20, large = 2 << 20;
    const int32_t n_nodes = job->site->n_nodes, most_gpus = 8; /* of a node in any table */
    *place = n_nodes == 1 ? 0 : n_nodes > 2 ? 3 : rn_by_plugin(job->fabric) ? 2 : 1;
    *size = job->n_bytes >= huge ? 0 : job->n_bytes >= large ? 1 : 2;
    return job->site->n_ranks <= most_gpus * n_nodes &&
           (n_nodes == 1 || job->fabric != RN_FABRIC_UNKNOWN);
}

double rn_slices_range(const rn_slices_job *job) {
    int place, size;
    return rn_slices_range_cell(job, &place, &size) ? ranges[place][size] : 0;
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
 *   - A small array tells the latency, a large one the bandwidth; each is looked for in turn, each around what it is so far, finer every time.
 */

enum { TURNS = 12, TRIES = 20 };

void rn_slices_calibrate(rn_slices_off *off, void *context, double *rate, double *latency) {
    double reach = log(20), least;
    *rate = *latency = 1;
    least = off(context, 1, 1);
    for (int turn = 0; turn < 2 * TURNS; turn++) {
        double *at = turn % 2 == 0 ? rate : latency;
        const double middle = *at;
        double best = middle;
        for (int i = -TRIES; i <= TRIES; i++) {
            *at = middle * exp(reach * i / TRIES);
            const double now = off(context, *rate, *latency);
            if (now >= least) continue;
            least = now;
            best = *at;
        }
        *at = best;
        if (at == latency) reach *= 0.6;
    }
}
