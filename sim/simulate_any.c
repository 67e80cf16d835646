/* simulate_any.c: the event engine for every schedule: several messages a rank and step, eager
 * senders, ports that are queued for.
 *
 *     ENTER rank     it enters its next step: what it sends and receives there may become ready
 *     FREE port      a port that a transfer waits for is free
 *     ARRIVE slot    the data are there
 *
 *   - Rendezvous: a transfer is ready when both ends are inside its step; whoever enters second finds
 *     the other one there. Eager: when the sender enters.
 *   - Who enters at the instant at which it leaves needs no event.
 *   - All events of one instant are handled before ports are given out; nothing depends on the order
 *     among them.
 *   - Data that arrive before their receiver is there wait in its `early` heap, by step.
 */
#include "events.h"
#include "ports.h"
#include "ranks.h"

#include <assert.h>

enum { NONE = -1, PROGRESS_EVERY = 1 << 16 };
enum { ENTER, FREE, ARRIVE, KIND_BITS = 2 };

typedef struct rank_state {
    int64_t entry_ps, leave_ps; /* leave_ps: the latest end of what it has done in this step */
    int32_t step;               /* it is in, or on its way to */
    int32_t n_pending;          /* its transfers in this step that are not done */
    int32_t early;              /* heap of arrived slots of later steps */
    int32_t cached_dst;         /* the costs of its last message */
    int64_t cached_bytes, cached_alpha_ps, cached_busy_ps;
    bool inside;
} rank_state;

typedef struct engine {
    const rs_job *job;
    const rs_costs *costs;
    const rs_sink *sink;
    rs_outcome *outcome;
    rs_ports *ports;
    rs_queue queue;
    rank_state *ranks;
    int32_t *entering; /* [n_entering] at this instant; room for all */
    int32_t n_entering;
    rs_transfer *sends, *recvs; /* [max_sends] scratch */
    int64_t now_ps;
    bool eager;
} engine;

static bool push(engine *e, int64_t time_ps, int kind, int32_t what) {
    return rs_queue_push(&e->queue, time_ps, (uint32_t)what << KIND_BITS | (uint32_t)kind);
}

/* Returns the first step >= step where the rank has something to do. */
static int32_t next_own_step(const engine *e, int32_t step, int32_t rank) {
    const rs_schedule *schedule = e->job->schedule;
    if (schedule->next_step != NULL) return schedule->next_step(schedule, step, rank);
    while (step < e->costs->n_steps && schedule->sends(schedule, step, rank, e->sends) == 0 &&
           schedule->recvs(schedule, step, rank, e->recvs) == 0) {
        step++;
    }
    return step;
}

/* Sends a rank on its way from a step to the next that concerns it, or to its end. */
static bool leave(engine *e, int32_t rank) {
    rank_state *state = &e->ranks[rank];
    const int32_t step = state->step, next = next_own_step(e, step + 1, rank);
    int64_t entry_ps;
    state->inside = false;
    if (!rs_goes_on(e->costs, e->outcome, rank, step, next, state->leave_ps, &entry_ps)) {
        return true;
    }
    state->step = next;
    if (entry_ps > e->now_ps) return push(e, entry_ps, ENTER, rank);
    e->entering[e->n_entering++] = rank;
    return true;
}

static bool part_done(engine *e, int32_t rank, int64_t time_ps) {
    rank_state *state = &e->ranks[rank];
    if (time_ps > state->leave_ps) state->leave_ps = time_ps;
    assert(state->n_pending > 0);
    return --state->n_pending > 0 || leave(e, rank);
}

/* The data are there and so is the receiver: adds, tells, and gives the slot back. */
static int64_t deliver(engine *e, int32_t slot) {
    const rs_slot *at = rs_ports_slot(e->ports, slot);
    const rs_transfer *transfer = &at->transfer;
    int64_t done_ps = e->now_ps;
    if (transfer->effect == RS_REDUCE) {
        done_ps += rs_costs_addition(e->costs, transfer->dst, rs_costs_bytes(e->costs, transfer));
    }
    const rs_timed timed = {*transfer, at->step, at->start_ps, at->end_ps, done_ps};
    e->outcome->n_transfers++;
    rs_reach(e->outcome, done_ps);
    rs_ports_release(e->ports, slot);
    if (e->sink != NULL) e->sink->transfer(e->sink->context, &timed);
    return done_ps;
}

/* Keeps data for a receiver that is not there yet; their turn is their step's. */
static void keep_early(engine *e, int32_t slot) {
    rs_slot *at = rs_ports_slot(e->ports, slot);
    rank_state *state = &e->ranks[at->transfer.dst];
    at->turn = at->step;
    state->early = rs_ports_add(e->ports, state->early, slot);
}

/* Takes what has arrived already for the step just entered. */
static void take_early(engine *e, rank_state *state) {
    while (state->early != NONE) {
        const int32_t slot = state->early;
        assert(rs_ports_slot(e->ports, slot)->step >= state->step);
        if (rs_ports_slot(e->ports, slot)->step != state->step) return;
        state->early = rs_ports_without_first(e->ports, slot);
        const int64_t done_ps = deliver(e, slot);
        if (done_ps > state->leave_ps) state->leave_ps = done_ps;
        state->n_pending--;
    }
}

static bool is_there(const engine *e, int32_t rank, int32_t step) {
    return e->ranks[rank].inside && e->ranks[rank].step == step;
}

static bool enter(engine *e, int32_t rank) {
    const rs_schedule *schedule = e->job->schedule;
    rank_state *state = &e->ranks[rank];
    const int32_t step = state->step;
    const int n_sends = schedule->sends(schedule, step, rank, e->sends);
    const int n_recvs = schedule->recvs(schedule, step, rank, e->recvs);
    state->inside = true;
    state->entry_ps = state->leave_ps = e->now_ps;
    e->outcome->entered[rank] = step + 1;
    state->n_pending = n_recvs + (e->eager ? 0 : n_sends);
    for (int i = 0; i < n_sends; i++) {
        const bool ready = e->eager || is_there(e, e->sends[i].dst, step);
        if (ready && !rs_ports_ready(e->ports, &e->sends[i], step, e->now_ps)) return false;
    }
    for (int i = 0; i < n_recvs && !e->eager; i++) {
        const bool ready = is_there(e, e->recvs[i].src, step);
        if (ready && !rs_ports_ready(e->ports, &e->recvs[i], step, e->now_ps)) return false;
    }
    if (e->eager) take_early(e, state);
    return state->n_pending > 0 || leave(e, rank);
}

static bool arrive(engine *e, int32_t slot) {
    const rs_slot *at = rs_ports_slot(e->ports, slot);
    const int32_t src = at->transfer.src, dst = at->transfer.dst;
    rs_reach(e->outcome, e->now_ps);
    if (e->eager && !is_there(e, dst, at->step)) {
        keep_early(e, slot);
        return true;
    }
    const int64_t done_ps = deliver(e, slot);
    return (e->eager || part_done(e, src, e->now_ps)) && part_done(e, dst, done_ps);
}

/* Returns how much longer this transfer takes because its link is down. */
static int64_t outage_of(engine *e, const rs_transfer *transfer, int32_t step) {
    if (e->costs->n_outages == 0) return 0;
    const int64_t down_ps = rs_costs_outage(e->costs, transfer->src, step);
    if (down_ps == 0) return 0;
    e->job->schedule->sends(e->job->schedule, step, transfer->src, e->sends);
    return e->sends[0].order == transfer->order ? down_ps : 0;
}

static int64_t start(void *context, int32_t slot) {
    engine *e = context;
    rs_slot *at = rs_ports_slot(e->ports, slot);
    const rs_transfer *transfer = &at->transfer;
    rank_state *source = &e->ranks[transfer->src];
    const int64_t n_bytes = rs_costs_bytes(e->costs, transfer);
    if (source->cached_dst != transfer->dst || source->cached_bytes != n_bytes) {
        source->cached_dst = transfer->dst;
        source->cached_bytes = n_bytes;
        rs_costs_link(e->costs, transfer->src, transfer->dst, n_bytes, &source->cached_alpha_ps,
                      &source->cached_busy_ps);
    }
    const int64_t free_ps = e->now_ps + source->cached_busy_ps + outage_of(e, transfer, at->step);
    at->start_ps = e->now_ps;
    at->end_ps = free_ps + source->cached_alpha_ps;
    e->outcome->bytes_sent[transfer->src] += n_bytes;
    if (!push(e, at->end_ps, ARRIVE, slot)) return -1;
    return e->eager ? free_ps : at->end_ps;
}

static bool wake(void *context, int32_t port, int64_t time_ps) {
    return push(context, time_ps, FREE, port);
}

static bool handle(engine *e, uint32_t event) {
    const int32_t what = (int32_t)(event >> KIND_BITS);
    switch (event & ((1 << KIND_BITS) - 1)) {
    case ENTER: return enter(e, what);
    case FREE: rs_ports_wake(e->ports, what); return true;
    default: return arrive(e, what);
    }
}

/* Lets all enter that do so at this instant, and those that this makes enter. */
static bool enter_all(engine *e) {
    while (e->n_entering > 0) {
        if (!enter(e, e->entering[--e->n_entering])) return false;
    }
    return true;
}

/* Handles all that happens at one instant, then gives out the ports. */
static bool handle_instant(engine *e) {
    do {
        const rs_event event = rs_queue_pop(&e->queue);
        e->now_ps = event.time_ps;
        if (!handle(e, event.what) || !enter_all(e)) return false;
    } while (rs_queue_more_now(&e->queue));
    return rs_ports_give(e->ports, e->now_ps);
}

static bool take(engine *e, rs_arena *arena) {
    const rs_schedule *schedule = e->job->schedule;
    const size_t width = (size_t)schedule->max_sends;
    const rs_ports_calls calls = {.context = e, .start = start, .wake = wake};
    e->ports = rs_ports_new(schedule->n_ranks, &calls, arena);
    e->entering = rs_alloc(arena, (size_t)schedule->n_ranks, sizeof *e->entering);
    e->ranks = rs_alloc(arena, (size_t)schedule->n_ranks, sizeof *e->ranks);
    e->sends = rs_alloc(arena, width, sizeof *e->sends);
    e->recvs = rs_alloc(arena, width, sizeof *e->recvs);
    return e->ports && e->entering && e->ranks && e->sends && e->recvs &&
           rs_queue_init(&e->queue, (uint32_t)schedule->n_ranks, arena);
}

static bool begin(engine *e) {
    for (int32_t r = 0; r < e->costs->n_ranks; r++) {
        e->ranks[r] = (rank_state){
            .leave_ps = e->costs->late_ps[r],
            .step = -1,
            .early = NONE,
            .cached_dst = NONE,
        };
        if (!leave(e, r)) return false;
    }
    return enter_all(e) && rs_ports_give(e->ports, e->now_ps);
}

rs_status rs_events_any(const rs_job *job, const rs_costs *costs, const rs_sink *sink,
                        rs_arena *arena, rs_error *error, rs_outcome *outcome) {
    engine e = {
        .job = job,
        .costs = costs,
        .sink = sink,
        .outcome = outcome,
        .eager = job->net.protocol == RS_EAGER,
    };
    const char *no_memory = "no memory for the transfers under way; take fewer or rendezvous";
    if (!take(&e, arena) || !begin(&e)) return rs_fail(error, RS_NO_MEMORY, "%s", no_memory);
    for (int64_t n_instants = 1; e.queue.n > 0; n_instants++) {
        if (!handle_instant(&e)) return rs_fail(error, RS_NO_MEMORY, "%s", no_memory);
        if (outcome->makespan_ps >= RS_CLOCK_LIMIT_PS || e.now_ps >= RS_CLOCK_LIMIT_PS) {
            return rs_fail(error, RS_TOO_LARGE,
                           "this run lasts longer than 2^53 ps (2.5 hours), where times are no "
                           "longer exact; take fewer steps, fewer bytes or faster links");
        }
        if (n_instants % PROGRESS_EVERY == 0) {
            const rs_status status = rs_ask_host(arena->host, outcome, job->schedule, error);
            if (status != RS_OK) return status;
        }
    }
    return RS_OK;
}
