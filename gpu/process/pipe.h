/* pipe.h: a started program, and whole frames to and from it. Private to gpu/.
 *
 *   - The program leads a process group of its own, so that Ctrl-C on the terminal reaches only us
 *     and we decide when to end it.
 *   - We keep the last 4 KiB of its standard error, where it says why it ended.
 */
#pragma once

#include "process/job_bytes.h"

#include <sys/types.h>

enum { RG_ERROR_BYTES = 4096 };

typedef struct rg_child {
    pid_t pid;        /* 0: none */
    int in, out, err; /* our ends; -1: closed */
    char *bytes;  /* the bytes that came: the frame that the caller reads, then what follows it */
    size_t taken; /* bytes of that frame */
    size_t n, capacity;
    char errors[RG_ERROR_BYTES + 1]; /* on standard error */
    size_t n_errors;
} rg_child;

typedef enum rg_pipe_status {
    RG_PIPE_FRAME,
    RG_PIPE_END,      /* it closed its output */
    RG_PIPE_LATE,     /* nothing until the deadline */
    RG_PIPE_CANCEL,   /* the host said stop */
    RG_PIPE_MALFORMED /* no frame, or no memory for one */
} rg_pipe_status;

rs_status rg_child_start(char *const arguments[], rs_error *error, rg_child *child);
/* Sends a frame; false: the other end is gone or, where the pipe does not block, does not read until the deadline. */
bool rg_write_frame(int fd, const rg_writer *writer, int64_t deadline_ps);
/* Waits for a frame; `reader` reads it, until the next call. Of the child it needs `out` and, not -1, `err`: a rank
   that has the other end receives as well. */
rg_pipe_status rg_child_receive(rg_child *child, int64_t deadline_ps, const rs_host *host,
                                const char *what, rg_frame *kind, rg_reader *reader);
/* Collects for a moment which ranks wait, or failed: `reader` has the first that said so, `ms` is how long they wait for
   others. Fills in result->failure and, in the room for n_ranks that result->stuck has (NULL: none), where they stand. */
void rg_child_waits(rg_child *child, int32_t n_ranks, int32_t ms, rg_reader *reader,
                    rg_result *result);
/* Copies the text of its standard error that best says why it ended, on one line; "": none does. */
void rg_child_last_words(rg_child *child, char *out, size_t n_out);
void rg_last_words(const char *errors, char *out, size_t n_out);
/* Ends the program and waits for it: with `gently` it may first end by itself; then SIGTERM, then
   SIGKILL. */
void rg_child_end(rg_child *child, bool gently);
