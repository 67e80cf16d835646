/* story_mapreduce.h: words mapped, shuffled and reduced, moment by moment, as a story (frame.h). */
#pragma once

#include "ringsim_mapreduce.h"
#include "story/frame.h"

typedef struct rv_mapreduce_story {
    const rs_mr_report *report;
    const rs_mr_word *const *top; /* [n_top] the words shown of a long text, in place of all */
    int64_t n_top;
} rv_mapreduce_story;

/* Fills *story: the steps are map, partition, one for each step of the shuffle, and reduce; if a
   ring has done the same, then also the arrays that it begins with and those that it leaves. `of`
   must outlive the story; lanes lie in the arena. */
rs_status rv_story_mapreduce(const rv_mapreduce_story *of, rs_arena *arena, rs_error *error,
                             rv_story *story);
