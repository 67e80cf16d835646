/* Gloo's ring: to the left, chunks counted upwards. */
#include "ring.h"
int send_to(int rank, int n) {
    return (rank + n - 1) % n;
}
int send_chunk(int step, int rank, int n) {
    return (rank + 1 + step) % n;
}
void chunk_range(int count, int n, int chunk, int *first, int *length) {
    const int shorter = n - count % n;
    *first = chunk * (count / n) + (chunk > shorter ? chunk - shorter : 0);
    *length = count / n + (chunk >= shorter);
}
