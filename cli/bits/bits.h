/* bits.h: what the files of `ringsim bits` share.
 *
 *     log, machine --bits_nccl.c--> rings, trees, choice
 *     options, one SETTING after another --rc_bits_setting--> what NCCL, or an algorithm of ours, is asked
 *     setting --rc_bits_of--> runs of elements, each with its sum --> words (bits_print.c) | JSON
 */
#pragma once

#include "estimate/estimate.h"
#include "nccl/nccl_files.h"
#include "ringsim_nccl_bits.h"
#include "story/story_bits.h"

enum { RC_BITS_NOTES = 6 };
/* One setting. */
typedef struct rc_bits_setting {
    const char *text; /* as typed; NULL: the options' own */
    rs_collective collective;
    rn_nccl_algorithm nccl;  /* where own is NULL */
    const rs_algorithm *own; /* of sim/ */
    rn_nccl_protocol protocol;
    int32_t version, n_ranks, n_nodes, n_channels, used_channels;
    int32_t n_threads; /* of a block */
    bool asked_algorithm, asked_protocol,
        asked_channels; /* else NCCL's model chooses, where there is a machine */
    int64_t n_bytes;
    rs_dtype dtype;
    rs_op op;
    const rc_estimate *machine;
    const rc_explained *log; /* neither: ranks in a row, nobody's search */
    rs_error notes[RC_BITS_NOTES];
    int n_notes; /* what is assumed, and which lines were taken */
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

/* bits_nccl.c: reads a log; refuses what is none, or says no communicator. */
rc_exit rc_bits_log(rc_session *session, const char *path, rc_explained *log);
/* Fills in what was not asked: as NCCL chose it or would, for the setting's size and version; notes what is assumed. */
rc_exit rc_bits_choose(rc_session *session, rc_bits_setting *setting);
/* Finds the order of each element, after that. */
rc_exit rc_bits_of_nccl(rc_session *session, const rc_bits_setting *setting, rs_sums *sums,
                        rs_bits *bits);

/* bits_orders.c: finds the setting's orders: all of an answer but error and same. */
rc_exit rc_bits_orders(rc_session *session, rs_sums *sums, rc_bits_answer *answer);

/* What the options ask, answered. */
typedef struct rc_bits_found {
    rc_bits_answer *answers; /* [n], the options' own first */
    int n;
    rs_sums *sums;
    int64_t element; /* of which alone the order is asked, -1: of all */
} rc_bits_found;
/* bits_walk.c: makes the walk of an element, the first if none was asked, along its orders; refuses what does not round and
   what nobody can say. */
rc_exit rc_bits_story(rc_session *session, const rc_bits_found *found, rv_story *story);

/* Returns the algorithm's name for people. */
const char *rc_bits_algorithm(const rc_bits_setting *setting);
/* Prints all answers; element: of which alone the order is asked, -1: of all. */
void rc_print_bits(const rc_bits_answer answers[], int n, const rs_sums *sums, int64_t element);
void rc_json_bits(const rc_bits_answer answers[], int n, const rs_sums *sums, int64_t element,
                  FILE *out);
