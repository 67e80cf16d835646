/* chunk_path.h: one chunk's path through the GPUs, step by step: who gets it from whom, whose data
 * are inside.
 *
 *     rv_path path = rv_path_start(model, chunk);
 *     while (path.step < model->n_steps) rv_path_go_on(&path);
 *
 *   - The path has only transfers that really happen: in a run that stalls it ends early.
 */
#ifndef RV_CHUNK_PATH_H
#define RV_CHUNK_PATH_H

#include "model/model.h"

enum { RV_PATH_RANKS = 64, RV_PATH_STEPS = 512 };

typedef struct rv_path {
    const rv_model *model;
    int32_t chunk, first; /* first: the first GPU of `starts` */
    uint64_t starts;      /* the GPUs that send it in its first step, a bit each */
    int32_t step;         /* the path holds the state before this step */
    uint64_t inside[RV_PATH_RANKS];
    uint64_t twice; /* the GPUs where somebody's data are inside more than once */
    uint64_t held[RV_PATH_RANKS],
        due[RV_PATH_RANKS]; /* its first element, and what it is without flips */
} rv_path;

/* Tells whether a run is small enough for a path, and has chunks. */
bool rv_has_path(const rv_model *model);
/* Returns the first chunk that a GPU sends. */
int32_t rv_path_chunk(const rv_model *model, int32_t rank);
rv_path rv_path_start(const rv_model *model, int32_t chunk);
rv_path rv_path_at(const rv_model *model, int32_t chunk, int32_t step);
/* Walks the transfers that carry the chunk in the path's step, in list order. */
bool rv_path_next(const rv_path *path, rs_cursor *cursor, rs_transfer *t);
/* Goes a step on; returns the set of GPUs that receive the chunk in that step. */
uint64_t rv_path_go_on(rv_path *path);
/* Returns how many GPUs are in a set; what a rank holds of the chunk before the path's step is worth. */
int rv_path_count(uint64_t set);
rv_worth rv_path_worth(const rv_path *path, int32_t rank);
/* Says how far the chunk has come. */
void rv_path_text(const rv_path *path, char *out, size_t n_out);

#endif
