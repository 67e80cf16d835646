/* Nobody says which chunk is the first: shifted by seven. */
#include "ring.h"
int send_chunk(int step, int rank, int n) {
    return ((rank + 7 - step) % n + n) % n;
}
void chunk_range(int count, int n, int chunk, int *first, int *length) {
    int at = 0;
    for (int c = 0; c <= chunk; c++) {
        *first = at;
        *length = (count - at) / (n - c);
        at += *length;
    }
}
