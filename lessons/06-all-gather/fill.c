/* Two lines to fill, of lesson 6: where does a chunk begin, and how long is it?
 *
 *     ringsim grade 06 fill.c
 */
#include "ring.h"

int send_chunk(int step, int rank, int n) {
    return (rank - step + 2 * n) % n;
}

void chunk_range(int count, int n, int chunk, int *first, int *length) {
    /* Every chunk has `whole` elements; `rest` are left over: one more for each of the first chunks. */
    const int whole = count / n, rest = count % n;
    /* SKELETON: *first = chunk * whole; */
    /* SKELETON: *length = whole + 0 * rest; */
    /* BEGIN SOLUTION */
    *first = chunk < rest ? chunk * (whole + 1) : chunk * whole + rest;
    *length = chunk < rest ? whole + 1 : whole;
    /* END SOLUTION */
}
