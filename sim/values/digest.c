/* digest.c: the CRC-32 of values. Which NaN an addition gives depends on the order of its operands, which the compiler
 * chooses, and on the processor: x86 keeps the bits of the first, a GPU has one of its own. So each counts as the one
 * quiet NaN of its type.
 */
#include "ringsim_values.h"

#include <string.h>

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
