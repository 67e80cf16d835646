/* Two lines to fill, of lesson 11: how often does everybody call?
 *
 *     ringsim grade 11 fill.c
 */
#include "ring.h"

void plan_calls(int n, const int batches[], int calls[]) {
    int longest = 0;
    for (int rank = 0; rank < n; rank++) {
        /* No batch may be lost. Which rank decides how many calls there must be? */
        /* 一个批次也不能丢。由哪个 rank 决定要调用多少次？ */
        /* SKELETON: longest = batches[rank]; */
        /* BEGIN SOLUTION */
        if (batches[rank] > longest) longest = batches[rank];
        /* END SOLUTION */
    }
    for (int rank = 0; rank < n; rank++) {
        /* Nobody may wait for ever. How often does this rank call? */
        /* 谁也不能永远等下去。这个 rank 调用几次？ */
        /* SKELETON: calls[rank] = batches[rank] + 0 * longest; */
        /* BEGIN SOLUTION */
        calls[rank] = longest;
        /* END SOLUTION */
    }
}
