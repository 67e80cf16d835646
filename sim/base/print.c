/* print.c: text that is written as it goes: pages, characters, JSON. See ringsim_print.h. */
#include "ringsim_print.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ pages */

/* Collects pieces of text and writes them page by page (ringsim_print.h). */

void rs_printer_flush(rs_printer *out) {
    if (out->used > 0) out->write(out->context, out->page, out->used);
    out->used = 0;
}

void rs_printer_put_bytes(rs_printer *out, const char *text, size_t n_bytes) {
    if (n_bytes > sizeof out->page - out->used) rs_printer_flush(out);
    if (n_bytes > sizeof out->page) {
        out->write(out->context, text, n_bytes);
        return;
    }
    memcpy(out->page + out->used, text, n_bytes);
    out->used += n_bytes;
}

void rs_printer_put(rs_printer *out, const char *text) {
    rs_printer_put_bytes(out, text, strlen(text));
}

/* ------------------------------------------------------------------ characters */

/* Reads characters one by one, and tells which bytes are none (ringsim_print.h). */

size_t rs_decode_utf8(const char *text, size_t n_bytes, uint32_t *character) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)text;
    assert(n_bytes > 0);
    *character = at[0];
    if (at[0] < 0x80) return 1;
    const size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (at[0] < 0xc2 || at[0] > 0xf4 || length > n_bytes) return 0;
    uint32_t read = at[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) return 0;
        read = read << 6 | (at[i] & 0x3fu);
    }
    if (read < least[length] || read > 0x10ffff || (read >= 0xd800 && read < 0xe000)) return 0;
    *character = read;
    return length;
}

bool rs_is_unprintable(uint32_t c) {
    if ((c & 0xfffe) == 0xfffe) return true;
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* ------------------------------------------------------------------ JSON, written as it goes (ringsim_print.h) */

/* ------------------------------------------------------------------ texts */

static void put(rs_json *json, const char *text) {
    rs_printer_put(&json->out, text);
}

/* Most of JSON is single signs: this writes one straight into the page. */
static inline void put_sign(rs_json *json, char sign) {
    if (json->out.used == sizeof json->out.page) rs_printer_flush(&json->out);
    json->out.page[json->out.used++] = sign;
}

/* Writes a byte that must not stand in a JSON text unchanged. */
static void put_escaped(rs_json *json, char c) {
    static const char short_ones[] = "\b\f\n\r\t", letters[] = "bfnrt";
    const char *found = strchr(short_ones, c);
    char text[8];
    if (c == '\0' || (unsigned char)c >= 0x80) {
        snprintf(text, sizeof text, "?");
    } else if (c == '"' || c == '\\') {
        snprintf(text, sizeof text, "\\%c", c);
    } else if (found != NULL) {
        snprintf(text, sizeof text, "\\%c", letters[found - short_ones]);
    } else {
        snprintf(text, sizeof text, "\\u%04x", (unsigned)c);
    }
    put(json, text);
}

/* Returns how many of the text's first bytes may stand in JSON unchanged. */
static size_t plain_bytes(const char *text, size_t n_bytes) {
    size_t i = 0;
    uint32_t ignored;
    while (i < n_bytes && text[i] != '"' && text[i] != '\\' && (unsigned char)text[i] >= ' ') {
        const bool ascii = (unsigned char)text[i] < 0x80;
        const size_t length = ascii ? 1 : rs_decode_utf8(text + i, n_bytes - i, &ignored);
        if (length == 0) break;
        i += length;
    }
    return i;
}

static void put_quoted(rs_json *json, const char *text, size_t n_bytes) {
    put_sign(json, '"');
    for (size_t i = 0; i < n_bytes; i++) {
        const size_t n = plain_bytes(text + i, n_bytes - i);
        rs_printer_put_bytes(&json->out, text + i, n);
        i += n;
        if (i < n_bytes) put_escaped(json, text[i]);
    }
    put_sign(json, '"');
}

/* ------------------------------------------------------------------ nesting */

void rs_json_begin(rs_json *json, rs_write write, void *context) {
    json->out.write = write;
    json->out.context = context;
    json->out.used = 0;
    json->depth = 0;
    json->begun = json->at_line = false;
}

void rs_json_end(rs_json *json) {
    assert(json->depth == 0);
    rs_printer_flush(&json->out);
}

void rs_json_newline(rs_json *json) {
    put_sign(json, '\n');
    json->at_line = true;
}

/* Writes what comes before every value: the comma and the key. */
static void begin_value(rs_json *json, const char *key) {
    assert((key != NULL) == (json->depth > 0 && json->due[json->depth - 1] == '}'));
    if (json->depth > 0 && json->begun) {
        put_sign(json, ',');
        json->at_line = false;
    }
    if (json->depth > 0 && json->lines[json->depth - 1] && !json->at_line) put_sign(json, '\n');
    json->begun = true;
    json->at_line = false;
    if (key == NULL) return;
    put_quoted(json, key, strlen(key));
    put_sign(json, ':');
}

static void open(rs_json *json, const char *key, const char brackets[2], bool lines) {
    begin_value(json, key);
    assert(json->depth < RS_JSON_DEEPEST);
    put_sign(json, brackets[0]);
    json->due[json->depth] = brackets[1];
    json->lines[json->depth] = lines;
    json->depth++;
    json->begun = false;
}

void rs_json_object(rs_json *json, const char *key) {
    open(json, key, "{}", false);
}

void rs_json_array(rs_json *json, const char *key) {
    open(json, key, "[]", false);
}

void rs_json_lines(rs_json *json, const char *key) {
    open(json, key, "[]", true);
}

void rs_json_close(rs_json *json) {
    assert(json->depth > 0);
    json->depth--;
    if (json->lines[json->depth] && !json->at_line) put_sign(json, '\n');
    put_sign(json, json->due[json->depth]);
    json->begun = true;
    json->at_line = false;
}

/* ------------------------------------------------------------------ values */

static void put_value(rs_json *json, const char *key, const char *text) {
    begin_value(json, key);
    put(json, text);
}

void rs_json_null(rs_json *json, const char *key) {
    put_value(json, key, "null");
}

void rs_json_bool(rs_json *json, const char *key, bool value) {
    put_value(json, key, value ? "true" : "false");
}

void rs_json_bytes(rs_json *json, const char *key, const char *text, size_t n_bytes) {
    begin_value(json, key);
    put_quoted(json, text, n_bytes);
}

void rs_json_text(rs_json *json, const char *key, const char *text) {
    if (text == NULL) {
        rs_json_null(json, key);
    } else {
        rs_json_bytes(json, key, text, strlen(text));
    }
}

/* Writes digits, with a point before the last `decimals` of them. No printf: a run writes
   millions. */
static void put_digits(rs_json *json, const char *key, bool negative, uint64_t digits,
                       int decimals) {
    char text[32];
    size_t at = sizeof text;
    for (int n = 0; n <= decimals || digits > 0; n++, digits /= 10) {
        if (n > 0 && n == decimals) text[--at] = '.';
        text[--at] = (char)('0' + digits % 10);
    }
    if (negative) text[--at] = '-';
    begin_value(json, key);
    rs_printer_put_bytes(&json->out, text + at, sizeof text - at);
}

static void put_signed(rs_json *json, const char *key, int64_t value, int decimals) {
    const uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    put_digits(json, key, value < 0, size, decimals);
}

void rs_json_integer(rs_json *json, const char *key, int64_t value) {
    put_signed(json, key, value, 0);
}

void rs_json_millionths(rs_json *json, const char *key, int64_t value) {
    put_signed(json, key, value, 6);
}

void rs_json_unsigned(rs_json *json, const char *key, uint64_t value) {
    put_digits(json, key, false, value, 0);
}

void rs_json_put_integers(rs_json *json, const rs_json_member members[], size_t n) {
    for (size_t i = 0; i < n; i++) rs_json_integer(json, members[i].key, members[i].value);
}

void rs_json_known(rs_json *json, const char *key, int64_t value) {
    if (value < 0) {
        rs_json_null(json, key);
    } else {
        rs_json_integer(json, key, value);
    }
}

void rs_json_i32s(rs_json *json, const char *key, const int32_t values[], int64_t n) {
    rs_json_array(json, key);
    for (int64_t i = 0; i < n; i++) rs_json_integer(json, NULL, values[i]);
    rs_json_close(json);
}

void rs_json_u32s(rs_json *json, const char *key, const uint32_t values[], int64_t n) {
    rs_json_array(json, key);
    for (int64_t i = 0; i < n; i++) rs_json_unsigned(json, NULL, values[i]);
    rs_json_close(json);
}

void rs_json_i64s(rs_json *json, const char *key, const int64_t values[], int64_t n) {
    rs_json_array(json, key);
    for (int64_t i = 0; i < n; i++) rs_json_integer(json, NULL, values[i]);
    rs_json_close(json);
}

/* ------------------------------------------------------------------ fractions */

void rs_json_number(rs_json *json, const char *key, double value, int digits) {
    char text[32];
    assert(digits > 0 && digits <= 17);
    snprintf(text, sizeof text, "%.*g", digits, value);
    put_value(json, key, isfinite(value) ? text : "null");
}

void rs_json_fixed(rs_json *json, const char *key, double value, int decimals) {
    char text[DBL_MAX_10_EXP + 32];
    assert(decimals > 0 && decimals <= 17);
    snprintf(text, sizeof text, "%.*f", decimals, value);
    put_value(json, key, isfinite(value) ? text : "null");
}

/* Writes 15 digits if they read back as the number or a neighbour of it, else 17. */
void rs_json_real(rs_json *json, const char *key, double value) {
    char text[32];
    snprintf(text, sizeof text, "%.15g", value);
    const double read = strtod(text, NULL);
    const double larger = fabs(read) > fabs(value) ? fabs(read) : fabs(value);
    rs_json_number(json, key, value, fabs(read - value) <= larger * DBL_EPSILON ? 15 : 17);
}
