/* write_words.c: a program of its own, for whoever builds a page: a catalogue of gettext without its originals
 * (viz/web/page_catalogue.c).
 *
 *     write_words zh_CN LOCALES >words         LOCALES/zh_CN/LC_MESSAGES/ringsim.mo is read
 */
#include "ringsim_viz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b) {
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

static bool all_differ(const uint32_t crcs[], uint32_t n) {
    uint32_t *sorted = malloc((n + 1) * sizeof *sorted);
    if (sorted == NULL) return false;
    memcpy(sorted, crcs, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_value);
    bool differ = true;
    for (uint32_t i = 1; i < n; i++) differ &= sorted[i] != sorted[i - 1];
    free(sorted);
    return differ;
}

/* Counts the texts that are translated, and takes their originals' CRCs where there is room for them. */
static uint32_t take(uint32_t crcs[]) {
    uint32_t n = 0;
    const char *original, *text;
    for (uint32_t i = 0; (text = rv_nth_translation(i, &original)) != NULL; i++) {
        if (*original == '\0' || *text == '\0') continue;
        if (crcs != NULL) crcs[n] = rs_crc32(0, original, strlen(original));
        n++;
    }
    return n;
}

int main(int argc, char **argv) {
    const char *original, *text;
    const char *const locales[] = {argc == 3 ? argv[2] : NULL, NULL};
    if (argc != 3 || !rv_set_language(argv[1], locales)) {
        fputs("write_words LANGUAGE LOCALES\n", stderr);
        return 2;
    }
    const uint32_t n = take(NULL);
    uint32_t *crcs = malloc((n + 1) * sizeof *crcs);
    if (crcs == NULL) return 1;
    take(crcs);
    if (!all_differ(crcs, n)) {
        fputs("write_words: two texts have one CRC: reword one of them\n", stderr);
        return 1;
    }
    fwrite("rswords1", 1, 8, stdout);
    fwrite(&n, sizeof n, 1, stdout);
    fwrite(crcs, sizeof *crcs, n, stdout);
    for (uint32_t i = 0; (text = rv_nth_translation(i, &original)) != NULL; i++) {
        if (*original != '\0' && *text != '\0') fwrite(text, 1, strlen(text) + 1, stdout);
    }
    free(crcs);
    return ferror(stdout) || fflush(stdout) != 0;
}
