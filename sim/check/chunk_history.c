/* chunk_history.c: the transfers of a schedule, sorted by the chunk they carry.
 *
 * The first load counts: a transfer of chunks a..b adds 1 to a difference array at a and subtracts
 * it after b; two prefix sums give where each chunk's events begin. Each load then walks the steps
 * once and appends every transfer to its chunks in the window: so these are sorted by step and list
 * order.
 */
#include "check/chunk_history.h"

#include <assert.h>

enum { POLL_TRANSFERS = 1 << 19 }; /* some 10 ms */

static rs_status no_memory(rs_error *error, int64_t n_events) {
    return rs_fail(error, RS_NO_MEMORY,
                   "no memory for the %lld transfers of a chunk: try fewer ranks or steps",
                   (long long)n_events);
}

static bool cancelled(const rs_arena *arena, const rs_schedule *schedule, int64_t *n_seen) {
    if (++*n_seen % POLL_TRANSFERS != 0) return false;
    return !rs_go_on(arena->host, "reading the schedule", *n_seen, schedule->n_transfers);
}

static rs_status count(const rs_schedule *schedule, rs_arena *arena, rs_error *error,
                       int64_t start[]) {
    /* start[c + 1]: first the difference at c, then events of c, then their end */
    int64_t n_seen = 0;
    for (int32_t step = 0; step < schedule->n_steps; step++) {
        rs_cursor cursor = {0};
        rs_transfer transfer;
        while (rs_next_transfer(schedule, step, &cursor, &transfer)) {
            if (cancelled(arena, schedule, &n_seen)) {
                return rs_fail(error, RS_CANCELLED, "cancelled while reading the schedule");
            }
            const int32_t end = transfer.chunk + transfer.n_chunks;
            start[transfer.chunk + 1]++;
            if (end < schedule->n_chunks) start[end + 1]--;
        }
    }
    for (int32_t c = 1; c <= schedule->n_chunks; c++) start[c] += start[c - 1];
    for (int32_t c = 1; c <= schedule->n_chunks; c++) start[c] += start[c - 1];
    return RS_OK;
}

static rs_status fill(const rs_schedule *schedule, rs_arena *arena, rs_error *error,
                      rs_chunk_history *history, int64_t next[]) {
    const int32_t low = history->first_chunk, high = low + history->n_chunks;
    int64_t n_seen = 0;
    for (int32_t c = low; c < high; c++) next[c - low] = history->start[c] - history->start[low];
    for (int32_t step = 0; step < schedule->n_steps; step++) {
        rs_cursor cursor = {0};
        rs_transfer t;
        while (rs_next_transfer(schedule, step, &cursor, &t)) {
            if (cancelled(arena, schedule, &n_seen)) {
                return rs_fail(error, RS_CANCELLED, "cancelled while reading the schedule");
            }
            const int32_t end = t.chunk + t.n_chunks;
            for (int32_t c = t.chunk > low ? t.chunk : low; c < (end < high ? end : high); c++) {
                history->events[next[c - low]++] =
                    (rs_chunk_event){step, t.src, t.dst, t.order, t.effect};
            }
        }
    }
    return RS_OK;
}

/* Chooses the window and makes room for it. next[] lies behind start[], in the same block. */
static rs_status make_room(const rs_schedule *schedule, int32_t first_chunk, int64_t max_events,
                           rs_arena *arena, rs_error *error, rs_chunk_history *history) {
    const int64_t *start = history->start;
    int32_t end = first_chunk + 1;
    while (end < schedule->n_chunks && start[end + 1] - start[first_chunk] <= max_events) end++;
    history->first_chunk = first_chunk;
    history->n_chunks = end - first_chunk;
    const int64_t n_events = start[end] - start[first_chunk];
    if (n_events <= history->capacity) return RS_OK;
    /* Later loads will fill the window as far as possible: allocate that much now. */
    const int64_t rest = start[schedule->n_chunks] - start[first_chunk];
    const int64_t likely = rest < max_events ? rest : max_events;
    const int64_t room = n_events > likely ? n_events : likely;
    rs_chunk_event *events = rs_alloc(arena, (size_t)room, sizeof *events);
    if (events == NULL) return no_memory(error, room);
    history->events = events;
    history->capacity = room;
    return RS_OK;
}

rs_status rs_chunk_history_load(const rs_schedule *schedule, int32_t first_chunk,
                                int64_t max_events, rs_arena *arena, rs_error *error,
                                rs_chunk_history *history) {
    assert(first_chunk >= 0 && first_chunk < schedule->n_chunks);
    const size_t n_chunks = (size_t)schedule->n_chunks;
    if (history->start == NULL) {
        int64_t *start = rs_alloc(arena, 2 * n_chunks + 1, sizeof *start);
        if (start == NULL) return no_memory(error, schedule->n_transfers);
        const rs_status counted = count(schedule, arena, error, start);
        if (counted != RS_OK) return counted;
        history->start = start;
    }
    const rs_status status = make_room(schedule, first_chunk, max_events, arena, error, history);
    if (status != RS_OK) return status;
    return fill(schedule, arena, error, history, history->start + n_chunks + 1);
}

unsigned rs_step_hazards(const rs_chunk_event events[], int64_t n, uint8_t scratch[]) {
    enum { WRITTEN = 1, COPIED = 2 };
    unsigned hazards = 0;
    for (int64_t i = 0; i < n && n > 1; i++) {
        uint8_t *cell = &scratch[events[i].dst];
        const bool copy = events[i].effect == RS_COPY;
        if (*cell != 0) hazards |= RS_STEP_SEVERAL;
        if (*cell != 0 && (copy || (*cell & COPIED) != 0)) hazards |= RS_STEP_CLASH;
        *cell = (uint8_t)(*cell | WRITTEN | (copy ? COPIED : 0));
    }
    for (int64_t i = 0; i < n && n > 1; i++) {
        if (scratch[events[i].src] != 0) hazards |= RS_STEP_READS_WRITTEN;
    }
    for (int64_t i = 0; i < n && n > 1; i++) scratch[events[i].dst] = 0;
    return hazards;
}
