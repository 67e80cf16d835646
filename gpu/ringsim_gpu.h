/* ringsim_gpu.h: the face of all that runs a schedule for real, in the order in which data flows.
 *
 *     job (schedule, type, data) --> GROUP of N ranks --> run --> RESULT: #wrong, digests, times, trace
 *                                    cpu | cuda | nccl | mpi
 *
 *   - Every backend executes the schedule transfer for transfer, with the arithmetic of sim/'s
 *     reference, and must come to the same bits where the schedule's collective promises any. nccl and
 *     mpi also ask the vendor's own collective with the same inputs: the oracle.
 *   - The verdict is never rank 0's alone: every rank compares its own result with the exact answer,
 *     and all vote.
 *   - A backend that cannot run here says so, with the reason: RS_UNSUPPORTED. Nothing is claimed
 *     that was not run.
 *   - CUDA is linked statically, NCCL and MPI are loaded when they are asked for: the program starts
 *     anywhere.
 */
#pragma once

#include "ringsim.h"

RS_BEGIN_DECLS

/* ------------------------------------------------------------------ 1. What is to be run */

typedef enum rg_special { /* planted into the inputs, at seeded places, of every rank */
                          RG_PLAIN,
                          RG_NAN,
                          RG_INF,
                          RG_NEGATIVE_ZERO,
                          RG_SUBNORMAL,
                          RG_OVERFLOW,
                          RG_N_SPECIALS
} rg_special;

typedef struct rg_job {
    const rs_schedule *schedule; /* of N ranks */
    rs_dtype dtype;
    rs_op op;
    int64_t count; /* elements of a rank's array (rs_array_count) */
    rs_data
        data; /* each rank makes its own with rs_fill; what is not its data at the start is noise */
    uint64_t seed;
    const double *list; /* [N], for RS_DATA_LIST */
    rg_special special;
    int32_t offset;        /* elements by which the arrays are off their natural alignment */
    bool in_place;         /* else from one array to another, the first of which must not change */
    int32_t warmup, times; /* runs before the clock counts, and those it counts; times >= 1 */
    int32_t warmup_ms;     /* cuda: warm up for so long at least: clocks rise with work */
    bool device_clock;     /* cuda, one GPU: so many runs more, timed by the GPU's own events */
    int32_t flip_rank;     /* a planted fault: the lowest bit of the first element that this rank */
    int32_t flip_step;     /* sends in this step flips on the way; rank -1: none */
    int32_t flip_run;      /* only in this timed run, from 1; 0: in each (cuda: always in each) */
    bool check_every;      /* judge each timed run; else the last of them */
    bool trace;            /* keep the start and end of every transfer of the last run */
    bool oracle;           /* ask the vendor's own collective too */
    const rs_bits *predicted; /* in which order that is said to add; NULL: nothing is said */
    const rs_sums *sums;      /* of `predicted` */
    int32_t timeout_ms;       /* how long ranks wait for each other; 0: 60 s */
    int64_t
        window_bytes; /* cpu: how much of all ranks' arrays it holds at a time; 0: RG_WINDOW_BYTES */
} rg_job;
enum { RG_WINDOW_BYTES = 128 << 20, RG_MOST_PREDICTED = 1024 /* ranks */ };

/* Fills `out` with what `rank` holds at the start: rs_fill's data and the job's special values, which
   are the same on every machine. Tells nothing of NaN where the type has none. False: the host (may be
   NULL) said stop. */
bool rg_fill(const rg_job *job, int32_t rank, const rs_host *host, void *out);
const char *rg_special_name(rg_special special); /* "plain", "nan", ... */

/* ------------------------------------------------------------------ 2. What came out */

enum { RG_NOTE = 288 }; /* bytes: all remarks that a run on GPUs can earn */

/* Where a rank stands that waits too long, or failed. */
typedef struct rg_stand {
    int32_t rank;
    int32_t n_runs; /* that are over, warm-up included */
    int32_t step;   /* of the run that it is in; -1: it waits for all others, before the next run */
    uint64_t open_sends,
        open_recvs; /* bit i: message i of the step is not over; bit 63: one from 63 on */
} rg_stand;

/* Where the vendor's own result has other bits than the job predicts. */
typedef struct rg_unlike {
    int64_t n;            /* elements of all ranks */
    int64_t element;      /* the first of them, */
    int32_t rank;         /* on the lowest rank that has it */
    uint64_t wanted, got; /* its bits */
    int32_t like; /* a sum of the job's table that gives its bits and those behind it; -1: none */
} rg_unlike;

typedef struct rg_result {
    bool completed; /* false: it hangs, or a rank died; `failure` says who waits for whom, and no
                           other number holds. The group can then only be closed */
    char failure[320];
    rg_stand *
        stuck; /* [n_stuck] of a group that this process has spawned: those that said so; else its own rank */
    int32_t n_stuck;
    int64_t time_ps; /* one run: the median over `times` of the slowest rank's time */
    int64_t
        device_ps; /* the same by the GPU's events, without the launch's way there; 0: not asked */
    int64_t traffic_bytes; /* cuda: what one run's plan reads and writes of the arrays; else 0 */
    int32_t n_rounds;      /* cuda: of the plan, a launch each of kernel variants 1 to 3 */
    int64_t
        n_wrong; /* elements of all ranks that are not the exact answer, bit by bit (NaN = NaN), in
                    all runs that were judged */
    bool *wrong; /* [N] in any of them */
    int32_t n_checked; /* timed runs that were judged; 0: already the first run of all was wrong */
    int32_t n_wrong_runs;    /* of them */
    int32_t first_wrong_run; /* the number of the first, from 1; 0: none */
    uint32_t *crc32;         /* [N] of what each rank must hold at the end; 0: nothing */
    int64_t n_spoilt; /* ranks that wrote beside their array, or into the input they had to keep */
    bool has_oracle;  /* the vendor's own collective ran too: */
    int64_t oracle_time_ps;
    int64_t oracle_differs; /* elements of all ranks whose bits differ from the schedule's result */
    int64_t oracle_outside; /* of the oracle's, beyond the proven bound (N-1) u sum|x| of the exact
                                sum; integers, min, max: all that differ */
    int64_t oracle_unjudged; /* that differ where nobody promises anything: special values, integers
                                that overflow in a library that does not say they wrap */
    double oracle_bound;     /* that bound's u (N-1), for the report; 0: the bits must be equal */
    bool has_unlike;         /* the job predicts the oracle's bits, too: */
    rg_unlike unlike;
    int64_t n_elements; /* that all ranks together must hold at the end; all-reduce: N x count */
    rs_trace *trace;    /* measured; NULL: not kept. Clocks of all ranks brought to one origin */
    char note[RG_NOTE]; /* what the reader should know: "correctness only: 4 ranks on one GPU" */
} rg_result;

/* ------------------------------------------------------------------ 3. Backends */

/* The backends: kind, name, and table of functions (an rg_backend). A new one is a folder of its own
   and a row here. */
#define RG_BACKENDS(row)                                                                           \
    row(RG_CPU, "cpu", rg_cpu) row(RG_CUDA, "cuda", rg_cuda) row(RG_NCCL, "nccl", rg_nccl_backend) \
        row(RG_MPI, "mpi", rg_mpi)
#define RG_KIND_OF(kind, name, table) kind,
typedef enum rg_kind { RG_BACKENDS(RG_KIND_OF) RG_N_KINDS } rg_kind;

/* How the ranks of a group come to be and find each other. */
typedef enum rg_launch_mode {
    RG_SPAWN,   /* this process starts them itself, before any call to CUDA */
    RG_LAUNCHED /* it is one of them: started by mpirun, srun, torchrun */
} rg_launch_mode;
/* Tells whether this process was started as one of several ranks, by its environment: torchrun's RANK
   and WORLD_SIZE, mpirun's OMPI_COMM_WORLD_*, PMI_*, srun's SLURM_*. */
rg_launch_mode rg_launch_env_mode(void);
/* Says which of these variables makes no sense, if one does: a rank beyond the last, a rank without a
   world size, no number. To be asked before the others, which then tell of a process that is alone. */
rs_status rg_launch_env_check(rs_error *error);
int32_t rg_launch_env_size(void);       /* how many they are; 0: not said */
int32_t rg_launch_env_rank(void);       /* which of them it is; 0 where it is alone */
int32_t rg_launch_env_local_rank(void); /* which of those on this machine: its GPU; -1: not said */
const char *rg_launch_env_launcher(void); /* "mpirun", "torchrun", "srun", ...; NULL: it is alone */
/* Lists what it was told: "RANK=1 WORLD_SIZE=4 LOCAL_RANK=1 MASTER_PORT=29500"; "": nothing. */
void rg_launch_env_words(char *out, size_t n_out);

/* Tells whether ranks may be told to find each other there: env://, tcp://HOST:PORT, file:///PATH. Looks at no name and no
   file. */
rs_status rg_init_check(const char *init, rs_error *error);

/* How kernels 4 and 5 of the ladder go through the array; all 0: as what has been measured does. Nobody has measured
   the others yet: `make first-hour` does. Same bits. */
typedef struct rg_tiling {
    int32_t
        lanes; /* kernel 5: tiles side by side in a block, so that one moves while others wait; 0: one */
    int32_t cache_percent; /* kernel 5: of the L2 cache, which they take together; 0: 200 */
    bool early;            /* the own operand is loaded before the wait; not in a trace */
    bool ahead;            /* kernel 5: the cache is asked for the next tile */
} rg_tiling;

typedef struct rg_setup {
    int32_t n_ranks;
    rg_launch_mode mode;
    const char *init;    /* env://, tcp://HOST:PORT, file:///PATH; NULL: our own, on the loopback */
    const char *program; /* the path of this program: it is started again, as rg_serve's caller */
    const char *const *module_dirs; /* where ringsim-mpi.so may lie; ends with NULL */
    const char *hostfile;           /* for mpirun; NULL */
    int32_t timeout_ms;
    int32_t kernel; /* cuda: 1..7 of the ladder; 0: the best that may run */
    rg_tiling tiling;
} rg_setup;

/* Tells whether a group of this kind could be opened here; if not, *error says why, and how to get
   what lacks. Starts nothing. */
bool rg_available(rg_kind kind, const rg_setup *setup, rs_error *error);

/* Foresees the memory of this machine that runs on arrays of n_bytes a rank take, in all processes that this
   one starts or is; what a GPU needs is cuda's to see. */
double rg_need_bytes(rg_kind kind, const rg_setup *setup, double n_bytes);

/* N ranks that can run jobs. In a launched group every process holds one and makes the same calls. */
typedef struct rg_group rg_group;
const char *rg_kind_name(rg_kind kind); /* "cpu", "cuda", "nccl", "mpi" */
rs_status rg_group_open(rg_kind kind, const rg_setup *setup, const rs_host *host, rs_error *error,
                        rg_group **group);
/* Tells whether this process is the one that reports (rank 0, or the one that spawned the ranks). */
bool rg_group_reports(const rg_group *group);
enum { RG_WHERE_BYTES = 320 };
/* What the group runs on, in words: "4 processes on node1", "1 NVIDIA H200, driver 580.82". */
const char *rg_group_where(const rg_group *group);
/* What NCCL is that the group talks through: its version, 22809, and how many nodes its ranks are to it; 0 and 0: not
   NCCL, or the user has told it who is where. */
typedef struct rg_library {
    int32_t version, n_nodes;
} rg_library;
rg_library rg_group_library(const rg_group *group);
/* Runs the job on all ranks. The result lives in the arena; where this process does not report it
   holds the vote's outcome all the same. */
rs_status rg_group_run(rg_group *group, const rg_job *job, rs_arena *arena, rs_error *error,
                       rg_result *result);
void rg_group_close(rg_group *group); /* no process is left behind; NULL is fine */
/* After a close: a kernel still runs that could not be stopped. CUDA's own end of a process would wait for
   it for ever: leave by _exit. */
extern bool rg_never_ends;

/* ------------------------------------------------------------------ 4. Spawned ranks */

/* A spawned rank is this program once more, without arguments' meaning: this names its kind; -1: this
   process is none. The program then calls rg_serve before anything else, and ends. */
int rg_served_kind(void);
/* Runs jobs that come through in_fd and sends the results through out_fd, until there are no more. */
rs_status rg_serve(const rg_setup *setup, int in_fd, int out_fd, rs_error *error);

RS_END_DECLS
