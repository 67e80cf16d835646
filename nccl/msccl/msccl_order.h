/* msccl_order.h: an MSCCL program as a graph of steps: which message meets which, and what comes before what. Private to
 * this folder.
 */
#pragma once

#include "ringsim_msccl.h"

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
    int64_t n_messages;
} rn_msccl_graph;

static inline bool rn_msccl_receives(rn_msccl_type type) {
    return type == RN_MSCCL_RECV || type >= RN_MSCCL_RECV_COPY_SEND;
}
static inline bool rn_msccl_sends(rn_msccl_type type) {
    return type == RN_MSCCL_SEND || type == RN_MSCCL_RECV_COPY_SEND ||
           type == RN_MSCCL_RECV_REDUCE_SEND || type == RN_MSCCL_RECV_REDUCE_COPY_SEND;
}
/* Reads, or writes, its chunks of the source, or of the destination. */
static inline bool rn_msccl_reads(rn_msccl_type type) {
    return type == RN_MSCCL_SEND || type == RN_MSCCL_COPY || type == RN_MSCCL_REDUCE ||
           type >= RN_MSCCL_RECV_REDUCE_COPY;
}
static inline bool rn_msccl_writes(rn_msccl_type type) {
    return type == RN_MSCCL_RECV || type == RN_MSCCL_COPY || type == RN_MSCCL_REDUCE ||
           type == RN_MSCCL_RECV_COPY_SEND || type == RN_MSCCL_RECV_REDUCE_COPY ||
           type == RN_MSCCL_RECV_REDUCE_COPY_SEND;
}

/* A fault at a step: fills in the verdict. */
void rn_msccl_blame(rn_msccl_verdict *verdict, rn_msccl_fault fault, int32_t line,
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

/* Who is inside a chunk: data of chunk `id` of the collective, of each rank so many times. */
enum { RN_MSCCL_NOTHING = -1, RN_MSCCL_MIXED = -2 };
typedef struct rn_msccl_memory {
    const rn_msccl_graph *graph;
    int32_t *id;    /* [n_cells] */
    uint8_t *times; /* [n_cells x n_gpus] 0, 1, 2: more */
    int32_t *sent_id;
    uint8_t *sent; /* a slot for each message and chunk: [n_values x n_gpus] */
    int64_t *slot; /* [nodes] the first of what a node sends; -1: nothing */
    int32_t n_ids; /* chunks of the collective */
} rn_msccl_memory;
/* Puts in what the ranks hold at the start. */
rs_status rn_msccl_fill(const rn_msccl_graph *graph, rs_arena *scratch, rs_error *error,
                        rn_msccl_memory *memory);
/* Does one step; all that it waits for must be done. */
void rn_msccl_do(rn_msccl_memory *memory, int32_t node);
/* Says which chunk is not what the collective wants at the end. */
void rn_msccl_expect(const rn_msccl_memory *memory, rn_msccl_verdict *verdict);
