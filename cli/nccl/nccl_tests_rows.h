/* nccl_tests_rows.h: rows of nccl-tests while they are gathered (nccl_tests_rows.c), from a table (nccl_tests_log.c) or
 * JSON (nccl_tests_json.c). Private to these.
 */
#ifndef RC_NCCL_TESTS_ROWS_H
#define RC_NCCL_TESTS_ROWS_H

#include "nccl/nccl_tests.h"

/* One pair of time and rates. */
typedef struct rc_reading {
    int64_t n_bytes;
    double time_us, algbw, busbw;
} rc_reading;

typedef struct rc_gathering {
    rs_sample *samples;
    int64_t n;
    int64_t most;
    double ratio, ratio_rate;          /* busbw / algbw of the fastest reading: the least rounded */
    double expected_ratio;             /* 0: not known yet */
    int32_t ranks_named, gpus_named;   /* by "# Rank" lines; by "nThread 1 nGpus 5" */
    int64_t line;                      /* that is read; of JSON: its result; from 1 */
    int times;                         /* a row has, out of place and in place; 0: not known yet */
    bool in_table;                     /* below its head or a row of it */
    int64_t n_left_out, last_left_out; /* rows of this table; the line of the last */
    rc_bad_row left_out[RC_LEFT_OUT_TOLD];
    int64_t table_line; /* the title's of the table under way, where there are several */
    rc_table_marks marks;
    bool errors_column;        /* old: the greatest error of a row, not how many are wrong */
    int64_t cut_bytes;         /* of a row that NCCL's lines cut behind its head; 0: none is */
    int n_pieces;              /* times of it that have come */
    bool next_table;           /* the next row takes the place of all before it */
    char next[RC_LOG_OF];      /* and is of this */
    char of[RC_LOG_OF];        /* as in rc_nccl_log */
    char under_way[RC_LOG_OF]; /* of the JSON's result before */
} rc_gathering;

/* Tells whether the rate belongs to the time; tables round it to hundredths, or to three digits. */
bool rc_agrees(const rc_reading *r);
/* Notes that the row is left out, or a time of it. */
void rc_leave_out(rc_gathering *g, rc_row_fault why);
/* Takes a reading that agrees. */
void rc_take_reading(rc_gathering *g, const rc_reading *r);
/* Takes a table's line, without its end. */
void rc_gather_line(const char *line, size_t n_bytes, rc_gathering *g);
/* Takes what any line says beside times; notes a "# Rank 0", of a process on a host. */
void rc_mark_line(rc_table_marks *marks, const char *line, size_t n_bytes, int64_t where);
void rc_mark_rank_0(rc_table_marks *marks, const char *process, int64_t where);
/* Notes what a row says is wrong; in_place: 0 or 1. */
void rc_mark_wrong(rc_gathering *g, int64_t n_bytes, int in_place, double wrong);
/* Gathers what the JSON of -J says. RC_LACKS: this build reads none. */
rc_exit rc_gather_json(const char *text, size_t n_bytes, rc_gathering *g, rs_error *error);

#endif
