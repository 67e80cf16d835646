/* bits.h: what the files of `ringsim bits` share.
 *
 *     log, machine --bits_nccl.c--> rings, trees, choice
 *     options, one SETTING after another --rc_bits_setting--> what NCCL, or an algorithm of ours, is asked
 *     setting --rc_bits_orders--> runs of elements, each with its sum --> words (bits_print.c) | JSON
 *     range of sizes --rc_bits_over--> stretches;  what differs --rc_bits_keep_same--> variables, and their costs
 */
#pragma once

#include "base/json_file.h"
#include "estimate/estimate.h"
#include "nccl/nccl_files.h"
#include "ringsim_nccl_bits.h"
#include "story/story_bits.h"

enum { RC_BITS_NOTES = 8 };
/* One setting. */
typedef struct rc_bits_setting {
    const char *text; /* as typed; NULL: the options' own */
    rs_collective collective;
    rn_nccl_algorithm nccl;  /* where own is NULL */
    const rs_algorithm *own; /* of sim/ */
    rn_nccl_protocol protocol;
    int32_t version, n_ranks, n_nodes, n_channels, used_channels;
    int32_t n_threads; /* of a block */
    bool in_f32;       /* own's additions, rounded once at the end */
    /* else NCCL's model chooses, where there is a machine */
    bool asked_algorithm, asked_protocol, asked_channels;
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
    rs_bits_same error; /* from the exact sums; n 0: not of floats */
    rs_bits_same same;  /* as the first answer; of the first itself nothing */
} rc_bits_answer;

/* bits_nccl.c: reads a log; refuses what is none, or says no communicator. */
rc_exit rc_bits_log(rc_session *session, const char *path, rc_explained *log);
/* Fills in what was not asked: as NCCL chose it or would, for the setting's size and version; notes what is assumed. */
rc_exit rc_bits_choose(rc_session *session, rc_bits_setting *setting);
/* Finds the order of each element, after that; where the log lacks the lines of rings or trees it is undefined for one of
   these reasons. A tree that has all elements has them in one order, whichever: RC_BITS_ONE_TREE in its sum's place. */
extern const char rc_bits_no_lines[], rc_bits_one_tree[];
rc_exit rc_bits_of_nccl(rc_session *session, rc_bits_setting *setting, rs_sums *sums,
                        rs_bits *bits);
/* Works out what the model chooses from, under what is asked; *known false: neither machine nor log tells it. */
rc_exit rc_bits_model(const rc_bits_setting *setting, rs_error *error, rn_nccl_comm *comm,
                      rn_nccl_table *table, bool *known);
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

/* ------------------------------------------------------------------ many sizes */

/* Sizes over which one algorithm and one protocol do it. */
typedef struct rc_bits_stretch {
    int64_t from, to;       /* bytes, both in */
    rc_bits_setting last;   /* at `to` */
    int32_t least_channels; /* at `from` */
    int64_t n_orders;       /* at `to` */
    int64_t moved;          /* there, of the range's first size: elements with another order */
    int32_t order;          /* that all elements of all these sizes have, or RC_BITS_BY_PLACE */
    const char *undefined;
} rc_bits_stretch;
typedef struct rc_bits_range {
    rc_bits_setting asked; /* its n_bytes is none of them */
    rc_bits_stretch *list;
    int64_t n;
    rs_bits first;  /* of the first size */
    int64_t unit;   /* the sizes are multiples of, a token's; 1: any */
    bool same;      /* every element keeps its bits, whatever the size */
    bool differs;   /* at sizes that were looked at; neither: nobody knows */
    bool undefined; /* some of them */
} rc_bits_range;
enum { RC_BITS_BY_PLACE = -1, RC_BITS_ONE_TREE = 0 };
/* bits_over.c: looks at all sizes between two, in bytes, that are multiples of a unit and whole elements. */
rc_exit rc_bits_over(rc_session *session, const rc_bits_setting *asked, const int64_t ends[2],
                     int64_t unit, rs_sums *sums, rc_bits_range *range);

/* NCCL_ALGO, NCCL_PROTO, NCCL_MAX_CTAS; -1: not set. */
typedef struct rc_bits_pin {
    int algorithm, protocol, channels;
} rc_bits_pin;
typedef struct rc_bits_cost {
    int64_t n_bytes;
    double us, pinned_us; /* -1: not known */
    bool at_most;         /* pinned_us */
} rc_bits_cost;
enum { RC_BITS_COSTS = 12 };
typedef struct rc_bits_keep {
    bool is_sought;          /* else they are the same, or one is not NCCL's */
    bool is_other;           /* one is not */
    bool found, lacks_lines; /* of rings or trees, to try all */
    rc_bits_pin pin;         /* beside what the options ask */
    int32_t oldest;          /* of NCCL's versions that take part */
    int32_t order;           /* that every element has then, or RC_BITS_BY_PLACE */
    rc_bits_cost costs[RC_BITS_COSTS];
    int n_costs; /* 0: no machine says them */
} rc_bits_keep;
/* bits_over.c: finds the cheapest pin under which n answers, or all sizes of a range (NULL: none), have the same bits. */
rc_exit rc_bits_keep_same(rc_session *session, const rc_bits_answer answers[], int n,
                          const rc_bits_range *range, rs_sums *sums, rc_bits_keep *keep);

/* ------------------------------------------------------------------ what is printed */

/* bits_setting.c: the algorithm's name; what was seen of it, but is promised nowhere, NULL: nothing. */
const char *rc_bits_algorithm(const rc_bits_setting *setting);
const char *rc_bits_seen(const rc_bits_setting *setting);
/* Prints where rings, trees and rules come from, line by line. */
void rc_print_bits_origin(const rc_bits_setting *setting);
/* Writes how an element is added, in words where it is no sum of ranks. */
void rc_bits_order_text(const rs_sums *sums, int32_t sum, char *out, size_t n_out);
/* Writes a setting under its key; "expression": a sum, or below 0 null. */
void rc_json_setting(rs_json *json, const char *key, const rc_bits_setting *setting);
void rc_json_sum(rs_json *json, const rs_sums *sums, int32_t sum);
/* bits_over_print.c: what to set; sizes; numbers of ranks, each with sums of its own. */
void rc_print_bits_keep(const rc_bits_setting *setting, const rc_bits_keep *keep,
                        const rs_sums *sums);
void rc_json_bits_keep(rs_json *json, const rc_bits_setting *setting, const rc_bits_keep *keep,
                       const rs_sums *sums);
void rc_print_bits_range(const rc_bits_range *range, const rc_bits_keep *keep, const rs_sums *sums);
void rc_json_bits_range(const rc_bits_range *range, const rc_bits_keep *keep, const rs_sums *sums,
                        FILE *out);
void rc_print_bits_numbers(const rc_bits_answer answers[], rs_sums *const sums[], int64_t n);
void rc_json_bits_numbers(const rc_bits_answer answers[], rs_sums *const sums[], int64_t n,
                          FILE *out);
/* bits_print.c: tells whether answer i has the bits of the first, for all data. */
bool rc_is_same(const rc_bits_answer answers[], int i);
/* All answers, and what makes their bits the same. */
void rc_print_bits(const rc_bits_found *found, const rc_bits_keep *keep);
void rc_json_bits(const rc_bits_found *found, const rc_bits_keep *keep, FILE *out);
