/* ringsim_run.h: a whole run: one collective simulated, judged, executed and compared.
 *
 *     REQUEST: job, type, operation, data ---> rs_run ---> REPORT: outcome, trace, verdict, values, rates
 */
#pragma once

#include "ringsim_check.h"
#include "ringsim_time.h"
#include "ringsim_values.h"

RS_BEGIN_DECLS

typedef enum rs_values {
    RS_VALUES_AUTO,
    RS_VALUES_ALL,
    RS_VALUES_SAMPLE,
    RS_VALUES_NONE
} rs_values;
typedef enum rs_when { RS_AUTO, RS_ALWAYS, RS_NEVER } rs_when;

typedef struct rs_request {
    rs_job job;
    rs_dtype dtype;
    rs_op op;
    rs_data data;
    uint64_t seed;
    const double *list; /* [n_ranks], for RS_DATA_LIST */
    const void
        *input; /* n_ranks x rs_size_count elements, rank after rank; NULL: generated from `data` */
    rs_values values;
    rs_when check;
    rs_engine engine;
    int64_t trace_limit; /* keep the trace if there are at most so many transfers; 0: no trace */
} rs_request;

typedef struct rs_report {
    rs_request request; /* with every auto resolved but `check` */
    /* NULL: a run of our own. Otherwise it was read (ringsim_measure.h): the trace holds, and there is
       no net, fault, bound or value. */
    const struct rs_recording *recording;
    rs_outcome outcome;
    rs_trace *trace; /* NULL: not kept */
    bool judged;     /* `verdict` holds */
    rs_verdict verdict;
    bool computed; /* values moved: `correct`, `wrong`, `results` and `crc32` hold */
    bool correct;
    bool *wrong;     /* [n_ranks] */
    int64_t n_elems; /* elements a rank that really moved: count, or n_chunks (see rs_fill) */
    void **inputs;   /* [n_ranks] n_elems elements each */
    void **results;  /* [n_ranks] n_elems elements each */
    uint32_t *crc32; /* [n_ranks] */
    int64_t lower_bound_ps;
    rs_bound bound; /* what says so (rs_lower_bound) */
    bool has_rates;
    double algbw_GBps, busbw_GBps;
} rs_report;

/* Simulates, judges, executes and compares one collective. The report's arrays live in the arena; what the
   request points to must outlive the report. */
rs_status rs_run(const rs_request *request, rs_arena *arena, rs_error *error, rs_report *report);

RS_END_DECLS
