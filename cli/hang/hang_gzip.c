/* hang_gzip.c: unpacks a gzip that is in memory, by zlib.
 *
 *   - No length in the file is believed: memory grows with what has come out, up to the limit.
 *   - A gzip that ends too early gives what is there; one of several members gives all of them. What follows the last
 *     and begins no other is passed over, as gunzip does.
 */
#include "hang/hang.h"

#include <string.h>

bool rc_is_gzip(const char *bytes, size_t n_bytes) {
    return n_bytes > 1 && memcmp(bytes, "\x1f\x8b", 2) == 0;
}

#ifdef HAVE_ZLIB
#define ZLIB_CONST
#include <stdlib.h>
#include <zlib.h>

enum { WINDOW_OF_GZIP = 15 + 16, FIRST_BYTES = 1 << 16, MEMBER_BYTES = 3 };

typedef struct grown {
    char *bytes;
    size_t n, room;
} grown;

static bool grow(grown *out, size_t most) {
    if (out->n < out->room) return true;
    const size_t twice = out->room > 0 ? out->room * 2 : FIRST_BYTES;
    const size_t room = twice < most ? twice : most;
    char *larger = realloc(out->bytes, room);
    if (larger == NULL) return false;
    out->bytes = larger;
    out->room = room;
    return true;
}

/* Ends with Z_STREAM_END or, of a gzip that ends too early, Z_BUF_ERROR, unless it is damaged (Z_DATA_ERROR), there is
   no memory (Z_MEM_ERROR), or `most` bytes came out. */
static int inflate_all(z_stream *z, grown *out, size_t most) {
    int found = Z_OK;
    while (found == Z_OK && out->n < most) {
        if (!grow(out, most)) return Z_MEM_ERROR;
        const size_t room = out->room - out->n;
        z->next_out = (Bytef *)out->bytes + out->n;
        z->avail_out = (uInt)room;
        found = inflate(z, Z_NO_FLUSH);
        out->n += room - z->avail_out;
        const bool more =
            z->avail_in >= MEMBER_BYTES && memcmp(z->next_in, "\x1f\x8b\x08", MEMBER_BYTES) == 0;
        if (found == Z_STREAM_END && more) found = inflateReset(z);
    }
    return found;
}

rc_exit rc_gunzip(const char *name, const char *bytes, size_t n_bytes, size_t limit,
                  rs_error *error, char **unpacked, size_t *n_unpacked) {
    grown out = {0};
    z_stream z = {.next_in = (const Bytef *)bytes, .avail_in = (uInt)n_bytes};
    int found = inflateInit2(&z, WINDOW_OF_GZIP);
    if (found == Z_OK) {
        found = inflate_all(&z, &out, limit + 1);
        inflateEnd(&z);
    }
    *unpacked = out.bytes;
    *n_unpacked = out.n;
    if (out.n > limit || found == Z_STREAM_END || found == Z_BUF_ERROR) return RC_GOOD;
    if (found == Z_DATA_ERROR) {
        return rc_fail(error, RC_USAGE, _("%.200s is damaged: gzip's check fails at byte %lld"),
                       name, (long long)(n_bytes - z.avail_in));
    }
    return rc_fail(error, RC_LACKS, _("no memory to read %.200s"), name);
}
#else
rc_exit rc_gunzip(const char *name, const char *bytes, size_t n_bytes, size_t limit,
                  rs_error *error, char **unpacked, size_t *n_unpacked) {
    (void)bytes, (void)n_bytes, (void)limit;
    *unpacked = NULL;
    *n_unpacked = 0;
    return rc_fail(error, RC_USAGE, _("%.200s is compressed: unpack it with gunzip"), name);
}
#endif
