/* nccl_tests.h: what nccl-tests printed: its table, or the JSON of its -J (nccl_tests_log.c). Pure text. */
#ifndef RC_NCCL_TESTS_H
#define RC_NCCL_TESTS_H

#include "base/exit.h"

enum { RC_LOG_OF = 96, RC_LEFT_OUT_TOLD = 3, RC_LEFT_OUT_TEXT = 256 };
/* Why a row of the table, or a time in it, cannot be used. */
typedef enum rc_row_fault {
    RC_ROW_NO_SIZE,
    RC_ROW_SHORT,
    RC_ROW_OTHER_RATE,
    RC_ROW_OTHER_BUSBW,
    RC_ROW_TOO_LONG
} rc_row_fault;
typedef struct rc_bad_row {
    int64_t where; /* line of the table, or result of the JSON, from 1 */
    rc_row_fault why;
} rc_bad_row;
/* What nccl-tests' all_reduce_perf or our own verify printed: times of whole collectives. */
typedef struct rc_nccl_log {
    char of[RC_LOG_OF]; /* "nccl-tests", "ringsim verify, ring on mpi" */
    int32_t n_ranks;    /* 0: the log does not say */
    bool all_reduce;    /* by its rates */
    double ratio;       /* of busbw to algbw */
    rs_sample *samples;
    int64_t n_samples; /* >= 1 */
    bool json;
    int64_t n_left_out;                    /* rows of which nothing or not all is used */
    rc_bad_row left_out[RC_LEFT_OUT_TOLD]; /* the first of them */
} rc_nccl_log;
enum { RC_WRONG_TOLD = 3 };
/* Rows whose #wrong is above 0, out of place or in place. */
typedef struct rc_wrong_row {
    int64_t line, n_bytes;
    double wrong[2];
} rc_wrong_row;
/* What an output says beside its times, whichever rows can be used; 0: nothing of the kind. */
typedef struct rc_table_marks {
    rc_wrong_row wrong[RC_WRONG_TOLD]; /* the first of n_wrong */
    int64_t n_wrong, wrong_line;       /* of the last of them */
    int64_t failed_line, n_failed;     /* "Out of bounds values : 50 FAILED" */
    int64_t end_line;                  /* the last line that only a whole run prints */
    int64_t n_rows, row_line;          /* with a size, also such as are cut; the first */
    int64_t
        alone_line; /* of the last of n_alone processes at one time that each call themselves rank 0 */
    int32_t n_alone;
    int32_t n_open, n_met; /* ranks 0 whose run has not ended; how many there were when one ended */
    int64_t open_line;     /* of the last of them, and of which process it is */
    char open[72];
    bool head_since; /* a head has come after it */
} rc_table_marks;
/* Reads a table's or a JSON's marks; a zero byte follows the text. */
void rc_read_marks(const char *text, size_t n_bytes, rc_table_marks *marks);
/* Says where a row is and why it is left out; returns text. */
const char *rc_bad_row_text(const rc_bad_row *row, bool json, char text[RC_LEFT_OUT_TEXT]);
/* Reads its table or its JSON; a zero byte follows the text. */
rc_exit rc_parse_nccl_log(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                          rc_nccl_log *log);
/* The same of any collective, and of any algorithm of ours: log->all_reduce tells. */
rc_exit rc_parse_nccl_table(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                            rc_nccl_log *log);

#endif
