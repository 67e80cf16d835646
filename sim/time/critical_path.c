/* critical_path.c: where the time went: latency, transfer, addition, waiting.
 *
 *     last transfer to finish --> what it had to wait for --> ... --> time 0
 *
 * The chain is walked backwards: a transfer starts when both its ends and both ports are free, so
 * the latest release before its start is what held it up; a gap before that is waiting.
 */
#include "time/costs.h"

#include <assert.h>

enum { MOST_LOOKED_AT = 1 << 22 }; /* items looked at in all, so that a picture stays quick */

/* How much of a transfer the next one had to wait for. */
typedef enum waited_for { ALL, TILL_ARRIVED, TILL_SENT } waited_for;

struct rs_critical_path {
    const rs_costs *costs;
    const rs_trace *trace;
};

rs_status rs_critical_path_new(const rs_job *job, const rs_trace *trace, rs_arena *arena,
                               rs_error *error, rs_critical_path **path) {
    rs_costs *costs;
    rs_critical_path *made = rs_alloc(arena, 1, sizeof *made);
    if (made == NULL) return rs_fail(error, RS_NO_MEMORY, "no memory for the critical path");
    const rs_status status = rs_costs_new(job, arena, error, &costs);
    if (status != RS_OK) return status;
    *made = (rs_critical_path){costs, trace};
    *path = made;
    return RS_OK;
}

/* Returns the part of a transfer's span in which its bytes were on the wire. */
static int64_t wire_of(const rs_costs *costs, const rs_timed *t) {
    const rs_transfer *transfer = &t->transfer;
    const int64_t n_bytes = rs_costs_bytes(costs, transfer), span_ps = t->end_ps - t->start_ps;
    int64_t alpha_ps, wire_ps;
    rs_costs_link(costs, transfer->src, transfer->dst, n_bytes, &alpha_ps, &wire_ps);
    return wire_ps < span_ps ? wire_ps : span_ps;
}

/* Says when `before` let `next` go on, -1 if they share no GPU; *waited: for how much of it. */
static int64_t release_ps(const rs_costs *costs, const rs_timed *before, const rs_timed *next,
                          waited_for *waited) {
    const rs_transfer *a = &before->transfer, *b = &next->transfer;
    const bool its_receiver = a->dst == b->src || a->dst == b->dst;
    const bool its_sender = a->src == b->src || a->src == b->dst;
    const bool eager = costs->job->net.protocol == RS_EAGER;
    *waited = ALL;
    if (its_receiver && before->done_ps <= next->start_ps) return before->done_ps;
    if (!eager && (its_sender || its_receiver) && before->end_ps <= next->start_ps) {
        *waited = TILL_ARRIVED; /* its addition holds no port */
        return before->end_ps;
    }
    if (eager && (a->src == b->src || a->dst == b->dst)) {
        *waited = TILL_SENT;
        return before->start_ps + wire_of(costs, before);
    }
    return -1;
}

/* Finds what held item `at` up; -1 if nothing did. */
static int64_t predecessor(const rs_critical_path *path, int64_t at, int64_t *budget,
                           int64_t *released_ps, waited_for *waited) {
    const rs_timed *items = path->trace->items;
    int64_t best = -1;
    *released_ps = -1;
    for (int64_t i = at - 1; i >= 0 && *budget > 0; i--, (*budget)--) {
        waited_for until;
        const int64_t free_ps = release_ps(path->costs, &items[i], &items[at], &until);
        if (free_ps > items[at].start_ps || free_ps <= *released_ps) continue;
        best = i;
        *released_ps = free_ps;
        *waited = until;
        if (free_ps == items[at].start_ps) break;
    }
    return best;
}

/* Adds what the transfer cost as far as the next one waited for it. */
static void add_transfer(const rs_costs *costs, const rs_timed *t, waited_for waited,
                         rs_time_split *split) {
    const int64_t wire_ps = wire_of(costs, t);
    split->wire_ps += wire_ps;
    if (waited == TILL_SENT) return;
    const int64_t rest_ps = t->end_ps - t->start_ps - wire_ps;
    const int64_t down_ps = rs_costs_outage(costs, t->transfer.src, t->step);
    const int64_t outage_ps = down_ps < rest_ps ? down_ps : rest_ps;
    split->waiting_ps += outage_ps;
    split->latency_ps += rest_ps - outage_ps;
    if (waited == TILL_ARRIVED) return;
    const bool adds = costs->job->net.reduce_Bps > 0;
    *(adds ? &split->adding_ps : &split->waiting_ps) += t->done_ps - t->end_ps;
}

rs_time_split rs_critical_path_split(const rs_critical_path *path, int64_t n_items) {
    const rs_timed *items = path->trace->items;
    rs_time_split split = {0};
    int64_t at = -1, budget = MOST_LOOKED_AT;
    assert(n_items >= 0 && n_items <= path->trace->n_items);
    for (int64_t i = 0; i < n_items; i++) {
        if (at < 0 || items[i].done_ps > items[at].done_ps) at = i;
    }
    waited_for waited = ALL;
    while (at >= 0) {
        int64_t released_ps;
        add_transfer(path->costs, &items[at], waited, &split);
        const int64_t before = predecessor(path, at, &budget, &released_ps, &waited);
        assert(before < at);
        split.waiting_ps += items[at].start_ps - (before < 0 ? 0 : released_ps);
        at = before;
    }
    return split;
}
