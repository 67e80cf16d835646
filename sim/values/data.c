/* data.c: fills the arrays that the ranks hold at the start.
 *
 *     digits    (chunk + 1) x 10^rank: a sum of 3 x 111 shows that ranks 0, 1 and 2 are inside
 *     index     integers rank x count + i; floats (rank + i) mod 8, whose sums are exact
 *     random    from a hash of (seed, rank, i): the same for every world size, order and slice. Integers: its low
 *               bits. Floats: the 64 bits as a fraction in [-1, 1), rounded to the type: all of its digits are in use
 *     exact     floats: whole numbers from the hash, so small that no order of adding them rounds; integers as random
 *     list      rank r holds the r-th number
 *
 * With n_elems < count each element stands for a chunk and holds the chunk's first element.
 */
#include "ringsim.h"

#include "schedule/algo.h"
#include "values/half.h"
#include "base/containers.h"

#include <assert.h>
#include <string.h>

/* Returns the largest n such that all of 0..n are exact in the dtype. */
static uint64_t largest_exact(rs_dtype dtype) {
    static const int digits[RS_N_DTYPES] = {7, 8, 31, 32, 63, 64, 11, 8, 24, 53};
    const uint64_t top = UINT64_MAX >> (64 - digits[dtype]);
    return rs_dtype_is_float(dtype) ? top + 1 : top;
}

bool rs_digits_fit(int32_t n_ranks, int32_t n_chunks, rs_dtype dtype, rs_op op) {
    if ((op != RS_SUM && op != RS_AVG) || n_chunks >= 10) return false;
    const uint64_t most = largest_exact(dtype);
    uint64_t sum = 0; /* of the last chunk, over all ranks: 7, 77, 777, ... */
    for (int32_t rank = 0; rank < n_ranks && n_chunks > 0; rank++) {
        if (sum > (most - (uint64_t)n_chunks) / 10) return false;
        sum = sum * 10 + (uint64_t)n_chunks;
    }
    return true;
}

/* Exact data lie in -2^bits + 1 .. 2^bits - 1. */
static const int exact_bits[RS_N_DTYPES] = {
    [RS_F16] = 4, [RS_BF16] = 2, [RS_F32] = 7, [RS_F64] = 35};

bool rs_exact_fits(int32_t n_ranks, rs_dtype dtype) {
    const uint64_t most = ((uint64_t)1 << exact_bits[dtype]) - 1;
    return !rs_dtype_is_float(dtype) || (uint64_t)n_ranks * most <= largest_exact(dtype);
}

/* Returns the hash as a fraction in [-1, below], where below is the largest number under 1. */
static inline double fraction(uint64_t hash, double below) {
    const double real = (double)(int64_t)hash * 0x1p-63;
    return real < below ? real : below;
}

/* Returns one of the 2^(bits + 1) - 1 whole numbers; 0 has two chances. */
static inline double whole_number(uint64_t hash, int bits) {
    const double size = (double)(hash >> 1 & (((uint64_t)1 << bits) - 1));
    return hash & 1 ? size : 0 - size;
}

/* Stores `whole`'s low bits, or the float nearest to `real`. */
static inline __attribute__((always_inline)) void put(rs_dtype dtype, uint64_t whole, double real,
                                                      char *place) {
    const uint32_t low = (uint32_t)whole;
    const float single = (float)real;
    uint16_t half = 0;
    switch (dtype) {
    case RS_I8:
    case RS_U8: memcpy(place, &whole, 1); return; /* little-endian */
    case RS_I32:
    case RS_U32: memcpy(place, &low, sizeof low); return;
    case RS_F16: half = f16_of_float(odd_float_of_double(real)); break;
    case RS_BF16: half = bf16_of_float(odd_float_of_double(real)); break;
    case RS_F32: memcpy(place, &single, sizeof single); return;
    case RS_F64: memcpy(place, &real, sizeof real); return;
    default: memcpy(place, &whole, sizeof whole); return;
    }
    memcpy(place, &half, sizeof half);
}

/* Returns `real` rounded towards zero as a number of the integer type; beyond the type's range its
   end; NaN gives 0. */
static uint64_t whole_of(rs_dtype dtype, double real) {
    const int bits = 8 * rs_dtype_bytes(dtype);
    const bool is_signed = dtype == RS_I8 || dtype == RS_I32 || dtype == RS_I64;
    const uint64_t top = UINT64_MAX >> (64 - bits + is_signed);
    if (real != real) return 0;
    if (real >= (double)top) return top;
    if (real >= 0) return (uint64_t)real;
    if (!is_signed) return 0;
    if (real <= -(double)top) return ~top;
    return (uint64_t)(int64_t)real;
}

typedef struct filling {
    rs_data data;
    rs_dtype dtype;
    int32_t rank, n_chunks;
    int64_t count;
    uint64_t key;   /* random, exact: the hash of seed and rank */
    uint64_t power; /* digits: 10^rank */
    double number;  /* list */
} filling;

static inline __attribute__((always_inline)) void fill_one(const filling *f, int64_t element,
                                                           char *place) {
    static const double below[RS_N_DTYPES] = {[RS_F16] = 1 - 0x1p-11,
                                              [RS_BF16] = 1 - 0x1p-8,
                                              [RS_F32] = 1 - 0x1p-24,
                                              [RS_F64] = 1 - 0x1p-53};
    uint64_t whole = 0;
    double real = 0;
    switch (f->data) {
    case RS_DATA_DIGITS:
        whole = (uint64_t)(chunk_of_element(f->count, f->n_chunks, element) + 1) * f->power;
        real = (double)whole;
        break;
    case RS_DATA_INDEX:
        whole = (uint64_t)f->rank * (uint64_t)f->count + (uint64_t)element;
        real = (double)(((uint64_t)f->rank + (uint64_t)element) % 8);
        break;
    case RS_DATA_RANDOM:
        whole = rs_mix(f->key + (uint64_t)element);
        real = fraction(whole, below[f->dtype]);
        break;
    case RS_DATA_EXACT:
        whole = rs_mix(f->key + (uint64_t)element);
        real = whole_number(whole, exact_bits[f->dtype]);
        break;
    default:
        real = f->number;
        if (!rs_dtype_is_float(f->dtype)) whole = whole_of(f->dtype, real);
    }
    put(f->dtype, whole, real, place);
}

static filling filling_of(rs_data data, rs_dtype dtype, int32_t rank, int32_t n_chunks,
                          int64_t count, uint64_t seed, const double list[]) {
    assert(data != RS_DATA_AUTO && (data != RS_DATA_LIST || list != NULL));
    filling f = {.data = data, .dtype = dtype, .rank = rank, .n_chunks = n_chunks, .count = count};
    f.key = rs_mix(rs_mix(seed) + (uint64_t)rank);
    f.power = 1;
    for (int32_t r = 0; r < rank && data == RS_DATA_DIGITS; r++) f.power *= 10; /* wraps */
    if (data == RS_DATA_LIST) f.number = list[rank];
    return f;
}

/* Inlined where the type is a constant, so that no element asks for it. */
static inline __attribute__((always_inline)) void fill_each(filling f, rs_dtype dtype,
                                                            int64_t first, int64_t n, char *out) {
    const int32_t elem_bytes = rs_dtype_bytes(dtype);
    f.dtype = dtype;
    for (int64_t i = 0; i < n; i++) fill_one(&f, first + i, out + i * elem_bytes);
}

/* Large arrays are random ones: a loop of its own for each type. */
static void fill_random(const filling *any, int64_t first, int64_t n, char *out) {
    filling f = *any;
    f.data = RS_DATA_RANDOM;
#define LOOP(dtype)                                                                                \
    case dtype: fill_each(f, dtype, first, n, out); return
    switch (any->dtype) {
        LOOP(RS_I8);
        LOOP(RS_U8);
        LOOP(RS_I32);
        LOOP(RS_U32);
        LOOP(RS_I64);
        LOOP(RS_U64);
        LOOP(RS_F16);
        LOOP(RS_BF16);
        LOOP(RS_F32);
        LOOP(RS_F64);
    default: assert(false);
    }
#undef LOOP
}

void rs_fill_part(rs_data data, rs_dtype dtype, int32_t rank, int32_t n_chunks, int64_t count,
                  int64_t first, int64_t n, uint64_t seed, const double list[], void *out) {
    assert(first >= 0 && n >= 0 && first + n <= count);
    const filling f = filling_of(data, dtype, rank, n_chunks, count, seed, list);
    if (data == RS_DATA_RANDOM)
        fill_random(&f, first, n, out);
    else
        fill_each(f, dtype, first, n, out);
}

void rs_fill(rs_data data, rs_dtype dtype, int32_t rank, int32_t n_chunks, int64_t count,
             int64_t n_elems, uint64_t seed, const double list[], void *out) {
    assert(n_elems == count || (n_elems == n_chunks && n_elems < count));
    if (n_elems == count) {
        rs_fill_part(data, dtype, rank, n_chunks, count, 0, count, seed, list, out);
        return;
    }
    const filling f = filling_of(data, dtype, rank, n_chunks, count, seed, list);
    char *place = out;
    for (int32_t c = 0; c < n_chunks; c++, place += rs_dtype_bytes(dtype)) {
        fill_one(&f, rs_chunk_offset(count, n_chunks, c), place);
    }
}
