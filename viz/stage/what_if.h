/* what_if.h: a run that the reader may change: its settings, its report, its model. Pure.
 *
 *     rs_report (from the command line) --> rv_what_if --change--> the whole run anew --> model
 *
 *   - A change simulates, judges and executes the run again in a fresh arena; if that fails the old
 *     run stays as it was, with the reason in *error. A recorded run cannot be changed.
 *   - A changed run computes one element a chunk (RS_VALUES_SAMPLE), which is quick. With more GPUs
 *     than anyone can read values of, it computes none.
 */
#pragma once

#include "stage/counts.h"
#include "model/subject.h"

enum { RV_MAX_FAULTS = 64 };

/* What a reader, or the command line, has done to the links between two devices of the machine. */
typedef struct rv_link_fault {
    int32_t a, b; /* devices */
    bool cut;     /* else num/den times slower, latency too */
    uint64_t num, den;
} rv_link_fault;

/* What a reader may change. */
typedef struct rv_setup {
    const rs_algorithm *algorithm; /* NULL: a schedule from a file, with a fixed number of ranks */
    rs_order order;
    int32_t n_ranks;
    int64_t count;      /* elements a rank */
    int32_t elem_bytes; /* cannot be changed */
    rs_link link;
    const rs_machine *machine; /* NULL: private links; cannot be changed, but for its links: */
    rv_link_fault link_faults[RV_MAX_FAULTS];
    int32_t n_link_faults;
    rs_fault faults[RV_MAX_FAULTS];
    int32_t n_faults;
    bool fixed; /* a recorded run, or none: nothing can be changed */
} rv_setup;

typedef struct rv_what_if {
    rv_setup setup;
    rs_request base; /* the request as it was given: holds all that cannot be changed */
    const rs_host *host;
    rs_arena *arena;         /* holds the model; after a change also the run */
    const rs_report *report; /* the caller's at first, after a change our own */
    rv_model *model;
    int64_t version;   /* rises with every change */
    bool quick;        /* changes follow each other in a drag: large runs do without times by step,
                        values and verdict */
    bool skimped;      /* the last change did without them */
    rv_counts *counts; /* of large runs, filled in while they are drawn; NULL: none */
} rv_what_if;

/* Makes a what-if from a finished run, which must outlive it. For a subject that is no run it makes
   an empty one, in which nothing can be changed. */
rs_status rv_what_if_new(const rv_subject *subject, const rs_host *host, rs_error *error,
                         rv_what_if **what_if);
/* Runs with other settings; makes a new model, which stands at the start. */
rs_status rv_what_if_change(rv_what_if *what_if, const rv_setup *setup, rs_error *error);
/* Makes a second what-if with settings of its own, for a fork or a race. */
rs_status rv_what_if_copy(const rv_what_if *what_if, const rv_setup *setup, rs_error *error,
                          rv_what_if **copy);
/* Prepares the job, with its schedule, that other settings would simulate. */
rs_status rv_what_if_job(const rv_what_if *what_if, const rv_setup *setup, rs_arena *arena,
                         rs_error *error, rs_job *job);
void rv_what_if_free(rv_what_if *what_if); /* NULL is fine */

/* Tells whether it is the links between these devices that are fault. */
bool rv_is_fault_between(const rv_link_fault *fault, int32_t a, int32_t b);

/* Returns whom a run races against first: of the all-reduce naive, else the usual algorithm; not itself. */
const rs_algorithm *rv_usual_rival(const rs_schedule *schedule);
