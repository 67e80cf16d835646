/* fold_kernels.h: one loop for every dtype x op. Included by fold.c once for each instruction set.
 *
 * The includer defines KERNEL(name), which makes the names differ, and SIMD_LOOP, which promises the
 * compiler that element i depends on nothing but element i: true also where acc is left or right.
 * All versions give the same bits: they are the same C, without contraction or reordering.
 */

#define LOOP(name, type, value)                                                                    \
    static void KERNEL(name)(const void *left, const void *right, void *acc, int64_t count) {      \
        const type *l = left, *r = right;                                                          \
        type *out = acc;                                                                           \
        SIMD_LOOP for (int64_t i = 0; i < count; i++) {                                            \
            const type a = l[i], b = r[i];                                                         \
            out[i] = (type)(value);                                                                \
        }                                                                                          \
    }

/* Integers: the unsigned type wraps, and the bits of a signed sum or product are the same. */
LOOP(sum_8, any_u8, a + b)
LOOP(sum_32, any_u32, a + b)
LOOP(sum_64, any_u64, a + b)
LOOP(prod_8, any_u8, a *b)
LOOP(prod_32, any_u32, a *b)
LOOP(prod_64, any_u64, a *b)
LOOP(min_i8, any_i8, a < b ? a : b)
LOOP(min_u8, any_u8, a < b ? a : b)
LOOP(min_i32, any_i32, a < b ? a : b)
LOOP(min_u32, any_u32, a < b ? a : b)
LOOP(min_i64, any_i64, a < b ? a : b)
LOOP(min_u64, any_u64, a < b ? a : b)
LOOP(max_i8, any_i8, a > b ? a : b)
LOOP(max_u8, any_u8, a > b ? a : b)
LOOP(max_i32, any_i32, a > b ? a : b)
LOOP(max_u32, any_u32, a > b ? a : b)
LOOP(max_i64, any_i64, a > b ? a : b)
LOOP(max_u64, any_u64, a > b ? a : b)

/* Floats: in their own type; the 16-bit ones rounded back at every hop. */
LOOP(sum_f32, any_f32, a + b)
LOOP(sum_f64, any_f64, a + b)
LOOP(prod_f32, any_f32, a *b)
LOOP(prod_f64, any_f64, a *b)
#ifndef F16_BY_HAND
LOOP(sum_f16, any_u16, f16_of_float(float_of_f16(a) + float_of_f16(b)))
LOOP(prod_f16, any_u16, f16_of_float(float_of_f16(a) * float_of_f16(b)))
#endif
LOOP(sum_bf16, any_u16, bf16_of_float(float_of_bf16(a) + float_of_bf16(b)))
LOOP(prod_bf16, any_u16, bf16_of_float(float_of_bf16(a) * float_of_bf16(b)))

/* min and max of floats compare keys made of their bits: a total order with -0 < +0 in which NaN
   comes last, so that the other operand wins. */
LOOP(min_f16, any_i16, min_key_16(a, 0x7c00) <= min_key_16(b, 0x7c00) ? a : b)
LOOP(max_f16, any_i16, max_key_16(a, 0x7c00) >= max_key_16(b, 0x7c00) ? a : b)
LOOP(min_bf16, any_i16, min_key_16(a, 0x7f80) <= min_key_16(b, 0x7f80) ? a : b)
LOOP(max_bf16, any_i16, max_key_16(a, 0x7f80) >= max_key_16(b, 0x7f80) ? a : b)
LOOP(min_f32, any_i32, min_key_32(a) <= min_key_32(b) ? a : b)
LOOP(max_f32, any_i32, max_key_32(a) >= max_key_32(b) ? a : b)
LOOP(min_f64, any_i64, min_key_64(a) <= min_key_64(b) ? a : b)
LOOP(max_f64, any_i64, max_key_64(a) >= max_key_64(b) ? a : b)

#undef LOOP

static const kernel KERNEL(kernels)[RS_N_DTYPES][4] = {
    [RS_I8] = {KERNEL(sum_8), KERNEL(prod_8), KERNEL(min_i8), KERNEL(max_i8)},
    [RS_U8] = {KERNEL(sum_8), KERNEL(prod_8), KERNEL(min_u8), KERNEL(max_u8)},
    [RS_I32] = {KERNEL(sum_32), KERNEL(prod_32), KERNEL(min_i32), KERNEL(max_i32)},
    [RS_U32] = {KERNEL(sum_32), KERNEL(prod_32), KERNEL(min_u32), KERNEL(max_u32)},
    [RS_I64] = {KERNEL(sum_64), KERNEL(prod_64), KERNEL(min_i64), KERNEL(max_i64)},
    [RS_U64] = {KERNEL(sum_64), KERNEL(prod_64), KERNEL(min_u64), KERNEL(max_u64)},
    [RS_F16] = {KERNEL(sum_f16), KERNEL(prod_f16), KERNEL(min_f16), KERNEL(max_f16)},
    [RS_BF16] = {KERNEL(sum_bf16), KERNEL(prod_bf16), KERNEL(min_bf16), KERNEL(max_bf16)},
    [RS_F32] = {KERNEL(sum_f32), KERNEL(prod_f32), KERNEL(min_f32), KERNEL(max_f32)},
    [RS_F64] = {KERNEL(sum_f64), KERNEL(prod_f64), KERNEL(min_f64), KERNEL(max_f64)},
};
