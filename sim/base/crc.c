/* crc.c: the CRC-32 of zlib, PNG and Ethernet (reflected polynomial 0xedb88320).
 *
 * rs_crc32(rs_crc32(0, a), b) is the CRC of a followed by b. Long data take eight bytes at a time
 * through eight tables made on the spot (Kounavis and Berry, "slicing by 8", 2005).
 */
#include "ringsim.h"

#include <string.h>

enum { LONG_BYTES = 4096 }; /* from so many bytes on the tables save more than they cost */

/* What four bits do to the register. */
static const uint32_t nibbles[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

static uint32_t one_byte(uint32_t crc, uint8_t byte) {
    crc ^= byte;
    crc = crc >> 4 ^ nibbles[crc & 15];
    return crc >> 4 ^ nibbles[crc & 15];
}

/* table[k][b]: what byte b does when k more bytes follow it. */
static void make_tables(uint32_t table[8][256]) {
    for (uint32_t b = 0; b < 256; b++) table[0][b] = one_byte(b, 0);
    for (int k = 1; k < 8; k++) {
        for (uint32_t b = 0; b < 256; b++) {
            const uint32_t before = table[k - 1][b];
            table[k][b] = before >> 8 ^ table[0][before & 255];
        }
    }
}

static uint32_t eight_at_a_time(uint32_t crc, const uint8_t *bytes, size_t n_bytes) {
    uint32_t table[8][256];
    make_tables(table);
    for (size_t i = 0; i + 8 <= n_bytes; i += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, sizeof word); /* little-endian, as all of ringsim's files */
        word ^= crc;
        crc = 0;
        for (int k = 0; k < 8; k++) crc ^= table[7 - k][word >> (8 * k) & 255];
    }
    return crc;
}

uint32_t rs_crc32(uint32_t crc, const void *data, size_t n_bytes) {
    const uint8_t *bytes = data;
    crc = ~crc;
    if (n_bytes >= LONG_BYTES) {
        const size_t whole = n_bytes & ~(size_t)7;
        crc = eight_at_a_time(crc, bytes, whole);
        bytes += whole;
        n_bytes -= whole;
    }
    for (size_t i = 0; i < n_bytes; i++) crc = one_byte(crc, bytes[i]);
    return ~crc;
}
