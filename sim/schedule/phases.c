/* phases.c: the phases of a listed all-reduce, found by what its steps do.
 *
 *     only reduces | only copies     and between them every rank owns one finished chunk:
 *                                    scatter-reduce, all-gather; or one rank owns all: reduce, broadcast
 *
 *   - Each rank's own data are a random-looking number. A cell that holds the sum of all of them, modulo
 *     2^64, holds everybody's, once.
 */
#include "base/containers.h"
#include "schedule/algo.h"

#include <string.h>

enum { MOST_CELLS = 1 << 16 };

/* Returns the first step that copies; 0 where a step before it, or none, reduces, or one after it does. */
static int32_t first_copy(const rs_schedule *schedule) {
    int32_t first = schedule->n_steps, last_reduce = -1;
    for (int32_t step = 0; step < schedule->n_steps; step++) {
        rs_cursor cursor = {0};
        rs_transfer t;
        while (rs_next_transfer(schedule, step, &cursor, &t)) {
            if (t.effect == RS_REDUCE) last_reduce = step;
            if (t.effect == RS_COPY && step < first) first = step;
        }
    }
    return last_reduce + 1 == first && first < schedule->n_steps ? first : 0;
}

/* Adds up what a step moves, all of it read before. */
static void add_step(const rs_schedule *schedule, int32_t step, const uint64_t before[],
                     uint64_t cells[]) {
    const size_t n = (size_t)schedule->n_chunks;
    rs_cursor cursor = {0};
    rs_transfer t;
    while (rs_next_transfer(schedule, step, &cursor, &t)) {
        for (int32_t c = t.chunk; c < t.chunk + t.n_chunks; c++) {
            cells[(size_t)t.dst * n + (size_t)c] += before[(size_t)t.src * n + (size_t)c];
        }
    }
}

rs_status rs_find_phases(rs_schedule *schedule, rs_arena *arena, rs_error *error) {
    const int64_t n_cells = (int64_t)schedule->n_ranks * schedule->n_chunks;
    if (schedule->n_phases > 0 || schedule->collective != RS_COLL_ALL_REDUCE ||
        n_cells > MOST_CELLS)
        return RS_OK;
    const int32_t turn = first_copy(schedule);
    if (turn == 0) return RS_OK;
    uint64_t *cells = rs_alloc(arena, 2 * (size_t)n_cells, sizeof *cells), all = 0;
    if (cells == NULL) return rs_no_memory(error);
    for (int32_t r = 0; r < schedule->n_ranks; r++) all += rs_mix((uint64_t)r);
    for (int64_t i = 0; i < n_cells; i++) cells[i] = rs_mix((uint64_t)(i / schedule->n_chunks));
    for (int32_t step = 0; step < turn; step++) {
        memcpy(cells + n_cells, cells, (size_t)n_cells * sizeof *cells);
        add_step(schedule, step, cells + n_cells, cells);
    }
    int32_t most = 0, least = schedule->n_chunks, whole = 0;
    for (int32_t r = 0; r < schedule->n_ranks; r++) {
        int32_t n = 0;
        for (int32_t c = 0; c < schedule->n_chunks; c++)
            n += cells[(int64_t)r * schedule->n_chunks + c] == all;
        most = n > most ? n : most;
        least = n < least ? n : least;
        whole += n;
    }
    if (whole != schedule->n_chunks) return RS_OK;
    if (most == least) {
        add_phase(schedule, RS_SCATTER_REDUCE, 0);
        add_phase(schedule, RS_ALL_GATHER, turn);
    } else if (most == whole) {
        add_phase(schedule, RS_REDUCE_PHASE, 0);
        add_phase(schedule, RS_BROADCAST, turn);
    }
    return RS_OK;
}
