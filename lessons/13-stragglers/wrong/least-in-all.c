/* The least time of all links together: a ring waits for its slowest one, though. */
#include "ring.h"

static double in_all(int n, const double seconds[], const int order[]) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += seconds[order[i] * n + order[(i + 1) % n]];
    }
    return sum;
}

/* Tries all orders that agree with `now` before place `at`. */
static void try_all(int n, const double seconds[], int now[], int at, int best[]) {
    if (at == n && in_all(n, seconds, now) < in_all(n, seconds, best)) {
        for (int i = 0; i < n; i++) best[i] = now[i];
    }
    for (int i = at; i < n; i++) {
        const int moved = now[i];
        now[i] = now[at];
        now[at] = moved;
        try_all(n, seconds, now, at + 1, best);
        now[at] = now[i];
        now[i] = moved;
    }
}

void ring_order(int n, const double seconds[], int order[]) {
    int now[16];
    for (int i = 0; i < n; i++) now[i] = order[i] = i;
    try_all(n, seconds, now, 1, order);
}
