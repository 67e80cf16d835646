/* ringsim_print.h: text that is written as it goes: pages of it, and JSON.
 *
 *     rs_json json;
 *     rs_json_begin(&json, write, context);
 *     rs_json_object(&json, NULL);               {
 *     rs_json_text(&json, "name", "GPU 3");      "name":"GPU 3"
 *     rs_json_array(&json, "chunks");            ,"chunks":[
 *     rs_json_integer(&json, NULL, 3);           3
 *     rs_json_integer(&json, NULL, 4);           ,4
 *     rs_json_close(&json);                      ]
 *     rs_json_close(&json);                      }
 *     rs_json_end(&json);
 *
 *   - Nothing is kept but a page: a hundred million numbers need no more memory than one.
 *   - The writer sets the commas and closes with the bracket that is due. A key is that of an
 *     object's member; an array's item and the outermost value have none: NULL.
 *   - Texts come out as UTF-8 whatever is in them: of what is none, each byte is a question mark.
 *   - A sink cannot refuse: whoever owns it looks afterwards, as at a FILE's error.
 */
#pragma once

#include "ringsim.h"

RS_BEGIN_DECLS

/* Gathers text and hands it on in pages. */
typedef struct rs_printer {
    rs_write write;
    void *context;
    size_t used;
    char page[4096];
} rs_printer;

void rs_printer_put(rs_printer *out, const char *text);
void rs_printer_put_bytes(rs_printer *out, const char *text, size_t n_bytes);
void rs_printer_flush(rs_printer *out); /* at the end */

/* Reads one character of at most n_bytes, 1 at least; returns its length, 0: this byte is no UTF-8. */
size_t rs_decode_utf8(const char *text, size_t n_bytes, uint32_t *character);
/* Tells whether a terminal would obey it: control characters, also those beyond ASCII, and the marks that turn
   the reading direction; or it is no character, and not allowed in XML. */
bool rs_is_unprintable(uint32_t character);

enum { RS_JSON_DEEPEST = 16 };

typedef struct rs_json {
    rs_printer out;
    int depth;
    bool begun, at_line;         /* the innermost value has a member; a line has just begun */
    char due[RS_JSON_DEEPEST];   /* the brackets that close what is open */
    bool lines[RS_JSON_DEEPEST]; /* its items stand on lines of their own */
} rs_json;

typedef struct rs_json_member {
    const char *key;
    int64_t value;
} rs_json_member;

void rs_json_begin(rs_json *json, rs_write write, void *context);
void rs_json_end(rs_json *json); /* when all is closed */

void rs_json_object(rs_json *json, const char *key);
void rs_json_array(rs_json *json, const char *key);
void rs_json_lines(rs_json *json, const char *key); /* an array with a line for each item */
void rs_json_close(rs_json *json);                  /* the innermost that is open */
void rs_json_newline(rs_json *json);

void rs_json_null(rs_json *json, const char *key);
void rs_json_bool(rs_json *json, const char *key, bool value);
void rs_json_text(rs_json *json, const char *key, const char *text); /* NULL: null */
void rs_json_bytes(rs_json *json, const char *key, const char *text, size_t n_bytes);

void rs_json_integer(rs_json *json, const char *key, int64_t value);
/* Several members: rs_json_integers(json, {"src", 3}, {"dst", 4}); */
#define rs_json_integers(json, ...)                                                                \
    rs_json_put_integers((json), (rs_json_member[]){__VA_ARGS__},                                  \
                         sizeof((rs_json_member[]){__VA_ARGS__}) / sizeof(rs_json_member))
void rs_json_put_integers(rs_json *json, const rs_json_member members[], size_t n);
void rs_json_unsigned(rs_json *json, const char *key, uint64_t value);
void rs_json_known(rs_json *json, const char *key, int64_t value); /* less than 0: null */
void rs_json_i32s(rs_json *json, const char *key, const int32_t values[], int64_t n);
void rs_json_u32s(rs_json *json, const char *key, const uint32_t values[], int64_t n);
void rs_json_i64s(rs_json *json, const char *key, const int64_t values[], int64_t n);

/* Numbers; what is no number is null: of so many digits (%.6g), of so many decimals (%.6f), and of
   as many digits as it takes to read the number back, give or take the last bit. */
void rs_json_number(rs_json *json, const char *key, double value, int digits);
void rs_json_fixed(rs_json *json, const char *key, double value, int decimals);
void rs_json_real(rs_json *json, const char *key, double value);
/* Millionths as a number with six decimals: picoseconds as microseconds. */
void rs_json_millionths(rs_json *json, const char *key, int64_t value);

RS_END_DECLS
