/* verify_read.c: what `ringsim verify` is asked to run: world, schedule, types, sizes, data. On what
 * it runs is verify_setup.c's.
 *
 * Whatever is wrong ends in one line that begins with the option, before any process is started.
 */
#include "verify/verify.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ types */

static rc_exit read_types(const rc_options *options, rs_error *error, rc_verify_plan *plan) {
    const char *dtypes[RS_N_DTYPES + 1] = {NULL}, *ops[RS_N_OPS + 1] = {NULL};
    int chosen[RS_N_DTYPES];
    for (int i = 0; i < RS_N_DTYPES; i++) dtypes[i] = rs_dtype_name((rs_dtype)i);
    for (int i = 0; i < RS_N_OPS; i++) ops[i] = rs_op_name((rs_op)i);
    rc_exit status =
        rc_verify_words(options, RC_DTYPE, dtypes, RS_F32, error, chosen, &plan->n_dtypes);
    for (int i = 0; status == RC_GOOD && i < plan->n_dtypes; i++) {
        plan->dtypes[i] = (rs_dtype)chosen[i];
    }
    if (status != RC_GOOD) return status;
    status = rc_verify_words(options, RC_OP, ops, RS_SUM, error, chosen, &plan->n_ops);
    for (int i = 0; status == RC_GOOD && i < plan->n_ops; i++) plan->ops[i] = (rs_op)chosen[i];
    return status;
}

/* ------------------------------------------------------------------ numbers */

static rc_exit check_sizes(const rc_verify_plan *plan, rc_exit status, rs_error *reason) {
    enum { WIDEST = 8 }; /* bytes an element */
    for (int64_t i = 0; status == RC_GOOD && i < plan->n_sizes; i++) {
        if (plan->sizes[i] <= INT64_MAX / WIDEST / plan->setup.n_ranks) continue;
        status = rc_fail(reason, RC_USAGE, _("%lld is too much for %d ranks"),
                         (long long)plan->sizes[i], (int)plan->setup.n_ranks);
    }
    return status;
}

/* -b -e -f as in nccl-tests: from b to e, each f times the one before. */
static rc_exit read_steps(rc_session *session, rc_verify_plan *plan) {
    const rc_options *options = &session->options;
    rc_reader read = rc_reader_of(session);
    int64_t first = rc_read_number(&read, RC_MIN_BYTES), last = rc_read_number(&read, RC_MAX_BYTES);
    const int64_t factor = rc_read_number(&read, RC_STEP_FACTOR);
    if (read.status != RC_GOOD) return read.status;
    if (options->value[RC_MAX_BYTES] == NULL) last = first;
    if (last < first && options->value[RC_MIN_BYTES] == NULL) first = last;
    if (last < first || (first == 0 && last > 0)) {
        return rc_fail(session->error, RC_USAGE,
                       _("--maxbytes: sizes go from small to large, and a range starts above 0"));
    }
    plan->factor = factor;
    plan->sizes = rs_alloc(session->arena, 64, sizeof *plan->sizes); /* powers of 2 and more */
    if (plan->sizes == NULL) return rc_fail(session->error, RC_LACKS, _("no memory for the list"));
    for (int64_t size = first; size <= last && plan->n_sizes < 64; size *= factor) {
        plan->sizes[plan->n_sizes++] = size;
        if (size == 0 || size > last / factor) break;
    }
    rs_error reason;
    return rc_blame(options->value[RC_MAX_BYTES] != NULL ? RC_MAX_BYTES : RC_MIN_BYTES, &reason,
                    check_sizes(plan, RC_GOOD, &reason), session->error);
}

static rc_exit read_sizes(rc_session *session, rc_verify_plan *plan) {
    const rc_options *options = &session->options;
    const char *bytes = options->value[RC_BYTES], *count = options->value[RC_COUNT];
    const bool steps = options->value[RC_MIN_BYTES] != NULL ||
                       options->value[RC_MAX_BYTES] != NULL ||
                       options->value[RC_STEP_FACTOR] != NULL;
    if ((bytes != NULL) + (count != NULL) + steps > 1) {
        return rc_fail(session->error, RC_USAGE,
                       _("--count, --bytes and -b -e -f all say how much; give one of them"));
    }
    if (bytes == NULL && count == NULL) return read_steps(session, plan);
    rs_error reason;
    plan->sizes_are_counts = count != NULL;
    rc_exit status = rc_parse_sweep(count != NULL ? count : bytes, count == NULL, session->arena,
                                    &reason, &plan->sizes, &plan->n_sizes);
    status = check_sizes(plan, status, &reason);
    return rc_blame(count != NULL ? RC_COUNT : RC_BYTES, &reason, status, session->error);
}

static rc_exit read_world(rc_session *session, rc_verify_plan *plan) {
    const rc_options *options = &session->options;
    const char *algo = options->value[RC_ALGO] != NULL ? options->value[RC_ALGO] : "ring";
    const int32_t started = rg_launch_env_size();
    rc_reader read = rc_reader_of(session);
    int64_t n_ranks = rc_read_number(&read, RC_GPUS);
    const bool given = options->value[RC_GPUS] != NULL;
    rc_exit status = read.status;
    if (!given && started > 0) n_ranks = started;
    if (status == RC_GOOD && rc_is_file(algo)) {
        plan->file = algo;
        status =
            rc_read_schedule(session, algo, given ? (int32_t)n_ranks : 0, &plan->file_schedule);
        if (status != RC_GOOD) return status;
        n_ranks = plan->file_schedule.n_ranks;
    } else if (status == RC_GOOD) {
        status = rc_find_algorithm(algo, session->error, &plan->algorithm);
    }
    read.status = status;
    plan->order = (rs_order)rc_read_choice(&read, RC_ORDER);
    if (read.status != RC_GOOD) return read.status;
    if (options->value[RC_ORDER] != NULL && plan->algorithm == NULL) {
        return rc_fail(session->error, RC_USAGE,
                       _("--order: a schedule from a file has its own order; leave it out"));
    }
    if (plan->order == RS_ORDER_NCCL && strcmp(plan->algorithm->name, "ring") != 0) {
        return rc_fail(session->error, RC_USAGE,
                       _("--order nccl: only the ring has that order, not %s"),
                       plan->algorithm->name);
    }
    plan->setup.n_ranks = (int32_t)n_ranks;
    return RC_GOOD;
}

/* ------------------------------------------------------------------ the job's other parts */

static rc_exit read_job(rc_session *session, rc_verify_plan *plan) {
    rc_reader read = rc_reader_of(session);
    const int data = rc_read_choice(&read, RC_DATA), special = rc_read_choice(&read, RC_SPECIAL);
    plan->job.warmup = (int32_t)rc_read_number(&read, RC_WARMUP);
    plan->job.times = (int32_t)rc_read_number(&read, RC_ITERS);
    plan->job.seed = rc_read_seed(&read, RC_SEED);
    const int64_t timeout_ps = rc_read_number(&read, RC_TIMEOUT);
    if (read.status != RC_GOOD) return read.status;
    const int64_t timeout_ms = timeout_ps / 1000000000;
    if (timeout_ms < 1 || timeout_ms > 86400000) {
        return rc_fail(session->error, RC_USAGE, _("--timeout %.60s lies outside 1ms..1 day"),
                       session->options.value[RC_TIMEOUT]);
    }
    plan->job.data = (rs_data)(RS_DATA_DIGITS + data);
    plan->job.special = (rg_special)special;
    plan->job.timeout_ms = plan->setup.timeout_ms = (int32_t)timeout_ms;
    plan->job.oracle = true;
    plan->job.flip_rank = -1;
    plan->flip = session->options.value[RC_FLIP];
    return RC_GOOD;
}

/* A flip is checked against every size: an empty message has no bit. */
static rc_exit check_flip(const rc_options *options, rc_verify_plan *plan, rs_error *error) {
    if (options->n_repeated > 1) {
        return rc_fail(error, RC_USAGE, _("--flip: verify plants one fault a run; give one"));
    }
    for (int64_t i = 0; plan->flip != NULL && i < plan->n_sizes; i++) {
        for (int d = 0; d < plan->n_dtypes; d++) {
            const int64_t count = rc_verify_count_at(plan, plan->sizes[i], plan->dtypes[d]);
            rs_schedule schedule;
            rs_fault fault;
            rc_exit status = rc_verify_schedule(plan, count, error, &schedule);
            if (status == RC_GOOD) {
                status = rc_parse_fault(RC_FLIP, plan->flip, &schedule, count, error, &fault);
            }
            if (status != RC_GOOD) return status;
            plan->job.flip_rank = fault.rank;
            plan->job.flip_step = fault.step;
        }
    }
    return RC_GOOD;
}

rc_exit rc_verify_schedule(const rc_verify_plan *plan, int64_t count, rs_error *error,
                           rs_schedule *schedule) {
    if (plan->algorithm == NULL && count > 0) {
        *schedule = plan->file_schedule;
        return RC_GOOD;
    }
    const rs_algorithm *algorithm = plan->algorithm != NULL ? plan->algorithm : rs_algorithms[0];
    return rc_exit_of(
        rs_schedule_make(algorithm, plan->order, plan->setup.n_ranks, count, error, schedule));
}

rc_exit rc_verify_read(rc_session *session, rc_verify_plan *plan) {
    static const char *const near[] = {"build", ".", "../lib/ringsim", NULL};
    const char *installed = NULL;
#ifdef RINGSIM_MODULEDIR
    installed = RINGSIM_MODULEDIR;
#endif
    const rc_options *options = &session->options;
    rc_find_folders(session->program, near, installed, &plan->folders);
    plan->setup.start = rg_launch_env_mode();
    const ssize_t n = readlink("/proc/self/exe", plan->program, sizeof plan->program - 1);
    plan->setup.program = n > 0 ? plan->program : session->program;
    plan->setup.module_dirs = plan->folders.list;
    rc_exit status = rc_exit_of(rg_launch_env_check(session->error));
    if (status == RC_GOOD) status = read_world(session, plan);
    if (status == RC_GOOD) status = read_types(options, session->error, plan);
    if (status == RC_GOOD) status = read_sizes(session, plan);
    if (status == RC_GOOD) status = read_job(session, plan);
    if (status == RC_GOOD) status = rc_verify_setup(options, session->error, plan);
    if (status == RC_GOOD) status = check_flip(options, plan, session->error);
    return status;
}
