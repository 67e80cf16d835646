/* bits.h: what the files of `ringsim bits` share.
 *
 *     options, one SETTING after another --cmd_bits.c--> settings: what NCCL, or an algorithm of ours, is asked
 *     log, machine --bits_nccl.c--> rings, trees, choice
 *     settings --rc_bits_find--> answers: of each setting, or of both ends of each stretch of sizes that NCCL handles alike
 *     answers --rc_bits_judge--> the same? --rc_bits_keep_same--> variables that make them so, and their costs
 *     all of it --> words (bits_print.c) | JSON (bits_json.c)
 */
#pragma once

#include "base/json_file.h"
#include "estimate/estimate.h"
#include "nccl/nccl_files.h"
#include "ringsim_nccl_bits.h"
#include "story/story_bits.h"

/* What NCCL_ALGO, NCCL_PROTO and NCCL_MAX_CTAS pin; RC_BITS_FREE: what NCCL chooses. */
enum { RC_BITS_ALGORITHM, RC_BITS_PROTOCOL, RC_BITS_CHANNELS, RC_BITS_N_PINS, RC_BITS_FREE = -1 };
typedef struct rc_bits_pins {
    int of[RC_BITS_N_PINS];
} rc_bits_pins;

enum { RC_BITS_NOTES = 8 };
/* One setting. */
typedef struct rc_bits_setting {
    const char *text;        /* as typed; NULL: the options' own */
    const rs_algorithm *own; /* of sim/; NULL: NCCL's */
    bool in_f32;             /* own's additions, rounded once at the end */
    rc_bits_pins asked;
    rn_bits_job job; /* what is not asked rc_bits_choose fills in */
    int64_t n_bytes;
    rs_op op;
    const rc_estimate *machine;
    const rc_explained *log; /* neither: ranks in a row, nobody's search */
    rs_error notes[RC_BITS_NOTES];
    int n_notes; /* what is assumed, and which lines were taken */
} rc_bits_setting;

/* Has a setting the bits of another one, for all data? From the best to the worst. */
typedef enum rc_bits_verdict {
    RC_BITS_NEVER_ROUNDS,
    RC_BITS_SAME,
    RC_BITS_SEEN, /* as far as was seen */
    RC_BITS_UNKNOWN,
    RC_BITS_OTHER
} rc_bits_verdict;

/* What was found of it. */
typedef struct rc_bits_answer {
    rc_bits_setting setting;
    rs_sums *sums;
    rs_bits bits;
    rs_bits_run *orders;
    int64_t n_orders;
    rs_bits_same measured; /* against the first answer; of the first itself from the exact sums */
    rc_bits_verdict verdict;
    const char *unknown; /* why nobody can say whether it has the other's bits; NULL: it is known */
} rc_bits_answer;

/* What the options ask, answered. */
typedef enum rc_bits_kind { RC_BITS_COMPARED, RC_BITS_SIZES, RC_BITS_NUMBERS } rc_bits_kind;
typedef struct rc_bits_found {
    rc_bits_kind kind;
    const int64_t *numbers;  /* [n_numbers] of ranks; or the first and the last size, in units */
    int64_t n_numbers, unit; /* bytes; multiples of a token's; 1: any */
    int64_t element;         /* of which alone the order is asked, -1: of all */
    const rc_bits_setting *settings; /* the options' own first, as asked */
    int64_t n_settings;
    bool one_order; /* wanted of all: sizes between those answered count, too */
    rs_sums *sums;  /* of all answers; each number of ranks has its own */
    rc_bits_answer *answers;
    int64_t n, room;
    rc_bits_verdict verdict; /* the worst of all answers' */
} rc_bits_found;

/* bits_nccl.c: returns how many are set. */
int rc_bits_n_pins(const rc_bits_pins *pins);
/* Reads a log; refuses what is none, or says no communicator. */
rc_exit rc_bits_log(rc_session *session, const char *path, rc_explained *log);
/* Finds the setting's rings and trees. */
rc_exit rc_bits_rings(rc_session *session, rc_bits_setting *setting);
/* Fills in what was not asked: as NCCL chose it or would, for the setting's size and version; notes what is assumed. */
rc_exit rc_bits_choose(rc_session *session, rc_bits_setting *setting);
/* Finds the order of each element, after that; where the log lacks the lines of rings or trees it is undefined for one of
   these reasons. A tree that has all elements has them in one order, whichever: RC_BITS_ONE_TREE in its sum's place. */
extern const char rc_bits_no_lines[], rc_bits_one_tree[];
enum { RC_BITS_BY_PLACE = -1, RC_BITS_ONE_TREE = 0 };
rc_exit rc_bits_of_nccl(rc_session *session, rc_bits_setting *setting, rs_sums *sums,
                        rs_bits *bits);
/* Works out what the model chooses from, under what is asked. */
typedef struct rc_bits_model {
    rn_nccl_comm comm;
    rn_nccl_table table;
    bool known; /* else neither machine nor log tells the table */
} rc_bits_model;
rc_exit rc_bits_model_of(const rc_bits_setting *setting, rs_error *error, rc_bits_model *model);

/* bits_find.c: answers the settings, anew if they were before; what is measured is not. */
rc_exit rc_bits_find(rc_session *session, rc_bits_found *found);
/* Fills in which answers have the bits of one of them. */
void rc_bits_judge(rc_bits_found *found, int64_t base);
/* The one order that both answers have, or RC_BITS_BY_PLACE. */
int32_t rc_bits_one_order(const rc_bits_answer *a, const rc_bits_answer *b);
/* What was seen of a setting's algorithm, but is promised nowhere, NULL: nothing. */
const char *rc_bits_seen(const rc_bits_setting *setting);

/* bits_walk.c: makes the walk of an element, the first if none was asked, along its orders; refuses what does not round and
   what nobody can say. */
rc_exit rc_bits_story(rc_session *session, const rc_bits_found *found, rv_story *story);

/* ------------------------------------------------------------------ what to set */

typedef struct rc_bits_cost {
    int64_t n_bytes;
    double us, pinned_us; /* -1: not known */
    bool at_most;         /* pinned_us */
} rc_bits_cost;
enum { RC_BITS_COSTS = 12 };
typedef struct rc_bits_keep {
    bool found;
    const char *none; /* why nothing is; NULL: nothing was sought */
    rc_bits_pins
        pins; /* with what is asked already: who sets only the rest does not get what was checked */
    int32_t oldest; /* of NCCL's versions that take part */
    int32_t order;  /* that every element has then, or RC_BITS_BY_PLACE */
    rc_bits_cost costs[RC_BITS_COSTS];
    int n_costs; /* 0: no machine says them */
} rc_bits_keep;
/* bits_keep.c: finds the cheapest pins under which all answers have the same bits. */
rc_exit rc_bits_keep_same(rc_session *session, const rc_bits_found *found, rc_bits_keep *keep);
/* What the variables do not reach. */
extern const char rc_bits_not_promised[];
/* Writes "NCCL_ALGO=allreduce:tree", where a version before 2.24 takes part without the function; false: it is free. */
enum { RC_BITS_VARIABLE = 64 };
bool rc_bits_variable(const rc_bits_setting *setting, const rc_bits_keep *keep, int which,
                      char out[RC_BITS_VARIABLE]);

/* ------------------------------------------------------------------ what is printed */

/* bits_print.c: the algorithm's name; the GPU that has shown a setting's rules inside nodes, or between them. */
const char *rc_bits_algorithm(const rc_bits_setting *setting);
rn_bits_shown rc_bits_asked_shown(const rc_bits_setting *setting);
void rc_print_bits(const rc_bits_found *found, const rc_bits_keep *keep);
void rc_json_bits(const rc_bits_found *found, const rc_bits_keep *keep, FILE *out);
