/* model.c: one run at a moment: contents, what has just changed, what it has cost. Values:
 * model_values.c; how it begins: model_new.c.
 */
#include "model/model.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { MOST_INSIDE = 4096 };

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
        if (model->moment == RV_DONE) { /* later nothing is new */
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
