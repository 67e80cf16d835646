/* sandbox.h: runs a program that nobody trusts: a learner's, and the compiler that reads it.
 *
 *     rc_sandbox_open --> rc_sandbox_put (its files) --> rc_sandbox_exec, again and again --> rc_sandbox_close
 *
 *     ringsim ---- fork ----> child: user, limits, files, filter --> exec
 *        |    0 questions -->
 *        |  <-- 1 stdout, 2 stderr: shown to people, cut at a limit
 *        |  <-- 3 answers: what is judged, and nothing else is
 *        +-- clock: kills all of it
 *
 *   - There are two kinds, and rc_sandbox_open takes the first that works here: bubblewrap; a system-call
 *     filter with Landlock and limits. Both hold all that tests/submissions tries. On Linux before 5.13, which
 *     has no Landlock, a program behind the filter can read files. rc_sandbox_text says what holds.
 *   - A program under way may compute, read its questions and write: it cannot open a file for
 *     writing, start a process, reach the network, signal anybody. The compiler may write to the box.
 *   - What comes out is data. A program's exit status proves nothing; its answers are judged here.
 *   - The environment is empty, all other descriptors are closed, the folder is its own (/box).
 */
#pragma once

#include "base/files.h"
#include "base/host.h"

#include <sys/types.h>

typedef enum rc_sandbox_kind {
    RC_INTERPRETED = -2, /* none: nothing is compiled */
    RC_SANDBOX_ANY = -1,
    RC_SANDBOX_BUBBLEWRAP,
    RC_SANDBOX_FILTER,
    RC_N_SANDBOX_KINDS
} rc_sandbox_kind;
extern const char *const rc_sandbox_kinds[]; /* "bubblewrap", ...; ends with NULL */

typedef struct rc_sandbox {
    rc_sandbox_kind kind;
    bool other_user;    /* runs under another uid than ours */
    bool own_files;     /* sees the system's programs and its own box only */
    bool own_processes; /* sees no process but its own */
    uid_t uid;          /* the other user, who owns the box and runs */
    gid_t gid;
    bool was_dumpable; /* others could look into our memory before we opened it */
    char folder[256];  /* the scratch folder: box/ is the program's own */
    int lock;          /* of the folder, open and held while it is ours; 0: none */
} rc_sandbox;

/* Makes the scratch folder and finds a kind that works: that one, or the best (RC_SANDBOX_ANY). */
rc_exit rc_sandbox_open(rc_sandbox_kind only, rs_error *error, rc_sandbox *sandbox);
/* Opens another of a kind that is known to work. */
rc_exit rc_sandbox_open_like(const rc_sandbox *known, rs_error *error, rc_sandbox *sandbox);
/* Removes the scratch folder; harmless if never opened. */
void rc_sandbox_close(rc_sandbox *sandbox);
/* Writes a file into the box, before anything ran in it. */
rc_exit rc_sandbox_put(const rc_sandbox *sandbox, const char *name, const char *data,
                       size_t n_bytes, rs_error *error);
/* Reads a file that the compiler made in the box. */
rc_exit rc_sandbox_get(const rc_sandbox *sandbox, const char *name, int64_t limit, rs_arena *arena,
                       rs_error *error, char **data, size_t *n_bytes);
/* Make and remove the scratch folder alone (open.c); making it also removes those that killed
   programs of our user left beside it. */
rc_exit rc_scratch_folder_make(rc_sandbox *sandbox, rs_error *error);
void rc_scratch_folder_remove(rc_sandbox *sandbox);
/* Says in one line what holds a program, for a report. */
const char *rc_sandbox_text(const rc_sandbox *sandbox, char *out, size_t n_out);

/* One program to run. */
typedef struct rc_exec {
    bool compiler;           /* may write to the box and start processes */
    const char *const *argv; /* argv[0] is a path inside the sandbox, "/usr/bin/cc", "./program" */
    const char *input;       /* NULL: none */
    size_t n_input;
    int cpu_seconds, wall_ms;
    int64_t memory_bytes;
    size_t most_text;    /* of stdout, and of stderr; more is dropped */
    size_t most_answers; /* beyond it the program is ended */
} rc_exec;

typedef enum rc_end {
    RC_END_EXIT,        /* by itself; code: the exit status */
    RC_END_SIGNAL,      /* code: the signal */
    RC_END_CPU,         /* used up its time to compute */
    RC_END_WALL,        /* the clock ran out */
    RC_END_FLOOD,       /* wrote more than we take */
    RC_END_NOT_STARTED, /* code: the errno */
    RC_END_REFUSED,     /* asked the system for what the sandbox refuses */
    RC_END_FILE,        /* wrote to a file, or (the compiler) too much to one */
    RC_END_TROUBLE      /* the interpreter could not go on; err says why */
} rc_end;

typedef struct rc_stream {
    char *data; /* a zero byte follows; NULL: nothing came */
    size_t n_bytes;
    size_t capacity;
    size_t n_dropped; /* came beyond the limit */
} rc_stream;

typedef struct rc_exec_result {
    rc_end end;
    int code;
    double wall_s, cpu_s;
    int64_t most_memory_bytes;
    rc_stream out, err, answers;
} rc_exec_result;

/* Runs the program to its end. RC_LACKS: the sandbox could not be built. Whatever the program did, it is a
   result. */
rc_exit rc_sandbox_exec(const rc_sandbox *sandbox, const rc_exec *exec, rs_error *error,
                        rc_exec_result *result);
/* sandbox_text.c: keeps what came up to a limit, and counts what it drops. */
void rc_stream_add(rc_stream *stream, const char *data, size_t n, size_t most);
/* Frees what the program wrote. */
void rc_exec_result_free(rc_exec_result *result);
/* Says in a few words how the program ended and why. Returns out. */
const char *rc_exec_result_text(const rc_exec_result *result, const rc_exec *exec, char *out,
                                size_t n_out);
