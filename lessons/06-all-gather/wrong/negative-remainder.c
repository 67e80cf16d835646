/* Trusts % with negative numbers. */
#include "ring.h"

int send_chunk(int step, int rank, int n) {
    return (rank - step) % n;
}

void chunk_range(int count, int n, int chunk, int *first, int *length) {
    *first = (int)((long)count * chunk / n);
    *length = (int)((long)count * (chunk + 1) / n) - *first;
}
