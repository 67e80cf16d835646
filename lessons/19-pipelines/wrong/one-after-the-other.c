/* A pipelined reduce, then a pipelined broadcast: one direction works, the other waits, then the other way. */
#include "ring.h"

int chunks(int n) {
    return 16 * n;
}

int steps(int n) {
    return 2 * (chunks(n) + n - 2);
}

int sends(int step, int rank, int n, rs_send out[]) {
    const int half = chunks(n) + n - 2;
    const int chunk = step < half ? step - (n - 1 - rank) : step - half - rank;
    const int to = step < half ? rank - 1 : rank + 1;
    if (to < 0 || to >= n || chunk < 0 || chunk >= chunks(n)) return 0;
    out[0] = (rs_send){.to = to, .chunk = chunk, .copy = step >= half};
    return 1;
}
