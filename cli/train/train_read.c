/* train_read.c: from what was typed to a training, with every number checked.
 *
 *     model --> GPUs, schedule (train_gpus.c) --> network, faults --> how a step goes --> data
 */
#include "base/text.h"
#include "base/units.h"
#include "run/request.h"
#include "train/train.h"

#include <string.h>
#include <unistd.h>

enum { LINREG_SAMPLES = 1000, MLP_SAMPLES = 4000 };

/* ------------------------------------------------------------------ the model */

/* Looks for a table of layers: the place itself, or among those that come with the program. */
static const char *find_layers(const char *program, const char *name, char out[PATH_MAX]) {
    rc_folders folders;
    if (strchr(name, '/') != NULL || strcmp(name, "-") == 0 || access(name, R_OK) == 0) return name;
    const char *end = rc_ends_with(name, ".lay") ? "" : ".lay";
    rc_find_folders(program, RC_ASSETS, &folders);
    for (int i = 0; folders.list[i] != NULL; i++) {
        snprintf(out, PATH_MAX, "%.2000s/%.200s%s", folders.list[i], name, end);
        if (access(out, R_OK) == 0) return out;
    }
    return name;
}

static rc_exit read_layers(rc_session *session, const char *name, rs_layers *layers) {
    char *text, place[PATH_MAX];
    size_t n_bytes;
    const char *path = find_layers(session->program, name, place);
    if (!rc_given(&session->options, RC_MODEL) && access(path, R_OK) != 0) {
        return rc_fail(session->error, RC_LACKS,
                       _("%.60s, the model that is timed unless you name one, does not lie beside "
                         "the program; install ringsim whole, or take --model mlp or a file"),
                       name);
    }
    rc_exit status =
        rc_read_file(path, RC_TEXT_LIMIT, session->arena, session->error, &text, &n_bytes);
    if (status != RC_GOOD && strpbrk(name, "./") == NULL) {
        return rc_fail(session->error, RC_USAGE,
                       _("--model %.60s: there is no such model; take linreg, mlp, resnet50.lay, "
                         "gpt2.lay or a file of layers"),
                       name);
    }
    if (status != RC_GOOD) return rc_blame("model", status, session->error);
    status = rc_exit_of(rs_parse_layers(text, n_bytes, session->arena, session->error, layers));
    return rc_prefix(session->error, status, "--model %.200s", name);
}

static rc_exit read_model(rc_session *session, rc_trained *trained) {
    const rc_options *options = &session->options;
    const rc_value *hidden = &options->value[RC_HIDDEN];
    const char *typed = options->value[RC_MODEL].text;
    const char *name = typed != NULL ? typed : "resnet50.lay";
    const uint64_t seed = (uint64_t)options->value[RC_SEED].number;
    rc_plain(name, true, trained->model, sizeof trained->model);
    trained->train.model.seed = trained->train.sampling.seed = seed;
    if (hidden->text != NULL && strcmp(name, "mlp") != 0) {
        return rc_fail(session->error, RC_USAGE, _("--hidden: only mlp has hidden layers"));
    }
    if (hidden->n > RS_MAX_SIZES - 2) {
        return rc_fail(session->error, RC_USAGE, _("--hidden: at most %d hidden layers"),
                       RS_MAX_SIZES - 2);
    }
    if (strcmp(name, "linreg") == 0) {
        trained->train.model = rs_linreg(seed);
    } else if (strcmp(name, "mlp") == 0) {
        int32_t sizes[RS_MAX_SIZES];
        for (int64_t i = 0; i < hidden->n; i++) sizes[i] = (int32_t)hidden->list[i];
        trained->train.model = rs_perceptron(sizes, (int32_t)hidden->n, seed);
    } else {
        return read_layers(session, name, &trained->layers);
    }
    trained->real = true;
    return rc_exit_of(
        rs_model_layers(&trained->train.model, session->arena, session->error, &trained->layers));
}

/* ------------------------------------------------------------------ slow GPUs, slow links */

static rc_exit check_gpu(const rc_value *slow, int32_t n, rs_error *error) {
    char rank[24];
    if (slow->fault.rank < n) return RC_GOOD;
    snprintf(rank, sizeof rank, "%.*s", (int)strcspn(slow->text, ":"), slow->text);
    return rc_blame("slow-gpu", rc_outside(rank, 0, (int64_t)n - 1, error), error);
}

static rc_exit read_trouble(rc_session *session, rc_trained *trained) {
    const rc_options *options = &session->options;
    rs_step_plan *plan = &trained->plan;
    const int32_t n = plan->n_ranks;
    rs_fault *faults = rs_alloc(session->arena, (size_t)options->n_repeated + 1, sizeof *faults);
    rs_ratio *slowness = rs_alloc(session->arena, (size_t)n, sizeof *slowness);
    if (faults == NULL || slowness == NULL) return rc_no_memory(session->error);
    for (int32_t r = 0; r < n; r++) slowness[r] = (rs_ratio){1, 1};
    rc_exit status = RC_GOOD;
    for (int i = 0; i < options->n_repeated && status == RC_GOOD; i++) {
        const rc_repeated *one = &options->repeated[i];
        const rs_fault *fault = &one->value.fault;
        if (one->id == RC_CUT || rc_is_between_devices(fault)) continue; /* the machine's */
        if (one->id == RC_SLOW_GPU) {
            status = check_gpu(&one->value, n, session->error);
            if (status != RC_GOOD) return status;
            slowness[fault->rank] = (rs_ratio){fault->factor_num, fault->factor_den};
            plan->slowness = slowness;
        } else {
            status = rc_check_fault(one, &trained->schedule, 1, session->error);
            faults[plan->n_faults++] = *fault;
        }
    }
    plan->faults = faults;
    return status;
}

/* ------------------------------------------------------------------ how a step goes */

enum { MIB = 1048576 };

static rc_exit read_buckets(rc_session *session, rc_trained *trained) {
    const rc_value *asked = &session->options.value[RC_BUCKET_MB];
    const bool whole = asked->number > 0; /* inf: 2 PiB are more than any table may hold */
    const int64_t bytes =
        whole ? (int64_t)INT32_MAX * MIB : (int64_t)(asked->num * MIB / asked->den);
    trained->bucket_bytes = bytes < 1 ? 1 : bytes;
    /* the first bucket is small so that the exchange begins early; in one bucket, it is that one */
    trained->first_bucket_bytes =
        !whole && trained->bucket_bytes > MIB ? MIB : trained->bucket_bytes;
    const rs_parallel mode = trained->plan.mode;
    if (mode == RS_DP || mode == RS_NONE || trained->plan.n_ranks < 2) return RC_GOOD;
    rs_bucket *buckets;
    const rs_status cut =
        rs_cut_buckets(&trained->layers, trained->first_bucket_bytes, trained->bucket_bytes,
                       session->arena, session->error, &buckets, &trained->plan.n_buckets);
    if (cut == RS_OK) trained->plan.buckets = buckets;
    return rc_exit_of(cut);
}

/* One number for all GPUs, or one for each. */
static rc_exit read_batch(rc_session *session, rc_trained *trained) {
    const rc_value *given = &session->options.value[RC_BATCH];
    const int32_t n = trained->plan.n_ranks;
    int64_t *batch = rs_alloc(session->arena, (size_t)n, sizeof *batch);
    if (batch == NULL) return rc_no_memory(session->error);
    if (given->n != 1 && (given->n != n || trained->n_sizes > 1)) {
        return rc_fail(session->error, RC_USAGE,
                       _("--batch %.60s: give one number for all, or one for each of %d GPUs"),
                       given->text, (int)n);
    }
    for (int32_t r = 0; r < n; r++) batch[r] = given->list[given->n == 1 ? 0 : r];
    trained->plan.batch = batch;
    return RC_GOOD;
}

static rc_exit read_step(rc_session *session, rc_trained *trained) {
    const rc_value *value = session->options.value;
    rs_step_plan *plan = &trained->plan;
    enum { OFF = 1 };
    plan->overlap = !rc_given(&session->options, RC_NO_OVERLAP) && value[RC_PREFETCH].number != OFF;
    plan->optimizer = (rs_optimizer)value[RC_OPTIMIZER].number;
    plan->layers = &trained->layers;
    plan->schedule = &trained->schedule;
    plan->keep_pieces = true;
    plan->flops_per_s = (uint64_t)value[RC_FLOPS].number;
    plan->accumulate = (int32_t)value[RC_ACCUMULATE].number;
    plan->python = (rs_ratio){value[RC_PYTHON_SHARE].num, value[RC_PYTHON_SHARE].den};
    const rc_exit status = read_buckets(session, trained);
    return status == RC_GOOD ? read_batch(session, trained) : status;
}

/* ------------------------------------------------------------------ data */

static rc_exit read_data(rc_session *session, rc_trained *trained) {
    const rc_options *options = &session->options;
    rs_train_plan *train = &trained->train;
    const rc_value *value = options->value;
    const bool linreg = train->model.n_sizes == 2;
    const int64_t n_samples = rc_given(options, RC_DATASET) ? value[RC_DATASET].number
                              : linreg                      ? LINREG_SAMPLES
                                                            : MLP_SAMPLES;
    train->n_epochs = (int32_t)value[RC_EPOCHS].number;
    train->rate = linreg ? 10.0 / 100.0 : 1.0 / 100.0;
    if (rc_given(options, RC_LEARNING_RATE)) {
        train->rate = (double)value[RC_LEARNING_RATE].num / (double)value[RC_LEARNING_RATE].den;
    }
    train->sampling.n_samples = n_samples;
    train->sampling.n_ranks = train->n_ranks = trained->plan.n_ranks;
    train->sampling.shuffle = rc_given(options, RC_SHUFFLE);
    train->sampling.drop_last = rc_given(options, RC_DROP_LAST);
    train->forget_epoch = rc_given(options, RC_FORGET_EPOCH);
    train->own_start = rc_given(options, RC_NO_BROADCAST);
    if (train->sampling.drop_last && n_samples < train->n_ranks) {
        return rc_fail(session->error, RC_USAGE,
                       _("--drop-last: %lld samples are not one for each of %d GPUs"),
                       (long long)n_samples, (int)train->n_ranks);
    }
    return RC_GOOD;
}

/* What is exchanged, and in which buckets. */
static rc_exit read_exchange(rc_session *session, rc_trained *trained) {
    rs_train_plan *train = &trained->train;
    const rs_step_plan *plan = &trained->plan;
    rs_bucket *whole;
    int64_t *batch = rs_alloc(session->arena, (size_t)plan->n_ranks, sizeof *batch);
    if (batch == NULL) return rc_no_memory(session->error);
    for (int32_t r = 0; r < plan->n_ranks; r++) batch[r] = plan->batch[r] * plan->accumulate;
    train->batch = batch;
    train->mode = plan->mode;
    train->optimizer = plan->optimizer;
    train->schedule = &trained->schedule;
    train->buckets = plan->buckets;
    train->n_buckets = plan->n_buckets;
    if (plan->mode != RS_DP || plan->n_ranks < 2) return RC_GOOD;
    rs_status status =
        rs_dp_reduce(plan->n_ranks, session->arena, session->error, &trained->reduce);
    if (status == RS_OK) {
        status = rs_cut_buckets(&trained->layers, INT64_MAX, INT64_MAX, session->arena,
                                session->error, &whole, &train->n_buckets);
    }
    if (status != RS_OK) return rc_exit_of(status);
    train->schedule = &trained->reduce;
    train->buckets = whole;
    return RC_GOOD;
}

static rc_exit read_training(rc_session *session, rc_trained *trained) {
    trained->train.mean = (rs_mean)session->options.value[RC_MEAN].number;
    trained->train.check = (rs_when)session->options.value[RC_CHECK].number;
    const rc_exit status = read_data(session, trained);
    return status == RC_GOOD ? read_exchange(session, trained) : status;
}

/* Options that only a real training heeds, and those that only a table does. */
static rc_exit check_options(rc_session *session, const rc_trained *trained) {
    static const int of_data[] = {RC_DATASET,      RC_EPOCHS,       RC_SHUFFLE,
                                  RC_FORGET_EPOCH, RC_DROP_LAST,    RC_LEARNING_RATE,
                                  RC_MEAN,         RC_NO_BROADCAST, RC_CHECK};
    const rc_options *options = &session->options;
    const bool table = trained->n_sizes > 1;
    for (size_t i = 0; i < sizeof of_data / sizeof *of_data; i++) {
        if (!rc_given(options, of_data[i]) || (trained->real && !table)) continue;
        return rc_fail(session->error, RC_USAGE,
                       table ? _("--%s: a list of GPUs is only timed; give one number of GPUs")
                             : _("--%s: this model is only timed; take --model linreg or mlp"),
                       rc_option_of(options->command, of_data[i]).name);
    }
    if (rc_given(options, RC_CSV) && !table) {
        return rc_fail(session->error, RC_USAGE, _("--csv: that is for a list of GPUs: 1,2,4,8"));
    }
    if (table && (trained->algorithm == NULL || options->n_repeated > 0)) {
        return rc_fail(session->error, RC_USAGE,
                       _("a list of GPUs is for GPUs and links that are all alike, and an "
                         "algorithm's name"));
    }
    return RC_GOOD;
}

rc_exit rc_read_training(rc_session *session, rc_trained *trained) {
    rc_exit status = read_model(session, trained);
    if (status == RC_GOOD) status = rc_read_train_gpus(session, trained);
    if (status == RC_GOOD) status = check_options(session, trained);
    if (status == RC_GOOD) status = rc_check_train_mode(session, trained);
    if (status == RC_GOOD) {
        status = rc_read_net(session, trained->plan.n_ranks, &trained->plan.net);
    }
    if (status == RC_GOOD) status = read_trouble(session, trained);
    if (status == RC_GOOD) status = read_step(session, trained);
    if (status == RC_GOOD) status = rc_read_ddp_case(session, trained);
    return status == RC_GOOD && trained->real ? read_training(session, trained) : status;
}
