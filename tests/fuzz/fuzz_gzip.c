/* fuzz_gzip.c: any bytes as a gzip and as a tar archive: members lie in the archive. And any bytes packed: the gzip gives
 * them back, cut off it gives the first of them, with a byte changed a refusal or no more than the limit. */
#include "config.h"
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ringsim_archive.h"

enum { LIMIT = 1 << 16 };

/* A copy with no byte more: a read beyond them is caught. */
static char *exactly(const void *data, size_t size) {
    char *exact = malloc(size > 0 ? size : 1);
    if (exact == NULL) abort();
    if (size > 0) memcpy(exact, data, size);
    return exact;
}

static void walk(const char *bytes, size_t n_bytes) {
    char *exact = exactly(bytes, n_bytes);
    rn_tar_member member = {.name = ""};
    size_t at = 0;
    if (rn_is_tar(exact, n_bytes)) {
        while (rn_tar_next(exact, n_bytes, &at, &member)) {
            const size_t from = (size_t)(member.bytes - exact);
            assert(from <= n_bytes && member.n_bytes <= n_bytes - from);
            assert(memchr(member.name, '\0', sizeof member.name) != NULL);
        }
    }
    free(exact);
}

/* Unpacks; what came out is the caller's. */
static bool unpack(const void *data, size_t size, size_t limit, char **out, size_t *n) {
    char *exact = exactly(data, size);
    rs_error error = {.text = ""};
    const rs_status status = rn_gunzip("a", exact, size, limit, &error, out, n);
    free(exact);
    assert(*n <= limit + 1);
    assert(status == RS_OK || (error.text[0] != '\0' && strchr(error.text, '\n') == NULL));
    return status == RS_OK;
}

static void read_raw(const uint8_t *data, size_t size) {
    char *out;
    size_t n;
    if (unpack(data, size, LIMIT, &out, &n)) walk(out, n);
    free(out);
    walk((const char *)data, size);
}

#ifdef HAVE_ZLIB
#include <zlib.h>

static size_t pack(const uint8_t *data, size_t size, uint8_t *packed, size_t room) {
    z_stream z = {.next_in = (Bytef *)(uintptr_t)data,
                  .avail_in = (uInt)size,
                  .next_out = packed,
                  .avail_out = (uInt)room};
    if (deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK) abort();
    const int ended = deflate(&z, Z_FINISH);
    assert(ended == Z_STREAM_END);
    deflateEnd(&z);
    return room - z.avail_out;
}

/* The first three bytes say where it is cut and how a byte is changed. */
static void read_packed(const uint8_t *data, size_t size) {
    const size_t room = 2 * size + 256, where = (size_t)data[0] * 256 + data[1];
    const uint8_t change = data[2];
    const uint8_t *text = data + 3;
    const size_t n_text = size - 3;
    uint8_t *packed = malloc(2 * room);
    char *out;
    size_t n;
    if (packed == NULL) abort();
    const size_t n_packed = pack(text, n_text, packed, room);
    bool good = unpack(packed, n_packed, n_text, &out, &n);
    assert(good && n == n_text && (n == 0 || memcmp(out, text, n) == 0));
    free(out);
    good = unpack(packed, where % n_packed, n_text, &out, &n);
    assert(good && n <= n_text && (n == 0 || memcmp(out, text, n) == 0));
    free(out);
    memcpy(packed + n_packed, packed, n_packed);
    good = unpack(packed, 2 * n_packed, 2 * n_text, &out, &n);
    assert(good && n == 2 * n_text && (n_text == 0 || memcmp(out + n_text, text, n_text) == 0));
    free(out);
    good = unpack(packed, 2 * n_packed, n_text / 2, &out, &n);
    assert(good && (n_text == 0 || n == n_text / 2 + 1));
    free(out);
    packed[where % n_packed] ^= change;
    unpack(packed, 2 * n_packed, LIMIT, &out, &n);
    free(out);
    free(packed);
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_raw(data, size);
#ifdef HAVE_ZLIB
    if (size >= 3) read_packed(data, size);
#endif
    return 0;
}
