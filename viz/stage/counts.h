/* counts.h: how many contributions are inside each cell, for runs that are too large for rs_contents.
 *
 *     transfers, step by step --> a count a cell --> an image, as small as the picture needs
 *
 *   - A seek forward costs the transfers in between; one back starts from the nearest kept frame.
 *   - A count says how many, not whose: n_ranks means complete in any sound schedule. RV_SPOILT: the value is
 *     wrong.
 *   - The first seek allocates the cells; with all frames they take some 100 MB at most.
 */
#pragma once

#include "model/model.h"

enum { RV_SPOILT = UINT16_MAX };
typedef struct rv_counts rv_counts;
rv_counts *rv_counts_new(const rv_model *model); /* the model must outlive it; NULL: no memory */
void rv_counts_free(rv_counts *counts);          /* NULL is fine */
/* Moves to the moment before `step`; false: too many cells, or no memory. */
bool rv_counts_seek(rv_counts *counts, int32_t step);
/* Returns a cell's count; -1: it is spoilt. */
int32_t rv_count_at(const rv_counts *counts, int32_t rank, int32_t chunk);
/* Returns the sum over a rank's cells; -1: one of them is spoilt. */
int64_t rv_count_of_rank(const rv_counts *counts, int32_t rank);
/* A part of all cells. */
typedef struct rv_cells {
    int32_t first_rank, n_ranks, first_chunk, n_chunks;
} rv_cells;
/* Returns columns x rows counts, each the largest of its block of cells, valid until the next call.
   *columns and *rows: in, the most that are wanted; out, the image's size. NULL: no memory. */
const uint16_t *rv_counts_image(rv_counts *counts, rv_cells part, int32_t *columns, int32_t *rows);
