/* measured_log.c: makes one trace of the ranks' logs, as if one clock had measured all. See
 * communicator.h.
 *
 *     sender's log     (step, order) --> when it was ready    \
 *     receiver's log   (step, order) --> when it was ready,    >  start = the later of both
 *                                        arrival, addition    /
 *
 * A transfer starts when both ends are ready, as in the simulator's rendezvous. The first start is
 * time 0. Clocks of different machines agree only to within the quickest round trip; but join()
 * lets no transfer end before it starts.
 */
#include "ranks/communicator.h"

#include <assert.h>
#include <string.h>

rs_status rg_log_new(const rg_messages *messages, rs_arena *arena, rs_error *error, rg_log **log) {
    rg_log *made = rs_alloc(arena, 1, sizeof *made);
    if (made != NULL) {
        made->sends = rs_alloc(arena, (size_t)messages->total_sends + 1, sizeof *made->sends);
        made->recvs = rs_alloc(arena, (size_t)messages->total_recvs + 1, sizeof *made->recvs);
    }
    if (made == NULL || made->sends == NULL || made->recvs == NULL) {
        return rs_fail(error, RS_NO_MEMORY, "no memory for a trace; run without --trace");
    }
    *log = made;
    return RS_OK;
}

void rg_log_reset(rg_log *log) {
    log->n_sends = log->n_recvs = 0;
}

static rs_timed timed(const rg_message *message, int32_t step, int64_t start_ps) {
    return (rs_timed){.transfer = message->transfer, .step = step, .start_ps = start_ps};
}

void rg_log_start(rg_log *log, const rg_messages *messages, int64_t now_ps) {
    for (int i = 0; i < messages->n_sends; i++) {
        log->sends[log->n_sends++] = timed(&messages->sends[i], messages->step, now_ps);
    }
    for (int i = 0; i < messages->n_recvs; i++) {
        log->recvs[log->n_recvs++] = timed(&messages->recvs[i], messages->step, now_ps);
    }
    log->n_step = messages->n_recvs;
}

rs_timed *rg_log_recv(rg_log *log, int i) {
    assert(i >= 0 && i < log->n_step);
    return &log->recvs[log->n_recvs - log->n_step + i];
}

/* ------------------------------------------------------------------ all ranks' */

typedef struct packet { /* a part of a rank's items: many ranks' packets fit into memory */
    rs_timed items[64];
    int64_t n;
} packet;

/* Collects all ranks' items on rank 0, which alone gets a trace: packet after packet. */
static bool gather(rg_ranks *ranks, const rs_timed items[], int64_t n, packet all[], rs_trace *to) {
    enum { MOST = sizeof all->items / sizeof all->items[0] };
    int64_t most = n;
    if (!rg_ranks_vote(ranks, &most, 1, RG_LARGEST)) return false;
    for (int64_t first = 0; first < most; first += MOST) {
        packet own = {0};
        own.n = n - first < MOST ? n - first : MOST;
        if (own.n > 0) memcpy(own.items, items + first, (size_t)own.n * sizeof *items);
        if (!ranks->transport->collect(ranks, &own, all, sizeof own)) return false;
        for (int32_t r = 0; r < ranks->group.n_ranks && to != NULL; r++) {
            if (all[r].n <= 0) continue;
            memcpy(to->items + to->n_items, all[r].items, (size_t)all[r].n * sizeof *items);
            to->n_items += all[r].n;
        }
    }
    if (to != NULL) rs_trace_sort(to);
    return true;
}

static void shift(rs_timed items[], int64_t n, int64_t by_ps) {
    for (int64_t i = 0; i < n; i++) {
        items[i].start_ps += by_ps;
        items[i].end_ps += by_ps;
        items[i].done_ps += by_ps;
    }
}

void rg_log_shift(rg_log *log, int64_t by_ps) {
    shift(log->sends, log->n_sends, by_ps);
    shift(log->recvs, log->n_recvs, by_ps);
}

/* Joins the times of both ends. Both traces are sorted by step and place in the list, so the same
   index is the same transfer. */
static void join(const rs_trace *sends, rs_trace *recvs) {
    assert(sends->n_items == recvs->n_items);
    int64_t first_ps = INT64_MAX;
    for (int64_t i = 0; i < recvs->n_items; i++) {
        rs_timed *t = &recvs->items[i];
        if (sends->items[i].start_ps > t->start_ps) t->start_ps = sends->items[i].start_ps;
        if (t->end_ps < t->start_ps) t->end_ps = t->start_ps;
        if (t->done_ps < t->end_ps) t->done_ps = t->end_ps;
        if (t->start_ps < first_ps) first_ps = t->start_ps;
    }
    shift(recvs->items, recvs->n_items, -first_ps);
}

static rs_status make_traces(const rg_ranks *ranks, int64_t n, rs_arena *arena, rs_error *error,
                             packet **all, rs_trace *made[2]) {
    *all = rs_alloc(arena, (size_t)ranks->group.n_ranks, sizeof **all);
    if (*all == NULL) return rs_no_memory(error);
    if (ranks->rank != 0) return RS_OK;
    const rs_status status = rs_trace_new(n, arena, error, &made[0]);
    return status == RS_OK ? rs_trace_new(n, arena, error, &made[1]) : status;
}

bool rg_log_gather(rg_ranks *ranks, rg_log *log, rs_arena *arena, rs_error *error,
                   rs_status *status, rs_trace **trace) {
    packet *all;
    rs_trace *made[2] = {NULL, NULL};
    int64_t totals[3] = {log->n_sends, log->n_recvs, 0};
    if (!rg_ranks_vote(ranks, totals, 2, RG_ADD)) return false;
    assert(totals[0] == totals[1]); /* every transfer has two ends */
    *status = make_traces(ranks, totals[1], arena, error, &all, made);
    totals[2] = *status; /* all ranks collect, or none */
    if (!rg_ranks_vote(ranks, &totals[2], 1, RG_LARGEST)) return false;
    if (totals[2] != RS_OK) return true;
    rg_log_shift(log, -ranks->ahead_ps);
    if (!gather(ranks, log->sends, log->n_sends, all, made[0]) ||
        !gather(ranks, log->recvs, log->n_recvs, all, made[1])) {
        return false;
    }
    if (made[1] == NULL) return true;
    join(made[0], made[1]);
    *trace = made[1];
    return true;
}
