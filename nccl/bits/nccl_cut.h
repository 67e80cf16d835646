/* nccl_cut.h: how NCCL cuts an array: over channels, in loops, into chunks. */
#pragma once

#include "ringsim_nccl_bits.h"

/* Elements that follow each other. */
typedef struct rn_piece {
    int32_t channel;
    int32_t place; /* all-reduce by rings: the number of the chunk in its loop; else 0 */
    int64_t count;
} rn_piece;
typedef struct rn_pieces {
    /* of all-reduce the whole array's, of a reduce-scatter those of a rank's part */
    rn_piece *list;
    int64_t n, room;
    rs_arena *arena;
} rn_pieces;

/* Adds the pieces of a ring's or a tree's job, in the order of the array; false: no memory. */
bool rn_cut(const rn_bits_job *job, rn_pieces *pieces);
