/* costs.h: a job made ready for the engines, and what the engines share. Private to sim/.
 *
 *     rs_job --(rs_costs_new: every number checked)--> rs_costs --+--> events    (simulate_*.c)
 *                                                                 +--> wavefront (wavefront_sweep.c)
 *
 *   - rs_costs_new is the one place where a job's numbers are judged; the engines trust them.
 *   - alpha and b/B of a link are each rounded to the nearest picosecond once, for each link and
 *     size, with overrides and slow links in. Whoever remembers them must not round again.
 *   - All sums of times that an engine can form stay below 2^53 ps, so they are exact in doubles
 *     too: bounded before the run where a bound is known, watched during it elsewhere.
 *   - An outcome is filled in by the functions below from entered[] and finish_ps[] alone, so that
 *     both engines tell the same story.
 */
#pragma once

#include "ringsim.h"

#define RS_CLOCK_LIMIT_PS ((int64_t)1 << 53) /* doubles hold every integer below */

typedef struct rs_factor {
    uint64_t num, den;
} rs_factor;

typedef struct rs_outage {
    int32_t src, step;
    int64_t time_ps;
} rs_outage;

typedef struct rs_costs {
    const rs_job *job;
    int32_t n_ranks;
    int32_t n_steps;         /* of the schedule; 0 where there is nothing to do (N = 1 or K = 0) */
    int64_t launch_ps;       /* all start so late; in late_ps, too */
    int64_t barrier_ps;      /* before each of the schedule's n_barriers first steps */
    int64_t *late_ps;        /* [n_ranks] */
    int64_t *straggler_ps;   /* [n_ranks] before each step */
    int32_t *kill_step;      /* [n_ranks] the rank never enters this step; n_steps: it lives */
    rs_factor *slow_link;    /* [n_ranks] for the links out of a rank; NULL: all 1 */
    rs_factor *slow_reduce;  /* [n_ranks]; NULL: all 1 */
    int32_t *override_first; /* [n_ranks + 1] where a source's overrides begin; NULL: none */
    int32_t *override_dst;   /* [n_overrides] their destinations, side by side */
    int64_t chunk_bytes;     /* of a smaller chunk */
    int64_t n_larger;        /* chunks at the beginning that hold one element more */
    bool in_parts;           /* larger chunks stand elsewhere, too: neither of the two holds */
    rs_outage *outages;      /* [n_outages] sorted by (src, step), no pair twice */
    int32_t n_outages;
    bool has_kills;
    bool disturbed; /* a rank dies, or is a straggler: who goes on must look */
    bool one_port;  /* no rank has more than one send and one receive in a step */
    bool bounded;   /* proved: no clock of this run can pass the limit */
} rs_costs;

/* Checks the whole job and makes it ready; the job must outlive the result. RS_BAD_INPUT for numbers
   out of range, RS_TOO_LARGE where the clock would surely pass RS_CLOCK_LIMIT_PS. */
rs_status rs_costs_new(const rs_job *job, rs_arena *arena, rs_error *error, rs_costs **out);

/* Returns ps x factor to the nearest (halves up), INT64_MAX where it does not fit. */
int64_t rs_scale_ps(int64_t ps, rs_factor factor);
/* What a message costs: the latency, and how long the wire is taken. */
typedef struct rs_cost {
    int64_t alpha_ps, busy_ps;
} rs_cost;
rs_cost rs_costs_message(const rs_costs *costs, int32_t src, int32_t dst, int64_t n_bytes);
/* The same, into *alpha_ps and *busy_ps. */
void rs_costs_link(const rs_costs *costs, int32_t src, int32_t dst, int64_t n_bytes,
                   int64_t *alpha_ps, int64_t *busy_ps);
/* Returns what adding n_bytes costs `rank`. */
int64_t rs_costs_addition(const rs_costs *costs, int32_t rank, int64_t n_bytes);
/* Returns how much longer the first transfer (in list order) that `src` sends in `step` takes. */
int64_t rs_costs_outage(const rs_costs *costs, int32_t src, int32_t step);
/* Returns what the barriers cost of a rank that goes from one step, -1 at the beginning, to a later one. */
static inline int64_t rs_costs_barriers(const rs_costs *costs, int32_t from, int32_t to) {
    const int32_t n = costs->job->schedule->n_barriers;
    if (costs->barrier_ps == 0 || from + 1 >= n) return 0;
    return costs->barrier_ps * ((to + 1 < n ? to + 1 : n) - (from + 1));
}

/* Returns the bytes of a transfer. */
static inline int64_t rs_costs_bytes(const rs_costs *costs, const rs_transfer *transfer) {
    const int64_t begin = transfer->chunk, end = begin + transfer->n_chunks;
    const int64_t larger = costs->n_larger;
    if (costs->in_parts) {
        return rs_transfer_count(costs->job->schedule, costs->job->count, transfer) *
               costs->job->elem_bytes;
    }
    const int64_t n_more = (end < larger ? end : larger) - (begin < larger ? begin : larger);
    return transfer->n_chunks * costs->chunk_bytes + n_more * costs->job->elem_bytes;
}

/* Takes the arrays of an outcome: finish_ps all -1, everything else 0. */
rs_status rs_outcome_new(const rs_job *job, rs_arena *arena, rs_error *error, rs_outcome *outcome);
/* Ends an outcome: from entered[] and finish_ps[] tells whether the run completed, who died, who
   waits for whom. A transfer never happens where an end did not enter its step. */
rs_status rs_outcome_end(const rs_costs *costs, rs_arena *arena, rs_error *error,
                         rs_outcome *outcome);

/* The engines. `outcome` comes from rs_outcome_new; they fill in finish_ps, entered, bytes_sent,
   n_transfers (both ends entered) and makespan_ps: the latest finish, arrival or addition. */
rs_status rs_events(const rs_job *job, const rs_costs *costs, const rs_sink *sink, rs_arena *arena,
                    rs_error *error, rs_outcome *outcome);
rs_status rs_wavefront(const rs_job *job, const rs_costs *costs, const rs_sink *sink,
                       rs_arena *arena, rs_error *error, rs_outcome *outcome);
rs_status rs_flows(const rs_job *job, const rs_costs *costs, const rs_sink *sink, rs_arena *arena,
                   rs_error *error, rs_outcome *outcome);
