/* Exercise of lesson 10: numbers of processes.
 *
 * `nodes` machines have `gpus` GPUs each, and a process drives `per_process` of them (which divides gpus).
 * Ranks are dealt node by node: the first node has ranks 0, 1, ..., then comes the next.
 *
 *     ringsim grade 10 exercise.c
 */
#include "ring.h"

/* How many processes are there in all? */
/* 一共有多少个进程？ */
int world_size(int nodes, int gpus, int per_process) {
    /* SKELETON: (void)per_process; */
    /* SKELETON: return nodes * gpus; */
    /* BEGIN SOLUTION */
    return nodes * gpus / per_process;
    /* END SOLUTION */
}

/* On which node is this rank? */
/* 这个 rank 在哪个节点上？ */
int node_of(int rank, int gpus, int per_process) {
    /* SKELETON: (void)rank, (void)gpus, (void)per_process; */
    /* SKELETON: return 0; */
    /* BEGIN SOLUTION */
    return rank / (gpus / per_process);
    /* END SOLUTION */
}

/* Which number has it among the processes of its node? */
/* 它在本节点的进程里编号是几？ */
int local_rank(int rank, int gpus, int per_process) {
    /* SKELETON: (void)gpus, (void)per_process; */
    /* SKELETON: return rank; */
    /* BEGIN SOLUTION */
    return rank % (gpus / per_process);
    /* END SOLUTION */
}

/* Which of its node's GPUs is the first that it drives? */
/* 它驱动的第一个 GPU 是本节点的哪一个？ */
int first_gpu(int rank, int gpus, int per_process) {
    /* SKELETON: (void)gpus, (void)per_process; */
    /* SKELETON: return rank; */
    /* BEGIN SOLUTION */
    return local_rank(rank, gpus, per_process) * per_process;
    /* END SOLUTION */
}
