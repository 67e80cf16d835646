/* ringsim_time.h: links and faults, and what happens when on them.
 *
 *     JOB: schedule, elements, links, faults ---> simulate ---> OUTCOME, and each transfer to a sink ---> TRACE
 *
 *   - Times are int64 picoseconds. Without a machine links are private to a pair of ranks, and ports are
 *     serialised; with one, transfers share its wires (README of this room, "Machines").
 */
#pragma once

#include "ringsim_machine.h"
#include "ringsim_schedule.h"

RS_BEGIN_DECLS

/* ------------------------------------------------------------------ links and faults */

typedef struct rs_link {
    int64_t alpha_ps;       /* latency */
    uint64_t bandwidth_Bps; /* bytes a second, >= 1 */
} rs_link;
typedef struct rs_link_override {
    int32_t src, dst;
    rs_link link;
} rs_link_override;
typedef enum rs_protocol { RS_RENDEZVOUS, RS_EAGER } rs_protocol;

typedef struct rs_net {
    rs_link link;                      /* between every pair of ranks, unless overridden */
    const rs_link_override *overrides; /* sorted by (src, dst), no pair twice */
    int32_t n_overrides;
    uint64_t reduce_Bps; /* speed of the addition; 0: infinite */
    rs_protocol protocol;
    /* NULL: private links, as above. Otherwise its wires, and no link above counts; rendezvous only. */
    const rs_machine *machine;
    const int32_t
        *place; /* [n_ranks] the GPU that a rank lives on, none twice; NULL: rank r on GPU r */
    int64_t launch_ps; /* all ranks start so late; with a machine its own counts */
} rs_net;

/* Tells whether an algorithm is of use on a net: where switches add, all GPUs must be at one that does. */
bool rs_algorithm_serves(const rs_algorithm *algorithm, const rs_net *net);

typedef enum rs_fault_kind {
    RS_SLOW_LINK, /* the links out of `rank` (of its GPU) are `factor` times slower, latency and bandwidth */
    RS_LATE,        /* `rank` starts time_ps late */
    RS_STRAGGLER,   /* `rank` needs time_ps more before each step */
    RS_KILL,        /* `rank` dies before `step` */
    RS_FLIP,        /* the lowest bit of the first element of what it sends in `step` flips */
    RS_SLOW_REDUCE, /* `rank`'s additions are `factor` times slower */
    RS_DOWN         /* its outgoing link is down for time_ps before its first transfer of `step` */
} rs_fault_kind;
typedef struct rs_fault {
    rs_fault_kind kind;
    int32_t rank, step;
    int64_t time_ps;
    uint64_t factor_num, factor_den; /* factor = num / den; both <= 10^9 */
} rs_fault;

typedef struct rs_job {
    const rs_schedule *schedule;
    int64_t count; /* elements a rank */
    int32_t elem_bytes;
    rs_net net;
    const rs_fault *faults;
    int32_t n_faults;
} rs_job;

/* Returns b / B in ps, to the nearest (halves up), for n_bytes over bandwidth_Bps slowed by num/den;
   INT64_MAX where it does not fit. */
int64_t rs_wire_ps(int64_t n_bytes, uint64_t bandwidth_Bps, uint64_t num, uint64_t den);

/* ------------------------------------------------------------------ what happens when */

typedef enum rs_engine {
    RS_ENGINE_AUTO,
    RS_ENGINE_EVENTS,
    RS_ENGINE_WAVEFRONT,
    RS_ENGINE_FLOWS /* on a machine */
} rs_engine;

/* One transfer that happened. */
typedef struct rs_timed {
    rs_transfer transfer;
    int32_t step;
    int64_t start_ps;
    int64_t end_ps;  /* the data have arrived */
    int64_t done_ps; /* the receiver, too, has come (eager) and has added them (copies: 0 ps) */
    /* on a machine: the latencies of its route; otherwise 0, the job's net tells */
    int64_t alpha_ps;
} rs_timed;

typedef struct rs_sink {
    void *context;
    void (*transfer)(void *context, const rs_timed *timed); /* in the engine's own order */
} rs_sink;

typedef struct rs_wait { /* a survivor that will never leave `step` */
    int32_t rank, step;
    int32_t n_waits_for;
    const int32_t *waits_for; /* the peers it waits for, ascending */
} rs_wait;

/* What one wire of a machine carried. */
typedef struct rs_wire_use {
    int64_t n_bytes;
    int64_t busy_ps; /* while any flow was on it */
} rs_wire_use;

typedef struct rs_outcome {
    rs_engine engine;    /* the one that ran */
    bool completed;      /* every rank left its last step */
    int64_t makespan_ps; /* when the last rank finished; stalled: the last transfer,
                            addition, or entry into a step */
    int64_t n_transfers; /* that happened */
    int64_t *finish_ps;  /* [n_ranks] when each left its last step; -1: never */
    int32_t *entered;    /* [n_ranks] how many steps each entered */
    int64_t *bytes_sent; /* [n_ranks] */
    rs_wait *stalled;    /* [n_stalled] survivors only, by rank */
    int32_t n_stalled;
    int32_t *killed; /* [n_killed] ranks that died, ascending */
    int32_t n_killed;
    rs_wire_use *wires; /* [2 n_links] of the machine; NULL: without one */
} rs_outcome;

/* Tells whether the wavefront engine gives the same answer for this job: no wire is shared. */
bool rs_wavefront_applies(const rs_job *job);
/* Times the job. Hands every transfer that happens to the sink (may be NULL). The outcome's arrays live in the
   arena. RS_BAD_INPUT, RS_TOO_LARGE: a number of the job; RS_UNSUPPORTED: the engine does not apply. */
rs_status rs_simulate(const rs_job *job, rs_engine engine, const rs_sink *sink, rs_arena *arena,
                      rs_error *error, rs_outcome *outcome);

/* All transfers that happened. */
typedef struct rs_trace {
    rs_timed *items;
    int64_t n_items, capacity;
} rs_trace;
/* Makes an empty trace with room for `capacity` transfers; it lives in the arena. */
rs_status rs_trace_new(int64_t capacity, rs_arena *arena, rs_error *error, rs_trace **trace);
rs_sink rs_trace_sink(rs_trace *trace); /* appends what comes, until the trace is full */
void rs_trace_sort(rs_trace *trace);    /* by step, then list order */

/* Messages of a job on a machine that share its wires at one moment (flows/together.c): who has which rate. It
   lives in the arena; the job's schedule, machine, place and faults must outlive it. */
typedef struct rs_together rs_together;
rs_status rs_together_new(const rs_job *job, rs_arena *arena, rs_error *error,
                          rs_together **together);
/* Returns when the bytes of a message begin to flow: after the latencies, and after its link was down. */
int64_t rs_together_from(const rs_together *together, const rs_timed *message);
/* Finds the wires of a message; they hold until the next call. */
rs_status rs_together_way(rs_together *together, const rs_transfer *transfer, rs_error *error,
                          rs_route *route);
/* Returns what a wire can carry with its faults, in bytes a second. */
uint64_t rs_together_capacity(const rs_together *together, int32_t wire);
/* Writes the rate, in bytes a second, rounded down, that each of n messages has while exactly these flow, max-min
   fair; each has a byte at least. RS_NO_MEMORY: all later calls fail, too. */
rs_status rs_share_out(rs_together *together, const rs_timed *const messages[], int32_t n,
                       rs_error *error, uint64_t rates_Bps[]);

/* Where a span of time went, along the critical path: the chain of transfers and delays in which each
   was over just when the next began. Waiting is what faults add there: late ranks, stragglers, links
   that are down; a delay D that the chain meets k times counts k D. */
typedef struct rs_time_split { /* latency: a machine's launch and barriers, too */
    int64_t latency_ps, wire_ps, adding_ps, waiting_ps;
} rs_time_split;
typedef struct rs_critical_path rs_critical_path;
/* Finds the critical path of a job that was simulated, from its sorted trace; both must outlive the path, which
   lives in the arena. */
rs_status rs_critical_path_new(const rs_job *job, const rs_trace *trace, rs_arena *arena,
                               rs_error *error, rs_critical_path **path);
/* Splits the time, in ps, until the last of the first n_items of the trace was done. */
rs_time_split rs_critical_path_split(const rs_critical_path *path, int64_t n_items);

RS_END_DECLS
