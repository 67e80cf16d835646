/* cmd_verify.c: `ringsim verify`: the schedule, run for real on whatever is here, compared bit by bit.
 *
 *     plan --> report --> verify_run.c: each backend, each row --> table, trace, JSON --> verdict
 *
 *   - Exit 0: all that ran is right; 1: something is wrong or did not end; 3: a backend that was
 *     named could not run, even if others were right; with --on auto it is only left out.
 *   - Of several processes that mpirun started, only the first prints.
 */
#include "base/units.h"
#include "run/show.h"
#include "verify/verify.h"

#include <assert.h>
#include <unistd.h>

/* Lists the rows of the table: types, operations, sizes. */
static rc_verify_row *list_rows(const rc_verify_plan *plan, rs_arena *arena, int64_t *n_rows) {
    const int64_t n = (int64_t)plan->n_dtypes * plan->n_ops * plan->n_sizes;
    rc_verify_row *rows = rs_alloc(arena, (size_t)n, sizeof *rows), *at = rows;
    for (int d = 0; rows != NULL && d < plan->n_dtypes; d++) {
        for (int o = 0; o < plan->n_ops; o++) {
            for (int64_t i = 0; i < plan->n_sizes; i++, at++) {
                const rs_dtype dtype = plan->dtypes[d];
                const int64_t count = rc_verify_count_at(plan, plan->sizes[i], dtype);
                *at = (rc_verify_row){.dtype = dtype,
                                      .op = plan->ops[o],
                                      .count = count,
                                      .n_bytes = count * rs_dtype_bytes(dtype)};
            }
        }
    }
    *n_rows = n;
    return rows;
}

static bool add_backend(rc_session *session, rc_verify_report *report, rg_kind kind, int32_t kernel,
                        const rs_algorithm *algorithm) {
    assert(report->n_backends < RC_MOST_BACKENDS);
    rc_verify_backend *backend = &report->backends[report->n_backends++];
    backend->kind = kind;
    backend->kernel = kernel;
    backend->algorithm = algorithm;
    const int n = snprintf(backend->name, sizeof backend->name, kernel > 0 ? "%s kernel %d" : "%s",
                           rg_kind_name(kind), (int)kernel);
    if (report->plan->n_beside > 1) {
        snprintf(backend->name + n, sizeof backend->name - (size_t)n, " %s",
                 algorithm != NULL ? algorithm->name : report->name);
    }
    backend->rows = list_rows(report->plan, session->arena, &report->n_rows);
    return backend->rows != NULL;
}

static rc_exit make_report(rc_session *session, const rc_verify_plan *plan,
                           rc_verify_report *report) {
    *report =
        (rc_verify_report){.plan = plan, .n_ranks = plan->setup.n_ranks, .started = time(NULL)};
    report->name = plan->choice.file != NULL ? plan->choice.file : plan->choice.algorithm->name;
    for (int k = 0; k < RG_N_KINDS; k++) {
        const int n = k == RG_CUDA && plan->n_kernels > 0 ? plan->n_kernels : 1;
        for (int i = 0; plan->wanted[k] && i < n; i++) {
            const int32_t kernel = k == RG_CUDA && plan->n_kernels > 0 ? plan->kernels[i] : 0;
            for (int a = 0; a < plan->n_beside; a++) {
                if (!add_backend(session, report, (rg_kind)k, kernel, plan->beside[a]))
                    return rc_no_memory(session->error);
            }
        }
    }
    return RC_GOOD;
}

static rc_exit verdict_of(const rc_verify_report *report) {
    bool wrong = false, lacking = false, any = false, climbed = false;
    for (int i = 0; i < report->n_backends; i++) {
        climbed = climbed || (report->plan->every_kernel && report->backends[i].kernel > 0 &&
                              report->backends[i].ran);
    }
    for (int i = 0; i < report->n_backends; i++) {
        const bool ran = report->backends[i].ran;
        any = any || ran;
        wrong = wrong || (ran && !rc_backend_right(report, i));
        lacking = lacking || (!ran && !(climbed && report->backends[i].kernel > 0));
    }
    if (wrong) return RC_NO;
    return (lacking && report->plan->by_name) || !any ? RC_LACKS : RC_GOOD;
}

/* The end of the report, and the trace. */
static rc_exit end_report(rc_session *session, const rc_verify_report *report, rc_file *file) {
    const bool text = !rc_given(&session->options, RC_JSON);
    rc_exit status = RC_GOOD;
    if (text) rc_verify_ladder(report);
    if (text) rc_verify_beside(report);
    if (text) status = rc_verify_learnt(session, report);
    if (status == RC_GOOD && report->plan->trace != NULL)
        status = rc_verify_trace(session, report, file);
    if (text) {
        rc_print_sandbox(session, "# ");
        rc_verify_count(report);
    } else {
        rc_verify_json(report, session->arguments, stdout);
    }
    return status;
}

static rc_exit verify(rc_session *session, const rc_verify_plan *plan) {
    rc_verify_report report;
    rc_file file = {0};
    const bool reports = rg_launch_env_rank() == 0;
    if (!reports) rc_host_hush(session->host);
    rc_exit status = make_report(session, plan, &report);
    if (status == RC_GOOD && plan->trace != NULL && reports) {
        status = rc_file_open("trace", plan->trace, session->error, &file);
    }
    if (status == RC_GOOD && plan->dump != NULL) {
        status = rc_dump_open(plan->dump, session->error);
        if (status == RC_GOOD && reports) rc_dump_clear(plan->dump);
    }
    if (status == RC_GOOD) status = rc_verify_run(session, &report);
    if (status == RC_GOOD && plan->dump != NULL) status = rc_verify_dump(session, &report);
    if (status == RC_GOOD) {
        const rc_exit reported = reports ? end_report(session, &report, &file) : RC_GOOD;
        status = verdict_of(&report);
        /* what is wrong comes first */
        if (reported != RC_GOOD && status != RC_NO) status = reported;
    }
    rc_file_discard(&file);
    return status;
}

/* A spawned rank: no words of its own, jobs come through a pipe. */
static rc_exit serve(rc_session *session, const rc_verify_plan *plan) {
    rc_host_hush(session->host);
    return rc_exit_of(rg_serve(&plan->setup, STDIN_FILENO, STDOUT_FILENO, session->error));
}

/* Whoever was started as a rank by mistake would wonder why it says nothing. */
static void hint(const rc_verify_plan *plan) {
    if (rg_launch_env_rank() == 0 || plan->wanted[RG_MPI] || plan->wanted[RG_NCCL]) return;
    char words[200];
    rg_launch_env_words(words, sizeof words);
    fprintf(stderr, _("ringsim: rank 0 reports, and this is rank %d (%s)\n"),
            (int)rg_launch_env_rank(), words);
}

static rc_exit cmd_verify(rc_session *session) {
    rc_verify_plan plan = {0};
    rc_exit status = rc_verify_read(session, &plan);
    if (status == RC_GOOD) {
        status = rg_served_kind() >= 0 ? serve(session, &plan) : verify(session, &plan);
    }
    if (rg_launch_env_rank() == 0) return status;
    session->error->text[0] = '\0'; /* the first says it for all */
    hint(&plan);
    /* Launchers end everybody as soon as one ends badly: let the first speak. */
    if (status != RC_GOOD) sleep(1);
    return status;
}

/* ------------------------------------------------------------------ its row */

static const char *kind_at(int i) {
    return i < RG_N_KINDS ? rg_kind_name((rg_kind)i) : NULL;
}

static const char *special_at(int i) {
    return i < RG_N_SPECIALS ? rg_special_name((rg_special)i) : NULL;
}

static const rc_option own_options[] = {
    {RC_GPUS, NULL, 0, "N", N_("world size, 5; as many as mpirun, torchrun, srun have started"),
     RC_INTEGER(1, 4096, "5")},
    {RC_ON, "on", 0, "auto|LIST",
     N_("what runs it: cpu, cuda, nccl, mpi; auto (default): all that can"),
     RC_TYPE(rc_as_words, NULL, .name_at = kind_at, .word = "auto")},
    {RC_ALGO, NULL, 0, "NAME|FILE.sched",
     N_("ring (default), naive, two-level, ...: see list; or a file"), NULL},
    {RC_COUNT, NULL, 0, "LIST", N_("elements per rank: a list or range such as 1,1000 or 1..1024"),
     RC_TYPE(rc_as_counts, NULL)},
    {RC_BYTES, NULL, 0, "LIST", N_("bytes per rank, 4MiB: a list or range such as 1KiB..1GiB"),
     RC_TYPE(rc_as_sizes, NULL)},
    {RC_MIN_BYTES, "minbytes", 'b', "SIZE", N_("the smallest size, as in nccl-tests; 4MiB"),
     RC_AMOUNT(RC_IN_BYTES, "4MiB")},
    {RC_MAX_BYTES, "maxbytes", 'e', "SIZE", N_("the largest size"), RC_AMOUNT(RC_IN_BYTES, "4MiB")},
    {RC_STEP_FACTOR, "stepfactor", 'f', "F", N_("each size is F times the one before, 2"),
     RC_INTEGER(2, 1 << 20, "2")},
    {RC_DTYPE, NULL, 0, "LIST|all", N_("i8 u8 i32 u32 i64 u64 f16 bf16 f32 f64; f32"),
     RC_TYPE(rc_as_words, "f32", .name_at = rc_dtype_at, .word = "all")},
    {RC_OP, NULL, 0, "LIST|all", N_("sum prod min max avg; sum"),
     RC_TYPE(rc_as_words, "sum", .name_at = rc_op_at, .word = "all")},
    {RC_DATA, NULL, 0, "digits|index|random|exact", N_("what the ranks hold; random"),
     RC_ONE_OF("random", "digits", "index", "random", "exact")},
    {RC_SPECIAL, "special", 0, "plain|nan|inf|...",
     N_("values planted into the data: nan inf negative-zero subnormal overflow"),
     RC_NAMED(special_at, NULL)},
    {RC_WARMUP, "warmup", 'w', "N", N_("runs before the clock counts, 1"),
     RC_INTEGER(0, 1000000, "1")},
    {.id = RC_ITERS, .type = RC_INTEGER(1, 1000000, "5")},
    {RC_CHECK, NULL, 0, "last|every",
     N_("which timed runs are judged: the last (default), or every one"),
     RC_ONE_OF("last", "last", "every")},
    {RC_TIMEOUT, "timeout", 0, "TIME", N_("how long ranks may wait for each other, 60s"),
     RC_AMOUNT(RC_IN_PS, "60s")},
    {RC_INIT, "init", 0, "URL",
     N_("where nccl's ranks meet: env://, tcp://HOST:PORT, file:///PATH"),
     RC_TYPE(rc_as_init, NULL)},
    {RC_HOSTFILE, "hostfile", 0, "FILE", N_("mpi: the machines, for mpirun"),
     RC_TYPE(rc_as_hostfile, NULL)},
    {RC_KERNEL, "kernel", 0, "LIST|all",
     N_("cuda: kernel variants 1..7, a table each; else the best"),
     RC_TYPE(rc_as_words, NULL,
             .names = (const char *const[]){"1", "2", "3", "4", "5", "6", "7", NULL},
             .word = "all")},
    {RC_BESIDE, "beside", 0, "LIST",
     N_("other algorithms on the same data: times and bits side by side"),
     RC_TYPE(rc_as_words, NULL, .name_at = rc_any_algorithm_at)},
    {RC_FLIP, NULL, 0, "RANK@STEP", N_("plant a fault: a bit of what it sends in a step flips"),
     NULL},
    {.id = RC_JSON, .help = N_("the report as nccl-tests' -J writes it, and more")},
    {.id = RC_DUMP,
     .help = N_("mpi, nccl: where ranks stand that wait too long, for ringsim hang")},
};

const rc_command rc_command_verify = {
    .name = "verify",
    .operands = "",
    .summary = N_("run the schedule for real and compare bit by bit"),
    RC_TAKES(RC_GPUS, RC_COLLECTIVE, RC_ROOT, RC_ON, RC_ALGO, RC_PIECES, RC_CHANNELS, RC_ORDER,
             RC_PER_NODE, RC_COUNT, RC_BYTES, RC_MIN_BYTES, RC_MAX_BYTES, RC_STEP_FACTOR, RC_DTYPE,
             RC_OP, RC_DATA, RC_SEED, RC_SPECIAL, RC_WARMUP, RC_ITERS, RC_CHECK, RC_TIMEOUT,
             RC_INIT, RC_HOSTFILE, RC_KERNEL, RC_BESIDE, RC_FLIP, RC_SANDBOX, RC_INTERPRET, RC_LANG,
             RC_JSON, RC_TRACE, RC_DUMP),
    RC_OWN_OPTIONS(own_options),
    RC_OFTEN(RC_ON, RC_GPUS, RC_COLLECTIVE, RC_ALGO, RC_COUNT, RC_BYTES, RC_MIN_BYTES, RC_MAX_BYTES,
             RC_STEP_FACTOR, RC_DTYPE, RC_OP, RC_ITERS, RC_INIT, RC_KERNEL, RC_LANG, RC_JSON,
             RC_TRACE),
    .run = cmd_verify};
