/* cmd_train.c: `ringsim train`: data-parallel training: a step's timeline, and real steps of small
 * models.
 *
 * Exit status 0; 1: the training is not that of one GPU with all the data (replicas differ, or the
 * gradient is not the mean over all samples); 2: options that make no sense.
 */
#include "base/units.h"
#include "run/show.h"
#include "train/train.h"

static rc_exit time_step(rc_session *session, const rs_step_plan *plan, rs_arena *arena,
                         rs_step_time *time) {
    return rc_exit_of(rs_time_step(plan, arena, session->error, time));
}

/* The step once more, exchanging only when all is computed. */
static rc_exit time_apart(rc_session *session, rc_trained *trained) {
    rs_step_plan plan = trained->plan;
    rs_step_time time;
    rs_arena scratch;
    trained->apart_ps = -1;
    if (plan.mode == RS_DP || plan.mode == RS_NONE || plan.n_ranks < 2) return RC_GOOD;
    if (trained->time.n_exchanged < plan.n_buckets) return RC_GOOD; /* it never ends */
    plan.overlap = false;
    plan.keep_pieces = false;
    rs_arena_init(&scratch, session->arena->host);
    const rc_exit status = time_step(session, &plan, &scratch, &time);
    rs_arena_free(&scratch);
    if (status == RC_GOOD) trained->apart_ps = time.step_ps;
    return status;
}

/* Times a step of ddp and of the other mode on n_ranks GPUs that are all alike. */
static rc_exit time_both(rc_session *session, const rc_trained *trained, int32_t n_ranks,
                         rv_scaling *scaling) {
    rs_step_plan plan = trained->plan;
    rs_schedule schedule = trained->schedule;
    rs_bucket *buckets = NULL;
    rs_arena scratch;
    rs_arena_init(&scratch, session->arena->host);
    rc_exit status = rc_train_schedule(trained, n_ranks, session->error, &schedule);
    int64_t *batch = rs_alloc(&scratch, (size_t)n_ranks, sizeof *batch);
    if (status == RC_GOOD && batch == NULL) {
        status = rc_no_memory(session->error);
    }
    plan.n_ranks = n_ranks;
    plan.schedule = &schedule;
    plan.slowness = NULL;
    plan.ddp = NULL;
    plan.n_faults = 0;
    plan.keep_pieces = false;
    if (status == RC_GOOD) {
        for (int32_t r = 0; r < n_ranks; r++) batch[r] = trained->plan.batch[0];
        plan.batch = batch;
        status = rc_exit_of(rs_cut_buckets(&trained->layers, trained->first_bucket_bytes,
                                           trained->bucket_bytes, &scratch, session->error,
                                           &buckets, &plan.n_buckets));
        plan.buckets = buckets;
    }
    rs_step_time ddp = {0}, other = {0};
    plan.mode = RS_DDP;
    if (status == RC_GOOD) status = time_step(session, &plan, &scratch, &ddp);
    plan.mode = rv_other_mode(trained->plan.mode);
    if (status == RC_GOOD) status = time_step(session, &plan, &scratch, &other);
    rs_arena_free(&scratch);
    if (status == RC_GOOD) *scaling = (rv_scaling){n_ranks, ddp.step_ps, other.step_ps};
    return status;
}

/* 1, 2, 4, ... and the world size itself; a file's schedule is for that one alone. */
static rc_exit time_scaling(rc_session *session, rc_trained *trained) {
    enum { MOST = 12, MOST_RANKS = 64 };
    const int32_t last = trained->plan.n_ranks;
    rv_scaling *list = rs_alloc(session->arena, MOST, sizeof *list);
    if (list == NULL) return rc_no_memory(session->error);
    rc_exit status = RC_GOOD;
    trained->scaling = list;
    if (trained->algorithm == NULL || last > MOST_RANKS || last < 2) return RC_GOOD;
    if (trained->gpus_per_node > 0) return RC_GOOD; /* it need not divide them */
    for (int32_t n = 1; status == RC_GOOD; n = n * 2 < last ? n * 2 : last) {
        status = time_both(session, trained, n, &list[trained->n_scaling++]);
        if (n == last) break;
    }
    return status;
}

static rc_exit compute(rc_session *session, rc_trained *trained) {
    rc_exit status =
        rc_need_memory(session->host, rs_step_bytes(&trained->plan), _("the step's timeline"),
                       _("take fewer GPUs, layers, passes or buckets"), session->error);
    if (status == RC_GOOD)
        status = time_step(session, &trained->plan, session->arena, &trained->time);
    if (status == RC_GOOD) status = time_apart(session, trained);
    if (status == RC_GOOD) status = time_scaling(session, trained);
    if (status == RC_GOOD && trained->real) {
        status =
            rc_need_memory(session->host, rs_train_bytes(&trained->train), _("the training"),
                           _("take smaller layers, fewer GPUs or --check never"), session->error);
    }
    if (status != RC_GOOD || !trained->real) return status;
    return rc_exit_of(rs_train(&trained->train, session->arena, session->error, &trained->result));
}

/* What exit status 1 stands for. */
static bool is_wrong(const rc_trained *trained) {
    const rs_training *result = &trained->result;
    if (!trained->real) return trained->time.n_exchanged < trained->plan.n_buckets;
    if (trained->plan.mode == RS_NONE) return false;
    return result->stopped || !result->replicas_equal || !result->exact || !result->bounded;
}

/* ------------------------------------------------------------------ shown */

static rc_exit make_story(rc_session *session, const rc_trained *trained, rv_story *story) {
    const rv_training facts = {.model = trained->model,
                               .plan = &trained->plan,
                               .time = &trained->time,
                               .apart_ps = trained->apart_ps,
                               .train = trained->real ? &trained->train : NULL,
                               .result = trained->real ? &trained->result : NULL,
                               .scaling = trained->scaling,
                               .n_scaling = trained->n_scaling};
    return rc_exit_of(rv_story_of_training(&facts, session->arena, session->error, story));
}

static rc_exit table(rc_session *session, rc_trained *trained) {
    const rc_options *options = &session->options;
    const bool json = rc_given(options, RC_JSON), csv = rc_given(options, RC_CSV);
    if (json && csv) return rc_fail(session->error, RC_USAGE, _("--csv and --json: choose one"));
    trained->scaling = rs_alloc(session->arena, (size_t)trained->n_sizes, sizeof *trained->scaling);
    if (trained->scaling == NULL) return rc_no_memory(session->error);
    rc_exit status = RC_GOOD;
    for (int64_t i = 0; i < trained->n_sizes && status == RC_GOOD; i++) {
        status = time_both(session, trained, (int32_t)trained->sizes[i],
                           &trained->scaling[trained->n_scaling++]);
    }
    if (status != RC_GOOD) return status;
    if (json) {
        rc_json_trained(trained, "", false, stdout);
    } else if (csv) {
        rc_csv_scaling(trained);
    } else {
        rc_print_scaling(trained);
    }
    return RC_GOOD;
}

static rc_exit train_subject(rc_session *session, rv_subject *subject) {
    rv_story story;
    rc_trained *trained = rs_alloc(session->arena, 1, sizeof *trained);
    if (trained == NULL) return rc_no_memory(session->error);
    rc_exit status = rc_read_training(session, trained);
    if (status == RC_GOOD && trained->n_sizes > 1) {
        return rc_fail(session->error, RC_USAGE, "several world sizes are a table, no story");
    }
    if (status == RC_GOOD) status = compute(session, trained);
    if (status == RC_GOOD) status = make_story(session, trained, &story);
    return status == RC_GOOD ? rc_story_subject(session, &story, subject) : status;
}

static rc_exit cmd_train(rc_session *session) {
    rc_trained *trained = rs_alloc(session->arena, 1, sizeof *trained);
    rc_showing showing;
    rv_story story;
    if (trained == NULL) return rc_no_memory(session->error);
    rc_exit status = rc_read_training(session, trained);
    if (status != RC_GOOD) return status;
    if (trained->n_sizes > 1) return table(session, trained);
    status = rc_story_open(session, &showing);
    if (status != RC_GOOD) return status;
    rc_host_watch(session->host, true);
    status = compute(session, trained);
    status = rc_host_end(session->host, status, session->error);
    if (status == RC_GOOD) status = make_story(session, trained, &story);
    status = rc_show_story(session, &showing, status, &story);
    if (status != RC_GOOD) return status;
    if (showing.view == RC_VIEW_JSON) {
        rc_json_trained(trained, session->sandbox, rc_given(&session->options, RC_TRANSFERS),
                        stdout);
    }
    status = rc_print_figures(session, &showing, &story);
    if (status != RC_GOOD) return status;
    return is_wrong(trained) ? RC_NO : RC_GOOD;
}

/* ------------------------------------------------------------------ its row */

static const rc_option own_options[] = {
    {RC_GPUS, NULL, 0, "N|LIST", N_("GPUs, 5; a list such as 1,2,4,8: a table of times"),
     RC_TYPE(rc_as_numbers, "5", .least = 1, .most = RS_MAX_TRAIN_RANKS)},
    {RC_ALGO, NULL, 0, "NAME|FILE.sched|FILE.c", N_("how gradients are all-reduced; ring"), NULL},
    {RC_SEED, NULL, 0, "S", N_("of data, starting weights and shuffled orders, 0"), NULL},
    {.id = RC_PER_NODE, .help = N_("hsdp, two-level: GPUs a node; of a machine, its nodes'")},
    {RC_CHECK, NULL, 0, "auto|always|never",
     N_("compare with one GPU alone; auto: first and last step, all if that is quick"), NULL},
    {RC_DATASET, NULL, 0, "L", N_("samples of linreg (1000) and mlp (4000)"),
     RC_INTEGER(1, RS_MAX_SAMPLES, NULL)},
    {RC_EPOCHS, NULL, 0, "E", N_("how often each sample is seen, 3"), RC_INTEGER(1, 100000, "3")},
    {RC_BATCH, NULL, 0, "B|LIST", N_("samples a GPU takes at a time, 32; or each its own: 3,1"),
     RC_TYPE(rc_as_numbers, "32", .least = 1, .most = RC_MOST_BATCH)},
    {RC_PYTHON_SHARE, NULL, 0, "P",
     N_("Python's part of a pass, during which it holds its lock; 10%"),
     RC_TYPE(rc_as_share, "10%", .most = 100)},
    {RC_MODE, "mode", 0, "ddp|dp|none|zero1|zero2|zero3|hsdp",
     N_("how GPUs share the work: a process each, one process, not at all, in shards; ddp"),
     RC_ONE_OF("ddp", "ddp", "dp", "none", "zero1", "zero2", "zero3", "hsdp", "fsdp")},
    {RC_OPTIMIZER, "optimizer", 0, "sgd|momentum|adam",
     N_("how weights are updated: states a parameter 0, 1 or 2; sgd"),
     RC_ONE_OF("sgd", "sgd", "momentum", "adam")},
    {RC_PREFETCH, "prefetch", 0, "on|off",
     N_("zero3, hsdp: gather a bucket's weights while the one before computes, on"),
     RC_ONE_OF("on", "on", "off")},
    {RC_MODEL, "model", 0, "linreg|mlp|FILE.lay",
     N_("what is trained, or only timed: resnet50.lay (default), gpt2.lay, a file"), NULL},
    {RC_HIDDEN, "hidden", 0, "LIST", N_("sizes of mlp's hidden layers, 32"),
     RC_TYPE(rc_as_numbers, "32", .least = 1, .most = RS_MAX_WIDTH)},
    {RC_LEARNING_RATE, "lr", 0, "A",
     N_("the learning rate, a in w* = w - a dE/dw; linreg 0.1, mlp 0.01"),
     RC_TYPE(rc_as_factor, NULL)},
    {RC_MEAN, "mean", 0, "samples|ranks",
     N_("the mean gradient over all samples (default), or of the GPUs' means"),
     RC_ONE_OF("samples", "samples", "ranks")},
    {RC_NO_BROADCAST, "no-broadcast", 0, NULL,
     N_("GPUs start from weights of their own: nobody sends them GPU 0's"), NULL},
    {RC_FLOPS, "flops", 0, "SPEED", N_("what a GPU computes in a second, 10TFLOP/s"),
     RC_AMOUNT(RC_IN_FLOPS, "10TFLOP/s")},
    {RC_SLOW_GPU, "slow-gpu", 0, "RANK:FACTOR", N_("a GPU takes FACTOR times as long to compute"),
     RC_TYPE(rc_as_fault, NULL, .least = RS_SLOW_REDUCE)},
    {RC_BUCKET_MB, "bucket-mb", 0, "X",
     N_("gradients exchanged together, in units of 1048576 bytes; 25; or inf"),
     RC_TYPE(rc_as_factor, "25", .word = "inf", .word_is = 1)},
    {RC_NO_OVERLAP, "no-overlap", 0, NULL, N_("exchange only when the backward pass is over"),
     NULL},
    {RC_ACCUMULATE, "accumulate", 0, "K",
     N_("so many batches before gradients are exchanged (no_sync); 1"), RC_INTEGER(1, 1024, "1")},
    {RC_EVERY_BATCH, "every-batch", 0, NULL,
     N_("ddp: exchange gradients after each of --accumulate's batches, as without no_sync"), NULL},
    {RC_UNUSED, "unused", 0, "[RANK:]LAYER",
     N_("ddp: the forward pass leaves out a layer, named or numbered, on all GPUs or on one"),
     NULL},
    {RC_FIND_UNUSED, "find-unused", 0, NULL,
     N_("ddp: look for unused layers in each step (find_unused_parameters)"), NULL},
    {RC_BUFFERS, "buffers", 0, "own|broadcast|sync",
     N_("ddp: buffers are each GPU's own, GPU 0's are sent to all, or SyncBatchNorm; own"),
     RC_ONE_OF("own", "own", "broadcast", "sync")},
    {RC_UNEVEN, "uneven", 0, "RANK:K", N_("ddp: a GPU has K batches fewer than the others"), NULL},
    {RC_JOIN, "join", 0, NULL, N_("ddp: Join answers for a GPU that has no batch any more"), NULL},
    {.id = RC_TRANSFERS, .help = N_("with --json: every piece of work and its times")},
    {.id = RC_CSV, .help = N_("with a list of GPUs: comma-separated values on stdout")},
};

const rc_command rc_command_train = {
    .name = "train",
    .operands = "",
    .summary = N_("what the all-reduce is for: data-parallel training"),
    RC_TAKES(RC_GPUS, RC_ALGO, RC_ORDER, RC_SEED, RC_ALPHA, RC_BANDWIDTH, RC_REDUCE_RATE,
             RC_PROTOCOL, RC_LINKS, RC_MACHINE, RC_PLACE, RC_CUT, RC_PER_NODE, RC_SLOW_LINK,
             RC_STRAGGLER, RC_SLOW_REDUCE, RC_CHECK, RC_TAKE_WALK, RC_DATASET, RC_SHUFFLE,
             RC_EPOCHS, RC_FORGET_EPOCH, RC_DROP_LAST, RC_BATCH, RC_PYTHON_SHARE, RC_MODE,
             RC_OPTIMIZER, RC_PREFETCH, RC_MODEL, RC_HIDDEN, RC_LEARNING_RATE, RC_MEAN,
             RC_NO_BROADCAST, RC_FLOPS, RC_SLOW_GPU, RC_BUCKET_MB, RC_NO_OVERLAP, RC_ACCUMULATE,
             RC_EVERY_BATCH, RC_UNUSED, RC_FIND_UNUSED, RC_BUFFERS, RC_UNEVEN, RC_JOIN, RC_LANG,
             RC_JSON, RC_TRANSFERS, RC_CSV, RC_EXPORT, RC_MOMENT, RC_FOLLOW, RC_SLIDES, RC_BARE),
    RC_OWN_OPTIONS(own_options),
    RC_OFTEN(RC_GPUS, RC_MODE, RC_MODEL, RC_BATCH, RC_OPTIMIZER, RC_EPOCHS, RC_ALGO, RC_ALPHA,
             RC_BANDWIDTH, RC_MACHINE, RC_FLOPS, RC_SLOW_GPU, RC_NO_OVERLAP, RC_STEP, RC_VIEW,
             RC_LANG, RC_JSON, RC_EXPORT),
    .run = cmd_train,
    .subject = train_subject};
