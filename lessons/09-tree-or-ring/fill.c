/* Two lines to fill, of lesson 9: tree or ring?
 *
 *     ringsim grade 09 fill.c
 */
#include "ring.h"

int choose(int n, double bytes, double alpha, double bandwidth) {
    double tree_takes = 0, ring_takes = 0;
    int n_levels = 0;
    for (int reached = 1; reached < n; reached *= 2) n_levels++;
    /* n_levels messages up, as many down: of how many bytes? */
    /* 向上 n_levels 条消息，向下也这么多：每条多少字节？ */
    /* SKELETON: tree_takes = n_levels * alpha; */
    /* BEGIN SOLUTION */
    tree_takes = 2 * n_levels * (alpha + bytes / bandwidth);
    /* END SOLUTION */
    /* The ring: how many messages, of how many bytes? */
    /* 环：多少条消息，每条多少字节？ */
    /* SKELETON: ring_takes = n * (alpha + bytes / bandwidth); */
    /* BEGIN SOLUTION */
    ring_takes = 2 * (n - 1) * (alpha + bytes / n / bandwidth);
    /* END SOLUTION */
    return ring_takes < tree_takes;
}
