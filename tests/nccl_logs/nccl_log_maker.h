/* nccl_log_maker.h: logs as NCCL would write them, made for tests: our own machines, in the documented format.
 *
 *   - What is in them is known: ranks, rings, the communicator behind the table.
 */
#pragma once

#include "ringsim_nccl_log.h"

#include <stdio.h>

/* What the log is to say, and how. */
typedef struct made_log {
    rn_nccl_comm comm;         /* behind the table */
    const char *prefix;        /* of a launcher, before each line; NULL: none */
    const char *intra, *inter; /* transports; NULL: P2P/CUMEM and NET/IB/0/GDRDMA */
    const char *settings;      /* "NCCL_ALGO=Ring\nNCCL_P2P_DISABLE=1"; NULL: none */
    int n_channels;            /* of rings and trees */
    bool graphs;               /* GRAPH lines, too */
    bool interleaved;          /* ranks take turns line by line */
    bool torn;                 /* some lines are cut into by others */
    bool cut_lists;            /* rank 0's list of a ring ends after 20 ranks */
    bool without_neighbours;   /* no "Ring 00 : 7 -> 0 -> 1" */
    bool no_table;
    bool old_calls; /* "Algo 1 proto 2 time 60.1" */
} made_log;

/* Writes it; every ring r of n_channels goes round the nodes and, inside a node, from GPU r on. */
void make_nccl_log(const made_log *wish, FILE *out);
/* Returns the rank behind a rank in a ring of that log. */
int32_t made_next(const rn_nccl_comm *comm, int channel, int32_t rank);
