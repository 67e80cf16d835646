/* ringsim_findings.h: what a reader of somebody's file found: errors, warnings, notes, each with its line (findings.c).
 *
 *   - A finding is a message, said in the reader's language where it is shown. At most RN_MOST_FINDINGS are kept, all are counted.
 */
#pragma once

#include "ringsim_host.h"

RS_BEGIN_DECLS

enum { RN_MOST_FINDINGS = 40 };

typedef enum rn_level { RN_ERROR, RN_WARNING, RN_NOTE, RN_N_LEVELS } rn_level;

typedef struct rn_finding {
    int64_t line; /* from 1 */
    rn_level level;
    bool first;  /* told before all others */
    bool warned; /* a program's own warning: before what was concluded, among its like */
    rs_error said;
} rn_finding;

typedef struct rn_findings {
    rn_finding list
        [RN_MOST_FINDINGS]; /* [n_kept] what is first, then errors, warnings and notes, each by line */
    int32_t n_kept;
    int64_t n[RN_N_LEVELS]; /* all that were found, kept or not */
    int32_t n_lost;         /* GPUs that the file names and does not tell of */
} rn_findings;

/* Adds a finding where it belongs; the format is one of rs_fail's. When the list is full the last one gives way. */
void rn_find(rn_findings *findings, rn_level level, int64_t line, const char *format, ...)
    RS_PRINTF(4, 5);
void rn_find_said(rn_findings *findings, rn_level level, int64_t line, const rs_error *said);
/* The same of what makes all else that is said of the file worth nothing. */
void rn_find_first(rn_findings *findings, rn_level level, int64_t line, const rs_error *said);
/* Adds what a program itself warned of. */
void rn_find_warned(rn_findings *findings, int64_t line, const rs_error *said);
/* Returns RS_OK where no error was found; else RS_BAD_INPUT and the first one in *error, with the file's name. */
rs_status rn_first_error(const rn_findings *findings, const char *file, rs_error *error);

RS_END_DECLS
