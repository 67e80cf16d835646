/* The same ring in the general form. */
#include "ring.h"
int sends(int step, int rank, int n, rs_send out[]) {
    out[0].to = (rank + 1) % n;
    out[0].chunk = (rank - step + 2 * n) % n;
    out[0].chunks = 1;
    out[0].copy = step >= n - 1;
    return 1;
}
void chunk_range(int count, int n, int chunk, int *first, int *length) {
    *first = (int)((long)count * chunk / n);
    *length = (int)((long)count * (chunk + 1) / n) - *first;
}
