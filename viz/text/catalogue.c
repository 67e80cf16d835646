/* catalogue.c: the texts of a gettext catalogue (.mo) that we look up ourselves.
 *
 * libintl translates nothing in the C locale (glibc 2.39 and later: nor in C.UTF-8) and wants the
 * reader's locale to be installed. A catalogue is a sorted table of strings, so we read it directly:
 * the same on every system, from the build tree as well, and no locale is touched.
 *
 *     0 magic, 4 revision, 8 n strings, 12 -> originals, 16 -> translations
 *     each table: n x (length, offset); the strings end with a NUL and originals are sorted
 *
 * The catalogue is process-wide state, set once at the start. A page has another (page_catalogue.c).
 */
#include "text/catalogue.h"
#include "ringsim_viz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC = 0x950412de & 0x7fffffff, MAX_BYTES = 4 * 1024 * 1024, HEAD_BYTES = 28 };

typedef struct catalogue {
    char *bytes;
    uint32_t n_bytes, n_strings, originals, translations;
} catalogue;

static catalogue loaded;

static uint32_t word(const catalogue *c, uint32_t offset) {
    uint32_t value;
    memcpy(&value, c->bytes + offset, sizeof value);
    return value;
}

static const char *string(const catalogue *c, uint32_t table, uint32_t index) {
    return c->bytes + word(c, table + 8 * index + 4);
}

/* Tells whether every string of a table lies in the file and ends with its NUL. */
static bool table_is_whole(const catalogue *c, uint32_t table) {
    if (table > c->n_bytes || c->n_strings > (c->n_bytes - table) / 8) return false;
    for (uint32_t i = 0; i < c->n_strings; i++) {
        const uint32_t length = word(c, table + 8 * i), offset = word(c, table + 8 * i + 4);
        if (offset >= c->n_bytes || length >= c->n_bytes - offset) return false;
        if (c->bytes[offset + length] != '\0') return false;
    }
    return true;
}

static bool is_catalogue(catalogue *c) {
    if (c->n_bytes < HEAD_BYTES || (word(c, 0) & 0x7fffffff) != MAGIC) return false;
    c->n_strings = word(c, 8);
    c->originals = word(c, 12);
    c->translations = word(c, 16);
    return table_is_whole(c, c->originals) && table_is_whole(c, c->translations);
}

bool rv_load_catalogue(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return false;
    catalogue c = {.bytes = malloc(MAX_BYTES)};
    if (c.bytes != NULL) c.n_bytes = (uint32_t)fread(c.bytes, 1, MAX_BYTES, file);
    fclose(file);
    if (c.bytes == NULL || !is_catalogue(&c)) {
        free(c.bytes);
        return false;
    }
    char *smaller = realloc(c.bytes, c.n_bytes);
    if (smaller != NULL) c.bytes = smaller;
    free(loaded.bytes);
    loaded = c;
    return true;
}

void rv_drop_catalogue(void) {
    free(loaded.bytes);
    loaded = (catalogue){0};
}

const char *rv_find_translation(const char *text) {
    uint32_t low = 0, high = loaded.n_strings;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const int order = strcmp(text, string(&loaded, loaded.originals, middle));
        if (order == 0) {
            const char *found = string(&loaded, loaded.translations, middle);
            return *text != '\0' && *found != '\0' ? found : NULL;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

const char *rv_nth_translation(uint32_t n, const char **original) {
    if (n >= loaded.n_strings) return NULL;
    *original = string(&loaded, loaded.originals, n);
    return string(&loaded, loaded.translations, n);
}
