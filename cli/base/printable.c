/* printable.c: texts that came from outside, made safe to print: names of files, words of a command line.
 *
 *     "\033[31mred\n.sched"  -->  "?[31mred?.sched"
 *
 * What a terminal would obey (control characters, also those beyond ASCII, and the marks that turn the
 * reading direction) and what is no UTF-8 becomes a question mark each.
 */
#include "base/text.h"
#include "ringsim_print.h"

#include <string.h>

static bool is_unprintable(uint32_t c, bool one_line) {
    return rs_is_unprintable(c) && (one_line || (c != '\n' && c != '\t'));
}

char *rc_plain(const char *text, bool one_line, char *out, size_t n_out) {
    const char *at = text;
    size_t used = 0, left = strlen(text);
    while (left > 0) {
        uint32_t character;
        size_t length = rs_decode_utf8(at, left, &character);
        const bool bad = length == 0 || is_unprintable(character, one_line);
        if (length == 0) length = 1;
        const size_t n = bad ? 1 : length;
        if (used + n >= n_out) break;
        memcpy(out + used, bad ? "?" : at, n);
        used += n;
        at += length;
        left -= length;
    }
    out[used] = '\0';
    return out;
}

bool rc_ends_with(const char *text, const char *end) {
    const size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

size_t rc_fill_in(const char *form, const char *letters, const char *const values[], char *out,
                  size_t n_out) {
    size_t n = 0;
    for (; *form != '\0' && n + 1 < n_out; form++) {
        const char *letter = *form == '@' && form[1] != '\0' ? strchr(letters, form[1]) : NULL;
        if (letter == NULL) {
            out[n++] = *form;
        } else {
            n += (size_t)snprintf(out + n, n_out - n, "%s", values[letter - letters]);
            form++;
        }
    }
    if (n >= n_out) n = n_out - 1;
    out[n] = '\0';
    return n;
}
