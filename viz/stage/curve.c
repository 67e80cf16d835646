/* curve.c: see curve.h. */
#include "stage/curve.h"

#include <assert.h>
#include <string.h>

/* What one line may cost, counted in transfers that are simulated one by one (some 50 ns each). */
static const int64_t BUDGET = 100000;
/* The wavefront engine takes rings without a death or a link that is down: so many transfers in the
   time of one. */
static const int64_t SWEPT = 400;
/* Under eager it cannot skip whole steps: it only saves the event queue. */
static const int64_t SWEPT_EAGER = 4;

enum { DEEP = 10 }; /* a bound below 1/10 of the least time is left out */

typedef enum curve_line { OWN, RIVAL } curve_line;

/* Lays the points evenly along the slider, each number once. */
static void lay_points(rv_curve *curve, const rv_what_if *what_if) {
    curve->n_points = 0;
    if (!rv_knob_turns(&what_if->setup, curve->knob)) return;
    for (int i = 0; i < RV_CURVE_POINTS; i++) {
        rv_setup at = what_if->setup;
        rv_knob_set(&at, curve->knob, (double)i / (RV_CURVE_POINTS - 1));
        const double place = rv_knob_place(&at, curve->knob);
        const int32_t n = curve->n_points;
        assert(n < RV_CURVE_POINTS && place >= 0 && place <= 1);
        if (n > 0 && place <= curve->points[n - 1].place) continue;
        curve->points[n] = (rv_curve_point){place, -1, -1, -1};
        curve->n_points++;
    }
}

static rv_setup setup_at(const rv_curve *curve, curve_line which, int32_t i) {
    rv_setup setup = curve->what_if->setup;
    rv_knob_set(&setup, curve->knob, curve->points[i].place);
    if (which == RIVAL) {
        setup.algorithm = curve->rival;
        setup.order = RS_ORDER_SEED;
    }
    return setup;
}

static int64_t cost_of(const rs_job *job) {
    bool swept = job->schedule->fixed_neighbours && rs_wavefront_applies(job);
    for (int32_t i = 0; i < job->n_faults; i++) {
        const rs_fault_kind kind = job->faults[i].kind;
        swept = swept && kind != RS_KILL && kind != RS_DOWN;
    }
    const int64_t n = job->schedule->n_transfers;
    if (swept && job->net.protocol == RS_EAGER) return n / SWEPT_EAGER;
    return swept ? n / SWEPT + job->schedule->n_ranks : n;
}

static int64_t simulated_ps(const rs_job *job, rs_arena *arena) {
    rs_outcome outcome;
    rs_error error;
    if (rs_simulate(job, RS_ENGINE_AUTO, NULL, arena, &error, &outcome) != RS_OK) return -1;
    return outcome.completed ? outcome.makespan_ps : -1;
}

/* Computes one line of the curve. Where no closed form holds it simulates only some of the points,
   the fewer the more a point costs. */
static void trace_line(rv_curve *curve, curve_line which, rs_arena *arena) {
    rs_job jobs[RV_CURVE_POINTS];
    bool made[RV_CURVE_POINTS] = {false};
    int64_t cost = 0;
    rs_error error;
    for (int32_t i = 0; i < curve->n_points; i++) {
        const rv_setup setup = setup_at(curve, which, i);
        made[i] = rv_what_if_job(curve->what_if, &setup, arena, &error, &jobs[i]) == RS_OK;
        if (!made[i]) continue;
        rv_curve_point *point = &curve->points[i];
        int64_t *time_ps = which == OWN ? &point->own_ps : &point->rival_ps;
        if (which == OWN) point->bound_ps = rs_lower_bound_ps(&jobs[i], arena);
        *time_ps = rs_closed_form_ps(&jobs[i]);
        made[i] = *time_ps < 0 && cost_of(&jobs[i]) <= BUDGET / 4;
        if (made[i]) cost += cost_of(&jobs[i]);
    }
    const int64_t every = cost / BUDGET + 1;
    assert(cost >= 0);
    for (int32_t i = 0; i < curve->n_points; i++) {
        if (!made[i] || i % every != 0) continue;
        int64_t *time_ps = which == OWN ? &curve->points[i].own_ps : &curve->points[i].rival_ps;
        *time_ps = simulated_ps(&jobs[i], arena);
    }
}

static void widen(rv_curve *curve, int64_t time_ps) {
    if (time_ps <= 0) return;
    if (curve->least_ps == 0 || time_ps < curve->least_ps) curve->least_ps = time_ps;
    if (time_ps > curve->most_ps) curve->most_ps = time_ps;
}

void rv_curve_take(rv_curve *curve, const rv_what_if *what_if, const rs_algorithm *rival,
                   rv_knob knob) {
    if (rival == NULL) rival = rv_usual_rival(what_if->model->schedule);
    if (curve->what_if == what_if && curve->version == what_if->version && curve->rival == rival &&
        curve->knob == knob && curve->n_points > 0) {
        return;
    }
    rs_arena arena;
    rs_arena_init(&arena, what_if->host);
    *curve =
        (rv_curve){.what_if = what_if, .version = what_if->version, .rival = rival, .knob = knob};
    lay_points(curve, what_if);
    trace_line(curve, OWN, &arena);
    trace_line(curve, RIVAL, &arena);
    for (int32_t i = 0; i < curve->n_points; i++) {
        widen(curve, curve->points[i].own_ps);
        widen(curve, curve->points[i].rival_ps);
    }
    for (int32_t i = 0; i < curve->n_points; i++) { /* for small sizes the bound is close to 0 */
        int64_t *bound_ps = &curve->points[i].bound_ps;
        if (*bound_ps < curve->least_ps / DEEP) *bound_ps = -1;
        widen(curve, *bound_ps);
    }
    rs_arena_free(&arena);
}
