/* story_compare.h: algorithms over sizes, or over world sizes, as curves with the place where another one becomes
 * the fastest (frame.h). A step is a point: a size, or a number of GPUs. */
#pragma once

#include "story/frame.h"

typedef struct rv_compared {
    rs_collective of;
    const char *machine; /* its name; NULL: private wires */
    bool worlds; /* the points are numbers of GPUs, with n_bytes each; else bytes, on n_gpus */
    int32_t n_gpus;
    int64_t n_bytes;
    int32_t n_points, n_algorithms; /* at least 1 each */
    const rs_algorithm *const *algorithms;
    const int64_t *at;       /* [n_points] ascending, each at least 1 */
    const int64_t *time_ps;  /* [n_points * n_algorithms], by point */
    const int64_t *bound_ps; /* [n_points]; 0: none */
    /* Filled in by rv_story_compare: x [n_points], y [(n_algorithms + 1) * n_points], the bound last. Over sizes
       log2 of bytes and log10 of ps, over world sizes as they are. */
    double *x, *y;
    int32_t *fastest; /* [n_points] */
    char title[160];
} rv_compared;

/* Fills *story. `of` must outlive the story, its arrays lie in the arena. */
rs_status rv_story_compare(rv_compared *of, rs_arena *arena, rs_error *error, rv_story *story);
