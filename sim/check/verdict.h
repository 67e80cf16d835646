/* verdict.h: the checker's findings in words. Private to sim/.
 *
 * Sets of ranks are bits, rank r is bit r % 64 of word r / 64.
 */
#pragma once

#include "ringsim.h"

typedef struct rs_finding {
    rs_verdict_fault fault;
    rs_collective collective;
    rs_ends ends; /* the chunk's */
    int32_t n_ranks;
    int32_t step, rank, chunk, src;
    const uint64_t *in;   /* what came; clash: who sent; unfinished: unused */
    const uint64_t *own;  /* what the cell held before; unfinished: at the end */
    const uint64_t *need; /* overwritten: what a wrong cell lacks in the end for want of it */
} rs_finding;

/* Writes "rank 3", "ranks 0..3", "ranks 0 2 5", "nothing"; cut with an ellipsis where it gets too long. */
void rs_list_ranks(const uint64_t set[], int32_t n_ranks, char *out, size_t n_out);
void rs_verdict_of(const rs_finding *finding, uint64_t scratch[], rs_verdict *verdict);
