/* job_bytes.h: jobs and results as bytes, between this program and the ranks that it spawned. Private to
 * gpu/.
 *
 *     frame   | magic 8 | length 8 | kind 8 | numbers of 8 bytes, texts and arrays with their length | \n |
 *
 *   - A frame ends with a newline for mpirun: from Open MPI 5 on it passes on only whole lines of a
 *     rank's output.
 *   - Both ends are the same program on machines of one kind: frames say no byte order.
 *   - A reader never reads beyond the bytes that came: where some are missing it sets `bad`, which
 *     stays set.
 */
#pragma once

#include "job/backend.h"

typedef enum rg_frame {
    RG_FRAME_HELLO = 1, /* who the ranks are */
    RG_FRAME_JOB,
    RG_FRAME_END, /* no more jobs */
    RG_FRAME_RESULT,
    RG_FRAME_ERROR, /* a status and its text */
    RG_FRAME_ALIVE, /* the ranks go on: how much is done, of how much */
    RG_FRAME_WAITS  /* a rank has waited too long: for whom, in which step, what is open there */
} rg_frame;

enum { RG_FRAME_HEAD = 24 };
extern const char rg_frame_magic[8];

typedef struct rg_writer {
    char *bytes; /* malloc; free it */
    size_t n, capacity;
    bool bad; /* no memory */
} rg_writer;
void rg_begin_frame(rg_writer *writer, rg_frame kind);
void rg_put(rg_writer *writer, int64_t number);
void rg_put_bytes(rg_writer *writer, const void *bytes, size_t n); /* its length first */
void rg_end_frame(rg_writer *writer); /* its line's end; fills in the length, which counts that */

typedef struct rg_reader {
    const char *at;
    size_t left;
    bool bad;
} rg_reader;
/* Returns a reader of the bytes between a frame's head and its newline; `bad` if either is
   missing. */
rg_reader rg_frame_reader(const char *frame, size_t n);
int64_t rg_get(rg_reader *reader);
/* Returns an array of *n bytes inside the frame; NULL: there is none. */
const void *rg_get_bytes(rg_reader *reader, size_t *n);
void rg_get_text(rg_reader *reader, char *out, size_t n_out);

void rg_put_job(rg_writer *writer, const rg_job *job);
/* Reads what rg_put_job wrote; the schedule is made anew, in the arena. */
rs_status rg_get_job(rg_reader *reader, rs_arena *arena, rs_error *error, rs_schedule *schedule,
                     rg_job *job);
void rg_put_result(rg_writer *writer, const rg_result *result, int32_t n_ranks);
/* result->wrong and ->crc32 have room for n_ranks. */
rs_status rg_get_result(rg_reader *reader, int32_t n_ranks, rs_arena *arena, rs_error *error,
                        rg_result *result);
