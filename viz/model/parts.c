/* parts.c: where the time went: latency, transfer, addition, waiting.
 *
 *     last transfer to finish --> what it had to wait for --> ... --> time 0
 *
 * The chain is walked backwards: a transfer starts when both its ends and both ports are free, so
 * the latest release before its start is what held it up; a gap before that is waiting.
 */
#include "model/model.h"

enum { MOST_LOOKED_AT = 1 << 22 }; /* items looked at in all, so that a picture stays quick */

/* How much of a transfer the next one had to wait for. */
typedef enum span { ALL, TILL_ARRIVED, TILL_SENT } span;

static rs_link link_of(const rs_job *job, int32_t src, int32_t dst) {
    int32_t low = 0, high = job->net.n_overrides;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const rs_link_override *at = &job->net.overrides[middle];
        if (at->src == src && at->dst == dst) return at->link;
        if (at->src < src || (at->src == src && at->dst < dst)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return job->net.link;
}

/* Returns the part of a transfer's span in which its bytes were on the wire. */
static int64_t wire_of(const rs_job *job, const rs_timed *t) {
    uint64_t num = 1, den = 1;
    for (int32_t i = 0; i < job->n_faults; i++) {
        const rs_fault *fault = &job->faults[i];
        if (fault->kind != RS_SLOW_LINK || fault->rank != t->transfer.src) continue;
        if (num > UINT64_MAX / fault->factor_num || den > UINT64_MAX / fault->factor_den) break;
        num *= fault->factor_num;
        den *= fault->factor_den;
    }
    const int64_t n_bytes =
        rs_transfer_count(job->schedule, job->count, &t->transfer) * job->elem_bytes;
    const rs_link link = link_of(job, t->transfer.src, t->transfer.dst);
    const int64_t wire_ps = rs_wire_ps(n_bytes, link.bandwidth_Bps, num, den);
    const int64_t span_ps = t->end_ps - t->start_ps;
    return wire_ps < span_ps ? wire_ps : span_ps;
}

static int64_t outage_of(const rs_job *job, const rs_timed *t, int64_t most_ps) {
    int64_t outage_ps = 0;
    for (int32_t i = 0; i < job->n_faults; i++) {
        const rs_fault *fault = &job->faults[i];
        if (fault->kind != RS_DOWN || fault->rank != t->transfer.src) continue;
        if (fault->step == t->step) outage_ps += fault->time_ps;
    }
    return outage_ps < most_ps ? outage_ps : most_ps;
}

/* Says when `before` let `next` go on, -1 if they share no GPU; *waited: for how much of it. */
static int64_t release_ps(const rs_job *job, const rs_timed *before, const rs_timed *next,
                          span *waited) {
    const rs_transfer *a = &before->transfer, *b = &next->transfer;
    const bool its_receiver = a->dst == b->src || (a->dst == b->dst);
    const bool its_sender = a->src == b->src || a->src == b->dst;
    const bool eager = job->net.protocol == RS_EAGER;
    *waited = ALL;
    if (its_receiver && before->done_ps <= next->start_ps) return before->done_ps;
    if (!eager && (its_sender || its_receiver) && before->end_ps <= next->start_ps) {
        *waited = TILL_ARRIVED; /* its addition holds no port */
        return before->end_ps;
    }
    if (eager && (a->src == b->src || a->dst == b->dst)) {
        *waited = TILL_SENT;
        return before->start_ps + wire_of(job, before);
    }
    return -1;
}

/* Finds what held `items[at]` up; -1 if nothing did. */
static int64_t predecessor(const rs_job *job, const rs_timed items[], int64_t at, int64_t *budget,
                           int64_t *released_ps, span *waited) {
    int64_t best = -1;
    *released_ps = -1;
    for (int64_t i = at - 1; i >= 0 && *budget > 0; i--, (*budget)--) {
        span until;
        const int64_t free_ps = release_ps(job, &items[i], &items[at], &until);
        if (free_ps > items[at].start_ps || free_ps <= *released_ps) continue;
        best = i;
        *released_ps = free_ps;
        *waited = until;
        if (free_ps == items[at].start_ps) break;
    }
    return best;
}

rv_parts rv_time_parts(const rs_job *job, const rs_trace *trace, int64_t n_items) {
    rv_parts parts = {0};
    const rs_timed *items = trace->items;
    int64_t at = -1, budget = MOST_LOOKED_AT;
    for (int64_t i = 0; i < n_items; i++) {
        if (at < 0 || items[i].done_ps > items[at].done_ps) at = i;
    }
    span waited = ALL;
    while (at >= 0) {
        const rs_timed *t = &items[at];
        const int64_t wire_ps = wire_of(job, t);
        parts.wire_ps += wire_ps;
        if (waited != TILL_SENT) {
            const int64_t rest_ps = t->end_ps - t->start_ps - wire_ps;
            const int64_t outage_ps = outage_of(job, t, rest_ps);
            const int64_t after_ps = waited == ALL ? t->done_ps - t->end_ps : 0;
            parts.waiting_ps += outage_ps;
            parts.latency_ps += rest_ps - outage_ps;
            if (job->net.reduce_Bps > 0) {
                parts.adding_ps += after_ps;
            } else {
                parts.waiting_ps += after_ps;
            }
        }
        int64_t released_ps;
        const int64_t before = predecessor(job, items, at, &budget, &released_ps, &waited);
        parts.waiting_ps += t->start_ps - (before < 0 ? 0 : released_ps);
        at = before;
    }
    return parts;
}
