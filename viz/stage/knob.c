/* knob.c: see knob.h. */
#include "stage/knob.h"
#include "text/say.h"

#include <assert.h>
#include <math.h>

enum { MIN_GPUS = 2, MAX_GPUS = 1024, EACH_GPUS = 64 /* up to here every number can be set */ };

/* This first share of the axis of latencies means 0, which has no logarithm. */
static const double ZERO_SHARE = 0.05;

typedef struct axis {
    int64_t min, max, unit; /* of the number that is set: a multiple of unit */
} axis;

static axis axis_of(const rv_setup *setup, rv_knob knob) {
    switch (knob) {
    case RV_KNOB_BYTES: return (axis){setup->elem_bytes, 16000000000, setup->elem_bytes};
    case RV_KNOB_ALPHA: return (axis){10000, 10000000000, 1};
    case RV_KNOB_BANDWIDTH: return (axis){100000000, 2000000000000, 1};
    case RV_KNOB_GPUS:
    case RV_N_KNOBS: break;
    }
    int32_t most = setup->machine != NULL ? setup->machine->n_gpus : MAX_GPUS;
    if (most < MIN_GPUS) most = MIN_GPUS; /* such a slider does not turn */
    return (axis){MIN_GPUS, most < MAX_GPUS ? most : MAX_GPUS, 1};
}

static int64_t value_of(const rv_setup *setup, rv_knob knob) {
    switch (knob) {
    case RV_KNOB_BYTES: return setup->count * setup->elem_bytes;
    case RV_KNOB_ALPHA: return setup->link.alpha_ps;
    case RV_KNOB_BANDWIDTH: return (int64_t)setup->link.bandwidth_Bps;
    case RV_KNOB_GPUS:
    case RV_N_KNOBS: break;
    }
    return setup->n_ranks;
}

static void set_value(rv_setup *setup, rv_knob knob, int64_t value) {
    switch (knob) {
    case RV_KNOB_BYTES: setup->count = value / setup->elem_bytes; break;
    case RV_KNOB_ALPHA: setup->link.alpha_ps = value; break;
    case RV_KNOB_BANDWIDTH: setup->link.bandwidth_Bps = (uint64_t)value; break;
    case RV_KNOB_GPUS: setup->n_ranks = (int32_t)value; break;
    case RV_N_KNOBS: break;
    }
}

/* ----------------------------------------------------------------------------------- round numbers */

/* Returns the next round number above: there are ten in each power of ten. */
static int64_t round_above(int64_t value) {
    static const int64_t tenths[] = {10, 12, 15, 20, 25, 30, 40, 50, 60, 80};
    for (int64_t power = 1;; power *= 10) {
        for (int i = 0; i < 10; i++) {
            if (tenths[i] * power % 10 != 0) continue;
            if (tenths[i] * power / 10 > value) return tenths[i] * power / 10;
        }
    }
}

/* Returns the next number of GPUs: each number up to EACH_GPUS, then eight in each doubling. */
static int64_t gpus_above(int64_t n) {
    int64_t stride = 1;
    while (n >= EACH_GPUS && stride * 2 * 8 <= n) stride *= 2;
    return (n / stride + 1) * stride;
}

static int64_t above(const axis *a, rv_knob knob, int64_t value) {
    if (value < a->min) return a->min;
    int64_t next = value;
    assert(a->unit > 0 && value >= a->min);
    if (knob == RV_KNOB_GPUS) {
        next = gpus_above(value);
    } else {
        do {
            next = round_above(next);
        } while (next / a->unit * a->unit <= value);
        next = next / a->unit * a->unit;
    }
    return next > a->max ? a->max : next;
}

/* Returns the round number below: climbs there from the axis's start, since an axis has only a
   few. */
static int64_t below(const axis *a, rv_knob knob, int64_t value) {
    int64_t at = a->min;
    for (int64_t next = at; next < value && next < a->max;) {
        at = next;
        next = above(a, knob, next);
    }
    return at;
}

/* ------------------------------------------------------------------------------------------- places */

static double share_of(const axis *a, int64_t value) {
    const double low = log((double)a->min), high = log((double)a->max);
    assert(a->min > 0 && a->min <= a->max);
    if (a->min == a->max) return 0; /* a machine of two GPUs has but one number of them */
    const double at = log((double)(value < 1 ? 1 : value));
    return fmin(1, fmax(0, (at - low) / (high - low)));
}

double rv_knob_place(const rv_setup *setup, rv_knob knob) {
    const axis a = axis_of(setup, knob);
    const int64_t value = value_of(setup, knob);
    if (knob != RV_KNOB_ALPHA) return share_of(&a, value);
    return value <= 0 ? 0 : ZERO_SHARE + (1 - ZERO_SHARE) * share_of(&a, value);
}

void rv_knob_set(rv_setup *setup, rv_knob knob, double place) {
    const axis a = axis_of(setup, knob);
    if (knob == RV_KNOB_ALPHA) {
        if (place < ZERO_SHARE / 2) {
            setup->link.alpha_ps = 0;
            return;
        }
        place = (place - ZERO_SHARE) / (1 - ZERO_SHARE);
    }
    place = fmin(1, fmax(0, place));
    const double low = log((double)a.min), high = log((double)a.max);
    const double wanted = exp(low + (high - low) * place);
    const int64_t under = below(&a, knob, (int64_t)ceil(wanted - 0.001));
    const int64_t over = above(&a, knob, under);
    assert(under >= a.min && under <= over && over <= a.max);
    const bool nearer = wanted * wanted < (double)under * (double)over;
    set_value(setup, knob, nearer ? under : over);
}

void rv_knob_move(rv_setup *setup, rv_knob knob, int direction) {
    const axis a = axis_of(setup, knob);
    const int64_t value = value_of(setup, knob);
    if (direction > 0) {
        if (value < a.max) set_value(setup, knob, above(&a, knob, value));
    } else if (value > a.min) {
        set_value(setup, knob, below(&a, knob, value));
    } else if (knob == RV_KNOB_ALPHA) {
        set_value(setup, knob, 0);
    }
}

/* -------------------------------------------------------------------------------------------- words */

bool rv_knob_turns(const rv_setup *setup, rv_knob knob) {
    /* its links have latencies and bandwidths of their own */
    const bool wired = setup->machine != NULL;
    if (setup->fixed || (wired && (knob == RV_KNOB_ALPHA || knob == RV_KNOB_BANDWIDTH)))
        return false;
    if (knob != RV_KNOB_GPUS) return true;
    return setup->algorithm != NULL && (!wired || setup->machine->n_gpus > MIN_GPUS);
}

const char *rv_knob_name(rv_knob knob) {
    switch (knob) {
    case RV_KNOB_GPUS: return _("GPUs");
    case RV_KNOB_BYTES: return _("Size");
    case RV_KNOB_ALPHA: return _("Latency");
    case RV_KNOB_BANDWIDTH: return _("Bandwidth");
    case RV_N_KNOBS: break;
    }
    return "";
}

size_t rv_knob_text(const rv_setup *setup, rv_knob knob, char *out, size_t n_out) {
    const int64_t value = value_of(setup, knob);
    rv_say say = rv_say_to(out, n_out);
    char text[32];
    if (knob == RV_KNOB_ALPHA || knob == RV_KNOB_BANDWIDTH) {
        /* A recording does not say on which links it ran; a machine's have many. */
        if (setup->fixed || setup->machine != NULL) rv_say_more(&say, setup->fixed ? "?" : "–");
        if (setup->fixed || setup->machine != NULL) return say.used;
    }
    switch (knob) {
    case RV_KNOB_GPUS: rv_say_more(&say, "%lld", (long long)value); return say.used;
    case RV_KNOB_ALPHA:
        if (value == 0) {
            rv_say_more(&say, "0");
            return say.used;
        }
        rv_format_time(value, text, sizeof text);
        break;
    case RV_KNOB_BYTES:
    case RV_KNOB_BANDWIDTH:
    case RV_N_KNOBS: rv_format_bytes(value, text, sizeof text); break;
    }
    rv_say_more(&say, knob == RV_KNOB_BANDWIDTH ? "%s/s" : "%s", text);
    return say.used;
}

bool rv_knob_tick(const rv_setup *setup, rv_knob knob, int i, double *place, char *out,
                  size_t n_out) {
    static const int64_t ticks[RV_N_KNOBS][5] = {
        {2, 8, 32, 128, 1024},
        {1000, 1000000, 1000000000},
        {0, 10000, 1000000, 100000000, 10000000000},
        {100000000, 1000000000, 10000000000, 100000000000, 1000000000000},
    };
    assert(knob < RV_N_KNOBS && i >= 0);
    if (i > 4 || (i > 0 && ticks[knob][i] == 0)) return false;
    rv_setup at = *setup;
    set_value(&at, knob, ticks[knob][i]);
    *place = rv_knob_place(&at, knob);
    rv_knob_text(&at, knob, out, n_out);
    return true;
}

/* --------------------------------------------------------------------------------------- curve */

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
