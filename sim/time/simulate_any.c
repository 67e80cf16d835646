/* simulate_any.c: the event engine for every schedule: several messages a rank and step, eager
 * senders, ports that are queued for.
 *
 *     ENTER rank     it enters its next step: what it sends and receives there may become ready
 *     FREE port      a port that a transfer waits for is free, and its partner (eager)
 *     ARRIVE slot    the data are there; rendezvous: both ports are free
 *
 *   - Rendezvous: a transfer is ready when both ends are inside its step; whoever enters second finds
 *     the other one there. Eager: when the sender enters.
 *   - Who enters at the instant at which it leaves needs no event.
 *   - All events of one instant are handled before ports are given out; nothing depends on the order
 *     among them.
 *   - Data that arrive before their receiver is there wait in its `early` heap, by step.
 */
#include "time/event_queue.h"
#include "time/ports.h"
#include "time/ranks.h"

#include <assert.h>

enum { NONE = -1, PROGRESS_EVERY = 1 << 16 };
enum { ENTER, FREE, ARRIVE, KIND_BITS = 2 };

typedef struct link_cost {
    int64_t n_bytes, alpha_ps, busy_ps;
    int32_t dst_1; /* the receiver + 1; 0: not in use */
} link_cost;

typedef struct rank_state {
    int64_t entry_ps, leave_ps; /* leave_ps: the latest end of what it has done in this step */
    int32_t step;               /* it is in, or on its way to */
    int32_t n_pending;          /* its transfers in this step that are not done */
    int32_t early;              /* heap of arrived slots of later steps */
    bool inside;
    uint8_t last_cost; /* which of its n_known was used last */
} rank_state;

typedef struct engine {
    const rs_job *job;
    const rs_costs *costs;
    const rs_sink *sink;
    rs_outcome *outcome;
    rs_slots slots;
    rs_ports *ports;
    rs_queue queue;
    rank_state *ranks;
    link_cost *known; /* [n_known][n_ranks] of each rank's last messages */
    int n_known;      /* 2 where a rank may send to two in turns, else 1 */
    int32_t *leaving; /* [n_leaving] had nothing to wait for; room for all */
    int32_t n_leaving;
    rs_transfer *sends, *recvs; /* [max_sends] of the rank and step looked up last */
    int n_sends, n_recvs;
    int64_t now_ps;
    bool eager;
    bool dense; /* in a step there are messages for all ranks, or nearly */
} engine;

static bool push(engine *e, int64_t time_ps, int kind, int32_t what) {
    return rs_queue_push(&e->queue, time_ps, (uint32_t)what << KIND_BITS | (uint32_t)kind);
}

/* The data are there and so is the receiver: adds, tells, and gives the slot back. */
static int64_t deliver(engine *e, int32_t slot) {
    const rs_slot *at = rs_slot_at(&e->slots, slot);
    const rs_transfer *transfer = &at->transfer;
    int64_t done_ps = e->now_ps;
    if (transfer->effect == RS_REDUCE && e->job->net.reduce_Bps != 0) {
        done_ps += rs_costs_addition(e->costs, transfer->dst, rs_costs_bytes(e->costs, transfer));
    }
    const rs_timed timed = {*transfer, at->step, at->start_ps, at->end_ps, done_ps};
    e->outcome->n_transfers++;
    rs_reach(e->outcome, done_ps);
    rs_slots_release(&e->slots, slot);
    if (e->sink != NULL) e->sink->transfer(e->sink->context, &timed);
    return done_ps;
}

/* Keeps data for a receiver that is not there yet; their turn is their step's. */
static void keep_early(engine *e, int32_t slot) {
    rs_slot *at = rs_slot_at(&e->slots, slot);
    rank_state *state = &e->ranks[at->transfer.dst];
    at->turn = at->step;
    state->early = rs_slots_add(&e->slots, state->early, slot);
}

/* Takes what has arrived already for the step just entered. */
static void take_early(engine *e, rank_state *state) {
    while (state->early != NONE) {
        const int32_t slot = state->early;
        assert(rs_slot_at(&e->slots, slot)->step >= state->step);
        if (rs_slot_at(&e->slots, slot)->step != state->step) return;
        state->early = rs_slots_without_first(&e->slots, slot);
        const int64_t done_ps = deliver(e, slot);
        if (done_ps > state->leave_ps) state->leave_ps = done_ps;
        state->n_pending--;
    }
}

static bool is_there(const engine *e, int32_t rank, int32_t step) {
    return e->ranks[rank].inside && e->ranks[rank].step == step;
}

/* Looks up what the rank sends and receives in a step; false: nothing. */
static bool look_up(engine *e, int32_t step, int32_t rank) {
    const rs_schedule *schedule = e->job->schedule;
    e->n_sends = schedule->sends(schedule, step, rank, e->sends);
    e->n_recvs = schedule->recvs(schedule, step, rank, e->recvs);
    return e->n_sends + e->n_recvs > 0;
}

/* Returns the first step >= step where the rank has something to do, and looks that up. In a dense
   schedule it is mostly this step. */
static int32_t look_ahead(engine *e, int32_t step, int32_t rank) {
    const rs_schedule *schedule = e->job->schedule;
    const int32_t n_steps = e->costs->n_steps;
    const bool asks = schedule->next_step != NULL;
    if (asks && !e->dense) step = schedule->next_step(schedule, step, rank);
    while (step < n_steps && !look_up(e, step, rank)) {
        step++;
        if (asks) step = schedule->next_step(schedule, step, rank);
    }
    return step;
}

/* Lets a rank enter its step, whose transfers have been looked up. */
static bool enter(engine *e, int32_t rank) {
    rank_state *state = &e->ranks[rank];
    const int32_t step = state->step;
    state->inside = true;
    state->entry_ps = state->leave_ps = e->now_ps;
    e->outcome->entered[rank] = step + 1;
    state->n_pending = e->n_recvs + (e->eager ? 0 : e->n_sends);
    for (int i = 0; i < e->n_sends; i++) {
        const bool ready = e->eager || is_there(e, e->sends[i].dst, step);
        if (ready && !rs_ports_ready(e->ports, &e->sends[i], step, e->now_ps)) return false;
    }
    for (int i = 0; i < e->n_recvs && !e->eager; i++) {
        const bool ready = is_there(e, e->recvs[i].src, step);
        if (ready && !rs_ports_ready(e->ports, &e->recvs[i], step, e->now_ps)) return false;
    }
    if (state->early != NONE) take_early(e, state);
    if (state->n_pending == 0) e->leaving[e->n_leaving++] = rank;
    return true;
}

/* Sends a rank on its way from a step to the next that concerns it, or to its end. */
static bool leave(engine *e, int32_t rank) {
    rank_state *state = &e->ranks[rank];
    const int32_t step = state->step, next = look_ahead(e, step + 1, rank);
    int64_t entry_ps;
    state->inside = false;
    if (!rs_goes_on(e->costs, e->outcome, rank, step, next, state->leave_ps, &entry_ps)) {
        return true;
    }
    state->step = next;
    return entry_ps > e->now_ps ? push(e, entry_ps, ENTER, rank) : enter(e, rank);
}

static bool part_done(engine *e, int32_t rank, int64_t time_ps) {
    rank_state *state = &e->ranks[rank];
    if (time_ps > state->leave_ps) state->leave_ps = time_ps;
    assert(state->n_pending > 0);
    return --state->n_pending > 0 || leave(e, rank);
}

static bool arrive(engine *e, int32_t slot) {
    const rs_slot *at = rs_slot_at(&e->slots, slot);
    const int32_t src = at->transfer.src, dst = at->transfer.dst;
    rs_reach(e->outcome, e->now_ps);
    if (!e->eager) rs_ports_wake(e->ports, rs_send_port(src));
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

static link_cost *known_cost(const engine *e, int32_t rank) {
    return &e->known[(int64_t)e->ranks[rank].last_cost * e->costs->n_ranks + rank];
}

/* Returns what a message costs. A rank that sends to two in turns needs no division. */
static const link_cost *cost_of(engine *e, const rs_transfer *transfer, int64_t n_bytes) {
    const int32_t src = transfer->src, dst = transfer->dst;
    link_cost *cost = known_cost(e, src);
    if (cost->n_bytes == n_bytes && cost->dst_1 == dst + 1) return cost;
    if (e->n_known == 2) e->ranks[src].last_cost ^= 1;
    cost = known_cost(e, src);
    if (cost->n_bytes == n_bytes && cost->dst_1 == dst + 1) return cost;
    cost->dst_1 = dst + 1;
    cost->n_bytes = n_bytes;
    rs_costs_link(e->costs, src, dst, n_bytes, &cost->alpha_ps, &cost->busy_ps);
    return cost;
}

static int64_t start(void *context, int32_t slot) {
    engine *e = context;
    rs_slot *at = rs_slot_at(&e->slots, slot);
    const rs_transfer *transfer = &at->transfer;
    const int64_t n_bytes = rs_costs_bytes(e->costs, transfer);
    const link_cost *cost = cost_of(e, transfer, n_bytes);
    const int64_t free_ps = e->now_ps + cost->busy_ps + outage_of(e, transfer, at->step);
    at->start_ps = e->now_ps;
    at->end_ps = free_ps + cost->alpha_ps;
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
    case ENTER: look_up(e, e->ranks[what].step, what); return enter(e, what);
    case FREE: rs_ports_wake(e->ports, what); return true;
    default: return arrive(e, what);
    }
}

/* Lets those leave that had nothing to wait for in the step just entered. */
static bool leave_all(engine *e) {
    while (e->n_leaving > 0) {
        if (!leave(e, e->leaving[--e->n_leaving])) return false;
    }
    return true;
}

/* Handles all that happens at one instant, then gives out the ports. */
static bool handle_instant(engine *e) {
    do {
        const rs_event event = rs_queue_pop(&e->queue);
        e->now_ps = event.time_ps;
        if (!handle(e, event.what) || !leave_all(e)) return false;
    } while (rs_queue_more_now(&e->queue));
    return rs_ports_give(e->ports, e->now_ps);
}

static bool take(engine *e, rs_arena *arena) {
    const rs_schedule *schedule = e->job->schedule;
    const size_t width = (size_t)schedule->max_sends;
    const rs_ports_calls calls = {.context = e, .start = start, .wake = e->eager ? wake : NULL};
    e->dense = schedule->n_transfers >= (int64_t)schedule->n_ranks * schedule->n_steps / 2;
    rs_slots_init(&e->slots, arena);
    e->ports = rs_ports_new(schedule->n_ranks, &calls, &e->slots, arena);
    e->leaving = rs_alloc(arena, (size_t)schedule->n_ranks, sizeof *e->leaving);
    e->ranks = rs_alloc(arena, (size_t)schedule->n_ranks, sizeof *e->ranks);
    e->n_known = width > 1 ? 2 : 1;
    e->known = rs_alloc(arena, (size_t)schedule->n_ranks, (size_t)e->n_known * sizeof *e->known);
    e->sends = rs_alloc(arena, width, sizeof *e->sends);
    e->recvs = rs_alloc(arena, width, sizeof *e->recvs);
    return e->ports && e->leaving && e->ranks && e->known && e->sends && e->recvs &&
           rs_queue_init(&e->queue, (uint32_t)schedule->n_ranks, arena);
}

static bool begin(engine *e) {
    for (int32_t r = 0; r < e->costs->n_ranks; r++) {
        e->ranks[r] = (rank_state){
            .leave_ps = e->costs->late_ps[r],
            .step = -1,
            .early = NONE,
        };
        if (!leave(e, r)) return false;
    }
    return leave_all(e) && rs_ports_give(e->ports, e->now_ps);
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
