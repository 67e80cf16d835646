/* estimate.h: what NCCL would choose on a machine, and what that takes, size by size.
 *
 *     machine, preset's facts, version --> site, graphs, tuning table --rc_estimate_row--> rows --> table | CSV | JSON
 */
#pragma once

#include "run/command.h"
#include "ringsim_slices.h"
#include "ringsim_tables.h"

/* Options of its own; a command that opens an estimate counts its own from behind them. */
enum {
    RC_LEAST = RC_OWN,
    RC_MOST,
    RC_FACTOR,
    RC_RATE,
    RC_LATENCIES,
    RC_MEASURED,
    RC_GRAPHS,
    RC_REGISTERED,
    RC_STRICT,
    RC_BEHIND_ESTIMATE
};
/* Which NCCL, on what. */
#define RC_TAKE_NCCL RC_NCCL, RC_LAUNCH, RC_NCCL_ALGO, RC_NCCL_PROTO, RC_LIKE, RC_FABRIC

/* One size. */
typedef struct rc_estimate_row {
    int64_t n_bytes, count;
    rn_nccl_choice choice;
    double simulated_us; /* -1: not simulated */
    double range;        /* nine of ten measured times are within this factor of it; 0: not known */
    /* no schedule is faster that adds in GPUs, in switches; -1: none */
    double bound_us, in_switch_us;
    double measured_us; /* -1: not measured */
    /* what NCCL expects of its kernels for registered buffers; -1: it has none */
    double registered_us;
    const char *kernel; /* the one it takes */
    int32_t wire;       /* that bounds it; -1: latency */
} rc_estimate_row;

/* |simulated / measured - 1| of rows, in parts of 1. */
typedef struct rc_estimate_error {
    int64_t n;
    double mean, geomean, median, p90, worst;
} rc_estimate_error;

typedef struct rc_estimate {
    const rs_machine *machine;
    rn_site site;
    rn_rings rings;
    const rn_box_facts *facts;
    bool facts_guessed; /* no preset says what GPUs and processors these are */
    rn_fabric fabric;
    rn_nccl_comm comm;
    rn_nccl_table tuned;
    rs_collective collective;
    int32_t launched_together; /* GPUs on which one thread launches, >= 1 */
    rn_slices_constants constants;
    double rate, latency; /* of a calibrated machine: factors on all bandwidths, all latencies */
    rs_bound bound;
    rc_estimate_row *rows; /* [n_rows] of RC_MOST_ESTIMATES */
    int64_t n_rows;
    bool measured, registered;      /* registered: --registered asks */
    rc_estimate_error large, small; /* of measured rows of 2 MiB and more, and of the others */
} rc_estimate;

enum { RC_LARGE_BYTES = 2097152, RC_MOST_ESTIMATES = 4096 };
/* Reads what --machine, --like, --fabric, --nccl, ... name. */
rc_exit rc_estimate_open(rc_session *session, rc_estimate *estimate);
/* estimate_files.c: takes graphs and rings from a log or a graph dump into an estimate that is open. */
rc_exit rc_estimate_graphs(rc_session *session, const char *path, rc_estimate *estimate);
/* Which of a size's times are taken: the first, out of place as nccl-tests prints it, or the least. */
typedef enum rc_times { RC_FIRST_TIMES, RC_LEAST_TIMES } rc_times;
/* Takes a time of each size that a table has, between -b and -e where they are given. */
void rc_estimate_samples(const rc_options *options, const rn_table *table, rc_times times,
                         rc_estimate *estimate);
/* Reads sizes and times of a table of the estimate's collective. */
rc_exit rc_estimate_measured(rc_session *session, const char *path, rc_times times,
                             rc_estimate *estimate);
/* Fills in all rows; of measured ones the errors, too. */
rc_exit rc_estimate_rows(rc_session *session, rc_estimate *estimate);
/* Fills in a row whose n_bytes is. */
rc_exit rc_estimate_row_of(const rc_estimate *estimate, rs_error *error, rc_estimate_row *row);

/* calibrate.c: `fit --machine M TABLE`: finds the two factors that bring the estimate to a table, and says them. */
rc_exit rc_calibrate(rc_session *session);

/* estimate_print.c */
/* Writes "gpu0 -> nvsw" for a wire, "latency" for none. */
const char *rc_wire_text(const rs_machine *machine, int32_t wire, char *out, size_t n_out);
/* Returns algorithm bandwidth in GB/s and, in *busbw, the bus bandwidth. */
double rc_estimate_rates(const rc_estimate *estimate, const rc_estimate_row *row, double *busbw);
/* Returns the bound that holds for the algorithm of a row: NVLS adds in switches. */
double rc_estimate_bound_us(const rc_estimate_row *row);
/* Returns at how many sizes the tuner's own time is below it. */
int64_t rc_estimate_below(const rc_estimate *estimate);
void rc_print_estimate(const rc_estimate *estimate);
void rc_csv_estimate(const rc_estimate *estimate);
void rc_json_estimate(const rc_estimate *estimate, FILE *out);
