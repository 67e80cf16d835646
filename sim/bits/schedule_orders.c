/* schedule_orders.c: in which order a schedule adds each chunk: it is done step by step, with sums instead of numbers. */
#include "bits/sum_order.h"

typedef struct moved_sum {
    int64_t to; /* cell */
    int32_t at, sum;
    uint8_t effect;
    bool lower; /* from a lower rank, where additions go by rank */
} moved_sum;

/* Lets each cell begin with what the first lower rank sends; those behind it move up, and the own is the last of them. */
static void put_own_behind(moved_sum list[], int64_t n, int32_t cells[]) {
    for (int64_t i = n - 1; i >= 0; i--) {
        if (!list[i].lower) continue;
        const int32_t behind = cells[list[i].to];
        cells[list[i].to] = list[i].sum;
        list[i].sum = behind;
    }
}

static rs_status play(const rs_schedule *s, rs_sums *sums, int32_t cells[], rs_arena *arena,
                      rs_error *error) {
    moved_sum *list = NULL;
    int64_t room = 0;
    for (int32_t step = 0; step < s->n_steps; step++) {
        int64_t n = 0;
        if (!rs_go_on(arena->host, "finding orders", step, s->n_steps)) {
            return rs_fail(error, RS_CANCELLED, "stopped at step %d of %d", step, s->n_steps);
        }
        rs_cursor cursor = {0};
        rs_transfer t;
        while (rs_next_transfer(s, step, &cursor, &t)) { /* a step reads before it writes */
            if (!rs_reserve(arena, &list, n + t.n_chunks, &room)) return rs_no_memory(error);
            for (int32_t c = t.chunk; c < t.chunk + t.n_chunks; c++) {
                const bool lower = s->by_rank && t.effect == RS_REDUCE && t.src < t.dst;
                list[n++] = (moved_sum){(int64_t)t.dst * s->n_chunks + c, t.dst,
                                        cells[(int64_t)t.src * s->n_chunks + c], t.effect, lower};
            }
        }
        put_own_behind(list, n, cells);
        for (int64_t i = 0; i < n; i++) {
            int32_t *cell = &cells[list[i].to];
            const bool adds = list[i].effect == RS_REDUCE;
            *cell = adds ? rs_sum_of(sums, list[i].sum, *cell, list[i].at) : list[i].sum;
            if (*cell < 0) {
                return rs_fail(error, RS_TOO_LARGE, "%d ranks have too many sums to tell apart",
                               s->n_ranks);
            }
        }
    }
    return RS_OK;
}

rs_status rs_bits_of_schedule(const rs_schedule *s, int64_t count, rs_sums *sums, rs_arena *arena,
                              rs_error *error, rs_bits *bits) {
    *bits = (rs_bits){0};
    const int32_t n = s->n_ranks;
    if (s->collective != RS_COLL_ALL_REDUCE && s->collective != RS_COLL_REDUCE_SCATTER) {
        return rs_fail(error, RS_BAD_INPUT, "bits are of an all-reduce or a reduce-scatter");
    }
    int32_t *cells = rs_alloc(arena, (size_t)n * (size_t)s->n_chunks, sizeof *cells);
    if (cells == NULL) return rs_no_memory(error);
    for (int64_t i = 0; i < (int64_t)n * s->n_chunks; i++) cells[i] = (int32_t)(i / s->n_chunks);
    const rs_status status = play(s, sums, cells, arena, error);
    if (status != RS_OK) return status;
    for (int32_t chunk = 0; chunk < s->n_chunks; chunk++) {
        const int32_t to = rs_ends_of(s, chunk).to, first = to == RS_EVERY_RANK ? 0 : to;
        const int32_t sum = cells[(int64_t)first * s->n_chunks + chunk];
        for (int32_t rank = 1; rank < n && to == RS_EVERY_RANK; rank++) {
            if (cells[(int64_t)rank * s->n_chunks + chunk] != sum)
                bits->undefined = RS_MESSAGE("ranks end with sums of different orders");
        }
        const int64_t n_elems =
            rs_chunk_first(s, count, chunk + 1) - rs_chunk_first(s, count, chunk);
        if (!rs_add_run(bits, arena, n_elems, sum)) return rs_no_memory(error);
    }
    return RS_OK;
}
