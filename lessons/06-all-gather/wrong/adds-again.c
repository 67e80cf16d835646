/* Adds in the all-gather, too. */
#include "ring.h"

int sends(int step, int rank, int n, rs_send out[]) {
    out[0] = (rs_send){.to = (rank + 1) % n, .chunk = (rank - step + 2 * n) % n, .chunks = 1};
    return 1;
}

void chunk_range(int count, int n, int chunk, int *first, int *length) {
    *first = (int)((long)count * chunk / n);
    *length = (int)((long)count * (chunk + 1) / n) - *first;
}
