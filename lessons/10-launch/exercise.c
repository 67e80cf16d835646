/* Exercise of lesson 10: numbers of processes.
 *
 * `nodes` machines have `gpus` GPUs each, and a process drives `per_process` of them (which divides gpus).
 * Ranks are dealt node by node: the first node has ranks 0, 1, ..., then comes the next.
 *
 *     ringsim grade 10 exercise.c
 */
#include "ring.h"

/* How many processes are there in all? */
int world_size(int nodes, int gpus, int per_process) {
    /* SKELETON: (void)per_process; */
    /* SKELETON: return nodes * gpus; */
    /* BEGIN SOLUTION */
    return nodes * gpus / per_process;
    /* END SOLUTION */
}

/* On which node is this rank? */
int node_of(int rank, int gpus, int per_process) {
    /* SKELETON: (void)rank, (void)gpus, (void)per_process; */
    /* SKELETON: return 0; */
    /* BEGIN SOLUTION */
    return rank / (gpus / per_process);
    /* END SOLUTION */
}

/* Which number has it among the processes of its node? */
int local_rank(int rank, int gpus, int per_process) {
    /* SKELETON: (void)gpus, (void)per_process; */
    /* SKELETON: return rank; */
    /* BEGIN SOLUTION */
    return rank % (gpus / per_process);
    /* END SOLUTION */
}

/* Which of its node's GPUs is the first that it drives? */
int first_gpu(int rank, int gpus, int per_process) {
    /* SKELETON: (void)gpus, (void)per_process; */
    /* SKELETON: return rank; */
    /* BEGIN SOLUTION */
    return local_rank(rank, gpus, per_process) * per_process;
    /* END SOLUTION */
}
