/* build.h: a learner's C file, compiled in the sandbox and asked there.
 *
 *     rc_lessons --> rc_build_text --> rc_ask --> answers.h --> rc_build_free
 */
#pragma once

#include "sandbox/sandbox.h"

enum { RC_SOURCE_LIMIT = 256 * 1024, RC_NAME_TEXT = 64 };

/* A submission on its way: its sandbox, and what the compiler said. */
typedef struct rc_build {
    rc_sandbox sandbox;
    const struct rs_program *program; /* of the interpreter; NULL: it was compiled */
    char name[RC_NAME_TEXT];          /* of the file, as the compiler's messages name it */
    bool built;
    int crowd; /* of its site */
    int n_warnings;
    char error[240]; /* the compiler's first error in one line; "": none */
    rc_stream said;  /* all of its messages */
} rc_build;

/* Finds the folder of the lessons: beside the program, installed, or where RINGSIM_LESSONS says. */
rc_exit rc_lessons(const char *program, rs_error *error, char out[PATH_MAX]);

/* The parts of the driver that are compiled with a file. */
enum { RC_ASK_SCHEDULE = 1, RC_ASK_VALUES = 2 };
/* Reads what was handed in. It must be a regular file: a link might lead to what its author must not see,
   and so might a folder behind the first n_root bytes of the path, which are the teacher's. */
rc_exit rc_read_submission(const char *path, size_t n_root, int64_t limit, rs_arena *arena,
                           rs_error *error, char **text, size_t *n_bytes);
/* The driver, compiled once for many submissions, and the kind of sandbox in which that was done. */
typedef struct rc_driver {
    char *object;
    size_t n_bytes;
    rc_sandbox known;
} rc_driver;
/* Where and with what a submission is built. */
typedef struct rc_site {
    const char *lessons;
    rc_sandbox_kind sandbox;
    unsigned asks;
    const rc_driver *driver; /* NULL: it is compiled with the submission */
    size_t n_root;           /* bytes of the submission's path that are the teacher's; 0: all */
    int crowd;               /* programs that share a core: each gets as much longer; 0: alone */
} rc_site;
/* Compiles the driver for the questions that the site asks; the object is the arena's. */
rc_exit rc_driver_make(const rc_site *site, rs_arena *arena, rs_error *error, rc_driver *driver);

/* Compiles a submission's text, of a file named `name`, with the parts of the driver that the site names.
   What the compiler complains of stands in *build and is no failure of ours. */
rc_exit rc_build_text(const rc_site *site, const char *name, const char *text, size_t n_bytes,
                      rs_arena *arena, rs_error *error, rc_build *build);
/* Asks it n questions, a line each in `questions`; `limits` holds times, memory and sizes. */
rc_exit rc_ask(const rc_build *build, int n, const char *questions, rc_exec *limits,
               rs_arena *arena, rs_error *error, rc_exec_result *result);
/* Closes the sandbox of a submission and frees what the compiler said. */
void rc_build_free(rc_build *build);

/* sandbox_text.c: returns the limits of one run of an exercise. */
rc_exec rc_run_limits(void);

/* interpreted.c: the same without a compiler: rc_build_text hands it on where the site says so. */
/* Reads ring.h, as a text. */
rc_exit rc_read_header(const char *lessons, rs_arena *arena, rs_error *error, char **text);
/* As rc_build_text and rc_ask. RC_LACKS: it is beyond the interpreter, and not judged; *error says what and where. */
rc_exit rc_interpreted_build(const rc_site *site, const char *text, size_t n_bytes, rs_arena *arena,
                             rs_error *error, rc_build *build);
rc_exit rc_interpreted_ask(const rc_build *build, int n, const char *questions,
                           const rc_exec *limits, rs_arena *arena, rs_error *error,
                           rc_exec_result *result);
