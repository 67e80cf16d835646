/* critical_path.c: where the time went: latency, transfer, addition, waiting.
 *
 *     last transfer to finish --> what it had to wait for --> ... --> time 0
 *
 * We walk the chain backwards. A transfer starts when the last of four conditions holds: its sender
 * has entered the step, under rendezvous its receiver too, and both ports are free; on a machine, where
 * messages go side by side, the first two. A rank enters a
 * step when it has left the one before and after the delay of its faults; that delay, and a link
 * that is down, is the waiting. If several conditions become true at the same time, any of them is
 * right: all chains of that length tell how the makespan changes with a fault, except at the value
 * at which another chain becomes the longest.
 */
#include "time/costs.h"

#include <assert.h>

struct rs_critical_path {
    const rs_costs *costs;
    const rs_trace *trace;
    int64_t *first;     /* [n_ranks + 1] where each rank's items begin in of_rank */
    int64_t *of_rank;   /* the items that a rank sends or receives, by step, then list order */
    rs_transfer *sends; /* [max_sends] room for those of a rank in a step */
};

/* Why something happened no earlier: an item of the trace, or the start of the run. */
typedef enum waited_for { TILL_SENT, TILL_ARRIVED, TILL_ADDED } waited_for;
typedef struct cause {
    int64_t item; /* -1: none, the run began */
    waited_for waited;
    int64_t delay_ps; /* the delay by faults after it */
    int64_t time_ps;  /* when item and delay were over */
    int64_t begin_ps; /* of that a launch and barriers, which are no delay */
} cause;

static void sort_by_rank(rs_critical_path *path) {
    const rs_timed *items = path->trace->items;
    const int64_t n_items = path->trace->n_items;
    const int32_t n_ranks = path->costs->n_ranks;
    int64_t *first = path->first;
    for (int64_t i = 0; i < n_items; i++) {
        first[items[i].transfer.src]++;
        first[items[i].transfer.dst]++;
    }
    for (int32_t r = 0; r < n_ranks; r++) first[r + 1] += first[r];
    assert(first[n_ranks] == first[n_ranks - 1] && first[n_ranks] == 2 * n_items);
    for (int64_t i = n_items - 1; i >= 0; i--) {
        path->of_rank[--first[items[i].transfer.src]] = i;
        path->of_rank[--first[items[i].transfer.dst]] = i;
    }
}

rs_status rs_critical_path_new(const rs_job *job, const rs_trace *trace, rs_arena *arena,
                               rs_error *error, rs_critical_path **path) {
    rs_costs *costs;
    const rs_status status = rs_costs_new(job, arena, error, &costs);
    if (status != RS_OK) return status;
    rs_critical_path *made = rs_alloc(arena, 1, sizeof *made);
    int64_t *first = rs_alloc(arena, (size_t)costs->n_ranks + 1, sizeof *first);
    int64_t *of_rank = rs_alloc(arena, 2 * (size_t)trace->n_items + 1, sizeof *of_rank);
    rs_transfer *sends = rs_alloc(arena, (size_t)job->schedule->max_sends, sizeof *sends);
    if (arena->lacked) return rs_no_memory(error);
    *made = (rs_critical_path){costs, trace, first, of_rank, sends};
    sort_by_rank(made);
    *path = made;
    return RS_OK;
}

/* Returns where in of_rank a rank's items of `step` and later steps begin. */
static int64_t first_from(const rs_critical_path *path, int32_t rank, int32_t step) {
    int64_t from = path->first[rank], to = path->first[rank + 1];
    while (from < to) {
        const int64_t middle = from + (to - from) / 2;
        if (path->trace->items[path->of_rank[middle]].step < step) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

/* Returns how much later an item on a machine began to flow because its link was down: that of the first
   transfer in the schedule, which may be missing in the trace where a rank dies. */
static int64_t outage_of(const rs_critical_path *path, const rs_timed *item) {
    const rs_schedule *schedule = path->costs->job->schedule;
    const rs_transfer *t = &item->transfer;
    const int64_t down_ps = rs_costs_outage(path->costs, t->src, item->step);
    if (down_ps == 0) return 0;
    schedule->sends(schedule, item->step, t->src, path->sends);
    return path->sends[0].order == t->order ? down_ps : 0;
}

/* Returns the latency of an item and what its bytes took. On a machine others may have shared its wires. */
static rs_cost cost_of(const rs_critical_path *path, const rs_timed *item) {
    const rs_costs *costs = path->costs;
    const rs_transfer *t = &item->transfer;
    if (costs->job->net.machine == NULL) {
        return rs_costs_message(costs, t->src, t->dst, rs_costs_bytes(costs, t));
    }
    const int64_t down_ps = costs->n_outages > 0 ? outage_of(path, item) : 0;
    return (rs_cost){item->alpha_ps, item->end_ps - item->start_ps - item->alpha_ps - down_ps};
}

/* Returns the time until which an item holds its two ports. */
static int64_t port_free_ps(const rs_critical_path *path, const rs_timed *item) {
    if (path->costs->job->net.protocol == RS_RENDEZVOUS) return item->end_ps;
    return item->end_ps - cost_of(path, item).alpha_ps;
}

/* Tells whether all channels of a rank are in the same step. */
static bool go_together(const rs_costs *costs) {
    return costs->job->net.machine == NULL || costs->has_kills;
}

/* Finds why a rank entered `step` no earlier: the last item to finish in the latest step before in
   which the rank had to wait for an item. An eager sender does not wait for what it sends. On a machine channels do
   not wait for each other, unless a rank dies. */
static cause entry_of(const rs_critical_path *path, int32_t rank, int32_t step, int channel) {
    const rs_costs *costs = path->costs;
    const bool eager = costs->job->net.protocol == RS_EAGER, together = go_together(costs);
    cause found = {.item = -1, .time_ps = costs->late_ps[rank]};
    int32_t left = -1;
    for (int64_t i = first_from(path, rank, step) - 1; i >= path->first[rank]; i--) {
        const int64_t at = path->of_rank[i];
        const rs_timed *item = &path->trace->items[at];
        const bool receives = item->transfer.dst == rank;
        if (item->step < left) break;
        if (eager && !receives) continue;
        if (!together && item->transfer.channel != channel) continue;
        const int64_t end_ps = receives ? item->done_ps : item->end_ps;
        if (left >= 0 && end_ps < found.time_ps) continue;
        found = (cause){at, receives ? TILL_ADDED : TILL_ARRIVED, 0, end_ps, 0};
        left = item->step;
    }
    found.delay_ps = (step - left) * costs->straggler_ps[rank];
    found.begin_ps = rs_costs_barriers(costs, left, step);
    found.time_ps += found.delay_ps + found.begin_ps;
    if (left >= 0) return found;
    found.delay_ps += costs->late_ps[rank] - costs->launch_ps;
    found.begin_ps += costs->launch_ps;
    return found;
}

/* Finds the transfer that held one of the two ports before: the send port, or the receive port. */
static cause port_before(const rs_critical_path *path, int64_t at) {
    const rs_timed *items = path->trace->items, *item = &items[at];
    const int32_t ends[] = {item->transfer.src, item->transfer.dst};
    const bool eager = path->costs->job->net.protocol == RS_EAGER;
    for (int receives = 0; receives < 2; receives++) {
        const int32_t rank = ends[receives];
        for (int64_t i = path->first[rank]; i < path->first[rank + 1]; i++) {
            const rs_timed *other = &items[path->of_rank[i]];
            const int32_t uses = receives ? other->transfer.dst : other->transfer.src;
            if (uses != rank || other->start_ps >= item->start_ps) continue;
            if (port_free_ps(path, other) != item->start_ps) continue;
            return (cause){path->of_rank[i], eager ? TILL_SENT : TILL_ARRIVED, 0, item->start_ps,
                           0};
        }
    }
    assert(false && "a transfer starts as soon as it can");
    return (cause){-1, TILL_SENT, item->start_ps, item->start_ps, 0};
}

/* Finds why an item started no earlier. */
static cause start_of(const rs_critical_path *path, int64_t at) {
    const rs_timed *item = &path->trace->items[at];
    const cause sender = entry_of(path, item->transfer.src, item->step, item->transfer.channel);
    if (sender.time_ps == item->start_ps) return sender;
    if (path->costs->job->net.protocol == RS_RENDEZVOUS) {
        const cause receiver =
            entry_of(path, item->transfer.dst, item->step, item->transfer.channel);
        if (receiver.time_ps == item->start_ps) return receiver;
    }
    return port_before(path, at);
}

/* Adds to the split what an item cost, up to what the next one waited for; returns why it was no
   earlier. */
static cause add_item(const rs_critical_path *path, int64_t at, waited_for waited,
                      rs_time_split *split) {
    const rs_timed *item = &path->trace->items[at];
    const rs_cost cost = cost_of(path, item);
    if (waited == TILL_ADDED) {
        const cause entry = entry_of(path, item->transfer.dst, item->step, item->transfer.channel);
        const bool arrives_early = entry.time_ps > item->end_ps;
        split->adding_ps += item->done_ps - (arrives_early ? entry.time_ps : item->end_ps);
        if (arrives_early) return entry;
    }
    if (waited != TILL_SENT) split->latency_ps += cost.alpha_ps;
    split->wire_ps += cost.busy_ps;
    /* it is down */
    split->waiting_ps += item->end_ps - item->start_ps - cost.alpha_ps - cost.busy_ps;
    return start_of(path, at);
}

/* Finds what ended last: an item of the first n_items; or, in a whole run, a rank that is late, or
   pauses, and has no item after that. */
static cause last_of(const rs_critical_path *path, int64_t n_items) {
    const rs_timed *items = path->trace->items;
    const rs_costs *costs = path->costs;
    cause last = {.item = -1};
    for (int64_t i = 0; i < n_items; i++) {
        if (last.item >= 0 && items[i].done_ps <= last.time_ps) continue;
        last = (cause){i, TILL_ADDED, 0, items[i].done_ps, 0};
    }
    if (n_items < path->trace->n_items || costs->has_kills) return last;
    const int n_channels = go_together(costs) || costs->job->schedule->n_channels == 0
                               ? 1
                               : (int)costs->job->schedule->n_channels;
    for (int32_t r = 0; r < costs->n_ranks; r++) {
        if (costs->late_ps[r] == costs->launch_ps && costs->straggler_ps[r] == 0) continue;
        for (int channel = 0; channel < n_channels; channel++) {
            cause finish = entry_of(path, r, costs->n_steps, channel);
            finish.time_ps -= costs->straggler_ps[r]; /* there is no next step */
            finish.delay_ps -= costs->straggler_ps[r];
            if (finish.time_ps > last.time_ps) last = finish;
        }
    }
    return last;
}

rs_time_split rs_critical_path_split(const rs_critical_path *path, int64_t n_items) {
    rs_time_split split = {0};
    assert(n_items >= 0 && n_items <= path->trace->n_items);
    cause next = last_of(path, n_items);
    const int64_t whole_ps = next.time_ps;
    for (;;) {
        split.waiting_ps += next.delay_ps;
        split.latency_ps += next.begin_ps;
        if (next.item < 0) break;
        next = add_item(path, next.item, next.waited, &split);
    }
    assert(split.latency_ps + split.wire_ps + split.adding_ps + split.waiting_ps == whole_ps);
    (void)whole_ps;
    return split;
}
