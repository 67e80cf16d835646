/* judge.c: what the ranks started with, and how far the vendor's own all-reduce may be from ours.
 *
 *     |computed - exact|  <=  (N - 1) u / (1 - (N - 1) u) x (|x_0| + ... + |x_(N-1)|)
 *
 * holds for a sum of N floats in any order (Higham, SIAM J. Sci. Comput. 14(4), 1993); u is half the
 * distance from 1 to the next float. Integers, min and max do not depend on the order: there the
 * bits must be the same. Where special values are planted, libraries may differ (min and max of NaN,
 * Inf - Inf on the way): differences are counted but not judged.
 */
#include "group.h"

#include <math.h>
#include <string.h>

rs_status rg_inputs_new(const rg_job *job, rs_arena *arena, rs_error *error, void ***inputs) {
    const int32_t n = job->schedule->n_ranks;
    const size_t n_bytes = (size_t)job->count * (size_t)rs_dtype_bytes(job->dtype);
    void **made = rs_alloc(arena, (size_t)n, sizeof *made);
    for (int32_t r = 0; made != NULL && r < n; r++) {
        made[r] = rs_alloc(arena, n_bytes + 1, 1);
        if (made[r] == NULL) {
            made = NULL;
            break;
        }
        rg_fill(job, r, made[r]);
    }
    if (made == NULL) {
        return rs_fail(error, RS_NO_MEMORY,
                       "no memory to judge %d ranks of %lld elements; take smaller sizes", (int)n,
                       (long long)job->count);
    }
    *inputs = made;
    return RS_OK;
}

static float float_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Reads one float of any type; wider than all of them. */
static long double real_at(rs_dtype dtype, const void *array, int64_t i) {
    uint16_t half;
    float single;
    double real;
    const char *place = (const char *)array + i * rs_dtype_bytes(dtype);
    switch (dtype) {
    case RS_BF16: memcpy(&half, place, sizeof half); return float_of_bits((uint32_t)half << 16);
    case RS_F16: {
        memcpy(&half, place, sizeof half);
        const int exponent = half >> 10 & 31, mantissa = half & 1023;
        real = exponent == 0    ? ldexp(mantissa, -24)
               : exponent == 31 ? (mantissa != 0 ? (double)NAN : (double)INFINITY)
                                : ldexp(mantissa + 1024, exponent - 25);
        return half & 0x8000 ? -real : real;
    }
    case RS_F32: memcpy(&single, place, sizeof single); return single;
    default: memcpy(&real, place, sizeof real); return real;
    }
}

static double unit_of(rs_dtype dtype) {
    static const int digits[RS_N_DTYPES] = {
        [RS_F16] = 11, [RS_BF16] = 8, [RS_F32] = 24, [RS_F64] = 53};
    return ldexp(1, -digits[dtype]);
}

/* avg divides once more, prod rounds relative to itself: one more rounding is allowed to either. */
double rg_oracle_bound(const rg_job *job) {
    const bool exact = !rs_dtype_is_float(job->dtype) || job->op == RS_MIN || job->op == RS_MAX;
    if (exact || job->special != RG_PLAIN) return 0;
    const int32_t roundings = job->schedule->n_ranks - 1 + (job->op == RS_AVG);
    return roundings * unit_of(job->dtype);
}

/* Tells whether one element of a float sum, product or average lies within the bound. */
static bool within(const rg_job *job, void *const inputs[], const void *oracle, int64_t i) {
    const int32_t n = job->schedule->n_ranks;
    const bool product = job->op == RS_PROD;
    long double exact = product, size = product;
    for (int32_t r = 0; r < n; r++) {
        const long double x = real_at(job->dtype, inputs[r], i);
        exact = product ? exact * x : exact + x;
        size = product ? size * fabsl(x) : size + fabsl(x);
    }
    if (job->op == RS_AVG) {
        exact /= n;
        size /= n;
    }
    const double bound = rg_oracle_bound(job);
    /* Products may sink below the normal numbers, where errors are no longer relative. */
    const long double least = product || job->op == RS_AVG ? n * unit_of(job->dtype) : 0;
    const long double floor_of = job->dtype == RS_F16 ? 0x1p-14L : 0x1p-126L;
    const long double off = fabsl(real_at(job->dtype, oracle, i) - exact);
    return off <= bound / (1 - bound) * size + least * floor_of;
}

void rg_judge_oracle(const rg_job *job, void *const inputs[], const void *result,
                     const void *oracle, int64_t *n_differ, int64_t *n_outside) {
    const int32_t elem_bytes = rs_dtype_bytes(job->dtype);
    const bool bounded = rg_oracle_bound(job) > 0;
    *n_differ = *n_outside = 0;
    for (int64_t i = 0; i < job->count; i++) {
        const char *a = (const char *)result + i * elem_bytes;
        const char *b = (const char *)oracle + i * elem_bytes;
        const bool same = rs_equal(job->dtype, a, b, 1);
        *n_differ += !same;
        if (job->special != RG_PLAIN && rs_dtype_is_float(job->dtype)) continue;
        *n_outside += bounded ? !within(job, inputs, oracle, i) : !same;
    }
}
