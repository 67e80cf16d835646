/* story_mapreduce.h: words mapped, shuffled and reduced, moment by moment, as a story (frame.h). */
#ifndef RV_STORY_MAPREDUCE_H
#define RV_STORY_MAPREDUCE_H

#include "ringsim_mapreduce.h"
#include "story/frame.h"

typedef struct rv_mapreduce_story {
    const rs_mr_report *report;
    const rs_mr_word *const *top; /* [n_top] words that stand for all, where the text is long */
    int64_t n_top;
} rv_mapreduce_story;

/* Fills *story: steps are map, partition, one for each step of the shuffle, reduce, and, where a ring
   can do the same, what it begins with and what it leaves. `of` must outlive it; lanes lie in the
   arena. */
rs_status rv_story_mapreduce(const rv_mapreduce_story *of, rs_arena *arena, rs_error *error,
                             rv_story *story);

#endif
