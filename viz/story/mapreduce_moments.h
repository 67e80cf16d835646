/* mapreduce_moments.h: which moment a step is, and the tables that show it. Private to the
   story. */
#ifndef RV_MAPREDUCE_MOMENTS_H
#define RV_MAPREDUCE_MOMENTS_H

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
/* Writes a word into out, cut to a few characters, with ? for what a terminal would obey and what is
   no UTF-8. */
enum { RV_MR_WORD = 28 };
const char *rv_mapreduce_word(const char *text, int64_t n_bytes, char out[RV_MR_WORD]);

/* The tables: mapreduce_grids.c and, for a long text, mapreduce_sums.c. */
void rv_mapreduce_parts(const rs_mr_report *report, rv_frame *frame);
void rv_mapreduce_pairs(const rs_mr_report *report, bool with_reducer, rv_frame *frame);
void rv_mapreduce_held(const rs_mr_report *report, int32_t shuffle_step, rv_frame *frame);
void rv_mapreduce_groups(const rs_mr_report *report, bool done, rv_frame *frame);
void rv_mapreduce_arrays(const rs_mr_report *report, bool folded, rv_frame *frame);
void rv_mapreduce_messages(const rs_mr_report *report, int32_t shuffle_step, rv_frame *frame);
void rv_mapreduce_sums(const rs_mr_report *report, rv_mapreduce_moment moment, rv_frame *frame);
void rv_mapreduce_top(const rv_mapreduce_story *of, rv_frame *frame);
/* mapreduce_figures.c: fills the end for a page of text. */
void rv_mapreduce_figures(const rv_mapreduce_story *of, rv_frame *frame);

#endif
