/* cmd_estimate.c: `ringsim estimate --machine M`: what NCCL would choose there and take, size by size, in nccl-tests'
 * table; with --measured beside what was measured.
 */
#include "base/units.h"
#include "fit/fit.h"
#include "nccl/estimate.h"
#include "nccl/estimate_options.h"

#include <string.h>

enum { MOST_ROWS = 4096, MOST_CSV_LINE = 256 };

static rc_exit allocate(rc_session *session, int64_t n, rc_estimate *e) {
    e->rows = rs_alloc(session->arena, (size_t)n + 1, sizeof *e->rows);
    return e->rows != NULL ? RC_GOOD : rc_fail(session->error, RC_LACKS, _("no memory for rows"));
}

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
    const rc_exit status = allocate(session, MOST_ROWS, e);
    if (status != RC_GOOD) return status;
    for (int64_t size = least; size <= most; size *= factor) {
        e->rows[e->n_rows++] = (rc_estimate_row){.n_bytes = size, .measured_us = -1};
        if (size > most / factor) break;
    }
    return RC_GOOD;
}

/* ------------------------------------------------------------------ what was measured */

/* Takes the first time of each size: out of place, as nccl-tests prints it. */
static void take_samples(const rc_nccl_log *log, const rc_options *options, rc_estimate *e) {
    const int64_t least = rc_given(options, RC_LEAST) ? options->value[RC_LEAST].number : 1;
    const int64_t most = rc_given(options, RC_MOST) ? options->value[RC_MOST].number : INT64_MAX;
    for (int64_t i = 0; i < log->n_samples; i++) {
        const rs_sample *sample = &log->samples[i];
        bool seen = sample->n_bytes < least || sample->n_bytes > most;
        for (int64_t k = e->n_rows; k > 0 && !seen; k--) {
            seen = e->rows[k - 1].n_bytes == sample->n_bytes;
        }
        if (seen || sample->span_ps <= 0 || e->n_rows == MOST_ROWS) continue;
        e->rows[e->n_rows++] = (rc_estimate_row){.n_bytes = sample->n_bytes,
                                                 .measured_us = (double)sample->span_ps / 1e6};
    }
}

static rc_exit read_measured(rc_session *session, rc_estimate *e) {
    const char *path = session->options.value[RC_MEASURED].text;
    rc_nccl_log log;
    rs_error reason;
    char *text;
    size_t n_bytes;
    if (e->collective != RS_COLL_ALL_REDUCE) {
        return rc_fail(session->error, RC_USAGE,
                       _("--measured reads tables of all_reduce_perf, not of %s"),
                       rs_collective_name(e->collective));
    }
    rc_exit status =
        rc_read_file(path, RC_TRACE_LIMIT, session->arena, session->error, &text, &n_bytes);
    if (status != RC_GOOD) return status;
    status = rc_parse_nccl_log(text, n_bytes, session->arena, &reason, &log);
    if (status != RC_GOOD) {
        return rc_fail(session->error, status, "%.200s: %.300s", path, reason.text);
    }
    if (log.n_ranks > 0 && log.n_ranks != e->site.n_ranks) {
        return rc_fail(session->error, RC_USAGE, _("%.200s is of %d GPUs, the machine has %d"),
                       path, (int)log.n_ranks, (int)e->site.n_ranks);
    }
    status = allocate(session, MOST_ROWS, e);
    if (status != RC_GOOD) return status;
    take_samples(&log, &session->options, e);
    e->measured = true;
    return e->n_rows > 0
               ? RC_GOOD
               : rc_fail(session->error, RC_USAGE, _("%.200s has no row between -b and -e"), path);
}

/* ------------------------------------------------------------------ the command */

static rc_exit cmd_estimate(rc_session *session) {
    const rc_options *options = &session->options;
    rc_estimate e;
    if (options->n_operands > 0) {
        return rc_fail(session->error, RC_USAGE,
                       _("estimate takes no file '%.100s'; a table is --measured FILE"),
                       options->operands[0]);
    }
    if (rc_given(options, RC_JSON) && rc_given(options, RC_CSV)) {
        return rc_fail(session->error, RC_USAGE, _("only one output can go to standard output"));
    }
    rc_exit status = rc_estimate_open(session, &e);
    if (status == RC_GOOD) {
        status =
            rc_given(options, RC_MEASURED) ? read_measured(session, &e) : by_factor(session, &e);
    }
    for (int64_t i = 0; i < e.n_rows && status == RC_GOOD; i++) {
        status = rc_estimate_row_of(&e, session->error, &e.rows[i]);
    }
    if (status == RC_GOOD && e.measured) {
        status = rc_estimate_errors(session->arena, session->error, &e);
    }
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

static const rc_option takes[] = {
    {.id = RC_MACHINE, .help = N_("the machine; see ringsim machine")},
    {.id = RC_COLLECTIVE},
    {.id = RC_LEAST,
     .name = "minbytes",
     .letter = 'b',
     .argument = "SIZE",
     .help = N_("the least size, 8"),
     .type = RC_AMOUNT(RC_IN_BYTES, "8")},
    {.id = RC_MOST,
     .name = "maxbytes",
     .letter = 'e',
     .argument = "SIZE",
     .help = N_("the largest size, 8G"),
     .type = RC_AMOUNT(RC_IN_BYTES, "8G")},
    {.id = RC_FACTOR,
     .name = "stepfactor",
     .letter = 'f',
     .argument = "F",
     .help = N_("from size to size, 2"),
     .type = RC_INTEGER(2, 1 << 20, "2")},
    {.id = RC_NCCL,
     .name = "nccl",
     .argument = "VERSION",
     .help = N_("NCCL's version, 2.28.9; known: 2.18 to 2.30")},
    {.id = RC_LAUNCH,
     .name = "launch",
     .argument = "threads|processes",
     .help = N_("one thread launches all GPUs of a node, or each has a process; processes"),
     .type = RC_ONE_OF("processes", "threads", "processes")},
    {.id = RC_NCCL_ALGO,
     .name = "nccl-algo",
     .argument = "LIST",
     .help = N_("as NCCL_ALGO: Ring,Tree or ^NVLS or allreduce:Ring;...")},
    {.id = RC_NCCL_PROTO,
     .name = "nccl-proto",
     .argument = "LIST",
     .help = N_("as NCCL_PROTO: Simple or ^LL128")},
    {.id = RC_LIKE,
     .name = "like",
     .argument = "PRESET",
     .help = N_("the preset whose GPUs and processors a file's or a box's machine has")},
    {.id = RC_FABRIC,
     .name = "fabric",
     .argument = "NAME",
     .help =
         N_("the network between nodes: unknown, infiniband, roce, efa, slingshot; the preset's"),
     .type = RC_ONE_OF("unknown", "unknown", "infiniband", "roce", "efa", "slingshot")},
    {.id = RC_MEASURED,
     .name = "measured",
     .argument = "TABLE",
     .help = N_("output of all_reduce_perf: its sizes and times, and how far off the estimate is")},
    {.id = RC_STRICT,
     .name = "strict",
     .help = N_("refuse a version whose constants are not known")},
    {.id = RC_LANG},
    {.id = RC_JSON},
    {.id = RC_CSV},
    RC_TAKE_HELP,
};

const rc_command rc_command_estimate = {
    .name = "estimate",
    .operands = "",
    .summary = N_("what NCCL would choose and take on a machine, size by size"),
    RC_TAKES(takes),
    .run = cmd_estimate};
