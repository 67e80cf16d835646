/* answer_ranges.c: which elements of a rank's array are data at the start, and which the collective promises at
 * the end; the others hold noise, and may hold anything.
 *
 *     N = 3, of rank 1         at the start       at the end
 *     reduce-scatter           |xxx|xxx|xxx|      |   |xxx|   |        an array: all shards, here three;
 *     all-gather               |   |xxx|   |      |xxx|xxx|xxx|        of an all-to-all N of them,
 *     all-to-all     |   |   |   |xxx|xxx|xxx|... | x |   |   | x | ...   what rank 0 sends first
 *
 *   - Everything follows from the two ends of each chunk (rs_ends_of) and where it lies (rs_chunk_first).
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

static bool is_of(const rg_job *job, int32_t rank, int32_t chunk, bool at_the_end) {
    const rs_ends ends = rs_ends_of(job->schedule, chunk);
    const int32_t who = at_the_end ? ends.to : ends.from;
    return who == RS_EVERY_RANK || who == rank;
}

/* Goes to the next range that is the rank's, at the start or at the end. */
static bool next_range(const rg_job *job, int32_t rank, bool at_the_end, rg_range *range) {
    const rs_schedule *s = job->schedule;
    int64_t first = range->first + range->n;
    if (first >= job->count) return false;
    if (is_one_piece(job, at_the_end)) {
        *range = (rg_range){0, job->count};
        return is_of(job, rank, 0, at_the_end);
    }
    for (int32_t chunk = rs_chunk_of(s, job->count, first); chunk < s->n_chunks;) {
        while (chunk < s->n_chunks && !is_of(job, rank, chunk, at_the_end)) chunk++;
        first = rs_chunk_first(s, job->count, chunk);
        while (chunk < s->n_chunks && is_of(job, rank, chunk, at_the_end)) chunk++;
        const int64_t end = rs_chunk_first(s, job->count, chunk);
        *range = (rg_range){first, end - first};
        if (range->n > 0) return true; /* else the chunks are empty */
    }
    return false;
}

rg_range rg_held(const rg_job *job, int32_t rank) {
    assert(rank >= 0 && rank < job->schedule->n_ranks);
    rg_range held = {0};
    return next_range(job, rank, false, &held) ? held : (rg_range){0};
}

bool rg_next_answer(const rg_job *job, int32_t rank, rg_range *range) {
    assert(rank >= 0 && rank < job->schedule->n_ranks);
    return next_range(job, rank, true, range);
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
    for (rg_range range = {0}; rg_next_answer(job, rank, &range);) {
        const rg_range part = rg_within(range, first, n);
        if (part.n == 0) continue;
        crc32 = rs_crc32(crc32, (const char *)elems + (part.first - first) * elem_bytes,
                         (size_t)(part.n * elem_bytes));
    }
    return crc32;
}

bool rg_divides(const rg_job *job) {
    return job->op == RS_AVG && rs_collective_reduces(job->schedule->collective);
}

void rg_finish_all(const rg_job *job, void *elems) {
    if (!rg_divides(job)) return;
    rs_finish(job->dtype, job->op, job->schedule->n_ranks, elems, job->count);
}
