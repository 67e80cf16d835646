/* tempo.c: see tempo.h. */
#include "model/tempo.h"

#include <assert.h>
#include <math.h>

rv_moment rv_moment_of(double progress) {
    return progress >= 1 ? RV_DONE : progress >= RV_ARRIVAL ? RV_ARRIVE : RV_SEND;
}

double rv_progress_of(rv_moment moment) {
    return moment >= RV_DONE ? 1 : moment == RV_ARRIVE ? RV_ARRIVAL : RV_LIFT;
}

static bool has_trace(const rv_model *model, int32_t step) {
    assert(step >= -1 && step <= model->n_steps);
    return model->step_items != NULL && step >= 0 && step < model->n_steps;
}

/* Finds a step's own time, from its first start to its last arrival; false: nothing happens in
   it. */
static bool span_of(const rv_model *model, int32_t step, int64_t *from_ps, int64_t *to_ps) {
    *from_ps = INT64_MAX;
    *to_ps = -1;
    if (!has_trace(model, step)) return false;
    const rs_timed *items = model->report->trace->items;
    for (int64_t i = model->step_items[step]; i < model->step_items[step + 1]; i++) {
        if (items[i].start_ps < *from_ps) *from_ps = items[i].start_ps;
        if (items[i].end_ps > *to_ps) *to_ps = items[i].end_ps;
    }
    return *to_ps >= 0;
}

rv_flights rv_flights_of(const rv_model *model, double progress) {
    rv_flights flights = {.model = model, .step = model->step, .progress = progress};
    assert(progress >= 0);
    if (span_of(model, model->step, &flights.from_ps, &flights.to_ps)) {
        flights.at = model->step_items[model->step];
    } else {
        flights.to_ps = -1;
    }
    return flights;
}

static double between(double at, double from, double to) {
    return to <= from ? at >= to : fmin(1, fmax(0, (at - from) / (to - from)));
}

/* Makes a motion start and stop slowly. */
static double ease(double share) {
    return share * share * (3 - 2 * share);
}

/* The trace holds the transfers that happened, in the schedule's order; the others never happen. */
bool rv_next_flight(rv_flights *flights, rv_flight *flight) {
    const rv_model *model = flights->model;
    const rs_trace *trace = model->report->trace;
    if (flights->step < 0 || flights->step >= model->n_steps) return false;
    *flight = (rv_flight){0};
    if (!rs_next_transfer(model->schedule, flights->step, &flights->cursor, &flight->transfer)) {
        return false;
    }
    const double p = flights->progress;
    assert(flight->transfer.src >= 0 && flight->transfer.src < model->n_ranks);
    assert(flight->transfer.dst >= 0 && flight->transfer.dst < model->n_ranks);
    flight->happens = rv_happened(model, flights->step, &flight->transfer);
    if (!flight->happens) return true;
    double lift = RV_LIFT, arrive = RV_ARRIVAL;
    if (flights->to_ps >= 0 && flights->at < model->step_items[flights->step + 1]) {
        const rs_timed *timed = &trace->items[flights->at++];
        assert(timed->step == flights->step);
        const double span = (double)(flights->to_ps - flights->from_ps);
        flight->timed = timed;
        if (span > 0) {
            const double share = (RV_ARRIVAL - RV_LIFT) / span;
            lift = RV_LIFT + (double)(timed->start_ps - flights->from_ps) * share;
            arrive = RV_LIFT + (double)(timed->end_ps - flights->from_ps) * share;
        }
    }
    flight->flown = ease(between(p, lift, arrive));
    flight->merged = ease(between(p, RV_ARRIVAL, 1));
    return true;
}

int64_t rv_time_at(const rv_model *model, int32_t step, double progress) {
    int64_t from_ps, to_ps;
    if (model->step_items == NULL) return -1;
    if (step < 0) return 0;
    if (step >= model->n_steps) return model->report->outcome.makespan_ps;
    if (!span_of(model, step, &from_ps, &to_ps)) return model->step_done_ps[step];
    const double share = between(progress, RV_LIFT, RV_ARRIVAL);
    if (progress < 1) return from_ps + (int64_t)((double)(to_ps - from_ps) * share);
    return model->step_done_ps[step + 1];
}

void rv_moment_at(const rv_model *model, int64_t time_ps, int32_t *step, double *progress) {
    int32_t low = 0, high = model->n_steps; /* the first step that is not done by then */
    *progress = 1;
    if (model->step_items == NULL || time_ps < 0) {
        *step = -1;
        return;
    }
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        assert(low <= middle && middle < high);
        if (model->step_done_ps[middle + 1] <= time_ps) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *step = low;
    int64_t from_ps, to_ps;
    if (low >= model->n_steps || !span_of(model, low, &from_ps, &to_ps)) return;
    *progress =
        RV_LIFT + (RV_ARRIVAL - RV_LIFT) * between((double)time_ps, (double)from_ps, (double)to_ps);
    if (time_ps > to_ps) {
        *progress = RV_ARRIVAL + (1 - RV_ARRIVAL) * between((double)time_ps, (double)to_ps,
                                                            (double)model->step_done_ps[low + 1]);
    }
}
