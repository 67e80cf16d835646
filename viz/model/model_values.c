/* model_values.c: the values at a moment, one element a chunk. rv_value_at executes the schedule
 * anew from the inputs, with the same rs_apply that computes the results, when the model's moment
 * has changed; a view without values does not wait for that.
 */
#include "model/model.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With more ranks only inputs and results are searched for the widest value. */
enum { MOST_VALUED_RANKS = 32 };

/* Prepares one element a chunk for each rank, from the report's inputs. */
static rs_status copy_inputs(rv_model *model, rs_arena *arena, rs_error *error) {
    const rs_report *report = model->report;
    const rs_job *job = &report->request.job;
    if (!report->computed || !model->cells || model->n_chunks == 0) return RS_OK;
    const size_t size = (size_t)job->elem_bytes, n_ranks = (size_t)model->n_ranks;
    model->n_elems = job->count < model->n_chunks ? (int32_t)job->count : model->n_chunks;
    model->inputs = rs_alloc(arena, n_ranks, sizeof *model->inputs);
    model->elems = rs_alloc(arena, n_ranks, sizeof *model->elems);
    model->after = rs_alloc(arena, n_ranks, sizeof *model->after);
    model->answer = rs_alloc(arena, (size_t)model->n_elems, size);
    model->wrong = rs_alloc(arena, n_ranks * (size_t)model->n_chunks, sizeof *model->wrong);
    int32_t *at = rs_alloc(arena, 3, sizeof *at);
    bool whole = model->inputs != NULL && model->elems != NULL && model->after != NULL &&
                 model->answer != NULL && model->wrong != NULL && at != NULL;
    for (int32_t r = 0; whole && r < model->n_ranks; r++) {
        char *from = report->inputs[r];
        char *to = rs_alloc(arena, (size_t)model->n_elems, size);
        model->inputs[r] = to;
        model->elems[r] = rs_alloc(arena, (size_t)model->n_elems, size);
        model->after[r] = rs_alloc(arena, (size_t)model->n_elems, size);
        whole = to != NULL && model->elems[r] != NULL && model->after[r] != NULL;
        for (int32_t c = 0; whole && c < model->n_elems; c++) {
            const int64_t first = rs_chunk_offset(report->n_elems, model->n_chunks, c);
            assert(first >= 0 && first < report->n_elems);
            memcpy(to + (size_t)c * size, from + (size_t)first * size, size);
        }
    }
    if (!whole) return rs_no_memory(error);
    model->elems_at = at, model->after_at = at + 1, model->wrong_at = at + 2;
    for (int i = 0; i < 3; i++) at[i] = -1;
    model->values = true;
    return RS_OK;
}

/* Tells whether the exact result of one element lies outside the range of its integer type. */
static bool elem_wraps(const rv_model *model, int32_t elem) {
    const rs_request *request = &model->report->request;
    const int bits = 8 * (int)request->job.elem_bytes;
    const bool has_sign = rs_dtype_name(request->dtype)[0] == 'i';
    const long double size = ldexpl(1, has_sign ? bits - 1 : bits);
    long double result = request->op == RS_PROD ? 1 : 0;
    for (int32_t r = 0; r < model->n_ranks; r++) {
        char text[64];
        rs_print_value(request->dtype, model->inputs[r], elem, text, sizeof text);
        const bool below = text[0] == '-';
        const long double amount = strtoull(text + below, NULL, 10);
        const long double value = below ? -amount : amount;
        result = request->op == RS_PROD ? result * value : result + value;
    }
    return result >= size || result < (has_sign ? -size : 0);
}

static void find_wraps(rv_model *model) {
    const rs_request *request = &model->report->request;
    const bool grows = request->op != RS_MIN && request->op != RS_MAX;
    if (!model->values || rs_dtype_is_float(request->dtype) || !grows) return;
    for (int32_t c = 0; c < model->n_elems && !model->wraps; c++) {
        model->wraps = elem_wraps(model, c);
    }
}

/* Executes the first `executed` steps on the elements, with flipped bits (spoilt) or without. An average is divided at the very end only. */
static rs_status move_values(const rv_model *model, int32_t executed, void *const elems[],
                             bool spoilt, rs_error *error) {
    const rs_request *request = &model->report->request;
    if (!model->values) return RS_OK;
    const bool end = model->step >= model->n_steps;
    const rs_op op = request->op == RS_AVG && !end ? RS_SUM : request->op;
    for (int32_t r = 0; r < model->n_ranks; r++) {
        memcpy(elems[r], model->inputs[r],
               (size_t)model->n_elems * (size_t)request->job.elem_bytes);
    }
    const rs_apply_options options = {
        .until_step = executed,
        .entered = model->report->outcome.completed ? NULL : model->report->outcome.entered,
        .faults = request->job.faults,
        .n_faults = spoilt ? request->job.n_faults : 0,
    };
    return rs_apply(model->schedule, request->dtype, op, model->n_elems, elems, &options, NULL,
                    error);
}

/* Brings the elements to the moment after so many steps; false: they could not be computed. */
static bool are_there(const rv_model *model, int32_t executed, void *const elems[], int32_t *at) {
    /* an average is divided */
    const int32_t wanted = 2 * executed + (model->step >= model->n_steps);
    rs_error error;
    if (*at == wanted) return true;
    *at = move_values(model, executed, elems, true, &error) == RS_OK ? wanted : -1;
    return *at == wanted;
}

/* ------------------------------------------------------------------------- right and wrong values */

bool rv_flips(const rs_job *job, int32_t step, int32_t rank) {
    for (int32_t i = 0; i < job->n_faults; i++) {
        const rs_fault *fault = &job->faults[i];
        if (fault->kind == RS_FLIP && fault->step == step && fault->rank == rank) return true;
    }
    return false;
}

/* Computes the fold of all inputs, in rank order: what rs_compare wants of a cell in which somebody is missing or
   twice. */
static void fold_inputs(const rv_model *model) {
    const rs_request *request = &model->report->request;
    memcpy(model->answer, model->inputs[0],
           (size_t)model->n_elems * (size_t)request->job.elem_bytes);
    for (int32_t r = 1; r < model->n_ranks; r++) {
        rs_fold(request->dtype, request->op, model->answer, model->inputs[r], model->answer,
                model->n_elems);
    }
    rs_finish(request->dtype, request->op, model->n_ranks, model->answer, model->n_elems);
}

/* Returns the rank's elements as they should be, for one chunk: without flips, or, of a cell that is incomplete at
   the end, the answer that it shall hold. */
static const char *due_of(const rv_model *model, int32_t rank, int32_t chunk, bool spoilt) {
    const rs_ends ends = rs_ends_of(model->schedule, chunk);
    const bool wanted = ends.to == RS_EVERY_RANK || ends.to == rank;
    const bool end = model->step >= model->n_steps && model->report->outcome.finish_ps[rank] >= 0;
    if (end && wanted && !rs_contents_complete(model->contents, rank, chunk))
        return ends.from == RS_EVERY_RANK ? model->answer : model->inputs[ends.from];
    return spoilt ? model->after[rank] : model->elems[rank];
}

static void find_wrong(const rv_model *model, int32_t executed) {
    const rs_request *request = &model->report->request;
    const bool spoilt = executed > model->first_flip;
    rs_error error;
    bool known = are_there(model, executed, model->elems, model->elems_at);
    if (known && spoilt) known = move_values(model, executed, model->after, false, &error) == RS_OK;
    *model->after_at = -1;
    for (int32_t r = 0; r < model->n_ranks; r++) {
        for (int32_t c = 0; c < model->n_elems; c++) {
            const size_t at = (size_t)c * (size_t)request->job.elem_bytes;
            model->wrong[(size_t)r * (size_t)model->n_chunks + (size_t)c] =
                known && !rs_equal(request->dtype, (const char *)model->elems[r] + at,
                                   due_of(model, r, c, spoilt) + at, 1);
        }
    }
}

rv_worth rv_worth_of(const rv_model *model, int32_t rank, int32_t chunk) {
    const int32_t executed = rv_steps_executed(model);
    const int32_t wanted = 2 * executed + (model->step >= model->n_steps);
    assert(model->cells && rank >= 0 && rank < model->n_ranks);
    if (model->values && *model->wrong_at != wanted) find_wrong(model, executed);
    if (model->values) *model->wrong_at = wanted;
    if (model->values && model->wrong[(size_t)rank * (size_t)model->n_chunks + (size_t)chunk])
        return RV_WRONG;
    const bool unsure = !model->values && executed > model->first_flip;
    return rs_contents_complete(model->contents, rank, chunk) && !unsure ? RV_WHOLE : RV_PART;
}

void rv_value_at(const rv_model *model, int32_t rank, int32_t chunk, char *out, size_t n_out) {
    assert(rank >= 0 && rank < model->n_ranks && chunk >= 0 && chunk < model->n_chunks);
    const bool known = model->values && chunk < model->n_elems &&
                       are_there(model, rv_steps_executed(model), model->elems, model->elems_at);
    if (known && rs_contents_count(model->contents, rank, chunk) > 0) { /* something has come */
        rs_print_value(model->report->request.dtype, model->elems[rank], chunk, out, n_out);
    } else {
        snprintf(out, n_out, "-");
    }
}

bool rv_value_after(const rv_model *model, int32_t rank, int32_t chunk, char *out, size_t n_out) {
    const int32_t executed = model->step + 1;
    if (!model->values || chunk >= model->n_elems || model->step < 0 || executed > model->n_steps ||
        !are_there(model, executed, model->after, model->after_at)) {
        return false;
    }
    rs_print_value(model->report->request.dtype, model->after[rank], chunk, out, n_out);
    return true;
}

static int widest_value(const rv_model *model) {
    const size_t elem_bytes = (size_t)model->report->request.job.elem_bytes;
    int width = 1;
    for (int32_t r = 0; r < model->n_ranks; r++) {
        for (int32_t c = 0; c < model->n_elems; c++) {
            char text[64];
            const size_t at = (size_t)c * elem_bytes;
            const char *now = (const char *)model->elems[r] + at;
            /* At the end most hold what their neighbour holds. */
            if (r > 0 && memcmp(now, (const char *)model->elems[r - 1] + at, elem_bytes) == 0)
                continue;
            rs_print_value(model->report->request.dtype, model->elems[r], c, text, sizeof text);
            const int length = (int)strlen(text);
            if (length > width) width = length;
        }
    }
    return width;
}

/* Finds the widest value of the run, so that columns keep their width from step to step. */
static rs_status find_value_width(rv_model *model, rs_error *error) {
    if (!model->values) return RS_OK;
    const bool few = model->n_ranks <= MOST_VALUED_RANKS && model->n_steps <= 4 * model->n_ranks;
    const int32_t stride = few || model->n_steps == 0 ? 1 : model->n_steps;
    for (int32_t executed = 0; executed <= model->n_steps; executed += stride) {
        const rs_status status = move_values(model, executed, model->elems, true, error);
        if (status != RS_OK) return status;
        const int width = widest_value(model);
        if (width > model->value_width) model->value_width = width;
    }
    if (model->report->request.op != RS_AVG) return RS_OK;
    model->step = model->n_steps; /* where an average is divided */
    const rs_status status = move_values(model, model->n_steps, model->elems, true, error);
    model->step = -1;
    const int width = widest_value(model);
    if (width > model->value_width) model->value_width = width;
    return status;
}

rs_status rv_take_values(rv_model *model, rs_arena *arena, rs_error *error) {
    const rs_status status = copy_inputs(model, arena, error);
    if (status != RS_OK) return status;
    if (model->values) fold_inputs(model);
    find_wraps(model);
    return find_value_width(model, error);
}
