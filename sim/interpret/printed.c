/* printed.c: prints as printf does: whole numbers, numbers with a point, characters. */
#include "runner.h"

#include <stdio.h>
#include <string.h>

static char unescaped(char c) {
    static const char letters[] = "ntr0", meant[] = "\n\t\r";
    const char *found = strchr(letters, c);
    return found != NULL && *found != '\0' ? meant[found - letters] : c;
}

/* Prints one number; `mark` is the text from its % on, n its length. Returns what is wrong. */
static const char *print_one(const char *mark, size_t n, const rs_c_type *type, rs_c_value value,
                             rs_printer *out) {
    char format[32], text[128];
    const char kind = mark[n - 1];
    size_t used = 0;
    for (size_t i = 0; i + 1 < n; i++) { /* n: 13 at most */
        if (strchr("hlzjt", mark[i]) == NULL) format[used++] = mark[i];
    }
    const bool whole = strchr("diuxXoc", kind) != NULL;
    if (whole != (type->kind == RS_C_INT))
        return whole
                   ? N_("printf: %d and its like print whole numbers, and get another one")
                   : N_("printf: %f and its like print numbers with a point, and get a whole one");
    if (whole && kind != 'c') {
        format[used++] = 'l';
        format[used++] = 'l';
    }
    format[used++] = kind;
    format[used] = '\0';
    if (type->kind == RS_C_INT && type->bits == 32 && !strchr("di", kind)) value.i &= 0xffffffff;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (kind == 'c')
        snprintf(text, sizeof text, format, (int)(value.i & 0x7f));
    else if (whole)
        snprintf(text, sizeof text, format, (long long)value.i);
    else
        snprintf(text, sizeof text, format, value.d);
#pragma GCC diagnostic pop
    if (out->write != NULL) rs_printer_put(out, text);
    return NULL;
}

const char *rs_c_format(const char *text, int32_t n_text, const rs_c_type *const types[],
                        const rs_c_value values[], int n, rs_printer *out) {
    const char *end = text + n_text;
    int next = 0;
    while (text < end) {
        const char *mark = text;
        if (*text != '%') {
            const bool escaped = *text == '\\' && end - text > 1;
            const char c = escaped ? unescaped(text[1]) : *text;
            if (out->write != NULL) rs_printer_put_bytes(out, &c, 1);
            text += 1 + escaped;
            continue;
        }
        int digits = 0;
        for (text++; text < end && *text != '\0' && strchr("-+ #0123456789.hlzjt", *text) != NULL;
             text++)
            digits += *text >= '0' && *text <= '9';
        if (text == end || *text == '\0' || strchr("diuxXocfFeEgG%", *text) == NULL ||
            text - mark > 12 || digits > 4)
            return N_("printf: a mark that is not known");
        if (*text++ == '%') {
            if (out->write != NULL) rs_printer_put_bytes(out, "%", 1);
            continue;
        }
        if (next == n) return N_("printf: more marks than numbers");
        const char *what = print_one(mark, (size_t)(text - mark), types[next], values[next], out);
        next++;
        if (what != NULL) return what;
    }
    return NULL;
}
