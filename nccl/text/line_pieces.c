/* line_pieces.c: a text line by line, and pieces of a line, which ends with a zero: where the cursor goes back a line ends, too, and
 * is not counted.
 */
#include "ringsim_text.h"

#include <stdlib.h>
#include <string.h>

bool rn_next_line(rn_lines *l) {
    if (l->at >= l->n_bytes) return false;
    if (l->at == 0 || l->text[l->at - 1] == '\n') l->number++;
    const char *from = l->text + l->at, *end = l->text + l->n_bytes;
    const char *stop = memchr(from, '\n', (size_t)(end - from));
    if (stop == NULL) stop = end;
    const char *back = memchr(from, '\r', (size_t)(stop - from));
    const bool both = back != NULL && back + 1 == stop && stop < end; /* \r\n is one end */
    l->n = (size_t)((back != NULL ? back : stop) - from);
    l->at += l->n + (both ? 2 : 1);
    l->line = from;
    return true;
}

bool rn_copy_line(rn_lines *lines, char out[], size_t room) {
    if (!rn_next_line(lines)) return false;
    const size_t n = lines->n < room - 1 ? lines->n : room - 1;
    memcpy(out, lines->line, n);
    out[n] = '\0';
    for (char *zero = out; (zero = memchr(zero, '\0', (size_t)(out + n - zero))) != NULL;)
        *zero = ' ';
    return true;
}

const char *rn_find_bytes(const char *at, const char *end, const char *word) {
    const size_t n = strlen(word);
    for (; (size_t)(end - at) >= n; at++) {
        at = memchr(at, word[0], (size_t)(end - at) - n + 1);
        if (at == NULL || memcmp(at, word, n) == 0) return at;
    }
    return NULL;
}

const char *rn_behind(const char *line, const char *what) {
    const char *at = strstr(line, what);
    return at != NULL ? at + strlen(what) : NULL;
}

int64_t rn_number_behind(const char *line, const char *what, int64_t otherwise) {
    const char *at = rn_behind(line, what);
    if (at == NULL) return otherwise;
    at += strspn(at, " ");
    const int64_t n = *at >= '0' && *at <= '9' ? strtoll(at, NULL, 10) : INT64_MAX;
    return n <= INT64_MAX / 4 ? n : otherwise; /* no job counts so far: such a number is broken */
}

bool rn_take(const char **at, const char *words) {
    const char *s = *at + strspn(*at, " \t");
    for (; *words != '\0'; words++) {
        const size_t blanks = *words == ' ' ? strspn(s, " \t") : 0;
        if (*words == ' ' ? blanks == 0 : *s != *words) return false;
        s += *words == ' ' ? blanks : 1;
    }
    *at = s;
    return true;
}

bool rn_take_int(const char **at, int64_t most, int64_t *number) {
    const char *s = *at;
    int64_t value = 0;
    while (*s == ' ') s++;
    const bool minus = *s == '-';
    if (minus) s++;
    if (*s < '0' || *s > '9') return false;
    for (; *s >= '0' && *s <= '9'; s++) {
        if (value > most / 10 || value * 10 > most - (*s - '0')) return false;
        value = value * 10 + (*s - '0');
    }
    *number = minus ? -value : value;
    *at = s;
    return true;
}

bool rn_take_decimal(const char **at, double *number) {
    const char *s = *at;
    double value = 0, part = 1;
    int n = 0;
    while (*s == ' ') s++;
    for (; *s >= '0' && *s <= '9' && n < 18; s++, n++) value = value * 10 + (*s - '0');
    if (n == 0 || (*s >= '0' && *s <= '9')) return false;
    if (*s == '.') {
        double digits = 0;
        for (s++; *s >= '0' && *s <= '9'; s++) {
            if (part > 1e14) continue;
            digits = digits * 10 + (*s - '0');
            part *= 10;
        }
        value += digits / part;
    }
    *number = value;
    *at = s;
    return true;
}

bool rn_find_words(const char *text, const char *words, const char **behind) {
    const char *found = rn_behind(text, words);
    if (found != NULL) *behind = found;
    return found != NULL;
}

/* Returns where a form's piece of n bytes that begins here ends; NULL: it does not. */
static const char *behind_piece(const char *at, const char *piece, size_t n) {
    for (const char *end = piece + n; piece < end; piece++) {
        if (*piece == '$') return *at == '\0' ? at : NULL;
        if (*piece == '#') {
            const size_t n_digits = strspn(at, "0123456789");
            if (n_digits == 0) return NULL;
            at += n_digits;
        } else if (*at++ != *piece) {
            return NULL;
        }
    }
    const bool number = n > 0 && piece[-1] >= '0' && piece[-1] <= '9';
    return number && *at >= '0' && *at <= '9' ? NULL : at;
}

bool rn_has_form(const char *message, const char *form) {
    bool floats = false; /* the piece may begin anywhere from here on */
    for (;; floats = true) {
        const size_t n = strcspn(form, "%");
        const char *end = behind_piece(message, form, n);
        while (end == NULL && floats && *message != '\0') end = behind_piece(++message, form, n);
        if (end == NULL) return false;
        if (form[n] == '\0') return true;
        message = end;
        form += n + 1;
    }
}

bool rn_is_denied(const char *line, const char *at) {
    static const char *const words[] = {"no ", "No ", "not ", "never ", "without "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t n = strlen(words[i]), before = (size_t)(at - line);
        if (before >= n && strncmp(at - n, words[i], n) == 0 &&
            (before == n || at[-(ptrdiff_t)n - 1] == ' '))
            return true;
    }
    return false;
}

bool rn_is_quoted(const char *line, const char *at) {
    static const char quotes[] = "`\"'";
    for (const char *c = line; c < at; c++)
        if (strncmp(c, "/* ", 3) == 0 || strncmp(c, "// ", 3) == 0) return true;
    for (const char *q = quotes; *q != '\0'; q++) {
        bool open = false;
        for (const char *c = line; c < at; c++) {
            const char before = c > line ? c[-1] : ' ';
            const bool letter = (before | 32) >= 'a' && (before | 32) <= 'z';
            if (*c == *q && (open || !letter)) open = !open; /* no apostrophe */
        }
        if (open && strchr(at, *q) != NULL) return true;
    }
    return false;
}
