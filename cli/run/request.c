/* request.c: from what was typed to an rs_request, with every check that INTERFACE asks for.
 *
 *     types --> schedule's size --> count --> schedule --> net, faults --> values, data --> input
 *
 * The order matters: a count needs the type, a schedule the count, a fault the schedule. Whatever is
 * wrong ends in one line that begins with the option; nothing has been run or written by then.
 */
#include "cli.h"
#include "sandbox/learner.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_GPUS = 5, DEFAULT_BYTES = 100000000 };

/* ------------------------------------------------------------------ the schedule */

static bool ends_with(const char *text, const char *end) {
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

bool rc_is_file(const char *algo) {
    return strchr(algo, '/') != NULL || strchr(algo, '.') != NULL || strcmp(algo, "-") == 0;
}

rc_exit rc_find_algorithm(const char *name, rs_error *error, const rs_algorithm **algorithm) {
    enum { MOST = 64 };
    const char *names[MOST + 1] = {NULL};
    for (int i = 0; i < MOST && rs_algorithms[i] != NULL; i++) names[i] = rs_algorithms[i]->name;
    int at;
    const rc_exit status = rc_parse_choice("--algo", name, names, error, &at);
    if (status == RC_GOOD) *algorithm = rs_algorithms[at];
    return status;
}

rc_exit rc_read_world(rc_session *session, int32_t *n_ranks) {
    static const rc_type world = {RC_AS_WORLD, .least = 1, .most = RS_MAX_RANKS};
    rc_reader read = rc_reader_of(session);
    *n_ranks =
        (int32_t)rc_read_number_as(&read, RC_GPUS, &world); /* also of train's, a list else */
    return read.status;
}

/* Builds and asks the C file; Ctrl-C ends that. */
static rc_exit read_learner(rc_session *session, const char *path, int32_t n_ranks,
                            rs_schedule *schedule) {
    const char *kind = session->options.value[RC_SANDBOX];
    if (session->host != NULL) rc_host_watch(session->host, true);
    const rc_exit status = rc_learner_schedule(session->program, kind, path, n_ranks,
                                               session->arena, session->error, schedule);
    if (session->host != NULL) rc_host_watch(session->host, false);
    return status;
}

rc_exit rc_read_schedule(rc_session *session, const char *path, int32_t n_ranks,
                         rs_schedule *schedule) {
    char *text;
    size_t n_bytes;
    if (ends_with(path, ".c")) {
        return read_learner(session, path, n_ranks > 0 ? n_ranks : DEFAULT_GPUS, schedule);
    }
    rc_exit status =
        rc_read_file(path, RC_TEXT_LIMIT, session->arena, session->error, &text, &n_bytes);
    if (status != RC_GOOD) return status;
    rs_error reason;
    const rs_status parsed = rs_parse_schedule(text, n_bytes, session->arena, &reason, schedule);
    if (parsed != RS_OK) {
        return rc_fail(session->error, rc_exit_of(parsed), "%.200s: %.300s", path, reason.text);
    }
    if (n_ranks == 0 || n_ranks == schedule->n_ranks) return RC_GOOD;
    return rc_fail(session->error, RC_USAGE,
                   _("--gpus %d: %.200s is for %d ranks; leave --gpus out"), (int)n_ranks, path,
                   (int)schedule->n_ranks);
}

/* Without elements there is nothing to send, whatever the file says. */
static rc_exit empty_run(rs_schedule *schedule, rs_error *error) {
    const char *name = schedule->name;
    const rs_status made =
        rs_schedule_make(rs_algorithms[0], RS_ORDER_SEED, schedule->n_ranks, 0, error, schedule);
    schedule->name = name;
    return rc_exit_of(made);
}

static rc_exit read_file_schedule(rc_session *session, const char *path, rs_schedule *schedule) {
    const rc_options *options = &session->options;
    int32_t n_ranks;
    rc_exit status = rc_read_world(session, &n_ranks);
    if (status == RC_GOOD) status = rc_read_schedule(session, path, n_ranks, schedule);
    if (status != RC_GOOD) return status;
    if (options->value[RC_ORDER] != NULL) {
        return rc_fail(session->error, RC_USAGE,
                       _("--order: a schedule from a file has its own order; leave it out"));
    }
    return RC_GOOD;
}

/* ------------------------------------------------------------------ how much */

static rc_exit read_bytes(rc_session *session, int32_t elem_bytes, int64_t *count) {
    static const rc_type size = {RC_AS_SIZE,
                                 .by_default = 0}; /* of compare and verify it is a list */
    rc_reader read = rc_reader_of(session);
    const int64_t n_bytes = rc_read_number_as(&read, RC_BYTES, &size);
    if (read.status == RC_GOOD && n_bytes % elem_bytes != 0) {
        return rc_fail(session->error, RC_USAGE,
                       _("--bytes %.60s: %lld bytes are no whole number of elements of %d bytes"),
                       session->options.value[RC_BYTES], (long long)n_bytes, (int)elem_bytes);
    }
    *count = n_bytes / elem_bytes;
    return read.status;
}

/* An input file says by its length how many elements there are. */
static rc_exit count_of_input(const char *path, int32_t n_ranks, int32_t elem_bytes,
                              rs_error *error, int64_t *count) {
    const int64_t n_bytes = rc_file_bytes(path);
    const int64_t row = (int64_t)n_ranks * elem_bytes;
    if (n_bytes >= 0 && n_bytes % row == 0) {
        *count = n_bytes / row;
        return RC_GOOD;
    }
    if (n_bytes < 0) {
        return rc_fail(
            error, RC_USAGE,
            _("--input %.200s: no regular file, so say how much with --count or --bytes"), path);
    }
    return rc_fail(error, RC_USAGE,
                   _("--input %.200s: %lld bytes are not the same number of %d-byte elements for "
                     "each of %d GPUs"),
                   path, (long long)n_bytes, (int)elem_bytes, (int)n_ranks);
}

static rc_exit read_count(rc_session *session, int32_t n_ranks, int32_t elem_bytes,
                          int64_t *count) {
    const rc_options *options = &session->options;
    rs_error *error = session->error;
    const char *elements = options->value[RC_COUNT], *bytes = options->value[RC_BYTES];
    if (elements != NULL && bytes != NULL) {
        return rc_fail(error, RC_USAGE, _("--count and --bytes say the same thing; give one"));
    }
    if (bytes != NULL) return read_bytes(session, elem_bytes, count);
    if (elements != NULL) {
        rc_reader read = rc_reader_of(session);
        const rc_type fits = {RC_AS_INTEGER, .least = 0, .most = INT64_MAX / elem_bytes};
        *count = rc_read_number_as(&read, RC_COUNT, &fits);
        return read.status;
    }
    if (options->value[RC_INPUT] != NULL) {
        return count_of_input(options->value[RC_INPUT], n_ranks, elem_bytes, error, count);
    }
    *count = DEFAULT_BYTES / elem_bytes;
    return RC_GOOD;
}

/* All that a rank may ever send must stay countable. */
static rc_exit check_volume(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                            rs_error *error) {
    int64_t messages = schedule->n_ranks;
    if (schedule->table != NULL && schedule->n_transfers > messages) {
        messages = schedule->n_transfers;
    }
    const int64_t most = INT64_MAX / 2 / messages / elem_bytes;
    if (count <= most) return RC_GOOD;
    return rc_fail(error, RC_USAGE,
                   _("%lld elements a rank are too many for %d GPUs; at most %lld can be counted"),
                   (long long)count, (int)schedule->n_ranks, (long long)most);
}

/* Makes the schedule and the count: each may need the other. */
static rc_exit read_plan(rc_session *session, rc_asked *asked) {
    const rc_options *options = &session->options;
    rs_error *error = session->error;
    rs_job *job = &asked->request.job;
    const char *algo = options->value[RC_ALGO] != NULL ? options->value[RC_ALGO] : "ring";
    const rs_algorithm *algorithm = NULL;
    rc_reader read = rc_reader_of(session);
    rs_order order = RS_ORDER_SEED;
    int32_t n_ranks = 0;
    rc_exit status;
    if (rc_is_file(algo)) {
        asked->file = algo;
        status = read_file_schedule(session, algo, &asked->schedule);
        n_ranks = status == RC_GOOD ? asked->schedule.n_ranks : 0;
    } else {
        read.status = rc_find_algorithm(algo, error, &algorithm);
        order = (rs_order)rc_read_choice(&read, RC_ORDER);
        n_ranks = (int32_t)rc_read_number(&read, RC_GPUS);
        status = read.status;
    }
    if (status == RC_GOOD) status = read_count(session, n_ranks, job->elem_bytes, &job->count);
    if (status != RC_GOOD) return status;
    if (order == RS_ORDER_NCCL && strcmp(algorithm->name, "ring") != 0) {
        return rc_fail(error, RC_USAGE, _("--order nccl: only the ring has that order, not %s"),
                       algorithm->name);
    }
    if (algorithm != NULL) {
        status = rc_exit_of(
            rs_schedule_make(algorithm, order, n_ranks, job->count, error, &asked->schedule));
    } else if (job->count == 0) {
        status = empty_run(&asked->schedule, error);
    }
    if (status != RC_GOOD) return status;
    job->schedule = &asked->schedule;
    return check_volume(&asked->schedule, job->count, job->elem_bytes, error);
}

/* ------------------------------------------------------------------ the network and its faults */

static rc_exit read_links(rc_session *session, int32_t n_ranks, rs_net *net) {
    const char *path = session->options.value[RC_LINKS];
    if (path == NULL) return RC_GOOD;
    char *text;
    size_t n_bytes;
    rs_error reason;
    rs_link_override *overrides = NULL;
    rc_exit status = rc_read_file(path, RC_TEXT_LIMIT, session->arena, &reason, &text, &n_bytes);
    if (status != RC_GOOD) return rc_blame(RC_LINKS, &reason, status, session->error);
    status = rc_parse_links(text, n_bytes, n_ranks, session->arena, &reason, &overrides,
                            &net->n_overrides);
    if (status != RC_GOOD) {
        return rc_fail(session->error, status, "--links %.200s: %.250s", path, reason.text);
    }
    net->overrides = overrides;
    return RC_GOOD;
}

rc_exit rc_read_net(rc_session *session, int32_t n_ranks, rs_net *net) {
    rc_reader read = rc_reader_of(session);
    const char *reduce = session->options.value[RC_REDUCE_RATE];
    const bool infinite = reduce != NULL && strcmp(reduce, "infinite") == 0;
    *net = (rs_net){.protocol = (rs_protocol)rc_read_choice(&read, RC_PROTOCOL)};
    net->link.alpha_ps = rc_read_number(&read, RC_ALPHA);
    net->link.bandwidth_Bps = (uint64_t)rc_read_number(&read, RC_BANDWIDTH);
    if (!infinite) net->reduce_Bps = (uint64_t)rc_read_number(&read, RC_REDUCE_RATE);
    return read.status == RC_GOOD ? read_links(session, n_ranks, net) : read.status;
}

static rc_exit read_faults(rc_session *session, rs_job *job) {
    const rc_options *options = &session->options;
    const int n = options->n_repeated;
    rs_fault *faults = rs_alloc(session->arena, (size_t)n + 1, sizeof *faults);
    if (faults == NULL) return rc_fail(session->error, RC_LACKS, _("no memory for the faults"));
    for (int i = 0; i < n; i++) {
        const rc_exit status =
            rc_parse_fault(options->repeated[i].id, options->repeated[i].text, job->schedule,
                           job->count, session->error, &faults[i]);
        if (status != RC_GOOD) return status;
    }
    job->faults = faults;
    job->n_faults = n;
    return RC_GOOD;
}

/* Standard input can be read only once. */
static rc_exit check_stdin(const rc_options *options, rs_error *error) {
    static const rc_option_id readers[] = {RC_ALGO, RC_LINKS, RC_INPUT};
    int n = 0;
    for (int i = 0; i < 3; i++) {
        const char *path = options->value[readers[i]];
        n += path != NULL && strcmp(path, "-") == 0;
    }
    if (n <= 1) return RC_GOOD;
    return rc_fail(error, RC_USAGE, _("only one of --algo, --links and --input can be -"));
}

/* Takes the schedule that is there already; only the count is asked for. */
static rc_exit take_plan(rc_session *session, const rs_schedule *known, rc_asked *asked) {
    rs_job *job = &asked->request.job;
    asked->schedule = *known;
    job->schedule = &asked->schedule;
    const rc_exit status = read_count(session, known->n_ranks, job->elem_bytes, &job->count);
    if (status != RC_GOOD) return status;
    return check_volume(known, job->count, job->elem_bytes, session->error);
}

static rc_exit make(rc_session *session, const rs_schedule *known, rc_asked *asked) {
    const rc_options *options = &session->options;
    rs_request *request = &asked->request;
    *asked = (rc_asked){0};
    rc_reader read = rc_reader_of(session);
    rc_exit status = read.status = check_stdin(options, session->error);
    request->dtype = (rs_dtype)rc_read_choice(&read, RC_DTYPE);
    request->op = (rs_op)rc_read_choice(&read, RC_OP);
    if (read.status != RC_GOOD) return read.status;
    request->job.elem_bytes = rs_dtype_bytes(request->dtype);
    status = known != NULL ? take_plan(session, known, asked) : read_plan(session, asked);
    if (status == RC_GOOD) {
        status = rc_read_net(session, asked->schedule.n_ranks, &request->job.net);
    }
    if (status == RC_GOOD) status = read_faults(session, &request->job);
    if (status == RC_GOOD) status = rc_read_data(session, request);
    if (status == RC_GOOD) status = rc_read_how(session, request);
    const bool traced = options->value[RC_TRANSFERS] != NULL || options->value[RC_TRACE] != NULL;
    if (traced) request->trace_limit = INT64_MAX;
    if (status == RC_GOOD) status = rc_check_memory(session, request);
    return status == RC_GOOD ? rc_read_input(session, request) : status;
}

rc_exit rc_make_request(rc_session *session, rc_asked *asked) {
    return make(session, NULL, asked);
}

rc_exit rc_request_of(rc_session *session, const rs_schedule *known, rc_asked *asked) {
    return make(session, known, asked);
}
