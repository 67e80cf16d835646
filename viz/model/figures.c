/* figures.c: see figures.h. */
#include "model/figures.h"
#include "model/model.h"
#include "text/say.h"

#include <assert.h>

/* How far the chunks have come in the figure of a step: between two GPUs. */
static const double ON_THEIR_WAY = 0.39;

static bool ends_phase(const rs_schedule *schedule, int32_t step) {
    assert(step >= 0 && step < schedule->n_steps);
    if (step + 1 == schedule->n_steps) return true;
    return rs_phase_at(schedule, step, NULL, NULL) != rs_phase_at(schedule, step + 1, NULL, NULL);
}

static void add(rv_figure figure, rv_figure out[], int32_t n_out, int32_t *n) {
    if (*n < n_out) out[*n] = figure;
    ++*n;
}

int32_t rv_run_figures(const rv_subject *subject, rv_figure out[], int32_t n_out) {
    int32_t n = 0;
    const rs_schedule *schedule = subject->report->request.job.schedule;
    add((rv_figure){.step = -1, .progress = 1}, out, n_out, &n);
    for (int32_t step = 0; step < schedule->n_steps; step++) {
        const rs_phase phase = rs_phase_at(schedule, step, NULL, NULL);
        const bool last = step + 1 == schedule->n_steps;
        add((rv_figure){.step = step, .progress = ON_THEIR_WAY, .phase = phase}, out, n_out, &n);
        if (!ends_phase(schedule, step)) continue;
        add((rv_figure){last ? step + 1 : step, 1, .ends = true, .phase = phase}, out, n_out, &n);
    }
    return n;
}

static void say_cells(const rv_model *model, rv_say *say) {
    int64_t complete = 0, wrong = 0;
    const int64_t cells = (int64_t)model->n_ranks * model->n_chunks;
    if (!model->cells) return;
    for (int64_t i = 0; i < cells; i++) {
        const rv_worth worth =
            rv_worth_of(model, (int32_t)(i / model->n_chunks), (int32_t)(i % model->n_chunks));
        complete += worth == RV_WHOLE;
        wrong += worth == RV_WRONG;
    }
    assert(complete <= cells);
    rv_say_more(say, _(": %lld of %lld cells are complete, everyone's data inside"),
                (long long)complete, (long long)cells);
    if (wrong > 0) rv_say_more(say, _("; %lld are wrong"), (long long)wrong);
}

size_t rv_run_figure_text(const rv_subject *subject, const rv_figure *figure, int32_t rank,
                          char *out, size_t n_out) {
    const rv_model *model = subject->model;
    const rs_outcome *outcome = &model->report->outcome;
    bool reached = true; /* the phase's end, by all */
    for (int32_t r = 0; r < model->n_ranks && !outcome->completed; r++)
        reached = reached && outcome->entered[r] > figure->step;
    if (!reached || !figure->ends || figure->step >= model->n_steps ||
        figure->phase == RS_PHASE_NONE) {
        return rv_caption(model, rank, out, n_out);
    }
    char pause[256];
    rv_say say = rv_say_to(out, n_out);
    if (rv_pause_text(model, pause, sizeof pause) > 0) return rv_say_text(out, n_out, "%s", pause);
    rv_say_more(&say, _("%s, the end"), rv_phase_title(figure->phase));
    say_cells(model, &say);
    return say.used;
}

int32_t rv_list_figures(const rv_subject *subject, rv_figure out[], int32_t n_out) {
    int32_t n = 0;
    if (subject->kind->list_figures != NULL) {
        return subject->kind->list_figures(subject, out, n_out);
    }
    for (int32_t step = -1; step <= subject->n_steps; step++) {
        add((rv_figure){.step = step, .progress = 1}, out, n_out, &n);
    }
    return n;
}

size_t rv_figure_text(const rv_subject *subject, const rv_figure *figure, int32_t rank, char *out,
                      size_t n_out) {
    rv_sentence said;
    if (subject->kind->figure_text != NULL) {
        return subject->kind->figure_text(subject, figure, rank, out, n_out);
    }
    subject->kind->caption(subject, subject->kind->position(subject), rank, &said);
    return rv_say_text(out, n_out, "%s", said.text);
}
