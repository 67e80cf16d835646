/* answers.h: what a learner's program said: whole answers, nonsense, what the sandbox refused it. */
#pragma once

#include "ringsim_interpret.h"
#include "sandbox/sandbox.h"

/* A whole answer, without the row that ends it. */
typedef struct rc_answer {
    const rs_answer_row *rows;
    int64_t n;
} rc_answer;

/* Finds the whole answer to question `i`, from 0; false: there is none. */
bool rc_find_answer(const rc_stream *answers, int i, rc_answer *answer);
/* Tells whether the file does not define what was asked for. */
bool rc_is_missing(const rc_answer *answer);
/* Reads a plan's rows into a schedule for n_ranks; a ring's chunk of -1 .. 1-N as it was meant: mod N. */
rc_exit rc_read_plan(const rc_answer *answer, int32_t n_ranks, rs_arena *arena, rs_error *error,
                     rs_schedule *schedule);
/* Reads it up to the call whose answer is nonsense: what came before can be shown. */
rc_exit rc_read_plan_before(const rc_answer *answer, int32_t n_ranks, rs_arena *arena,
                            rs_error *error, rs_schedule *schedule, int32_t *step, int32_t *rank);
/* Tells whether `turned` is the plan `answer` as the driver writes it when it asks backwards. */
bool rc_is_backwards(const rc_answer *answer, const rc_answer *turned);
/* defined.c: says that a file has no function that makes a schedule, and which it has. Returns out. */
const char *rc_missing_text(const char *source, char *out, size_t n_out);
/* Writes which functions a C file defines, "; it defines sendChunk()", "" if it has none. Returns out. */
const char *rc_defined_text(const char *source, char *out, size_t n_out);
/* What rc_nonsense adds to a number below 0. */
const char *rc_remainder_hint(void);
/* Tells whether the functions answered nonsense, and says in one line what is wrong. */
bool rc_nonsense(const rc_answer *answer, int n_ranks, char *out, size_t n_out);
/* Says why there is no answer: what the sandbox refused to the program, else how it ended. Returns out. */
const char *rc_no_answer_text(const rc_exec_result *result, const rc_exec *exec, char *out,
                              size_t n_out);
