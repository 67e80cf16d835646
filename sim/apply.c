/* apply.c: the reference execution. Moves real values as the schedule says.
 *
 *   - A step reads before it writes: what is sent is copied out first, then folded or copied in.
 *   - Several messages into one cell are folded in list order: m2 + (m1 + own).
 *   - Flips: the lowest bit of the first element of everything that a rank sends in a step.
 */
#include "ringsim.h"

#include <assert.h>
#include <string.h>

typedef struct application {
    const rs_schedule *schedule;
    const rs_apply_options *options;
    rs_dtype dtype;
    rs_op op;
    int64_t count;
    void *const *ranks;
} application;

static bool happens(const application *a, int32_t step, const rs_transfer *t) {
    const int32_t *entered = a->options->entered;
    return entered == NULL || (step < entered[t->src] && step < entered[t->dst]);
}

static bool flipped(const application *a, int32_t step, int32_t rank) {
    for (int32_t i = 0; i < a->options->n_faults; i++) {
        const rs_fault *fault = &a->options->faults[i];
        if (fault->kind == RS_FLIP && fault->step == step && fault->rank == rank) return true;
    }
    return false;
}

static char *first_byte(const application *a, int32_t rank, const rs_transfer *t) {
    const int64_t offset = rs_chunk_offset(a->count, a->schedule->n_chunks, t->chunk);
    return (char *)a->ranks[rank] + (size_t)offset * (size_t)rs_dtype_bytes(a->dtype);
}

/* Copies what the step's transfers carry, one after another. */
static int64_t carry(const application *a, int32_t step, char *out) {
    int64_t n_bytes = 0;
    rs_transfer t;
    for (rs_cursor c = {0}; rs_next_transfer(a->schedule, step, &c, &t);) {
        if (!happens(a, step, &t)) continue;
        const int64_t n = rs_transfer_count(a->schedule, a->count, &t) * rs_dtype_bytes(a->dtype);
        if (out != NULL && n > 0) {
            memcpy(out + n_bytes, first_byte(a, t.src, &t), (size_t)n);
            if (flipped(a, step, t.src)) out[n_bytes] ^= 1;
        }
        n_bytes += n;
    }
    return n_bytes;
}

static void deliver(const application *a, int32_t step, const char *carried) {
    rs_transfer t;
    for (rs_cursor c = {0}; rs_next_transfer(a->schedule, step, &c, &t);) {
        if (!happens(a, step, &t)) continue;
        const int64_t n = rs_transfer_count(a->schedule, a->count, &t);
        const size_t n_bytes = (size_t)n * (size_t)rs_dtype_bytes(a->dtype);
        char *own = first_byte(a, t.dst, &t);
        if (t.effect == RS_REDUCE) rs_fold(a->dtype, a->op, carried, own, own, n);
        if (t.effect == RS_COPY) memcpy(own, carried, n_bytes);
        carried += n_bytes;
    }
}

rs_status rs_apply(const rs_schedule *schedule, rs_dtype dtype, rs_op op, int64_t count,
                   void *const ranks[], const rs_apply_options *options, const rs_host *host,
                   rs_error *error) {
    const application a = {schedule, options, dtype, op, count, ranks};
    assert(options->until_step <= schedule->n_steps);
    for (int32_t step = 0; step < options->until_step; step++) {
        rs_arena arena;
        rs_arena_init(&arena, host);
        const size_t n_bytes = (size_t)carry(&a, step, NULL);
        char *carried = rs_alloc(&arena, n_bytes, 1);
        if (carried == NULL) {
            rs_arena_free(&arena);
            return rs_fail(error, RS_NO_MEMORY,
                           "no memory for the %zu bytes on their way in step "
                           "%d",
                           n_bytes, (int)step);
        }
        carry(&a, step, carried);
        deliver(&a, step, carried);
        rs_arena_free(&arena);
    }
    for (int32_t r = 0; r < schedule->n_ranks && options->until_step == schedule->n_steps; r++) {
        const bool there = options->entered == NULL || options->entered[r] >= schedule->n_steps;
        if (there) rs_finish(dtype, op, schedule->n_ranks, ranks[r], count);
    }
    return RS_OK;
}
