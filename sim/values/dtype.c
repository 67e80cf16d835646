/* dtype.c: the ten element types: names, sizes, equality, and how a value is printed.
 *
 * Arrays of elements are plain memory in the machine's (little-endian) order, at any alignment.
 */
#include "ringsim.h"

#include "values/half.h"

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

/* Returns the float at `place`, exactly. */
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
