/* Two lines to fill, of lesson 6: where does a chunk begin, and how long is it?
 *
 *     ringsim grade 06 fill.c
 */
#include "ring.h"

int send_chunk(int step, int rank, int n) {
    return (rank - step + 2 * n) % n;
}

void chunk_range(int count, int n, int chunk, int *first, int *length) {
    const int whole = count / n; /* every chunk has at least so many elements */
    const int rest =
        count % n; /* so many elements are left: one more for each of the first chunks */
    /* SKELETON: *first = chunk * whole; */
    /* SKELETON: *length = whole + 0 * rest; */
    /* BEGIN SOLUTION */
    *first = chunk < rest ? chunk * (whole + 1) : chunk * whole + rest;
    *length = chunk < rest ? whole + 1 : whole;
    /* END SOLUTION */
}
