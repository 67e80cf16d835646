/* ringsim_measure.h: bounds, closed forms and rates; recorded runs; which links a recorded run went over.
 *
 *     .trace text ---> RECORDING ---> report, as if the run were ours
 *                                ---> diagnose ---> a line for each link, and the slowest
 */
#pragma once

#include "ringsim_run.h"

RS_BEGIN_DECLS

/* Returns 2(N-1)/N K/B of the fastest link, in ps, rounded up: no algorithm is faster (Patarasuk and
   Yuan, JPDC 69(2), 2009); other collectives: rs_busbw_factor in place of 2(N-1)/N. Of faults only links made faster count.
   On a machine, without its faults: where all its GPUs take part its bound (rs_machine_bounds), otherwise 2(N-1)K over
   what leaves all the ranks' GPUs. 0: none is known (past 2^53 ps); -1: no memory in the arena. The job is one that
   rs_simulate takes. */
int64_t rs_lower_bound_ps(const rs_job *job, rs_arena *arena);
/* The same with the blocks that say so: on a machine block[n_ranks] numbers ranks, not GPUs, and lives in the arena. */
rs_bound rs_lower_bound(const rs_job *job, rs_arena *arena);
/* Returns the algorithm's closed form, -1 where it has none or it does not hold (eager, faults,
   unequal links). */
int64_t rs_closed_form_ps(const rs_job *job);
/* Returns which wire of the job's machine carried the largest share of what it could have in time_ps, with the job's
   slow links (of equals the lowest), and that share; -1: none carried anything. */
int32_t rs_busiest_wire(const rs_job *job, const rs_wire_use wires[], int64_t time_ps,
                        double *share);
/* Returns the share of one wire. */
double rs_wire_share(const rs_job *job, int32_t wire, const rs_wire_use *use, int64_t time_ps);
/* Computes n_bytes (nccl-tests' size column) over the time, and that x rs_busbw_factor, in GB/s as nccl-tests does;
   false: no time, no rate. */
bool rs_rates(rs_collective of, int64_t n_bytes, int32_t n_ranks, int64_t time_ps,
              double *algbw_GBps, double *busbw_GBps);

/* ------------------------------------------------------------------ recorded runs */

enum { RS_BY_TEXT = 160, RS_MAX_RUNS = 1024 };

/* One run as it was measured, or simulated elsewhere: what happened when, and nothing else. */
typedef struct rs_recording {
    bool measured;       /* by a clock; else simulated */
    char by[RS_BY_TEXT]; /* by what, in words */
    rs_dtype dtype;
    rs_op op;
    int64_t count; /* elements a rank */
    rs_schedule schedule;
    rs_trace trace;   /* every transfer of the schedule, in its order; never happened: times -1 */
    int32_t *entered; /* [n_ranks] how many steps each entered; NULL: all, it completed */
    int64_t makespan_ps; /* where a rank was busy, or late, after the last transfer; else 0 */
} rs_recording;
/* Returns when the run was over: its makespan, which is never before its last transfer. */
int64_t rs_recording_end_ps(const rs_recording *recording);

/* Parses .trace text, n_bytes of UTF-8: see ringsim-trace(5). It holds runs of one group, most often of several
   sizes: n_runs recordings, which live in the arena. A schedule that an algorithm here would make counts
   as that algorithm's. RS_BAD_INPUT names line and column. */
rs_status rs_parse_trace(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                         rs_recording **runs, int32_t *n_runs);
/* Writes .trace text. All runs have the same ranks, and `measured` and `by` of the first. */
void rs_print_trace(const rs_recording runs[], int32_t n_runs, rs_write write, void *context);

/* Makes a recording of a report that has a trace; cuts `by` to RS_BY_TEXT - 1 bytes. It lives in the arena.
   RS_TOO_LARGE: more than a file holds, or the report has no trace. */
rs_status rs_recording_of(const rs_report *report, const char *by, rs_arena *arena, rs_error *error,
                          rs_recording *recording);
/* Reports a recorded run as if it were ours, as far as it can be known: outcome, trace, verdict, rates.
   The recording must outlive the report. */
rs_status rs_recording_report(const rs_recording *recording, rs_arena *arena, rs_error *error,
                              rs_report *report);

/* ------------------------------------------------------------------ fit: which links are there? */

/* One message over one link, or one collective: so many bytes took so long. */
typedef struct rs_sample {
    int64_t n_bytes;
    int64_t span_ps;
} rs_sample;

/* span = alpha + bytes / B, fitted so that outliers hardly matter and small messages count as much as
   large ones: errors are relative. */
typedef struct rs_line_fit {
    int64_t n_samples, n_outliers; /* outliers: far from others of the same size, or from the
                                      line */
    int64_t least_bytes, most_bytes;
    bool split;         /* alpha and B can be told apart: the sizes differ by half or more */
    double alpha_ps;    /* >= 0; not split: 0 */
    double ps_per_byte; /* 1 / B, >= 0; not split: all of the time, as if alpha were 0 */
    double alpha_error_ps, ps_per_byte_error; /* standard errors */
    double typical;                           /* the median of |residual| / fitted */
    double worst;                             /* the largest, outliers too */
} rs_line_fit;

/* Fits a line to n >= 1 samples, which it sorts; bytes and spans are >= 0. First Theil and Sen's median
   of slopes over the sizes, then least squares with Tukey's weights. */
rs_status rs_fit_line(rs_sample samples[], int64_t n_samples, rs_arena *arena, rs_error *error,
                      rs_line_fit *fit);

/* What one directed link did in all runs. */
typedef struct rs_link_fit {
    int32_t src, dst;
    rs_line_fit line;
    double share; /* its time for a message over the median link's: 4 is four times as slow */
} rs_link_fit;

typedef struct rs_diagnosis {
    rs_link_fit *links; /* [n_links] sorted by (src, dst) */
    int32_t n_links;
    bool split;          /* alpha and B can be told apart for every link */
    double alpha_ps;     /* the median link's, not split: 0 */
    double ps_per_byte;  /* ... */
    double typical;      /* by how much a message's time strays from its link's line */
    int32_t slowest;     /* index of the link with the largest share; -1: nothing was sent */
    int64_t bytes;       /* the size of message for which its share is told */
    bool stands_out;     /* it is slower than the others' scatter explains */
    bool latency_bound;  /* at that size more of its excess is latency than bytes; needs `split` */
    uint64_t reduce_Bps; /* speed of the additions; 0: they take no time */
} rs_diagnosis;

/* Fits every link that the runs used, and finds the slowest. */
rs_status rs_diagnose(const rs_recording runs[], int32_t n_runs, rs_arena *arena, rs_error *error,
                      rs_diagnosis *diagnosis);
/* Returns a fitted line as a link: rounded, and with a bandwidth even where none shows. */
rs_link rs_link_of(double alpha_ps, double ps_per_byte);

RS_END_DECLS
