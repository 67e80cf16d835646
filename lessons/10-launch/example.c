/* A worked example: how many processes are there?
 *
 * Two machines with four GPUs each, and a process that drives two of them:
 *
 *     node 0    GPU 0 1 | 2 3        two processes
 *     node 1    GPU 0 1 | 2 3        two more: four in all
 *
 * The other three functions go the way back, from a rank to its place: your exercise.
 *
 *     ringsim grade 10 example.c         gets 0 of 10: it is given; three functions are missing
 */
#include "ring.h"

int world_size(int nodes, int gpus, int per_process) {
    /* How many processes fit onto one machine? */
    const int here = gpus / per_process;
    /* And how many machines are there? */
    return nodes * here;
}
