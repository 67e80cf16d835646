/* ringsim_tables.h: what nccl-tests printed: its table, or the JSON of its -J (nccl_tests.c), and who holds the others up
 * (per_process.c).
 */
#pragma once

#include "ringsim.h"
#include "ringsim_findings.h"

RS_BEGIN_DECLS

enum { RN_TABLE_OF = 96, RN_LEFT_OUT_TOLD = 3 };
/* Why a row of the table, or a time in it, cannot be used. */
typedef enum rn_row_fault {
    RN_ROW_NO_SIZE,
    RN_ROW_SHORT,
    RN_ROW_OTHER_RATE,
    RN_ROW_OTHER_BUSBW,
    RN_ROW_TOO_LONG
} rn_row_fault;
typedef struct rn_bad_row {
    int64_t where; /* line of the table, or result of the JSON, from 1 */
    rn_row_fault why;
} rn_bad_row;
enum { RN_WRONG_TOLD = 3 };
/* Rows whose #wrong is above 0, out of place or in place. */
typedef struct rn_wrong_row {
    int64_t line, n_bytes;
    double wrong[2];
} rn_wrong_row;
/* What an output says beside its times, whichever rows can be used; 0: nothing of the kind. */
typedef struct rn_table_marks {
    rn_wrong_row wrong[RN_WRONG_TOLD]; /* the first of n_wrong */
    int64_t n_wrong, wrong_line;       /* of the last of them */
    int64_t failed_line, n_failed;     /* "Out of bounds values : 50 FAILED" */
    int64_t head_line;                 /* the first line of a run's head */
    int64_t end_line;                  /* the last line that only a whole run prints */
    int64_t died_line;                 /* the last that says that an error ended a run, and which */
    char died[RN_TABLE_OF];
    int64_t n_rows, row_line; /* with a size, also such as are cut; the first */
    /* Of the last of n_alone processes at one time that each call themselves rank 0. */
    int64_t alone_line;
    int32_t n_alone;
    int32_t n_open, n_met; /* ranks 0 whose run has not ended; how many there were when one ended */
    int64_t open_line;     /* of the last of them, and of which process it is */
    char open[72];
    int64_t last_head; /* a head that has come after it; 0: none */
    int32_t version;   /* of NCCL, as it counts: 23102; 0: no line says */
    int64_t version_line;
} rn_table_marks;
/* What lines say of a run; 0, "": none does. */
typedef struct rn_run {
    char name[24];       /* "all_gather", of the program */
    int32_t ranks, gpus; /* by "# Rank" lines; by "nThread 1 nGpus 5", of one process */
    int32_t a_thread;    /* GPUs on which one thread launches (nGpus of nccl-tests) */
} rn_run;
/* What nccl-tests' all_reduce_perf or our own verify printed: times of whole collectives. */
typedef struct rn_table {
    char of[RN_TABLE_OF]; /* "nccl-tests", "ringsim verify, ring on mpi" */
    int32_t n_ranks;      /* 0: the log does not say */
    rn_run run;           /* to which its last row belongs */
    bool all_reduce;      /* by its rates */
    double ratio;         /* of busbw to algbw */
    double off;           /* by how much it may be another, as rates are rounded */
    rs_sample *samples;
    int64_t n_samples; /* >= 1 */
    bool json;
    int64_t n_left_out;                    /* rows of which nothing or not all is used */
    rn_bad_row left_out[RN_LEFT_OUT_TOLD]; /* the first of them */
    rn_table_marks marks;                  /* also where no row can be used */
} rn_table;
/* Reads a table's marks line by line, each without its end; NULL: no memory. */
typedef struct rn_gathering rn_gathering;
rn_gathering *rn_begin_marks(rs_arena *arena);
void rn_gather_line(const char *line, size_t n_bytes, rn_gathering *g);
const rn_table_marks *rn_end_marks(const rn_gathering *g);
/* Says where a row is and why it is left out. */
void rn_say_bad_row(const rn_bad_row *row, bool json, rs_error *said);
/* Reads an all-reduce's table or JSON; a zero byte follows the text. */
rs_status rn_parse_all_reduce(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                              rn_table *table);
/* The same of any collective, and of any algorithm of ours: table->all_reduce tells. */
rs_status rn_parse_table(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                         rn_table *table);

/* ------------------------------------------------------------------ per_process.c */

/* Of nccl-tests -J with times of each process and iteration. */
typedef struct rn_straggler {
    int64_t n_bytes; /* the size at which it shows most */
    int32_t n_processes, n_iterations;
    int32_t process;   /* the slowest; -1: nobody stands out */
    double slower;     /* its median over that of the others */
    int32_t n_slow;    /* iterations in which it was the slowest */
    int32_t iteration; /* the one that took longest, of all processes; -1: none stands out */
    double longest_us, usual_us;
    int32_t n_sizes; /* with such times; 0: none */
} rn_straggler;
/* Looks for a process or an iteration that is slower than the rest; a zero byte ends the text. */
rs_status rn_find_straggler(const char *text, const rs_host *host, rs_error *error,
                            rn_straggler *found);
RS_END_DECLS
