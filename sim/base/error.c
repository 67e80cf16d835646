/* error.c: a message is its English format, by which a translation is found, and what stands for its
 * conversions, so that it can be said in another language where it is shown.
 *
 *     rs_fail_word(error, RS_BAD_INPUT, 0, "%s must lie in %d..%d", "the number of ranks", 1, 4096)
 *         text    the number of ranks must lie in 1..4096
 *         id      %s must lie in %d..%d
 *         values  the number of ranks, 1, 4096     numbers look the same in every language; value 0
 *                                                  is a message itself
 */
#include "ringsim.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPEC = 24 }; /* bytes of a conversion, "%-*.*lld" */

/* Returns where the conversion at `percent` ends; copies it without a place ("2$"), which goes to *place (0: none). */
static const char *conversion(const char *percent, char spec[SPEC], int *place) {
    const char *c = percent + 1;
    size_t n = strspn(c, "0123456789"), used = 0;
    *place = 0;
    if (n > 0 && c[n] == '$') {
        for (size_t i = 0; i < n; i++) *place = 10 * *place + (c[i] - '0');
        c += n + 1;
    }
    n = strcspn(c, "diouxXeEfFgGcsp%");
    spec[used++] = '%';
    for (size_t i = 0; i <= n && c[i] != '\0' && used < SPEC - 1; i++) spec[used++] = c[i];
    spec[used] = '\0';
    return c[n] == '\0' ? c + n : c + n + 1;
}

/* Writes one value as its conversion says; widths are not known. */
static int put_value(const char *spec, va_list *from, char *out, size_t n_out) {
    const char last = spec[strlen(spec) - 1], *point = strchr(spec, '.');
    const int digits = point == NULL     ? -1
                       : point[1] == '*' ? va_arg(*from, int)
                                         : (int)strtol(point + 1, NULL, 10);
    if (last == 's') return snprintf(out, n_out, "%.*s", digits, va_arg(*from, const char *));
    if (last == 'f') return snprintf(out, n_out, "%.*f", digits, va_arg(*from, double));
    if (last == 'g') return snprintf(out, n_out, "%.*g", digits, va_arg(*from, double));
    if (last == 'c') return snprintf(out, n_out, "%c", va_arg(*from, int));
    if (strchr("ux", last) != NULL) {
        const unsigned long long value = strstr(spec, "ll") != NULL
                                             ? va_arg(*from, unsigned long long)
                                         : strchr(spec, 'l') != NULL ? va_arg(*from, unsigned long)
                                         : strchr(spec, 'z') != NULL ? va_arg(*from, size_t)
                                                                     : va_arg(*from, unsigned);
        return last == 'u' ? snprintf(out, n_out, "%llu", value)
                           : snprintf(out, n_out, "%llx", value);
    }
    const long long value = strstr(spec, "ll") != NULL  ? va_arg(*from, long long)
                            : strchr(spec, 'l') != NULL ? va_arg(*from, long)
                                                        : va_arg(*from, int);
    return snprintf(out, n_out, "%lld", value);
}

/* A value that is a message itself begins with one of these bytes; after NESTED come that message's own values. */
enum { WORD = 1, NESTED = 2 };

typedef struct value_writer {
    char *out; /* [RS_ERROR_TEXT] one value after another, each ended by a zero byte */
    size_t used;
} value_writer;

/* Ends the value of n bytes that stands there; what finds no room is cut, or empty. */
static void end_value(value_writer *w, int n) {
    w->used += n < 0 ? 1 : (size_t)n + 1;
    if (w->used < RS_ERROR_TEXT) return;
    w->used = RS_ERROR_TEXT - 1;
    w->out[w->used] = '\0';
}

static int count_values(const char *format) {
    int n = 0;
    for (const char *c = format; (c = strchr(c, '%')) != NULL;) {
        char spec[SPEC];
        int place;
        c = conversion(c, spec, &place);
        n += strcmp(spec, "%%") != 0;
    }
    return n;
}

/* Returns where the next value begins, behind those that belong to this one. */
static const char *behind(const char *value, const char *end) {
    int n = *value == NESTED ? count_values(value + 1) : 0;
    value += strlen(value) + 1;
    for (; n > 0 && value < end; n--) value = behind(value, end);
    return value < end ? value : end - 1;
}

static const char *end_of(const char *values) {
    return values + RS_ERROR_TEXT;
}

static void put_inner(value_writer *w, const rs_error *inner) {
    const char *id = inner->id != NULL ? inner->id : inner->text;
    const char *end = inner->values;
    const bool whole = inner->id != NULL;
    for (int n = whole ? count_values(id) : 0; n > 0; n--) end = behind(end, end_of(inner->values));
    end_value(
        w, snprintf(w->out + w->used, RS_ERROR_TEXT - w->used, "%c%s", whole ? NESTED : WORD, id));
    for (const char *at = inner->values; at < end; at += strlen(at) + 1)
        end_value(w, snprintf(w->out + w->used, RS_ERROR_TEXT - w->used, "%s", at));
}

/* Keeps what stands for each conversion; number `which` is a message: `inner`, or where that is NULL its own words. */
static void keep_values(rs_error *error, const char *format, int which, const rs_error *inner,
                        va_list *from) {
    value_writer w = {error->values, 0};
    int i = 0;
    for (const char *c = format; (c = strchr(c, '%')) != NULL;) {
        char spec[SPEC], ignored[2];
        int place;
        c = conversion(c, spec, &place);
        if (strcmp(spec, "%%") == 0) continue;
        if (i++ == which && inner != NULL) {
            put_value(spec, from, ignored, sizeof ignored);
            put_inner(&w, inner);
            continue;
        }
        char *at = w.out + w.used;
        size_t room = RS_ERROR_TEXT - w.used;
        const int mark = i - 1 == which && room > 1;
        if (mark) *at = WORD;
        const int n = put_value(spec, from, at + mark, room - (size_t)mark);
        if (!mark && (*at == WORD || *at == NESTED)) *at = '?'; /* somebody's text is no message */
        end_value(&w, n < 0 ? n : n + mark);
    }
}

static rs_status fail(rs_error *error, rs_status status, int which, const rs_error *inner,
                      const char *format, va_list values) RS_PRINTF(5, 0);
static rs_status fail(rs_error *error, rs_status status, int which, const rs_error *inner,
                      const char *format, va_list values) {
    va_list again;
    rs_error made = {.id = format};
    if (error == NULL) return status;
    va_copy(again, values);
    vsnprintf(made.text, sizeof made.text, format, values);
    keep_values(&made, format, which, inner, &again);
    va_end(again);
    *error = made;
    return status;
}

rs_status rs_vfail(rs_error *error, rs_status status, int word, const char *format,
                   va_list values) {
    return fail(error, status, word, NULL, format, values);
}

rs_status rs_fail(rs_error *error, rs_status status, const char *format, ...) {
    va_list values;
    va_start(values, format);
    fail(error, status, -1, NULL, format, values);
    va_end(values);
    return status;
}

rs_status rs_fail_word(rs_error *error, rs_status status, int word, const char *format, ...) {
    va_list values;
    va_start(values, format);
    fail(error, status, word, NULL, format, values);
    va_end(values);
    return status;
}

rs_status rs_fail_with(rs_error *error, rs_status status, int which, const rs_error *inner,
                       const char *format, ...) {
    va_list values;
    va_start(values, format);
    fail(error, status, which, inner, format, values);
    va_end(values);
    return status;
}

static void put_before(rs_error *error, const char *place) {
    const size_t n = strlen(place);
    memmove(error->text + n, error->text, sizeof error->text - n - 1);
    memcpy(error->text, place, n);
}

void rs_error_at(rs_error *error, int64_t line, int64_t column) {
    char place[64];
    if (error == NULL || line < 1) return;
    snprintf(place, sizeof place,
             column > 0 ? "line %lld, column %lld: " : "line %lld: ", (long long)line,
             (long long)column);
    put_before(error, place);
    error->line = line;
    error->column = column;
}

void rs_error_in(rs_error *error, const char *file) {
    if (error == NULL) return;
    snprintf(error->file, sizeof error->file, "%s", file);
    put_before(error, ": ");
    put_before(error, error->file);
}

rs_status rs_no_memory(rs_error *error) {
    return rs_fail(error, RS_NO_MEMORY,
                   "no memory left for this; make it smaller, or end other programs");
}

/* ------------------------------------------------------------------ in another language */

typedef struct speaker {
    rs_translate translate;
    char *out;
    size_t n_out, used;
} speaker;

static void put_text(speaker *s, const char *text, int n) {
    const int put = snprintf(s->out + s->used, s->n_out - s->used, "%.*s", n, text);
    s->used += put > 0 ? (size_t)put : 0;
    if (s->used >= s->n_out) s->used = s->n_out - 1;
}

/* Says a message with its values where the language has them. */
static void say_message(speaker *s, const char *format, const char *values, const char *end) {
    int next = 0;
    for (const char *c = format; *c != '\0' && s->used + 1 < s->n_out;) {
        char spec[SPEC];
        int place;
        const size_t plain = strcspn(c, "%");
        if (plain > 0) {
            put_text(s, c, (int)plain);
            c += plain;
            continue;
        }
        c = conversion(c, spec, &place);
        if (strcmp(spec, "%%") == 0) {
            put_text(s, "%", 1);
            continue;
        }
        const int which = place > 0 ? place - 1 : next;
        const char *value = values;
        for (int i = 0; i < which; i++) value = behind(value, end);
        next = which + 1;
        if (*value == NESTED)
            say_message(s, s->translate(value + 1), value + strlen(value) + 1, end);
        else if (*value == WORD && value[1] != '\0')
            put_text(s, s->translate(value + 1), -1);
        else
            put_text(s, value + (*value == WORD), -1);
    }
}

char *rs_error_said(const rs_error *error, rs_translate translate, char *out, size_t n_out) {
    speaker s = {translate, out, n_out, 0};
    out[0] = '\0';
    if (error->id == NULL || error->text[0] == '\0') {
        snprintf(out, n_out, "%s", error->text);
        return out;
    }
    if (error->file[0] != '\0') {
        put_text(&s, error->file, -1);
        put_text(&s, translate(": "), -1);
    }
    if (error->line > 0) {
        rs_error place;
        if (error->column > 0)
            rs_fail(&place, RS_OK, "line %lld, column %lld: ", (long long)error->line,
                    (long long)error->column);
        else
            rs_fail(&place, RS_OK, "line %lld: ", (long long)error->line);
        say_message(&s, translate(place.id), place.values, end_of(place.values));
    }
    say_message(&s, translate(error->id), error->values, end_of(error->values));
    return out;
}
