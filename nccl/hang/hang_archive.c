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

/* Unpacks at most `room` bytes, of all members. Z_OK: there may be more; Z_STREAM_END: that is all; Z_BUF_ERROR: the gzip
   ends too early; Z_DATA_ERROR: it is damaged. */
static int inflate_some(z_stream *z, char *out, size_t room, size_t *n) {
    int found = Z_OK;
    for (*n = 0; found == Z_OK && *n < room;) {
        const size_t left = room - *n;
        z->next_out = (Bytef *)out + *n;
        z->avail_out = (uInt)left;
        found = inflate(z, Z_NO_FLUSH);
        *n += left - z->avail_out;
        const bool more =
            z->avail_in >= MEMBER_BYTES && memcmp(z->next_in, "\x1f\x8b\x08", MEMBER_BYTES) == 0;
        if (found == Z_STREAM_END && more) found = inflateReset(z);
    }
    return found;
}

/* Counts what is still to come out, until it is more than `most`; false: no memory. */
static bool count_rest(z_stream *z, size_t most, size_t *n) {
    char dropped[1 << 14];
    z_stream ahead;
    if (inflateCopy(&ahead, z) != Z_OK) return false;
    int found = Z_OK;
    for (*n = 0; found == Z_OK && *n <= most;) {
        size_t some;
        found = inflate_some(&ahead, dropped, sizeof dropped, &some);
        *n += some;
    }
    inflateEnd(&ahead);
    return true;
}

/* Unpacks all of it, or says that it is more than `limit` bytes: *n is more, too. */
static int inflate_all(z_stream *z, size_t limit, char **out, size_t *n) {
    if (!count_rest(z, limit, n)) return Z_MEM_ERROR;
    if (*n > limit) return Z_OK;
    *out = malloc(*n + 1); /* one more: what follows the last byte is looked at, too */
    return *out != NULL ? inflate_some(z, *out, *n + 1, n) : Z_MEM_ERROR;
}

rs_status rn_gunzip(const char *name, const char *bytes, size_t n_bytes, size_t limit,
                    rs_error *error, char **unpacked, size_t *n_unpacked) {
    z_stream z = {.next_in = (const Bytef *)bytes, .avail_in = (uInt)n_bytes};
    int found = inflateInit2(&z, BITS_OF_GZIP);
    *unpacked = NULL;
    *n_unpacked = 0;
    if (found == Z_OK) {
        found = inflate_all(&z, limit, unpacked, n_unpacked);
        inflateEnd(&z);
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
