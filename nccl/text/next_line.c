/* next_line.c: a text line by line: where the cursor goes back a line ends, too, and is not counted. */
#include "ringsim_text.h"

#include <string.h>

bool rn_next_line(const char *text, size_t n_bytes, size_t *at, int64_t *number, const char **line,
                  size_t *n) {
    if (*at >= n_bytes) return false;
    if (*at == 0 || text[*at - 1] == '\n') ++*number;
    const char *from = text + *at, *end = text + n_bytes;
    const char *stop = memchr(from, '\n', (size_t)(end - from));
    if (stop == NULL) stop = end;
    const char *back = memchr(from, '\r', (size_t)(stop - from));
    if (back != NULL && back + 1 == stop && stop < end) { /* \r\n is one end */
        *n = (size_t)(back - from);
        *at += *n + 2;
    } else {
        if (back != NULL) stop = back;
        *n = (size_t)(stop - from);
        *at += *n + 1;
    }
    *line = from;
    return true;
}

bool rn_copy_line(const char *text, size_t n_bytes, size_t *at, int64_t *number, char out[],
                  size_t room) {
    const char *line;
    size_t n;
    if (!rn_next_line(text, n_bytes, at, number, &line, &n)) return false;
    if (n > room - 1) n = room - 1;
    memcpy(out, line, n);
    out[n] = '\0';
    for (char *zero = out; (zero = memchr(zero, '\0', (size_t)(out + n - zero))) != NULL;)
        *zero = ' ';
    return true;
}
