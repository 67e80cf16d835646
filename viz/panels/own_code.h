/* own_code.h: the function of a learner's C file that answers for a schedule, with what it was asked and what it
 * answered at a moment; and what is wrong with that. Pure.
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
 */
#ifndef RV_OWN_CODE_H
#define RV_OWN_CODE_H

#include "ringsim.h"

enum { RV_MOST_OWN_LINES = 24, RV_OWN_TEXT = 160 };

typedef enum rv_own_mark {
    RV_LINE_PLAIN,   /* nothing to execute, or nobody knows */
    RV_LINE_SKIPPED, /* not executed for this answer */
    RV_LINE_EXECUTED,
    RV_LINE_RETURNS /* and gave the answer */
} rv_own_mark;

typedef struct rv_own_line {
    char text[RV_OWN_TEXT];    /* as it is written; tabs are four spaces */
    char numbers[RV_OWN_TEXT]; /* its expression with numbers, or what it wrote; "": none */
    rv_own_mark mark;
    bool outer; /* the signature, or the last brace: says the least */
} rv_own_line;

typedef struct rv_own_code rv_own_code;
struct rv_own_code {
    char call[RV_OWN_TEXT];               /* "": it was not asked for this step */
    rv_own_line lines[RV_MOST_OWN_LINES]; /* a longer function is cut, its last line "..." */
    int n_lines;
    int n_sent; /* its messages in the step; 0 too where it was not asked */
    /* the function writes messages (`sends`), of which the call names only the number */
    bool lists;
    char mistake[RV_OWN_TEXT * 2]; /* translated; "": none begins at this moment */
    bool judged; /* and a judge has said so in words of its own, which stand nowhere else */
    bool blamed; /* and it is this rank's doing */
};

/* Finds the function for a step (-1: before the first) and a rank; verdict NULL: nobody has judged. False: the schedule
   is no learner's, or no function of theirs is found in the text. */
bool rv_own_code_of(const rs_schedule *schedule, const rs_verdict *verdict, int32_t step,
                    int32_t rank, rv_own_code *out);

/* Leaves `room` lines, where it is known what was executed: those go first that say least about the answer. */
void rv_shorten_own_code(rv_own_code *code, int room);

#endif
