/* zip.c: the files in a zip that is in memory: as they are, or deflated, which zlib unpacks.
 *
 *     local header, data | local header, data | ... | central directory: a row a file | its end: where it begins
 *
 *   - Read from the end, as the format wants it. Each number is held to the bytes that are there.
 *   - The library for it, libzip, would be one more to install for sixty lines; zlib is there for gzip.
 *   - No zip of more than 4 GiB, of several volumes, or with a password.
 */
#include "config.h"
#include "base/zip.h"
#include "base/text.h"
#include "ringsim_values.h"

#include <string.h>
#include <strings.h>
#ifdef HAVE_ZLIB
#define ZLIB_CONST
#include <zlib.h>
#endif

enum { END_BYTES = 22, ROW_BYTES = 46, LOCAL_BYTES = 30, LONGEST_COMMENT = 65535 };
enum { STORED = 0, DEFLATED = 8, LOCKED = -1 };

bool rc_is_zip(const char *path) {
    const size_t n = strlen(path);
    return n > 4 && strcasecmp(path + n - 4, ".zip") == 0;
}

static size_t number(const char *at, int n) {
    size_t value = 0;
    for (int i = n - 1; i >= 0; i--) value = value << 8 | (unsigned char)at[i];
    return value;
}

/* Finds where the directory's rows begin; 0: nowhere. */
static size_t find_rows(const char *bytes, size_t n_bytes) {
    if (n_bytes < END_BYTES) return 0;
    const size_t last = n_bytes - END_BYTES;
    const size_t least = last > LONGEST_COMMENT ? last - LONGEST_COMMENT : 0;
    for (size_t at = last + 1; at-- > least;) {
        if (memcmp(bytes + at, "PK\5\6", 4) != 0) continue;
        const size_t rows = number(bytes + at + 16, 4);
        return rows < at ? rows : 0;
    }
    return 0;
}

bool rc_zip_next(const char *bytes, size_t n_bytes, size_t *at, rc_zip_member *member) {
    if (*at == 0) *at = find_rows(bytes, n_bytes);
    if (*at == 0 || *at > n_bytes || n_bytes - *at < ROW_BYTES) return false;
    const char *row = bytes + *at;
    if (memcmp(row, "PK\1\2", 4) != 0) return false;
    const size_t n_name = number(row + 28, 2), local = number(row + 42, 4);
    if (n_bytes - *at - ROW_BYTES < n_name || n_bytes < LOCAL_BYTES ||
        local > n_bytes - LOCAL_BYTES || memcmp(bytes + local, "PK\3\4", 4) != 0) {
        return false;
    }
    const size_t begin =
        local + LOCAL_BYTES + number(bytes + local + 26, 2) + number(bytes + local + 28, 2);
    *member = (rc_zip_member){.data = bytes + begin,
                              .n_data = number(row + 20, 4),
                              .n_bytes = number(row + 24, 4),
                              .crc = (uint32_t)number(row + 16, 4),
                              .method = number(row + 8, 1) & 1 ? LOCKED : (int)number(row + 10, 2)};
    if (begin > n_bytes || member->n_data > n_bytes - begin) return false;
    snprintf(member->name, sizeof member->name, "%.*s", (int)n_name, row + ROW_BYTES);
    const char *slash = strrchr(member->name, '/'),
               *last = slash != NULL ? slash + 1 : member->name;
    member->hidden = *last == '\0' || *last == '.' || strncmp(member->name, "__MACOSX/", 9) == 0;
    *at += ROW_BYTES + n_name + number(row + 30, 2) + number(row + 32, 2);
    return true;
}

bool rc_zip_opens(const rc_zip_member *member) {
#ifdef HAVE_ZLIB
    return member->method == STORED || member->method == DEFLATED;
#else
    return member->method == STORED;
#endif
}

/* Unpacks exactly n_text bytes, or fails. */
static bool unpack(const rc_zip_member *member, char *text, size_t n_text) {
    if (member->method == STORED) {
        if (member->n_data == n_text) memcpy(text, member->data, n_text);
        return member->n_data == n_text;
    }
#ifdef HAVE_ZLIB
    z_stream z = {.next_in = (const Bytef *)member->data,
                  .avail_in = (uInt)member->n_data,
                  .next_out = (Bytef *)text,
                  .avail_out = (uInt)n_text + 1};
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK) return false;
    const int found = inflate(&z, Z_FINISH);
    inflateEnd(&z);
    return found == Z_STREAM_END && z.total_out == n_text;
#else
    return false;
#endif
}

rc_exit rc_zip_read(const rc_zip_member *member, size_t limit, rs_arena *arena, rs_error *error,
                    char **text, size_t *n_text) {
    char name[256];
    rc_plain(member->name, true, name, sizeof name);
    if (member->n_bytes > limit) {
        return rc_fail(error, RC_USAGE, _("%.200s in the zip is longer than %lld bytes"), name,
                       (long long)limit);
    }
    if (!rc_zip_opens(member)) {
        return rc_fail(error, RC_LACKS, _("%.200s in the zip cannot be unpacked here"), name);
    }
    *n_text = member->n_bytes;
    *text = rs_alloc(arena, *n_text + 1, 1);
    if (*text == NULL) return rc_no_memory(error);
    if (!unpack(member, *text, *n_text) || rs_crc32(0, *text, *n_text) != member->crc) {
        return rc_fail(error, RC_USAGE, _("%.200s in the zip is damaged"), name);
    }
    (*text)[*n_text] = '\0';
    return RC_GOOD;
}
