/* add_up.c: does what a sum says with the ranks' data, on a stack of arrays. */
#include "bits/sum_order.h"

#include <string.h>

enum { ADD = -1 };

/* Returns *n steps: a rank puts its data on the stack, ADD adds the two on top; *deep: the most that lie there. NULL: no
   memory. */
static int32_t *steps_of(const rs_sums *sums, int32_t sum, rs_arena *arena, int32_t *n,
                         int32_t *deep) {
    const int32_t most = 2 * sums->n_ranks;
    int32_t *steps = rs_alloc(arena, (size_t)most, sizeof *steps);
    int32_t *open = rs_alloc(arena, (size_t)most, sizeof *open);
    if (steps == NULL || open == NULL) return NULL;
    int32_t n_open = 0, n_steps = 0, now = 0;
    *deep = 0;
    open[n_open++] = sum;
    /* Written from the last step to the first: the smaller operand, a rank alone, is taken up last. */
    while (n_open > 0 && n_steps < most) {
        const int32_t at = open[--n_open];
        if (at < sums->n_ranks) {
            steps[n_steps++] = at;
            continue;
        }
        const rs_two_sums pair = rs_operands_of(sums, at);
        if (n_open + 2 > most) return NULL;
        steps[n_steps++] = ADD;
        open[n_open++] = pair.b;
        open[n_open++] = pair.a;
    }
    for (int32_t i = 0, j = n_steps - 1; i < j; i++, j--) {
        const int32_t held = steps[i];
        steps[i] = steps[j], steps[j] = held;
    }
    for (int32_t i = 0; i < n_steps; i++) {
        now += steps[i] == ADD ? -1 : 1;
        if (now > *deep) *deep = now;
    }
    *n = n_steps;
    return steps;
}

/* To some thirty digits more than any type has (Knuth's two-sum). */
void rs_add_exactly(const rs_sums *sums, rs_dtype dtype, const void *const inputs[], int64_t n,
                    double out[]) {
    for (int64_t i = 0; i < n; i++) {
        double sum = 0, rest = 0;
        for (int32_t rank = 0; rank < sums->n_ranks; rank++) {
            const double x = rs_read_float(dtype, inputs[rank], i);
            const double now = sum + x, part = now - sum;
            rest += (sum - (now - part)) + (x - part);
            sum = now;
        }
        out[i] = sum + rest;
    }
}

static rs_status add_in_f32(const rs_sums *sums, int32_t sum, rs_dtype dtype, rs_op op,
                            const void *const inputs[], int64_t n, rs_arena *arena, rs_error *error,
                            void *out) {
    const int32_t n_ranks = sums->n_ranks;
    const void **wide = rs_alloc(arena, (size_t)n_ranks, sizeof *wide);
    float *data = rs_alloc(arena, (size_t)n_ranks * (size_t)n, sizeof *data);
    if (wide == NULL || data == NULL) return rs_no_memory(error);
    for (int32_t rank = 0; rank < n_ranks; rank++) {
        wide[rank] = data + rank * n;
        for (int64_t i = 0; i < n; i++)
            data[rank * n + i] = (float)rs_read_float(dtype, inputs[rank], i);
    }
    const rs_status status = rs_add_up(sums, sum, RS_F32, op, wide, n, data, error);
    for (int64_t i = 0; i < n; i++) rs_write_float(dtype, out, i, (double)data[i]);
    return status;
}

static rs_status add_up(const rs_sums *sums, int32_t sum, rs_dtype dtype, rs_op op,
                        const void *const inputs[], int64_t n, rs_arena *arena, rs_error *error,
                        void *out) {
    const size_t bytes = (size_t)n * (size_t)rs_dtype_bytes(dtype);
    if (rs_is_exact(sums, sum)) {
        double *exact = rs_alloc(arena, (size_t)n, sizeof *exact);
        if (exact == NULL) return rs_no_memory(error);
        rs_add_exactly(sums, dtype, inputs, n, exact);
        for (int64_t i = 0; i < n; i++) rs_write_float(dtype, out, i, exact[i]);
        return RS_OK;
    }
    if (rs_is_in_f32(sums, sum)) {
        return add_in_f32(sums, rs_operands_of(sums, sum).b, dtype, op, inputs, n, arena, error,
                          out);
    }
    int32_t n_steps = 0, deep = 0;
    const int32_t *steps = steps_of(sums, sum, arena, &n_steps, &deep);
    char *stack = rs_alloc(arena, (size_t)deep, bytes), *top = stack;
    if (steps == NULL || stack == NULL) return rs_no_memory(error);
    for (int32_t i = 0; i < n_steps; i++) {
        if (steps[i] == ADD) {
            top -= bytes;
            rs_fold(dtype, op, top - bytes, top, top - bytes, n);
        } else {
            memcpy(top, inputs[steps[i]], bytes);
            top += bytes;
        }
    }
    memcpy(out, stack, bytes);
    return RS_OK;
}

rs_status rs_add_up(const rs_sums *sums, int32_t sum, rs_dtype dtype, rs_op op,
                    const void *const inputs[], int64_t n, void *out, rs_error *error) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const rs_status status = add_up(sums, sum, dtype, op, inputs, n, &arena, error, out);
    rs_arena_free(&arena);
    return status;
}
