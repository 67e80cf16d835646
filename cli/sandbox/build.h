/* build.h: a learner's C file, compiled in the sandbox and asked there.
 *
 *     rc_lessons --> rc_build --> rc_ask --> rc_answer, for each question --> rc_build_free
 */
#ifndef RC_BUILD_H
#define RC_BUILD_H

#include "sandbox/sandbox.h"

enum { RC_SOURCE_LIMIT = 256 * 1024, RC_NAME_TEXT = 64 };

/* A submission on its way: its sandbox, and what the compiler said. */
typedef struct rc_build {
    rc_sandbox sandbox;
    char name[RC_NAME_TEXT]; /* of the file, as the compiler's messages name it */
    bool built;
    int n_warnings;
    bool silenced;   /* it told the compiler not to warn */
    char error[240]; /* the compiler's first error in one line; "": none */
    rc_stream said;  /* all of its messages */
    double seconds;
} rc_build;

/* Finds the folder of the lessons: beside the program, installed, or where RINGSIM_LESSONS says. */
rc_exit rc_lessons(const char *program, rs_error *error, char out[PATH_MAX]);

/* What of the driver is compiled with a file. */
enum { RC_ASK_SCHEDULE = 1, RC_ASK_VALUES = 2 };
/* Reads what was handed in: a regular file, and no link, which might lead to what its author must not
   see. */
rc_exit rc_read_submission(const char *path, int64_t limit, rs_arena *arena, rs_error *error,
                           char **text, size_t *n_bytes);
/* The driver, compiled once for many submissions, and the kind of sandbox in which that was done. */
typedef struct rc_driver {
    char *object;
    size_t n_bytes;
    rc_sandbox known;
} rc_driver;
/* Where and with what a submission is built. */
typedef struct rc_site {
    const char *lessons, *sandbox;
    unsigned asks;
    const rc_driver *driver; /* NULL: it is compiled with the submission */
} rc_site;
rc_exit rc_driver_make(const rc_site *site, rs_arena *arena, rs_error *error, rc_driver *driver);

/* Compiles a submission's text, of a file named `name`, with what asks its questions. What the compiler complains of is no failure of ours: see *build. */
rc_exit rc_build_text(const rc_site *site, const char *name, const char *text, size_t n_bytes,
                      rs_arena *arena, rs_error *error, rc_build *build);
/* The same with the file at `path`. */
rc_exit rc_build_file(const rc_site *site, const char *path, rs_arena *arena, rs_error *error,
                      rc_build *build);
/* Runs it on n questions, the text after their number; `limits` holds times, memory and sizes. */
rc_exit rc_ask(const rc_build *build, int n, const char *questions, rc_exec *limits,
               rs_arena *arena, rs_error *error, rc_exec_result *result);
void rc_build_free(rc_build *build);

/* Does the text tell the compiler which warnings not to give? */
bool rc_silences_warnings(const char *text);

/* Finds the whole answer to question `i`, between `case i` and `end i`; false: there is none. */
bool rc_answer(const rc_stream *answers, int i, const char **text, size_t *n_bytes);
/* If the answer says that the functions talk nonsense, says what is wrong in one line. */
bool rc_nonsense(const char *text, size_t n_bytes, int n_ranks, char *out, size_t n_out);
/* What a learner's program was refused, in words; "" if nothing, or nothing that is known. */
const char *rc_refusal_text(const rc_exec_result *result);

/* The limits of one run of an exercise. */
rc_exec rc_run_limits(void);

/* Makes the schedule that the functions in a learner's C file describe, for n_ranks. */
rc_exit rc_learner_schedule(rc_session *session, const char *path, int32_t n_ranks,
                            rs_schedule *schedule);

#endif
