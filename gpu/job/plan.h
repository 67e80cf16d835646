/* plan.h: the schedule as a GPU executes it. Private to gpu/.
 *
 *     schedule --> MOVES, one a chunk --> ROUNDS of independent moves           (a launch a round)
 *                                     --> TASKS, one a rank and round, with WAITS  (no launches)
 *
 *   - One rank, `by`, makes a move: it reads one cell and writes one cell. (A cell is one chunk of
 *     one rank.) Ranks pull: `by` is the receiver, unless a rank puts a cell of its own aside.
 *   - From one array to another nothing is copied before: a cell that was never written is read where its
 *     rank's input lies, by whoever needs it, and the first move into it writes the other array. Only a
 *     cell that no message reaches is copied.
 *   - avg's division is part of the move that makes a value, if that value is never added to another. Where
 *     all values are so no move only divides. With a flip each cell is divided at the end: a bit that
 *     flips before the division is not one that flips after it.
 *   - A step reads before it writes. A cell that is sent and written in the same step is first copied
 *     aside by its owner, in a round before; the receivers then read it there. (A cell that was never
 *     written they read in the input.)
 *   - Several messages into one cell in a step follow each other in list order, a round each. Where they are added by
 *     rank the first overwrites the cell, and its own value, put aside, follows those of lower ranks.
 *   - Moves of one round may run in any order, or all at once; rounds follow each other. To run
 *     tasks instead needs no rounds: a task may start when its waits are met. Waits order all
 *     conflicts: read after write, write after read, write after write.
 *   - A flip hits the lowest bit of the first element of every message that the rank sends in the step:
 *     the moves of those messages' first chunks carry the flag. (As rs_apply does it: the flipped cell
 *     itself stays what it is.)
 *   - The element ranges of chunks are rs_chunk_first's: whatever parts the array is cut into first, chunks have
 *     count / n_chunks elements or one more.
 *   - Only what the collective promises is copied, or divided, at the end.
 *   - A chunk without elements makes no move, though its transfer is listed.
 */
#pragma once

#include "job/backend.h"

typedef enum rg_plan_op {
    RG_ASIDE,  /* own array -> own room aside */
    RG_COPY,   /* src's array -> own */
    RG_REDUCE, /* the same, added: arriving op own */
    RG_FINISH  /* own array, divided by the number of ranks: avg */
} rg_plan_op;

/* A rank's arrays: the one that is reduced; the input, where a run goes from one array to another; the
   room aside, if the plan needs it. */
enum { RG_TARGET, RG_SOURCE, RG_BESIDE, RG_N_STORES };

typedef struct rg_move {
    int32_t by;       /* the rank that makes it, and whose cell it writes */
    int32_t src;      /* the rank whose cell it reads */
    int32_t chunk;    /* of both */
    int32_t transfer; /* index in the schedule, counted in step and list order; -1: none */
    uint8_t op_kind;  /* rg_plan_op */
    uint8_t left;     /* which array of src's it reads: RG_TARGET, ... */
    uint8_t right;    /* RG_REDUCE: which of its own it adds that to: RG_TARGET or RG_SOURCE */
    bool flip : 1;    /* flips the lowest bit of the first element that it reads */
    bool finish : 1;  /* divides what it writes by the number of ranks; never with flip */
    bool larger : 1;  /* the chunk has one element more than count / n_chunks */
    int32_t round;
    int64_t first; /* where the chunk begins, in elements */
} rg_move;

/* What one rank does in one round. */
typedef struct rg_task {
    int32_t first_move, n_moves; /* in moves[] */
    int32_t first_wait, n_waits; /* in waits[] */
} rg_task;
/* Wait until `rank` has done n_tasks of its tasks. It has at least so many; ranks never wait in a
   circle. */
typedef struct rg_wait {
    int32_t rank, n_tasks;
} rg_wait;

typedef struct rg_plan {
    int32_t n_ranks, n_chunks, n_rounds;
    int32_t n_moves, n_tasks, n_waits;
    bool has_aside;       /* each rank needs a room aside, as large as its array */
    rg_move *moves;       /* sorted by round, then by `by`, then in list order */
    int32_t *round_first; /* [n_rounds + 1] */
    rg_task *tasks;       /* rank after rank, each one's in the order of rounds */
    int32_t *task_first;  /* [N + 1] */
    rg_wait *waits;
    rs_transfer *transfers; /* [n_transfers], and the step of each: for the trace */
    int32_t *steps;
    int64_t n_transfers;
} rg_plan;

/* With more moves the lists alone would take gigabytes; a ring may have 5792 ranks. */
enum { RG_MAX_MOVES = 1 << 26 };

/* Makes the plan of job->schedule; of the job it also needs op (avg), in_place, count (0: nothing
   moves) and the flip. RS_TOO_LARGE: more than RG_MAX_MOVES moves or transfers. The arena's host hears
   of the progress and may cancel. Time and memory: in proportion to moves and cells. */
rs_status rg_plan_new(const rg_job *job, rs_arena *arena, rs_error *error, rg_plan **plan);
/* Returns the elements of a move's chunk. */
int64_t rg_move_count(const rg_plan *plan, const rg_job *job, const rg_move *move);
/* Returns the bytes of the ranks' arrays that one run of the job's plan reads and writes, if nothing stays in
   a cache. */
int64_t rg_plan_traffic(const rg_plan *plan, const rg_job *job);

/* plan_tasks.c: makes tasks and waits from the sorted moves. n_full: how many chunks, the first
   ones, hold elements. `scratch` gives the memory that only this call needs. */
rs_status rg_plan_tasks(rg_plan *plan, int32_t n_full, rs_arena *arena, rs_arena *scratch,
                        rs_error *error);
