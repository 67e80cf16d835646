/* wavefront_sweep.c: any schedule without shared ports, step by step.
 *
 *     entry of both ends --> start --> end (arrived) --> done (added) --> both leave the step
 *
 *   - The sweep computes a rank's entry when the first transfer of a step names it: the time when
 *     it last left a step, and a straggler's pause for each step since, also for steps in which it
 *     had nothing to do.
 *   - A time that never comes is NEVER; it spreads: a rank that waits for it never leaves either.
 *   - The sink gets the transfers by step, then in list order.
 */
#include "time/wavefront.h"
#include "base/containers.h"

#define NEVER INT64_MAX
enum { BETWEEN_PROGRESS = 1 << 17 /* transfers, some 3 ms */ };

/* A rank on its way. */
typedef struct runner {
    int64_t entry_ps; /* when it enters its step, or NEVER */
    int64_t leave_ps; /* when it leaves that step, as far as known, or NEVER */
    int64_t free_ps;  /* when its wire is free (eager) */
    int32_t step;     /* the last step that named it; -1: none yet */
    int32_t stuck;    /* the step that it never leaves; n_steps: none so far */
} runner;

/* What a rank's last message and last addition cost: most messages cost the same as the one
   before. */
typedef struct memory {
    int32_t dst;
    int64_t n_bytes, alpha_ps, busy_ps;
    int64_t n_added, addition_ps;
} memory;

typedef struct price {
    int64_t n_bytes, alpha_ps, busy_ps, addition_ps;
} price;

typedef struct sweep {
    const rs_costs *costs;
    const rs_sink *sink;
    rs_outcome *outcome;
    runner *runners;  /* [n_ranks] */
    memory *memories; /* [n_ranks] */
} sweep;

/* Brings a rank to `step`, if it is not there yet. */
static void enter(const sweep *s, int32_t rank, int32_t step) {
    runner *r = &s->runners[rank];
    if (r->step == step) return;
    if (r->leave_ps != NEVER) {
        r->leave_ps += s->costs->straggler_ps[rank] * (step - r->step);
        if (step >= s->costs->kill_step[rank]) r->leave_ps = NEVER;
    }
    r->entry_ps = r->leave_ps;
    r->step = step;
}

/* Lets a rank leave its step at a time or later; NEVER: it is stuck there, unless it never
   entered. */
static void leave(runner *r, int64_t at_ps) {
    if (r->leave_ps != NEVER && at_ps == NEVER) r->stuck = r->step;
    r->leave_ps = rs_larger(r->leave_ps, at_ps);
}

static price look_up(const sweep *s, const rs_transfer *transfer, int32_t step) {
    const int64_t n_bytes = rs_costs_bytes(s->costs, transfer);
    memory *link = &s->memories[transfer->src], *adder = &s->memories[transfer->dst];
    if (link->dst != transfer->dst || link->n_bytes != n_bytes) {
        link->dst = transfer->dst;
        link->n_bytes = n_bytes;
        rs_costs_link(s->costs, transfer->src, transfer->dst, n_bytes, &link->alpha_ps,
                      &link->busy_ps);
    }
    price p = {n_bytes, link->alpha_ps, link->busy_ps, 0};
    if (s->costs->n_outages > 0) p.busy_ps += rs_costs_outage(s->costs, transfer->src, step);
    if (transfer->effect != RS_REDUCE) return p;
    if (adder->n_added != n_bytes) {
        adder->n_added = n_bytes;
        adder->addition_ps = rs_costs_addition(s->costs, transfer->dst, n_bytes);
    }
    p.addition_ps = adder->addition_ps;
    return p;
}

/* Makes a rank wait for ever in its step: to enter that step was its last event. */
static void wait_for_ever(const sweep *s, runner *r) {
    if (r->entry_ps != NEVER) {
        s->outcome->makespan_ps = rs_larger(s->outcome->makespan_ps, r->entry_ps);
    }
    leave(r, NEVER);
}

/* Reports a message in which both ends took part. */
static void report(const sweep *s, const rs_timed *timed) {
    s->outcome->n_transfers++;
    s->outcome->makespan_ps = rs_larger(s->outcome->makespan_ps, timed->done_ps);
    if (s->sink != NULL) s->sink->transfer(s->sink->context, timed);
}

/* Both ends wait for each other, and both stay until the data are there; or one waits for ever. */
static void run_rendezvous(const sweep *s, runner *src, runner *dst, rs_timed *timed) {
    if (src->entry_ps == NEVER || dst->entry_ps == NEVER) {
        wait_for_ever(s, src);
        wait_for_ever(s, dst);
        return;
    }
    const price p = look_up(s, &timed->transfer, timed->step);
    timed->start_ps = rs_larger(src->entry_ps, dst->entry_ps);
    timed->end_ps = timed->start_ps + p.busy_ps + p.alpha_ps;
    timed->done_ps = timed->end_ps + p.addition_ps;
    s->outcome->bytes_sent[timed->transfer.src] += p.n_bytes;
    leave(src, timed->end_ps);
    leave(dst, timed->done_ps);
    report(s, timed);
}

/* The sender hands its data over and goes on; its wire carries the message even to a dead
   receiver. */
static void run_eager(const sweep *s, runner *src, runner *dst, rs_timed *timed) {
    if (src->entry_ps == NEVER) {
        wait_for_ever(s, dst);
        return;
    }
    const price p = look_up(s, &timed->transfer, timed->step);
    timed->start_ps = rs_larger(src->entry_ps, src->free_ps);
    timed->end_ps = timed->start_ps + p.busy_ps + p.alpha_ps;
    src->free_ps = timed->start_ps + p.busy_ps;
    s->outcome->bytes_sent[timed->transfer.src] += p.n_bytes;
    s->outcome->makespan_ps = rs_larger(s->outcome->makespan_ps, timed->end_ps);
    if (dst->entry_ps == NEVER) return;
    timed->done_ps = rs_larger(timed->end_ps, dst->entry_ps) + p.addition_ps;
    leave(dst, timed->done_ps);
    report(s, timed);
}

static void run_transfer(const sweep *s, int32_t step, const rs_transfer *transfer) {
    runner *src = &s->runners[transfer->src], *dst = &s->runners[transfer->dst];
    rs_timed timed = {.transfer = *transfer, .step = step};
    enter(s, transfer->src, step);
    enter(s, transfer->dst, step);
    const bool eager = s->costs->job->net.protocol == RS_EAGER;
    (eager ? run_eager : run_rendezvous)(s, src, dst, &timed);
}

static rs_status run_steps(const sweep *s, const rs_host *host, rs_error *error) {
    const rs_schedule *schedule = s->costs->job->schedule;
    int64_t n_seen = 0, report_at = BETWEEN_PROGRESS;
    for (int32_t step = 0; step < s->costs->n_steps; step++) {
        rs_transfer transfer;
        rs_cursor cursor = {0};
        while (rs_next_transfer(schedule, step, &cursor, &transfer)) {
            run_transfer(s, step, &transfer);
            n_seen++;
        }
        if (n_seen < report_at) continue;
        report_at = n_seen + BETWEEN_PROGRESS;
        if (!rs_go_on(host, "simulating", n_seen, schedule->n_transfers)) {
            return rs_fail(error, RS_CANCELLED, "cancelled in step %d", (int)step);
        }
    }
    return RS_OK;
}

/* Brings every rank past the last step. */
static void finish(const sweep *s) {
    const int32_t n_steps = s->costs->n_steps;
    for (int32_t rank = 0; rank < s->costs->n_ranks; rank++) {
        runner *r = &s->runners[rank];
        if (n_steps > 0) enter(s, rank, n_steps - 1);
        s->outcome->entered[rank] = s->costs->kill_step[rank];
        if (r->stuck < n_steps) s->outcome->entered[rank] = r->stuck + 1;
        if (r->leave_ps == NEVER) continue;
        s->outcome->finish_ps[rank] = r->leave_ps;
        s->outcome->makespan_ps = rs_larger(s->outcome->makespan_ps, r->leave_ps);
    }
}

rs_status rs_wavefront_sweep(const rs_costs *costs, const rs_sink *sink, rs_arena *arena,
                             rs_error *error, rs_outcome *outcome) {
    const size_t n = (size_t)costs->n_ranks;
    sweep s = {.costs = costs, .sink = sink, .outcome = outcome};
    s.runners = rs_alloc(arena, n, sizeof *s.runners);
    s.memories = rs_alloc(arena, n, sizeof *s.memories);
    if (arena->lacked) return rs_no_memory(error);
    for (size_t r = 0; r < n; r++) {
        s.runners[r] = (runner){.leave_ps = costs->late_ps[r], .step = -1, .stuck = costs->n_steps};
        s.memories[r] = (memory){.dst = -1, .n_added = -1};
    }
    const rs_status status = run_steps(&s, arena->host, error);
    if (status == RS_OK) finish(&s);
    return status;
}

/* ------------------------------------------------------------------ which of the two runs */

/* The engine without a queue: when it applies, and which of its two variants runs.
 *
 *   - If no two messages ever want one port at one time, each rank's time follows from its own and
 *     its partners' times one step before, so the engine can go through the steps in order.
 *   - Under rendezvous that is so when no rank has more than one message each way in a step: a rank
 *     is in one step at a time, and its ports are free when it enters.
 *   - Under eager a sender runs ahead, and messages of several senders may meet at a receiver; with
 *     fixed neighbours a receiver has one sender, whose messages stay in order.
 */

bool rs_wavefront_applies(const rs_job *job) {
    const rs_schedule *schedule = job->schedule;
    if (job->net.machine != NULL) return false;
    if (schedule->n_steps == 0) return true; /* one rank, or nothing to reduce */
    if (schedule->max_sends > 1) return false;
    return job->net.protocol == RS_RENDEZVOUS || schedule->fixed_neighbours;
}

rs_status rs_wavefront(const rs_job *job, const rs_costs *costs, const rs_sink *sink,
                       rs_arena *arena, rs_error *error, rs_outcome *outcome) {
    (void)job;
    if (sink == NULL && costs->n_steps > 0 && rs_ring_applies(costs)) {
        return rs_wavefront_ring(costs, NULL, arena, error, outcome);
    }
    return rs_wavefront_sweep(costs, sink, arena, error, outcome);
}
