/* engine_start.h: a transfer starts. Included by simulate_events.c alone, so that the compiler makes one
 * piece of what happens for each of a hundred million transfers.
 *
 *     start --> until when it holds its ports, when its data arrive
 *           --> its sender (rendezvous) and its receiver know when this part of their step ends;
 *               who knows that of all parts knows when it enters its next step
 *
 *   - A receiver that is still in an earlier step finds the message in its `early` heap.
 */
#pragma once

#include "time/engine.h"

static inline int64_t later(int64_t a, int64_t b) {
    return a > b ? a : b;
}

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
    e->makespan_ps = later(e->makespan_ps, e->outcome->finish_ps[rank]);
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
    state->leave_ps = later(state->leave_ps, end_ps);
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
    int64_t done_ps = later(end_ps, dst->entry_ps);
    if (e->adds && transfer->effect == RS_REDUCE) {
        done_ps += rs_costs_addition(e->costs, transfer->dst, rs_costs_bytes(e->costs, transfer));
    }
    e->n_transfers++;
    e->makespan_ps = later(e->makespan_ps, done_ps);
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
    e->makespan_ps = later(e->makespan_ps, end_ps);
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
