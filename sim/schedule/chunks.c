/* chunks.c: cuts an array into chunks, and counts how much of it a message carries.
 *
 *     count = 7, n_chunks = 5:   | 0 1 | 2 3 | 4 | 5 | 6 |    the first 7 mod 5 hold one more
 *     the same in 2 parts, C 4:  | 0 1 | 2 3 | 4 5 | 6 |      shards or channels first, then each of them
 *
 *   - With fewer elements than chunks some chunks are empty; ranks send them all the same.
 */
#include "ringsim.h"

#include "schedule/algo.h"

#include <assert.h>

int64_t rs_chunk_offset(int64_t count, int32_t n_chunks, int32_t chunk) {
    assert(n_chunks > 0 && chunk >= 0 && chunk <= n_chunks);
    const int64_t larger = count % n_chunks;
    return chunk * (count / n_chunks) + (chunk < larger ? chunk : larger);
}

int64_t rs_chunk_first(const rs_schedule *schedule, int64_t count, int32_t chunk) {
    const int32_t n_parts = schedule->n_parts, n_chunks = schedule->n_chunks;
    if (n_parts <= 1 || n_parts == n_chunks) return rs_chunk_offset(count, n_chunks, chunk);
    const int32_t each = n_chunks / n_parts, part = chunk / each;
    const int64_t first = rs_chunk_offset(count, n_parts, part);
    if (part == n_parts) return first;
    const int64_t length = rs_chunk_offset(count, n_parts, part + 1) - first;
    return first + rs_chunk_offset(length, each, chunk % each);
}

int32_t rs_chunk_of(const rs_schedule *schedule, int64_t count, int64_t element) {
    assert(element >= 0 && element < count);
    const int32_t n_parts = schedule->n_parts > 1 ? schedule->n_parts : 1;
    const int32_t each = schedule->n_chunks / n_parts;
    const int32_t part = chunk_of_element(count, n_parts, element);
    const int64_t first = rs_chunk_offset(count, n_parts, part);
    const int64_t length = rs_chunk_offset(count, n_parts, part + 1) - first;
    return part * each + chunk_of_element(length, each, element - first);
}

int64_t rs_transfer_count(const rs_schedule *schedule, int64_t count, const rs_transfer *transfer) {
    return rs_chunk_first(schedule, count, transfer->chunk + transfer->n_chunks) -
           rs_chunk_first(schedule, count, transfer->chunk);
}

/* Parts and chunks become smaller from the first on. */
int64_t rs_largest_transfer(const rs_schedule *schedule, int64_t count) {
    return rs_chunk_first(schedule, count, schedule->max_run);
}

rs_ends rs_ends_of(const rs_schedule *schedule, int32_t chunk) {
    return rs_collective_ends(schedule->collective, schedule->n_ranks, schedule->n_chunks,
                              schedule->root, chunk);
}

int64_t rs_array_count(rs_collective of, int32_t n_ranks, int64_t count) {
    return of == RS_COLL_ALL_TO_ALL ? n_ranks * count : count;
}

int64_t rs_size_count(const rs_schedule *schedule, int64_t count) {
    return schedule->collective == RS_COLL_ALL_TO_ALL ? count / schedule->n_ranks : count;
}
