/* cmd_fit.c: `ringsim fit FILE...`: which latency and bandwidth have the links, and which is slow?
 *
 *     .trace files       --> every link's alpha and B, the slowest link, a simulation without it
 *     nccl-tests' output --> one alpha and B for the ring's formula; links cannot be told apart
 *                            with --machine: how much faster or slower it is than estimate takes it for
 *
 * Exit status 0 whatever the links are like; 2: nothing that can be read.
 */
#include "ringsim_text.h"
#include "base/text.h"
#include "fit/fit.h"
#include "estimate/estimate.h"
#include "run/show.h"

#include <assert.h>
#include <string.h>

enum { MOST_FILES = 256 };

/* ------------------------------------------------------------------ reading */

/* Adds a file's runs to those that were read before it. */
static rc_exit add_runs(rc_session *session, const char *path, const rs_recording *more,
                        int32_t n_more, rc_fitted *fitted) {
    const int32_t n = fitted->n_runs;
    rs_recording *all = rs_alloc(session->arena, (size_t)(n + n_more), sizeof *all);
    if (all == NULL) return rc_fail(session->error, RC_LACKS, _("no memory to read %.200s"), path);
    if (n > 0) memcpy(all, fitted->runs, (size_t)n * sizeof *all);
    memcpy(all + n, more, (size_t)n_more * sizeof *all);
    if (n > 0 && all[0].schedule.n_ranks != more[0].schedule.n_ranks) {
        return rc_fail(session->error, RC_USAGE,
                       _("%.200s is of %d GPUs, %.200s of %d: give files of one group"),
                       session->options.operands[0], (int)all[0].schedule.n_ranks, path,
                       (int)more[0].schedule.n_ranks);
    }
    fitted->runs = all;
    fitted->n_runs = n + n_more;
    return RC_GOOD;
}

static rc_exit read_file(rc_session *session, const char *path, rc_fitted *fitted) {
    char *text;
    size_t n_bytes;
    rc_exit status =
        rc_read_file(path, RC_TRACE_LIMIT, session->arena, session->error, &text, &n_bytes);
    if (status != RC_GOOD) return status;
    if (rc_is_trace(path, text, n_bytes)) {
        rs_recording *runs;
        int32_t n_runs = 0;
        status = rc_exit_of(
            rs_parse_trace(text, n_bytes, session->arena, session->error, &runs, &n_runs));
        if (status != RC_GOOD) return rc_prefix(session->error, status, "%.200s", path);
        return add_runs(session, path, runs, n_runs, fitted);
    }
    rn_plain plain;
    status = rc_exit_of(rn_make_plain(text, n_bytes, session->arena, session->error, &plain));
    if (status != RC_GOOD) return status;
    status = rc_exit_of(rn_parse_all_reduce(plain.text, plain.n_bytes, session->arena,
                                            session->error, &fitted->log));
    if (status != RC_GOOD) return rc_prefix(session->error, status, "%.200s", path);
    if (fitted->n_files == 1) return RC_GOOD;
    return rc_fail(session->error, RC_USAGE,
                   _("%.200s is a log of nccl-tests; give it alone, or .trace files only"), path);
}

static rc_exit read_files(rc_session *session, rc_fitted *fitted) {
    const rc_options *options = &session->options;
    fitted->files = options->operands;
    fitted->n_files = options->n_operands;
    if (fitted->n_files < 1 || fitted->n_files > MOST_FILES) {
        return rc_fail(session->error, RC_USAGE,
                       _("fit reads .trace files, or one log of nccl-tests: ringsim fit "
                         "FILE.trace"));
    }
    for (int i = 0; i < fitted->n_files; i++) {
        const rc_exit status = read_file(session, fitted->files[i], fitted);
        if (status != RC_GOOD) return status;
    }
    return RC_GOOD;
}

/* ------------------------------------------------------------------ traces */

static int64_t bytes_of(const rs_recording *run) {
    return run->count * rs_dtype_bytes(run->dtype);
}

/* Leaves how long the run takes; -1: it never ends, or cannot be simulated. */
static rc_exit simulate(rc_session *session, const rc_fitted *fitted, rs_protocol protocol,
                        int64_t *taken_ps) {
    const rs_recording *run = fitted->largest;
    rs_outcome outcome;
    const rs_job job = {.schedule = &run->schedule,
                        .count = run->count,
                        .elem_bytes = rs_dtype_bytes(run->dtype),
                        .net = {.link = fitted->links[0].link,
                                .overrides = fitted->links,
                                .n_overrides = fitted->n_links,
                                .reduce_Bps = fitted->diagnosis.reduce_Bps,
                                .protocol = protocol}};
    const rs_status status =
        rs_simulate(&job, RS_ENGINE_AUTO, NULL, session->arena, session->error, &outcome);
    *taken_ps = status == RS_OK ? outcome.makespan_ps : -1;
    return status == RS_NO_MEMORY || status == RS_CANCELLED ? rc_exit_of(status) : RC_GOOD;
}

static rc_exit simulate_both(rc_session *session, rs_protocol protocol, rc_fitted *fitted) {
    const rs_diagnosis *d = &fitted->diagnosis;
    assert(d->slowest >= 0 && d->slowest < fitted->n_links);
    rs_link *slow = &fitted->links[d->slowest].link;
    const rs_link as_it_is = *slow;
    rc_exit status = simulate(session, fitted, protocol, &fitted->simulated_ps);
    if (!d->stands_out || status != RC_GOOD) return status;
    const rs_link_fit *link = &d->links[d->slowest];
    *slow = d->split ? rs_link_of(d->alpha_ps, d->ps_per_byte)
                     : rs_link_of(link->line.alpha_ps / link->share,
                                  link->line.ps_per_byte / link->share);
    status = simulate(session, fitted, protocol, &fitted->mended_ps);
    *slow = as_it_is;
    return status;
}

static rc_exit take_links(rc_session *session, rc_fitted *fitted) {
    const rs_diagnosis *d = &fitted->diagnosis;
    fitted->links = rs_alloc(session->arena, (size_t)d->n_links + 1, sizeof *fitted->links);
    if (fitted->links == NULL) return rc_no_memory(session->error);
    for (int32_t i = 0; i < d->n_links; i++) {
        const rs_link_fit *link = &d->links[i];
        fitted->links[i] = (rs_link_override){
            link->src, link->dst, rs_link_of(link->line.alpha_ps, link->line.ps_per_byte)};
    }
    fitted->n_links = d->n_links;
    return RC_GOOD;
}

static rc_exit fit_traces(rc_session *session, rc_fitted *fitted) {
    const rs_protocol protocol = (rs_protocol)session->options.value[RC_PROTOCOL].number;
    fitted->n_ranks = fitted->runs[0].schedule.n_ranks;
    fitted->largest = &fitted->runs[0];
    for (int32_t i = 1; i < fitted->n_runs; i++) {
        if (bytes_of(&fitted->runs[i]) > bytes_of(fitted->largest)) {
            fitted->largest = &fitted->runs[i];
        }
    }
    rc_exit status = rc_exit_of(rs_diagnose(fitted->runs, fitted->n_runs, session->arena,
                                            session->error, &fitted->diagnosis));
    if (status != RC_GOOD) return status;
    if (fitted->diagnosis.n_links == 0) {
        return rc_fail(session->error, RC_USAGE,
                       _("%.200s: nothing was sent, so there are no links to fit"),
                       fitted->files[0]);
    }
    status = take_links(session, fitted);
    fitted->recorded_ps =
        fitted->largest->entered != NULL ? -1 : rs_recording_end_ps(fitted->largest);
    return status == RC_GOOD ? simulate_both(session, protocol, fitted) : status;
}

/* ------------------------------------------------------------------ logs */

/* A ring's time is 2(N - 1)(alpha + S / (N B)): the line's two parts, taken back to a link. */
static rc_exit fit_log(rc_session *session, rc_fitted *fitted) {
    int64_t n = session->options.value[RC_GPUS].number;
    if (!rc_given(&session->options, RC_GPUS)) n = fitted->log.n_ranks;
    if (n < 2) {
        return rc_fail(session->error, RC_USAGE,
                       n == 1 ? _("%.200s: one GPU has no links to fit")
                              : _("%.200s does not say how many GPUs there were; add --gpus N"),
                       fitted->files[0]);
    }
    const rs_status fit = rs_fit_line(fitted->log.samples, fitted->log.n_samples, session->arena,
                                      session->error, &fitted->line);
    if (fit != RS_OK) return rc_exit_of(fit);
    const double hops = 2 * ((double)n - 1);
    fitted->n_ranks = (int32_t)n;
    fitted->alpha_ps = fitted->line.alpha_ps / hops;
    fitted->ps_per_byte = fitted->line.ps_per_byte * (double)n / hops;
    fitted->links = rs_alloc(session->arena, (size_t)n, sizeof *fitted->links);
    if (fitted->links == NULL) return rc_no_memory(session->error);
    const rs_link link = rs_link_of(fitted->alpha_ps, fitted->ps_per_byte);
    for (int32_t r = 0; r < fitted->n_ranks; r++) {
        fitted->links[r] = (rs_link_override){r, (r + 1) % fitted->n_ranks, link};
    }
    fitted->n_links = fitted->n_ranks;
    return RC_GOOD;
}

/* ------------------------------------------------------------------ the links' file */

static void write_links(const rc_fitted *fitted, FILE *out) {
    char name[512];
    const bool split = fitted->runs != NULL ? fitted->diagnosis.split : fitted->line.split;
    fprintf(out, "# ringsim fit %s%s\n", rc_plain(fitted->files[0], true, name, sizeof name),
            fitted->n_files > 1 ? " ..." : "");
    if (!split)
        fputs("# one size of message only: all of its time is put down to bandwidth\n", out);
    fputs("src,dst,alpha,bandwidth\n", out);
    for (int32_t i = 0; i < fitted->n_links; i++) {
        const rs_link_override *o = &fitted->links[i];
        fprintf(out, "%d,%d,%lld.%03lldns,%llu\n", (int)o->src, (int)o->dst,
                (long long)(o->link.alpha_ps / 1000), (long long)(o->link.alpha_ps % 1000),
                (unsigned long long)o->link.bandwidth_Bps);
    }
}

static rc_exit deliver(rc_session *session, const rc_fitted *fitted, rc_file *file) {
    const bool to_stdout = file->stream == stdout;
    if (file->stream != NULL) write_links(fitted, file->stream);
    const rc_exit status = rc_file_deliver(file, RC_GOOD, session->error);
    if (status != RC_GOOD) return status;
    if (rc_given(&session->options, RC_JSON)) {
        rc_json_fit(fitted, stdout);
    } else if (!to_stdout) {
        rc_print_fit(fitted);
    }
    return RC_GOOD;
}

static rc_exit cmd_fit(rc_session *session) {
    const char *links = session->options.value[RC_LINKS].text;
    rc_fitted fitted = {.recorded_ps = -1, .simulated_ps = -1, .mended_ps = -1};
    rc_file file = {0};
    if (rc_given(&session->options, RC_MACHINE)) {
        if (links == NULL && !rc_given(&session->options, RC_GPUS)) return rc_calibrate(session);
        return rc_fail(session->error, RC_USAGE,
                       _("fit --machine takes no --links and no --gpus: the machine says both"));
    }
    if (links != NULL && strcmp(links, "-") == 0 && rc_given(&session->options, RC_JSON)) {
        return rc_fail(session->error, RC_USAGE, _("only one output can go to standard output"));
    }
    rc_exit status = read_files(session, &fitted);
    if (status == RC_GOOD) {
        status = fitted.runs != NULL ? fit_traces(session, &fitted) : fit_log(session, &fitted);
    }
    if (status == RC_GOOD && links != NULL) {
        status = rc_file_open("links", links, session->error, &file);
    }
    if (status == RC_GOOD) status = deliver(session, &fitted, &file);
    rc_file_discard(&file);
    return status;
}

/* ------------------------------------------------------------------ its row */

static const rc_option own_options[] = {
    {RC_GPUS, NULL, 0, NULL, N_("world size, where a log does not tell"),
     RC_TYPE(rc_as_world, NULL, .least = 2, .most = RS_MAX_RANKS)},
    {.id = RC_PROTOCOL, .help = N_("of the simulations; rendezvous")},
    {.id = RC_LINKS, .help = N_("write what was found, for --links of run and compare")},
    {.id = RC_MACHINE,
     .help = N_("the machine that a table of all_reduce_perf is of: calibrates it")},
};

const rc_command rc_command_fit = {
    .name = "fit",
    .operands = "FILE.trace...|NCCL-LOG",
    .summary = N_("which link is slow, and what are alpha and B?"),
    RC_TAKES(RC_GPUS, RC_PROTOCOL, RC_LINKS, RC_MACHINE, RC_TAKE_NCCL, RC_LANG, RC_JSON),
    RC_OWN_OPTIONS(own_options),
    .run = cmd_fit};
