/* nccl_tests_rows.h: rows of nccl-tests while they are gathered (nccl_tests_rows.c), from a table (nccl_tests.c) or
 * JSON (nccl_tests_json.c). Private to these.
 */
#pragma once

#include "ringsim_tables.h"

/* One pair of time and rates. */
typedef struct rn_reading {
    int64_t n_bytes;
    double time_us, algbw, busbw;
} rn_reading;

struct rn_gathering {
    rn_table table; /* samples NULL: they are only counted */
    int64_t most;
    double ratio, ratio_rate;    /* busbw / algbw of the fastest reading: the least rounded */
    double expected_ratio;       /* 0: not known yet */
    bool row_copies, copies;     /* without a redop: the last row; the fastest reading */
    rn_run said;                 /* by the lines so far */
    bool has_rows;               /* of that run; what is said now is of another */
    int64_t plain_line;          /* the last without a '#' */
    int64_t line;                /* that is read; of JSON: its result; from 1 */
    int times;                   /* a row has, out of place and in place; 0: not known yet */
    int first_time;              /* how many columns stand before them; 0: no head says */
    bool in_table;               /* below its head or a row of it */
    int64_t last_left_out;       /* the line of the last row of this table that is left out */
    int64_t table_line;          /* the title's of the table under way, where there are several */
    bool in_place_first;         /* of the times of a row, as MSCCL++ has it */
    bool errors_column;          /* old: the greatest error of a row, not how many are wrong */
    int64_t cut_bytes;           /* of a row that NCCL's lines cut behind its head; 0: none is */
    int n_pieces;                /* times of it that have come */
    bool next_table;             /* the next row takes the place of all before it */
    char next[RN_TABLE_OF];      /* and is of this */
    char under_way[RN_TABLE_OF]; /* of the JSON's result before */
};

/* Tells whether the rate belongs to the time; tables round it to hundredths, or to three digits. Of hypercube_perf and
   of old all-gathers, which count what is sent, algbw becomes what it is for the others. */
bool rn_agrees(rn_reading *r);
/* Notes that the row is left out, or a time of it. */
void rn_leave_out(rn_gathering *g, rn_row_fault why);
/* Takes a reading that agrees. */
void rn_take_reading(rn_gathering *g, const rn_reading *r);
/* Takes what any line says beside times; notes a "# Rank 0", of a process on a host. */
void rn_mark_line(rn_gathering *g, const char *line);
void rn_mark_rank_0(rn_gathering *g, const char *process);
/* Is a table that of the kernel that adds in registers, without a ring's steps? */
bool rn_is_floor(const char *of);
/* Notes what a row says is wrong; in_place: 0 or 1. */
void rn_mark_wrong(rn_gathering *g, int64_t n_bytes, int in_place, double wrong);
/* Gathers what the JSON of -J says. */
rs_status rn_gather_json(const char *text, size_t n_bytes, const rs_host *host, rs_error *error,
                         rn_gathering *g);
