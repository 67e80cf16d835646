/* Two lines to fill, of lesson 10: from a rank to its place.
 *
 *     ringsim grade 10 fill.c
 */
#include "ring.h"

/* How many processes are there on each node? */
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
    /* SKELETON: return here > 0 ? rank : 0; */
    /* BEGIN SOLUTION */
    return rank % here;
    /* END SOLUTION */
}

int first_gpu(int rank, int gpus, int per_process) {
    const int before = local_rank(rank, gpus, per_process); /* so many processes come before it */
    /* Each of them drives per_process GPUs. Which is the first one that is left? */
    /* SKELETON: return before; */
    /* BEGIN SOLUTION */
    return before * per_process;
    /* END SOLUTION */
}
