/* half.h: the two 16-bit floats, in plain integer code. Private to sim/.
 *
 *     f16     s eeeee mmmmmmmmmm      (IEEE binary16, bias 15)
 *     bf16    s eeeeeeee mmmmmmm      (the upper half of an f32)
 *
 *   - Widening is exact. Narrowing rounds to nearest, ties to even; subnormals and infinities are
 *     right; every NaN becomes the one quiet NaN.
 *   - An addition or multiplication in f32, then narrowed, is the correctly rounded one: f32 has more
 *     than twice the digits and two (Roux, ICTAI 2014). A division by N is not; see from_double.
 *   - No branch depends on the data, so loops over these functions become vector code.
 */
#pragma once

#include <stdint.h>
#include <string.h>

static inline float float_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t bits_of_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float float_of_bf16(uint16_t half) {
    return float_of_bits((uint32_t)half << 16);
}

static inline uint16_t bf16_of_float(float value) {
    const uint32_t bits = bits_of_float(value);
    const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? 0x7fc0 : rounded);
}

static inline float float_of_f16(uint16_t half) {
    const uint32_t magnitude = half & 0x7fff;
    const uint32_t normal = (magnitude << 13) + (112u << 23); /* the biases differ by 112 */
    const uint32_t huge = (magnitude << 13) + (224u << 23);   /* Inf, NaN: exponent 255 */
    const uint32_t tiny = bits_of_float((float)(int32_t)magnitude * 0x1p-24f);
    uint32_t bits = magnitude < 0x400 ? tiny : normal;
    bits = magnitude >= 0x7c00 ? huge : bits;
    return float_of_bits(bits | (uint32_t)(half & 0x8000) << 16);
}

static inline uint16_t f16_of_float(float value) {
    const uint32_t bits = bits_of_float(value), magnitude = bits & 0x7fffffff;
    const uint32_t normal = (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
    /* Near 0.5 an f32 counts in units of 2^-24, as f16's subnormals do: the addition rounds. */
    const float shifted = float_of_bits(magnitude) + 0.5f;
    const uint32_t tiny = bits_of_float(shifted) - 0x3f000000;
    uint32_t half = magnitude < 0x38800000 ? tiny : normal; /* 2^-14 */
    half = magnitude >= 0x477ff000 ? 0x7c00 : half;         /* 65520, the tie above the largest */
    half |= bits >> 16 & 0x8000;
    return (uint16_t)(magnitude > 0x7f800000 ? 0x7e00 : half);
}

/* Narrows to f32 so that narrowing once more rounds as if there had been one rounding: what does not
   fit is cut off and leaves the last bit odd. */
static inline float odd_float_of_double(double value) {
    const float nearest = (float)value;
    if ((double)nearest == value || value != value) return nearest;
    uint32_t bits = bits_of_float(nearest);
    const double cut = (double)nearest;
    if (value < 0 ? cut < value : cut > value) bits--; /* it was rounded away from zero */
    return float_of_bits(bits | 1);
}
