/* chunk_history.c: the transfers of a schedule, sorted by the chunk they carry.
 *
 * The first load counts: a transfer of chunks a..b adds 1 to a difference array at a and takes it away
 * behind b; summed up twice, that is where each chunk's deeds begin. Each load then walks the steps once
 * and drops every transfer into the chunks of the window, which leaves them sorted by step and list
 * order.
 */
#include "check/chunk_history.h"

#include <assert.h>

enum { POLL_TRANSFERS = 1 << 26 }; /* about once a second: large schedules only */

static rs_status no_memory(rs_error *error, int64_t n_deeds) {
    return rs_fail(error, RS_NO_MEMORY,
                   "no memory for the %lld transfers of a chunk: try fewer ranks or steps",
                   (long long)n_deeds);
}

static bool cancelled(const rs_arena *arena, const rs_schedule *schedule, int64_t *n_seen) {
    if (++*n_seen % POLL_TRANSFERS != 0) return false;
    const rs_host *host = arena->host;
    return host != NULL && host->progress != NULL &&
           !host->progress(host->context, "reading the schedule", *n_seen, schedule->n_transfers);
}

static rs_status count(const rs_schedule *schedule, rs_arena *arena, rs_error *error,
                       int64_t start[]) {
    int64_t n_seen =
        0; /* start[c + 1]: first the difference at c, then deeds of c, then their end */
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
                      rs_story *story, int64_t next[]) {
    const int32_t low = story->first_chunk, high = low + story->n_chunks;
    int64_t n_seen = 0;
    for (int32_t c = low; c < high; c++) next[c - low] = story->start[c] - story->start[low];
    for (int32_t step = 0; step < schedule->n_steps; step++) {
        rs_cursor cursor = {0};
        rs_transfer t;
        while (rs_next_transfer(schedule, step, &cursor, &t)) {
            if (cancelled(arena, schedule, &n_seen)) {
                return rs_fail(error, RS_CANCELLED, "cancelled while reading the schedule");
            }
            const int32_t end = t.chunk + t.n_chunks;
            for (int32_t c = t.chunk > low ? t.chunk : low; c < (end < high ? end : high); c++) {
                story->deeds[next[c - low]++] = (rs_deed){step, t.src, t.dst, t.order, t.effect};
            }
        }
    }
    return RS_OK;
}

/* Chooses the window and makes room for it. next[] lies behind start[], in the same block. */
static rs_status make_room(const rs_schedule *schedule, int32_t first_chunk, int64_t max_deeds,
                           rs_arena *arena, rs_error *error, rs_story *story) {
    const int64_t *start = story->start;
    int32_t end = first_chunk + 1;
    while (end < schedule->n_chunks && start[end + 1] - start[first_chunk] <= max_deeds) end++;
    story->first_chunk = first_chunk;
    story->n_chunks = end - first_chunk;
    const int64_t n_deeds = start[end] - start[first_chunk];
    if (n_deeds <= story->capacity) return RS_OK;
    /* The chunks to come fill the window as well as they can: room for that at once. */
    const int64_t rest = start[schedule->n_chunks] - start[first_chunk];
    const int64_t likely = rest < max_deeds ? rest : max_deeds;
    const int64_t room = n_deeds > likely ? n_deeds : likely;
    rs_deed *deeds = rs_alloc(arena, (size_t)room, sizeof *deeds);
    if (deeds == NULL) return no_memory(error, room);
    story->deeds = deeds;
    story->capacity = room;
    return RS_OK;
}

rs_status rs_story_load(const rs_schedule *schedule, int32_t first_chunk, int64_t max_deeds,
                        rs_arena *arena, rs_error *error, rs_story *story) {
    assert(first_chunk >= 0 && first_chunk < schedule->n_chunks);
    const size_t n_chunks = (size_t)schedule->n_chunks;
    if (story->start == NULL) {
        int64_t *start = rs_alloc(arena, 2 * n_chunks + 1, sizeof *start);
        if (start == NULL) return no_memory(error, schedule->n_transfers);
        const rs_status counted = count(schedule, arena, error, start);
        if (counted != RS_OK) return counted;
        story->start = start;
    }
    const rs_status status = make_room(schedule, first_chunk, max_deeds, arena, error, story);
    if (status != RS_OK) return status;
    return fill(schedule, arena, error, story, story->start + n_chunks + 1);
}

unsigned rs_step_hazards(const rs_deed deeds[], int64_t n, uint8_t scratch[]) {
    enum { WRITTEN = 1, COPIED = 2 };
    unsigned hazards = 0;
    for (int64_t i = 0; i < n && n > 1; i++) {
        uint8_t *cell = &scratch[deeds[i].dst];
        const bool copy = deeds[i].effect == RS_COPY;
        if (*cell != 0) hazards |= RS_STEP_SEVERAL;
        if (*cell != 0 && (copy || (*cell & COPIED) != 0)) hazards |= RS_STEP_CLASH;
        *cell = (uint8_t)(*cell | WRITTEN | (copy ? COPIED : 0));
    }
    for (int64_t i = 0; i < n && n > 1; i++) {
        if (scratch[deeds[i].src] != 0) hazards |= RS_STEP_READS_WRITTEN;
    }
    for (int64_t i = 0; i < n && n > 1; i++) scratch[deeds[i].dst] = 0;
    return hazards;
}
