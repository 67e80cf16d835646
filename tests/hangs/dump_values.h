/* dump_values.h: plain data written as it goes, as torch's C++ pickler writes it, as Python's own does, or as JSON.
 *
 *     rn_dump_begin(&w, true, 2);         { begins: two keys and their values
 *     rn_dump_text(&w, "version");        "version"
 *     rn_dump_text(&w, "2.4");            "2.4"
 *     ...
 *     rn_dump_end(&w);                    }
 *
 *   - torch (pickler.cpp, protocol 2): each list and dictionary is a mark, all items, one opcode; a text is written once
 *     and then named by its number. Python: the same in batches of 1,000, a single item without a mark, and containers are
 *     numbered, too.
 *   - From protocol 4 on one frame holds all. Its length is known at the end: whoever has the bytes puts it at
 *     RN_DUMP_FRAME.
 *   - JSON takes plain texts only: it escapes nothing.
 */
#pragma once

#include "hang/dumps/data_tree.h"
#include "ringsim_print.h"

typedef enum rn_dump_style {
    RN_DUMP_TORCH = 0,
    RN_DUMP_JSON = 1,
    RN_DUMP_PYTHON = 2 /* protocol 2; 3 to 5 are protocols 3 to 5 */
} rn_dump_style;

enum { RN_DUMP_DEEPEST = 8, RN_DUMP_FRAMES = 512, RN_DUMP_FRAME = 3, RN_DUMP_FRAME_END = 11 };

/* A line of code is one object, however often it is called from. */
typedef struct rn_dump_line {
    uint32_t file, number; /* of the texts; in the memo */
    int32_t line;
} rn_dump_line;

typedef struct rn_dump_writer {
    rs_printer out;
    int style; /* an rn_dump_style */
    rs_texts texts;
    uint32_t *numbers; /* [n_numbers] each text's number in the memo, + 1; 0: not written yet */
    uint32_t n_numbers, n_memo;
    struct {
        bool dict;
        int64_t n, written; /* items that there will be, that there are */
    } open[RN_DUMP_DEEPEST];
    int depth;
    rn_dump_line lines[RN_DUMP_FRAMES];
    int32_t n_lines;
    bool failed; /* no memory: what was written is worth nothing */
} rn_dump_writer;

/* Begins with the protocol. The texts are kept in pieces. */
void rn_dump_open(rn_dump_writer *w, int style, rs_heap *pieces, rs_write write, void *context);
/* Ends; false: there was no memory. */
bool rn_dump_close(rn_dump_writer *w);

/* A dictionary of n pairs, or a list of n items. */
void rn_dump_begin(rn_dump_writer *w, bool dict, int64_t n);
void rn_dump_end(rn_dump_writer *w);
void rn_dump_text(rn_dump_writer *w, const char *text);
void rn_dump_integer(rn_dump_writer *w, int64_t value);
void rn_dump_real(rn_dump_writer *w, double value);
void rn_dump_bool(rn_dump_writer *w, bool value);
void rn_dump_none(rn_dump_writer *w);
/* A tuple; in JSON a list. */
void rn_dump_pair(rn_dump_writer *w, const char *a, const char *b);
/* {name, filename, line} */
void rn_dump_code_line(rn_dump_writer *w, const char *name, const char *file, int32_t line);
