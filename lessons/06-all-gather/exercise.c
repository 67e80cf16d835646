/* Exercise of lesson 6: the whole ring, for any number of GPUs and elements.
 *
 * send_chunk(): in steps 0 .. n-2 the receiver adds, in steps n-1 .. 2n-3 it overwrites.
 * chunk_range(): `count` elements are cut into n chunks, in order, even where n does not divide count: the
 * lengths differ by one at the most. Write where chunk `chunk` begins and how long it is.
 *
 *     ringsim grade 06 exercise.c
 */
#include "ring.h"

int send_chunk(int step, int rank, int n) {
    /* SKELETON: (void)step, (void)n; */
    /* SKELETON: return rank; */
    /* BEGIN SOLUTION */
    const int chunk = (rank - step) % n;
    return chunk < 0 ? chunk + n : chunk;
    /* END SOLUTION */
}

void chunk_range(int count, int n, int chunk, int *first, int *length) {
    /* SKELETON: *first = chunk * (count / n); */
    /* SKELETON: *length = count / n; */
    /* BEGIN SOLUTION */
    const int longer = count % n;
    *first = chunk * (count / n) + (chunk < longer ? chunk : longer);
    *length = count / n + (chunk < longer);
    /* END SOLUTION */
}
