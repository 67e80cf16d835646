/* Two lines to fill, of lesson 10: from a rank to its place.
 *
 *     ringsim grade 10 fill.c
 */
#include "ring.h"

/* How many processes are there on each node? */
/* 每个节点有多少个进程？ */
static int processes_here(int gpus, int per_process) {
    return gpus / per_process;
}

int world_size(int nodes, int gpus, int per_process) {
    return nodes * processes_here(gpus, per_process);
}

int node_of(int rank, int gpus, int per_process) {
    return rank / processes_here(gpus, per_process);
}

int local_rank(int rank, int gpus, int per_process) {
    const int here = processes_here(gpus, per_process);
    /* Whole nodes full of ranks come before this one's. How many ranks of its own node do? */
    /* 排在前面的有若干个满的节点。本节点里有多少个 rank 排在它前面？ */
    /* SKELETON: return here > 0 ? rank : 0; */
    /* BEGIN SOLUTION */
    return rank % here;
    /* END SOLUTION */
}

int first_gpu(int rank, int gpus, int per_process) {
    /* 它前面有这么多个进程。 */
    const int before = local_rank(rank, gpus, per_process); /* so many processes come before it */
    /* Each of them drives per_process GPUs. Which is the first one that is left? */
    /* 它们各驱动 per_process 个 GPU。剩下的第一个是哪个？ */
    /* SKELETON: return before; */
    /* BEGIN SOLUTION */
    return before * per_process;
    /* END SOLUTION */
}
