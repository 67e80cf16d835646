/* rule.h: the function in C that says what a GPU sends, an algorithm's own (rs_schedule's rule) or a learner's, with
 * what it was asked and what it answered at a moment; and what is wrong with a learner's. Pure.
 *
 *     send_chunk(step = 1, rank = 0, n = 5) = 1       call
 *     int send_chunk(int step, int rank, int n) {     lines
 *         return (rank + step) % n;                   numbers: (0 + 1) % 5
 *     }
 *     GPU 1 adds GPU 0's contribution ...             mistake
 *
 *   - The answer is the schedule's, so it is what the compiled program has said. The interpreter tells which lines were
 *     executed, and what they wrote; where its answer is another one, or it has none, numbers stand only beside a
 *     `return` that is the whole function.
 *   - What a student's file holds is no text to trust: control bytes and bytes that are no UTF-8 become '?'.
 *   - The program is read once, and the moment that was asked for last is kept: pictures come more often than moments.
 */
#pragma once

#include "ringsim.h"
#include "ringsim_interpret.h"

enum { RV_MOST_RULE_LINES = 24, RV_RULE_TEXT = 160 };

typedef enum rv_line_mark {
    RV_LINE_PLAIN,   /* nothing to execute, or nobody knows */
    RV_LINE_SKIPPED, /* not executed for this answer */
    RV_LINE_EXECUTED,
    RV_LINE_RETURNS /* and gave the answer */
} rv_line_mark;

typedef struct rv_rule_line {
    char text[RV_RULE_TEXT];    /* as it is written; tabs are four spaces */
    char numbers[RV_RULE_TEXT]; /* its expression with numbers, or what it wrote; "": none */
    rv_line_mark mark;
    bool outer;     /* a rule's constants, the signature, or the last brace: says the least */
    const char *at; /* in the program's text */
} rv_rule_line;

typedef struct rv_rule {
    char call[RV_RULE_TEXT];                /* "": it was not asked for this step */
    rv_rule_line lines[RV_MOST_RULE_LINES]; /* a longer function is cut, its last line "..." */
    int n_lines;
    int n_sent; /* its messages in the step; 0 too where it was not asked */
    /* the function writes messages (`sends`), of which the call names only the number */
    bool lists;
    bool is_own;                    /* a learner's */
    char mistake[RV_RULE_TEXT * 2]; /* translated; "": none begins at this moment */
    bool judged; /* and a judge has said so in words of its own, which stand nowhere else */
    bool blamed; /* and it is this rank's doing */
} rv_rule;

typedef struct rv_rule_reader {
    const rs_schedule *schedule;
    const rs_verdict *verdict;
    rs_arena *arena;
    const char *text; /* of the program; NULL: not yet written */
    const rs_program *program;
    bool unknown; /* the interpreter does not know such C */
    rv_rule kept;
    int32_t kept_step, kept_rank;
} rv_rule_reader;

/* Makes the reader of a schedule's rule, in the arena; verdict NULL: nobody has judged. NULL: no memory. */
static inline rv_rule_reader *rv_rule_reader_new(const rs_schedule *schedule,
                                                 const rs_verdict *verdict, rs_arena *arena) {
    rv_rule_reader *reader = rs_alloc(arena, 1, sizeof *reader);
    if (reader == NULL) return NULL;
    reader->schedule = schedule, reader->verdict = verdict, reader->arena = arena;
    reader->kept_step = INT32_MIN;
    return reader;
}
/* Finds the rule for a step (-1: before the first) and a rank, good until the next one is asked for. *rule NULL: there
   is none, or no such function is found in the text. RS_NO_MEMORY: not now. */
rs_status rv_rule_of(rv_rule_reader *reader, int32_t step, int32_t rank, const rv_rule **rule);

/* Leaves `room` lines, where it is known what was executed: those go first that say least about the answer. */
void rv_shorten_rule(rv_rule *rule, int room);
