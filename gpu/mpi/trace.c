/* trace.c: the ranks' logs become one trace, as if one clock had seen it all.
 *
 *     sender's log     (step, order) --> when it was ready    \
 *     receiver's log   (step, order) --> when it was ready,    >  start = the later of both
 *                                        arrival, addition    /
 *
 * A transfer starts when both ends are there, as in the simulator's rendezvous. The first start is
 * time 0. Between machines clocks are only as close as the quickest round trip; no transfer ends
 * before it starts, though.
 */
#include "world.h"

#include <limits.h>

rs_status rg_log_new(const world *w, const rg_job *job, rs_arena *arena, rs_error *error,
                     rg_log **log) {
    const rs_schedule *s = job->schedule;
    rs_transfer *list = rs_alloc(arena, (size_t)s->max_sends + 1, sizeof *list);
    rg_log *made = rs_alloc(arena, 1, sizeof *made);
    if (s->n_transfers > INT_MAX / (int64_t)sizeof(rs_timed)) {
        return rs_fail(error, RS_TOO_LARGE,
                       "%lld transfers are too many to collect; run without --trace",
                       (long long)s->n_transfers);
    }
    int64_t n_sends = 0, n_recvs = 0;
    for (int32_t step = 0; list != NULL && step < s->n_steps; step++) {
        n_sends += s->sends(s, step, w->rank, list);
        n_recvs += s->recvs(s, step, w->rank, list);
    }
    if (made != NULL) {
        made->sends = rs_alloc(arena, (size_t)n_sends + 1, sizeof *made->sends);
        made->recvs = rs_alloc(arena, (size_t)n_recvs + 1, sizeof *made->recvs);
    }
    if (list == NULL || made == NULL || made->sends == NULL || made->recvs == NULL) {
        return rs_fail(error, RS_NO_MEMORY, "no memory for a trace; run without --trace");
    }
    *log = made;
    return RS_OK;
}

/* Collects everybody's items on rank 0, which alone gets a trace. */
static rs_status gather(world *w, const rs_timed items[], int64_t n, rs_arena *arena,
                        rs_error *error, rs_trace **trace) {
    const size_t n_ranks = (size_t)w->group.n_ranks;
    int *sizes = rs_alloc(arena, n_ranks, sizeof *sizes);
    int *places = rs_alloc(arena, n_ranks, sizeof *places);
    int size = (int)((size_t)n * sizeof *items), total = 0;
    rs_status status = RS_OK;
    MPI_Gather(&size, 1, MPI_INT, sizes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (size_t r = 0; w->rank == 0 && r < n_ranks; r++) {
        places[r] = total;
        total += sizes[r];
    }
    if (w->rank == 0) {
        status = rs_trace_new(total / (int)sizeof *items, arena, error, trace);
        if (status == RS_OK) (*trace)->n_items = (*trace)->capacity;
    }
    MPI_Gatherv(items, size, MPI_BYTE, w->rank == 0 && status == RS_OK ? (*trace)->items : NULL,
                sizes, places, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (w->rank == 0 && status == RS_OK) rs_trace_sort(*trace);
    return status;
}

static void shift(rs_timed items[], int64_t n, int64_t by_ps) {
    for (int64_t i = 0; i < n; i++) {
        items[i].start_ps += by_ps;
        items[i].end_ps += by_ps;
        items[i].done_ps += by_ps;
    }
}

/* Both are sorted by step and place in the list, so the same places are the same transfers. */
static void join(const rs_trace *sends, rs_trace *recvs) {
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

rs_status rg_gather_trace(world *w, const rg_log *log, rs_arena *arena, rs_error *error,
                          rs_trace **trace) {
    rs_trace *sends = NULL, *recvs = NULL;
    shift(log->sends, log->n_sends, -w->ahead_ps);
    shift(log->recvs, log->n_recvs, -w->ahead_ps);
    rs_status status = gather(w, log->sends, log->n_sends, arena, error, &sends);
    const rs_status other = gather(w, log->recvs, log->n_recvs, arena, error, &recvs);
    if (status == RS_OK) status = other;
    if (status == RS_OK && w->rank == 0) {
        join(sends, recvs);
        *trace = recvs;
    }
    return status;
}
