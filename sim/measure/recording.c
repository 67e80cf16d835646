/* recording.c: makes a recording of a run that we simulated, and a report of a recording.
 *
 *     rs_report (simulated) --> recording --> .trace --> recording --> rs_report
 *
 *   - A recording holds every transfer of its schedule, so it contains the schedule; transfers that
 *     never happened have no times.
 *   - A report of a recording says only what recording and schedule tell: outcome, verdict, bytes,
 *     rates. It does not know the network, its faults or the values.
 */
#include "measure/recording.h"

#include "time/costs.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ the schedule */

static bool same_transfer(const rs_transfer *a, const rs_transfer *b) {
    return a->src == b->src && a->dst == b->dst && a->chunk == b->chunk &&
           a->n_chunks == b->n_chunks && a->effect == b->effect && a->channel == b->channel;
}

/* Tells whether both schedules hold the same transfers in the same order. */
static bool same_schedule(const rs_schedule *a, const rs_schedule *b) {
    if (a->n_chunks != b->n_chunks || a->n_steps != b->n_steps ||
        a->n_transfers != b->n_transfers) {
        return false;
    }
    for (int32_t step = 0; step < a->n_steps; step++) {
        rs_cursor at_a = {0}, at_b = {0};
        rs_transfer t, u;
        while (rs_next_transfer(a, step, &at_a, &t)) {
            if (!rs_next_transfer(b, step, &at_b, &u) || !same_transfer(&t, &u)) return false;
        }
        if (rs_next_transfer(b, step, &at_b, &u)) return false;
    }
    return true;
}

/* Gives every item the schedule's own transfer, which has its place in the list (order). */
static void take_orders(rs_recording *recording) {
    int64_t at = 0;
    for (int32_t step = 0; step < recording->schedule.n_steps; step++) {
        rs_cursor cursor = {0};
        rs_transfer t;
        while (rs_next_transfer(&recording->schedule, step, &cursor, &t)) {
            assert(at < recording->trace.n_items);
            recording->trace.items[at++].transfer = t;
        }
    }
}

/* Tells whether the algorithm makes the recorded schedule: in either order, with nodes of any size, dealt out or
   not, where it knows of nodes. */
static bool is_of(const rs_recording *recording, const rs_algorithm *algorithm, rs_schedule *made) {
    const rs_schedule *own = &recording->schedule;
    const int32_t n = own->n_ranks, n_channels = own->n_channels > 1 ? own->n_channels : 1;
    const int32_t most = algorithm->accepts != NULL ? n : 0;
    for (int32_t g = 0; g <= most; g++) {
        if (g > 0 && n % g != 0) continue;
        for (int way = 0; way < (g > 1 ? 4 : 2); way++) {
            const rs_spec spec = {.n_ranks = n,
                                  .order = way % 2 == 0 ? RS_ORDER_SEED : RS_ORDER_NCCL,
                                  .gpus_per_node = g,
                                  .dealt = way >= 2,
                                  .root = own->root,
                                  .n_pieces =
                                      algorithm->pipelined ? own->n_chunks / n_channels : 0};
            const rs_status status =
                rs_schedule_from_spec(algorithm, &spec, recording->count, NULL, made);
            if (own->n_parts > 1 && made->n_parts != own->n_parts) continue; /* cut otherwise */
            if (status == RS_OK && made->by_rank != own->by_rank) continue;  /* added otherwise */
            if (status == RS_OK && same_schedule(&recording->schedule, made)) return true;
        }
    }
    return false;
}

void rs_recording_name(rs_recording *recording) {
    rs_schedule *own = &recording->schedule;
    rs_schedule made;
    bool named = false;
    const rs_algorithm *const *at = rs_algorithms_of(own->collective);
    for (; *at != NULL && own->n_steps > 0 && !named; at++) named = is_of(recording, *at, &made);
    if (named) *own = made;
    take_orders(recording);
}

int64_t rs_recording_end_ps(const rs_recording *recording) {
    int64_t end_ps = recording->makespan_ps;
    for (int64_t i = 0; i < recording->trace.n_items; i++) {
        if (recording->trace.items[i].done_ps > end_ps) end_ps = recording->trace.items[i].done_ps;
    }
    return end_ps;
}

/* ------------------------------------------------------------------ from a run of ours */

static rs_status copy_entered(const rs_report *report, rs_arena *arena, rs_error *error,
                              rs_recording *recording) {
    const size_t n = (size_t)recording->schedule.n_ranks;
    if (report->outcome.completed) return RS_OK;
    recording->entered = rs_alloc(arena, n, sizeof *recording->entered);
    if (recording->entered == NULL) return rs_no_memory(error);
    memcpy(recording->entered, report->outcome.entered, n * sizeof *recording->entered);
    return RS_OK;
}

/* Lists every transfer of the schedule, with the times of those that happened: `from` holds them in
   the same order. */
static void list_all(const rs_trace *from, rs_recording *recording) {
    rs_trace *all = &recording->trace;
    int64_t at = 0;
    for (int32_t step = 0; step < recording->schedule.n_steps; step++) {
        rs_cursor cursor = {0};
        rs_transfer t;
        while (rs_next_transfer(&recording->schedule, step, &cursor, &t)) {
            const rs_timed *next = at < from->n_items ? &from->items[at] : NULL;
            const bool happened =
                next != NULL && next->step == step && next->transfer.order == t.order;
            rs_timed timed = {.start_ps = -1, .end_ps = -1, .done_ps = -1};
            if (happened) timed = from->items[at++];
            timed.transfer = t;
            timed.step = step;
            all->items[all->n_items++] = timed;
        }
    }
}

rs_status rs_recording_of(const rs_report *report, const char *by, rs_arena *arena, rs_error *error,
                          rs_recording *recording) {
    const rs_job *job = &report->request.job;
    rs_recording made = {.dtype = report->request.dtype,
                         .op = report->request.op,
                         .count = job->count,
                         .schedule = *job->schedule,
                         .makespan_ps = report->outcome.makespan_ps};
    if (report->recording != NULL) made.measured = report->recording->measured;
    if (report->trace == NULL || made.schedule.n_ranks > RS_MAX_FILE_RANKS ||
        made.schedule.n_transfers > RS_MAX_FILE_TRANSFERS) {
        return rs_fail(error, RS_TOO_LARGE,
                       "a trace file holds at most %d GPUs and %d transfers; this run has %d and "
                       "%lld",
                       RS_MAX_FILE_RANKS, RS_MAX_FILE_TRANSFERS, (int)made.schedule.n_ranks,
                       (long long)made.schedule.n_transfers);
    }
    snprintf(made.by, sizeof made.by, "%s", by);
    made.trace.capacity = made.schedule.n_transfers;
    made.trace.items = rs_alloc(arena, (size_t)made.trace.capacity + 1, sizeof *made.trace.items);
    if (made.trace.items == NULL) return rs_no_memory(error);
    list_all(report->trace, &made);
    const rs_status status = copy_entered(report, arena, error, &made);
    if (status == RS_OK) *recording = made;
    return status;
}

/* ------------------------------------------------------------------ to a report */

/* Fills the report's trace with the transfers that happened, and its outcome with when each rank
   finished. */
static rs_status replay(const rs_recording *recording, rs_report *report, rs_arena *arena,
                        rs_error *error) {
    const rs_trace *all = &recording->trace;
    rs_outcome *outcome = &report->outcome;
    const int32_t n = recording->schedule.n_ranks;
    rs_status status = rs_outcome_new(&report->request.job, arena, error, outcome);
    if (status == RS_OK) status = rs_trace_new(all->n_items, arena, error, &report->trace);
    if (status != RS_OK) return status;
    for (int32_t r = 0; r < n; r++) {
        outcome->finish_ps[r] = 0;
        outcome->entered[r] = recording->schedule.n_steps;
        if (recording->entered == NULL || recording->entered[r] >= outcome->entered[r]) continue;
        outcome->entered[r] = recording->entered[r];
        outcome->finish_ps[r] = -1;
    }
    for (int64_t i = 0; i < all->n_items; i++) {
        const rs_timed *timed = &all->items[i];
        int64_t *sender = &outcome->finish_ps[timed->transfer.src];
        int64_t *receiver = &outcome->finish_ps[timed->transfer.dst];
        if (timed->start_ps < 0) {
            *sender = *receiver = -1;
            continue;
        }
        if (*sender >= 0 && timed->end_ps > *sender) *sender = timed->end_ps;
        if (*receiver >= 0 && timed->done_ps > *receiver) *receiver = timed->done_ps;
        outcome->bytes_sent[timed->transfer.src] +=
            rs_transfer_count(&recording->schedule, recording->count, &timed->transfer) *
            report->request.job.elem_bytes;
        report->trace->items[report->trace->n_items++] = *timed;
    }
    outcome->n_transfers = report->trace->n_items;
    outcome->makespan_ps = rs_recording_end_ps(recording);
    return RS_OK;
}

/* Adds who waits for whom, as in a simulated run under rendezvous. */
static rs_status add_waits(rs_report *report, rs_arena *arena, rs_error *error) {
    const rs_costs costs = {.job = &report->request.job,
                            .n_ranks = report->request.job.schedule->n_ranks,
                            .n_steps = report->request.job.schedule->n_steps,
                            .kill_step = report->outcome.entered};
    return rs_outcome_end(&costs, arena, error, &report->outcome);
}

rs_status rs_recording_report(const rs_recording *recording, rs_arena *arena, rs_error *error,
                              rs_report *report) {
    const rs_schedule *schedule = &recording->schedule;
    rs_report made = {.recording = recording,
                      .request = {.job = {.schedule = schedule,
                                          .count = recording->count,
                                          .elem_bytes = rs_dtype_bytes(recording->dtype)},
                                  .dtype = recording->dtype,
                                  .op = recording->op,
                                  .values = RS_VALUES_NONE,
                                  .check = RS_AUTO}};
    rs_status status = replay(recording, &made, arena, error);
    if (status == RS_OK) status = add_waits(&made, arena, error);
    made.judged = rs_wants_verdict(&made.request);
    if (status == RS_OK && made.judged) {
        status = rs_check(schedule, arena->host, error, &made.verdict);
    }
    if (status != RS_OK) return status;
    made.has_rates =
        made.outcome.completed &&
        rs_rates(schedule->collective,
                 rs_size_count(schedule, recording->count) * made.request.job.elem_bytes,
                 schedule->n_ranks, made.outcome.makespan_ps, &made.algbw_GBps, &made.busbw_GBps);
    *report = made;
    return RS_OK;
}
