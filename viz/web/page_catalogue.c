/* page_catalogue.c: a page's catalogue (text/catalogue.h), without the originals, which are in the program already: they
 * would take a third of all texts' bytes.
 *
 *     0 "rswords1", 8 n texts, 12 n x CRC-32 of the original, then the n texts, each ends with a NUL
 *
 * write_words.c makes it, and sees to it that no two originals have one CRC.
 */
#include "ringsim.h"
#include "base/containers.h"
#include "text/catalogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_BYTES = 12, MAX_BYTES = 4 * 1024 * 1024 };

typedef struct page_word {
    uint32_t crc;
    const char *text;
} page_word;

static char *bytes;
static page_word *words; /* sorted by their CRC */
static uint32_t n_words;

RS_ORDER(by_crc, page_word, crc);

void rv_drop_catalogue(void) {
    free(bytes);
    free(words);
    bytes = NULL;
    words = NULL;
    n_words = 0;
}

/* Finds the texts; false: the file is another, or not whole. */
static bool find_words(const char *file, size_t n_bytes, page_word *found, uint32_t n) {
    const char *text = file + HEAD_BYTES + 4 * (size_t)n, *end = file + n_bytes;
    for (uint32_t i = 0; i < n; i++) {
        memcpy(&found[i].crc, file + HEAD_BYTES + 4 * (size_t)i, 4);
        found[i].text = text;
        text = memchr(text, '\0', (size_t)(end - text));
        if (text++ == NULL) return false;
    }
    qsort(found, n, sizeof *found, by_crc);
    return true;
}

bool rv_load_catalogue(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return false;
    uint32_t n = 0;
    char *read = malloc(MAX_BYTES);
    const size_t n_bytes = read != NULL ? fread(read, 1, MAX_BYTES, file) : 0;
    fclose(file);
    if (n_bytes >= HEAD_BYTES && memcmp(read, "rswords1", 8) == 0) memcpy(&n, read + 8, sizeof n);
    const bool fits = n > 0 && n <= (n_bytes - HEAD_BYTES) / 5;
    page_word *found = fits ? malloc(n * sizeof *found) : NULL;
    if (found == NULL || !find_words(read, n_bytes, found, n)) {
        free(read);
        free(found);
        return false;
    }
    char *smaller = realloc(read, n_bytes);
    rv_drop_catalogue();
    bytes = smaller != NULL ? smaller : read;
    for (uint32_t i = 0; i < n; i++) found[i].text = bytes + (found[i].text - read);
    words = found;
    n_words = n;
    return true;
}

const char *rv_find_translation(const char *text) {
    if (n_words == 0) return NULL;
    const page_word wanted = {.crc = rs_crc32(0, text, strlen(text))};
    const page_word *found = bsearch(&wanted, words, n_words, sizeof *words, by_crc);
    return found != NULL ? found->text : NULL;
}
