/* The last chunk gets all that is left over. */
#include "ring.h"

int send_chunk(int step, int rank, int n) {
    return ((rank - step) % n + n) % n;
}

void chunk_range(int count, int n, int chunk, int *first, int *length) {
    *first = chunk * (count / n);
    *length = chunk == n - 1 ? count - *first : count / n;
}
