/* model.c: one run at a moment: contents, what has just changed, what it has cost. Values:
 * model_values.c.
 */
#include "model/model.h"
#include "model/traffic.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_RANKS = 256,          /* beyond: no cells */
    MOST_CELLS = 256 * 256,    /* beyond: no cells */
    RIVAL_RANKS = 4096,        /* beyond: no rival is simulated */
    RIVAL_TRANSFERS = 1 << 20, /* beyond: its time is not split */
    MOST_INSIDE = 4096
};

int32_t rv_model_step(const rv_model *model) {
    return model->step;
}

rv_moment rv_model_moment(const rv_model *model) {
    return model->moment;
}

bool rv_happened(const rv_model *model, int32_t step, const rs_transfer *transfer) {
    const rs_outcome *outcome = &model->report->outcome;
    return outcome->completed ||
           (outcome->entered[transfer->src] > step && outcome->entered[transfer->dst] > step);
}

int32_t rv_still_from(const rv_model *model) {
    const rs_outcome *outcome = &model->report->outcome;
    int32_t step = outcome->completed ? model->n_steps : 0;
    for (int32_t r = 0; !outcome->completed && r < model->n_ranks; r++) {
        if (outcome->entered[r] > step) step = outcome->entered[r];
    }
    while (!outcome->completed && step > 0) {
        rs_cursor cursor = {0};
        rs_transfer t;
        while (rs_next_transfer(model->schedule, step - 1, &cursor, &t)) {
            if (rv_happened(model, step - 1, &t)) return step;
        }
        step--;
    }
    return step;
}

/* ------------------------------------------------------------------------------ what has changed */

static void mark(rv_model *model, int32_t rank, const rs_transfer *t, rv_mark what) {
    uint8_t *row = &model->marks[(size_t)rank * (size_t)model->n_chunks];
    assert(t->chunk >= 0 && t->chunk + t->n_chunks <= model->n_chunks);
    for (int32_t c = t->chunk; c < t->chunk + t->n_chunks; c++) row[c] = (uint8_t)what;
}

static void set_marks(rv_model *model) {
    if (!model->cells) return;
    memset(model->marks, RV_SAME, (size_t)model->n_ranks * (size_t)model->n_chunks);
    if (model->step < 0 || model->step >= model->n_steps) return;
    rs_cursor cursor = {0};
    rs_transfer t;
    while (rs_next_transfer(model->schedule, model->step, &cursor, &t)) {
        if (!rv_happened(model, model->step, &t)) continue;
        if (model->moment == RV_SEND) mark(model, t.src, &t, RV_LEAVES);
        if (model->moment == RV_ARRIVE) mark(model, t.dst, &t, RV_ARRIVES);
        if (model->moment == RV_DONE) {
            mark(model, t.dst, &t, t.effect == RS_REDUCE ? RV_ADDED : RV_COPIED);
        }
    }
}

rv_mark rv_mark_at(const rv_model *model, int32_t rank, int32_t chunk) {
    assert(model->cells);
    assert(rank >= 0 && rank < model->n_ranks && chunk >= 0 && chunk < model->n_chunks);
    return (rv_mark)model->marks[(size_t)rank * (size_t)model->n_chunks + (size_t)chunk];
}

/* Writes three and more ranks that follow each other short: 0 1 2 3 as "0..3". */
void rv_inside_text(const rv_model *model, int32_t rank, int32_t chunk, char *out, size_t n_out) {
    int32_t who[MOST_INSIDE];
    const int64_t n = rs_contents_list(model->contents, rank, chunk, who, MOST_INSIDE);
    const int64_t shown = n < MOST_INSIDE ? n : MOST_INSIDE;
    size_t used = 0;
    out[0] = '\0';
    for (int64_t i = 0; i < shown;) {
        int64_t end = i + 1;
        while (end < shown && who[end] == who[end - 1] + 1) end++;
        assert(end > i);
        char piece[32];
        if (end - i > 2) {
            snprintf(piece, sizeof piece, "%s%d..%d", i ? " " : "", (int)who[i], (int)who[end - 1]);
        } else {
            snprintf(piece, sizeof piece, "%s%d", i ? " " : "", (int)who[i]);
            end = i + 1;
        }
        const size_t length = strlen(piece);
        if (used + length + 5 > n_out) {
            snprintf(out + used, n_out - used, " ...");
            return;
        }
        memcpy(out + used, piece, length + 1);
        used += length;
        i = end;
    }
}

/* ---------------------------------------------------------------------------------- what it costs */

/* Adds the bytes of one step to each sender, or takes them away again. */
static void count_step(rv_model *model, int32_t step, int sign) {
    const rs_job *job = &model->report->request.job;
    rs_cursor cursor = {0};
    rs_transfer t;
    while (rs_next_transfer(model->schedule, step, &cursor, &t)) {
        if (!rv_happened(model, step, &t)) continue;
        const int64_t n_bytes =
            rs_transfer_count(model->schedule, job->count, &t) * job->elem_bytes;
        model->sent_bytes[t.src] += sign * n_bytes;
        assert(model->sent_bytes[t.src] >= 0);
    }
}

static void count_bytes(rv_model *model, int32_t executed) {
    const bool end = executed == model->n_steps;
    const bool restart = executed < model->sent_steps / 2 || model->sent_steps == model->n_steps;
    if (end) { /* the outcome has what really left each GPU: no need to count step by step */
        memcpy(model->sent_bytes, model->report->outcome.bytes_sent,
               (size_t)model->n_ranks * sizeof *model->sent_bytes);
        model->sent_steps = executed;
    } else if (restart) {
        memset(model->sent_bytes, 0, (size_t)model->n_ranks * sizeof *model->sent_bytes);
        model->sent_steps = 0;
    }
    while (model->sent_steps < executed) count_step(model, model->sent_steps++, 1);
    while (model->sent_steps > executed) count_step(model, --model->sent_steps, -1);
    assert(model->sent_steps == executed);
}

bool rv_is_wasteful(const rv_model *model, int64_t n_bytes) {
    const int64_t uneven = 4 * (int64_t)model->report->request.job.elem_bytes;
    return n_bytes > model->bound_bytes + model->bound_bytes / 50 + uneven;
}

static rs_status index_trace(rv_model *model, rs_arena *arena, rs_error *error) {
    const rs_trace *trace = model->report->trace;
    if (trace == NULL) return RS_OK;
    const size_t n = (size_t)model->n_steps + 1;
    model->step_items = rs_alloc(arena, n, sizeof *model->step_items);
    model->step_done_ps = rs_alloc(arena, n, sizeof *model->step_done_ps);
    if (model->step_items == NULL || model->step_done_ps == NULL) {
        return rs_no_memory(error);
    }
    int64_t at = 0, done_ps = 0;
    for (int32_t step = 0; step <= model->n_steps; step++) {
        model->step_items[step] = at;
        model->step_done_ps[step] = done_ps;
        for (; at < trace->n_items && trace->items[at].step == step; at++) {
            if (trace->items[at].done_ps > done_ps) done_ps = trace->items[at].done_ps;
        }
    }
    return RS_OK;
}

int64_t rv_time_now_ps(const rv_model *model) {
    if (model->step >= model->n_steps) return model->report->outcome.makespan_ps;
    if (model->step < 0) return 0;
    if (model->step_done_ps == NULL) return -1;
    if (model->moment != RV_ARRIVE) return model->step_done_ps[rv_steps_executed(model)];
    int64_t end_ps = model->step_done_ps[model->step];
    for (int64_t i = model->step_items[model->step]; i < model->step_items[model->step + 1]; i++) {
        const int64_t arrived_ps = model->report->trace->items[i].end_ps;
        if (arrived_ps > end_ps) end_ps = arrived_ps;
    }
    return end_ps;
}

rs_time_split rv_split_now(const rv_model *model) {
    if (!model->own.has_split) return (rs_time_split){0};
    return rs_critical_path_split(model->path, model->step_items[rv_steps_executed(model)]);
}

static void cost_of(const rs_job *job, const rs_outcome *outcome, rv_cost *cost) {
    const int32_t n = job->schedule->n_ranks;
    cost->name = job->schedule->name;
    cost->known = outcome->completed;
    cost->time_ps = outcome->makespan_ps;
    int64_t least_bytes = INT64_MAX;
    for (int32_t r = 0; r < n; r++) {
        if (outcome->bytes_sent[r] < least_bytes) least_bytes = outcome->bytes_sent[r];
        if (outcome->bytes_sent[r] <= cost->most_bytes) continue;
        cost->most_bytes = outcome->bytes_sent[r];
        cost->busiest = r;
    }
    cost->all_alike = cost->most_bytes - least_bytes <= 2 * (int64_t)job->elem_bytes;
}

/* Splits a whole run's time, if its trace was kept. */
static rs_status split_cost(const rs_job *job, const rs_trace *trace, rs_arena *arena,
                            rs_error *error, rv_cost *cost, rs_critical_path **path) {
    if (trace == NULL) return RS_OK;
    const rs_status status = rs_critical_path_new(job, trace, arena, error, path);
    if (status != RS_OK) return status;
    cost->has_split = true;
    cost->split = rs_critical_path_split(*path, trace->n_items);
    return RS_OK;
}

/* Keeps the faults that belong to the machines, not to a step of this schedule. */
static rs_status slow_ones(const rs_job *own, rs_arena *arena, rs_error *error, rs_job *job) {
    rs_fault *kept = rs_alloc(arena, (size_t)own->n_faults + 1, sizeof *kept);
    if (kept == NULL) return rs_no_memory(error);
    job->faults = kept;
    job->n_faults = 0;
    for (int32_t i = 0; i < own->n_faults; i++) {
        const rs_fault_kind kind = own->faults[i].kind;
        if (kind == RS_KILL || kind == RS_FLIP || kind == RS_DOWN) continue;
        kept[job->n_faults++] = own->faults[i];
    }
    return RS_OK;
}

/* Simulates the rival on the same network: naive (one reducer), or the ring if the run is naive. */
static rs_status race(rv_model *model, rs_arena *arena, rs_error *error) {
    const rs_report *report = model->report;
    cost_of(&report->request.job, &report->outcome, &model->own);
    if (report->recording != NULL) return RS_OK; /* nobody knows on which network it ran */
    rs_status status =
        split_cost(&report->request.job, report->trace, arena, error, &model->own, &model->path);
    if (status != RS_OK) return status;
    if (model->n_ranks < 2 || model->n_ranks > RIVAL_RANKS || model->n_chunks == 0) return RS_OK;
    if (model->schedule->collective != RS_COLL_ALL_REDUCE) return RS_OK; /* naive is one */
    const char *name = strcmp(model->schedule->name, "naive") == 0 ? "ring" : "naive";
    rs_schedule *other = rs_alloc(arena, 1, sizeof *other);
    rs_outcome *outcome = rs_alloc(arena, 1, sizeof *outcome);
    if (other == NULL || outcome == NULL) return rs_no_memory(error);
    status = rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, name), RS_ORDER_SEED,
                              model->n_ranks, report->request.job.count, error, other);
    if (status != RS_OK) return status;
    rs_job job = report->request.job;
    job.schedule = other;
    status = slow_ones(&report->request.job, arena, error, &job);
    if (status != RS_OK) return status;
    rs_trace *trace = NULL;
    if (other->n_transfers <= RIVAL_TRANSFERS) {
        status = rs_trace_new(other->n_transfers, arena, error, &trace);
        if (status != RS_OK) return status;
    }
    const rs_sink sink = trace != NULL ? rs_trace_sink(trace) : (rs_sink){0};
    status = rs_simulate(&job, RS_ENGINE_AUTO, trace != NULL ? &sink : NULL, arena, error, outcome);
    if (status == RS_TOO_LARGE) return RS_OK; /* its clock would overflow: no comparison then */
    if (status != RS_OK) return status;
    if (trace != NULL) rs_trace_sort(trace);
    cost_of(&job, outcome, &model->rival);
    rs_critical_path *path;
    return split_cost(&job, trace, arena, error, &model->rival, &path);
}

/* ------------------------------------------------------------------------------------ the moment */

rs_status rv_model_seek(rv_model *model, int32_t step, rv_moment moment, rs_error *error) {
    if (step < -1) step = -1;
    if (step > model->n_steps) step = model->n_steps;
    if (step < 0 || step == model->n_steps) moment = RV_DONE;
    model->step = step;
    model->moment = moment;
    const int32_t executed = rv_steps_executed(model);
    assert(executed >= 0 && executed <= model->n_steps);
    count_bytes(model, executed);
    set_marks(model);
    const rs_outcome *outcome = &model->report->outcome;
    if (model->cells) {
        const rs_status status = rs_contents_seek(
            model->contents, executed, outcome->completed ? NULL : outcome->entered, error);
        if (status != RS_OK) return status;
    }
    return RS_OK;
}

static rs_status take_cells(rv_model *model, rs_arena *arena, rs_error *error) {
    const int64_t n_cells = (int64_t)model->n_ranks * model->n_chunks;
    if (model->n_ranks > MOST_RANKS || n_cells > MOST_CELLS || n_cells == 0) return RS_OK;
    model->marks = rs_alloc(arena, (size_t)n_cells, sizeof *model->marks);
    if (model->marks == NULL) return rs_no_memory(error);
    const rs_status status = rs_contents_new(model->schedule, arena, error, &model->contents);
    model->cells = status == RS_OK;
    return status;
}

rs_status rv_model_new(const rs_report *report, rs_arena *arena, rs_error *error,
                       rv_model **model) {
    rv_model *made = rs_alloc(arena, 1, sizeof *made);
    const rs_job *job = &report->request.job;
    const rs_schedule *schedule = job->schedule;
    if (made == NULL) return rs_no_memory(error);
    assert(schedule->n_ranks >= 1 && schedule->n_chunks >= 0 && schedule->n_steps >= 0);
    made->report = report;
    made->schedule = schedule;
    made->n_ranks = schedule->n_ranks;
    made->n_chunks = schedule->n_chunks;
    made->n_steps = schedule->n_steps;
    made->step = -1;
    made->moment = RV_DONE;
    made->sent_bytes = rs_alloc(arena, (size_t)made->n_ranks, sizeof *made->sent_bytes);
    if (made->sent_bytes == NULL) return rs_no_memory(error);
    int64_t num, den;
    const int64_t count = rs_size_count(schedule, job->count);
    rs_busbw_factor(schedule->collective, made->n_ranks, &num, &den);
    if (made->n_ranks == 1) num = 0;
    made->bound_bytes =
        (num * (count / den) + (num * (count % den) + den - 1) / den) * job->elem_bytes;
    made->first_flip = INT32_MAX;
    for (int32_t i = 0; i < job->n_faults; i++) {
        const rs_fault *fault = &job->faults[i];
        if (fault->kind == RS_FLIP && fault->step < made->first_flip)
            made->first_flip = fault->step;
    }
    rs_status status = take_cells(made, arena, error);
    if (status == RS_OK) status = rv_take_values(made, arena, error);
    if (status == RS_OK) status = index_trace(made, arena, error);
    if (status == RS_OK) status = rv_traffic_new(made, arena, error, &made->traffic);
    if (status == RS_OK) status = race(made, arena, error);
    if (status == RS_OK) status = rv_model_seek(made, -1, RV_DONE, error);
    if (status != RS_OK) return status;
    *model = made;
    return RS_OK;
}
