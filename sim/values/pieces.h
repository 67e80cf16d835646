/* pieces.h: goes through all elements of all chunks, on all of the host's workers. Private to sim/.
 *
 *     array     |  chunk 0   |  chunk 1   |  chunk 2   |
 *     pieces    |--0--|--1-|-|--2--|-3-|--|..            a piece never spans two chunks
 *
 *   - Elements do not depend on each other, so the result is the same however they are cut.
 *   - Pieces with the same `task` run one after another: scratch memory belongs to a task.
 *   - The elements are those of a part (rs_part); what it knows of the chunks serves the next call, too.
 *   - Between rounds of about 128 MiB the host hears of the progress and may cancel; what has been
 *     worked on by then stays as it is. A long piece asks it between its slices, too.
 */
#pragma once

#include "check/chunk_history.h"

typedef struct rs_piece {
    int32_t task; /* 0..n_tasks-1 */
    int32_t chunk;
    const rs_chunk_event *events; /* what happens to the chunk */
    int64_t n_events;
    int64_t first, n;    /* the elements: first .. first + n - 1 of each rank's array */
    int64_t chunk_first; /* where the chunk begins */
} rs_piece;

typedef struct rs_pieces {
    rs_part *part;
    bool whole; /* chunks and events do not matter: the array counts as one chunk, events NULL */
    int32_t elem_bytes;
    const char *what; /* for the progress */
    void *context;
    /* Makes ready for tasks 0..n_tasks-1 and chunks of at most max_events; once for each window. */
    rs_status (*prepare)(void *context, int32_t n_tasks, int64_t max_events, rs_error *error);
    void (*work)(void *context, const rs_piece *piece);
} rs_pieces;

rs_status rs_for_pieces(const rs_pieces *pieces, const rs_host *host, rs_error *error);
