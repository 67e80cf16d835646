/* turns.h: a rank's plan as the blocks of kernel variants 4 and 5 read it. Private to gpu/.
 *
 *     plan      task 0: waits w0 w1 w2, moves m0 m1        task 1: move m2
 *     turns   | w0 w1, -  | w2, m0 | m1, ends task 0     | m2, ends task 1       one rank's, in a row
 *
 *   - A turn holds all that a block needs to know of a move: the addresses of its chunks too, as the
 *     block's device sees them. So a block that holds its turns in shared memory reads no other list.
 *   - Turns follow each other in memory: a block takes RG_TURNS_HELD of them at once.
 */
#pragma once

#include "job/plan.h"

enum { RG_TURNS_HELD = 128 /* by a block at once: 8 KiB; a ring of 64 ranks has 126 */ };

/* Where the chunk arrives, and where its new value goes to; NULL: it is `left`'s, and nobody gets it. */
typedef struct rg_lines {
    const uint64_t *in;
    uint64_t *to;
} rg_lines;

/* Waits, at most two; then a move; then the task may be done. */
typedef struct rg_turn {
    const char *left, *right; /* the chunk: what arrives, what it is added to */
    char *out;
    int64_t n; /* elements of the chunk; 0: no move, only waits */
    union {
        rg_wait waits[2]; /* rank -1: none, nor any behind it */
        rg_lines lines;   /* kernel variant 6 (lines.h), which waits for no flag of a task */
    };
    int32_t transfer;  /* as in rg_move */
    int32_t n_tasks;   /* that the rank has done after this turn; 0: it ends none */
    uint8_t op_kind;   /* rg_plan_op */
    bool flip, finish; /* as in rg_move */
    bool larger;       /* as in rg_move */
} __attribute__((aligned(16))) rg_turn;

/* Where the ranks' arrays are, as one device sees them: [N] each, RG_TARGET first; NULL: the plan does not
   need them. */
typedef struct rg_places {
    char *const *of[RG_N_STORES];
} rg_places;

/* Writes a rank's turns, and returns how many there are; NULL: only counts. Of the job it needs count and dtype. */
int32_t rg_turns_write(const rg_plan *plan, const rg_job *job, int32_t rank,
                       const rg_places *places, rg_turn turns[]);
/* Makes a turn that makes the move and waits for nothing. */
void rg_turn_set(const rg_plan *plan, const rg_job *job, const rg_move *move,
                 const rg_places *places, rg_turn *turn);
/* Returns the tasks of the rank that has most. */
int32_t rg_most_tasks(const rg_plan *plan);
