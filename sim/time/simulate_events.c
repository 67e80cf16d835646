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
#include "time/engine_start.h"

enum { BETWEEN_PROGRESS = 1 << 17 /* transfers */ };

/* ------------------------------------------------------------------ ranks that enter a step */

/* Computes the times of a transfer that is ready, and whose ports no other message wants. */
static void settle(rs_event_engine *e, const rs_transfer *transfer, int32_t step) {
    rs_rank *src = &e->ranks[transfer->src];
    int64_t start_ps = later(src->entry_ps, src->free_ps[RS_SEND]);
    if (!e->eager) start_ps = later(start_ps, e->ranks[transfer->dst].entry_ps);
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
        outcome->makespan_ps = later(outcome->makespan_ps, e.ranks[r].entry_ps);
    }
    return status;
}
