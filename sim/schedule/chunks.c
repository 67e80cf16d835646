/* chunks.c: cuts an array into chunks, and counts how much of it a message carries.
 *
 *     count = 7, n_chunks = 5:   | 0 1 | 2 3 | 4 | 5 | 6 |    the first 7 mod 5 hold one more
 *
 *   - With fewer elements than chunks the last chunks are empty; ranks send them all the same.
 */
#include "ringsim.h"

#include <assert.h>

int64_t rs_chunk_offset(int64_t count, int32_t n_chunks, int32_t chunk) {
    assert(n_chunks > 0 && chunk >= 0 && chunk <= n_chunks);
    const int64_t larger = count % n_chunks;
    return chunk * (count / n_chunks) + (chunk < larger ? chunk : larger);
}

int64_t rs_transfer_count(const rs_schedule *schedule, int64_t count, const rs_transfer *transfer) {
    const int32_t end = transfer->chunk + transfer->n_chunks;
    return rs_chunk_offset(count, schedule->n_chunks, end) -
           rs_chunk_offset(count, schedule->n_chunks, transfer->chunk);
}
