/* ringsim_findings.h: what a reader of somebody's file found: errors, warnings, notes, each with its line (findings.c).
 *
 *   - Texts are ready to be printed, in the reader's language. At most RN_MOST_FINDINGS are kept, all are counted.
 */
#pragma once

#include "ringsim_host.h"

RS_BEGIN_DECLS

/* Returns an English text, which may be a printf format, in the reader's language. */
typedef const char *rn_words(const char *english)
#if defined(__GNUC__)
    __attribute__((format_arg(1)))
#endif
    ;

enum { RN_MOST_FINDINGS = 40, RN_FINDING_TEXT = 720 };

typedef enum rn_level { RN_ERROR, RN_WARNING, RN_NOTE, RN_N_LEVELS } rn_level;

typedef struct rn_finding {
    int64_t line; /* from 1 */
    rn_level level;
    bool first; /* told before all others */
    char text[RN_FINDING_TEXT];
} rn_finding;

typedef struct rn_findings {
    rn_words *words; /* NULL: English */
    rn_finding list
        [RN_MOST_FINDINGS]; /* [n_kept] what is first, then ascending by line, errors before others that line has */
    int32_t n_kept;
    int64_t n[RN_N_LEVELS]; /* all that were found, kept or not */
} rn_findings;

/* Adds a finding, said in the findings' words, where it belongs. When the list is full the last one gives way; an error to none but an error. */
void rn_find(rn_findings *findings, rn_level level, int64_t line, const char *format, ...)
    RS_PRINTF(4, 5);
/* The same of what makes all else that is said of the file worth nothing. */
void rn_find_first(rn_findings *findings, rn_level level, int64_t line, const char *text);
/* Returns RS_OK where no error was found; else RS_BAD_INPUT and the first one in *error, with the file's name. */
rs_status rn_first_error(const rn_findings *findings, const char *file, rs_error *error);

RS_END_DECLS
