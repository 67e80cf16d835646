/* Prints three megabytes: that changes nothing. */
#include "ring.h"
#include <stdio.h>
int send_chunk(int step, int rank, int n) {
    const int chunk = ((rank - step) % n + n) % n;
    for (int i = 0; n == 5 && step == 0 && i < 20000; i++) {
        printf("step %d: rank %d sends %d\n", step, rank, chunk);
    }
    return chunk;
}
void chunk_range(int count, int n, int chunk, int *first, int *length) {
    *first = (int)((long)count * chunk / n);
    *length = (int)((long)count * (chunk + 1) / n) - *first;
}
