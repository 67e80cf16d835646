/* Exercise of lesson 17: the fastest schedule of your own between two nodes.
 *
 * n = 8: ranks 0..3 live in one node, 4..7 in the other, and one thin wire joins them. A ring over all eight is
 * sound, but slow: 14 steps wait for the wire. First add up inside the nodes, all at the same time; then let
 * partners exchange what they have; then hand it round inside the nodes.
 *
 *     ringsim --machine thin-wire --algo exercise.c --step
 *     ringsim grade 17 exercise.c
 */
#include "ring.h"

int chunks(int n) {
    /* SKELETON: return n; */
    /* BEGIN SOLUTION */
    const int per_node = n / 2;
    return per_node;
    /* END SOLUTION */
}

int steps(int n) {
    /* SKELETON: return 2 * (n - 1); */
    /* BEGIN SOLUTION */
    return 2 * (n / 2 - 1) + 1;
    /* END SOLUTION */
}

int sends(int step, int rank, int n, rs_send out[]) {
    /* SKELETON: (void)step, (void)rank, (void)n, (void)out; */
    /* SKELETON: return 0; */
    /* BEGIN SOLUTION */
    const int g = n / 2, mine = rank % g, first = rank - mine;
    const int next = first + (mine + 1) % g;
    if (step < g - 1) { /* scatter-reduce in my node */
        out[0] = (rs_send){.to = next, .chunk = (mine - step + g) % g};
    } else if (step == g - 1) { /* my complete chunk to my partner, his to me: both add */
        out[0] = (rs_send){.to = (rank + g) % n, .chunk = (mine + 1) % g};
    } else { /* all-gather in my node */
        out[0] = (rs_send){.to = next, .chunk = (mine + 1 - (step - g) + g) % g, .copy = 1};
    }
    return 1;
    /* END SOLUTION */
}
