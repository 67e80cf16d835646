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
/* Says where a row is and why it is left out; returns text. */
const char *rc_bad_row_text(const rc_bad_row *row, bool json, char text[RC_LEFT_OUT_TEXT]);
/* Reads its table or its JSON; a zero byte follows the text. */
rc_exit rc_parse_nccl_log(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                          rc_nccl_log *log);
/* The same of any collective, and of any algorithm of ours: log->all_reduce tells. */
rc_exit rc_parse_nccl_table(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                            rc_nccl_log *log);

#endif
