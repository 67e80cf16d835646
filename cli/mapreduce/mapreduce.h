/* mapreduce.h: what cmd_mapreduce.c hands to those who print. */
#ifndef RC_MAPREDUCE_H
#define RC_MAPREDUCE_H

#include "ringsim_mapreduce.h"

typedef struct rc_mapped {
    const char *file; /* the text's file; NULL: it was typed */
    rs_mr_report report;
    const rs_mr_word **top; /* [n_top] the most frequent first; of equal ones by their bytes */
    int64_t n_top;
} rc_mapped;

/* Prints ringsim.mapreduce/1. */
void rc_json_mapped(const rc_mapped *mapped, FILE *out);
/* Prints every word, a tab and its result. */
void rc_write_words(const rs_mr_report *report, FILE *out);

#endif
