/* fold.c: left op right, elementwise, for every dtype and op; and avg's division at the end.
 *
 *   - The arriving partial sum is the left operand, the receiver's own value the right.
 *   - Integer sum and prod wrap modulo 2^width. Floats round to nearest even in their own type.
 *   - min and max drop NaN (the other operand wins; two NaN give NaN), and -0 < +0.
 *   - acc may be left or right, but must not overlap them otherwise. Arrays may have any alignment.
 *
 * The loops stand in fold_kernels.h, compiled once for any processor and once for AVX2; the
 * processor at run time decides which runs. Both give the same bits.
 */
#if defined(__GNUC__) && !defined(__clang__)
/* The vectoriser, which clang has on at -O2. Nothing reads the floating-point exception flags, and no
   value depends on this: f16 conversions may compute both sides of a choice. */
#pragma GCC optimize("O3", "no-trapping-math")
#endif

#include "ringsim.h"

#include "values/half.h"

#include <assert.h>

#define ANY __attribute__((aligned(1), may_alias)) /* whatever the buffer was declared as */
typedef int8_t any_i8 ANY;
typedef uint8_t any_u8 ANY;
typedef int16_t any_i16 ANY;
typedef uint16_t any_u16 ANY;
typedef int32_t any_i32 ANY;
typedef uint32_t any_u32 ANY;
typedef int64_t any_i64 ANY;
typedef uint64_t any_u64 ANY;
typedef float any_f32 ANY;
typedef double any_f64 ANY;

typedef void (*kernel)(const void *left, const void *right, void *acc, int64_t count);

/* Returns a key that orders floats as integers, made from their bits (in negative ones reversed).
   NaN gets the key that loses against all others. */
static inline int16_t key_16(int16_t bits) {
    return (int16_t)(bits ^ (bits >> 15 & 0x7fff));
}
static inline int16_t min_key_16(int16_t bits, int16_t infinity) {
    return (bits & 0x7fff) > infinity ? INT16_MAX : key_16(bits);
}
static inline int16_t max_key_16(int16_t bits, int16_t infinity) {
    return (bits & 0x7fff) > infinity ? INT16_MIN : key_16(bits);
}
static inline int32_t key_32(int32_t bits) {
    return bits ^ (bits >> 31 & 0x7fffffff);
}
static inline int32_t min_key_32(int32_t bits) {
    return (bits & 0x7fffffff) > 0x7f800000 ? INT32_MAX : key_32(bits);
}
static inline int32_t max_key_32(int32_t bits) {
    return (bits & 0x7fffffff) > 0x7f800000 ? INT32_MIN : key_32(bits);
}
static inline int64_t key_64(int64_t bits) {
    return bits ^ (bits >> 63 & INT64_MAX);
}
static inline int64_t min_key_64(int64_t bits) {
    return (bits & INT64_MAX) > 0x7ff0000000000000 ? INT64_MAX : key_64(bits);
}
static inline int64_t max_key_64(int64_t bits) {
    return (bits & INT64_MAX) > 0x7ff0000000000000 ? INT64_MIN : key_64(bits);
}

#if defined(__clang__)
#define SIMD_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define SIMD_LOOP _Pragma("GCC ivdep")
#endif

#define KERNEL(name) name##_plain
#include "values/fold_kernels.h"
#undef KERNEL

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,f16c"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,f16c")
#endif
#define KERNEL(name) name##_avx2
#define F16_BY_HAND
#include "values/fold_f16c.h"
#include "values/fold_kernels.h"
#undef KERNEL
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
/* Every processor with AVX2 has F16C; clang before 15 cannot ask for the latter by name. */
#if defined(__clang__)
#define HAVE_AVX2 __builtin_cpu_supports("avx2")
#else
#define HAVE_AVX2 (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c"))
#endif
#endif

void rs_fold(rs_dtype dtype, rs_op op, const void *left, const void *right, void *acc,
             int64_t count) {
    assert(dtype < RS_N_DTYPES && op < RS_N_OPS && count >= 0);
    const rs_op fold = op == RS_AVG ? RS_SUM : op;
#if defined(__x86_64__)
    if (HAVE_AVX2) {
        kernels_avx2[dtype][fold](left, right, acc, count);
        return;
    }
#endif
    kernels_plain[dtype][fold](left, right, acc, count);
}

#define DIVIDE(type, value)                                                                        \
    do {                                                                                           \
        type *x = data;                                                                            \
        for (int64_t i = 0; i < count; i++) x[i] = (type)(value);                                  \
        return;                                                                                    \
    } while (0)

/* Divides 16-bit floats in f64 and rounds once: a quotient may lie so close to the middle between
   two values that rounding it to f32 first would give exactly the middle. */
void rs_finish(rs_dtype dtype, rs_op op, int32_t n_ranks, void *data, int64_t count) {
    assert(n_ranks >= 1 && count >= 0);
    if (op != RS_AVG || n_ranks == 1) return;
    const int32_t n = n_ranks;
    switch (dtype) {
    case RS_I8: DIVIDE(any_i8, x[i] / n);
    case RS_U8: DIVIDE(any_u8, x[i] / n);
    case RS_I32: DIVIDE(any_i32, x[i] / n);
    case RS_U32: DIVIDE(any_u32, x[i] / (uint32_t)n);
    case RS_I64: DIVIDE(any_i64, x[i] / n);
    case RS_U64: DIVIDE(any_u64, x[i] / (uint64_t)n);
    case RS_F16: DIVIDE(any_u16, f16_of_float(odd_float_of_double(float_of_f16(x[i]) / (double)n)));
    case RS_BF16:
        DIVIDE(any_u16, bf16_of_float(odd_float_of_double(float_of_bf16(x[i]) / (double)n)));
    case RS_F32: DIVIDE(any_f32, x[i] / (float)n);
    case RS_F64: DIVIDE(any_f64, x[i] / n);
    case RS_N_DTYPES: break;
    }
}
