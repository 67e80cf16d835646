/* The order of Baidu's and Open MPI's rings: chunk n - s, upwards. */
#include "ring.h"
int send_chunk(int step, int rank, int n) {
    return ((rank - step) % n + n) % n;
}
void chunk_range(int count, int n, int chunk, int *first, int *length) {
    *first = chunk * (count / n) + (chunk < count % n ? chunk : count % n);
    *length = count / n + (chunk < count % n);
}
