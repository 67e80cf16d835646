/* ras_text.h: what NCCL's RAS prints, as values. Private to nccl/.
 *
 *     text --rs_parse_ras_text--> rs_ras_report --ras_text_dumps.c--> rs_dump
 */
#ifndef RS_RAS_TEXT_H
#define RS_RAS_TEXT_H

#include "data_tree.h"
#include "ringsim_hang.h"

enum { RS_RAS_RANKS = 1 << 16, RS_RAS_KINDS = 16 };

/* Counts of one kind of calls. */
typedef struct rs_ras_kind {
    char name[32];
    int64_t *count; /* [room] of those listed; -1: not listed */
    int64_t rest;   /* of those that are not */
    int64_t n_said; /* ranks in all its parts */
    int32_t n_unlisted;
    bool broken; /* a list is not whole */
} rs_ras_kind;

/* A communicator whose ranks differ, or are missing. */
typedef struct rs_ras_comm {
    int32_t group, number;
    int32_t size, room; /* size 0: the table does not tell */
    char hash[20];
    bool *missing;                     /* [room] */
    int64_t n_missing, n_missing_said; /* listed; in words */
    rs_ras_kind *kinds;                /* [RS_RAS_KINDS] */
    int32_t n_kinds;
    bool broken;
} rs_ras_comm;

/* A row of the table: communicators that are alike. */
typedef struct rs_ras_row {
    int64_t n_comms, size;
    bool errors;
} rs_ras_row;

typedef struct rs_ras_report {
    rs_ras_row *rows;
    rs_ras_comm *comms;
    int32_t n_rows, n_comms;
    bool cut; /* it ends within a list */
} rs_ras_report;

/* Reads it; what does not belong to it is passed over. */
rs_status rs_parse_ras_text(const char *text, size_t n_bytes, rs_heap *heap, rs_error *error,
                            rs_ras_report *report);

#endif
