/* mapreduce_moments.h: which moment a step is, and the tables that show it. Private to the
   story. */
#pragma once

#include "story/story_mapreduce.h"

typedef enum rv_mapreduce_moment {
    RV_MR_START,
    RV_MR_MAP,
    RV_MR_PARTITION,
    RV_MR_SHUFFLE,
    RV_MR_REDUCE,
    RV_MR_ARRAYS,
    RV_MR_RING,
    RV_MR_END
} rv_mapreduce_moment;

/* Tells whether a page has room for it pair by pair. */
enum { RV_MR_SHORT = 60 };
static inline bool rv_mapreduce_short(const rs_mr_report *report) {
    return report->pairs != NULL && report->n_words <= RV_MR_SHORT;
}
/* Returns the step of the shuffle in which rank src sends to dst. */
static inline int32_t rv_mapreduce_step_of(int32_t n, int32_t src, int32_t dst) {
    return (dst - src - 1 + n) % n;
}
/* mapreduce_tables.c: fills a moment with tables, of a short text pair by pair, of a long one sums; the end for a
   page of text. */
void rv_mapreduce_pairs(const rs_mr_report *report, rv_mapreduce_moment moment,
                        int32_t shuffle_step, rv_frame *frame);
void rv_mapreduce_sums(const rv_mapreduce_story *of, rv_mapreduce_moment moment,
                       int32_t shuffle_step, rv_frame *frame);
void rv_mapreduce_figures(const rv_mapreduce_story *of, rv_frame *frame);
