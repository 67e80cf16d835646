/* story_compare.h: algorithms over sizes, as curves with the size where another one becomes the fastest (frame.h). */
#ifndef RV_STORY_COMPARE_H
#define RV_STORY_COMPARE_H

#include "story/frame.h"

typedef struct rv_compared {
    rs_collective of;
    const char *machine; /* its name; NULL: private wires */
    int32_t n_gpus;
    int32_t n_sizes, n_algorithms; /* at least 1 each */
    const rs_algorithm *const *algorithms;
    const int64_t *bytes;    /* [n_sizes] ascending, each at least 1 */
    const int64_t *time_ps;  /* [n_sizes * n_algorithms], by size */
    const int64_t *bound_ps; /* [n_sizes]; 0: none */
    /* Filled in by rv_story_compare. */
    double *x,
        *y; /* log2 of bytes [n_sizes]; log10 of ps [(n_algorithms + 1) * n_sizes], the bound last */
    int32_t *fastest; /* [n_sizes] */
    char title[160];
} rv_compared;

/* Fills *story: a step is a size. `of` must outlive the story, its arrays lie in the arena. */
rs_status rv_story_compare(rv_compared *of, rs_arena *arena, rs_error *error, rv_story *story);

#endif
