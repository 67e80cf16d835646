/* calibrate.c: `ringsim fit --machine M TABLE`: what a machine's bandwidths and latencies are, against what estimate takes
 * them for, from a table of all_reduce_perf.
 *
 *   - Two rows are enough, one up to 1 KiB, which tells the latency, and the largest, which tells the bandwidth; of more the
 *     mean is brought near. Of a size's two times the lesser counts: the other has been held up.
 */
#include "base/json_file.h"
#include "estimate/estimate.h"

#include <math.h>
#include <stdio.h>

/* Geometric distance of all rows, small and large alike. */
static double off(void *context, double rate, double latency) {
    rc_estimate *e = context;
    double sum[2] = {0, 0};
    int64_t n[2] = {0, 0};
    e->rate = rate;
    e->latency = latency;
    for (int64_t i = 0; i < e->n_rows; i++) {
        rc_estimate_row *row = &e->rows[i];
        rs_error ignored;
        if (rc_estimate_row_of(e, &ignored, row) != RC_GOOD || row->simulated_us <= 0) continue;
        const int large = row->n_bytes >= RC_LARGE_BYTES;
        sum[large] += fabs(log(row->simulated_us / row->measured_us));
        n[large]++;
    }
    return (n[0] > 0 ? sum[0] / (double)n[0] : 0) + (n[1] > 0 ? sum[1] / (double)n[1] : 0);
}

static const int64_t tells_latency = 1024; /* bytes at most */

static rc_exit check_sizes(rc_session *session, const rc_estimate *e) {
    bool small = false, large = false;
    for (int64_t i = 0; i < e->n_rows; i++) {
        small |= e->rows[i].n_bytes < RC_LARGE_BYTES;
        large |= e->rows[i].n_bytes >= RC_LARGE_BYTES;
    }
    if (small && large) return RC_GOOD;
    return rc_fail(
        session->error, RC_USAGE,
        _("%.200s: a machine is calibrated by two rows at least, one up to 1 KiB and the largest, 2 "
          "MiB or more (-b 8 -e 8G)"),
        session->options.operands[0]);
}

/* ------------------------------------------------------------------ what is said */

static void print(const rc_estimate *e, const rc_estimate *before) {
    int64_t least = INT64_MAX;
    for (int64_t i = 0; i < e->n_rows; i++) {
        if (e->rows[i].n_bytes < least) least = e->rows[i].n_bytes;
    }
    printf(_("%s: bandwidths are %.4g times, latencies %.4g times what estimate takes them for\n"),
           e->machine->name, e->rate, e->latency);
    if (e->n_rows == 2) {
        puts(_("two rows give two factors: how far off other sizes are they do not tell"));
    } else {
        printf(
            _("rows %lld; typically off (geometric mean): from 2 MiB on %.1f %% before, %.1f %% now; "
              "below %.1f %% before, %.1f %% now\n"),
            (long long)e->n_rows, 100 * before->large.geomean, 100 * e->large.geomean,
            100 * before->small.geomean, 100 * e->small.geomean);
    }
    if (least > tells_latency) {
        puts(_(
            "no row is of 1 KiB or less: bytes are in what is taken for latency; measure from -b 8 on"));
    }
    printf(
        _("ringsim estimate --machine %s --rate %.6g --latency %.6g estimates the other sizes\n"),
        e->machine->name, e->rate, e->latency);
}

static void put_errors(rs_json *json, const char *key, const rc_estimate *e) {
    rs_json_object(json, key);
    rs_json_fixed(json, "large_geomean", e->large.geomean, 5);
    rs_json_fixed(json, "small_geomean", e->small.geomean, 5);
    rs_json_close(json);
}

static void put(const rc_estimate *e, const rc_estimate *before) {
    rs_json json;
    rc_json_begin(&json, "ringsim.fit/1", stdout);
    rs_json_text(&json, "machine", e->machine->name);
    rs_json_integers(&json, {"gpus", e->site.n_ranks}, {"rows", e->n_rows});
    rs_json_fixed(&json, "rate", e->rate, 6);
    rs_json_fixed(&json, "latency", e->latency, 6);
    put_errors(&json, "before", before);
    put_errors(&json, "now", e);
    rc_json_end(&json);
}

rc_exit rc_calibrate(rc_session *session) {
    const rc_options *options = &session->options;
    rc_estimate e, before;
    if (options->n_operands != 1) {
        return rc_fail(session->error, RC_USAGE,
                       _("fit --machine reads one table of all_reduce_perf"));
    }
    rc_exit status = rc_estimate_open(session, &e);
    if (status == RC_GOOD)
        status = rc_estimate_measured(session, options->operands[0], RC_LEAST_TIMES, &e);
    if (status == RC_GOOD) status = check_sizes(session, &e);
    if (status == RC_GOOD) status = rc_estimate_rows(session, &e);
    if (status != RC_GOOD) return status;
    before = e;
    rn_slices_calibrate(off, &e, &e.rate, &e.latency);
    status = rc_estimate_rows(session, &e);
    if (status != RC_GOOD) return status;
    if (rc_given(options, RC_JSON)) {
        put(&e, &before);
    } else {
        print(&e, &before);
    }
    return RC_GOOD;
}
