/* What ranks hold at the start, and the checksum of what they hold at the end. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ringsim.h"

Test(data, digits_show_the_chunk_and_the_rank) {
    int32_t out[12];
    rs_fill(RS_DATA_DIGITS, RS_I32, 2, 5, 12, 12, 0, NULL, out);
    const int32_t expected[] = {100, 100, 100, 200, 200, 200, 300, 300, 400, 400, 500, 500};
    cr_expect_arr_eq(out, expected, sizeof expected);
}

Test(data, digits_fit_exactly_as_long_as_every_sum_is_exact) {
    const struct {
        rs_dtype dtype;
        int32_t most_ranks; /* in a ring: N ranks, N chunks, the sum N x 11...1 */
    } cases[] = {{RS_I8, 2},  {RS_U8, 2},  {RS_I32, 9},  {RS_U32, 9}, {RS_I64, 9},
                 {RS_U64, 9}, {RS_F16, 3}, {RS_BF16, 2}, {RS_F32, 7}, {RS_F64, 9}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int32_t n = 1; n < 30; n++) {
            cr_expect_eq(rs_digits_fit(n, n, cases[i].dtype, RS_SUM), n <= cases[i].most_ranks,
                         "%s N=%d", rs_dtype_name(cases[i].dtype), n);
        }
    }
    cr_expect(rs_digits_fit(19, 1, RS_I64, RS_SUM));
    cr_expect(!rs_digits_fit(20, 1, RS_I64, RS_SUM));
    cr_expect(rs_digits_fit(20, 1, RS_U64, RS_AVG));
    cr_expect(!rs_digits_fit(2, 2, RS_I64, RS_PROD));
    cr_expect(!rs_digits_fit(2, 2, RS_I64, RS_MIN));
    cr_expect(rs_digits_fit(5, 0, RS_I8, RS_SUM));
}

/* As long as c, cc, ccc, ... of so many digits is no more than the last of the whole numbers that are all exact. */
Test(data, digits_fit_if_the_largest_sum_is_exact) {
    static const uint64_t most[RS_N_DTYPES] = {
        [RS_I8] = INT8_MAX,          [RS_U8] = UINT8_MAX,  [RS_I32] = INT32_MAX,
        [RS_U32] = UINT32_MAX,       [RS_I64] = INT64_MAX, [RS_U64] = UINT64_MAX,
        [RS_F16] = 1 << 11,          [RS_BF16] = 1 << 8,   [RS_F32] = 1 << 24,
        [RS_F64] = (uint64_t)1 << 53};
    for (int t = 0; t < RS_N_DTYPES; t++) {
        for (int32_t c = 1; c < 10; c++) {
            __extension__ unsigned __int128 sum = 0;
            for (int32_t n = 1; n <= 24; n++) {
                sum = sum * 10 + (unsigned)c;
                cr_expect_eq(rs_digits_fit(n, c, (rs_dtype)t, RS_SUM), sum <= most[t],
                             "%s: %d digits %d", rs_dtype_name((rs_dtype)t), n, c);
            }
        }
    }
}

Test(data, index_counts_on_and_floats_stay_small) {
    uint8_t bytes[5];
    rs_fill(RS_DATA_INDEX, RS_U8, 53, 1, 5, 5, 0, NULL, bytes);
    cr_expect(bytes[0] == 9 && bytes[4] == 13); /* 265 wraps */
    double reals[10];
    rs_fill(RS_DATA_INDEX, RS_F64, 3, 1, 10, 10, 0, NULL, reals);
    cr_expect(reals[0] == 3 && reals[4] == 7 && reals[5] == 0 && reals[9] == 4);
}

static double read_back(rs_dtype dtype, const void *data, int i) {
    char text[64];
    rs_print_value(dtype, data, i, text, sizeof text);
    return strtod(text, NULL);
}

Test(data, random_floats_lie_evenly_from_minus_one_to_one_with_all_their_digits) {
    enum { N = 40000 };
    for (rs_dtype dtype = RS_F16; dtype <= RS_F64; dtype++) {
        static char out[N * 8];
        int tenths[20] = {0}, odd = 0;
        rs_fill(RS_DATA_RANDOM, dtype, 3, 1, N, N, 7, NULL, out);
        for (int i = 0; i < N; i++) {
            const double value = read_back(dtype, out, i);
            cr_assert(value >= -1 && value < 1, "%g", value);
            tenths[(int)(10 * (value + 1))]++;
            odd += out[i * rs_dtype_bytes(dtype)] & 1; /* the last digit */
        }
        for (int k = 0; k < 20; k++)
            cr_expect(abs(tenths[k] - N / 20) < 200, "%d: %d", k, tenths[k]);
        cr_expect(abs(odd - N / 2) < 800, "type %d: %d last digits are in use", (int)dtype, odd);
    }
}

/* Returns how many of n elements differ between the folds over the ranks upwards and downwards. */
static int order_shows(rs_data data, rs_dtype dtype, int32_t n_ranks, int n) {
    static char up[10000 * 8], down[10000 * 8], own[10000 * 8];
    int n_differ = 0;
    rs_fill(data, dtype, 0, 1, n, n, 7, NULL, up);
    rs_fill(data, dtype, n_ranks - 1, 1, n, n, 7, NULL, down);
    for (int32_t r = 1; r < n_ranks; r++) {
        rs_fill(data, dtype, r, 1, n, n, 7, NULL, own);
        rs_fold(dtype, RS_SUM, up, own, up, n);
        rs_fill(data, dtype, n_ranks - 1 - r, 1, n, n, 7, NULL, own);
        rs_fold(dtype, RS_SUM, down, own, down, n);
    }
    for (int i = 0; i < n; i++) {
        const size_t at = (size_t)(i * rs_dtype_bytes(dtype));
        n_differ += !rs_equal(dtype, up + at, down + at, 1);
    }
    return n_differ;
}

Test(data, sums_of_random_floats_round_as_those_of_real_data_do) {
    for (rs_dtype dtype = RS_F16; dtype <= RS_F64; dtype++) {
        const int n_differ = order_shows(RS_DATA_RANDOM, dtype, 4, 10000);
        cr_expect(n_differ > 3300 && n_differ < 4500, "type %d: %d of 10000", (int)dtype, n_differ);
    }
}

Test(data, no_sum_of_exact_data_rounds) {
    for (rs_dtype dtype = 0; dtype < RS_N_DTYPES; dtype++) {
        const int32_t most = dtype == RS_F16 ? 136 : dtype == RS_BF16 ? 85 : 300;
        cr_expect(rs_exact_fits(most, dtype));
        cr_expect_eq(rs_exact_fits(most + 1, dtype), most == 300);
        cr_expect_eq(rs_exact_fits(RS_MAX_RANKS, dtype), most == 300);
        cr_expect_eq(order_shows(RS_DATA_EXACT, dtype, most, 1000), 0);
    }
}

Test(data, random_depends_on_seed_rank_and_element_alone) {
    uint64_t a[100], b[100], c[100];
    rs_fill(RS_DATA_RANDOM, RS_U64, 3, 1, 100, 100, 7, NULL, a);
    rs_fill(RS_DATA_RANDOM, RS_U64, 3, 9, 50, 50, 7, NULL, b);
    cr_expect_arr_eq(a, b, 50 * sizeof a[0]);
    rs_fill(RS_DATA_RANDOM, RS_U64, 4, 1, 100, 100, 7, NULL, b);
    rs_fill(RS_DATA_RANDOM, RS_U64, 3, 1, 100, 100, 8, NULL, c);
    for (int i = 0; i < 100; i++) cr_expect(a[i] != b[i] && a[i] != c[i] && b[i] != c[i]);
}

Test(data, a_list_is_converted_to_the_type) {
    const double list[] = {1e8, -1.75, 300, NAN, -1e30, 1e30};
    float single;
    rs_fill(RS_DATA_LIST, RS_F32, 0, 1, 1, 1, 0, list, &single);
    cr_expect_eq(single, 1e8f);
    const int8_t expected_i8[] = {127, -1, 127, 0, -128, 127};
    const uint8_t expected_u8[] = {255, 0, 255, 0, 0, 255};
    for (int32_t rank = 0; rank < 6; rank++) {
        int8_t i8;
        uint8_t u8;
        rs_fill(RS_DATA_LIST, RS_I8, rank, 1, 1, 1, 0, list, &i8);
        rs_fill(RS_DATA_LIST, RS_U8, rank, 1, 1, 1, 0, list, &u8);
        cr_expect(i8 == expected_i8[rank] && u8 == expected_u8[rank], "rank %d: %d %d", rank, i8,
                  u8);
    }
    int64_t wide[2];
    rs_fill(RS_DATA_LIST, RS_I64, 4, 1, 1, 1, 0, list, &wide[0]);
    rs_fill(RS_DATA_LIST, RS_I64, 5, 1, 1, 1, 0, list, &wide[1]);
    cr_expect(wide[0] == INT64_MIN && wide[1] == INT64_MAX);
}

/* Of every kind and type, whole and an element a chunk: all of its elements, and not a byte behind them. */
Test(data, fills_its_elements_and_nothing_else) {
    static const double list[] = {1, -2, 3, 250};
    for (int kind = RS_DATA_DIGITS; kind <= RS_DATA_LIST; kind++) {
        for (rs_dtype dtype = 0; dtype < RS_N_DTYPES; dtype++) {
            for (int64_t n = 0; n < 20; n++) {
                for (int shorter = 0; shorter < 2; shorter++) {
                    const int64_t count = shorter ? 100 : n;
                    const size_t n_bytes = (size_t)(n * rs_dtype_bytes(dtype));
                    unsigned char out[2][200];
                    for (int i = 0; i < 2; i++) {
                        memset(out[i], i == 0 ? 0x5a : 0xa5, sizeof out[i]);
                        rs_fill((rs_data)kind, dtype, 3, (int32_t)n, count, n, 5, list, out[i]);
                    }
                    cr_expect_arr_eq(out[0], out[1], n_bytes);
                    for (size_t i = n_bytes; i < sizeof out[0]; i++) cr_expect_eq(out[0][i], 0x5a);
                }
            }
        }
    }
}

/* An element a chunk: element c is what the whole array holds at the chunk's first element. */
Test(data, an_element_stands_for_the_rest_of_its_chunk) {
    const rs_data kinds[] = {RS_DATA_DIGITS, RS_DATA_INDEX, RS_DATA_RANDOM, RS_DATA_EXACT};
    for (int k = 0; k < 4; k++) {
        for (int64_t count = 8; count < 40; count++) {
            uint32_t all[40], elems[7];
            rs_fill(kinds[k], RS_U32, 3, 7, count, count, 5, NULL, all);
            rs_fill(kinds[k], RS_U32, 3, 7, count, 7, 5, NULL, elems);
            for (int32_t c = 0; c < 7; c++) {
                cr_expect_eq(elems[c], all[rs_chunk_offset(count, 7, c)]);
            }
        }
    }
    uint32_t elems[2]; /* no array of 2^40 elements is needed */
    rs_fill(RS_DATA_INDEX, RS_U32, 0, 2, (int64_t)1 << 40, 2, 0, NULL, elems);
    cr_expect(elems[0] == 0 && elems[1] == 0);
}

Test(data, crc32_is_the_one_of_zlib) {
    cr_expect_eq(rs_crc32(0, "123456789", 9), 0xcbf43926);
    cr_expect_eq(rs_crc32(0, "", 0), 0);
    static char bytes[10000];
    for (int i = 0; i < 10000; i++) bytes[i] = (char)(i * i);
    const uint32_t whole = rs_crc32(0, bytes, sizeof bytes); /* long: eight at a time */
    uint32_t parts = 0;
    for (int i = 0; i < 10000; i += 100) parts = rs_crc32(parts, bytes + i, 100);
    cr_expect_eq(whole, parts);
    cr_expect_eq(rs_crc32(rs_crc32(0, bytes, 5003), bytes + 5003, 4997), whole);
}

/* Bits of every float type: NaN of any sign and payload are one, all else counts as it is, in parts as in one. */
Test(data, a_digest_of_values_does_not_tell_one_nan_from_another) {
    enum { N = 50000 };
    static uint64_t as_64[N];
    static uint32_t as_32[N];
    static uint16_t as_16[N];
    static const struct {
        rs_dtype dtype;
        void *elems;
        uint64_t infinity;
    } types[] = {{RS_F16, as_16, 0x7c00},
                 {RS_BF16, as_16, 0x7f80},
                 {RS_F32, as_32, 0x7f800000},
                 {RS_F64, as_64, 0x7ff0000000000000}};
    for (int t = 0; t < 4; t++) {
        const int64_t size = rs_dtype_bytes(types[t].dtype);
        const uint64_t sign = (uint64_t)1 << (8 * size - 1), inf = types[t].infinity;
        const uint64_t bits[] = {inf + 1, inf | (inf >> 1), sign | (inf + 1), sign | (sign - 1),
                                 sign - 1};
        const uint64_t others[] = {inf, sign | inf, inf - 1, sign, 0, 1, sign | 1};
        char *elems = types[t].elems;
        /* little-endian */
        for (int64_t i = 0; i < N; i++) memcpy(elems + i * size, &others[i % 7], (size_t)size);
        const uint32_t none = rs_crc32_values(0, types[t].dtype, elems, N);
        cr_expect_eq(none, rs_crc32(0, elems, (size_t)(N * size)));
        for (int64_t at = 0; at < N; at += 16383) { /* ends of pieces, too */
            uint64_t kept = 0;
            memcpy(&kept, elems + at * size, (size_t)size);
            uint32_t first = 0;
            for (int b = 0; b < 5; b++) {
                memcpy(elems + at * size, &bits[b], (size_t)size);
                const uint32_t crc = rs_crc32_values(0, types[t].dtype, elems, N);
                if (b == 0) first = crc;
                cr_expect_eq(crc, first, "%s, %d", rs_dtype_name(types[t].dtype), b);
                cr_expect_neq(crc, none);
                const uint32_t part = rs_crc32_values(0, types[t].dtype, elems, 777);
                cr_expect_eq(rs_crc32_values(part, types[t].dtype, elems + 777 * size, N - 777),
                             crc);
            }
            memcpy(elems + at * size, &kept, (size_t)size);
        }
    }
    cr_expect_eq(rs_crc32_values(7, RS_I32, as_32, N), rs_crc32(7, as_32, sizeof as_32));
}
