/* chunk_history.h: what happens to one chunk, step after step. Private to sim/.
 *
 * Chunks never mix: whoever judges or executes a schedule can go chunk by chunk, and needs only the
 * transfers that carry that chunk.
 *
 *     chunk 0   | step 0: 0 -> 1 reduce | step 1: 1 -> 2 reduce | step 2: 2 -> 0 copy | ...
 *     chunk 1   | ...                     events, sorted by step, then list order
 *
 *     rs_chunk_history history = {0};
 *     for (int32_t first = 0; first < schedule->n_chunks; first += history.n_chunks) {
 *         status = rs_chunk_history_load(schedule, first, RS_HISTORY_EVENTS, &arena, error, &history);
 *         for (int32_t c = first; c < first + history.n_chunks; c++) ... rs_chunk_history_of(&history, c, &n) ...
 *     }
 *
 *   - A window of chunks at a time: all events together can be chunks x transfers, more than memory.
 *   - A later load into the same history reuses its memory, which dies with the arena.
 */
#pragma once

#include "ringsim.h"

enum {
    RS_HISTORY_EVENTS = 1 << 22
}; /* a good window: 80 MiB at the most, unless one chunk has more */

/* One transfer, seen from one chunk. */
typedef struct rs_chunk_event {
    int32_t step, src, dst;
    int32_t order; /* the transfer's place in its step's list */
    uint8_t effect;
} rs_chunk_event;

typedef struct rs_chunk_history {
    int32_t first_chunk, n_chunks; /* the window */
    rs_chunk_event *events;        /* chunk after chunk */
    int64_t capacity;
    int64_t *start; /* [schedule's n_chunks + 1] where each chunk would begin if all were loaded */
} rs_chunk_history;

/* Loads as many whole chunks from first_chunk on as fit in max_events, at least one. *history is zeroed
   before the first load, and belongs to one schedule. */
rs_status rs_chunk_history_load(const rs_schedule *schedule, int32_t first_chunk,
                                int64_t max_events, rs_arena *arena, rs_error *error,
                                rs_chunk_history *history);

/* Returns the events of a chunk inside the window, and how many. */
static inline const rs_chunk_event *rs_chunk_history_of(const rs_chunk_history *history,
                                                        int32_t chunk, int64_t *n_events) {
    *n_events = history->start[chunk + 1] - history->start[chunk];
    const int64_t before = history->start[chunk] - history->start[history->first_chunk];
    return before == 0 ? history->events : history->events + before; /* no events at all: NULL */
}

/* Returns where the step of events[at] ends: the first event of a later step, or n_events. */
static inline int64_t rs_step_end(const rs_chunk_event events[], int64_t n_events, int64_t at) {
    int64_t end = at + 1;
    while (end < n_events && events[end].step == events[at].step) end++;
    return end;
}

/* What one must mind when executing one step of one chunk. Most steps have none of these. */
enum {
    RS_STEP_READS_WRITTEN = 1, /* a cell is read by one message and written by another */
    RS_STEP_SEVERAL = 2,       /* a cell gets several messages: fold in list order */
    RS_STEP_CLASH = 4          /* a cell gets a copy and another message: unsound */
};
/* Returns those that hold for the n events of one step. scratch[n_ranks] is zero before and after. */
unsigned rs_step_hazards(const rs_chunk_event events[], int64_t n, uint8_t scratch[]);
