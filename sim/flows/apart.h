/* apart.h: runs on a machine in which no two transfers ever share a wire at one time. Private to sim/.
 *
 *     job on a machine ---> is each wire taken by one sender alone, or by one receiver alone?
 *                      ---> a job on private links, which gives the same picoseconds, fast
 *
 *   - A rank that has one message each way in a step sends one after another, and hears one after another.
 */
#pragma once

#include "flows/numbers.h"
#include "time/costs.h"

/* A sender and a receiver, and what went that way. */
typedef struct rs_flow_pair {
    int32_t first_wire, n_wires; /* wires[first_wire ..] */
    rs_wire_use use;
} rs_flow_pair;

typedef struct rs_apart {
    rs_job job;          /* on private links: an override for each pair, in the same order */
    rs_flow_pair *pairs; /* [job.net.n_overrides] */
    rs_numbers wires;    /* of their routes */
    rs_sink sink;        /* hands on to `then`, with the latencies of the routes */
    const rs_sink *then;
} rs_apart;

/* Looks whether a job, whose costs were made, is one of those; *found is NULL if not. */
rs_status rs_apart_new(const rs_costs *costs, const rs_sink *sink, rs_arena *arena, rs_error *error,
                       rs_apart **found);
/* Fills in what each wire carried, from the outcome on private links. */
rs_status rs_apart_end(const rs_apart *apart, const rs_costs *costs, rs_arena *arena,
                       rs_error *error, rs_outcome *outcome);
