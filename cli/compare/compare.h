/* compare.h: what `compare` measures (compare.c) and prints (compare_print.c). */
#pragma once

#include "run/command.h"
#include "run/show.h"

/* One algorithm at one world size and one array size. */
typedef struct rc_row {
    const rs_algorithm *algorithm;
    int32_t n_ranks, n_steps;
    int64_t count, n_bytes; /* of one rank's array */
    int64_t time_ps;        /* simulated */
    int64_t closed_form_ps; /* -1: there is none here */
    int64_t bound_ps;       /* no algorithm is faster; on a machine by its raw capacities */
    int64_t most_sent;      /* bytes, by the rank that sends most */
    int64_t busiest_link;   /* bytes over the link that carries most */
    int64_t ring_ps;        /* the ring's time beside it; -1: the ring is not compared */
    bool best;              /* none is faster at this world size and size */
} rc_row;

typedef struct rc_table {
    rs_net net;
    int32_t root; /* of broadcast and reduce */
    rs_dtype dtype;
    rc_row *rows; /* by world size, then size, then algorithm */
    int64_t n_rows;
    int64_t n_sizes, n_algorithms;
} rc_table;

/* Fills in one row: simulates, and looks at every transfer for the busiest link. */
rc_exit rc_measure(rc_session *session, const rc_table *table, const rs_spec *spec,
                   rs_engine engine, rc_row *row);

/* Prints all rows as a table, n_algorithms rows to a group. */
void rc_print_table(const rc_table *table);
/* Writes the rows comma-separated, a head line first. */
void rc_print_csv(const rc_table *table, FILE *out);
/* Prints ringsim.compare/1. */
void rc_print_json(const rc_table *table);
/* Plots time against size in characters, a plot a world size; wants two sizes at least. */
void rc_print_plot(const rc_table *table);

/* compare_export.c: the curves, where somebody wants to see them, and what --export writes. */
typedef struct rc_curves {
    rc_file csv;
    bool walked; /* --view, --step or --at: instead of the table */
    rc_showing showing;
} rc_curves;
/* Reads the name of such a file, an rc_type's. */
rc_exit rc_as_curves(const rc_typed *typed, rc_value *value);
/* Opens it, before anything is measured. */
rc_exit rc_curves_open(rc_session *session, const int64_t counts[], int64_t n_counts,
                       const int64_t worlds[], int64_t n_worlds, rc_curves *curves);
/* Tells whether curves are asked for: to be walked, or as a picture. */
bool rc_curves_wanted(const rc_options *options);
/* Tells whether there is something to draw curves over: one world size and several sizes, or the other way round. */
rc_exit rc_curves_check(const int64_t counts[], int64_t n_counts, const int64_t worlds[],
                        int64_t n_worlds, rs_error *error);
/* Turns the rows around: what each algorithm takes at each point. */
rc_exit rc_curves_story(rc_session *session, const rc_table *table, struct rv_story *story);
/* Draws the curves into it, and shows them if they are to be walked. */
rc_exit rc_curves_write(rc_session *session, const rc_table *table, rc_curves *curves);
/* Removes what was begun and not written. */
void rc_curves_discard(rc_curves *curves);
