/* answer_ranges.c: which elements of a rank's array are data at the start, and which the collective promises at
 * the end; the others hold noise, and may hold anything.
 *
 *     N = 3, of rank 1         at the start       at the end
 *     reduce-scatter           |xxx|xxx|xxx|      |   |xxx|   |        an array: all shards, here three;
 *     all-gather               |   |xxx|   |      |xxx|xxx|xxx|        of an all-to-all N of them,
 *     all-to-all     |   |   |   |xxx|xxx|xxx|... | x |   |   | x | ...   what rank 0 sends first
 *
 *   - Everything follows from the two ends of each chunk (rs_ends_of) and where it lies (rs_chunk_first), without a
 *     walk through all chunks: an all-to-all has N x N of them.
 *   - At the start a rank's data are one range; at the end there may be as many as ranks.
 */
#include "job/backend.h"

#include <assert.h>

/* Tells whether all chunks are the same ranks', at the start or at the end. */
static bool is_one_piece(const rg_job *job, bool at_the_end) {
    const rs_collective of = job->schedule->collective;
    if (of == RS_COLL_ALL_REDUCE || rs_collective_rooted(of)) return true;
    return at_the_end ? of == RS_COLL_ALL_GATHER : of == RS_COLL_REDUCE_SCATTER;
}

/* Returns the first chunk, from `chunk` on, that the rank must hold at the end where not all chunks are alike; behind
   the last: there is none. *end: where the row of such chunks ends. */
static int32_t next_own(const rs_schedule *s, int32_t rank, int32_t chunk, int32_t *end) {
    const int32_t n = s->n_ranks;
    if (s->collective == RS_COLL_ALL_TO_ALL) {
        const int32_t own = chunk + (rank - chunk % n + n) % n;
        *end = own + 1;
        return own;
    }
    const int32_t each = s->n_chunks / n, first = rank * each;
    *end = first + each;
    if (chunk < first) return first;
    return chunk < *end ? chunk : s->n_chunks;
}

rg_range rg_held(const rg_job *job, int32_t rank) {
    const rs_schedule *s = job->schedule;
    assert(rank >= 0 && rank < s->n_ranks);
    if (job->count == 0) return (rg_range){0};
    if (is_one_piece(job, false)) {
        const int32_t from = rs_ends_of(s, 0).from;
        return (rg_range){0, from == RS_EVERY_RANK || from == rank ? job->count : 0};
    }
    const int32_t each = s->n_chunks / s->n_ranks;
    const int64_t first = rs_chunk_first(s, job->count, rank * each);
    return (rg_range){first, rs_chunk_first(s, job->count, rank * each + each) - first};
}

bool rg_next_answer(const rg_job *job, int32_t rank, rg_range *range) {
    const rs_schedule *s = job->schedule;
    assert(rank >= 0 && rank < s->n_ranks);
    const int64_t from = range->first + range->n;
    if (from >= job->count) return false;
    if (is_one_piece(job, true)) {
        const int32_t to = rs_ends_of(s, 0).to;
        *range = (rg_range){from, job->count - from};
        return to == RS_EVERY_RANK || to == rank;
    }
    int32_t chunk = rs_chunk_of(s, job->count, from), end;
    for (; (chunk = next_own(s, rank, chunk, &end)) < s->n_chunks; chunk = end) {
        const int64_t first = rs_chunk_first(s, job->count, chunk);
        const int64_t last = rs_chunk_first(s, job->count, end);
        *range = (rg_range){first > from ? first : from, 0};
        range->n = last - range->first;
        if (range->n > 0) return true; /* else the chunks are empty */
    }
    return false;
}

rg_range rg_within(rg_range range, int64_t first, int64_t n) {
    const int64_t from = range.first > first ? range.first : first;
    const int64_t end = range.first + range.n, last = first + n;
    const int64_t to = end < last ? end : last;
    return (rg_range){from, to > from ? to - from : 0};
}

int64_t rg_count_answers(const rg_job *job, int32_t rank) {
    int64_t n = 0;
    for (rg_range range = {0}; rg_next_answer(job, rank, &range);) n += range.n;
    return n;
}

uint32_t rg_sum_up(const rg_job *job, int32_t rank, int64_t first, int64_t n, const void *elems,
                   uint32_t crc32) {
    const int64_t elem_bytes = rs_dtype_bytes(job->dtype);
    for (rg_range range = {first, 0}; rg_next_answer(job, rank, &range);) {
        const rg_range part = rg_within(range, first, n);
        if (part.n == 0) break;
        const char *at = (const char *)elems + (part.first - first) * elem_bytes;
        crc32 = rs_crc32_values(crc32, job->dtype, at, part.n);
    }
    return crc32;
}

bool rg_shares_alike(const rg_job *job) {
    const int64_t n = job->schedule->n_ranks;
    switch (job->schedule->collective) {
    case RS_COLL_REDUCE_SCATTER:
    case RS_COLL_ALL_GATHER: return job->count % n == 0;
    case RS_COLL_ALL_TO_ALL: return job->count % (n * n) == 0;
    default: return true;
    }
}

bool rg_divides(const rg_job *job) {
    return job->op == RS_AVG && rs_collective_reduces(job->schedule->collective);
}

void rg_finish_all(const rg_job *job, void *elems) {
    if (!rg_divides(job)) return;
    rs_finish(job->dtype, job->op, job->schedule->n_ranks, elems, job->count);
}
