/* simulate_wires.c: the event engine for eager senders where each rank has one fixed receiver and one
 * fixed source, one message a step: a ring. Then a port belongs to one wire, nobody queues for it but
 * the wire's own messages in their order, and one event a message is enough.
 *
 *     rank enters a step: its message starts at max(entry, wire free), its wire is free busy later
 *     event: the message arrives, alpha later still --> the receiver, which waits in this very step,
 *            adds it and enters its next step, at a time known now
 *
 *   - Messages of a wire arrive in their order, and a rank passes its steps without a receive at once:
 *     so what arrives is always what the receiver waits for, unless it is dead.
 *   - An entry may lie in the future of the queue's clock (a straggler, an addition); nothing depends
 *     on it before, as no wire is shared.
 */
#include "time/event_queue.h"
#include "time/ranks.h"

#include <assert.h>

enum { NONE = -1, PROGRESS_EVERY = 1 << 17 };

typedef struct rank_state {
    int64_t entry_ps;          /* into its step */
    int64_t free_ps;           /* when its wire has carried all that it sent so far */
    int64_t alpha_ps, busy_ps; /* of a message of n_bytes that it sends */
    int64_t n_bytes;           /* NONE: costs unknown */
    int64_t added_bytes;       /* NONE: unknown */
    int64_t addition_ps;       /* what adding added_bytes costs it */
    int32_t step;              /* in which it waits for a message; n_steps: finished or dead */
    int32_t dst;               /* of its wire */
} rank_state;

typedef struct engine {
    const rs_job *job;
    const rs_costs *costs;
    const rs_sink *sink;
    rs_outcome *outcome;
    rank_state *ranks;
    rs_queue queue; /* of receivers */
    bool dense;     /* every rank sends and receives in every step */
    bool adds;      /* additions take time */
} engine;

/* Starts what the rank sends in its step, if anything. */
static bool send(engine *e, rank_state *state, int32_t rank) {
    const rs_schedule *schedule = e->job->schedule;
    rs_transfer transfer;
    if (schedule->sends(schedule, state->step, rank, &transfer) == 0) return true;
    const int64_t n_bytes = rs_costs_bytes(e->costs, &transfer);
    if (n_bytes != state->n_bytes) {
        state->n_bytes = n_bytes;
        state->dst = transfer.dst;
        rs_costs_link(e->costs, rank, transfer.dst, n_bytes, &state->alpha_ps, &state->busy_ps);
    }
    const int64_t start_ps = state->entry_ps > state->free_ps ? state->entry_ps : state->free_ps;
    state->free_ps = start_ps + state->busy_ps;
    if (e->costs->n_outages > 0) state->free_ps += rs_costs_outage(e->costs, rank, state->step);
    e->outcome->bytes_sent[rank] += n_bytes;
    return rs_queue_push(&e->queue, state->free_ps + state->alpha_ps, (uint32_t)state->dst);
}

static bool receives(const engine *e, const rank_state *state, int32_t rank) {
    const rs_schedule *schedule = e->job->schedule;
    rs_transfer transfer;
    return e->dense || schedule->recvs(schedule, state->step, rank, &transfer) > 0;
}

/* Lets a rank enter its next steps, up to the first in which it has to wait. */
static bool enter_next(engine *e, int32_t rank, int64_t leave_ps) {
    const rs_schedule *schedule = e->job->schedule;
    rank_state *state = &e->ranks[rank];
    do {
        int32_t next = state->step + 1;
        if (schedule->next_step != NULL && !e->dense) {
            next = schedule->next_step(schedule, next, rank);
        }
        if (!rs_goes_on(e->costs, e->outcome, rank, state->step, next, leave_ps,
                        &state->entry_ps)) {
            state->step = e->costs->n_steps;
            return true;
        }
        state->step = next;
        leave_ps = state->entry_ps;
        if (!send(e, state, rank)) return false;
    } while (!receives(e, state, rank));
    return true;
}

/* Returns what adding the message costs its receiver. */
static int64_t addition_of(const engine *e, rank_state *state, const rs_transfer *transfer) {
    if (transfer->effect != RS_REDUCE) return 0;
    const int64_t n_bytes = rs_costs_bytes(e->costs, transfer);
    if (n_bytes != state->added_bytes) {
        state->added_bytes = n_bytes;
        state->addition_ps = rs_costs_addition(e->costs, transfer->dst, n_bytes);
    }
    return state->addition_ps;
}

/* The start is found again from the end: to remember it would cost all runs without a sink. */
static void tell(const engine *e, const rs_transfer *transfer, int32_t step, int64_t end_ps,
                 int64_t done_ps) {
    int64_t alpha_ps, busy_ps;
    rs_costs_link(e->costs, transfer->src, transfer->dst, rs_costs_bytes(e->costs, transfer),
                  &alpha_ps, &busy_ps);
    busy_ps += rs_costs_outage(e->costs, transfer->src, step);
    const rs_timed timed = {*transfer, step, end_ps - alpha_ps - busy_ps, end_ps, done_ps};
    e->sink->transfer(e->sink->context, &timed);
}

static bool arrive(engine *e, rs_event event) {
    const rs_schedule *schedule = e->job->schedule;
    const int32_t rank = (int32_t)event.what;
    rank_state *state = &e->ranks[rank];
    rs_reach(e->outcome, event.time_ps);
    if (state->step == e->costs->n_steps) return true; /* dead: nobody takes it */
    int64_t done_ps = event.time_ps > state->entry_ps ? event.time_ps : state->entry_ps;
    if (e->adds || e->sink != NULL) {
        rs_transfer transfer;
        const int n = schedule->recvs(schedule, state->step, rank, &transfer);
        assert(n == 1);
        if (e->adds) done_ps += addition_of(e, state, &transfer);
        if (e->sink != NULL) tell(e, &transfer, state->step, event.time_ps, done_ps);
    }
    e->outcome->n_transfers++;
    rs_reach(e->outcome, done_ps);
    return enter_next(e, rank, done_ps);
}

static bool begin(engine *e, rs_arena *arena) {
    const rs_schedule *schedule = e->job->schedule;
    const int32_t n = e->costs->n_ranks;
    e->ranks = rs_alloc(arena, (size_t)n, sizeof *e->ranks);
    if (e->ranks == NULL || !rs_queue_init(&e->queue, (uint32_t)n, arena)) return false;
    e->dense = schedule->n_transfers == (int64_t)n * schedule->n_steps;
    e->adds = e->job->net.reduce_Bps > 0;
    for (int32_t r = 0; r < n; r++) {
        e->ranks[r] = (rank_state){.n_bytes = NONE, .added_bytes = NONE, .step = -1};
    }
    for (int32_t r = 0; r < n; r++) {
        if (!enter_next(e, r, e->costs->late_ps[r])) return false;
    }
    return true;
}

rs_status rs_events_wires(const rs_job *job, const rs_costs *costs, const rs_sink *sink,
                          rs_arena *arena, rs_error *error, rs_outcome *outcome) {
    engine e = {.job = job, .costs = costs, .sink = sink, .outcome = outcome};
    rs_status status = RS_OK;
    bool fits = begin(&e, arena);
    for (int64_t n_events = 1; fits && status == RS_OK && e.queue.n > 0; n_events++) {
        fits = arrive(&e, rs_queue_pop(&e.queue));
        if (n_events % PROGRESS_EVERY == 0) {
            status = rs_ask_host(arena->host, outcome, job->schedule, error);
        }
    }
    if (!fits) {
        return rs_fail(error, RS_NO_MEMORY,
                       "no memory for the transfers under way; take fewer or rendezvous");
    }
    for (int32_t r = 0; r < costs->n_ranks; r++) { /* whoever waits now, waits for ever */
        if (e.ranks[r].step < costs->n_steps) outcome->entered[r] = e.ranks[r].step + 1;
    }
    return status;
}
