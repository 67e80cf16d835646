/* bits.h: what the files of `ringsim bits` share.
 *
 *     options, one SETTING after another --rc_bits_setting--> what NCCL, or an algorithm of ours, is asked
 *     setting --rc_bits_of--> runs of elements, each with its sum --> words (bits_print.c) | JSON
 */
#pragma once

#include "estimate/estimate.h"
#include "ringsim_nccl_bits.h"

/* One setting. */
typedef struct rc_bits_setting {
    const char *text; /* as typed; NULL: the options' own */
    rs_collective collective;
    rn_nccl_algorithm nccl;  /* where own is NULL */
    const rs_algorithm *own; /* of sim/ */
    rn_nccl_protocol protocol;
    int32_t version, n_ranks, n_channels, used_channels;
    bool asked_algorithm, asked_protocol,
        asked_channels; /* else NCCL's model chooses, where there is a machine */
    int64_t n_bytes;
    rs_dtype dtype;
    rs_op op;
    const rc_estimate *machine; /* NULL: ranks in a row, nobody's search */
} rc_bits_setting;

/* What was found of it. */
typedef struct rc_bits_answer {
    rc_bits_setting setting;
    rs_bits bits;
    rs_bits_order *orders;
    int64_t n_orders;
    rs_bits_error error; /* n 0: not of floats */
    rs_bits_same same;   /* as the first answer; of the first itself nothing */
} rc_bits_answer;

/* Prints all answers; element: of which alone the order is asked, -1: of all. */
void rc_print_bits(const rc_bits_answer answers[], int n, const rs_sums *sums, int64_t element);
void rc_json_bits(const rc_bits_answer answers[], int n, const rs_sums *sums, int64_t element,
                  FILE *out);
