/* ringsim_text.h: text as people paste it, made plain for all who read it.
 *
 *     bytes --made_plain.c--> UTF-8 --plain_line.c, prefixes.c--> lines without colours, launchers' and viewers' prefixes
 *           --wrapped.c--> lines that a terminal's edge had cut, whole
 *
 *   - A line keeps the number that it has in the file: lines that are joined leave empty ones behind. Where the cursor goes back
 *     (a bar of progress), and at the line ends within a container's JSON, '\r' stays as an end that is not counted.
 *   - What is neither prefix nor colour stays as it is: [rank3]: says whose line it is.
 *   - XML between other text is found by its root element; what stands around it becomes blanks.
 */
#pragma once

#include "ringsim_host.h"

RS_BEGIN_DECLS

typedef struct rn_plain {
    const char *text; /* [n_bytes], a zero byte follows */
    size_t n_bytes;
} rn_plain;
/* Makes a text plain, in the arena. */
rs_status rn_make_plain(const char *bytes, size_t n_bytes, rs_arena *arena, rs_error *error,
                        rn_plain *plain);

/* Makes one line plain, in place, without its end and what others say of it: no wrapped lines, no entities. labels: a number
   and a colon are a prefix. Returns its length. */
size_t rn_plain_line(char *line, size_t n_bytes, bool labels);

/* Returns how many bytes of launchers' and viewers' prefixes a line begins with. */
size_t rn_prefix_bytes(const char *line, size_t n_bytes, bool labels);

/* Which root element an XML has, wherever it begins. */
typedef enum rn_root { RN_ROOT_NONE, RN_ROOT_SYSTEM, RN_ROOT_GRAPHS, RN_ROOT_ALGO } rn_root;
/* *around: what is to stand around it, where the text has only a part; "": nothing. */
rn_root rn_find_root(const char *text, size_t n_bytes, const char **around);

/* A text line by line; begins as {text, n_bytes}. */
typedef struct rn_lines {
    const char *text;
    size_t n_bytes, at; /* at: where the next line begins */
    int64_t number;     /* of the line, from 1 */
    const char *line;   /* [n], without its end */
    size_t n;
} rn_lines;
/* Goes to the next line; false: there is none. */
bool rn_next_line(rn_lines *lines);
/* The same; the line is a copy of at most `room` bytes with its zero. Zeros within are blanks. */
bool rn_copy_line(rn_lines *lines, char out[], size_t room);

/* Returns where a word stands first between two places; NULL: nowhere. */
const char *rn_find_bytes(const char *at, const char *end, const char *word);

/* ------------------------------------------------------------------ pieces of a line, which ends with a zero */

/* Returns what stands behind a text in the line; NULL: it is not there. */
const char *rn_behind(const char *line, const char *what);
/* Returns the number that stands behind a text, and blanks. */
int64_t rn_number_behind(const char *line, const char *what, int64_t otherwise);
/* Goes behind the words if they stand here; blanks in them are any number. */
bool rn_take(const char **at, const char *words);
/* Reads a whole number of at most `most`, with blanks and a sign before it. */
bool rn_take_int(const char **at, int64_t most, int64_t *number);
/* Reads a decimal number, digits and a point; no exponents, no inf. */
bool rn_take_decimal(const char **at, double *number);
/* Finds words and goes behind them. */
/* Where a log tells of NCCL's last error. */
typedef struct rn_last_error {
    char tag[64]; /* what its lines begin with */
    int32_t room; /* so many lines may still be the one that says it */
} rn_last_error;
/* Returns what the next line says of it, "": the line behind it will; NULL: it does not. */
const char *rn_last_error_of(rn_last_error *error, const char *line);
bool rn_find_words(const char *text, const char *words, const char **behind);
/* Tells whether a message begins with a form: its words, with % for what varies, # for digits, $ for its end. A number at the end of
   words is whole: "error 12" is not in "error 129". */
bool rn_has_form(const char *message, const char *form);
/* Takes at most so many hexadecimal digits; returns how many. */
int rn_take_hex(const char **at, int most, uint64_t *value);
/* Writes a code below 0x10000 as UTF-8; returns where it ends. */
char *rn_put_utf8(uint32_t code, char *to);

/* Does a place of the line stand within quotes, backticks or a comment of source code, as what is spoken of does? */
bool rn_is_quoted(const char *line, const char *at);
/* Does "no" or "not" stand before it? */
bool rn_is_denied(const char *line, const char *at);

RS_END_DECLS
