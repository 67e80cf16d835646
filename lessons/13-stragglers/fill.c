/* Two lines to fill, of lesson 13: the ring whose slowest link is fastest, of all orders.
 *
 *     ringsim grade 13 fill.c
 */
#include "ring.h"

/* The slowest link that a ring in this order uses. */
/* 按这个顺序连成的环，最慢的链路。 */
static double slowest_link(int n, const double seconds[], const int ring[]) {
    double worst = 0;
    for (int place = 0; place < n; place++) {
        double link = 0;
        /* From the GPU at this place to the one at the next; after the last place comes the first. */
        /* 从这个位置的 GPU 到下一个位置的 GPU；最后一个位置之后是第一个。 */
        /* SKELETON: link = seconds[ring[place]]; */
        /* BEGIN SOLUTION */
        link = seconds[ring[place] * n + ring[(place + 1) % n]];
        /* END SOLUTION */
        if (link > worst) worst = link;
    }
    return worst;
}

static void swap(int ring[], int a, int b) {
    const int kept = ring[a];
    ring[a] = ring[b];
    ring[b] = kept;
}

/* Tries everything that can stand from `place` on; what stands before it stays. */
/* 试遍从 place 起的所有排法；它前面的不动。 */
static void try_from(int place, int n, const double seconds[], int ring[], int best[]) {
    if (place == n) {
        int better = 0;
        /* Is this ring better than the best up to now? */
        /* 这个环比到目前为止最好的更好吗？ */
        /* SKELETON: better = slowest_link(n, seconds, ring) > 1; */
        /* BEGIN SOLUTION */
        better = slowest_link(n, seconds, ring) < slowest_link(n, seconds, best);
        /* END SOLUTION */
        for (int i = 0; better && i < n; i++) best[i] = ring[i];
        return;
    }
    for (int other = place; other < n; other++) {
        swap(ring, place, other);
        try_from(place + 1, n, seconds, ring, best);
        swap(ring, place, other);
    }
}

void ring_order(int n, const double seconds[], int order[]) {
    int ring[16];
    for (int gpu = 0; gpu < n; gpu++) ring[gpu] = order[gpu] = gpu;
    try_from(1, n, seconds, ring, order);
}
