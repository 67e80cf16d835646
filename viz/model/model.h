/* model.h: one run at a moment, as the views of this room read it (rv_model is opaque outside).
 *
 *     step  -1        0 .. n_steps - 1                n_steps
 *           start     send -> arrive -> done          end, with the verdict
 *
 *   - Only rv_model_seek writes; everything here is derived from the report, never typed in.
 *   - With too many cells (cells == false) the model keeps no marks, contents or values.
 */
#pragma once

#include "ringsim_viz.h"

/* What has just happened to a cell, or is happening. */
typedef enum rv_mark { RV_SAME, RV_LEAVES, RV_ARRIVES, RV_ADDED, RV_COPIED } rv_mark;

/* What a cell is worth at the moment. A whole one holds every contribution that it shall, and nothing is known
   to have spoilt its value; a wrong one's value differs from that of the same plan without flipped bits or, at the
   end, from the exact answer. */
typedef enum rv_worth { RV_PART, RV_WHOLE, RV_WRONG } rv_worth;

/* A whole run's cost, of the run itself or of its rival. */
typedef struct rv_cost {
    const char *name;
    bool known;     /* it completed, so time_ps holds */
    bool has_split; /* `split` holds: where the time went */
    int64_t time_ps;
    rs_time_split split;
    int64_t most_bytes; /* what the busiest GPU sends */
    int32_t busiest;    /* that GPU */
    bool all_alike;     /* every GPU sends about as much (chunks differ by an element) */
} rv_cost;

struct rv_model {
    const rs_report *report;
    const rs_schedule *schedule;
    int32_t n_ranks, n_chunks, n_steps;
    int32_t step;
    rv_moment moment;
    bool cells;            /* marks and contents are kept */
    uint8_t *marks;        /* [n_ranks * n_chunks] rv_mark */
    rs_contents *contents; /* at the moment */
    bool values;           /* values are kept */
    int32_t n_elems;       /* one element a chunk, or fewer where chunks are empty */
    void **inputs;         /* [n_ranks] n_elems elements */
    void **elems;          /* [n_ranks] n_elems elements, at the moment that elems_at says */
    int32_t *elems_at;     /* rv_value_at brings the elements to the model's moment */
    void **after;          /* [n_ranks] the same when the step is done, for rv_value_after */
    int32_t *after_at;
    int32_t first_flip; /* the first step in which a bit flips; INT32_MAX: in none */
    void *answer;       /* n_elems elements: the fold of all inputs */
    bool *wrong;        /* [n_ranks * n_chunks] at the moment that wrong_at says */
    int32_t *wrong_at;
    bool wraps;            /* a sum or product shown is too large for its integer type */
    int value_width;       /* columns that every value of the run fits in; 0: none shown */
    int64_t *sent_bytes;   /* [n_ranks] up to the moment */
    int32_t sent_steps;    /* how many steps sent_bytes holds */
    int64_t *step_items;   /* [n_steps + 1] first item of each step in the trace; NULL: no trace */
    int64_t *step_done_ps; /* [n_steps + 1] when all before a step was done */
    rv_cost own, rival;
    rs_critical_path *path;     /* of the run itself; holds with own.has_split */
    struct rv_traffic *traffic; /* who uses which wire (traffic.h); NULL: no machine, or no trace */
    /* what some GPU must send or receive at least, rounded up: of an all-reduce 2(N-1)/N of its array */
    int64_t bound_bytes;
    struct rv_rule_reader *rule; /* rule.h */
};

/* Returns how many steps are complete at the moment; the views show the state after those. */
static inline int32_t rv_steps_executed(const rv_model *model) {
    if (model->step < 0) return 0;
    if (model->step >= model->n_steps) return model->n_steps;
    return model->step + (model->moment >= RV_DONE ? 1 : 0);
}
/* Tells whether a transfer of a step really happened (both ends entered the step). */
/* Tells whether a rank has died before the moment's step. */
bool rv_is_dead(const rv_model *model, int32_t rank);
bool rv_happened(const rv_model *model, int32_t step, const rs_transfer *transfer);
/* Returns the step after the last one in which anything happened. */
int32_t rv_still_from(const rv_model *model);
/* Writes "Stalled after 2.01 ms" if nothing happens any more from the moment's step on (why.c); "": it does. */
size_t rv_stalled_text(const rv_model *model, char *out, size_t n_out);
/* Returns when all that has happened at the moment was done. */
int64_t rv_time_now_ps(const rv_model *model);
/* Splits that time; zeros where the run has no split. */
rs_time_split rv_split_now(const rv_model *model);
rv_mark rv_mark_at(const rv_model *model, int32_t rank, int32_t chunk);
rv_worth rv_worth_of(const rv_model *model, int32_t rank, int32_t chunk);
/* Tells whether a bit flips in what a rank sends in a step. */
bool rv_flips(const rs_job *job, int32_t step, int32_t rank);
/* Tells whether any GPU ends with a wrong result, as far as that was computed. */
bool rv_result_is_wrong(const rs_report *report);
/* Says in a word or four what is known of the whole run; "": nothing. *mark: 1 good, -1 bad, 0 neither. */
const char *rv_judgement(const rs_report *report, int *mark);
/* Returns the step in which `rank` waits for ever; -1: it does not. */
int32_t rv_stalled_step(const rs_outcome *outcome, int32_t rank);
/* For whom `rank` waits when it enters the model's step, and for how long (wait.c). peer -1: for
   nobody, or the trace does not tell. */
typedef struct rv_wait {
    int32_t peer;
    int64_t time_ps;
    int64_t span_ps; /* what the transfer then takes */
} rv_wait;
rv_wait rv_wait_in_step(const rv_model *model, int32_t rank);
/* Tells whether the run has faults or an unsound schedule: then views keep a line for
   rv_trouble_text. */
bool rv_troubled(const rv_model *model);
/* Tells whether so many bytes are clearly more than some GPU must send (by more than uneven chunks). */
bool rv_is_wasteful(const rv_model *model, int64_t n_bytes);
/* Tells whether ranks live on a machine's GPUs, which have names and numbers of their own. */
bool rv_is_placed(const rv_model *model);
/* Writes what a rank is called: "GPU 2"; "rank 2" where it is placed. */
enum { RV_RANK_NAME = 32 };
void rv_rank_name(const rv_model *model, int32_t rank, char out[RV_RANK_NAME]);
/* Calls the ranks of a sentence so, in place; NULL: a story, which has none. */
void rv_name_ranks(const rv_model *model, char *text, size_t n_text);
/* Prepares values from the report's inputs (model_values.c). */
rs_status rv_take_values(rv_model *model, rs_arena *arena, rs_error *error);
/* Prints a cell's value; "-" for an empty chunk. */
void rv_value_at(const rv_model *model, int32_t rank, int32_t chunk, char *out, size_t n_out);
/* Prints what it will be when the model's step is done; false: unknown. */
bool rv_value_after(const rv_model *model, int32_t rank, int32_t chunk, char *out, size_t n_out);
/* Writes whose contributions a cell holds, in fold order: "0..4", "6..8 0", "0 2 4"; ends with
   "..." where they do not fit. */
void rv_inside_text(const rv_model *model, int32_t rank, int32_t chunk, char *out, size_t n_out);
struct rv_say; /* text/say.h */
/* Says what an all-reduce is for, with the values that all shall hold where they are known exactly (purpose.c). */
void rv_say_goal(struct rv_say *say, const rv_model *model);
/* What the phase has reached that ends with the model's step, why that is the point ("": no more to say), and what
   comes next; false: the step ends none after which finished data are only handed on. */
typedef struct rv_pause {
    char title[64], reached[96];
    const char *why, *next;
} rv_pause;
bool rv_between_phases(const rv_model *model, rv_pause *pause);
/* The same as one sentence; "": there is no such stop. */
size_t rv_pause_text(const rv_model *model, char *out, size_t n_out);
/* What a run that went well has cost, and what its rival would have, in one line or two ("": there is none); false
   before its end. */
typedef struct rv_gain {
    char own[96], rival[96], then[96];
} rv_gain;
bool rv_gain_of(const rv_model *model, rv_gain *gain);
size_t rv_gain_text(const rv_model *model, char *out, size_t n_out);
/* Says what a fault does: "GPU 3's links are 10 times slower". */
void rv_say_fault(struct rv_say *say, const rs_fault *fault);
/* Says, each after a semicolon, for whom `rank` waits in the model's step and which slow link it
   uses there. Says nothing in a run without faults. */
void rv_say_wait(struct rv_say *say, const rv_model *model, int32_t rank);
