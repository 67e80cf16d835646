/* Exercise of lesson 13: round the slow link.
 *
 * seconds[a * n + b] is the time of a message from GPU a to GPU b. A ring is as fast as the slowest link
 * that it uses. Write an order of the n GPUs (each once) into order[]: order[0] sends to order[1], and so
 * on, the last one to order[0]. The slowest link must be as fast as can be. n is 9 at the most: trying
 * all orders is fine.
 *
 *     ringsim grade 13 exercise.c
 */
#include "ring.h"

/* BEGIN SOLUTION */
static double slowest(int n, const double seconds[], const int order[]) {
    double most = 0;
    for (int i = 0; i < n; i++) {
        const double t = seconds[order[i] * n + order[(i + 1) % n]];
        if (t > most) most = t;
    }
    return most;
}

/* Tries all orders that agree with `now` before place `at`. */
static void try_all(int n, const double seconds[], int now[], int at, int best[]) {
    if (at == n && slowest(n, seconds, now) < slowest(n, seconds, best)) {
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
/* END SOLUTION */

void ring_order(int n, const double seconds[], int order[]) {
    /* SKELETON: (void)seconds; */
    /* SKELETON: for (int i = 0; i < n; i++) order[i] = i; */
    /* BEGIN SOLUTION */
    int now[16];
    for (int i = 0; i < n; i++) now[i] = order[i] = i;
    try_all(n, seconds, now, 1, order);
    /* END SOLUTION */
}
