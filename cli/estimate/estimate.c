/* estimate.c: from the options to a machine as NCCL meets it, and a row a size. */
#include "estimate/estimate.h"
#include "base/containers.h"
#include "base/find_machine.h"
#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char default_version[] = "2.28.9";

/* ------------------------------------------------------------------ what is asked */

/* What wires do not tell: of --like, of the preset, or of the preset with the nearest port. */
static rc_exit find_facts(rc_session *session, rc_estimate *e) {
    const char *like = session->options.value[RC_LIKE].text, *name = e->machine->name;
    e->facts = like != NULL ? rn_find_box_facts(like, strlen(like))
                            : rn_find_box_facts(name, strcspn(name, ":"));
    if (like != NULL && e->facts == NULL) {
        return rc_fail(session->error, RC_USAGE,
                       _("--like %.60s: no such preset of real GPUs; 'ringsim list' names them"),
                       like);
    }
    if (e->facts != NULL && e->facts->cc == 0) {
        return rc_fail(session->error, RC_USAGE,
                       _("what RCCL would choose on %s is not known here, only NCCL's choice; "
                         "'ringsim machine' says what its wires allow"),
                       e->facts->name);
    }
    return RC_GOOD;
}

static rc_exit look_at_machine(rc_session *session, rc_estimate *e) {
    const char *typed = session->options.value[RC_MACHINE].text;
    const rc_value *fabric = &session->options.value[RC_FABRIC];
    rs_machine *machine = rs_alloc(session->arena, 1, sizeof *machine);
    if (typed == NULL) {
        return rc_fail(
            session->error, RC_USAGE,
            _("estimate needs a machine: ringsim estimate --machine dgx-h100:2; 'ringsim "
              "list' names them"));
    }
    if (machine == NULL) return rc_no_memory(session->error);
    rc_exit status =
        rc_machine_read(session->program, typed, session->arena, session->error, machine);
    e->machine = machine;
    if (status == RC_GOOD) status = find_facts(session, e);
    if (status != RC_GOOD) return status;
    const bool host_memory = e->facts != NULL && e->facts->host_memory;
    status =
        rc_exit_of(rn_slices_site(machine, host_memory, session->arena, session->error, &e->site));
    if (status != RC_GOOD) return status;
    if (e->facts == NULL) {
        e->facts = rn_guess_box_facts(&e->site, machine->sm);
        e->facts_guessed = true;
    }
    e->fabric = fabric->text != NULL ? (rn_fabric)fabric->number
                : e->facts_guessed   ? RN_FABRIC_UNKNOWN
                                     : e->facts->fabric;
    return rc_exit_of(rn_rings_of(machine, e->facts, session->arena, session->error, &e->rings));
}

/* The version, the graphs, what NCCL_ALGO and NCCL_PROTO leave. */
static rc_exit tune(rc_session *session, rc_estimate *e) {
    const rc_options *options = &session->options;
    const char *typed = options->value[RC_NCCL].text, *algo = options->value[RC_NCCL_ALGO].text,
               *proto = options->value[RC_NCCL_PROTO].text;
    int32_t version;
    if (!rn_nccl_read_version(typed != NULL ? typed : default_version, &version) ||
        version < RN_NCCL_OLDEST) {
        return rc_fail(session->error, RC_USAGE,
                       _("--nccl %.40s: give a version from 2.18 on, such as 2.28.9"), typed);
    }
    if (!rn_nccl_checked(version) && rc_given(options, RC_STRICT)) {
        return rc_fail(
            session->error, RC_NO,
            _("--strict: the constants of NCCL %.40s are not known; the last known are those of 2.30"),
            typed);
    }
    rn_nccl_guess(&e->site, e->facts, e->fabric, &e->rings, version, &e->comm);
    rs_error *error = session->error;
    rn_nccl_filter *filter = &e->comm.filter;
    if (algo != NULL && rn_nccl_filter_set(filter, version, "NCCL_ALGO", algo, error) != RS_OK)
        return rc_blame("nccl-algo", RC_USAGE, error);
    if (proto != NULL && rn_nccl_filter_set(filter, version, "NCCL_PROTO", proto, error) != RS_OK)
        return rc_blame("nccl-proto", RC_USAGE, error);
    return rc_exit_of(rn_nccl_tune(&e->comm, session->error, &e->tuned));
}

enum { BOUND_BYTES = 1 << 30 }; /* bounds grow with the bytes */

static rc_exit bound(rc_session *session, rc_estimate *e) {
    rs_bound bounds[RS_N_COLLECTIVES];
    const rs_status status =
        rs_machine_bounds(e->machine, BOUND_BYTES, session->arena, session->error, bounds);
    if (status == RS_OK) e->bound = bounds[e->collective];
    return rc_exit_of(status);
}

/* 1 where the command has no such option. */
static double factor_of(const rc_value *value) {
    return value->den > 0 ? (double)value->num / (double)value->den : 1;
}

rc_exit rc_estimate_open(rc_session *session, rc_estimate *e) {
    const rc_options *options = &session->options;
    *e = (rc_estimate){.collective = (rs_collective)options->value[RC_COLLECTIVE].number,
                       .launched_together = 1};
    if (e->collective == RS_COLL_ALL_TO_ALL) {
        return rc_fail(session->error, RC_USAGE,
                       _("NCCL has no algorithm to choose for all-to-all: it sends to each peer"));
    }
    e->rows = rs_alloc(session->arena, RC_MOST_ESTIMATES, sizeof *e->rows);
    if (e->rows == NULL) return rc_no_memory(session->error);
    e->constants = rn_slices_fitted;
    e->registered = rc_given(options, RC_REGISTERED);
    e->rate = factor_of(&options->value[RC_RATE]);
    e->latency = factor_of(&options->value[RC_LATENCIES]);
    rc_exit status = look_at_machine(session, e);
    if (status == RC_GOOD && rc_given(options, RC_LAUNCH) && options->value[RC_LAUNCH].number == 0)
        e->launched_together = e->site.n_ranks / e->site.n_nodes;
    if (status == RC_GOOD) status = tune(session, e);
    if (status == RC_GOOD) status = bound(session, e);
    return status;
}

/* ------------------------------------------------------------------ rows */

static double bound_us(int64_t time_ps, int64_t n_bytes) {
    return time_ps < 0 ? -1 : (double)time_ps / (double)BOUND_BYTES * (double)n_bytes / 1e6;
}

static int64_t count_of(const rc_estimate *e, int64_t n_bytes) {
    const bool sharded =
        e->collective == RS_COLL_ALL_GATHER || e->collective == RS_COLL_REDUCE_SCATTER;
    const int64_t float_bytes = 4, grain = 16;
    if (!sharded) return n_bytes / float_bytes;
    return n_bytes / e->site.n_ranks / grain * grain / float_bytes;
}

rc_exit rc_estimate_row_of(const rc_estimate *e, rs_error *error, rc_estimate_row *row) {
    rn_slices_result result;
    rs_error ignored;
    row->count = count_of(e, row->n_bytes);
    row->simulated_us = -1;
    row->wire = -1;
    row->bound_us = bound_us(e->bound.time_ps, row->n_bytes);
    row->in_switch_us = bound_us(e->bound.in_switch_ps, row->n_bytes);
    if (!rn_nccl_choose(&e->comm, &e->tuned, e->collective, row->n_bytes, &row->choice)) {
        return rc_fail(error, RC_USAGE,
                       _("nothing is left that runs %s: loosen --nccl-algo or --nccl-proto"),
                       rs_collective_name(e->collective));
    }
    const rn_slices_job job = {.site = &e->site,
                               .collective = e->collective,
                               .algorithm = row->choice.algorithm,
                               .protocol = row->choice.protocol,
                               .n_channels = row->choice.n_channels,
                               .n_bytes = row->n_bytes,
                               .version = e->comm.version,
                               .cc = e->facts->cc,
                               .launched_together = e->launched_together,
                               .fabric = e->fabric,
                               .rate = e->rate,
                               .latency = e->latency};
    row->range = rn_slices_range(&job);
    row->registered_us =
        e->registered ? rn_nccl_registered_us(&e->comm, e->collective, row->n_bytes, &row->kernel)
                      : -1;
    if (rn_slices_time(&job, &e->constants, &ignored, &result) == RS_OK) {
        const double bound_us = rc_estimate_bound_us(row);
        row->simulated_us = result.us;
        /* Where the wires could do it twenty times faster, they limit nothing. */
        if (bound_us < 0 || 20 * bound_us > result.us) row->wire = result.wire;
    }
    return RC_GOOD;
}

double rc_estimate_rates(const rc_estimate *e, const rc_estimate_row *row, double *busbw) {
    int64_t num, den;
    *busbw = 0;
    if (!(row->simulated_us > 0)) return 0;
    const double algbw = (double)row->n_bytes / row->simulated_us / 1e3;
    rs_busbw_factor(e->collective, e->site.n_ranks, &num, &den);
    *busbw = algbw * (double)num / (double)den;
    return algbw;
}

double rc_estimate_bound_us(const rc_estimate_row *row) {
    const rn_nccl_algorithm by = row->choice.algorithm;
    return by == RN_NCCL_NVLS || by == RN_NCCL_NVLS_TREE ? row->in_switch_us : row->bound_us;
}

int64_t rc_estimate_below(const rc_estimate *e) {
    int64_t n = 0;
    for (int64_t i = 0; i < e->n_rows; i++) {
        const double bound_us = rc_estimate_bound_us(&e->rows[i]);
        n += bound_us > 0 && (double)e->rows[i].choice.cost.us < bound_us;
    }
    return n;
}

/* ------------------------------------------------------------------ errors */

static void sum_up(double off[], int64_t n, rc_estimate_error *error) {
    const double floor = 0.001;
    double logs = 0;
    *error = (rc_estimate_error){.n = n};
    if (n == 0) return;
    qsort(off, (size_t)n, sizeof *off, rs_by_double);
    for (int64_t i = 0; i < n; i++) {
        error->mean += off[i] / (double)n;
        logs += log(off[i] > floor ? off[i] : floor) / (double)n;
    }
    error->geomean = exp(logs);
    error->median = (off[(n - 1) / 2] + off[n / 2]) / 2;
    error->p90 = off[(9 * n + 9) / 10 - 1];
    error->worst = off[n - 1];
}

/* Sums up the rows that were measured. */
static void sum_up_errors(rc_estimate *e) {
    double off[RC_MOST_ESTIMATES];
    for (int large = 0; large < 2; large++) {
        int64_t n = 0;
        for (int64_t i = 0; i < e->n_rows; i++) {
            const rc_estimate_row *row = &e->rows[i];
            if ((row->n_bytes >= RC_LARGE_BYTES) != large || row->simulated_us < 0) continue;
            off[n++] = fabs(row->simulated_us / row->measured_us - 1);
        }
        sum_up(off, n, large ? &e->large : &e->small);
    }
}

rc_exit rc_estimate_rows(rc_session *session, rc_estimate *e) {
    rc_exit status = RC_GOOD;
    for (int64_t i = 0; i < e->n_rows && status == RC_GOOD; i++) {
        status = rc_estimate_row_of(e, session->error, &e->rows[i]);
    }
    if (status == RC_GOOD && e->measured) sum_up_errors(e);
    return status;
}
