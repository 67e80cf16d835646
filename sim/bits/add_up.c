/* add_up.c: does what a sum says with the ranks' data, addition by addition. */
#include "bits/sum_order.h"

#include <string.h>

void rs_add_two(double a, double b, double *sum, double *rest) {
    const double now = a + b, part = now - a;
    *rest = (a - (now - part)) + (b - part);
    *sum = now;
}

void rs_add_exactly(const rs_sums *sums, rs_dtype dtype, const void *const inputs[], int64_t n,
                    double out[]) {
    for (int64_t i = 0; i < n; i++) {
        double rest = 0, off;
        out[i] = 0;
        for (int32_t rank = 0; rank < sums->n_ranks; rank++) {
            rs_add_two(out[i], rs_read_float(dtype, inputs[rank], i), &out[i], &off);
            rest += off;
        }
        out[i] += rest;
    }
}

static void convert(rs_dtype from, const void *in, rs_dtype to, void *out, int64_t n) {
    if (from == to) {
        memcpy(out, in, (size_t)n * (size_t)rs_dtype_bytes(to));
        return;
    }
    for (int64_t i = 0; i < n; i++) rs_write_float(to, out, i, rs_read_float(from, in, i));
}

static rs_status add_up(const rs_sums *sums, int32_t sum, rs_dtype dtype, rs_op op,
                        const void *const inputs[], int64_t n, rs_arena *arena, rs_error *error,
                        void *out) {
    const int32_t n_ranks = sums->n_ranks;
    const bool exact = rs_is_exact(sums, sum), wide = rs_is_in_f32(sums, sum);
    const rs_dtype type = exact ? RS_F64 : wide ? RS_F32 : dtype; /* in which it is added */
    const size_t bytes = (size_t)rs_dtype_bytes(type);
    int32_t n_additions;
    const rs_two_sums *additions =
        rs_additions_of(sums, wide ? rs_operands_of(sums, sum).b : sum, arena, &n_additions);
    const void **values = rs_alloc(arena, 2 * (size_t)n_ranks, sizeof *values);
    void *made = NULL;
    if (additions == NULL || values == NULL) return rs_no_memory(error);
    for (int32_t r = 0; r < n_ranks; r++) {
        values[r] = inputs[r];
        if (!wide) continue;
        values[r] = made = rs_alloc(arena, (size_t)n, bytes);
        if (made == NULL) return rs_no_memory(error);
        convert(dtype, inputs[r], type, made, n);
    }
    for (int32_t i = 0; i < n_additions; i++) { /* what is made takes the place of what was */
        const int32_t a = additions[i].a, b = additions[i].b, last = a > b ? a : b;
        made = last >= n_ranks ? (void *)values[last] : rs_alloc(arena, (size_t)n, bytes);
        if (made == NULL) return rs_no_memory(error);
        if (exact) {
            rs_add_exactly(sums, dtype, inputs, n, made);
        } else {
            rs_fold(type, op, values[a], values[b], made, n);
        }
        values[n_ranks + i] = made;
    }
    convert(type, values[n_additions > 0 ? n_ranks + n_additions - 1 : sum], dtype, out, n);
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
