/* fit.h: what the files of `ringsim fit` share.
 *
 *     files --> recordings | a log --> rc_fitted --> words, JSON (fit_print.c) | --links
 */
#pragma once

#include "base/exit.h"
#include "ringsim_tables.h"

/* What was found. Of a log: links == NULL, and `line`, `link` hold. */
typedef struct rc_fitted {
    char *const *files;
    int n_files;
    const rs_recording *runs; /* NULL: a log of nccl-tests */
    int32_t n_runs;
    const rs_recording *largest; /* of the runs: what is simulated */
    rs_diagnosis diagnosis;
    /* of `largest`; -1: it did not complete, cannot be simulated */
    int64_t recorded_ps, simulated_ps;
    int64_t mended_ps; /* ... if the slowest link were like the rest; -1: none stands out */
    rn_table log;
    rs_line_fit line;             /* of whole collectives against their size */
    double alpha_ps, ps_per_byte; /* of each link of the ring that the line stands for */
    int32_t n_ranks;
    rs_link_override *links; /* [n_links] what --links is to hold, sorted by (src, dst) */
    int32_t n_links;
} rc_fitted;

/* Prints the fit in words. */
void rc_print_fit(const rc_fitted *fitted);
/* Prints ringsim.fit/1. */
void rc_json_fit(const rc_fitted *fitted, FILE *out);
