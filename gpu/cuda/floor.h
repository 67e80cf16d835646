/* floor.h: what the schedule comes to, without its steps: whose values are added in which order, and who gets
 * the sum. Private to gpu/.
 *
 *     ring, chunk 1 of 3:   ((rank 1 + rank 2) + rank 0) --> ranks 0, 1, 2
 *                             TERMS, the first added first    ENDS
 *
 *   - The order is the plan's own, followed move by move: so the bits are the schedule's. It must be one chain,
 *     in which each sum gets one rank's own value: a ring's, a chain's, one reducer's; not a tree's.
 *   - What a collective promises of an average is divided, whichever move divides it.
 *   - A cell that a collective does not promise gets nothing, though the schedule may write it on its way.
 */
#pragma once

#include "cuda/turns.h"

typedef struct rg_term {
    const char *from; /* the chunk of the rank whose own value it is */
    int32_t is_left;  /* it is the left operand of its addition, the sum so far the right one */
} rg_term;

typedef struct rg_floor_sum { /* of one chunk */
    int64_t first_term, first_end;
    int32_t n_terms, n_ends;
    bool larger; /* as in rg_move */
    bool finish; /* avg: what the ends get is divided */
} rg_floor_sum;

typedef struct rg_floor {
    rg_floor_sum *sums;
    rg_term *terms;
    char **ends; /* the chunk of a rank that gets the sum */
    int64_t n_terms, n_ends;
    int32_t n_sums;
} rg_floor;

/* Follows the plan, with the arrays where `places` says. RS_UNSUPPORTED: it comes to no such sums, and why.
   Memory and time: in proportion to moves and cells. All of it is the arena's. */
rs_status rg_floor_new(const rg_plan *plan, const rg_job *job, const rg_places *places,
                       rs_arena *arena, rs_error *error, rg_floor *made);
