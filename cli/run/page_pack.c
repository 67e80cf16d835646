/* page_pack.c: bytes that go into a page as a gzip, by zlib; a browser unpacks it. */
#include "config.h"
#include "run/show.h"

#include <stdlib.h>

#ifdef HAVE_ZLIB
#include <zlib.h>

enum { BITS_OF_GZIP = 15 + 16, MEMORY = 8, LEAST_BYTES = 4096 };

char *rc_pack_for_page(const char *bytes, size_t n_bytes, size_t *n_packed) {
    z_stream z = {.next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)n_bytes};
    if (n_bytes < LEAST_BYTES || n_bytes > UINT32_MAX) return NULL;
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, BITS_OF_GZIP, MEMORY,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        return NULL;
    }
    char *packed = malloc(n_bytes);
    z.next_out = (Bytef *)packed;
    z.avail_out = (uInt)n_bytes;
    const bool smaller = packed != NULL && deflate(&z, Z_FINISH) == Z_STREAM_END;
    deflateEnd(&z);
    if (smaller) {
        *n_packed = n_bytes - z.avail_out;
        return packed;
    }
    free(packed);
    return NULL;
}
#else
char *rc_pack_for_page(const char *bytes, size_t n_bytes, size_t *n_packed) {
    (void)bytes, (void)n_bytes, (void)n_packed;
    return NULL;
}
#endif
