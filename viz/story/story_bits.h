/* story_bits.h: one element's way to its sum as a story (frame.h): a step is an addition, at a rank; several orders beside each
 * other. */
#pragma once

#include "ringsim_bits.h"
#include "story/frame.h"

enum { RV_MOST_WAYS = 4 };
typedef struct rv_way {
    const char *name; /* whose order: "Ring", "algo=tree" */
    char order[72];   /* "((1+2)+3)+0" */
    rs_walk walk;
} rv_way;
typedef struct rv_bits_story {
    char title[160];
    const char *known; /* how the orders are known, a msgid; NULL: they are our own */
    int64_t element;
    rs_dtype dtype;
    rv_way ways[RV_MOST_WAYS]; /* the first is told, the others stand beside it */
    int n_ways;
} rv_bits_story;

/* Fills *story. `of` must outlive it. */
void rv_story_bits(const rv_bits_story *of, rv_story *story);
