/* The bit rules, value by value: conversions, folds, avg's division, equality and printing. */
#include <criterion/criterion.h>

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "values/half.h"
#include "ringsim.h"

static double f16_value(uint16_t half) {
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    double value = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
    if (exponent == 31) value = fraction == 0 ? INFINITY : NAN;
    return half & 0x8000 ? -value : value;
}

/* The nearest f16 of a real number that a double holds exactly, ties to even; by search, not by bits. */
static uint16_t f16_nearest(double x) {
    if (x != x) return 0x7e00;
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    const double magnitude = fabs(x);
    if (magnitude >= 65520) return sign | 0x7c00;
    uint16_t low = 0, high = 0x7bff;
    while (high - low > 1) {
        const uint16_t middle = (uint16_t)((low + high) / 2);
        if (f16_value(middle) <= magnitude)
            low = middle;
        else
            high = middle;
    }
    const double below = magnitude - f16_value(low), above = f16_value(high) - magnitude;
    if (below == above) return sign | (low & 1 ? high : low);
    return sign | (below < above ? low : high);
}

Test(dtype, widens_every_f16_exactly_and_narrows_it_back) {
    for (int h = 0; h < 65536; h++) {
        const float wide = float_of_f16((uint16_t)h);
        const double expected = f16_value((uint16_t)h);
        if (expected != expected) {
            cr_assert(wide != wide);
            cr_assert_eq(f16_of_float(wide), 0x7e00);
        } else {
            cr_assert(wide == expected && !signbit(wide) == !signbit(expected), "%04x", h);
            cr_assert_eq(f16_of_float(wide), h);
        }
    }
}

Test(dtype, widens_every_bf16_exactly_and_narrows_it_back) {
    for (int h = 0; h < 65536; h++) {
        const float wide = float_of_bf16((uint16_t)h);
        cr_assert_eq(bf16_of_float(wide), wide == wide ? h : 0x7fc0);
    }
}

Test(dtype, narrows_to_the_nearest_f16_ties_to_even) {
    uint32_t state = 1;
    for (int i = 0; i < 2000000; i++) {
        state = state * 1664525 + 1013904223;
        /* Random bits, then magnitudes where f16 lives, then ties. */
        uint32_t bits = state;
        if (i % 3 == 1) bits = (bits & 0x8fffffff) | 0x30000000;
        if (i % 3 == 2) bits = (bits & 0x8fffe000) | 0x30001000;
        const float x = float_of_bits(bits);
        cr_assert_eq(f16_of_float(x), f16_nearest(x), "%a", x);
    }
    cr_assert_eq(f16_of_float(65519.996f), 0x7bff);
    cr_assert_eq(f16_of_float(65520), 0x7c00);
    cr_assert_eq(f16_of_float(-0x1p-25f), 0x8000);
    cr_assert_eq(f16_of_float(0x1.000002p-25f), 1);
}

Test(dtype, bf16_rounds_half_to_even_and_overflows_to_infinity) {
    cr_assert_eq(bf16_of_float(float_of_bits(0x3f808000)), 0x3f80);
    cr_assert_eq(bf16_of_float(float_of_bits(0x3f818000)), 0x3f82);
    cr_assert_eq(bf16_of_float(float_of_bits(0x3f808001)), 0x3f81);
    cr_assert_eq(bf16_of_float(float_of_bits(0x7f7fffff)), 0x7f80);
    cr_assert_eq(bf16_of_float(float_of_bits(0x00008001)), 0x0001);
}

/* Every f16 plus and times every 61st: against the search, on exact doubles. */
Test(dtype, f16_sums_and_products_are_the_correctly_rounded_ones) {
    static uint16_t left[65536], right[65536], sum[65536], product[65536];
    for (int h = 0; h < 65536; h++) left[h] = (uint16_t)h;
    for (int other = 0; other < 65536; other += 1021) {
        for (int h = 0; h < 65536; h++) right[h] = (uint16_t)other;
        rs_fold(RS_F16, RS_SUM, left, right, sum, 65536);
        rs_fold(RS_F16, RS_PROD, left, right, product, 65536);
        for (int h = 0; h < 65536; h += 7) {
            const double a = f16_value((uint16_t)h), b = f16_value((uint16_t)other);
            uint16_t expected = f16_nearest(a + b); /* 40 digits at the most: a double has 53 */
            cr_assert(rs_equal(RS_F16, &sum[h], &expected, 1), "%04x + %04x", h, other);
            expected = f16_nearest(a * b);
            cr_assert(rs_equal(RS_F16, &product[h], &expected, 1), "%04x * %04x", h, other);
        }
    }
}

Test(dtype, integers_wrap) {
    const int8_t a[] = {120, -128, -1, 127}, b[] = {100, -128, -1, 2};
    int8_t out[4];
    rs_fold(RS_I8, RS_SUM, a, b, out, 4);
    cr_expect(out[0] == -36 && out[1] == 0 && out[2] == -2 && out[3] == -127);
    rs_fold(RS_I8, RS_PROD, a, b, out, 4);
    cr_expect(out[0] == -32 && out[1] == 0 && out[2] == 1 && out[3] == -2);
    const int32_t big[] = {INT32_MAX, INT32_MIN}, more[] = {1, -1};
    int32_t sum[2];
    rs_fold(RS_I32, RS_SUM, big, more, sum, 2);
    cr_expect(sum[0] == INT32_MIN && sum[1] == INT32_MAX);
    rs_fold(RS_I32, RS_PROD, big, big, sum, 2);
    cr_expect(sum[0] == 1 && sum[1] == 0);
    const int64_t huge[] = {INT64_MAX, INT64_MIN};
    int64_t wrapped[2];
    rs_fold(RS_I64, RS_SUM, huge, huge, wrapped, 2);
    cr_expect(wrapped[0] == -2 && wrapped[1] == 0);
    rs_fold(RS_I64, RS_PROD, huge, huge, wrapped, 2);
    cr_expect(wrapped[0] == 1 && wrapped[1] == 0);
}

Test(dtype, signed_and_unsigned_differ_in_min_and_max) {
    const uint8_t a[] = {0xff}, b[] = {1};
    uint8_t out;
    rs_fold(RS_I8, RS_MIN, a, b, &out, 1);
    cr_expect_eq(out, 0xff);
    rs_fold(RS_U8, RS_MIN, a, b, &out, 1);
    cr_expect_eq(out, 1);
    rs_fold(RS_I8, RS_MAX, a, b, &out, 1);
    cr_expect_eq(out, 1);
    rs_fold(RS_U8, RS_MAX, a, b, &out, 1);
    cr_expect_eq(out, 0xff);
}

/* Stores a real number in any float type. */
static void put(rs_dtype dtype, double value, void *out) {
    const float single = (float)value;
    const uint16_t f16 = f16_of_float(single), bf16 = bf16_of_float(single);
    if (dtype == RS_F16) memcpy(out, &f16, 2);
    if (dtype == RS_BF16) memcpy(out, &bf16, 2);
    if (dtype == RS_F32) memcpy(out, &single, 4);
    if (dtype == RS_F64) memcpy(out, &value, 8);
}

static double get(rs_dtype dtype, const void *in) {
    uint16_t half;
    float single;
    double value;
    memcpy(&half, in, 2);
    if (dtype == RS_F16) return f16_value(half);
    if (dtype == RS_BF16) return float_of_bf16(half);
    memcpy(&single, in, 4);
    if (dtype == RS_F32) return single;
    memcpy(&value, in, 8);
    return value;
}

/* One fold, at every place of an array of 37: vector body and tail must agree. */
static double fold_all_places(rs_dtype dtype, rs_op op, double a, double b) {
    char left[37 * 8], right[37 * 8], out[37 * 8];
    const int size = rs_dtype_bytes(dtype);
    for (int i = 0; i < 37; i++) {
        put(dtype, a, left + i * size);
        put(dtype, b, right + i * size);
    }
    rs_fold(dtype, op, left, right, out, 37);
    for (int i = 1; i < 37; i++) cr_assert(rs_equal(dtype, out, out + i * size, 1));
    return get(dtype, out);
}

static void expect_value(double got, double expected, const char *what) {
    if (expected != expected)
        cr_expect(got != got, "%s: %g", what, got);
    else
        cr_expect(got == expected && !signbit(got) == !signbit(expected), "%s: %g", what, got);
}

Test(dtype, min_and_max_drop_nan_and_order_the_zeros) {
    const double values[] = {NAN, -INFINITY, -2, -0.0, 0.0, 1.5, INFINITY};
    for (rs_dtype dtype = RS_F16; dtype <= RS_F64; dtype++) {
        for (int i = 0; i < 7; i++) {
            for (int j = 0; j < 7; j++) {
                /* values[] is ascending but for NaN, which loses to everything. */
                const int low = i == 0 ? j : j == 0 ? i : i < j ? i : j;
                const int high = i > j ? i : j;
                expect_value(fold_all_places(dtype, RS_MIN, values[i], values[j]), values[low],
                             "min");
                expect_value(fold_all_places(dtype, RS_MAX, values[i], values[j]), values[high],
                             "max");
            }
        }
        char nans[2][8], out[8]; /* a NaN with its sign bit set loses as well */
        put(dtype, NAN, nans[0]);
        nans[0][rs_dtype_bytes(dtype) - 1] ^= (char)0x80;
        put(dtype, 3, nans[1]);
        rs_fold(dtype, RS_MIN, nans[0], nans[1], out, 1);
        expect_value(get(dtype, out), 3, "min with -NaN");
        rs_fold(dtype, RS_MAX, nans[1], nans[0], out, 1);
        expect_value(get(dtype, out), 3, "max with -NaN");
    }
}

/* All bits above infinity's are NaN, the quiet and the signalling: the first, the last, those between. */
Test(dtype, min_and_max_drop_nan_of_any_payload) {
    static const uint64_t infinity[] = {0x7c00, 0x7f80, 0x7f800000, 0x7ff0000000000000};
    for (rs_dtype dtype = RS_F16; dtype <= RS_F64; dtype++) {
        const int bits = 8 * rs_dtype_bytes(dtype);
        const uint64_t sign = (uint64_t)1 << (bits - 1), first = infinity[dtype - RS_F16];
        const uint64_t payloads[] = {1, 2, (sign - first) / 2, sign - 1 - first};
        for (int k = 0; k < 8; k++) {
            const uint64_t nan = (first + payloads[k / 2]) | (k % 2 ? sign : 0);
            const uint64_t big = first | (k % 2 ? sign : 0); /* infinity itself is a number */
            uint64_t out = 0;
            for (int turn = 0; turn < 4; turn++) {
                const rs_op op = turn % 2 ? RS_MIN : RS_MAX;
                rs_fold(dtype, op, turn < 2 ? &nan : &big, turn < 2 ? &big : &nan, &out, 1);
                cr_expect_eq(out, big, "%d bits, NaN %llx", bits, (unsigned long long)nan);
            }
        }
    }
}

/* One NaN for all 16-bit sums, wherever the element stands: checksums must not depend on the machine. */
Test(dtype, sums_of_16_bit_nan_are_the_one_quiet_nan) {
    const uint16_t f16[] = {0x7e00, 0xfe00, 0x7c01, 0xffff},
                   bf16[] = {0x7fc0, 0xffc0, 0x7f81, 0xffff};
    for (int k = 0; k < 4; k++) {
        uint16_t left[2][19], right[19] = {0}, out[19];
        for (int i = 0; i < 19; i++) {
            left[0][i] = f16[k];
            left[1][i] = bf16[k];
        }
        for (rs_op op = RS_SUM; op <= RS_PROD; op++) {
            rs_fold(RS_F16, op, left[0], right, out, 19);
            for (int i = 0; i < 19; i++) cr_expect_eq(out[i], 0x7e00);
            rs_fold(RS_BF16, op, right, left[1], out, 19);
            for (int i = 0; i < 19; i++) cr_expect_eq(out[i], 0x7fc0);
        }
    }
}

Test(dtype, infinities_and_overflow_follow_ieee) {
    const double largest[] = {65504, 0x1.fep127, 0x1.fffffep127, 0x1.fffffffffffffp1023};
    const double tiniest[] = {0x1p-24, 0x1p-133, 0x1p-149, 0x1p-1074};
    for (int i = 0; i < 4; i++) {
        const rs_dtype dtype = RS_F16 + (rs_dtype)i;
        expect_value(fold_all_places(dtype, RS_SUM, INFINITY, -INFINITY), NAN, "Inf - Inf");
        expect_value(fold_all_places(dtype, RS_PROD, INFINITY, 0), NAN, "Inf x 0");
        expect_value(fold_all_places(dtype, RS_SUM, NAN, 1), NAN, "NaN + 1");
        expect_value(fold_all_places(dtype, RS_SUM, 1, NAN), NAN, "1 + NaN");
        expect_value(fold_all_places(dtype, RS_SUM, largest[i], largest[i]), INFINITY, "overflow");
        expect_value(fold_all_places(dtype, RS_PROD, -largest[i], 2), -INFINITY, "overflow");
        expect_value(fold_all_places(dtype, RS_SUM, tiniest[i], tiniest[i]), 2 * tiniest[i],
                     "subnormals are not flushed");
        expect_value(fold_all_places(dtype, RS_PROD, tiniest[i], 0.5), 0, "ties to even");
        expect_value(fold_all_places(dtype, RS_SUM, -0.0, -0.0), -0.0, "-0 + -0");
        expect_value(fold_all_places(dtype, RS_SUM, -0.0, 0.0), 0.0, "-0 + 0");
    }
}

Test(dtype, product_and_sum_are_not_fused) {
    /* (1 + 2^-12)^2 - 1 differs in the last bits when the product is not rounded first. */
    const float x = 0x1.001p0f, minus_one = -1;
    float product, out;
    rs_fold(RS_F32, RS_PROD, &x, &x, &product, 1);
    rs_fold(RS_F32, RS_SUM, &product, &minus_one, &out, 1);
    cr_expect_eq(out, 0x1.002p0f - 1);
}

Test(dtype, acc_may_be_left_or_right_at_any_alignment) {
    enum { N = 100 };
    for (int d = 0; d < RS_N_DTYPES; d++) {
        const rs_dtype dtype = (rs_dtype)d;
        const int64_t size = rs_dtype_bytes(dtype);
        for (int op = 0; op < RS_N_OPS; op++) {
            for (int offset = 0; offset < 16; offset += 5) {
                char left[N * 8 + 16], right[N * 8 + 16], fresh[N * 8], again[N * 8 + 16];
                rs_fill(RS_DATA_RANDOM, dtype, 0, 1, N, N, 1, NULL, left + offset);
                rs_fill(RS_DATA_RANDOM, dtype, 1, 1, N, N, 1, NULL, right + offset);
                rs_fold(dtype, (rs_op)op, left + offset, right + offset, fresh, N);
                memcpy(again + offset, left + offset, (size_t)(N * size));
                rs_fold(dtype, (rs_op)op, again + offset, right + offset, again + offset, N);
                cr_assert(rs_equal(dtype, fresh, again + offset, N));
                rs_fold(dtype, (rs_op)op, left + offset, right + offset, right + offset, N);
                cr_assert(rs_equal(dtype, fresh, right + offset, N));
                for (int64_t i = 0; i < N; i++) { /* one by one: no vector code */
                    char one[8];
                    rs_fill(RS_DATA_RANDOM, dtype, 1, 1, N, N, 1, NULL, right + offset);
                    rs_fold(dtype, (rs_op)op, left + offset + i * size, right + offset + i * size,
                            one, 1);
                    cr_assert(rs_equal(dtype, fresh + i * size, one, 1));
                }
            }
        }
    }
}

Test(dtype, avg_divides_once_and_integers_truncate_toward_zero) {
    int8_t i8[] = {-7, 7, -128};
    rs_finish(RS_I8, RS_AVG, 2, i8, 3);
    cr_expect(i8[0] == -3 && i8[1] == 3 && i8[2] == -64);
    rs_finish(RS_I8, RS_AVG, 131072, i8, 3);
    cr_expect(i8[0] == 0 && i8[1] == 0 && i8[2] == 0);
    uint64_t u64 = UINT64_MAX;
    rs_finish(RS_U64, RS_AVG, 3, &u64, 1);
    cr_expect_eq(u64, UINT64_MAX / 3);
    uint32_t u32 = 0xfffffff0;
    rs_finish(RS_U32, RS_AVG, 16, &u32, 1);
    cr_expect_eq(u32, 0x0fffffff);
    float f32 = 1;
    rs_finish(RS_F32, RS_AVG, 3, &f32, 1);
    cr_expect_eq(f32, 1.0f / 3);
    int32_t untouched = 9;
    rs_finish(RS_I32, RS_SUM, 3, &untouched, 1);
    rs_finish(RS_I32, RS_AVG, 1, &untouched, 1);
    cr_expect_eq(untouched, 9);
}

/* Every finite f16 by many N: the candidate q is right when q N is nearest to x, in exact integers. */
Test(dtype, f16_avg_rounds_once) {
    for (int32_t n = 2; n <= 131072; n = n * 3 / 2 + 1) {
        for (int h = 0; h < 0x7c00; h += 3) {
            uint16_t q = (uint16_t)h;
            rs_finish(RS_F16, RS_AVG, n, &q, 1);
            const double x = f16_value((uint16_t)h); /* all products below are exact in a double */
            const double error = fabs(f16_value(q) * n - x);
            const double up = fabs(f16_value((uint16_t)(q + 1)) * n - x);
            cr_assert(error < up || (error == up && q % 2 == 0), "%04x / %d", h, n);
            if (q == 0) continue;
            const double down = fabs(f16_value((uint16_t)(q - 1)) * n - x);
            cr_assert(error < down || (error == down && q % 2 == 0), "%04x / %d", h, n);
        }
    }
}

Test(dtype, all_nan_are_equal_and_the_zeros_are_not) {
    const float nan_a = float_of_bits(0x7fc00001), nan_b = float_of_bits(0xffffffff);
    const float zeros[] = {0.0f, -0.0f};
    cr_expect(rs_equal(RS_F32, &nan_a, &nan_b, 1));
    cr_expect(!rs_equal(RS_I32, &nan_a, &nan_b, 1));
    cr_expect(!rs_equal(RS_F32, &zeros[0], &zeros[1], 1));
    cr_expect(!rs_equal(RS_F32, &nan_a, &zeros[0], 1));
    cr_expect(rs_equal(RS_F32, NULL, NULL, 0));
}

static void expect_text(rs_dtype dtype, const void *value, const char *expected) {
    char text[64];
    const int n = rs_print_value(dtype, value, 0, text, sizeof text);
    cr_expect_str_eq(text, expected);
    cr_expect_eq(n, (int)strlen(expected));
}

Test(dtype, prints_whole_numbers_in_full_and_others_shortest) {
    const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},      {-0.0, "-0"},   {100, "100"},      {11111111, "11111111"}, {1e8, "1e+08"},
        {0.1, "0.1"},  {-2.5, "-2.5"}, {INFINITY, "inf"}, {-INFINITY, "-inf"},    {NAN, "nan"},
        {-NAN, "nan"}, {1e-5, "1e-05"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const float single = (float)cases[i].value;
        expect_text(RS_F32, &single, cases[i].text);
        expect_text(RS_F64, &cases[i].value, cases[i].text);
    }
    const double third = 1.0 / 3;
    expect_text(RS_F64, &third, "0.3333333333333333");
    const uint16_t f16_third = 0x3555, smallest = 1;
    expect_text(RS_F16, &f16_third, "0.3333");
    expect_text(RS_F16, &smallest, "6e-08");
    const int64_t lowest = INT64_MIN;
    expect_text(RS_I64, &lowest, "-9223372036854775808");
    expect_text(RS_U64, &lowest, "9223372036854775808");
    const uint8_t byte = 0xff;
    expect_text(RS_U8, &byte, "255");
    expect_text(RS_I8, &byte, "-1");
}

Test(dtype, every_16_bit_float_reads_back_from_its_text) {
    for (int h = 0; h < 65536; h++) {
        const uint16_t half = (uint16_t)h;
        char text[64];
        rs_print_value(RS_F16, &half, 0, text, sizeof text);
        uint16_t back = f16_of_float(strtof(text, NULL));
        cr_assert(rs_equal(RS_F16, &half, &back, 1), "%04x %s", h, text);
        rs_print_value(RS_BF16, &half, 0, text, sizeof text);
        back = bf16_of_float(strtof(text, NULL));
        cr_assert(rs_equal(RS_BF16, &half, &back, 1), "%04x %s", h, text);
    }
}

Test(dtype, a_decimal_comma_never_appears) {
    const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    bool found = false;
    for (int i = 0; i < 4 && !found; i++) found = setlocale(LC_NUMERIC, names[i]) != NULL;
    if (!found) cr_skip_test("no locale with a decimal comma is installed here");
    const double value = -1234.5625, small = 1.5e-7;
    expect_text(RS_F64, &value, "-1234.5625");
    expect_text(RS_F64, &small, "1.5e-07");
}

Test(dtype, print_says_how_much_room_it_needs) {
    char text[3];
    const int32_t value = 12345;
    cr_expect_eq(rs_print_value(RS_I32, &value, 0, text, sizeof text), 5);
    cr_expect_str_eq(text, "12");
}
