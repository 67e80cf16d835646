/* cuda.h: what the files of the cuda backend share. Private to gpu/cuda/.
 *
 *     cuda_errors.c    what became of a call to CUDA, in one line
 *     devices.c  which GPUs there are, what they can, who reaches whose memory
 *     cuda_memory.c   the ranks' arrays on the GPUs: up, down and judged
 *     cuda_plan.c    the plan on the GPUs, and what else each of them holds
 *     turns.c    a rank's plan as the blocks of kernel variants 4 and 5 read it
 *     rounds.c   kernel variants 1 to 3: who launches what in which round, after whom
 *     floor.c    what the plan comes to without its steps: kernel variant 7
 *     lines.c    a rank's plan as the blocks of kernel variant 6 read it
 *     ladder.c   the seven ways of running the plan, one function each
 *     cuda_wait.c     until the GPUs are idle, but not for ever; who hangs
 *     cuda_trace.c    when each transfer ran, by the GPUs' clocks
 *     cuda_job.c      a whole job: matched, timed, traced, judged
 *     cuda.c     the backend: may it run here, open, close
 *
 *     one process:   GPU 0 [rank 0, rank 1]   GPU 1 [rank 2, rank 3]   ...      rank r on r * D / N
 *
 *   - Functions that return bool have told why in the group's `trouble` when it is false; the first
 *     trouble is kept.
 *   - What goes wrong before a kernel was launched is an error of that job alone. What goes wrong
 *     while kernels run leaves nothing to build on: `lost`, the group can only be closed.
 *   - Nothing here blocks for ever: the host polls a GPU, with a deadline.
 */
#pragma once

#include "cuda/kernels.h"

#include <cuda_runtime_api.h>

enum { RG_MOST_GPUS = 64 };

typedef struct rg_gpu {
    int device; /* CUDA's number */
    char name[64];
    int n_sms;        /* streaming multiprocessors */
    bool cooperative; /* can launch blocks that all run at once, or not at all */
    int32_t first_rank, n_ranks;
    cudaStream_t stream;
    cudaEvent_t event;
} rg_gpu;

/* What host and GPUs both see, in mapped memory of the host. */
typedef struct rg_board {
    int stop;                 /* not 0: blocks that wait give up */
    unsigned long long clock; /* what rg_kernel_of_clock wrote */
} rg_board;

typedef struct rg_gpus {
    rg_group group;
    rg_gpu *list;
    int n;
    bool *reaches;  /* [n * n] list[a] can read and write the memory of list[b]; */
    bool *made_so;  /* [n * n] since this group was opened, until it is closed */
    int32_t wanted; /* a kernel variant of the ladder; 0: the best that may run */
    rg_tiling tiling;
    rg_board *board;
    cudaStream_t spare; /* of the first GPU: a way past a kernel that hangs */
    rs_status status;   /* of the first trouble */
    rs_error trouble;
    bool lost; /* a run failed: the group can only be closed */
    bool busy; /* a kernel never ended: freeing memory would wait for it */
} rg_gpus;

/* What one GPU holds for a job. All pointers are the GPU's, but those of places. */
typedef struct rg_device_plan {
    rg_places places;   /* in lists of the host's */
    rg_whole whole;     /* kernel variants 4 to 6; 1 to 3: its turns, round by round, and field */
    rg_floor_run floor; /* kernel variant 7 */
    int64_t n_blocks;   /* kernel variants 4 to 7 */
    unsigned long long *seen; /* [2 * n_transfers] field.starts, then ends; NULL: no trace */
    int resident;             /* blocks of the job's kernel that run at once */
} rg_device_plan;

/* What one GPU does in one round. */
typedef struct rg_stint {
    int32_t first_turn, n_turns;
    uint64_t after; /* GPUs, as bits, whose work so far must be done first */
} rg_stint;

typedef struct rg_taken { /* memory that a job has taken */
    void *pointer;
    int gpu;
    bool shared; /* the host's */
} rg_taken;

typedef struct rg_cuda_job { /* one job */
    rg_gpus *gpus;
    const rg_job *job;
    rs_arena *arena; /* gone when the job is over */
    void **data;     /* [N] the data of `host`, */
    int64_t *counts; /* [N] the wrong elements found there, */
    bool *intact;    /* [N] and whether their guards, and the inputs, are what they were */
    uint32_t *crc32; /* [N] the result's */
    rg_plan *plan;
    rg_line_plan line_plan; /* kernel variant 6 */
    int32_t variant;
    char why_not[96]; /* why not a persistent kernel, where the best was asked for; "": it is */

    bool in_host;               /* the arrays lie in mapped memory of the host */
    size_t block_bytes, before; /* of each array with its guards; the first of them */
    char **blocks[RG_N_STORES]; /* [N] each, RG_TARGET first; as the host calls them */
    rg_taken *taken;            /* everything that the job gives back */
    int32_t n_taken, most_taken;
    rg_device_plan *parts; /* [n_gpus] */
    rg_judge judge;
    rg_array *host; /* [N] copies of the arrays in this process, on their way up or down */

    rg_stint *stints;      /* [n_rounds * n_gpus] kernel variants 1 to 3 */
    cudaGraphExec_t graph; /* kernel variant 3 */
    int32_t slices;        /* kernel variants 4 to 6: blocks a rank */
    int32_t tiles;         /* kernel variant 5: parts of the array, one after another; else 1 */
    int32_t lanes;         /* of them side by side; else 1 */
    int32_t most_tasks;    /* of a rank */
    uint32_t
        *flags; /* kernel variants 4, 5: the flags, or where a copy of them goes; the host's memory;
                  NULL: none */
    bool flags_in_host; /* the flags themselves */
    uint32_t n_runs;    /* kernel variants 4 to 6: since flags and lines were zeroed */

    int64_t deadline_ps; /* of the run under way */
    bool running;        /* kernels were launched: what fails now fails for good */
    cudaEvent_t began,
        ended; /* around a launch, where the GPU's own clock is asked; NULL: it is not */
    bool cancelled;
    int32_t n_done, n_all; /* runs, for the progress */
} rg_cuda_job;

/* ------------------------------------------------------------------ cuda_errors.c */

/* Notes the trouble, if there is one: "cudaMalloc on GPU 0, NVIDIA H200: out of memory". gpu: its
   place in the list; -1: none. */
bool rg_cuda_ok(rg_gpus *gpus, int gpu, cudaError_t code, const char *call);
/* The call's own name and arguments, written once. */
#define RG_CUDA(gpus, gpu, call) rg_cuda_ok(gpus, gpu, call, #call)
bool rg_cuda_trouble(rg_gpus *gpus, rs_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool rg_cuda_on(rg_gpus *gpus, int gpu); /* the calls that follow are about this GPU */

/* ------------------------------------------------------------------ devices.c */

bool rg_devices_open(rg_gpus *gpus);
void rg_devices_close(rg_gpus *gpus);
int rg_gpu_of(const rg_gpus *gpus, int32_t rank);

/* ------------------------------------------------------------------ cuda_errors.c */

/* Takes memory of a GPU (of the host where `shared`), zeroed, until the job is over. */
void *rg_take(rg_cuda_job *work, int gpu, size_t n_bytes, bool shared);
void *rg_as_seen_by(rg_cuda_job *work, int gpu, void *pointer, bool shared);
void rg_memory_give_back(rg_cuda_job *work); /* whatever was taken */

/* ------------------------------------------------------------------ cuda_memory.c */

bool rg_memory_take(rg_cuda_job *work);    /* the arrays, the plan; the inputs are there then */
bool rg_memory_restore(rg_cuda_job *work); /* the targets, as they are before a run */
/* Brings all arrays back, and judges them; *n_wrong: elements of this one run. */
bool rg_memory_judge(rg_cuda_job *work, rg_result *result, int64_t *n_wrong);

/* ------------------------------------------------------------------ cuda_plan.c */

/* How many blocks share the elements of one chunk, if so many are to run in all and n of them side by
   side work on different chunks. */
int32_t rg_slices(const rg_cuda_job *work, int64_t n_blocks, int64_t n);
bool rg_device_plans_new(rg_cuda_job *work);
/* Takes memory of the GPU and copies the bytes into it, before whatever its stream does next. */
void *rg_send(rg_cuda_job *work, int gpu, const void *bytes, size_t n_bytes);
size_t rg_flags_bytes(const rg_cuda_job *work); /* of all flags of kernel variants 4 and 5 */

/* ------------------------------------------------------------------ rounds.c, ladder.c */

bool rg_rounds_new(rg_cuda_job *work);
/* Launches all rounds on all GPUs, each after what it needs. */
bool rg_rounds_launch(rg_cuda_job *work);
int32_t rg_best_variant(const rg_gpus *gpus, bool trace);  /* where a job may choose */
bool rg_ladder_refuse(rg_cuda_job *work, const char *why); /* that variant; returns false */
bool rg_ladder_choose(rg_cuda_job *work); /* the kernel variant; before any memory is taken */
bool rg_ladder_ready(rg_cuda_job *work);  /* all that need not be done while the clock runs */
bool rg_ladder_launch(rg_cuda_job *work); /* runs the plan once; it goes on when this returns */
void rg_ladder_end(rg_cuda_job *work);
const char *rg_variant_name(int32_t variant); /* "one persistent launch" */

/* ------------------------------------------------------------------ cuda_wait.c, cuda_trace.c, cuda_job.c */

/* Waits until all GPUs are idle. false: cancelled, or the time is over, or a kernel failed. */
bool rg_wait_idle(rg_cuda_job *work);
bool rg_told_to_stop(rg_cuda_job *work); /* by the person in front of it */
rs_status rg_trace_read(rg_cuda_job *work, rs_arena *arena, rs_error *error, rs_trace **trace);
bool rg_trace_ready(rg_cuda_job *work); /* room for what the kernels see; it holds nothing yet */
rs_status rg_cuda_run(rg_group *group, const rg_job *job, rs_arena *arena, rs_error *error,
                      rg_result *result);
