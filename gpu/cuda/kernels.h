/* kernels.h: what the device executes (kernels.cu), as C sees it. Private to gpu/.
 *
 *     kernel variant 1   a launch a round, one element a thread and access     rg_kernel_of_round(false, ...)
 *     kernel variant 2   the same, 16 bytes an access                          rg_kernel_of_round(true, ...)
 *     kernel variant 3   kernel variant 2's launches as one CUDA graph
 *     kernel variant 4   one cooperative launch for everything, flags between  rg_kernel_of_all
 *              the ranks' blocks in place of launches
 *
 *   - Every kernel takes one struct, by value, so that C launches it with cudaLaunchKernel or
 *     cudaLaunchCooperativeKernel: `void *arguments[] = {&round}`. No kernel uses shared memory.
 *   - The arithmetic is rs_fold's and rs_finish's, bit by bit, but for the payload of NaN.
 *   - Pointers to arrays are any address that the device can read: its own memory, a peer's, mapped
 *     memory of the host; alignment is that of the element type, nothing more.
 *   - All are null-safe for count = 0 and for chunks without elements.
 */
#ifndef RG_KERNELS_H
#define RG_KERNELS_H

#include "job/plan.h"

enum { RG_RUNGS = 4, RG_THREADS = 256 /* of every block, in every launch */ };

/* The ranks' arrays, and where to write down what happened when. All pointers are the device's. */
typedef struct rg_field {
    char *const *targets;       /* [N] the arrays that are reduced */
    const char *const *sources; /* [N] the inputs, for RG_BRING; NULL in place */
    char *const *asides;        /* [N] NULL: the plan needs none */
    int64_t count;              /* elements a rank */
    int32_t n_chunks, n_ranks;
    unsigned long long
        *starts; /* [n_transfers] ns of %globaltimer, the least of all blocks' (set to */
    unsigned long long *ends; /* all ones before), and the greatest (set to 0); NULL: no trace */
} rg_field;

/* Kernel variants 1 to 3: blocks 0 .. n_moves * slices - 1; block b makes slice b % slices of move b / slices. */
typedef struct rg_round {
    rg_field field;
    const rg_move *moves; /* the first of these */
    int32_t n_moves;
    int32_t slices; /* blocks a move; each has its part of the chunk, in whole units of 16 bytes */
} rg_round;

/* Kernel variant 4: block b is block b % slices of rank first_rank + b / slices. A rank's block i makes slice i
   of every chunk, always the same elements: so it waits only for the blocks i of other ranks. */
typedef struct rg_whole {
    rg_field field;
    const rg_move *moves;
    const rg_task *tasks;
    const int32_t *task_first;
    const rg_wait *waits;
    uint32_t *done;             /* [N * slices] tasks done, of all runs so far; begins with zeros */
    const int *stop;            /* mapped memory of the host: not 0: whoever waits gives up */
    uint32_t run;               /* which run since `done` was zeroed: 0, 1, ... */
    int32_t first_rank, n_here; /* the ranks of this device */
    int32_t slices;
    int32_t across; /* several devices take part: flags are for the whole system */
    int32_t reserved;
} rg_whole;

/* One array operation, for ranks that are processes: out = left op right (RG_REDUCE), out = left
   (RG_COPY), out = left / n_ranks as rs_finish (RG_FINISH). out may be left or right. Any number of
   blocks. */
typedef struct rg_piece {
    const char *left, *right;
    char *out;
    int64_t count;
    int32_t n_ranks;
    uint8_t op_kind, flip;
} rg_piece;

#ifdef __cplusplus
extern "C" {
#endif
const void *rg_kernel_of_round(bool vector, rs_dtype dtype, rs_op op);
const void *rg_kernel_of_all(rs_dtype dtype, rs_op op);
const void *rg_kernel_of_piece(rs_dtype dtype, rs_op op);
/* Takes an unsigned long long *: writes %globaltimer into it. One thread. */
const void *rg_kernel_of_clock(void);
#ifdef __cplusplus
}
#endif

#endif
