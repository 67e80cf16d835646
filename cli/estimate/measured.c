/* measured.c: the rows of a table of all_reduce_perf, beside which an estimate stands. */
#include "estimate/estimate.h"
#include "ringsim_tables.h"

/* Takes the first time of each size: out of place, as nccl-tests prints it. */
static void take_samples(const rn_table *log, const rc_options *options, rc_estimate *e) {
    const int64_t least = rc_given(options, RC_LEAST) ? options->value[RC_LEAST].number : 1;
    const int64_t most = rc_given(options, RC_MOST) ? options->value[RC_MOST].number : INT64_MAX;
    for (int64_t i = 0; i < log->n_samples; i++) {
        const rs_sample *sample = &log->samples[i];
        bool seen = sample->n_bytes < least || sample->n_bytes > most;
        for (int64_t k = e->n_rows; k > 0 && !seen; k--) {
            seen = e->rows[k - 1].n_bytes == sample->n_bytes;
        }
        if (seen || sample->span_ps <= 0 || e->n_rows == RC_MOST_ESTIMATES) continue;
        e->rows[e->n_rows++] = (rc_estimate_row){.n_bytes = sample->n_bytes,
                                                 .measured_us = (double)sample->span_ps / 1e6};
    }
}

rc_exit rc_estimate_measured(rc_session *session, const char *path, rc_estimate *e) {
    rn_table log;
    rs_error reason;
    char *text;
    size_t n_bytes;
    if (e->collective != RS_COLL_ALL_REDUCE) {
        return rc_fail(session->error, RC_USAGE, _("tables of all_reduce_perf are read, not of %s"),
                       rs_collective_name(e->collective));
    }
    rc_exit status =
        rc_read_file(path, RC_TRACE_LIMIT, session->arena, session->error, &text, &n_bytes);
    if (status != RC_GOOD) return status;
    status =
        rc_exit_of(rn_parse_all_reduce(text, n_bytes, rv_gettext, session->arena, &reason, &log));
    if (status != RC_GOOD) {
        return rc_fail(session->error, status, "%.200s: %.300s", path, rc_said(&reason));
    }
    if (log.n_ranks > 0 && log.n_ranks != e->site.n_ranks) {
        return rc_fail(session->error, RC_USAGE, _("%.200s is of %d GPUs, the machine has %d"),
                       path, (int)log.n_ranks, (int)e->site.n_ranks);
    }
    status = rc_estimate_allocate(session, RC_MOST_ESTIMATES, e);
    if (status != RC_GOOD) return status;
    take_samples(&log, &session->options, e);
    e->measured = true;
    return e->n_rows > 0
               ? RC_GOOD
               : rc_fail(session->error, RC_USAGE, _("%.200s has no row between -b and -e"), path);
}
