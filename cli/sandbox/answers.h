/* answers.h: what a learner's program said: whole answers, nonsense, what the sandbox refused it. */
#pragma once

#include "sandbox/sandbox.h"

/* Finds the whole answer to question `i`, between `case i` and `end i`; false: there is none. */
bool rc_answer(const rc_stream *answers, int i, const char **text, size_t *n_bytes);
/* Reads a plan's rows into a schedule for n_ranks. */
rc_exit rc_read_plan(const char *text, size_t n_bytes, int32_t n_ranks, rs_arena *arena,
                     rs_error *error, rs_schedule *schedule);
/* Tells whether `turned` is the plan `text` as the driver prints it when it asks backwards. */
bool rc_is_backwards(const char *text, size_t n_text, const char *turned, size_t n_turned);
/* Tells whether the functions answered nonsense, and says in one line what is wrong. */
bool rc_nonsense(const char *text, size_t n_bytes, int n_ranks, char *out, size_t n_out);
/* Says why there is no answer: what the sandbox refused to the program, else how it ended. Returns out. */
const char *rc_no_answer_text(const rc_exec_result *result, const rc_exec *exec, char *out,
                              size_t n_out);
