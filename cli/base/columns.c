/* columns.c: texts in columns on the terminal, in either language: a Chinese sign is two wide and a
 * line may end behind it, an English one ends at a space. */
#include "base/text.h"

#include <assert.h>
#include <string.h>

/* Returns how wide the character at `text` is and how many bytes it takes. What is not ASCII and has
   three bytes or more counts as wide: as far as our own texts go, it is. */
static int width_of(const char *text, size_t *n_bytes) {
    const unsigned char byte = (unsigned char)*text;
    *n_bytes = byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    for (size_t i = 1; i < *n_bytes; i++) {
        if (((unsigned char)text[i] & 0xc0) != 0x80) *n_bytes = i;
    }
    return byte >= 0xe0 ? 2 : 1;
}

int rc_text_width(const char *text) {
    size_t n_bytes;
    int width = 0;
    for (; *text != '\0'; text += n_bytes) width += width_of(text, &n_bytes);
    return width;
}

void rc_print_padded(const char *text, int width) {
    const int left = width - rc_text_width(text);
    printf("%s%*s", text, left > 0 ? left : 0, "");
}

/* Tells whether a Chinese sign ends what stands before it: no line begins with one. */
static bool closes(const char *text) {
    static const char *const signs[] = {"，", "。", "；", "：", "、", "）", "？", "！"};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (strncmp(text, signs[i], strlen(signs[i])) == 0) return true;
    }
    return false;
}

/* Tells whether a Chinese sign begins what stands behind it: no line ends with one. */
static bool opens(const char *text) {
    return strncmp(text, "（", 3) == 0 || strncmp(text, "“", 3) == 0;
}

/* Returns how many bytes of the text go on a line of `width`. */
static size_t line_length(const char *text, int width) {
    size_t at = 0, end = 0, n_bytes;
    while (text[at] != '\0') {
        const int wide = width_of(text + at, &n_bytes);
        if (text[at] == ' ') end = at;
        if (wide > width) return end > 0 ? end : at;
        const char *sign = text + at;
        width -= wide;
        at += n_bytes;
        if (wide == 2 && !closes(text + at) && !opens(sign)) end = at;
    }
    return at;
}

void rc_print_indented(const char *text, int indent, int width) {
    while (*text != '\0') {
        const size_t n = line_length(text, width - indent);
        assert(n > 0); /* each line takes something away */
        printf("%.*s\n", (int)n, text);
        text += n;
        while (*text == ' ') text++;
        if (*text != '\0') printf("%*s", indent, "");
    }
}

void rc_print_wrapped(const char *text, int width) {
    rc_print_indented(text, 0, width);
}
