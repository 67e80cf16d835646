/* Chunks come back a step before they are complete at GPU 0. */
#include "ring.h"

int chunks(int n) {
    return 16 * n;
}

int steps(int n) {
    return chunks(n) + 2 * (n - 1) - 1;
}

int sends(int step, int rank, int n, rs_send out[]) {
    const int in = step - (n - 1 - rank), back = step - (n - 2) - rank;
    int k = 0;
    if (rank > 0 && in >= 0 && in < chunks(n)) out[k++] = (rs_send){.to = rank - 1, .chunk = in};
    if (rank < n - 1 && back >= 0 && back < chunks(n)) {
        out[k++] = (rs_send){.to = rank + 1, .chunk = back, .copy = 1};
    }
    return k;
}
