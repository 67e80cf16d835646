/* ringsim_interpret.h: runs the C of the labs without a compiler, and explains what is wrong in it, line by line.
 *
 *     ring.h, my_ring.c --rs_program_read--> rs_program --rs_runner_make--> rs_runner
 *                                                                              |
 *          "schedule 5 0 0"  ------------------rs_runner_ask------------------>+--> the answer, row by row
 *          send_chunk(3, 0, 5) ----------------rs_runner_watch---------------->+--> lines, values, the return
 *
 *   - What it does not know it names, with its line; it never guesses. It knows int and its kin, float, double,
 *     bool, structs, enums, arrays and pointers to their elements, functions, every statement but goto, printf.
 *   - What C leaves undefined is an error: an index outside of its array, a variable without a value, a
 *     sum that does not fit, a division by zero, a shift that is too far, a missing return.
 *   - Any bytes may be given to it. Steps, depth and memory have limits; it touches nothing but its own cells.
 */
#pragma once

#include "ringsim.h"

RS_BEGIN_DECLS

/* All of them: RS_BAD_INPUT: the program is wrong; RS_UNSUPPORTED: right C, but none that is known here. *error says
   why, and in which line (0: of the whole file). */

typedef struct rs_program rs_program;
/* Reads a program, which the arena keeps; the text may go. `header` is ring.h, which comes first. */
rs_status rs_program_read(const char *header, size_t n_header, const char *text, size_t n_bytes,
                          rs_arena *arena, rs_error *error, const rs_program **program);

/* What a run may take; 0: as much as is usual. */
typedef struct rs_run_limits {
    int64_t n_steps;  /* of one question; an operator or a statement is one, a number to print 30 */
    int32_t n_cells;  /* numbers that are kept at a time */
    int32_t n_nested; /* calls and brackets inside each other */
} rs_run_limits;

typedef struct rs_runner rs_runner;
/* Makes what runs a program, its variables as they are at the start. `printf` goes to `said` (NULL: nowhere). */
rs_status rs_runner_make(const rs_program *program, const rs_run_limits *limits, rs_write said,
                         void *context, rs_arena *arena, rs_error *error, rs_runner **runner);

/* An answer is rows of six numbers, of this machine's own kind: messages (step, source, destination, first chunk, how many
   chunks, 1: it copies), or what the first number says. lessons/driver/question.h says the same. */
typedef int32_t rs_answer_row[6];
enum {
    RS_ANSWER_END = -1, /* of an answer that is whole */
    RS_ANSWER_SIZES =
        -2, /* a plan's first row: how many chunks, steps; 1: of send_chunk(), 0: of sends() */
    RS_ANSWER_COUNT =
        -3, /* its last row where sends() returned no count: step, rank, what it returned */
    RS_ANSWER_MISSING = -4, /* the file does not define what was asked for */
    RS_ANSWER_NUMBER = -5   /* a double, in the next two */
};
/* A plan also ends with the first message that names what does not exist. */
enum {
    RS_ANSWER_STEPS = 100000,
    RS_ANSWER_CHUNKS = 4096
}; /* beyond them its sizes are all of it */
/* Asks a question as lessons/driver knows it, "chunk_range 10 4", and writes the same rows.
   RS_UNSUPPORTED and no message: this is no question. */
rs_status rs_runner_ask(rs_runner *runner, const char *question, rs_write write, void *context,
                        rs_error *error);

enum { RS_MOST_NOTES = 64, RS_NOTE_NAME = 24, RS_MOST_WATCHED = 400 };
/* What a line has written last into a variable. */
typedef struct rs_note {
    int32_t line;
    char name[RS_NOTE_NAME];
    double value;
} rs_note;
/* One call, as it went. */
typedef struct rs_watched {
    int32_t n_lines;                /* of the file, RS_MOST_WATCHED at the most */
    bool executed[RS_MOST_WATCHED]; /* [line - 1] */
    bool code[RS_MOST_WATCHED];     /* something to execute stands there */
    int64_t returned;
    int32_t return_line; /* of the outermost call; 0: it did not return */
    int32_t n_notes;
    rs_note notes[RS_MOST_NOTES]; /* in the order of their lines */
} rs_watched;
/* Calls send_chunk(), or sends() where there is none, and watches.
   RS_UNSUPPORTED and no message: there is neither. */
rs_status rs_runner_watch(rs_runner *runner, int32_t step, int32_t rank, int32_t n,
                          rs_watched *watched, rs_error *error);

RS_END_DECLS
