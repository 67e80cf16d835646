/* kernels.h: the kernels of kernels.cu, as C sees them. Private to gpu/.
 *
 *     variant 1   a launch a round, a thread accesses one element at a time        rg_round
 *     variant 2   a launch a round, a thread accesses 16 bytes at a time           rg_round
 *     variant 3   one CUDA graph holds variant 2's launches                        rg_round
 *     variant 4   one cooperative launch makes all rounds; the ranks' blocks       rg_whole
 *                 wait for each other by flags
 *     variant 5   the same, a tile at a time: all rounds of a part of the          rg_whole
 *                 array that fits the cache, then those of the next
 *     variant 6   one cooperative launch; small arrays go as lines that bring      rg_whole
 *                 their own flags
 *     variant 7   no steps: each element of all ranks is added in registers        rg_floor_run
 *
 *   - Every kernel takes one struct, by value: C launches it with cudaLaunchKernel or
 *     cudaLaunchCooperativeKernel and `void *arguments[] = {&round}`. None asks for shared memory at its launch.
 *   - The kernels add as rs_fold and divide as rs_finish do, bit by bit, but for the payload of NaN.
 *   - A pointer to an array is any address that the device can read: its own memory, a peer's, mapped
 *     memory of the host. Arrays are aligned as their element type, nothing more.
 *   - Every kernel accepts count = 0, null arrays with it, and chunks without elements.
 */
#pragma once

#include "cuda/floor.h"
#include "cuda/lines.h"

enum {
    RG_BY_LINES = 6,
    RG_FLOOR = 7,
    RG_N_VARIANTS = 7,
    RG_PIECE,                  /* no variant: the kernel of single operations, rg_piece */
    RG_THREADS = 256,          /* of every block, in every launch */
    RG_WARPS = RG_THREADS / 32 /* of threads that run in step */
};

/* How long the ranks' arrays are, and where kernels log times. All pointers are the device's; the job owns them. */
typedef struct rg_field {
    int64_t count; /* elements a rank */
    int32_t n_chunks, n_ranks;
    /* [n_transfers] ns of %globaltimer; NULL: no trace. The kernels keep the least start of all blocks
       (the host sets all ones before) and the greatest end (the host sets 0). */
    unsigned long long *starts, *ends;
} rg_field;

/* Variants 1 to 3: blocks 0 .. n_turns * slices - 1; block b makes slice b % slices of turn b / slices. */
typedef struct rg_round {
    rg_field field;
    const rg_turn *turns; /* of one round; their waits are not looked at */
    int32_t n_turns;
    int32_t slices; /* blocks a turn; each has its part of the chunk, in whole units of 16 bytes */
} rg_round;

/* Variants 4 and 5: block b is block b % slices of rank first_rank + b / slices. A rank's block i makes slice i
   of every chunk, always the same elements: so it waits only for block i of other ranks. With several tiles
   a chunk has slices * tiles slices; block i makes the slices i, i + slices, ..., and for each of them all
   its rank's tasks: what a tile's rounds read again lies in the cache still. */
typedef struct rg_whole {
    rg_field field;
    const rg_turn *turns;      /* of this device's ranks, one after the other; */
    const int32_t *turn_first; /* where each one's begin, and where the last ones end */
    uint32_t
        *done; /* [N * slices * RG_WARPS] the last task that a block's warp has done, counted over
                       all runs and tiles, most_tasks for each; the host sets 0 first. They lie in
                       this device's memory: who waits looks here, who has done something stores it
                       here and where others wait for it */
    uint32_t *const *
        far_done; /* [devices] the same flags in others' memory, where their ranks wait for them; */
    const uint64_t
        *watchers;   /* [this device's ranks] for whom: a bit a device, but this one. NULL: none */
    const int *stop; /* mapped memory of the host; not 0: blocks stop waiting */
    uint32_t run;    /* which run since `done` was zeroed: 0, 1, ... */
    int32_t most_tasks; /* of any rank: so all count alike */
    int32_t first_rank; /* the first of this device */
    int32_t slices;
    int32_t across; /* several devices take part: flags are for the whole system */
    int32_t tiles;  /* 1: variant 4 */
    int32_t
        lanes; /* tiles that a block carries side by side, at least 1: of each task those of all in turn, so
                       that one moves while the flags of the others are on their way */
    int16_t
        early; /* what a rank adds to is loaded before the wait for what it adds; not with field.starts */
    int16_t ahead; /* while a tile is added, the cache is asked for the next one */
} rg_whole;

/* Variant 6 takes an rg_whole, too: no flags (`done`), no tiles; its turns are those of lines.h. */

/* Variant 7, the floor: block b takes slice b % slices of sum b / slices: each thread adds its elements of all terms in
   registers, then writes them to all ends. Nobody else touches them: there are no flags, and no order among
   blocks. All arrays lie alike within 16 bytes. */
typedef struct rg_floor_run {
    rg_field field;
    const rg_floor_sum *sums;
    const rg_term *terms;
    char *const *ends;
    int32_t slices;
} rg_floor_run;

/* One array operation on `count` elements, for ranks that are processes: out = left op right (RG_REDUCE),
   out = left (RG_COPY), out = left / n_ranks as rs_finish does it (RG_FINISH). out may be left or right.
   A launch may have any number of blocks. */
typedef struct rg_piece {
    const char *left, *right;
    char *out;
    int64_t count;
    int32_t n_ranks;
    uint8_t op_kind, flip;
} rg_piece;

RS_BEGIN_DECLS
/* Returns the address of a variant's kernel, or RG_PIECE's, for this type and operation, to be launched with
   RG_THREADS threads a block; NULL for RS_N_DTYPES and RS_N_OPS. */
const void *rg_kernel_of(int32_t variant, rs_dtype dtype, rs_op op);
/* Returns the kernel that writes %globaltimer, in ns, to its argument, an unsigned long long *. One thread. */
const void *rg_kernel_of_clock(void);
RS_END_DECLS
