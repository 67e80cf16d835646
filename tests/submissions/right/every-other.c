/* Stands in the ring in another order: to rank - 1, but numbered so that chunks go down. */
#include "ring.h"
int send_to(int rank, int n) {
    return rank == 0 ? n - 1 : rank - 1;
}
int send_chunk(int step, int rank, int n) {
    const int place = n - 1 - rank;
    return ((place - step) % n + n) % n;
}
void chunk_range(int count, int n, int chunk, int *first, int *length) {
    *first = (int)((long)count * chunk / n);
    *length = (int)((long)count * (chunk + 1) / n) - *first;
}
