/* findings.h: what a reader of somebody's file found: errors, warnings, notes, each with its line (findings.c).
 *
 *   - Texts are ready to be printed, translated. At most RC_MOST_FINDINGS are kept, all are counted.
 */
#ifndef RC_FINDINGS_H
#define RC_FINDINGS_H

#include "base/exit.h"

enum { RC_MOST_FINDINGS = 40, RC_FINDING_TEXT = 720 };

typedef enum rc_level { RC_ERROR, RC_WARNING, RC_NOTE, RC_N_LEVELS } rc_level;

typedef struct rc_finding {
    int64_t line; /* from 1 */
    rc_level level;
    bool first; /* told before all others */
    char text[RC_FINDING_TEXT];
} rc_finding;

typedef struct rc_findings {
    rc_finding list
        [RC_MOST_FINDINGS]; /* [n_kept] what is first, then ascending by line, errors before others that line has */
    int32_t n_kept;
    int64_t n[RC_N_LEVELS]; /* all that were found, kept or not */
} rc_findings;

/* Adds a finding where it belongs. When the list is full the last one gives way; an error to none but an error. */
void rc_find(rc_findings *findings, rc_level level, int64_t line, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;
/* The same of what makes all else that is said of the file worth nothing. */
void rc_find_first(rc_findings *findings, rc_level level, int64_t line, const char *text);
/* Returns RC_GOOD where no error was found; else RC_USAGE and the first one in *error, with the file's name. */
rc_exit rc_first_error(const rc_findings *findings, const char *file, rs_error *error);
/* Prints warnings and notes on stderr, one line each. */
void rc_print_findings(const rc_findings *findings, const char *file);

#endif
