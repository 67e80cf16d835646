/* arithmetic.h: what rs_fold and rs_finish compute, for one element and for 16 bytes of them, on a device.
 * Private to kernels.cu.
 *
 *     fold<RS_F16, RS_SUM>(left, right)         one element, as its bits
 *     fold_16<RS_F16, RS_SUM>(left, right)      a uint4 full of them
 *     finish<RS_F16>(value, n_ranks)            the division of avg
 *
 *   - Results have the bits of sim/values/fold.c, but for the payload of NaN (the 16-bit floats have one NaN).
 *   - Integers wrap: the device adds and multiplies them as unsigned. Every float operation names its
 *     rounding (_rn), so that nvcc contracts none.
 *   - min and max compare keys made from the bits: NaN never wins, and -0 is less than +0.
 */
#pragma once

#include "ringsim.h"

#include "cuda/intrinsics.h"

/* ------------------------------------------------------------------ the types */

template <int n_bytes> struct unsigned_of;
template <> struct unsigned_of<1> { using type = uint8_t; };
template <> struct unsigned_of<2> { using type = uint16_t; };
template <> struct unsigned_of<4> { using type = uint32_t; };
template <> struct unsigned_of<8> { using type = uint64_t; };

template <rs_dtype D>
constexpr int n_bytes = D == RS_I8 || D == RS_U8                    ? 1
                        : D == RS_F16 || D == RS_BF16               ? 2
                        : D == RS_I32 || D == RS_U32 || D == RS_F32 ? 4
                                                                    : 8;
template <rs_dtype D> using bits_of = typename unsigned_of<n_bytes<D>>::type;
template <rs_dtype D>
constexpr bool is_float = D == RS_F16 || D == RS_BF16 || D == RS_F32 || D == RS_F64;
template <rs_dtype D> constexpr bool is_signed = D == RS_I8 || D == RS_I32 || D == RS_I64;

/* ------------------------------------------------------------------ the 16-bit floats */

template <rs_dtype D> static __device__ __forceinline__ float widen(uint16_t half) {
    if constexpr (D == RS_BF16) return __uint_as_float((uint32_t)half << 16);
    return rg_widen_f16(half);
}

/* To nearest, ties to even; every NaN becomes the one quiet NaN. */
template <rs_dtype D> static __device__ __forceinline__ uint16_t narrow(float value) {
    const uint32_t bits = __float_as_uint(value);
    const bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
    if constexpr (D == RS_BF16) {
        const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
        return (uint16_t)(is_nan ? 0x7fc0 : rounded);
    }
    return (uint16_t)(is_nan ? 0x7e00 : rg_narrow_f16(value));
}

/* ------------------------------------------------------------------ sum and product */

template <rs_dtype D, rs_op O>
static __device__ __forceinline__ bits_of<D> combine(bits_of<D> a, bits_of<D> b) {
    constexpr bool sum = O == RS_SUM;
    if constexpr (D == RS_F16 || D == RS_BF16) {
        const float x = widen<D>(a), y = widen<D>(b);
        return narrow<D>(sum ? __fadd_rn(x, y) : __fmul_rn(x, y));
    } else if constexpr (D == RS_F32) {
        const float x = __uint_as_float(a), y = __uint_as_float(b);
        return __float_as_uint(sum ? __fadd_rn(x, y) : __fmul_rn(x, y));
    } else if constexpr (D == RS_F64) {
        const double x = __longlong_as_double((long long)a), y = __longlong_as_double((long long)b);
        return (bits_of<D>)__double_as_longlong(sum ? __dadd_rn(x, y) : __dmul_rn(x, y));
    } else {
        return (bits_of<D>)(sum ? a + b : a * b);
    }
}

/* ------------------------------------------------------------------ min and max */

/* Returns an integer that orders as the value does. Negative floats, read as integers, order backwards:
   key_of inverts all their bits but the sign. NaN gets the key that never wins. */
template <rs_dtype D, rs_op O> static __device__ __forceinline__ auto key_of(bits_of<D> bits) {
    if constexpr (D == RS_F64) {
        const int64_t key = (int64_t)bits ^ ((int64_t)bits >> 63 & INT64_MAX);
        const bool is_nan = (int64_t)(bits & INT64_MAX) > 0x7ff0000000000000;
        return is_nan ? O == RS_MIN ? INT64_MAX : INT64_MIN : key;
    } else if constexpr (is_float<D>) { /* 16-bit floats become the upper half of 32 bits */
        constexpr int32_t infinity = D == RS_F16 ? 0x7c000000 : 0x7f800000;
        const int32_t wide = (int32_t)((uint32_t)bits << (D == RS_F32 ? 0 : 16));
        const bool is_nan = (wide & INT32_MAX) > infinity;
        return is_nan ? O == RS_MIN ? INT32_MAX : INT32_MIN : wide ^ (wide >> 31 & INT32_MAX);
    } else if constexpr (D == RS_I8) {
        return (int8_t)bits;
    } else if constexpr (D == RS_I32) {
        return (int32_t)bits;
    } else if constexpr (D == RS_I64) {
        return (int64_t)bits;
    } else {
        return bits;
    }
}

template <rs_dtype D, rs_op O>
static __device__ __forceinline__ bits_of<D> choose(bits_of<D> a, bits_of<D> b) {
    const auto x = key_of<D, O>(a), y = key_of<D, O>(b);
    return (O == RS_MIN ? x <= y : x >= y) ? a : b;
}

template <rs_dtype D, rs_op O>
static __device__ __forceinline__ bits_of<D> fold(bits_of<D> left, bits_of<D> right) {
    if constexpr (O == RS_MIN || O == RS_MAX) return choose<D, O>(left, right);
    return combine < D, O == RS_PROD ? RS_PROD : RS_SUM > (left, right);
}

/* ------------------------------------------------------------------ avg's division */

/* Returns x / n for the 16-bit floats, rounded to odd (cut off, the last bit set if anything was lost), so
   that narrowing afterwards gives what one rounding would. A fused multiply-add computes the rest of the
   division exactly; the rest says whether the quotient is exact, and to which side __fdiv_rn rounded.
   (sim/ divides in f64, which is slow on most GPUs.) */
static __device__ __forceinline__ float odd_quotient(float x, float n) {
    const float nearest = __fdiv_rn(x, n);
    const float rest = __fmaf_rn(-nearest, n, x);
    if (!(rest < 0 || rest > 0)) return nearest; /* exact, or Inf or NaN */
    uint32_t bits = __float_as_uint(nearest);
    if ((rest < 0) != (x < 0)) bits--; /* __fdiv_rn rounded away from zero */
    return __uint_as_float(bits | 1);
}

template <rs_dtype D>
static __device__ __forceinline__ bits_of<D> finish(bits_of<D> value, int32_t n) {
    if constexpr (D == RS_F16 || D == RS_BF16) {
        return narrow<D>(odd_quotient(widen<D>(value), (float)n));
    } else if constexpr (D == RS_F32) {
        return __float_as_uint(__fdiv_rn(__uint_as_float(value), (float)n));
    } else if constexpr (D == RS_F64) {
        const double x = __longlong_as_double((long long)value);
        return (bits_of<D>)__double_as_longlong(__ddiv_rn(x, (double)n));
    } else if constexpr (D == RS_I8) {
        return (uint8_t)((int8_t)value / n);
    } else if constexpr (D == RS_I32) {
        return (uint32_t)((int32_t)value / n);
    } else if constexpr (D == RS_I64) {
        return (uint64_t)((int64_t)value / n);
    } else {
        return (bits_of<D>)(value / (uint32_t)n);
    }
}

/* ------------------------------------------------------------------ 16 bytes at once */

/* Calls one(a, b) for each element of two words of 32 bits, of 1, 2 or 4 bytes each. */
template <rs_dtype D, class One>
static __device__ __forceinline__ uint32_t each_of_word(uint32_t a, uint32_t b, One one) {
    uint32_t out = 0;
    RG_UNROLL for (int at = 0; at < 32; at += 8 * n_bytes<D>) {
        out |= (uint32_t)one((bits_of<D>)(a >> at), (bits_of<D>)(b >> at)) << at;
    }
    return out;
}

template <class One>
static __device__ __forceinline__ void each_of_pair(uint32_t *low, uint32_t *high, uint32_t b_low,
                                                    uint32_t b_high, One one) {
    const uint64_t bits = one((uint64_t)*high << 32 | *low, (uint64_t)b_high << 32 | b_low);
    *low = (uint32_t)bits;
    *high = (uint32_t)(bits >> 32);
}

template <rs_dtype D, class One>
static __device__ __forceinline__ uint4 each(uint4 a, const uint4 &b, One one) {
    if constexpr (n_bytes<D> == 8) {
        each_of_pair(&a.x, &a.y, b.x, b.y, one);
        each_of_pair(&a.z, &a.w, b.z, b.w, one);
        return a;
    } else {
        return make_uint4(each_of_word<D>(a.x, b.x, one), each_of_word<D>(a.y, b.y, one),
                          each_of_word<D>(a.z, b.z, one), each_of_word<D>(a.w, b.w, one));
    }
}

/* Calls one(a, a) for each element of 16 bytes, in a loop that nvcc does not unroll: for a long `one`. */
template <rs_dtype D, class One>
static __device__ __forceinline__ uint4 one_by_one(uint4 a, const One &one) {
    constexpr int bits = 8 * n_bytes<D>, step = bits < 32 ? bits : 32;
    RG_STAY_LOOP for (int turn = 0; turn < 128; turn += bits) {
        /* Takes the lowest element out, shifts the others down, puts the result on top. */
        const uint64_t low = (uint64_t)a.y << 32 | a.x;
        const bits_of<D> done = one((bits_of<D>)low, (bits_of<D>)low);
        if constexpr (bits == 64) {
            a = make_uint4(a.z, a.w, (uint32_t)done, (uint32_t)((uint64_t)done >> 32));
        } else if constexpr (bits == 32) {
            a = make_uint4(a.y, a.z, a.w, (uint32_t)done);
        } else {
            a = make_uint4(a.x >> step | a.y << (32 - step), a.y >> step | a.z << (32 - step),
                           a.z >> step | a.w << (32 - step),
                           a.w >> step | (uint32_t)done << (32 - step));
        }
    }
    return a;
}

/* ------------------------------------------------------------------ the same as objects, of an element or of 16 bytes */

template <rs_op O> constexpr rs_op fold_op = O == RS_AVG ? RS_SUM : O;

template <rs_dtype D, rs_op O> struct folding {
    using bits = bits_of<D>;
    __device__ __forceinline__ bits operator()(bits a, bits b) const {
        return fold<D, O>(a, b);
    }
    __device__ __forceinline__ uint4 operator()(const uint4 &a, const uint4 &b) const {
        return each<D>(a, b, *this);
    }
};

template <rs_dtype D> struct finishing {
    using bits = bits_of<D>;
    int32_t n_ranks;
    __device__ __forceinline__ bits operator()(bits a, bits) const {
        return finish<D>(a, n_ranks);
    }
    __device__ __forceinline__ uint4 operator()(const uint4 &a, const uint4 &) const {
        return one_by_one<D>(a, *this);
    }
};

/* What avg's last addition makes: the sum, divided. */
template <rs_dtype D> struct finishing_sum {
    using bits = bits_of<D>;
    int32_t n_ranks;
    __device__ __forceinline__ bits operator()(bits a, bits b) const {
        return finish<D>(fold<D, RS_SUM>(a, b), n_ranks);
    }
    __device__ __forceinline__ uint4 operator()(const uint4 &a, const uint4 &b) const {
        return one_by_one<D>(each<D>(a, b, folding<D, RS_SUM>()), finishing<D>{n_ranks});
    }
};
