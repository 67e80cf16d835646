/* printable.c: texts that came from outside, made safe to print: names of files, words of a command line.
 *
 *     "\033[31mred\n.sched"  -->  "?[31mred?.sched"
 *
 * What a terminal would obey (control characters, also those beyond ASCII, and the marks that turn the
 * reading direction) and what is no UTF-8 becomes a question mark each.
 */
#include "cli.h"

#include <string.h>

/* Reads one character of at most n bytes, n >= 1; returns its length, 0: this byte is no UTF-8. */
static size_t decode(const unsigned char *text, size_t n, uint32_t *character) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned first = text[0];
    *character = first;
    if (first < 0x80) return 1;
    const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || length > n) return 0;
    uint32_t read = first & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) return 0;
        read = read << 6 | (text[i] & 0x3fu);
    }
    if (read < least[length] || read > 0x10ffff || (read >= 0xd800 && read < 0xe000)) return 0;
    *character = read;
    return length;
}

static bool is_obeyed(uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

char *rc_plain(const char *text, bool controls_too, char *out, size_t n_out) {
    const unsigned char *at = (const unsigned char *)text;
    size_t used = 0, left = strlen(text);
    while (left > 0) {
        uint32_t character;
        size_t length = decode(at, left, &character);
        const bool bad = length == 0 || (controls_too && is_obeyed(character));
        if (length == 0) length = 1;
        const size_t n = bad ? 1 : length;
        if (used + n >= n_out) break;
        memcpy(out + used, bad ? (const unsigned char *)"?" : at, n);
        used += n;
        at += length;
        left -= length;
    }
    out[used] = '\0';
    return out;
}
