/* simulate_one_port.c: the event engine where a rank has at most one message each way in a step and
 * waits for both: rendezvous, as in nearly all collectives. Then a port is free whenever its rank
 * enters a step, and one event a transfer is enough.
 *
 *     event: the transfer of src ends --> src has sent, dst has received (and then adds)
 *            whoever has done both goes into its next step, at a time known now
 *            whoever goes in second starts the transfer: an event at max(both entries) + cost
 *
 *   - A rank's whole state is one cache line. What its message costs is kept until the receiver, the
 *     size or the effect changes.
 *   - An entry may lie in the future of the queue's clock (a straggler, an addition); nothing depends
 *     on it before, as no port is shared.
 */
#include "time/event_queue.h"
#include "time/ranks.h"

#include <assert.h>

enum { NONE = -1, PROGRESS_EVERY = 1 << 17 };

typedef struct rank_state {
    int64_t entry_ps, leave_ps; /* leave_ps: the latest end of what it has done in this step */
    int64_t cost_ps;            /* of the message it sends in this step */
    int64_t addition_ps;        /* its receiver's */
    int64_t n_bytes;            /* of that message; NONE: costs unknown */
    int32_t step;               /* it is in, or on its way to; n_steps: finished or dead */
    int32_t n_pending;          /* its transfers in this step that are not done */
    int32_t dst, src;           /* its partners in this step; NONE */
    uint8_t effect;
} rank_state;

typedef struct engine {
    const rs_job *job;
    const rs_costs *costs;
    const rs_sink *sink;
    rs_outcome *outcome;
    rank_state *ranks;
    rs_queue queue;
    bool dense;  /* every rank sends and receives in every step */
    bool steady; /* and always to and from the same ranks */
} engine;

static void find_costs(const engine *e, rank_state *state, int32_t rank, int64_t n_bytes) {
    int64_t alpha_ps, busy_ps;
    rs_costs_link(e->costs, rank, state->dst, n_bytes, &alpha_ps, &busy_ps);
    state->cost_ps = alpha_ps + busy_ps + rs_costs_outage(e->costs, rank, state->step);
    state->addition_ps =
        state->effect == RS_REDUCE ? rs_costs_addition(e->costs, state->dst, n_bytes) : 0;
    state->n_bytes = e->costs->n_outages > 0 ? NONE : n_bytes;
}

/* Looks up what the rank sends in its step. */
static bool plan_send(const engine *e, rank_state *state, int32_t rank) {
    const rs_schedule *schedule = e->job->schedule;
    rs_transfer transfer;
    if (schedule->sends(schedule, state->step, rank, &transfer) == 0) {
        state->dst = NONE;
        return false;
    }
    const int64_t n_bytes = rs_costs_bytes(e->costs, &transfer);
    if (transfer.dst != state->dst || n_bytes != state->n_bytes ||
        transfer.effect != state->effect) {
        state->dst = transfer.dst;
        state->effect = transfer.effect;
        find_costs(e, state, rank, n_bytes);
    }
    e->outcome->bytes_sent[rank] += n_bytes;
    return true;
}

static bool plan_receive(const engine *e, rank_state *state, int32_t rank) {
    const rs_schedule *schedule = e->job->schedule;
    rs_transfer transfer;
    if (e->steady && state->src != NONE) return true;
    const bool receives = schedule->recvs(schedule, state->step, rank, &transfer) != 0;
    state->src = receives ? transfer.src : NONE;
    return receives;
}

static void start(engine *e, int32_t src, const rank_state *a, const rank_state *b) {
    const int64_t start_ps = a->entry_ps > b->entry_ps ? a->entry_ps : b->entry_ps;
    rs_queue_push(&e->queue, start_ps + e->ranks[src].cost_ps, (uint32_t)src);
}

/* Lets a rank enter the next step that concerns it; false: there is none, or it dies. */
static bool advance(engine *e, rank_state *state, int32_t rank) {
    const rs_schedule *schedule = e->job->schedule;
    int32_t next = state->step + 1;
    if (schedule->next_step != NULL && !e->dense) next = schedule->next_step(schedule, next, rank);
    if (!rs_goes_on(e->costs, e->outcome, rank, state->step, next, state->leave_ps,
                    &state->entry_ps)) {
        state->step = e->costs->n_steps;
        return false;
    }
    state->step = next;
    state->leave_ps = state->entry_ps;
    return true;
}

static void enter_next(engine *e, int32_t rank) {
    rank_state *state = &e->ranks[rank];
    bool has_send, has_receive;
    do {
        if (!advance(e, state, rank)) return;
        has_send = plan_send(e, state, rank);
        has_receive = plan_receive(e, state, rank);
    } while (!has_send && !has_receive);
    state->n_pending = has_send + has_receive;
    if (has_send && e->ranks[state->dst].step == state->step) {
        start(e, rank, state, &e->ranks[state->dst]);
    }
    if (has_receive && e->ranks[state->src].step == state->step) {
        start(e, state->src, state, &e->ranks[state->src]);
    }
}

static void tell(const engine *e, int32_t src, int64_t end_ps, int64_t done_ps) {
    const rs_schedule *schedule = e->job->schedule;
    const rank_state *state = &e->ranks[src];
    rs_timed timed = {
        .step = state->step,
        .start_ps = end_ps - state->cost_ps,
        .end_ps = end_ps,
        .done_ps = done_ps,
    };
    schedule->sends(schedule, state->step, src, &timed.transfer);
    e->sink->transfer(e->sink->context, &timed);
}

static inline void part_done(engine *e, int32_t rank, int64_t time_ps) {
    rank_state *state = &e->ranks[rank];
    if (time_ps > state->leave_ps) state->leave_ps = time_ps;
    if (--state->n_pending == 0) enter_next(e, rank);
}

static void end_transfer(engine *e, rs_event event) {
    const int32_t src = (int32_t)event.what, dst = e->ranks[src].dst;
    const int64_t done_ps = event.time_ps + e->ranks[src].addition_ps;
    if (e->sink != NULL) tell(e, src, event.time_ps, done_ps);
    e->outcome->n_transfers++;
    rs_reach(e->outcome, done_ps);
    part_done(e, src, event.time_ps);
    part_done(e, dst, done_ps);
}

static bool begin(engine *e, rs_arena *arena) {
    const rs_schedule *schedule = e->job->schedule;
    const int32_t n = e->costs->n_ranks;
    e->ranks = rs_alloc(arena, (size_t)n, sizeof *e->ranks);
    if (e->ranks == NULL || !rs_queue_init(&e->queue, (uint32_t)n, arena)) return false;
    e->dense = schedule->n_transfers == (int64_t)n * schedule->n_steps;
    e->steady = e->dense && schedule->fixed_neighbours;
    for (int32_t r = 0; r < n; r++) {
        e->ranks[r] = (rank_state){
            .leave_ps = e->costs->late_ps[r],
            .n_bytes = NONE,
            .step = -1,
            .dst = NONE,
            .src = NONE,
        };
    }
    for (int32_t r = 0; r < n; r++) enter_next(e, r);
    return true;
}

/* Once the queue is empty: who is still in a step will never leave it, and has sent its message there
   only if the receiver came. */
static void count_stuck(engine *e) {
    const int32_t n = e->costs->n_ranks, n_steps = e->costs->n_steps;
    for (int32_t r = 0; r < n; r++) {
        if (e->ranks[r].step < n_steps) e->outcome->entered[r] = e->ranks[r].step + 1;
    }
    for (int32_t r = 0; r < n; r++) {
        const rank_state *state = &e->ranks[r];
        rs_transfer unsent;
        if (state->step >= n_steps || state->dst == NONE) continue;
        if (e->outcome->entered[state->dst] > state->step) continue;
        e->job->schedule->sends(e->job->schedule, state->step, r, &unsent);
        e->outcome->bytes_sent[r] -= rs_costs_bytes(e->costs, &unsent);
    }
}

rs_status rs_events_one_port(const rs_job *job, const rs_costs *costs, const rs_sink *sink,
                             rs_arena *arena, rs_error *error, rs_outcome *outcome) {
    engine e = {.job = job, .costs = costs, .sink = sink, .outcome = outcome};
    if (!begin(&e, arena)) {
        return rs_fail(error, RS_NO_MEMORY, "no memory for the state of %d ranks",
                       (int)costs->n_ranks);
    }
    while (e.queue.n > 0) {
        end_transfer(&e, rs_queue_pop(&e.queue));
        if (outcome->n_transfers % PROGRESS_EVERY != 0) continue;
        const rs_status status = rs_ask_host(arena->host, outcome, job->schedule, error);
        if (status != RS_OK) return status;
    }
    count_stuck(&e);
    return RS_OK;
}
