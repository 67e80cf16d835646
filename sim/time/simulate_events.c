/* simulate_events.c: the event engine, for every schedule: several messages of a rank in a step,
 * eager senders, ports with queues.
 *
 *     RS_ENTER rank   it enters its next step: what it sends and receives there may become ready
 *     RS_FREE rank    its send port is free, and the receive port at the other end; some message
 *     waits
 *
 *   - Under rendezvous a transfer is ready when both ends are inside its step: the second one to
 *     enter finds the other there. Under eager it is ready when the sender enters.
 *   - When a transfer starts, its end is known at once. So the engine knows when a rank leaves as
 *     soon as the last of its transfers has started: it needs one event for each rank and step,
 *     none for a message.
 *   - The engine handles all events of one instant before it gives ports out; the order among them
 *     does not matter.
 *   - If no two messages ever want one port (one message each way in a step; under eager, between
 *     fixed neighbours), the order of times does not matter at all: the engine settles a transfer
 *     as soon as it is ready, even if it starts later than now, and ranks that go on stand in a
 *     ring buffer instead of the queue.
 */
#include "time/event_queue.h"
#include "time/ports.h"
#include "time/ready.h"
#include "base/containers.h"

/* The event engine's state.
 *
 *     simulate_events.c   ranks enter their steps, instant after instant; a transfer starts: when it ends, and what
 *                         that means for its two ranks
 *     ready.c             what becomes ready at one instant
 *     ports.c             what waits for its ports, and who has them next
 *     event_queue.c       what comes next
 */

enum { RS_NO_RANK = -1 };
enum { RS_ENTER, RS_FREE, RS_KIND_BITS = 1 }; /* an event: a rank, and what happens to it */

/* What a message costs that a rank sent lately. */
typedef struct rs_known_cost {
    int64_t n_bytes, alpha_ps, busy_ps;
    int32_t dst_1; /* the receiver + 1; 0: not in use */
} rs_known_cost;

typedef struct rs_event_engine {
    const rs_schedule *schedule;
    const rs_costs *costs;
    const rs_sink *sink;
    rs_outcome *outcome;
    rs_rank *ranks;
    bool eager;
    bool settles;     /* no two messages ever want one port: neither queue nor ports are needed */
    bool asks_next;   /* it pays to ask the schedule for a rank's next step */
    bool adds;        /* additions take time */
    bool failed;      /* for want of memory */
    int32_t entering; /* the rank that enters its step right now; RS_NO_RANK */
    int64_t now_ps;
    int64_t n_transfers, makespan_ps; /* so far: the outcome's */
    rs_queue queue;
    rs_ready ready;
    rs_transfer *recvs;   /* [max_sends] of the rank that enters */
    rs_known_cost *known; /* [n_ranks][n_known]; NULL: nobody sends to the same again and again */
    int n_known;          /* 2 where a rank may send to two in turns, else 1 */
    rs_slots slots;
    rs_ports *ports;
    int32_t *going; /* [n_ranks] ranks on their way to a step: a ring, from first_going on */
    int32_t first_going, n_going;
    rs_arena *arena;
} rs_event_engine;

/* A transfer starts: one piece for the compiler, as it happens a hundred million times.
 *
 *     start --> until when it holds its ports, when its data arrive
 *           --> its sender (rendezvous) and its receiver know when this part of their step ends;
 *               who knows that of all parts knows when it enters its next step
 *
 *   - A receiver that is still in an earlier step finds the message in its `early` heap.
 */

static inline void push(rs_event_engine *e, int64_t time_ps, uint32_t kind, int32_t rank) {
    if (!rs_queue_push(&e->queue, time_ps, (uint32_t)rank << RS_KIND_BITS | kind)) {
        e->failed = true;
    }
}

/* Lets a rank that has left its step end, die before the next, or enter that later by what a straggler
   adds. Returns whether it goes on. */
static bool go_on_disturbed(rs_event_engine *e, int32_t rank, rs_rank *state, int32_t next) {
    const rs_costs *costs = e->costs;
    const int32_t n_steps = costs->n_steps, killed = costs->kill_step[rank];
    const int64_t straggler_ps = costs->straggler_ps[rank];
    if (killed <= next && killed < n_steps) {
        e->outcome->entered[rank] = killed;
        return false;
    }
    if (next < n_steps) {
        state->entry_ps = state->leave_ps + straggler_ps * (next - state->step);
        state->step = next;
        return true;
    }
    e->outcome->entered[rank] = n_steps;
    e->outcome->finish_ps[rank] = state->leave_ps + straggler_ps * (n_steps - 1 - state->step);
    e->makespan_ps = rs_larger(e->makespan_ps, e->outcome->finish_ps[rank]);
    return false;
}

/* Sends a rank that has left its step on its way to the next; false: it is finished, or dead. */
static inline bool go_on(rs_event_engine *e, int32_t rank, rs_rank *state) {
    int32_t next = state->step + 1;
    assert(state->n_open == 0);
    if (e->asks_next) next = e->schedule->next_step(e->schedule, next, rank);
    if (next >= e->costs->n_steps || e->costs->disturbed) {
        return go_on_disturbed(e, rank, state, next);
    }
    state->entry_ps = state->leave_ps;
    state->step = next;
    return true;
}

/* Puts a rank in the ring of those on their way. */
static inline void line_up(rs_event_engine *e, int32_t rank) {
    const int32_t n = e->costs->n_ranks, at = e->first_going + e->n_going++;
    assert(e->n_going <= n);
    e->going[at < n ? at : at - n] = rank;
}

/* Notes when one of a rank's transfers ends. After the last it is on its way; who is just entering goes
   on by itself. */
static inline void end_part(rs_event_engine *e, int32_t rank, rs_rank *state, int64_t end_ps) {
    assert(state->n_open > 0);
    state->leave_ps = rs_larger(state->leave_ps, end_ps);
    if (--state->n_open > 0 || rank == e->entering || !go_on(e, rank, state)) return;
    if (e->settles) {
        line_up(e, rank);
    } else {
        push(e, state->entry_ps, RS_ENTER, rank);
    }
}

static void tell(const rs_event_engine *e, const rs_transfer *transfer, int32_t step,
                 int64_t start_ps, int64_t end_ps, int64_t done_ps) {
    const rs_timed timed = {*transfer, step, start_ps, end_ps, done_ps, 0};
    e->sink->transfer(e->sink->context, &timed);
}

/* The data reach a receiver that is in the step: adds and tells. */
static inline void deliver(rs_event_engine *e, const rs_transfer *transfer, int32_t step,
                           int64_t start_ps, int64_t end_ps) {
    rs_rank *dst = &e->ranks[transfer->dst];
    int64_t done_ps = rs_larger(end_ps, dst->entry_ps);
    if (e->adds && transfer->effect == RS_REDUCE) {
        done_ps += rs_costs_addition(e->costs, transfer->dst, rs_costs_bytes(e->costs, transfer));
    }
    e->n_transfers++;
    e->makespan_ps = rs_larger(e->makespan_ps, done_ps);
    if (e->sink != NULL) tell(e, transfer, step, start_ps, end_ps, done_ps);
    end_part(e, transfer->dst, dst, done_ps);
}

static void keep_early(rs_event_engine *e, const rs_transfer *transfer, int32_t step,
                       int64_t start_ps, int64_t end_ps) {
    const int32_t slot = rs_slots_take(&e->slots);
    if (slot == RS_NO_SLOT) {
        e->failed = true;
        return;
    }
    rs_slot *at = rs_slot_at(&e->slots, slot);
    rs_rank *dst = &e->ranks[transfer->dst];
    at->transfer = *transfer;
    at->step = step;
    at->start_ps = start_ps;
    at->end_ps = end_ps;
    dst->early = rs_slots_add(&e->slots, dst->early, slot);
    e->makespan_ps = rs_larger(e->makespan_ps, end_ps);
}

/* Takes what eager senders have started already for the step that a rank has entered. */
static void take_early(rs_event_engine *e, rs_rank *state) {
    while (state->early != RS_NO_SLOT) {
        int32_t slot = state->early;
        assert(rs_slot_at(&e->slots, slot)->step >= state->step);
        if (rs_slot_at(&e->slots, slot)->step != state->step) return;
        state->early = rs_slots_without_first(&e->slots, slot);
        while (slot != RS_NO_SLOT) {
            const rs_slot *at = rs_slot_at(&e->slots, slot);
            const int32_t companion = at->companion;
            deliver(e, &at->transfer, at->step, at->start_ps, at->end_ps);
            rs_slots_release(&e->slots, slot);
            slot = companion;
        }
    }
}

/* Returns how much longer this transfer takes because its link is down. */
static int64_t outage_of(rs_event_engine *e, const rs_transfer *transfer, int32_t step) {
    const int64_t down_ps = rs_costs_outage(e->costs, transfer->src, step);
    if (down_ps == 0 || e->costs->one_port) return down_ps;
    e->schedule->sends(e->schedule, step, transfer->src, e->recvs);
    return e->recvs[0].order == transfer->order ? down_ps : 0;
}

static inline bool is_of(const rs_known_cost *known, int32_t dst, int64_t n_bytes) {
    return known->n_bytes == n_bytes && known->dst_1 == dst + 1;
}

/* Finds out what a message costs to one of the two that a rank sends to in turns: without division. */
static inline rs_cost known_cost(rs_event_engine *e, int32_t src, int32_t dst, int64_t n_bytes) {
    rs_known_cost *of_rank = &e->known[(int64_t)src * e->n_known];
    uint8_t *last = &e->ranks[src].last_cost;
    const int other = *last ^ (e->n_known - 1);
    rs_known_cost *at = &of_rank[other];
    if (!is_of(at, dst, n_bytes)) {
        if (is_of(&of_rank[*last], dst, n_bytes)) {
            at = &of_rank[*last];
        } else {
            const rs_cost cost = rs_costs_message(e->costs, src, dst, n_bytes);
            *at = (rs_known_cost){n_bytes, cost.alpha_ps, cost.busy_ps, dst + 1};
        }
    }
    *last = (uint8_t)(at - of_rank);
    return (rs_cost){at->alpha_ps, at->busy_ps};
}

static inline rs_cost cost_of(rs_event_engine *e, const rs_transfer *transfer) {
    const int32_t src = transfer->src, dst = transfer->dst;
    const int64_t n_bytes = rs_costs_bytes(e->costs, transfer);
    return e->known != NULL ? known_cost(e, src, dst, n_bytes)
                            : rs_costs_message(e->costs, src, dst, n_bytes);
}

/* Starts a transfer; returns until when it holds its ports. */
static inline int64_t start(rs_event_engine *e, const rs_transfer *transfer, int32_t step,
                            rs_cost cost, int64_t start_ps) {
    rs_rank *src = &e->ranks[transfer->src];
    int64_t sent_ps = start_ps + cost.busy_ps;
    if (e->costs->n_outages > 0) sent_ps += outage_of(e, transfer, step);
    const int64_t end_ps = sent_ps + cost.alpha_ps;
    src->bytes_sent += rs_costs_bytes(e->costs, transfer);
    if (!e->eager || rs_is_there(&e->ranks[transfer->dst], step)) {
        deliver(e, transfer, step, start_ps, end_ps);
    } else {
        keep_early(e, transfer, step, start_ps, end_ps);
    }
    if (e->eager) return sent_ps;
    end_part(e, transfer->src, src, end_ps);
    return end_ps;
}

enum { BETWEEN_PROGRESS = 1 << 17 /* transfers */ };

/* ------------------------------------------------------------------ ranks that enter a step */

/* Computes the times of a transfer that is ready, and whose ports no other message wants. */
static void settle(rs_event_engine *e, const rs_transfer *transfer, int32_t step) {
    rs_rank *src = &e->ranks[transfer->src];
    int64_t start_ps = rs_larger(src->entry_ps, src->free_ps[RS_SEND]);
    if (!e->eager) start_ps = rs_larger(start_ps, e->ranks[transfer->dst].entry_ps);
    src->free_ps[RS_SEND] = start(e, transfer, step, cost_of(e, transfer), start_ps);
}

static void make_ready(rs_event_engine *e, const rs_transfer *transfer, int32_t step) {
    if (e->settles) {
        settle(e, transfer, step);
    } else {
        rs_ready_add(&e->ready, transfer, step);
    }
}

/* Makes ready the transfers of a rank whose partners are in the step already. */
static void meet(rs_event_engine *e, int32_t step, const rs_transfer sends[], int n_sends,
                 const rs_transfer recvs[], int n_recvs) {
    for (int i = 0; i < n_sends; i++) {
        if (rs_is_there(&e->ranks[sends[i].dst], step)) make_ready(e, &sends[i], step);
    }
    for (int i = 0; i < n_recvs; i++) {
        if (rs_is_there(&e->ranks[recvs[i].src], step)) make_ready(e, &recvs[i], step);
    }
}

static void enter_step(rs_event_engine *e, int32_t rank, rs_rank *state) {
    const rs_schedule *schedule = e->schedule;
    const int32_t step = state->step;
    rs_transfer *sends = rs_ready_room(&e->ready);
    if (sends == NULL) {
        e->failed = true;
        return;
    }
    const bool counts = e->eager && schedule->n_recvs != NULL; /* who sends does not matter */
    const int n_recvs = counts ? schedule->n_recvs(schedule, step, rank)
                               : schedule->recvs(schedule, step, rank, e->recvs);
    const int n_sends = schedule->sends(schedule, step, rank, sends);
    state->leave_ps = state->entry_ps;
    state->n_open = n_recvs;
    if (!e->eager) {
        state->n_open += n_sends;
        meet(e, step, sends, n_sends, e->recvs, n_recvs);
        return;
    }
    for (int i = 0; i < n_sends; i++) make_ready(e, &sends[i], step);
    if (state->early != RS_NO_SLOT) take_early(e, state);
}

/* Lets a rank enter its step, and further steps as long as it has nothing to wait for. */
static void enter(rs_event_engine *e, int32_t rank) {
    rs_rank *state = &e->ranks[rank];
    e->entering = rank;
    for (;;) {
        enter_step(e, rank, state);
        if (state->n_open > 0 || e->failed || !go_on(e, rank, state)) break;
        if (e->settles || state->entry_ps == e->now_ps) continue;
        push(e, state->entry_ps, RS_ENTER, rank);
        break;
    }
    e->entering = RS_NO_RANK;
}

/* ------------------------------------------------------------------ an instant */

static int64_t start_waiting(rs_event_engine *e, const rs_transfer *transfer, int32_t step,
                             rs_cost cost, int64_t now_ps) {
    return start(e, transfer, step, cost, now_ps);
}

static void wake(rs_event_engine *e, int32_t src, int64_t time_ps) {
    push(e, time_ps, RS_FREE, src);
}

/* Starts a transfer that has become ready, or, if it cannot start yet, puts it into the queues. */
static void admit(rs_event_engine *e, const rs_transfer *transfer, int32_t step) {
    const int32_t src = transfer->src, dst = transfer->dst;
    const int64_t now_ps = e->now_ps;
    const rs_cost cost = cost_of(e, transfer);
    if (rs_ports_are_free(e->ranks, src, dst, now_ps)) {
        const int64_t free_ps = start(e, transfer, step, cost, now_ps);
        rs_ports_hold(e->ports, src, dst, free_ps, now_ps);
    } else if (!rs_ports_wait(e->ports, transfer, step, cost, now_ps)) {
        e->failed = true;
    }
}

static void admit_all(rs_event_engine *e) {
    rs_ready *ready = &e->ready;
    const rs_turn *turns = NULL;
    if (ready->n > 1 && !rs_ready_sort(ready, &turns)) e->failed = true;
    for (int32_t i = 0; i < ready->n; i++) {
        const int32_t at = turns == NULL ? i : turns[i].at;
        admit(e, &ready->transfers[at], ready->steps[at]);
    }
    ready->n = 0;
}

/* Gives the ports out, after the events of this instant. */
static void end_instant(rs_event_engine *e) {
    e->ports->round++;
    if (rs_ports_any_freed(e->ports) && !rs_ports_give(e->ports, e->now_ps)) e->failed = true;
    if (e->ready.n > 0) admit_all(e);
}

/* Prefetches what the next events will need: a rank, then what that leads to. Always inline, since
   a compiler leaves out calls of a function that does nothing else. */
__attribute__((always_inline)) static inline void fetch_soon(const rs_event_engine *e) {
    const uint32_t soon = rs_queue_soon(&e->queue, 2);
    const int32_t rank = (int32_t)(soon >> RS_KIND_BITS), partner = e->ranks[rank].partner[RS_SEND];
    __builtin_prefetch(&e->ranks[rs_queue_soon(&e->queue, 5) >> RS_KIND_BITS]);
    if ((soon & ((1 << RS_KIND_BITS) - 1)) == RS_FREE) {
        __builtin_prefetch(&e->ports->queues.of[RS_SEND][rank]);
        __builtin_prefetch(&e->ports->queues.of[RS_RECEIVE][partner]);
        __builtin_prefetch(&e->ranks[partner]);
    } else if (e->costs->override_first != NULL) {
        __builtin_prefetch(&e->costs->override_dst[e->costs->override_first[rank]]);
    }
}

static void handle_instant(rs_event_engine *e) {
    do {
        const rs_event event = rs_queue_pop(&e->queue);
        const int32_t rank = (int32_t)(event.what >> RS_KIND_BITS);
        e->now_ps = event.time_ps;
        fetch_soon(e);
        if ((event.what & ((1 << RS_KIND_BITS) - 1)) == RS_ENTER) {
            enter(e, rank);
        } else {
            rs_ports_wake(e->ports, rank);
        }
    } while (rs_queue_more_now(&e->queue));
    end_instant(e);
}

/* ------------------------------------------------------------------ the run */

static bool take(rs_event_engine *e) {
    const rs_schedule *schedule = e->schedule;
    const int32_t n_ranks = schedule->n_ranks, width = schedule->max_sends;
    const rs_ports_calls calls = {.engine = e, .start = start_waiting, .wake = wake};
    rs_slots_init(&e->slots, e->arena);
    e->ranks = rs_alloc(e->arena, (size_t)n_ranks, sizeof *e->ranks);
    e->recvs = rs_alloc(e->arena, (size_t)width, sizeof *e->recvs);
    if (e->ranks == NULL || e->recvs == NULL) return false;
    if (!rs_ready_init(&e->ready, 2 * width, e->arena)) return false;
    if (schedule->fixed_neighbours || width == 2) {
        e->n_known = width > 1 ? 2 : 1;
        e->known = rs_alloc(e->arena, (size_t)n_ranks, (size_t)e->n_known * sizeof *e->known);
        if (e->known == NULL) return false;
    }
    if (e->settles) {
        e->going = rs_alloc(e->arena, (size_t)n_ranks, sizeof *e->going);
        return e->going != NULL;
    }
    e->ports = rs_ports_new(e->ranks, n_ranks, &calls, &e->slots, e->arena);
    return e->ports != NULL && rs_queue_init(&e->queue, (uint32_t)n_ranks, e->arena);
}

/* Starts all ranks; those that are not late enter their first steps at once. */
static void set_out(rs_event_engine *e) {
    for (int32_t r = 0; r < e->costs->n_ranks; r++) {
        rs_rank *state = &e->ranks[r];
        *state = (rs_rank){.step = -1, .leave_ps = e->costs->late_ps[r], .early = RS_NO_SLOT};
        if (!go_on(e, r, state)) continue;
        if (e->settles) {
            line_up(e, r);
        } else if (state->entry_ps > e->now_ps) {
            push(e, state->entry_ps, RS_ENTER, r);
        } else {
            enter(e, r);
        }
    }
    if (!e->settles) end_instant(e);
}

static rs_status check_clock(const rs_event_engine *e, rs_error *error) {
    if (e->makespan_ps < RS_CLOCK_LIMIT_PS && e->now_ps < RS_CLOCK_LIMIT_PS) return RS_OK;
    return rs_fail(error, RS_TOO_LARGE,
                   "this run lasts longer than 2^53 ps (2.5 hours), where times are no "
                   "longer exact; take fewer steps, fewer bytes or faster links");
}

/* Asks the host whether to go on. */
static rs_status ask_host(const rs_event_engine *e, rs_error *error) {
    const int64_t n_done = e->n_transfers, n = e->schedule->n_transfers;
    if (rs_go_on(e->arena->host, "simulate", n_done, n)) return RS_OK;
    return rs_fail(error, RS_CANCELLED, "stopped after %lld of %lld transfers", (long long)n_done,
                   (long long)n);
}

/* Lets the rank enter that stands first in the ring buffer. */
static void enter_next(rs_event_engine *e) {
    const int32_t rank = e->going[e->first_going];
    if (++e->first_going == e->costs->n_ranks) e->first_going = 0;
    e->n_going--;
    enter(e, rank);
}

static rs_status run(rs_event_engine *e, rs_error *error) {
    int64_t report_at = BETWEEN_PROGRESS;
    rs_status status = RS_OK;
    set_out(e);
    while (status == RS_OK && !e->failed && (e->n_going > 0 || e->queue.n > 0)) {
        if (e->settles) {
            enter_next(e);
        } else {
            handle_instant(e);
        }
        status = check_clock(e, error);
        if (status != RS_OK || e->n_transfers < report_at) continue;
        report_at = e->n_transfers + BETWEEN_PROGRESS;
        status = ask_host(e, error);
    }
    return status;
}

rs_status rs_events(const rs_job *job, const rs_costs *costs, const rs_sink *sink, rs_arena *arena,
                    rs_error *error, rs_outcome *outcome) {
    const rs_schedule *schedule = job->schedule;
    const bool dense = schedule->n_transfers >= (int64_t)schedule->n_ranks * schedule->n_steps / 2;
    rs_event_engine e = {
        .schedule = schedule,
        .costs = costs,
        .sink = sink,
        .outcome = outcome,
        .eager = job->net.protocol == RS_EAGER,
        .settles = costs->bounded,
        .asks_next = schedule->next_step != NULL && !dense,
        .adds = job->net.reduce_Bps != 0,
        .entering = RS_NO_RANK,
        .arena = arena,
    };
    e.failed = !take(&e);
    const rs_status status = e.failed ? RS_OK : run(&e, error);
    if (e.failed) {
        return rs_fail(error, RS_NO_MEMORY,
                       "no memory for the transfers under way; take fewer or rendezvous");
    }
    outcome->n_transfers = e.n_transfers;
    outcome->makespan_ps = e.makespan_ps;
    for (int32_t r = 0; r < costs->n_ranks; r++) {
        outcome->bytes_sent[r] = e.ranks[r].bytes_sent;
        if (e.ranks[r].n_open == 0) continue;
        outcome->entered[r] = e.ranks[r].step + 1; /* for ever */
        outcome->makespan_ps = rs_larger(outcome->makespan_ps, e.ranks[r].entry_ps);
    }
    return status;
}
