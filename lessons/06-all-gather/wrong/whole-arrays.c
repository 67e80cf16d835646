/* Right sums, at the price of a single reducer: whole arrays through GPU 0. */
#include "ring.h"

int sends(int step, int rank, int n, rs_send out[]) {
    const int back = step >= n - 1, other = 1 + step % (n - 1);
    if (rank != (back ? 0 : other)) return 0;
    out[0] = (rs_send){.to = back ? other : 0, .chunk = 0, .chunks = n, .copy = back};
    return 1;
}

void chunk_range(int count, int n, int chunk, int *first, int *length) {
    *first = (int)((long)count * chunk / n);
    *length = (int)((long)count * (chunk + 1) / n) - *first;
}
