/* ras.h: what the readers of NCCL's RAS share: its text (ras_text.c, ras_text_dumps.c), its JSON (ras_json.c). Private to nccl/.
 *
 *     text --rn_parse_ras_text--> rn_ras_report --+
 *     JSON ---------------------------------------+--> rn_ras_dumps --rn_ras_end--> rn_dump
 */
#pragma once

#include "data_tree.h"
#include "ringsim_hang.h"

enum { RN_RAS_RANKS = 1 << 16, RN_RAS_KINDS = 16 };

/* ------------------------------------------------------------------ the text */

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

/* ------------------------------------------------------------------ dumps of either (ras_json.c) */

/* What is known of each rank: a group a kind of calls in a communicator, with one call, the last that was launched. */
typedef struct rn_ras_dumps {
    rs_heap *keep;
    rs_texts words;
    rn_dump *list; /* [n] by rank */
    int32_t *room; /* [n] groups, and calls */
    int32_t n;
} rn_ras_dumps;
/* False: no memory; rooms are taken from the heap, what lives on from keep. */
bool rn_ras_begin(rn_ras_dumps *dumps, int32_t n, rs_heap *heap, rs_heap *keep);
/* Gives a rank one more group, and where a call of that name was launched, or `always`, the call; without memory nothing. */
void rn_ras_add(rn_ras_dumps *dumps, int32_t rank, const rn_call_group *group, uint32_t call,
                bool always);
/* Ends them: ranks without a group have no dump; cut: but the first of them, to which the file does not come. */
rs_status rn_ras_end(rn_ras_dumps *dumps, bool cut, rs_error *error, rn_dump **list, int32_t *n);
