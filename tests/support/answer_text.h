/* answer_text.h: the rows of an answer as text: "3 4" sizes, "0 0 1 2 1 0" a message, "count 0 0 -1", "missing", numbers;
 * its end is nothing.
 */
#pragma once

#include "ringsim_interpret.h"

#include <stdio.h>
#include <string.h>

/* Appends rows to a text that has room for `room` bytes. */
static inline void add_answer_text(const void *rows, size_t n_bytes, char *text, size_t room) {
    rs_answer_row row;
    for (size_t at = 0; at + sizeof row <= n_bytes; at += sizeof row) {
        char *out = text + strlen(text);
        const size_t left = room - strlen(text);
        double number;
        memcpy(row, (const char *)rows + at, sizeof row);
        memcpy(&number, row + 1, sizeof number);
        switch (row[0]) {
        case RS_ANSWER_END: break;
        case RS_ANSWER_SIZES: snprintf(out, left, "%d %d\n", (int)row[1], (int)row[2]); break;
        case RS_ANSWER_COUNT:
            snprintf(out, left, "count %d %d %d\n", (int)row[1], (int)row[2], (int)row[3]);
            break;
        case RS_ANSWER_MISSING: snprintf(out, left, "missing\n"); break;
        case RS_ANSWER_NUMBER: snprintf(out, left, "%.17g\n", number); break;
        default:
            snprintf(out, left, "%d %d %d %d %d %d\n", (int)row[0], (int)row[1], (int)row[2],
                     (int)row[3], (int)row[4], (int)row[5]);
        }
    }
}
