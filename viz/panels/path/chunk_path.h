/* chunk_path.h: one chunk's way through the GPUs, step by step: who gets it from whom, whose data are inside.
 *
 *     rv_path path = rv_path_start(model, chunk);
 *     while (path.step < model->n_steps) rv_path_go_on(&path);
 *
 *   - Only what really happens is part of it: a run that stalls has a path that ends.
 */
#ifndef RV_CHUNK_PATH_H
#define RV_CHUNK_PATH_H

#include "model/model.h"

enum { RV_PATH_RANKS = 64, RV_PATH_STEPS = 512 };

typedef struct rv_path {
    const rv_model *model;
    int32_t chunk, first; /* first: the first of those that send it first */
    uint64_t starts;      /* those, a bit a GPU */
    int32_t step;         /* the state is that before this step */
    uint64_t inside[RV_PATH_RANKS];
    uint64_t twice; /* the GPUs where somebody's data are inside more than once */
} rv_path;

/* Tells whether a run is small enough for that, and has chunks. */
bool rv_has_path(const rv_model *model);
/* The first chunk that a GPU sends. */
int32_t rv_path_chunk(const rv_model *model, int32_t rank);
rv_path rv_path_start(const rv_model *model, int32_t chunk);
rv_path rv_path_at(const rv_model *model, int32_t chunk, int32_t step);
/* Walks what takes the chunk along in the path's step, in list order. */
bool rv_path_next(const rv_path *path, rs_cursor *cursor, rs_transfer *t);
/* Goes a step on; returns the set of GPUs that have got the chunk in it. */
uint64_t rv_path_go_on(rv_path *path);
/* How many GPUs are in a set; whether all their data are inside what a GPU holds. */
int rv_path_count(uint64_t set);
bool rv_path_whole(const rv_path *path, int32_t rank);
/* Says how far the chunk has come. */
void rv_path_text(const rv_path *path, char *out, size_t n_out);

#endif
