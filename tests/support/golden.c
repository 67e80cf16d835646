/* golden.c: see golden.h. */
#include "support/golden.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_anew(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    cr_assert(file != NULL, "cannot write %s", path);
    fputs(text, file);
    fclose(file);
}

void golden_compare(const char *name, const char *got) {
    static char want[1 << 18];
    char path[200];
    snprintf(path, sizeof path, "tests/golden/%s.txt", name);
    if (getenv("RINGSIM_UPDATE") != NULL) write_anew(path, got);
    FILE *file = fopen(path, "r");
    cr_assert(file != NULL, "no %s; RINGSIM_UPDATE=1 writes it", path);
    const size_t n = fread(want, 1, sizeof want - 1, file);
    fclose(file);
    want[n] = '\0';
    const char *was = want, *is = got;
    for (int line = 1; *was != '\0' || *is != '\0'; line++) {
        const int a = (int)strcspn(was, "\n"), b = (int)strcspn(is, "\n");
        cr_assert(a == b && strncmp(was, is, (size_t)a) == 0, "%s:%d\n was: %.*s\n  is: %.*s", path,
                  line, a, was, b, is);
        was += a + (was[a] == '\n');
        is += b + (is[b] == '\n');
    }
}
