/* lines.h: the plan of kernel variant 6, in which data bring their own flags. Private to gpu/.
 *
 *     rank r   | adds | --- line, line, line ... ---> | adds | --->     rank r + 1, in whose memory they lie
 *
 *   - A LINE is 8 bytes: 4 of data and the number of the run, stored at once. Who loads its own run's number has
 *     the data, too: no task is waited for, no other rank's array is read.
 *   - Every message has lines of its own, which one thread writes and one reads, once a run. Runs follow each
 *     other only when all GPUs are idle, and their numbers differ: so lines are never reset, nor waited for to be
 *     free.
 *   - A rank sends a value when it comes to be: what it starts with at once, whatever it adds in the same turn.
 *     Nothing is put aside, but what a rank adds behind others' values (by rank).
 *   - Lines take twice the bytes of the data, for all messages at once: hence only small arrays.
 */
#pragma once

#include "cuda/turns.h"

enum { RG_LINES_MOST_BYTES = 256 << 10 /* of a rank's array */ };

typedef struct rg_line_plan {
    int32_t
        *first_after; /* [n_moves] the first message that brings what this move makes; -1: none */
    int32_t *next_after; /* [n_moves] the next message with the same value */
    int32_t *first_own;  /* [N] the first message with what the rank starts with */
    int64_t *at;         /* [n_moves] where a message's lines begin, of the receiver's */
    int64_t *n_lines;    /* [N] of all messages to the rank */
} rg_line_plan;

/* false: no memory. All of it is the arena's. */
bool rg_lines_new(const rg_plan *plan, const rg_job *job, rs_arena *arena, rg_line_plan *made);
/* Writes a rank's turns, and returns how many there are; NULL: only counts. lines: [N] where each rank's begin, as
   its device sees them. */
int32_t rg_lines_write(const rg_line_plan *lines_of, const rg_plan *plan, const rg_job *job,
                       int32_t rank, const rg_places *places, uint64_t *const lines[],
                       rg_turn turns[]);
