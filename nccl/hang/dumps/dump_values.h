/* dump_values.h: plain data written as it goes, as torch's C++ pickler writes it, as Python's own does, or as JSON.
 * Private to nccl/ and its tests.
 *
 *     rs_dump_begin(&w, true, 2);         { begins: two keys and their values
 *     rs_dump_text(&w, "version");        "version"
 *     rs_dump_text(&w, "2.4");            "2.4"
 *     ...
 *     rs_dump_end(&w);                    }
 *
 *   - torch (pickler.cpp, protocol 2): each list and dictionary is a mark, all items, one opcode; a text is written once
 *     and then named by its number. Python: the same in batches of 1,000, a single item without a mark, and containers are
 *     numbered, too.
 *   - From protocol 4 on one frame holds all. Its length is known at the end: whoever has the bytes puts it at
 *     RS_DUMP_FRAME.
 *   - JSON takes plain texts only: it escapes nothing.
 */
#ifndef RS_DUMP_VALUES_H
#define RS_DUMP_VALUES_H

#include "data_tree.h"
#include "ringsim_print.h"

typedef enum rs_dump_style {
    RS_DUMP_TORCH = 0,
    RS_DUMP_JSON = 1,
    RS_DUMP_PYTHON = 2 /* protocol 2; 3 to 5 are protocols 3 to 5 */
} rs_dump_style;

enum { RS_DUMP_DEEPEST = 8, RS_DUMP_FRAMES = 512, RS_DUMP_FRAME = 3, RS_DUMP_FRAME_END = 11 };

/* A line of code is one object, however often it is called from. */
typedef struct rs_dump_line {
    uint32_t file, number; /* of the texts; in the memo */
    int32_t line;
} rs_dump_line;

typedef struct rs_dump_writer {
    rs_printer out;
    int style; /* an rs_dump_style */
    rs_texts texts;
    uint32_t *numbers; /* [n_numbers] each text's number in the memo, + 1; 0: not written yet */
    uint32_t n_numbers, n_memo;
    struct {
        bool dict;
        int64_t n, written; /* items that there will be, that there are */
    } open[RS_DUMP_DEEPEST];
    int depth;
    rs_dump_line lines[RS_DUMP_FRAMES];
    int32_t n_lines;
    bool failed; /* no memory: what was written is worth nothing */
} rs_dump_writer;

/* Begins with the protocol. The texts are kept in pieces. */
void rs_dump_open(rs_dump_writer *w, int style, rs_heap *pieces, rs_write write, void *context);
/* Ends; false: there was no memory. */
bool rs_dump_close(rs_dump_writer *w);

/* A dictionary of n pairs, or a list of n items. */
void rs_dump_begin(rs_dump_writer *w, bool dict, int64_t n);
void rs_dump_end(rs_dump_writer *w);
void rs_dump_text(rs_dump_writer *w, const char *text);
void rs_dump_integer(rs_dump_writer *w, int64_t value);
void rs_dump_real(rs_dump_writer *w, double value);
void rs_dump_bool(rs_dump_writer *w, bool value);
void rs_dump_none(rs_dump_writer *w);
/* A tuple; in JSON a list. */
void rs_dump_pair(rs_dump_writer *w, const char *a, const char *b);
/* {name, filename, line} */
void rs_dump_code_line(rs_dump_writer *w, const char *name, const char *file, int32_t line);

#endif
