/* wait.c: for whom a GPU waits in a step of a run that still goes on: a peer that is late or slow.
 * (Who waits for ever: why.c.)
 *
 *     GPU 0   [ step 0 ]. . . . waits . . . .[ step 1 ]
 *     GPU 1   [      step 0, a slow link    ][ step 1 ]
 *                       |                    start_ps: when GPU 1 enters step 1
 *                       when GPU 0 enters it
 *
 * The trace and a GPU's own faults tell when it enters a step. Only where a transfer starts at the
 * very picosecond at which the peer enters, the peer is the reason; else nothing is said.
 */
#include "model/model.h"
#include "text/say.h"

#include <assert.h>

enum {
    MOST_LOOKED_AT = 1 << 18, /* items of the trace: a frame must not wait for a sentence */
    WORTH_SAYING = 100 /* a wait below 1/100 of the transfer comes from uneven chunks alone */
};

static bool takes_part(const rs_timed *t, int32_t rank) {
    return t->transfer.src == rank || t->transfer.dst == rank;
}

/* Returns when a rank had done its part of a step; -1: it had none. */
static int64_t left_ps(const rv_model *model, int32_t rank, int32_t step) {
    const rs_timed *items = model->report->trace->items;
    int64_t time_ps = -1;
    assert(step >= 0 && step < model->n_steps && rank >= 0 && rank < model->n_ranks);
    for (int64_t i = model->step_items[step]; i < model->step_items[step + 1]; i++) {
        if (!takes_part(&items[i], rank)) continue;
        const int64_t own_ps = items[i].transfer.dst == rank ? items[i].done_ps : items[i].end_ps;
        if (own_ps > time_ps) time_ps = own_ps;
    }
    return time_ps;
}

static int64_t faults_ps(const rv_model *model, rs_fault_kind kind, int32_t rank) {
    const rs_job *job = &model->report->request.job;
    int64_t time_ps = 0;
    for (int32_t i = 0; i < job->n_faults; i++) {
        const rs_fault *fault = &job->faults[i];
        if (fault->kind == kind && fault->rank == rank) time_ps += fault->time_ps;
    }
    return time_ps;
}

/* Returns when a rank enters the model's step; -1: that would take too long to find out. */
static int64_t entry_ps(const rv_model *model, int32_t rank) {
    const int64_t more_ps = faults_ps(model, RS_STRAGGLER, rank);
    int32_t last = model->step - 1;
    int64_t time_ps = -1;
    for (; last >= 0; last--) {
        if (model->step_items[model->step] - model->step_items[last] > MOST_LOOKED_AT) return -1;
        time_ps = left_ps(model, rank, last);
        if (time_ps >= 0) break;
    }
    if (last < 0) time_ps = faults_ps(model, RS_LATE, rank);
    assert(last < model->step);
    return time_ps + more_ps * (model->step - last);
}

rv_wait rv_wait_in_step(const rv_model *model, int32_t rank) {
    rv_wait wait = {.peer = -1};
    const rs_job *job = &model->report->request.job;
    const bool inside = model->step >= 0 && model->step < model->n_steps;
    if (!inside || model->step_items == NULL) return wait;
    const int64_t own_ps = entry_ps(model, rank);
    for (int64_t i = model->step_items[model->step]; i < model->step_items[model->step + 1]; i++) {
        const rs_timed *t = &model->report->trace->items[i];
        const bool sends = t->transfer.src == rank;
        if (own_ps < 0 || !takes_part(t, rank)) continue;
        if (sends && job->net.protocol == RS_EAGER) continue; /* an eager sender waits for nobody */
        const int32_t peer = sends ? t->transfer.dst : t->transfer.src;
        const int64_t time_ps = t->start_ps - own_ps;
        if (time_ps <= wait.time_ps || entry_ps(model, peer) != t->start_ps) continue;
        wait = (rv_wait){.peer = peer, .time_ps = time_ps, .span_ps = t->end_ps - t->start_ps};
    }
    return wait;
}

/* The slow link that a rank uses in the model's step; NULL: none. */
static const rs_fault *slow_link_of(const rv_model *model, int32_t rank) {
    const rs_job *job = &model->report->request.job;
    if (model->step_items == NULL) return NULL;
    for (int64_t i = model->step_items[model->step]; i < model->step_items[model->step + 1]; i++) {
        const rs_timed *t = &model->report->trace->items[i];
        for (int32_t f = 0; f < job->n_faults && takes_part(t, rank); f++) {
            const rs_fault *fault = &job->faults[f];
            if (fault->kind == RS_SLOW_LINK && fault->rank == t->transfer.src) return fault;
        }
    }
    return NULL;
}

void rv_say_wait(rv_say *say, const rv_model *model, int32_t rank) {
    if (model->report->request.job.n_faults == 0) return; /* waiting in turn is ordinary */
    const rv_wait wait = rv_wait_in_step(model, rank);
    const rs_fault *slow = slow_link_of(model, rank);
    char time[32];
    rv_format_time(wait.time_ps, time, sizeof time);
    const bool matters = wait.time_ps >= wait.span_ps / WORTH_SAYING;
    if (wait.peer >= 0 && matters) {
        rv_say_more(say, "%s", _("; "));
        rv_say_more(say,
                    model->moment == RV_SEND ? _("GPU %d waits %s for GPU %d")
                                             : _("GPU %d has waited %s for GPU %d"),
                    (int)rank, time, (int)wait.peer);
    }
    if (slow == NULL) return;
    rv_say_more(say, "%s", _("; "));
    rv_say_fault(say, slow);
}
