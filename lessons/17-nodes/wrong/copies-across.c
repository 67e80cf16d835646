/* Across the nodes it overwrites: each takes the other node's sum in place of its own. */
#include "ring.h"

int chunks(int n) {
    return n / 2;
}

int steps(int n) {
    return n - 1;
}

int sends(int step, int rank, int n, rs_send out[]) {
    const int g = n / 2, mine = rank % g;
    const int to = step == g - 1 ? (rank + g) % n : rank - mine + (mine + 1) % g;
    const int chunk = step < g - 1 ? mine - step : step == g - 1 ? mine + 1 : mine + 1 - step + g;
    out[0] = (rs_send){.to = to, .chunk = (chunk + g) % g, .copy = step >= g - 1};
    return 1;
}
