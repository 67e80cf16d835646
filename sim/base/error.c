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

static void keep_values(rs_error *error, const char *format, va_list *from) {
    size_t used = 0;
    for (const char *c = format; (c = strchr(c, '%')) != NULL;) {
        char spec[SPEC];
        int place;
        c = conversion(c, spec, &place);
        if (strcmp(spec, "%%") == 0) continue;
        const size_t room = sizeof error->values - used;
        const int n = put_value(spec, from, error->values + used, room);
        used += n < 0 ? 1 : (size_t)n + 1 < room ? (size_t)n + 1 : room;
        if (used >= sizeof error->values) { /* what follows is empty */
            error->values[sizeof error->values - 1] = '\0';
            break;
        }
    }
}

rs_status rs_vfail(rs_error *error, rs_status status, const char *format, va_list values) {
    va_list again;
    if (error == NULL) return status;
    va_copy(again, values);
    *error = (rs_error){.id = format};
    vsnprintf(error->text, sizeof error->text, format, values);
    keep_values(error, format, &again);
    va_end(again);
    return status;
}

rs_status rs_fail(rs_error *error, rs_status status, const char *format, ...) {
    va_list values;
    va_start(values, format);
    rs_vfail(error, status, format, values);
    va_end(values);
    return status;
}

rs_status rs_fail_word(rs_error *error, rs_status status, int word, const char *format, ...) {
    va_list values;
    va_start(values, format);
    rs_vfail(error, status, format, values);
    va_end(values);
    if (error != NULL) error->words = 1U << word;
    return status;
}

void rs_error_at(rs_error *error, int64_t line, int64_t column) {
    char place[64];
    if (error == NULL) return;
    const int n = snprintf(place, sizeof place, "line %lld, column %lld: ", (long long)line,
                           (long long)column);
    memmove(error->text + n, error->text, sizeof error->text - (size_t)n - 1);
    memcpy(error->text, place, (size_t)n);
    error->line = line;
    error->column = column;
}

rs_status rs_no_memory(rs_error *error) {
    return rs_fail(error, RS_NO_MEMORY,
                   "no memory left for this; make it smaller, or end other programs");
}

/* ------------------------------------------------------------------ in another language */

static const char *value_at(const rs_error *error, int wanted) {
    const char *at = error->values, *end = error->values + sizeof error->values;
    for (int i = 0; i < wanted && at < end; i++) at += strlen(at) + 1;
    return at < end ? at : "";
}

/* Writes the values where a language has them. Returns how many bytes. */
static size_t fill(const rs_error *error, const char *format, rs_translate translate, char *out,
                   size_t n_out) {
    size_t used = 0;
    int next = 0;
    out[0] = '\0';
    for (const char *c = format; *c != '\0' && used + 1 < n_out;) {
        char spec[SPEC];
        int place;
        const size_t plain = strcspn(c, "%");
        const char *put = c, *value;
        if (plain == 0) {
            c = conversion(c, spec, &place);
            const int which = place > 0 ? place - 1 : next;
            const bool percent = strcmp(spec, "%%") == 0;
            value = percent ? "%" : value_at(error, which);
            put = !percent && value[0] != '\0' && error->words >> which & 1 ? translate(value)
                                                                            : value;
            next = percent ? next : which + 1;
        } else {
            c += plain;
        }
        const int n = snprintf(out + used, n_out - used, "%.*s", plain > 0 ? (int)plain : -1, put);
        used += n > 0 ? (size_t)n : 0;
    }
    return used < n_out ? used : n_out - 1;
}

char *rs_error_said(const rs_error *error, rs_translate translate, char *out, size_t n_out) {
    size_t used = 0;
    if (error->id == NULL || error->text[0] == '\0') {
        snprintf(out, n_out, "%s", error->text);
        return out;
    }
    if (error->line > 0) {
        rs_error place;
        rs_fail(&place, RS_OK, "line %lld, column %lld: ", (long long)error->line,
                (long long)error->column);
        used = fill(&place, translate(place.id), translate, out, n_out);
    }
    fill(error, translate(error->id), translate, out + used, n_out - used);
    return out;
}
