/* nccl_line.h: pieces of NCCL's own lines, for its log's reader and for the reader of hangs.
 *
 *     node-3:4711:4712 [2] NCCL INFO AllReduce: opCount f7 ... count 512 datatype 7 op 0 root 0 comm 0x5f [nranks=8] stream 0x1
 *     host   process thread    mark  message
 */
#pragma once

#include "ringsim_text.h"

typedef struct rn_nccl_head {
    const char *host;   /* where "node-3:4711:4712" begins */
    size_t n_process;   /* of "node-3:4711", as far as it is known */
    size_t n_thread;    /* of all of it */
    const char *device; /* "[2]"; NULL: there is none */
} rn_nccl_head;
/* Reads what stands before a mark, from a place on: another message may stand before it. */
rn_nccl_head rn_nccl_head_of(const char *from, const char *mark);

typedef struct rn_nccl_launch {
    size_t n_name;                                      /* the message begins with it */
    int64_t number, count, datatype, op, root, n_ranks; /* -1: not said; n_ranks 0 */
    const char *args, *comm; /* from " count " on; from "0x5f" on; NULL: not there */
} rn_nccl_launch;
/* Reads a message of a call that is launched; false: it is none. */
bool rn_nccl_read_launch(const char *message, rn_nccl_launch *call);
