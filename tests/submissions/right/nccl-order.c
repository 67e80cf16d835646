/* NCCL's ring: shifted by one, so that rank n ends with chunk n. */
#include "ring.h"
int send_chunk(int step, int rank, int n) {
    return (rank - 1 - step + 3 * n) % n;
}
void chunk_range(int count, int n, int chunk, int *first, int *length) {
    *first = (int)((long)count * chunk / n);
    *length = (int)((long)count * (chunk + 1) / n) - *first;
}
