/* msccl_order.h: an MSCCL program as a graph of steps: which message meets which, and what comes before what. Private to
 * this folder.
 */
#pragma once

#include "ringsim_msccl.h"
#include "base/containers.h"

#include <string.h>

/* A step among those of all blocks. */
typedef struct rn_msccl_node {
    const rn_msccl_step *step;
    int32_t gpu, block; /* block: numbered through all GPUs */
    int32_t place;      /* in its block */
    int32_t from;       /* node that sends what it receives; -1: it receives nothing */
    int32_t to;         /* node that receives what it sends; -1: it sends nothing */
    int32_t dep;        /* node that it waits for; -1: none */
    int32_t flag;       /* first node from here on in its block that has hasdep; -1: none */
    int32_t freed_by;   /* node that frees the slot it sends into; -1: there was a free one */
    int64_t sent;       /* of the chunks of all messages the first that it sends */
} rn_msccl_node;

typedef struct rn_msccl_graph {
    const rn_msccl *program;
    rn_msccl_node *nodes;      /* [n], block after block */
    int32_t *order;            /* [n] nodes, each after all that it waits for */
    int32_t *first;            /* [n_blocks + 1] the first node of each block */
    const rn_msccl_block **of; /* [n_blocks] */
    /* [n_gpus + 1] the first cell of each GPU: in one row its output, its input (where that lies in the output, the same
       cells), its scratch. */
    int64_t *first_cell;
    int32_t n, n_blocks;
    int64_t n_messages, n_sent; /* and chunks that they carry */
} rn_msccl_graph;

/* Tells whether steps of a type 'r'eceive, 'g'et chunks of the source, 'a'dd to what is at the destination, 'p'ut there, 's'end:
   what they receive and get is one sum. */
static inline bool rn_msccl_does(rn_msccl_type type, char what) {
    static const char *const does[] = {"", "gs", "rp", "gp", "gap", "rps", "rgp", "rgs", "rgps"};
    return strchr(does[type], what) != NULL;
}

/* A fault at a step: fills in the verdict; returns false. */
bool rn_msccl_blame(rn_msccl_verdict *verdict, rn_msccl_fault fault, int32_t line,
                    const char *format, ...) RS_PRINTF(4, 5);

/* Puts the steps together and orders them. verdict->fault says whether bounds, pairing or a deadlock are wrong. */
rs_status rn_order_msccl(const rn_msccl *program, rs_arena *scratch, rs_error *error,
                         rn_msccl_graph *graph, rn_msccl_verdict *verdict);
/* Finds two blocks at one chunk, one of which writes, where nothing says who is first. */
rs_status rn_race_msccl(const rn_msccl_graph *graph, rs_arena *scratch, rs_error *error,
                        rn_msccl_verdict *verdict);

/* ------------------------------------------------------------------ msccl_memory.c: what every chunk holds */

/* Returns the cell of a chunk. */
int64_t rn_msccl_cell(const rn_msccl_graph *graph, int32_t gpu, rn_msccl_buffer buffer, int32_t at);

/* What a chunk holds: data of chunk `id` of the collective, and of each rank how often, a number among all such sums. */
enum { RN_MSCCL_NOTHING = -1, RN_MSCCL_MIXED = -2, RN_MSCCL_EVERY_RANK = -1 };
typedef struct rn_msccl_chunk {
    int32_t id, sum;
} rn_msccl_chunk;
typedef struct rn_msccl_memory {
    const rn_msccl_graph *graph;
    rn_msccl_chunk *cells; /* [n_cells] */
    int32_t *line;         /* [n_cells] of the step that wrote it last; 0: none did */
    rn_msccl_chunk *sent;  /* [n_sent] */
    rs_heap heap;
    rs_texts sums; /* [n_gpus] bytes each: 0, 1, 2: more; number 0: of nobody */
    int32_t n_ids; /* chunks of the collective */
} rn_msccl_memory;
/* Puts in what the ranks hold at the start. */
rs_status rn_msccl_fill(const rn_msccl_graph *graph, rs_arena *scratch, rs_error *error,
                        rn_msccl_memory *memory);
/* Returns the sum of these times, or that of one rank's data, or of all; 0, and the arena lacks memory: there is no room. */
int32_t rn_msccl_sum(rn_msccl_memory *memory, const uint8_t times[]);
int32_t rn_msccl_sum_of(rn_msccl_memory *memory, int32_t rank);
/* Adds up what two chunks hold; of two ids, or of nothing, nobody can say what it is. */
rn_msccl_chunk rn_msccl_add(rn_msccl_memory *memory, rn_msccl_chunk a, rn_msccl_chunk b);
/* Does one step; all that it waits for must be done. */
void rn_msccl_do(rn_msccl_memory *memory, int32_t node);
/* Says which chunk is not what the collective wants at the end. */
void rn_msccl_expect(rn_msccl_memory *memory, rn_msccl_verdict *verdict);
