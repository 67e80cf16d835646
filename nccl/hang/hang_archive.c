/* hang_archive.c: how dumps are packed: tar and gzip, in memory. */
#include "config.h"
#include "ringsim_archive.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ tar */

/* The files of a tar archive that is in memory, one after another; nothing is unpacked.
 *
 *   - Regular files only; links, folders and devices are passed over. Long names as GNU tar writes them.
 *   - An archive that ends too early ends there; a member's bytes are those that are there.
 */

enum { BLOCK = 512, MAGIC = 257, SIZE = 124, TYPE = 156, NAME_BYTES = 100 };

bool rn_is_tar(const char *bytes, size_t n_bytes) {
    return n_bytes >= BLOCK && memcmp(bytes + MAGIC, "ustar", 5) == 0;
}

static size_t octal(const char *digits, int n) {
    size_t value = 0;
    for (int i = 0; i < n; i++) {
        if (digits[i] >= '0' && digits[i] <= '7') value = value * 8 + (size_t)(digits[i] - '0');
    }
    return value;
}

bool rn_tar_next(const char *bytes, size_t n_bytes, size_t *at, rn_tar_member *member) {
    bool named = false;
    while (*at <= n_bytes && n_bytes - *at >= BLOCK && bytes[*at] != '\0') {
        const char *head = bytes + *at, type = head[TYPE];
        const size_t left = n_bytes - *at - BLOCK, size = octal(head + SIZE, 12);
        const size_t there = size < left ? size : left;
        *at += BLOCK + (there + BLOCK - 1) / BLOCK * BLOCK;
        if (type == 'L') { /* the next member's name */
            const int n =
                there < sizeof member->name - 1 ? (int)there : (int)sizeof member->name - 1;
            snprintf(member->name, sizeof member->name, "%.*s", n, head + BLOCK);
            named = true;
            continue;
        }
        if (type == '0' || type == '\0') {
            if (!named) snprintf(member->name, sizeof member->name, "%.*s", NAME_BYTES, head);
            member->bytes = head + BLOCK;
            member->n_bytes = there;
            return true;
        }
        if (type != 'x' && type != 'g') named = false;
    }
    return false;
}

/* ------------------------------------------------------------------ gzip */

/* Unpacks a gzip that is in memory, by zlib.
 *
 *   - No length in the file is believed: what comes out is counted before there is memory for it, so a bomb costs time only.
 *   - A gzip that ends too early gives what is there; one of several members gives all of them. What follows the last
 *     and begins no other is passed over, as gunzip does.
 */

bool rn_is_gzip(const char *bytes, size_t n_bytes) {
    return n_bytes > 1 && memcmp(bytes, "\x1f\x8b", 2) == 0;
}

#ifdef HAVE_ZLIB
#define ZLIB_CONST
#include <stdlib.h>
#include <zlib.h>

enum { BITS_OF_GZIP = 15 + 16, MEMBER_BYTES = 3 };

/* Unpacks at most so many bytes of all members; out NULL: they are only counted. Z_OK: there may be more; Z_STREAM_END: that is
   all; Z_BUF_ERROR: the gzip ends too early; Z_DATA_ERROR: it is damaged. */
static int unpack(z_stream *z, char *out, size_t most, size_t *n) {
    char dropped[1 << 14];
    int found = inflateInit2(z, BITS_OF_GZIP);
    for (*n = 0; found == Z_OK && *n < most;) {
        const size_t left = most - *n,
                     room = out != NULL || left < sizeof dropped ? left : sizeof dropped;
        z->next_out = (Bytef *)(out != NULL ? out + *n : dropped);
        z->avail_out = (uInt)room;
        found = inflate(z, Z_NO_FLUSH);
        *n += room - z->avail_out;
        const bool more =
            z->avail_in >= MEMBER_BYTES && memcmp(z->next_in, "\x1f\x8b\x08", MEMBER_BYTES) == 0;
        if (found == Z_STREAM_END && more) found = inflateReset(z);
    }
    inflateEnd(z);
    return found;
}

rs_status rn_gunzip(const char *name, const char *bytes, size_t n_bytes, size_t limit,
                    rs_error *error, char **unpacked, size_t *n_unpacked) {
    const z_stream begin = {.next_in = (const Bytef *)bytes, .avail_in = (uInt)n_bytes};
    z_stream z = begin;
    int found = unpack(&z, NULL, limit + 1, n_unpacked);
    *unpacked = NULL;
    if (found != Z_MEM_ERROR && *n_unpacked <= limit) {
        *unpacked = malloc(*n_unpacked + 1); /* what follows the last byte is looked at, too */
        z = begin;
        found =
            *unpacked != NULL ? unpack(&z, *unpacked, *n_unpacked + 1, n_unpacked) : Z_MEM_ERROR;
    }
    if (*n_unpacked > limit || found == Z_STREAM_END || found == Z_BUF_ERROR) return RS_OK;
    if (found == Z_DATA_ERROR) {
        return rs_fail(error, RS_BAD_INPUT, "%.200s is damaged: gzip's check fails at byte %lld",
                       name, (long long)(n_bytes - z.avail_in));
    }
    return rs_fail(error, RS_NO_MEMORY, "no memory to read %.200s", name);
}
#else
rs_status rn_gunzip(const char *name, const char *bytes, size_t n_bytes, size_t limit,
                    rs_error *error, char **unpacked, size_t *n_unpacked) {
    (void)bytes, (void)n_bytes, (void)limit;
    *unpacked = NULL;
    *n_unpacked = 0;
    return rs_fail(error, RS_UNSUPPORTED, "%.200s is compressed: unpack it with gunzip", name);
}
#endif
