/* ringsim_nccl_bits.h: in which order NCCL adds each element.
 *
 *     collective, algorithm, protocol, channels, rings, trees, version --rn_bits_of_nccl--> BITS (ringsim_bits.h)
 *
 *   - The rules were read in NCCL's source from 2.18 to 2.30: docs/bits.md has the places. What is not certain is not
 *     answered: `undefined` says why.
 */
#pragma once

#include "ringsim_bits.h"
#include "ringsim_tuning.h"

RS_BEGIN_DECLS

/* What NCCL's choice and search have found. */
typedef struct rn_bits_job {
    rs_collective collective; /* all-reduce or reduce-scatter */
    rn_nccl_algorithm algorithm;
    rn_nccl_protocol protocol;
    int32_t version, n_ranks, n_nodes;
    int32_t n_channels;    /* of the communicator */
    int32_t used_channels; /* of them for this size */
    int32_t n_threads; /* of a block; asked for before 2.22 only, where they say how chunks end */
    /* [n_rings][n_ranks], in the order in which data go; channel c has ring c % n_rings */
    const int32_t *rings;
    /* [n_trees][n_ranks][3] who is below a rank, in NCCL's order, -1: nobody */
    const int32_t *trees;
    int32_t n_rings, n_trees;
    int64_t count; /* all-reduce: of the array; reduce-scatter: of a rank's part */
    rs_dtype dtype;
} rn_bits_job;
/* Builds the trees that NCCL makes along rings, node behind node, if its tree graph follows them: 2 n_rings of them,
   for `trees` above; NULL: no memory. A log's own lines are surer. */
int32_t *rn_bits_trees(const int32_t rings[], int32_t n_rings, int32_t n_ranks, int32_t n_nodes,
                       rs_arena *arena);
/* Returns how many channels, from 0 on, an array is cut over by rings or trees, at most used_channels and one; -1: no
   memory. */
int32_t rn_bits_channels(const rn_bits_job *job, rs_arena *arena);
/* Says in which order NCCL adds each element; of a reduce-scatter all ranks' parts, one behind the other. RS_BAD_INPUT: a
   version, a collective or an algorithm whose rule has not been read; a ring or a tree that does not hold every rank. */
rs_status rn_bits_of_nccl(const rn_bits_job *job, rs_sums *sums, rs_arena *arena, rs_error *error,
                          rs_bits *bits);

/* What a GPU has shown: NCCL's bits were those that the rules predict. Of a question: gpu and date NULL. */
typedef struct rn_bits_shown {
    int32_t version; /* 22907; 0 ends a list */
    rs_collective collective;
    rn_nccl_algorithm algorithm;
    rn_nccl_protocol protocol;
    /* the most of each; 1 a node: the order between nodes alone */
    int32_t n_ranks, n_per_node, n_channels;
    const char *gpu, *date;
} rn_bits_shown;
const rn_bits_shown *rn_bits_shown_rows(void); /* all that is known so far */
/* Finds what shows the order between nodes, or that inside one, in the same NCCL but for its patch; NULL: nothing has. */
const rn_bits_shown *rn_bits_find_shown(const rn_bits_shown list[], const rn_bits_shown *asked,
                                        bool between_nodes);

RS_END_DECLS
