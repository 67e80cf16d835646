/* request.c: from what was typed to an rs_request, with every check that INTERFACE asks for.
 *
 *     types --> schedule's size --> count --> schedule --> net, faults --> values, data --> input
 *
 * The order matters: a count needs the type, a schedule the count, a fault the schedule. Whatever is
 * wrong ends in one line that begins with the option; nothing has been run or written by then.
 */
#include "base/text.h"
#include "base/units.h"
#include "ringsim_msccl.h"
#include "run/request.h"
#include "sandbox/learner.h"

#include <assert.h>
#include <string.h>

enum { DEFAULT_GPUS = 5, DEFAULT_BYTES = 100000000 };

/* ------------------------------------------------------------------ the schedule */

rc_sandbox_kind rc_kind_of_sandbox(const rc_options *options) {
    if (rc_given(options, RC_INTERPRET)) return RC_INTERPRETED;
    return (rc_sandbox_kind)options->value[RC_SANDBOX].number;
}

/* Builds and asks the C file; Ctrl-C ends that. */
static rc_exit read_learner(rc_session *session, const char *path, int32_t n_ranks,
                            rs_schedule *schedule) {
    const rc_sandbox_kind kind = rc_kind_of_sandbox(&session->options);
    if (session->host != NULL) rc_host_watch(session->host, true);
    const rc_exit status =
        rc_learner_schedule(session->program, kind, path, n_ranks, session->arena, session->error,
                            session->sandbox, schedule);
    if (session->host != NULL) rc_host_watch(session->host, false);
    return status;
}

static rc_exit read_msccl(rc_session *session, const char *path, const char *text, size_t n_bytes,
                          rs_schedule *schedule) {
    bool wrong;
    const rs_status status =
        rn_msccl_schedule(path, text, n_bytes, session->arena, session->error, &wrong, schedule);
    return wrong ? RC_NO : rc_exit_of_reader(status);
}

rc_exit rc_read_schedule(rc_session *session, const char *path, int32_t n_ranks,
                         rs_schedule *schedule) {
    char *text;
    size_t n_bytes;
    if (rc_ends_with(path, ".c")) {
        return read_learner(session, path, n_ranks > 0 ? n_ranks : DEFAULT_GPUS, schedule);
    }
    rc_exit status =
        rc_read_file(path, RC_TEXT_LIMIT, session->arena, session->error, &text, &n_bytes);
    if (status != RC_GOOD) return status;
    if (text[strspn(text, " \t\r\n")] == '<') {
        status = read_msccl(session, path, text, n_bytes, schedule);
    } else {
        status =
            rc_exit_of(rs_parse_schedule(text, n_bytes, session->arena, session->error, schedule));
        rc_prefix(session->error, status, "%.200s", path);
    }
    if (status != RC_GOOD) return status;
    if (n_ranks == 0 || n_ranks == schedule->n_ranks) {
        return rc_keep_source((rs_source){.file = path,
                                          .text = "",
                                          .n_steps = schedule->n_steps,
                                          .wrong_step = -1,
                                          .wrong_rank = -1},
                              session->arena, session->error, schedule);
    }
    return rc_fail(session->error, RC_USAGE,
                   _("--gpus %d: %.200s is for %d ranks; leave --gpus out"), (int)n_ranks, path,
                   (int)schedule->n_ranks);
}

/* Without elements there is nothing to send, whatever the file says. */
static rc_exit empty_run(rs_schedule *schedule, rs_error *error) {
    const char *name = schedule->name;
    const rs_spec spec = {.n_ranks = schedule->n_ranks, .root = schedule->root};
    const rs_status made =
        rs_schedule_from_spec(rs_algorithms_of(schedule->collective)[0], &spec, 0, error, schedule);
    schedule->name = name;
    return rc_exit_of(made);
}

/* A file may say of which collective it is; where it does not, the command line may. */
static rc_exit take_collective(const rc_options *options, const char *path, rs_error *error,
                               rs_schedule *schedule) {
    const rs_collective of = (rs_collective)options->value[RC_COLLECTIVE].number;
    const int32_t root = (int32_t)options->value[RC_ROOT].number;
    const bool says = schedule->collective != RS_COLL_ALL_REDUCE;
    if (says && ((rc_given(options, RC_COLLECTIVE) && of != schedule->collective) ||
                 (rc_given(options, RC_ROOT) && root != schedule->root))) {
        return rc_fail(error, RC_USAGE,
                       _("--collective, --root: %.200s says itself what it is; leave them out"),
                       path);
    }
    if (says || of == RS_COLL_ALL_REDUCE) return RC_GOOD;
    return rc_blame("collective", rc_exit_of(rs_schedule_as(schedule, of, root, error)), error);
}

/* Reads a schedule for the ranks and the collective that --gpus, --collective and --root say, where they say any; refuses
   the options that a file leaves no choice. */
static rc_exit read_file_schedule(rc_session *session, const char *path, rs_schedule *schedule) {
    const rc_options *options = &session->options;
    const int32_t n_ranks =
        rc_given(options, RC_GPUS) ? (int32_t)options->value[RC_GPUS].number : 0;
    const rc_exit status = rc_read_schedule(session, path, n_ranks, schedule);
    if (status != RC_GOOD) return status;
    if (rc_given(options, RC_ORDER)) {
        return rc_fail(session->error, RC_USAGE,
                       _("--order: a schedule from a file has its own order; leave it out"));
    }
    if (rc_given(options, RC_CHANNELS)) {
        return rc_fail(session->error, RC_USAGE,
                       _("--channels: a schedule from a file has its own; leave it out"));
    }
    if (rc_given(options, RC_PIECES)) {
        return rc_fail(session->error, RC_USAGE,
                       _("--chunks: a schedule from a file has its own chunks; leave it out"));
    }
    return take_collective(options, path, session->error, schedule);
}

/* ------------------------------------------------------------------ how much */

static rc_exit count_of_bytes(const rc_value *bytes, int32_t elem_bytes, rs_error *error,
                              int64_t *count) {
    if (bytes->number % elem_bytes != 0) {
        return rc_fail(error, RC_USAGE,
                       _("--bytes %.60s: %lld bytes are no whole number of elements of %d bytes"),
                       bytes->text, (long long)bytes->number, (int)elem_bytes);
    }
    *count = bytes->number / elem_bytes;
    return RC_GOOD;
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
    const rc_value *elements = &options->value[RC_COUNT], *bytes = &options->value[RC_BYTES];
    if (elements->text != NULL && bytes->text != NULL) {
        return rc_fail(error, RC_USAGE, _("--count and --bytes say the same thing; give one"));
    }
    if (bytes->text != NULL) return count_of_bytes(bytes, elem_bytes, error, count);
    if (elements->text != NULL) {
        *count = elements->number;
        if (*count <= INT64_MAX / elem_bytes) return RC_GOOD;
        return rc_blame("count", rc_outside(elements->text, 0, INT64_MAX / elem_bytes, error),
                        error);
    }
    if (rc_given(options, RC_INPUT)) {
        return count_of_input(options->value[RC_INPUT].text, n_ranks, elem_bytes, error, count);
    }
    *count = DEFAULT_BYTES / elem_bytes;
    return RC_GOOD;
}

/* All that a rank may ever send must stay countable. */
static rc_exit check_volume(const rs_schedule *schedule, int32_t n_ranks, int64_t count,
                            int32_t elem_bytes, rs_error *error) {
    int64_t messages = n_ranks;
    if (schedule != NULL && schedule->table != NULL && schedule->n_transfers > messages) {
        messages = schedule->n_transfers;
    }
    assert(count >= 0 && messages >= 1 && elem_bytes >= 1);
    const int64_t most = INT64_MAX / 2 / messages / elem_bytes;
    if (count <= most) return RC_GOOD;
    return rc_fail(error, RC_USAGE,
                   _("%lld elements a rank are too many for %d GPUs; at most %lld can be counted"),
                   (long long)count, (int)n_ranks, (long long)most);
}

rc_exit rc_check_collective(const rc_options *options, rs_collective of, rs_error *error) {
    const char *name = rs_collective_name(of);
    if (rc_given(options, RC_ROOT) && !rs_collective_rooted(of)) {
        return rc_fail(error, RC_USAGE, _("--root: only broadcast and reduce have one, not %s"),
                       name);
    }
    if (rc_given(options, RC_ORDER) && of != RS_COLL_ALL_REDUCE) {
        return rc_fail(error, RC_USAGE,
                       _("--order: only the all-reduce has a choice; of %s shard r is rank r's"),
                       name);
    }
    if (rc_given(options, RC_OP) && !rs_collective_reduces(of)) {
        return rc_fail(error, RC_USAGE, _("--op: %s only copies; leave it out"), name);
    }
    return RC_GOOD;
}

/* Every rank has as many elements for each: takes as many as fit where nobody said how many. */
static rc_exit divide_count(const rc_options *options, int32_t n_ranks, rs_error *error,
                            int64_t *count) {
    const bool said =
        rc_given(options, RC_COUNT) || rc_given(options, RC_BYTES) || rc_given(options, RC_INPUT);
    if (!said) *count -= *count % n_ranks;
    if (*count % n_ranks == 0) return RC_GOOD;
    return rc_fail(
        error, RC_USAGE,
        _("%lld elements: an all-to-all among %d GPUs needs as many for each; take %lld"),
        (long long)*count, (int)n_ranks, (long long)(*count - *count % n_ranks));
}

/* Puts the ranks on the machine, once. */
static rc_exit take_place(rc_session *session, const rs_machine *machine, int32_t n_ranks,
                          rs_net *net) {
    if (machine == NULL || net->machine != NULL) return RC_GOOD;
    net->machine = machine;
    return rc_take_place(session, machine, n_ranks, &net->place);
}

rc_exit rc_choose(rc_session *session, int32_t n_ranks, rc_choice *choice) {
    const rc_options *options = &session->options;
    const rc_value *algo = &options->value[RC_ALGO];
    *choice = (rc_choice){.collective = (rs_collective)options->value[RC_COLLECTIVE].number,
                          .spec = {.n_ranks = n_ranks,
                                   .order = (rs_order)options->value[RC_ORDER].number,
                                   .root = (int32_t)options->value[RC_ROOT].number,
                                   .n_pieces = (int32_t)options->value[RC_PIECES].number}};
    rc_exit status;
    if (algo->number == RC_A_FILE) {
        choice->file = algo->text;
        status = read_file_schedule(session, algo->text, &choice->schedule);
        if (status != RC_GOOD) return status;
        choice->collective = choice->schedule.collective;
        choice->spec.n_ranks = choice->schedule.n_ranks;
        choice->spec.root = choice->schedule.root;
    } else {
        status = rc_algorithm_of(choice->collective, algo, session->error, &choice->algorithm);
        if (status != RC_GOOD) return status;
    }
    status = rc_check_collective(options, choice->collective, session->error);
    if (status != RC_GOOD || choice->algorithm == NULL || choice->spec.order != RS_ORDER_NCCL ||
        strcmp(choice->algorithm->name, "ring") == 0)
        return status;
    return rc_fail(session->error, RC_USAGE,
                   _("--order nccl: only the ring has that order, not %s"),
                   choice->algorithm->name);
}

/* Reads how many elements a rank has; of the array there may be more. */
static rc_exit take_count(rc_session *session, rs_collective of, int32_t n_ranks, rs_job *job) {
    rc_exit status = read_count(session, n_ranks, job->elem_bytes, &job->count);
    if (status == RC_GOOD && of == RS_COLL_ALL_TO_ALL)
        status = divide_count(&session->options, n_ranks, session->error, &job->count);
    if (status != RC_GOOD) return status;
    if (job->count > INT64_MAX / n_ranks)
        return check_volume(NULL, n_ranks, job->count, job->elem_bytes, session->error);
    job->count = rs_array_count(of, n_ranks, job->count);
    return RC_GOOD;
}

/* Makes the schedule and the count: each may need the other. */
static rc_exit read_plan(rc_session *session, rc_asked *asked) {
    const rc_options *options = &session->options;
    rs_job *job = &asked->request.job;
    rc_choice choice;
    int32_t n_ranks = (int32_t)options->value[RC_GPUS].number;
    if (asked->machine != NULL && !rc_given(options, RC_GPUS)) n_ranks = asked->machine->n_gpus;
    rc_exit status = rc_choose(session, n_ranks, &choice);
    if (status != RC_GOOD) return status;
    n_ranks = choice.spec.n_ranks;
    asked->file = choice.file;
    asked->schedule = choice.schedule;
    status = take_count(session, choice.collective, n_ranks, job);
    if (status != RC_GOOD) return status;
    if (choice.algorithm != NULL) {
        choice.spec.n_channels = rc_channels(options, asked->machine, choice.algorithm);
        status = take_place(session, asked->machine, n_ranks, &job->net);
        if (status == RC_GOOD)
            status = rc_take_nodes(session, &job->net, choice.algorithm, &choice.spec);
        if (status == RC_GOOD)
            status = rc_exit_of(rs_schedule_from_spec(choice.algorithm, &choice.spec, job->count,
                                                      session->error, &asked->schedule));
    } else if (job->count == 0) {
        status = empty_run(&asked->schedule, session->error);
    }
    if (status != RC_GOOD) return status;
    job->schedule = &asked->schedule;
    return check_volume(&asked->schedule, n_ranks, job->count, job->elem_bytes, session->error);
}

/* ------------------------------------------------------------------ the network and its faults */

static rc_exit read_links(rc_session *session, int32_t n_ranks, rs_net *net) {
    const char *path = session->options.value[RC_LINKS].text;
    if (path == NULL) return RC_GOOD;
    char *text;
    size_t n_bytes;
    rs_error *error = session->error;
    rs_link_override *overrides = NULL;
    rc_exit status = rc_read_file(path, RC_TEXT_LIMIT, session->arena, error, &text, &n_bytes);
    if (status != RC_GOOD) return rc_blame("links", status, error);
    status = rc_parse_links(text, n_bytes, n_ranks, session->arena, error, &overrides,
                            &net->n_overrides);
    net->overrides = overrides;
    return rc_prefix(error, status, "--links %.200s", path);
}

rc_exit rc_read_net(rc_session *session, int32_t n_ranks, rs_net *net) {
    const rc_value *value = session->options.value;
    *net = (rs_net){.protocol = (rs_protocol)value[RC_PROTOCOL].number,
                    .link.alpha_ps = value[RC_ALPHA].number,
                    .link.bandwidth_Bps = (uint64_t)value[RC_BANDWIDTH].number,
                    .reduce_Bps = (uint64_t)value[RC_REDUCE_RATE].number,
                    .machine = net->machine,
                    .place = net->place};
    return read_links(session, n_ranks, net);
}

static rc_exit read_faults(rc_session *session, rs_job *job) {
    const rc_options *options = &session->options;
    const int n = options->n_repeated;
    rs_fault *faults = rs_alloc(session->arena, (size_t)n + 1, sizeof *faults);
    if (faults == NULL) return rc_no_memory(session->error);
    job->faults = faults;
    for (int i = 0; i < n; i++) {
        const rc_repeated *typed = &options->repeated[i];
        if (typed->id == RC_CUT || rc_is_between_devices(&typed->value.fault)) continue; /* done */
        const rc_exit status = rc_check_fault(typed, job->schedule, job->count, session->error);
        if (status != RC_GOOD) return status;
        faults[job->n_faults++] = typed->value.fault;
    }
    return RC_GOOD;
}

/* Standard input can be read only once. */
static rc_exit check_stdin(const rc_options *options, rs_error *error) {
    static const rc_option_id readers[] = {RC_ALGO, RC_LINKS, RC_INPUT};
    int n = 0;
    for (int i = 0; i < 3; i++) {
        const char *path = options->value[readers[i]].text;
        n += path != NULL && strcmp(path, "-") == 0;
    }
    if (n <= 1) return RC_GOOD;
    return rc_fail(error, RC_USAGE, _("only one of --algo, --links and --input can be -"));
}

/* Takes the schedule that is there already; only the count is asked for. */
static rc_exit take_plan(rc_session *session, const rs_schedule *known, rc_asked *asked) {
    rs_job *job = &asked->request.job;
    asked->schedule = *known;
    assert(known->n_ranks >= 1);
    job->schedule = &asked->schedule;
    rc_exit status = rc_check_collective(&session->options, known->collective, session->error);
    if (status == RC_GOOD) status = take_count(session, known->collective, known->n_ranks, job);
    if (status != RC_GOOD) return status;
    return check_volume(known, known->n_ranks, job->count, job->elem_bytes, session->error);
}

static rc_exit make(rc_session *session, const rs_schedule *known, rc_asked *asked) {
    const rc_options *options = &session->options;
    rs_request *request = &asked->request;
    *asked = (rc_asked){0};
    rc_exit status = check_stdin(options, session->error);
    if (status != RC_GOOD) return status;
    request->dtype = (rs_dtype)options->value[RC_DTYPE].number;
    request->op = (rs_op)options->value[RC_OP].number;
    request->job.elem_bytes = rs_dtype_bytes(request->dtype);
    status = rc_take_machine(session, &asked->machine);
    if (status != RC_GOOD) return status;
    status = known != NULL ? take_plan(session, known, asked) : read_plan(session, asked);
    if (status == RC_GOOD) {
        status = rc_read_net(session, asked->schedule.n_ranks, &request->job.net);
    }
    if (status == RC_GOOD) {
        status = take_place(session, asked->machine, asked->schedule.n_ranks, &request->job.net);
    }
    if (status == RC_GOOD) status = read_faults(session, &request->job);
    if (status == RC_GOOD) status = rc_take_values(session, request);
    const bool traced = rc_given(options, RC_TRANSFERS) || rc_given(options, RC_TRACE) ||
                        rc_given(options, RC_DUMP);
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
