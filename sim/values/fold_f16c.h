/* fold_f16c.h: f16 sum and prod with the processor's own conversions. Included by fold.c where
 * AVX2 and F16C are on.
 *
 * Widening and narrowing are exactly those of half.h, which the tail goes through, but for NaN: here
 * the one quiet NaN must be put in. Integer code alone is ten times slower.
 */
#include <immintrin.h>

/* Narrows eight floats, to nearest, ties to even; NaN become 0x7e00. */
static inline __m128i narrow_8(__m256 values) {
    const __m256i nans = _mm256_castps_si256(_mm256_cmp_ps(values, values, _CMP_UNORD_Q));
    const __m128i mask =
        _mm_packs_epi32(_mm256_castsi256_si128(nans), _mm256_extracti128_si256(nans, 1));
    const __m128i halves = _mm256_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT);
    return _mm_blendv_epi8(halves, _mm_set1_epi16(0x7e00), mask);
}

static inline __m256 widen_8(const any_u16 *halves) {
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)halves));
}

#define F16_LOOP(name, vector_op, op)                                                              \
    static void name(const void *left, const void *right, void *acc, int64_t count) {              \
        const any_u16 *l = left, *r = right;                                                       \
        any_u16 *out = acc;                                                                        \
        int64_t i = 0;                                                                             \
        for (; i + 8 <= count; i += 8) {                                                           \
            const __m256 value = vector_op(widen_8(l + i), widen_8(r + i));                        \
            _mm_storeu_si128((__m128i *)(out + i), narrow_8(value));                               \
        }                                                                                          \
        for (; i < count; i++) out[i] = f16_of_float(float_of_f16(l[i]) op float_of_f16(r[i]));    \
    }

F16_LOOP(KERNEL(sum_f16), _mm256_add_ps, +)
F16_LOOP(KERNEL(prod_f16), _mm256_mul_ps, *)

#undef F16_LOOP
