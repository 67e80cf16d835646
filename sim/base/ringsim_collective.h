/* ringsim_collective.h: the six collectives as one value: whose data each cell holds at the start, and must hold
 * at the end. A cell is one chunk on one rank.
 *
 *                     chunk c starts at       ends at             of C chunks
 *     all-reduce      every rank, added up    every rank
 *     reduce-scatter  every rank, added up    its owner           shard r = C / N chunks, rank r's
 *     reduce          every rank, added up    the root
 *     all-gather      its owner               every rank          shard r = C / N chunks, rank r's
 *     broadcast       the root                every rank
 *     all-to-all      rank c / N              rank c mod N        N x N
 *
 *   - All other cells hold nothing at the start and may hold anything at the end.
 */
#pragma once

#include "ringsim_host.h"

RS_BEGIN_DECLS

typedef enum rs_collective {
    RS_COLL_ALL_REDUCE,
    RS_COLL_REDUCE_SCATTER,
    RS_COLL_ALL_GATHER,
    RS_COLL_BROADCAST,
    RS_COLL_REDUCE,
    RS_COLL_ALL_TO_ALL,
    RS_N_COLLECTIVES
} rs_collective;

enum { RS_EVERY_RANK = -1 };

/* Where a chunk's data lie. */
typedef struct rs_ends {
    /* the rank that holds it at first; RS_EVERY_RANK: each its own, and the answer is their sum */
    int32_t from;
    int32_t to; /* the rank that must hold the answer at the end, or RS_EVERY_RANK */
} rs_ends;
/* Returns where chunk 0 <= chunk < n_chunks lies among n_ranks; root matters to broadcast and reduce. */
rs_ends rs_collective_ends(rs_collective of, int32_t n_ranks, int32_t n_chunks, int32_t root,
                           int32_t chunk);

const char *rs_collective_name(rs_collective of); /* "all-reduce", ... */
/* Finds the collective of this name; false: none has it. */
bool rs_find_collective(const char *name, rs_collective *of);
/* Tells whether ranks' data are added up on the way; the others only copy. */
bool rs_collective_reduces(rs_collective of);
/* Tells whether it has a root. */
bool rs_collective_rooted(rs_collective of);
/* Checks that n_ranks and n_chunks can be cut as the collective wants, and that the root is a rank
   (RS_BAD_INPUT). */
rs_status rs_collective_fits(rs_collective of, int32_t n_ranks, int32_t n_chunks, int32_t root,
                             rs_error *error);
/* Returns the fewest chunks that fit it. */
int32_t rs_fewest_chunks(rs_collective of, int32_t n_ranks);
/* Writes what busbw is of algbw, among n ranks: 2(n-1)/n, (n-1)/n, 1 (nccl-tests, doc/PERFORMANCE.md). */
void rs_busbw_factor(rs_collective of, int32_t n, int64_t *num, int64_t *den);

RS_END_DECLS
