/* dtype.c: the ten element types: names, sizes, equality, and how a value is printed.
 *
 * Arrays of elements are plain memory in the machine's (little-endian) order, at any alignment.
 */
#include "ringsim.h"
#include "values/half.h"
#include "ringsim_values.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *rs_dtype_name(rs_dtype dtype) {
    static const char *const names[RS_N_DTYPES] = {"i8",  "u8",  "i32",  "u32", "i64",
                                                   "u64", "f16", "bf16", "f32", "f64"};
    assert(dtype < RS_N_DTYPES);
    return names[dtype];
}

const char *rs_op_name(rs_op op) {
    static const char *const names[RS_N_OPS] = {"sum", "prod", "min", "max", "avg"};
    assert(op < RS_N_OPS);
    return names[op];
}

int32_t rs_dtype_bytes(rs_dtype dtype) {
    static const int32_t bytes[RS_N_DTYPES] = {1, 1, 4, 4, 8, 8, 2, 2, 4, 8};
    assert(dtype < RS_N_DTYPES);
    return bytes[dtype];
}

bool rs_dtype_is_float(rs_dtype dtype) {
    return dtype >= RS_F16;
}

static double read_float(rs_dtype dtype, const void *place) {
    uint16_t half = 0;
    float single = 0;
    double value = 0;
    switch (dtype) {
    case RS_F16: memcpy(&half, place, sizeof half); return float_of_f16(half);
    case RS_BF16: memcpy(&half, place, sizeof half); return float_of_bf16(half);
    case RS_F32: memcpy(&single, place, sizeof single); return single;
    default: memcpy(&value, place, sizeof value); return value;
    }
}

double rs_read_float(rs_dtype dtype, const void *data, int64_t index) {
    return read_float(dtype, (const char *)data + index * rs_dtype_bytes(dtype));
}

void rs_write_float(rs_dtype dtype, void *data, int64_t index, double value) {
    char *place = (char *)data + index * rs_dtype_bytes(dtype);
    const uint16_t f16 = f16_of_float(odd_float_of_double(value)),
                   bf16 = bf16_of_float(odd_float_of_double(value));
    const float f32 = (float)value;
    switch (dtype) {
    case RS_F16: memcpy(place, &f16, sizeof f16); return;
    case RS_BF16: memcpy(place, &bf16, sizeof bf16); return;
    case RS_F32: memcpy(place, &f32, sizeof f32); return;
    default: memcpy(place, &value, sizeof value); return;
    }
}

/* Rounds to the nearest value of the type. */
static double round_to(rs_dtype dtype, double value) {
    switch (dtype) {
    case RS_F16: return float_of_f16(f16_of_float(odd_float_of_double(value)));
    case RS_BF16: return float_of_bf16(bf16_of_float(odd_float_of_double(value)));
    case RS_F32: return (float)value;
    default: return value;
    }
}

/* Replaces the locale's decimal point, whatever stands between the digits, by '.'. */
static void put_point(char *text) {
    char *at = text + strspn(text, "+-0123456789");
    const size_t width = strcspn(at, "0123456789eE");
    if (width == 0) return;
    *at = '.';
    memmove(at + 1, at + width, strlen(at + width) + 1);
}

/* Prints whole numbers below 10^8 in full, as people write them; others with as few digits as read
   back. */
static int print_float(rs_dtype dtype, double value, char *out, size_t n_out) {
    if (value != value) return snprintf(out, n_out, "nan");
    const double magnitude = value < 0 ? -value : value;
    if (magnitude < 1e8 && (double)(int64_t)value == value) {
        const bool minus_zero = value == 0 && 1 / value < 0;
        return snprintf(out, n_out, "%s%" PRId64, minus_zero ? "-" : "", (int64_t)value);
    }
    if (magnitude > 1.7976931348623157e308) {
        return snprintf(out, n_out, "%sinf", value < 0 ? "-" : "");
    }
    char text[64];
    for (int precision = 1; precision <= 17; precision++) {
        snprintf(text, sizeof text, "%.*g", precision, value);
        if (round_to(dtype, strtod(text, NULL)) == value) break;
    }
    put_point(text);
    return snprintf(out, n_out, "%s", text);
}

int rs_print_value(rs_dtype dtype, const void *data, int64_t index, char *out, size_t n_out) {
    const size_t size = (size_t)rs_dtype_bytes(dtype);
    const char *place = (const char *)data + (size_t)index * size;
    if (rs_dtype_is_float(dtype)) return print_float(dtype, read_float(dtype, place), out, n_out);
    union {
        int8_t i8;
        uint8_t u8;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
    } value;
    memcpy(&value, place, size);
    switch (dtype) {
    case RS_I8: return snprintf(out, n_out, "%d", value.i8);
    case RS_U8: return snprintf(out, n_out, "%d", value.u8);
    case RS_I32: return snprintf(out, n_out, "%" PRId32, value.i32);
    case RS_U32: return snprintf(out, n_out, "%" PRIu32, value.u32);
    case RS_I64: return snprintf(out, n_out, "%" PRId64, value.i64);
    default: return snprintf(out, n_out, "%" PRIu64, value.u64);
    }
}

bool rs_equal(rs_dtype dtype, const void *a, const void *b, int64_t count) {
    const size_t size = (size_t)rs_dtype_bytes(dtype);
    if (count == 0 || memcmp(a, b, (size_t)count * size) == 0) return true;
    if (!rs_dtype_is_float(dtype)) return false;
    const char *left = a, *right = b;
    for (int64_t i = 0; i < count; i++, left += size, right += size) {
        if (memcmp(left, right, size) == 0) continue;
        const double x = read_float(dtype, left), y = read_float(dtype, right);
        if (x == x || y == y) return false;
    }
    return true;
}

/* ------------------------------------------------------------------ checksums */

/* The CRC-32 of values. Which NaN an addition gives depends on the order of its operands, which the compiler
 * chooses, and on the processor: x86 keeps the bits of the first, a GPU has one of its own. So each counts as the one
 * quiet NaN of its type.
 */

enum { PIECE_BYTES = 1 << 15 };

/* Without its sign a NaN lies above infinity. */
#define DEFINE_ONE_NAN(width)                                                                      \
    static void one_nan_##width(uint##width##_t *bits, int64_t n, uint##width##_t inf) {           \
        const uint##width##_t quiet = (uint##width##_t)(inf | (inf >> 1 & ~inf));                  \
        const uint##width##_t all = (uint##width##_t)(UINT##width##_MAX >> 1);                     \
        for (int64_t i = 0; i < n; i++) bits[i] = (bits[i] & all) > inf ? quiet : bits[i];         \
    }
DEFINE_ONE_NAN(16)
DEFINE_ONE_NAN(32)
DEFINE_ONE_NAN(64)

uint32_t rs_crc32_values(uint32_t crc, rs_dtype dtype, const void *data, int64_t count) {
    const int64_t size = rs_dtype_bytes(dtype), most = PIECE_BYTES / size;
    union {
        uint16_t of_16[PIECE_BYTES / 2];
        uint32_t of_32[PIECE_BYTES / 4];
        uint64_t of_64[PIECE_BYTES / 8];
    } piece;
    if (!rs_dtype_is_float(dtype)) return rs_crc32(crc, data, (size_t)(count * size));
    for (int64_t at = 0, n; at < count; at += n) {
        n = count - at < most ? count - at : most;
        memcpy(&piece, (const char *)data + at * size, (size_t)(n * size));
        if (dtype == RS_F16) one_nan_16(piece.of_16, n, 0x7c00);
        if (dtype == RS_BF16) one_nan_16(piece.of_16, n, 0x7f80);
        if (dtype == RS_F32) one_nan_32(piece.of_32, n, 0x7f800000);
        if (dtype == RS_F64) one_nan_64(piece.of_64, n, 0x7ff0000000000000);
        crc = rs_crc32(crc, &piece, (size_t)(n * size));
    }
    return crc;
}
