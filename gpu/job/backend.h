/* backend.h: what the backends share. Private to gpu/.
 *
 *     rg_group_open --> backend->open --> a struct that begins with rg_group
 *     rg_group_run  --> backend->run  --> inputs (inputs.c), the run itself, judgement (judge.c)
 *
 * To add a backend: one rg_backend in a folder of its own, and a row of RG_BACKENDS in ringsim_gpu.h.
 */
#pragma once

#include "ringsim_gpu.h"

typedef struct rg_backend {
    const char *name;
    /* The rest: see the functions of the same names in ringsim_gpu.h. */
    bool (*available)(const rg_setup *setup, rs_error *error);
    rs_status (*open)(const rg_setup *setup, const rs_host *host, rs_error *error,
                      rg_group **group);
    /* The result is filled with zeros; `wrong` and `crc32` have room. */
    rs_status (*run)(rg_group *group, const rg_job *job, rs_arena *arena, rs_error *error,
                     rg_result *result);
    void (*close)(rg_group *group);
} rg_backend;
#define RG_DECLARE_BACKEND(kind, name, table) extern const rg_backend table;
RG_BACKENDS(RG_DECLARE_BACKEND)

struct rg_group { /* the first member of each backend's own */
    const rg_backend *backend;
    const rs_host *host; /* may be NULL */
    int32_t n_ranks;
    bool reports;
    char where[RG_WHERE_BYTES];
    rg_library library;
};

enum { RG_DEFAULT_TIMEOUT_MS = 60000 };
#define RG_MS_PS INT64_C(1000000000) /* picoseconds of a millisecond */

/* ------------------------------------------------------------------ launch_environment.c */

bool rg_launch_env_has_mpi(
    void); /* MPI_Init finds the other ranks: mpirun or srun started us, not torchrun */
bool rg_launch_env_all_here(void); /* the environment says that all ranks run on this machine */
/* Writes a name that all ranks of one launch share and no other launch has: torchrun's run and restart,
   mpirun's namespace, Slurm's job and step, or what our own launcher made up; "": the environment names
   none, as when ranks are started by hand. */
enum { RG_TOKEN_BYTES = 128 };
void rg_launch_env_token(char out[RG_TOKEN_BYTES]);
/* Makes up such a name for the ranks that this process starts. */
void rg_launch_env_new_token(void);
/* Sets the environment that torchrun would set for this rank. host, port: of the bootstrap; NULL:
   leaves them as they are. */
void rg_launch_env_set_rank(int32_t rank, int32_t n_ranks, const char *host, const char *port);

/* ------------------------------------------------------------------ cuda/devices.c, where HAVE_CUDA */

/* Tells whether the driver has a GPU, and how many this process sees; starts nothing on them. */
bool rg_devices_there(int *n, rs_error *error);

/* ------------------------------------------------------------------ arrays.c */

enum { RG_GUARD_BYTES = 256 };
/* An array between two guards, which no rank may change. */
typedef struct rg_array {
    char *block;
    void *data; /* `offset` elements after an address aligned to 64 bytes */
    size_t n_bytes;
    size_t before; /* bytes between block and data, all of them guard */
} rg_array;
/* Makes one for n elements of the job's type. */
rs_status rg_array_new(const rg_job *job, int64_t n, rs_arena *arena, rs_error *error,
                       rg_array *array);
/* From now on it holds n_bytes, at most as many as it was made for; the guard moves up behind them. */
void rg_array_cut(rg_array *array, size_t n_bytes);
bool rg_array_intact(const rg_array *array);

/* ------------------------------------------------------------------ answer_ranges.c */

typedef struct rg_range { /* of a rank's array, in elements */
    int64_t first, n;
} rg_range;
/* Returns the elements that are the rank's data at the start; n = 0: it has none. */
rg_range rg_held(const rg_job *job, int32_t rank);
/* Goes to the next elements that the rank must hold at the end: for (rg_range r = {from, 0}; rg_next_answer(job, rank, &r);). */
bool rg_next_answer(const rg_job *job, int32_t rank, rg_range *range);
int64_t rg_count_answers(const rg_job *job, int32_t rank); /* so many elements in all */
/* Returns what of the range lies in elements first .. first + n - 1. */
rg_range rg_within(rg_range range, int64_t first, int64_t n);
/* Continues the CRC-32 of the elements that a rank must hold at the end, with those of first .. first + n - 1,
   which `elems` begins with. */
uint32_t rg_sum_up(const rg_job *job, int32_t rank, int64_t first, int64_t n, const void *elems,
                   uint32_t crc32);
/* Tells whether all ranks give, or get, as many elements, as the vendors' calls want it. */
bool rg_shares_alike(const rg_job *job);
/* Tells whether sums are divided at the end: avg, of a collective that adds. */
bool rg_divides(const rg_job *job);
/* Divides the whole array, if so. */
void rg_finish_all(const rg_job *job, void *elems);

/* ------------------------------------------------------------------ inputs.c */

/* As rg_fill, elements first .. first + n - 1 only, which `out` begins with. */
void rg_fill_part(const rg_job *job, int32_t rank, int64_t first, int64_t n, void *out);
/* As rg_fill, for all ranks, side by side if the host can. */
bool rg_fill_all(const rg_job *job, const rs_host *host, void *const out[]);

/* ------------------------------------------------------------------ judge.c */

/* What judges results: it makes what all ranks started with anew, from the job alone, a window of the
   arrays at a time, and so needs the memory of a window. */
typedef struct rg_judge {
    const rg_job *job;
    int64_t most;  /* elements of a rank in a window */
    rs_part part;  /* the window that `inputs` hold */
    void **inputs; /* [N] */
} rg_judge;
/* window_bytes: of all ranks together. */
rs_status rg_judge_new(const rg_job *job, int64_t window_bytes, rs_arena *arena, rs_error *error,
                       rg_judge *judge);
/* Counts for each rank the wrong elements of results[r], its whole array; NULL: it is not judged. The host
   (may be NULL) may cancel. */
rs_status rg_judge_count(rg_judge *judge, const void *const results[], const rs_host *host,
                         rs_error *error, int64_t n_wrong[]);
/* Tells whether a whole array is what `rank` started with. For several ranks at a time, too. */
bool rg_judge_kept(const rg_judge *judge, int32_t rank, const void *source);
enum {
    RG_PART_BYTES = 4 << 20
}; /* what is filled, copied or summed up between two looks at the host */
typedef struct rg_oracle_tally {
    int64_t n_differ, n_outside, n_unjudged; /* as in rg_result */
} rg_oracle_tally;
/* Compares the vendor's result with the schedule's, and with the exact sum, in the elements that the rank must hold
   at the end. wraps: the vendor says that integers wrap around. Ends early where the host says stop. */
void rg_judge_oracle(rg_judge *judge, int32_t rank, const void *result, const void *oracle,
                     bool wraps, const rs_host *host, rg_oracle_tally *tally);
double rg_oracle_bound(const rg_job *job);
/* Compares the vendor's result with what the job's predicted sums give, in the elements that the rank must hold at the end. */
rs_status rg_judge_predicted(rg_judge *judge, int32_t rank, const void *oracle, const rs_host *host,
                             rs_error *error, rg_unlike *unlike);
/* Adds the wrong elements of a timed run, numbered from 1, to the result. */
void rg_count_run(rg_result *result, int32_t run, int64_t n_wrong);
/* Tells whether to judge a run, numbered from 0: every one with check_every, else only the last. */
bool rg_is_judged(const rg_job *job, int32_t run);
/* Sorts the times and returns the middle one. */
int64_t rg_median(int64_t times[], int32_t n);
int64_t rg_now_ps(void); /* of a clock that never goes back */
void rg_nap_us(int64_t us);
int32_t rg_timeout_ms(int32_t asked_ms); /* 0: the usual one */
