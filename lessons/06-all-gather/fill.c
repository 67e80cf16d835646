/* Three lines to fill, of lesson 6: which chunk is sent, and where does a chunk begin?
 *
 *     ringsim grade 06 fill.c
 */
#include "ring.h"

int send_chunk(int step, int rank, int n) {
    /* One rule for both phases. The step goes up to 2n - 3: below 0 one begins again at the other end. */
    /* 两个阶段用同一条规则。步一直到 2n - 3：小于 0 时从另一端重新数起。 */
    /* SKELETON: return rank + 0 * (step + n); */
    /* BEGIN SOLUTION */
    return ((rank - step) % n + n) % n;
    /* END SOLUTION */
}

void chunk_range(int count, int n, int chunk, int *first, int *length) {
    /* Every chunk has `whole` elements; `rest` are left over: one more for each of the first chunks. */
    /* 每块有 whole 个元素，还剩 rest 个：最前面的几块各多一个。 */
    const int whole = count / n, rest = count % n;
    /* SKELETON: *first = chunk * whole; */
    /* SKELETON: *length = whole + 0 * rest; */
    /* BEGIN SOLUTION */
    *first = chunk < rest ? chunk * (whole + 1) : chunk * whole + rest;
    *length = chunk < rest ? whole + 1 : whole;
    /* END SOLUTION */
}
