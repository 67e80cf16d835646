/* Half of the array runs upwards, half downwards: twice as many chunks, half as large. */
#include "ring.h"
int chunks(int n) {
    return 2 * n;
}
int sends(int step, int rank, int n, rs_send out[]) {
    const int copy = step >= n - 1;
    out[0] = (rs_send){.to = (rank + 1) % n, .chunk = (rank - step + 2 * n) % n, .copy = copy};
    out[1] = (rs_send){.to = (rank + n - 1) % n, .chunk = n + (rank + step) % n, .copy = copy};
    return 2;
}
void chunk_range(int count, int n, int chunk, int *first, int *length) {
    *first = (int)((long)count * chunk / n);
    *length = (int)((long)count * (chunk + 1) / n) - *first;
}
