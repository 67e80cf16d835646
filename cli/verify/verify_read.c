/* verify_read.c: what `ringsim verify` is asked to run: world, schedule, types, sizes, data. On what
 * it runs is verify_setup.c's.
 *
 * Whatever is wrong ends in one line that begins with the option, before any process is started.
 */
#include "verify/verify.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

/* ------------------------------------------------------------------ types */

/* Returns the i-th of the words that were given; of `all`, whatever is i-th. */
static int word_at(const rc_value *words, int i) {
    return words->n > 0 ? (int)words->list[i] : i;
}

static void take_types(const rc_options *options, rc_verify_plan *plan) {
    const rc_value *dtypes = &options->value[RC_DTYPE], *ops = &options->value[RC_OP];
    plan->n_dtypes = dtypes->n > 0 ? (int)dtypes->n : RS_N_DTYPES;
    plan->n_ops = ops->n > 0 ? (int)ops->n : RS_N_OPS;
    for (int i = 0; i < plan->n_dtypes; i++) plan->dtypes[i] = (rs_dtype)word_at(dtypes, i);
    for (int i = 0; i < plan->n_ops; i++) plan->ops[i] = (rs_op)word_at(ops, i);
}

/* ------------------------------------------------------------------ numbers */

static rc_exit check_sizes(const rc_verify_plan *plan, const char *option, rs_error *error) {
    enum { WIDEST = 8 }; /* bytes an element */
    const int64_t n = plan->setup.n_ranks;
    assert(n >= 1);
    for (int64_t i = 0; i < plan->n_sizes; i++) {
        if (plan->sizes[i] <=
            INT64_MAX / WIDEST / n / rs_array_count(plan->choice.collective, (int32_t)n, 1))
            continue;
        rc_fail(error, RC_USAGE, _("%lld is too much for %d ranks"), (long long)plan->sizes[i],
                (int)plan->setup.n_ranks);
        return rc_blame(option, RC_USAGE, error);
    }
    return RC_GOOD;
}

/* -b -e -f as in nccl-tests: from b to e, each f times the one before. */
static rc_exit read_steps(rc_session *session, rc_verify_plan *plan) {
    const rc_options *options = &session->options;
    int64_t first = options->value[RC_MIN_BYTES].number, last = options->value[RC_MAX_BYTES].number;
    const int64_t factor = options->value[RC_STEP_FACTOR].number;
    if (!rc_given(options, RC_MAX_BYTES)) last = first;
    if (last < first && !rc_given(options, RC_MIN_BYTES)) first = last;
    if (last < first || (first == 0 && last > 0)) {
        return rc_fail(session->error, RC_USAGE,
                       _("--maxbytes: sizes go from small to large, and a range starts above 0"));
    }
    plan->factor = factor;
    plan->sizes = rs_alloc(session->arena, 64, sizeof *plan->sizes); /* powers of 2 and more */
    if (plan->sizes == NULL) return rc_no_memory(session->error);
    assert(factor >= 2 && first >= 0);
    for (int64_t size = first; size <= last && plan->n_sizes < 64; size *= factor) {
        plan->sizes[plan->n_sizes++] = size;
        if (size == 0 || size > last / factor) break;
    }
    return check_sizes(plan, rc_given(options, RC_MAX_BYTES) ? "maxbytes" : "minbytes",
                       session->error);
}

static rc_exit read_sizes(rc_session *session, rc_verify_plan *plan) {
    const rc_options *options = &session->options;
    const bool bytes = rc_given(options, RC_BYTES), count = rc_given(options, RC_COUNT);
    const bool steps = rc_given(options, RC_MIN_BYTES) || rc_given(options, RC_MAX_BYTES) ||
                       rc_given(options, RC_STEP_FACTOR);
    if (bytes + count + steps > 1) {
        return rc_fail(session->error, RC_USAGE,
                       _("--count, --bytes and -b -e -f all say how much; give one of them"));
    }
    if (!bytes && !count) return read_steps(session, plan);
    const rc_value *sizes = &options->value[count ? RC_COUNT : RC_BYTES];
    plan->sizes_are_counts = count;
    plan->sizes = sizes->list;
    plan->n_sizes = sizes->n;
    return check_sizes(plan, count ? "count" : "bytes", session->error);
}

/* Reads the choice, and tries to make the schedule of an algorithm. */
static rc_exit read_world(rc_session *session, rc_verify_plan *plan) {
    const rc_options *options = &session->options;
    const int32_t started = rg_launch_env_size();
    const bool given = rc_given(options, RC_GPUS);
    rc_choice *choice = &plan->choice;
    rs_schedule tried;
    plan->sandbox = session->sandbox; /* written when a C file is read */
    rc_exit status = rc_choose(
        session, !given && started > 0 ? started : (int32_t)options->value[RC_GPUS].number, choice);
    if (status != RC_GOOD) return status;
    plan->setup.n_ranks = choice->spec.n_ranks;
    if (choice->algorithm == NULL) return RC_GOOD;
    choice->spec.n_channels = rc_channels(options, NULL, choice->algorithm);
    status = rc_take_nodes(session, NULL, choice->algorithm, &choice->spec);
    return status == RC_GOOD ? rc_verify_schedule(plan, 1, session->error, &tried) : status;
}

/* Reads the algorithms of --beside, and tries them. */
static rc_exit read_beside(rc_session *session, rc_verify_plan *plan) {
    const rc_value *named = &session->options.value[RC_BESIDE];
    plan->beside[plan->n_beside++] = plan->choice.algorithm;
    if (named->n >= RC_MOST_BESIDE) {
        return rc_fail(session->error, RC_USAGE, _("--beside takes at most %d algorithms"),
                       RC_MOST_BESIDE - 1);
    }
    if (named->n > 0 && session->options.n_repeated > 0) {
        return rc_fail(session->error, RC_USAGE,
                       _("--beside: a flip is of one schedule's step; leave one of them out"));
    }
    for (int64_t i = 0; i < named->n; i++) {
        const rc_value one = {.text = named->text, .number = named->list[i]};
        rc_verify_plan other = *plan;
        rs_schedule tried;
        rc_exit status =
            rc_algorithm_of(plan->choice.collective, &one, session->error, &other.choice.algorithm);
        if (status == RC_GOOD) status = rc_verify_schedule(&other, 1, session->error, &tried);
        if (status != RC_GOOD) return rc_blame("beside", status, session->error);
        if (other.choice.algorithm != plan->choice.algorithm)
            plan->beside[plan->n_beside++] = other.choice.algorithm;
    }
    return RC_GOOD;
}

/* ------------------------------------------------------------------ the job's other parts */

static rc_exit read_job(rc_session *session, rc_verify_plan *plan) {
    const rc_value *value = session->options.value;
    const int64_t timeout_ms = value[RC_TIMEOUT].number / 1000000000;
    if (timeout_ms < 1 || timeout_ms > 86400000) {
        return rc_fail(session->error, RC_USAGE, _("--timeout %.60s lies outside 1ms..1 day"),
                       value[RC_TIMEOUT].text);
    }
    plan->job.warmup = (int32_t)value[RC_WARMUP].number;
    plan->job.times = (int32_t)value[RC_ITERS].number;
    plan->job.seed = (uint64_t)value[RC_SEED].number;
    plan->job.data = (rs_data)(RS_DATA_DIGITS + value[RC_DATA].number);
    plan->job.special = (rg_special)value[RC_SPECIAL].number;
    plan->job.timeout_ms = plan->setup.timeout_ms = (int32_t)timeout_ms;
    plan->job.oracle = true;
    plan->job.check_every = value[RC_CHECK].number == RC_CHECK_EVERY;
    plan->job.flip_rank = -1;
    return RC_GOOD;
}

/* Tells whether it matters how this process was started: what runs in one process does not mind a world
   size that somebody has exported. */
static bool asks_launcher(const rc_options *options) {
    const rc_value *on = &options->value[RC_ON];
    bool asks = !rc_given(options, RC_ON) || getenv("RANK") != NULL;
    for (int64_t i = 0; i < on->n; i++) {
        asks = asks || on->list[i] == RG_MPI || on->list[i] == RG_NCCL;
    }
    return asks;
}

/* A flip is checked against every size: an empty message has no bit. */
static rc_exit check_flip(const rc_options *options, rc_verify_plan *plan, rs_error *error) {
    if (options->n_repeated > 1) {
        return rc_fail(error, RC_USAGE, _("--flip: verify plants one fault a run; give one"));
    }
    for (int64_t i = 0; options->n_repeated > 0 && i < plan->n_sizes; i++) {
        for (int d = 0; d < plan->n_dtypes; d++) {
            const int64_t count = rc_verify_count_at(plan, plan->sizes[i], plan->dtypes[d]);
            rs_schedule schedule;
            rc_exit status = rc_verify_schedule(plan, count, error, &schedule);
            if (status == RC_GOOD) {
                status = rc_check_fault(
                    &options->repeated[0], &schedule,
                    rs_array_count(plan->choice.collective, plan->setup.n_ranks, count), error);
            }
            if (status != RC_GOOD) return status;
            plan->job.flip_rank = options->repeated[0].value.fault.rank;
            plan->job.flip_step = options->repeated[0].value.fault.step;
        }
    }
    return RC_GOOD;
}

rc_exit rc_verify_schedule(const rc_verify_plan *plan, int64_t count, rs_error *error,
                           rs_schedule *schedule) {
    if (plan->choice.algorithm == NULL && count > 0) {
        *schedule = plan->choice.schedule;
        return RC_GOOD;
    }
    const rs_algorithm *algorithm = plan->choice.algorithm != NULL
                                        ? plan->choice.algorithm
                                        : rs_algorithms_of(plan->choice.collective)[0];
    rs_spec spec = plan->choice.spec;
    spec.n_ranks = plan->setup.n_ranks;
    return rc_exit_of(rs_schedule_from_spec(algorithm, &spec, count, error, schedule));
}

rc_exit rc_verify_read(rc_session *session, rc_verify_plan *plan) {
    const rc_options *options = &session->options;
    rc_find_folders(session->program, RC_MODULES, &plan->folders);
    plan->setup.mode = rg_launch_env_mode();
    const ssize_t n = readlink("/proc/self/exe", plan->program, sizeof plan->program - 1);
    plan->setup.program = n > 0 ? plan->program : session->program;
    plan->setup.module_dirs = plan->folders.list;
    take_types(options, plan);
    rc_exit status = RC_GOOD;
    if (asks_launcher(options)) status = rc_exit_of(rg_launch_env_check(session->error));
    if (status == RC_GOOD) status = read_world(session, plan);
    if (status == RC_GOOD) status = read_beside(session, plan);
    if (status == RC_GOOD) status = read_sizes(session, plan);
    if (status == RC_GOOD) status = read_job(session, plan);
    if (status == RC_GOOD) status = rc_verify_setup(options, session->error, plan);
    if (status == RC_GOOD) status = check_flip(options, plan, session->error);
    return status;
}
