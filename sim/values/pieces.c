/* pieces.c: windows of chunks, rounds of elements, tasks, pieces; see pieces.h. */
#include "values/pieces.h"

#include <assert.h>

enum {
    ROUND_BYTES = 128 << 20, /* of all ranks together, between two calls of the host's progress */
    TASK_BYTES = 64 << 10,   /* for every so many bytes there is a task ... */
    TASK_EVENTS = 4096,      /* ... and another one for every so many events */
    TASKS_A_WORKER = 4,      /* several, so that one slow worker does not delay all */
    MAX_EVENTS_IN_TASKS = 1 << 22 /* tasks x events of a chunk: bounds the scratch memory */
};

typedef struct round {
    const rs_pieces *pieces;
    const rs_chunk_history *history;
    const rs_host *host;
    int64_t first, end; /* its elements */
    int32_t n_tasks;
} round;

/* Returns where a task's elements begin: at a whole cache line, counted from the start of the
   arrays. */
static int64_t cut(const round *r, int32_t task) {
    if (task == r->n_tasks) return r->end;
    const int64_t line = 64 / r->pieces->elem_bytes, n = r->end - r->first;
    const int64_t at = r->first + n / r->n_tasks * task + n % r->n_tasks * task / r->n_tasks;
    const int64_t down = at / line * line;
    return n >= line * r->n_tasks && down > r->first ? down : at;
}

static void run_task(void *argument, int index) {
    const round *r = argument;
    const rs_pieces *pieces = r->pieces;
    const rs_schedule *schedule = pieces->part->schedule;
    const int64_t count = pieces->part->count, end = cut(r, index + 1);
    rs_piece piece = {.task = index, .first = cut(r, index)};
    if (!pieces->whole && piece.first < end) {
        piece.chunk = rs_chunk_of(schedule, count, piece.first);
    }
    for (; piece.first < end && !rs_stopped(r->host); piece.first += piece.n, piece.chunk++) {
        int64_t chunk_end = end;
        if (!pieces->whole) {
            piece.chunk_first = rs_chunk_first(schedule, count, piece.chunk);
            chunk_end = rs_chunk_first(schedule, count, piece.chunk + 1);
            piece.events = rs_chunk_history_of(r->history, piece.chunk, &piece.n_events);
        }
        piece.n = (chunk_end < end ? chunk_end : end) - piece.first;
        pieces->work(pieces->context, &piece);
    }
}

static rs_status run_rounds(round *r, int64_t end, rs_error *error) {
    const rs_pieces *pieces = r->pieces;
    const rs_host *host = r->host;
    const int64_t column_bytes = (int64_t)pieces->part->schedule->n_ranks * pieces->elem_bytes;
    const int64_t most = ROUND_BYTES / column_bytes > 0 ? ROUND_BYTES / column_bytes : 1;
    while (r->first < end) {
        r->end = end - r->first < most ? end : r->first + most;
        if (r->n_tasks > 1)
            host->parallel_for(host->context, r->n_tasks, run_task, r);
        else
            run_task(r, 0);
        r->first = r->end;
        if (!rs_go_on(host, pieces->what, r->first, pieces->part->count) || rs_stopped(host)) {
            return rs_fail_word(error, RS_CANCELLED, 0, "cancelled while %s", pieces->what);
        }
    }
    return RS_OK;
}

static int64_t most_events(const rs_chunk_history *history) {
    int64_t most = 0;
    for (int32_t c = history->first_chunk; c < history->first_chunk + history->n_chunks; c++) {
        const int64_t n = history->start[c + 1] - history->start[c];
        if (n > most) most = n;
    }
    return most;
}

/* Returns how many tasks the window's elements are worth. */
static int32_t tasks_for(const round *r, int64_t end, int64_t max_events) {
    const rs_host *host = r->host;
    if (host == NULL || host->parallel_for == NULL || host->n_workers <= 1) return 1;
    const rs_pieces *pieces = r->pieces;
    const int64_t n = end - r->first, n_chunks = pieces->whole ? 0 : r->history->n_chunks;
    const int64_t n_events = n < n_chunks ? n : n_chunks;
    const int64_t n_bytes = n * pieces->elem_bytes * pieces->part->schedule->n_ranks;
    int64_t tasks = n_bytes / TASK_BYTES + n_events * max_events / TASK_EVENTS;
    if (tasks > (int64_t)host->n_workers * TASKS_A_WORKER) {
        tasks = (int64_t)host->n_workers * TASKS_A_WORKER;
    }
    if (tasks > n) tasks = n;
    if (max_events > 0 && tasks > MAX_EVENTS_IN_TASKS / max_events) {
        tasks = MAX_EVENTS_IN_TASKS / max_events;
    }
    return tasks > 1 ? (int32_t)tasks : 1;
}

static rs_status run_window(round *r, int64_t end, rs_error *error) {
    const int64_t max_events = r->pieces->whole ? 0 : most_events(r->history);
    r->n_tasks = tasks_for(r, end, max_events);
    const rs_status status = r->pieces->prepare(r->pieces->context, r->n_tasks, max_events, error);
    return status == RS_OK ? run_rounds(r, end, error) : status;
}

/* Reads the events of the chunks from `chunk` on, unless they are there from the call before. */
static rs_status load(rs_part *part, int32_t chunk, rs_error *error) {
    rs_chunk_history *history = part->history;
    if (history == NULL) {
        part->history = history = rs_alloc(part->arena, 1, sizeof *history);
        if (history == NULL) return rs_no_memory(error);
    }
    if (chunk >= history->first_chunk && chunk < history->first_chunk + history->n_chunks) {
        return RS_OK;
    }
    const rs_status status = rs_chunk_history_load(part->schedule, chunk, RS_HISTORY_EVENTS,
                                                   part->arena, error, history);
    if (status != RS_OK) history->n_chunks = 0; /* half read */
    return status;
}

rs_status rs_for_pieces(const rs_pieces *pieces, const rs_host *host, rs_error *error) {
    rs_part *part = pieces->part;
    const int64_t part_end = part->first + part->n;
    assert(part->first >= 0 && part->n >= 0 && part_end <= part->count);
    assert(pieces->whole || part->n == 0 || part->schedule->n_chunks > 0);
    round r = {.pieces = pieces, .host = host, .first = part->first};
    if (pieces->whole) return run_window(&r, part_end, error);
    rs_status status = RS_OK;
    /* The chunks after the last element are empty: the loop leaves them out. */
    while (status == RS_OK && r.first < part_end) {
        status = load(part, rs_chunk_of(part->schedule, part->count, r.first), error);
        if (status != RS_OK) break;
        r.history = part->history;
        const int32_t last = r.history->first_chunk + r.history->n_chunks;
        const int64_t end = rs_chunk_first(part->schedule, part->count, last);
        status = run_window(&r, end < part_end ? end : part_end, error);
    }
    return status;
}
