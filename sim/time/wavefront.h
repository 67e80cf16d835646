/* wavefront.h: what the files of the wavefront engine share. Private to sim/.
 *
 *     wavefront_sweep.c        does it apply; which of the two ways
 *     wavefront_sweep.c  any schedule, step by step, every fault, every transfer to the sink
 *     wavefront_ring.c   the ring alone, in tiles, for end times only
 *     wavefront_vectors.c  what a tile does, on the vectors that this machine has
 *
 * The ring by chunks. At step s chunk q travels from rank r = q + s + shift to rank r + 1 (indices
 * mod N). Let t[q] be the time at which that sender enters step s. Then the next row is
 *
 *     e[q]  = max(t[q], t[q + 1]) + cost                 both ends are there; the message arrives
 *     t'[q] = max(e[q + 1], e[q] + extra)                rank r + 1 has sent, received and added
 *
 *     step s + 1          t'[q]                          t'[q] is the entry of rank r + 1, which
 *                        /  |  \                         sends chunk q on: a column holds a chunk,
 *     step s          t[q] t[q+1] t[q+2]                 a rank moves left by one in every step.
 *
 * Two things follow. A column's chunk is a larger or a smaller one (N need not divide the count)
 * for the whole run: the larger ones are columns 0 .. K mod N - 1. And a row depends on what lies
 * to the right only, so it can be replaced in place, left to right.
 *
 *     cost  = alpha + b/B of the link r -> r + 1, + straggler of r
 *     extra = addition at r + 1, + straggler of r + 1, - straggler of r (it is in `cost` already)
 */
#pragma once

#include "time/costs.h"

enum {
    RS_RING_FUSED = 4,               /* steps in one walk along a row */
    RS_RING_LAG = 2 * RS_RING_FUSED, /* vectors by which the last of them follows */
    RS_RING_WIDEST = 8,
    RS_RING_MARGIN = (RS_RING_LAG + 1) * RS_RING_WIDEST, /* what a walk may touch beyond a row */
};

/* Where a row's costs begin: element i is that of column i in the first step, of column i - 1 in
   the second. RS_RING_MARGIN elements before and behind are readable. */
typedef struct rs_ring_costs {
    const int64_t *cost, *extra;           /* of a smaller chunk (or of the tile's only kind) */
    const int64_t *cost_more, *extra_more; /* how much dearer a larger one is; mixed tiles only */
} rs_ring_costs;

/* Some columns, for some steps. The row is replaced by the one n_steps later. */
typedef struct rs_ring_tile {
    int64_t *row; /* [n_columns + 2 * n_steps + RS_RING_MARGIN] */
    rs_ring_costs costs;
    bool has_extra;        /* some `extra` is not 0 */
    const int64_t *larger; /* [as row, with a margin before] all ones where the chunk is a larger
                              one; NULL: the tile holds one kind */
    int32_t n_columns, n_steps;
} rs_ring_tile;

/* A way to run a tile. All ways give the same integers. */
typedef struct rs_tile_runner {
    const char *name;
    bool (*here)(void); /* can this processor do it? */
    void (*run)(const rs_ring_tile *tile);
} rs_tile_runner;

extern const rs_tile_runner *const rs_all_tile_runners[]; /* the fastest first; ends with NULL */

bool rs_ring_applies(const rs_costs *costs); /* the tiles hold no dead ranks and no outages */
/* runner: NULL takes the fastest. */
rs_status rs_wavefront_ring(const rs_costs *costs, const rs_tile_runner *runner, rs_arena *arena,
                            rs_error *error, rs_outcome *outcome);

rs_status rs_wavefront_sweep(const rs_costs *costs, const rs_sink *sink, rs_arena *arena,
                             rs_error *error, rs_outcome *outcome);
