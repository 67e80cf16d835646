/* cmd_estimate.c: `ringsim estimate --machine M`: what NCCL would choose there and take, size by size, in nccl-tests'
 * table; with --measured beside what was measured.
 */
#include "base/units.h"
#include "estimate/estimate.h"

/* Sizes by a factor, both ends in. */
static rc_exit by_factor(rc_session *session, rc_estimate *e) {
    const rc_options *options = &session->options;
    const int64_t least = options->value[RC_LEAST].number, most = options->value[RC_MOST].number,
                  factor = options->value[RC_FACTOR].number;
    if (least < 1 || least > most) {
        return rc_fail(session->error, RC_USAGE,
                       _("-b %lld -e %lld: sizes go from one byte at least, upwards"),
                       (long long)least, (long long)most);
    }
    for (int64_t size = least; size <= most; size *= factor) {
        e->rows[e->n_rows++] = (rc_estimate_row){.n_bytes = size, .measured_us = -1};
        if (size > most / factor) break;
    }
    return RC_GOOD;
}

/* ------------------------------------------------------------------ the command */

static rc_exit cmd_estimate(rc_session *session) {
    const rc_options *options = &session->options;
    rc_estimate e;
    if (rc_given(options, RC_JSON) && rc_given(options, RC_CSV)) {
        return rc_fail(session->error, RC_USAGE, _("only one output can go to standard output"));
    }
    rc_exit status = rc_estimate_open(session, &e);
    if (status == RC_GOOD && rc_given(options, RC_GRAPHS)) {
        status = rc_estimate_graphs(session, options->value[RC_GRAPHS].text, &e);
    }
    if (status == RC_GOOD) {
        status = rc_given(options, RC_MEASURED)
                     ? rc_estimate_measured(session, options->value[RC_MEASURED].text,
                                            RC_FIRST_TIMES, &e)
                     : by_factor(session, &e);
    }
    if (status == RC_GOOD) status = rc_estimate_rows(session, &e);
    if (status != RC_GOOD) return status;
    if (rc_given(options, RC_JSON)) {
        rc_json_estimate(&e, stdout);
    } else if (rc_given(options, RC_CSV)) {
        rc_csv_estimate(&e);
    } else {
        rc_print_estimate(&e);
    }
    return RC_GOOD;
}

/* ------------------------------------------------------------------ its row */

static const rc_option own_options[] = {
    {.id = RC_MACHINE, .help = N_("the machine; see ringsim machine")},
    {RC_LEAST, "minbytes", 'b', "SIZE", N_("the least size, 8"), RC_AMOUNT(RC_IN_BYTES, "8")},
    {RC_MOST, "maxbytes", 'e', "SIZE", N_("the largest size, 8G"), RC_AMOUNT(RC_IN_BYTES, "8G")},
    {RC_FACTOR, "stepfactor", 'f', "F", N_("from size to size, 2"), RC_INTEGER(2, 1 << 20, "2")},
    {RC_RATE, "rate", 0, "FACTOR", N_("on all bandwidths: what ringsim fit --machine found; 1"),
     RC_TYPE(rc_as_factor, "1")},
    {RC_LATENCIES, "latency", 0, "FACTOR", N_("on all latencies, likewise; 1"),
     RC_TYPE(rc_as_factor, "1")},
    {RC_MEASURED, "measured", 0, "TABLE",
     N_("output of all_reduce_perf: its sizes and times, and how far off the estimate is"), NULL},
    {RC_GRAPHS, "graphs", 0, "FILE",
     N_("channels and rings of NCCL's log or graph dump, not those stored or searched"), NULL},
    {RC_REGISTERED, "registered", 0, NULL,
     N_("beside it what NCCL expects of its kernels for registered buffers"), NULL},
    {RC_STRICT, "strict", 0, NULL, N_("refuse a version whose constants are not known"), NULL},
};

const rc_command rc_command_estimate = {
    .name = "estimate",
    .operands = "",
    .summary = N_("what NCCL would choose and take on a machine, size by size"),
    RC_TAKES(RC_MACHINE, RC_COLLECTIVE, RC_LEAST, RC_MOST, RC_FACTOR, RC_TAKE_NCCL, RC_RATE,
             RC_LATENCIES, RC_MEASURED, RC_GRAPHS, RC_REGISTERED, RC_STRICT, RC_LANG, RC_JSON,
             RC_CSV),
    RC_OWN_OPTIONS(own_options),
    RC_OFTEN(RC_MACHINE, RC_COLLECTIVE, RC_LEAST, RC_MOST, RC_FACTOR, RC_NCCL, RC_LAUNCH,
             RC_NCCL_ALGO, RC_NCCL_PROTO, RC_MEASURED, RC_LANG, RC_JSON, RC_CSV),
    .run = cmd_estimate};
