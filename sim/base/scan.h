/* scan.h: reads statements, one a line, of the text formats. Private to sim/.
 *
 *     rs_scan scan = {.error = error};
 *     for (rs_scan_begin(&scan, text, n_bytes); rs_scan_statement(&scan);) {
 *         if (rs_scan_word(&scan, "ranks")) ... rs_scan_number(&scan, ...);
 *     }
 *
 *   - The first failure stays: nothing moves after it, and scan.status says what it was.
 *   - Every error names line and column, counted from 1, columns in bytes.
 *   - `#` starts a comment; empty lines and a byte order mark count for nothing; a line has 4096 bytes
 *     at the most and no zero byte.
 */
#pragma once

#include "ringsim.h"
#include "ringsim_print.h"

enum { RS_SCAN_LINE = 4096 }; /* bytes that a line may have */

typedef struct rs_scan {
    const char *at, *line_begin, *line_end, *end;
    const char *next;      /* where the next line begins */
    const char *statement; /* where this line's begins */
    int64_t line;          /* from 1 */
    rs_error *error;
    rs_status status;
} rs_scan;

void rs_scan_begin(rs_scan *scan, const char *text, size_t n_bytes);
/* Goes to the next statement; false: there is none, or something failed. */
bool rs_scan_statement(rs_scan *scan);
/* Ends a statement: nothing but a comment may follow. */
void rs_scan_end(rs_scan *scan);
/* Fails at a place in the line; `what` says what is wrong there. */
void rs_scan_fail(rs_scan *scan, const char *at, const char *what);
/* The same with values; `word`, unless it is -1, is the value that is a message itself. */
void rs_scan_fail_with(rs_scan *scan, const char *at, int word, const char *format, ...)
    RS_PRINTF(4, 5);
/* Fails behind the text: something is missing. */
void rs_scan_missing(rs_scan *scan, const char *what);

bool rs_scan_at_end(const rs_scan *scan); /* of the line, or before a comment */
bool rs_scan_at_digit(const rs_scan *scan);
void rs_scan_blanks(rs_scan *scan);
/* Takes the word if it stands here, whole, and the blanks behind it. */
bool rs_scan_word(rs_scan *scan, const char *word);
/* Takes these characters if they stand here. */
bool rs_scan_sign(rs_scan *scan, const char *sign);
/* Takes a number in low..high; *begin is where it stood. `what` names it in errors. */
int64_t rs_scan_number(rs_scan *scan, const char *what, int64_t low, int64_t high,
                       const char **begin);
/* Numbers end at a blank, a comment or the line's end, unless something of their own follows. */
void rs_scan_end_number(rs_scan *scan, const char *expected);
/* Takes a number that ends so. */
int64_t rs_scan_whole_number(rs_scan *scan, const char *what, int64_t low, int64_t high,
                             const char *expected);
/* Takes a format's first statement, its name and version 1; `expected` says that it is not there. */
void rs_scan_format(rs_scan *scan, const char *name, const char *expected);
/* Takes a range of chunks, "3" or "0..2". */
void rs_scan_chunks(rs_scan *scan, int32_t n_chunks, rs_transfer *transfer);
/* Takes "reduce" or "copy". */
void rs_scan_effect(rs_scan *scan, rs_transfer *transfer);

/* said_collective.c: the line "collective NAME [root R]", where it stood, and what it said; nothing said is the
   all-reduce. */
typedef struct rs_said_collective {
    rs_collective of;
    int32_t root;
    int64_t line; /* 0: not said */
} rs_said_collective;
/* Takes the rest of the line, behind the word `collective`. */
void rs_scan_collective(rs_scan *scan, rs_said_collective *said);
/* Fails, and names the line, unless so many ranks and chunks are what it needs. */
void rs_scan_check_collective(rs_scan *scan, const rs_said_collective *said, int32_t n_ranks,
                              int32_t n_chunks);
/* Writes the line; nothing for the all-reduce. */
void rs_print_collective(rs_printer *out, rs_collective of, int32_t root);
/* The line "chunks C [in P parts]": takes the rest behind C, returns P, which divides C; 0: not said. */
int32_t rs_scan_parts(rs_scan *scan, int32_t n_chunks);
/* Says where that line's parts do not go with the collective: an all-gather's and a reduce-scatter's parts are its shards. */
void rs_scan_check_parts(rs_scan *scan, const rs_said_collective *said, int32_t n_parts);
/* Takes the line's end "added by rank", of a schedule's by_rank. */
bool rs_scan_by_rank(rs_scan *scan);
/* Writes the line, with the parts if they are not the collective's own shards. */
void rs_print_chunks(rs_printer *out, const rs_schedule *schedule);

/* amount.c: what an amount is of: bytes a second; picoseconds. */
typedef enum rs_scan_measure { RS_SCAN_RATE, RS_SCAN_TIME } rs_scan_measure;
/* Takes an amount with its unit, exactly, and the blanks behind it: 20GB/s, 1.5us. */
int64_t rs_scan_amount(rs_scan *scan, const char *what, rs_scan_measure measure, int64_t low,
                       int64_t high);
enum { RS_SCAN_AMOUNT = 40 };
/* Writes an amount so that rs_scan_amount reads the same; returns out. */
char *rs_scan_print_amount(rs_scan_measure measure, int64_t value, char out[RS_SCAN_AMOUNT]);
