/* ras_text.h: what NCCL's RAS prints, as values. Private to nccl/.
 *
 *     text --rn_parse_ras_text--> rn_ras_report --ras_text_dumps.c--> rn_dump
 */
#pragma once

#include "data_tree.h"
#include "ringsim_hang.h"

enum { RN_RAS_RANKS = 1 << 16, RN_RAS_KINDS = 16 };

/* Counts of one kind of calls. */
typedef struct rn_ras_kind {
    char name[32];
    int64_t *count; /* [room] of those listed; -1: not listed */
    int64_t rest;   /* of those that are not */
    int64_t n_said; /* ranks in all its parts */
    int32_t n_unlisted;
    bool broken; /* a list is not whole */
} rn_ras_kind;

/* A communicator whose ranks differ, or are missing. */
typedef struct rn_ras_comm {
    int32_t group, number;
    int32_t size, room; /* size 0: the table does not tell */
    char hash[20];
    bool *missing;                     /* [room] */
    int64_t n_missing, n_missing_said; /* listed; in words */
    rn_ras_kind *kinds;                /* [RN_RAS_KINDS] */
    int32_t n_kinds;
    bool broken;
} rn_ras_comm;

/* A row of the table: communicators that are alike. */
typedef struct rn_ras_row {
    int64_t n_comms, size;
    bool errors;
} rn_ras_row;

typedef struct rn_ras_report {
    rn_ras_row *rows;
    rn_ras_comm *comms;
    int32_t n_rows, n_comms;
    bool cut; /* it ends within a list */
} rn_ras_report;

/* Reads it; what does not belong to it is passed over. */
rs_status rn_parse_ras_text(const char *text, size_t n_bytes, rs_heap *heap, rs_error *error,
                            rn_ras_report *report);
