/* verify.h: what the files of `ringsim verify` share.
 *
 *     options --> plan (verify_read.c, verify_setup.c) --> rows, backend by backend (cmd_verify.c) --> table and
 *     verdicts (verify_table.c), or JSON (verify_json.c)
 */
#pragma once

#include "base/files.h"
#include "base/json_file.h"
#include "ringsim_gpu.h"
#include "ringsim_tuning.h"
#include "run/request.h"

#include <time.h>

/* Options of its own. */
enum {
    RC_ON = RC_OWN,
    RC_MIN_BYTES,
    RC_MAX_BYTES,
    RC_STEP_FACTOR,
    RC_SPECIAL,
    RC_WARMUP,
    RC_TIMEOUT,
    RC_INIT,
    RC_HOSTFILE,
    RC_KERNEL,
    RC_BESIDE,
};
enum { RC_CHECK_LAST, RC_CHECK_EVERY }; /* --check */

enum {
    RC_MOST_VARIANTS = 7,
    RC_MOST_BESIDE = 4, /* algorithms */
    RC_MOST_BACKENDS = (RG_N_KINDS + RC_MOST_VARIANTS - 1) * RC_MOST_BESIDE
};

typedef struct rc_verify_plan {
    bool wanted[RG_N_KINDS];
    bool by_name; /* the backends were named: one that cannot run is an error */
    rg_setup setup;
    int32_t kernels[RC_MOST_VARIANTS]; /* of cuda's ladder, a table each */
    int n_kernels;                     /* 0: one table, of the best */
    bool every_kernel;                 /* none was named: one that is not for this job is no lack */
    char program[PATH_MAX];            /* setup.program */
    rc_folders folders;                /* setup.module_dirs lies here */
    rc_choice choice;                  /* setup says how many ranks */
    const rs_algorithm
        *beside[RC_MOST_BESIDE]; /* the choice's (NULL: a file), then those on the same data */
    int n_beside;
    const char *sandbox; /* what held the learner's program that made it; "": none did */
    rs_dtype dtypes[RS_N_DTYPES];
    rs_op ops[RS_N_OPS];
    int n_dtypes, n_ops;
    int64_t *sizes; /* bytes a rank, or elements: of the whole, as in nccl-tests' size column */
    int64_t n_sizes;
    int64_t factor; /* each size is so many times the one before; 0: a list */
    bool sizes_are_counts;
    rg_job job;        /* what all rows have in common */
    const char *trace; /* --trace FILE; NULL */
    const char *dump;  /* --dump FOLDER; NULL */
} rc_verify_plan;

/* One line of the table: a job, from one array to another and in place. */
typedef struct rc_verify_row {
    rs_dtype dtype;
    rs_op op;
    int64_t count, n_bytes; /* of the whole */
    rg_result results[2];   /* [0] out of place, [1] in place */
    const rs_bits *bits;    /* in which order NCCL should add; NULL: not predicted */
    const rs_sums *sums;
} rc_verify_row;

/* What an NCCL takes, as far as it was told. */
typedef struct rc_verify_told {
    bool asked;                 /* it was told anything, or --order nccl */
    const char *lacks;          /* why its bits are not predicted; NULL: they are */
    char unread[RS_ERROR_TEXT]; /* the same, where a rule has not been read */
    rg_library library;
    rn_nccl_algorithm algorithm;
    rn_nccl_protocol protocol;
    int32_t n_channels; /* of the communicator */
} rc_verify_told;

/* A table: a backend, or one kernel variant of cuda's ladder. */
typedef struct rc_verify_backend {
    rg_kind kind;
    int32_t kernel;                /* the kernel variant; 0: not chosen */
    const rs_algorithm *algorithm; /* NULL: the file's schedule */
    char name[64];                 /* "mpi", "cuda kernel 2", "mpi one-shot" */
    bool ran;
    char reason[RS_ERROR_TEXT]; /* why it did not run, or did not end; "" */
    char where[RG_WHERE_BYTES];
    rc_verify_row *rows;
    int64_t n_rows; /* that came to an end */
    rc_verify_told told;
} rc_verify_backend;

typedef struct rc_verify_report {
    const rc_verify_plan *plan;
    int32_t n_ranks;
    const char *name; /* of the schedule */
    int64_t n_rows;   /* of a whole table */
    rc_verify_backend backends[RC_MOST_BACKENDS];
    int n_backends;
    time_t started;
} rc_verify_report;

/* Fills in and checks the whole plan, what is run and on what; no process has been started by then. */
rc_exit rc_verify_read(rc_session *session, rc_verify_plan *plan);
/* verify_setup.c: reads --init and --hostfile: text, once it is known to make sense. */
extern rc_read_as rc_as_init, rc_as_hostfile;
/* Fills in on what the plan is run, and refuses what does not fit together. */
rc_exit rc_verify_setup(const rc_options *options, rs_error *error, rc_verify_plan *plan);
/* Tells whether this machine has the memory to run it all on that backend. */
bool rc_verify_fits(const rc_verify_plan *plan, rg_kind kind, double *need_bytes,
                    double *have_bytes);
/* Tells whether it is left out unless it is named: the reference, with that many bytes of all ranks. */
bool rc_verify_is_long(const rc_verify_plan *plan, rg_kind kind, double *all_bytes);
/* Returns how many ranks share the whole array, a shard each; 1: it is no such collective. */
int32_t rc_verify_shards(const rc_verify_plan *plan);
/* Elements of such a size; of shards as many for each as fill 16 bytes, as nccl-tests does it. */
int64_t rc_verify_count_at(const rc_verify_plan *plan, int64_t size, rs_dtype dtype);
/* Makes the schedule for so many elements. */
rc_exit rc_verify_schedule(const rc_verify_plan *plan, int64_t count, rs_error *error,
                           rs_schedule *schedule);

/* What the rows of a backend that came to an end are together. */
typedef struct rc_verify_tally {
    int64_t n_results, n_runs, n_wrong, n_spoilt, n_elements, n_other_bits;
    int64_t n_judged, n_differ, n_outside, n_unjudged; /* the oracle's */
    double busbw;
    const rc_verify_row *bad; /* the first that is not right */
    int bad_which;
    const char *note;
} rc_verify_tally;
rc_verify_tally rc_verify_add_up(const rc_verify_report *report, int backend);
/* Tells whether none of the rows that came to an end is wrong. */
bool rc_rows_right(const rc_verify_report *report, int backend);
/* Tells whether the backend ran all rows, and none is wrong. */
bool rc_backend_right(const rc_verify_report *report, int backend);
const char *rc_nccl_type(rs_dtype dtype); /* as nccl-tests names it */
/* Returns busbw and writes algbw (NULL: does not), both in GB/s; 0 where there is none. */
double rc_busbw(const rc_verify_report *report, const rc_verify_row *row, int which, double *algbw);
/* The columns `redop` and `root`: "none" and -1 where the collective has none. */
const char *rc_nccl_redop(const rc_verify_report *report, const rc_verify_row *row);
int32_t rc_nccl_root(const rc_verify_report *report);
/* The column `count`: elements of the whole, or of a shard. */
int64_t rc_nccl_count(const rc_verify_report *report, const rc_verify_row *row);

/* verify_run.c: runs the whole table on each of the backends. One that is not here is no error yet. */
rc_exit rc_verify_run(rc_session *session, rc_verify_report *report);
/* verify_files.c: writes the last backend's last run into the file and publishes it. */
rc_exit rc_verify_trace(rc_session *session, const rc_verify_report *report, rc_file *file);
/* Writes what the recorder of each rank would hold that said where it stands; where all came to an end, of
   all ranks of the last run. */
rc_exit rc_verify_dump(rc_session *session, const rc_verify_report *report);
/* verify_bits.c: fills in what that NCCL takes, by --order nccl and the environment. */
void rc_verify_ask(const rc_verify_plan *plan, rg_library library, rc_verify_told *told);
/* Predicts a row's bits, where enough was told. */
rc_exit rc_verify_predict(rc_session *session, const rc_verify_plan *plan, rc_verify_told *told,
                          rc_verify_row *row);
/* Prints, within the verdict, whether the bits were the predicted ones, else the first that was not. */
void rc_verify_print_bits(const rc_verify_report *report, const rc_verify_backend *backend);
void rc_verify_json_bits(const rc_verify_row *row, int which, rs_json *json);
/* verify_table.c: prints what stands above a backend's rows. */
void rc_verify_head(const rc_verify_report *report, int backend);
/* Prints one row, out of place and in place. */
void rc_verify_print_row(const rc_verify_report *report, const rc_verify_row *row);
/* Prints the backend's verdict. */
void rc_verify_tail(const rc_verify_report *report, int backend);
void rc_verify_ladder(const rc_verify_report *report); /* the kernel variants side by side */
/* verify_beside.c: prints times and bits of several algorithms side by side, where there are several. */
void rc_verify_beside(const rc_verify_report *report);
void rc_verify_count(const rc_verify_report *report); /* the last line */
/* verify_learnt.c: prints what the rows of GPUs teach, where there are any. */
rc_exit rc_verify_learnt(rc_session *session, const rc_verify_report *report);
/* Writes the report as nccl-tests' -J does, and what it does not have. */
void rc_verify_json(const rc_verify_report *report, char *const argv[], FILE *out);
