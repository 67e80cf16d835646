/* Prints what it does: that changes nothing. */
#include "ring.h"
#include <stdio.h>
int send_chunk(int step, int rank, int n) {
    const int chunk = ((rank - step) % n + n) % n;
    if (n == 5) printf("step %d: rank %d sends %d\n", step, rank, chunk);
    return chunk;
}
void chunk_range(int count, int n, int chunk, int *first, int *length) {
    *first = (int)((long)count * chunk / n);
    *length = (int)((long)count * (chunk + 1) / n) - *first;
}
