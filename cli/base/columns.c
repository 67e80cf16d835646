/* columns.c: texts in columns on the terminal, in either language (viz/text/width.h). */
#include "base/text.h"

#include <assert.h>

#include "text/width.h"

void rc_print_padded(const char *text, int width) {
    const int left = width - rv_text_width(text);
    printf("%s%*s", text, left > 0 ? left : 0, "");
}

void rc_print_indented(const char *text, int indent, int width) {
    for (size_t next; *text != '\0'; text += next) {
        const size_t n = rv_wrap(text, width - indent, &next);
        assert(next > 0); /* each line takes something away */
        printf("%.*s\n", (int)n, text);
        while (text[next] == ' ') next++;
        if (text[next] != '\0') printf("%*s", indent, "");
    }
}

void rc_print_wrapped(const char *text, int width) {
    rc_print_indented(text, 0, width);
}
