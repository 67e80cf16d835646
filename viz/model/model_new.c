/* model_new.c: what a model knows from the start: its cells, an index of its trace, what the rival would take. */
#include "model/model.h"
#include "model/rule.h"
#include "model/traffic.h"

#include <assert.h>
#include <string.h>

enum {
    MOST_RANKS = 256,         /* beyond: no cells */
    MOST_CELLS = 256 * 256,   /* beyond: no cells */
    RIVAL_RANKS = 4096,       /* beyond: no rival is simulated */
    RIVAL_TRANSFERS = 1 << 20 /* beyond: its time is not split */
};

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
    made->rule = rv_rule_reader_new(schedule, report->judged ? &report->verdict : NULL, arena);
    if (made->sent_bytes == NULL || made->rule == NULL) return rs_no_memory(error);
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
