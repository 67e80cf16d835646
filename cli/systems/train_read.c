/* train_read.c: from what was typed to a training, with every number checked.
 *
 *     model --> GPUs --> schedule --> network, faults --> how a step goes (train_step.c) --> data
 */
#include "systems/train.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINREG_SAMPLES = 1000, MLP_SAMPLES = 4000, DEFAULT_HIDDEN = 32 };

/* ------------------------------------------------------------------ the model */

/* Looks for a table of layers: the place itself, or among those that come with the program. */
static const char *find_layers(const char *program, const char *name, char out[PATH_MAX]) {
    static const char *const near[] = {"assets", "../../assets", "../share/ringsim/assets", NULL};
    rc_folders folders;
    if (strchr(name, '/') != NULL || strcmp(name, "-") == 0 || access(name, R_OK) == 0) return name;
    const char *installed = NULL;
#ifdef RINGSIM_ASSETDIR
    installed = RINGSIM_ASSETDIR;
#endif
    const size_t n = strlen(name);
    const char *end = n > 4 && strcmp(name + n - 4, ".lay") == 0 ? "" : ".lay";
    rc_find_folders(program, near, installed, &folders);
    for (int i = 0; folders.list[i] != NULL; i++) {
        snprintf(out, PATH_MAX, "%.2000s/%.200s%s", folders.list[i], name, end);
        if (access(out, R_OK) == 0) return out;
    }
    return name;
}

static rc_exit read_layers(rc_session *session, const char *name, rs_layers *layers) {
    char *text, place[PATH_MAX];
    size_t n_bytes;
    rs_error reason;
    const char *path = find_layers(session->program, name, place);
    rc_exit status = rc_read_file(path, RC_TEXT_LIMIT, session->arena, &reason, &text, &n_bytes);
    if (status != RC_GOOD && strpbrk(name, "./") == NULL) {
        return rc_fail(session->error, RC_USAGE,
                       _("--model %.60s: there is no such model; take linreg, mlp, resnet50.lay, "
                         "gpt2.lay or a file of layers"),
                       name);
    }
    if (status != RC_GOOD) return rc_blame(RC_MODEL, &reason, status, session->error);
    const rs_status parsed = rs_parse_layers(text, n_bytes, session->arena, &reason, layers);
    if (parsed == RS_OK) return RC_GOOD;
    return rc_fail(session->error, rc_exit_of(parsed), "--model %.200s: %.250s", name, reason.text);
}

static rc_exit read_hidden(rc_session *session, int32_t hidden[], int32_t *n_hidden) {
    const char *text = session->options.value[RC_HIDDEN];
    int64_t *sizes, n;
    rs_error reason;
    hidden[0] = DEFAULT_HIDDEN;
    *n_hidden = 1;
    if (text == NULL) return RC_GOOD;
    const rc_exit status =
        rc_parse_numbers(text, 1, RS_MAX_WIDTH, session->arena, &reason, &sizes, &n);
    if (status != RC_GOOD) return rc_blame(RC_HIDDEN, &reason, status, session->error);
    if (n > RS_MAX_SIZES - 2) {
        return rc_fail(session->error, RC_USAGE, _("--hidden: at most %d hidden layers"),
                       RS_MAX_SIZES - 2);
    }
    for (int64_t i = 0; i < n; i++) hidden[i] = (int32_t)sizes[i];
    *n_hidden = (int32_t)n;
    return RC_GOOD;
}

static rc_exit read_model(rc_session *session, rc_trained *trained) {
    const rc_options *options = &session->options;
    const char *name = options->value[RC_MODEL] != NULL ? options->value[RC_MODEL] : "resnet50.lay";
    rc_reader read = rc_reader_of(session);
    const uint64_t seed = rc_read_seed(&read, RC_SEED);
    rc_exit status = read.status;
    if (status != RC_GOOD) return status;
    rc_plain(name, true, trained->model, sizeof trained->model);
    trained->train.model.seed = trained->train.sampling.seed = seed;
    if (options->value[RC_HIDDEN] != NULL && strcmp(name, "mlp") != 0) {
        return rc_fail(session->error, RC_USAGE, _("--hidden: only mlp has hidden layers"));
    }
    if (strcmp(name, "linreg") == 0) {
        trained->train.model = rs_linreg(seed);
    } else if (strcmp(name, "mlp") == 0) {
        int32_t hidden[RS_MAX_SIZES], n_hidden;
        status = read_hidden(session, hidden, &n_hidden);
        if (status == RC_GOOD) trained->train.model = rs_perceptron(hidden, n_hidden, seed);
    } else {
        return read_layers(session, name, &trained->layers);
    }
    if (status != RC_GOOD) return status;
    trained->real = true;
    return rc_exit_of(
        rs_model_layers(&trained->train.model, session->arena, session->error, &trained->layers));
}

/* ------------------------------------------------------------------ GPUs and their schedule */

rc_exit rc_train_schedule(const rc_trained *trained, int32_t n_ranks, rs_error *error,
                          rs_schedule *schedule) {
    if (trained->algorithm == NULL) return RC_GOOD;
    return rc_exit_of(
        rs_schedule_make(trained->algorithm, trained->order, n_ranks, 1, error, schedule));
}

static rc_exit read_sizes(rc_session *session, rc_trained *trained) {
    const char *text = session->options.value[RC_GPUS];
    rs_error reason;
    if (text == NULL) text = trained->algorithm == NULL ? NULL : "5";
    if (text == NULL) { /* a file says how many it is for */
        trained->sizes = rs_alloc(session->arena, 1, sizeof *trained->sizes);
        if (trained->sizes == NULL) return rc_fail(session->error, RC_LACKS, _("no memory"));
        trained->sizes[0] = trained->schedule.n_ranks;
        trained->n_sizes = 1;
        return RC_GOOD;
    }
    const rc_exit status = rc_parse_numbers(text, 1, RS_MAX_TRAIN_RANKS, session->arena, &reason,
                                            &trained->sizes, &trained->n_sizes);
    return rc_blame(RC_GPUS, &reason, status, session->error);
}

static rc_exit read_schedule(rc_session *session, rc_trained *trained) {
    const rc_options *options = &session->options;
    const char *algo = options->value[RC_ALGO] != NULL ? options->value[RC_ALGO] : "ring";
    const bool file = rc_is_file(algo);
    rc_reader read = rc_reader_of(session);
    int32_t n_ranks = 0;
    if (file) read.status = rc_read_world(session, &n_ranks);
    if (read.status == RC_GOOD) {
        read.status = file ? rc_read_schedule(session, algo, n_ranks, &trained->schedule)
                           : rc_find_algorithm(algo, session->error, &trained->algorithm);
    }
    trained->order = (rs_order)rc_read_choice(&read, RC_ORDER);
    if (read.status == RC_GOOD) read.status = read_sizes(session, trained);
    if (read.status != RC_GOOD) return read.status;
    if (options->value[RC_ORDER] != NULL && (file || strcmp(algo, "ring") != 0)) {
        return rc_fail(session->error, RC_USAGE,
                       _("--order: only the ring has an order to choose"));
    }
    const int64_t n = trained->sizes[0];
    if (n > RS_MAX_TRAIN_RANKS) {
        return rc_fail(session->error, RC_USAGE, _("--algo: at most %d GPUs can be trained"),
                       RS_MAX_TRAIN_RANKS);
    }
    trained->plan.n_ranks = (int32_t)n;
    return rc_train_schedule(trained, (int32_t)n, session->error, &trained->schedule);
}

/* ------------------------------------------------------------------ slow GPUs, slow links */

static rc_exit read_slow_gpu(rc_session *session, const char *text, rs_ratio slowness[],
                             int32_t n) {
    char rank[24];
    const size_t length = strcspn(text, ":");
    int64_t number;
    rs_error reason;
    rc_exit status = RC_USAGE;
    snprintf(reason.text, sizeof reason.text, "%s", _("write it RANK:FACTOR"));
    if (text[length] == ':' && length < sizeof rank) {
        memcpy(rank, text, length);
        rank[length] = '\0';
        status = rc_parse_integer(rank, 0, (int64_t)n - 1, &reason, &number);
    }
    if (status == RC_GOOD) {
        rs_ratio *slow = &slowness[number];
        status = rc_parse_factor(text + length + 1, &reason, &slow->num, &slow->den);
    }
    return rc_blame(RC_SLOW_GPU, &reason, status, session->error);
}

static rc_exit read_trouble(rc_session *session, rc_trained *trained) {
    const rc_options *options = &session->options;
    rs_step_plan *plan = &trained->plan;
    const int32_t n = plan->n_ranks;
    rs_fault *faults = rs_alloc(session->arena, (size_t)options->n_repeated + 1, sizeof *faults);
    rs_ratio *slowness = rs_alloc(session->arena, (size_t)n, sizeof *slowness);
    if (faults == NULL || slowness == NULL) {
        return rc_fail(session->error, RC_LACKS, _("no memory for the faults"));
    }
    for (int32_t r = 0; r < n; r++) slowness[r] = (rs_ratio){1, 1};
    rc_exit status = RC_GOOD;
    for (int i = 0; i < options->n_repeated && status == RC_GOOD; i++) {
        const rc_repeated *one = &options->repeated[i];
        if (one->id == RC_SLOW_GPU) {
            status = read_slow_gpu(session, one->text, slowness, n);
            plan->slowness = slowness;
        } else {
            status = rc_parse_fault(one->id, one->text, &trained->schedule, 1, session->error,
                                    &faults[plan->n_faults++]);
        }
    }
    plan->faults = faults;
    return status;
}

/* ------------------------------------------------------------------ data */

static rc_exit read_data(rc_session *session, rc_trained *trained) {
    const rc_options *options = &session->options;
    rs_train_plan *train = &trained->train;
    rc_reader read = rc_reader_of(session);
    const bool linreg = train->model.n_sizes == 2;
    uint64_t num = linreg ? 10 : 1, den = 100;
    int64_t n_samples = rc_read_number(&read, RC_DATASET);
    if (options->value[RC_DATASET] == NULL) n_samples = linreg ? LINREG_SAMPLES : MLP_SAMPLES;
    train->n_epochs = (int32_t)rc_read_number(&read, RC_EPOCHS);
    rc_read_factor(&read, RC_LEARNING_RATE, &num, &den);
    train->rate = (double)num / (double)den;
    train->sampling.n_samples = n_samples;
    train->sampling.n_ranks = train->n_ranks = trained->plan.n_ranks;
    train->sampling.shuffle = options->value[RC_SHUFFLE] != NULL;
    train->sampling.drop_last = options->value[RC_DROP_LAST] != NULL;
    train->forget_epoch = options->value[RC_FORGET_EPOCH] != NULL;
    train->own_start = options->value[RC_NO_BROADCAST] != NULL;
    if (read.status == RC_GOOD && train->sampling.drop_last && n_samples < train->n_ranks) {
        return rc_fail(session->error, RC_USAGE,
                       _("--drop-last: %lld samples are not one for each of %d GPUs"),
                       (long long)n_samples, (int)train->n_ranks);
    }
    return read.status;
}

/* What is exchanged, and in which buckets. */
static rc_exit read_exchange(rc_session *session, rc_trained *trained) {
    rs_train_plan *train = &trained->train;
    const rs_step_plan *plan = &trained->plan;
    rs_bucket *whole;
    int64_t *batch = rs_alloc(session->arena, (size_t)plan->n_ranks, sizeof *batch);
    if (batch == NULL) return rc_fail(session->error, RC_LACKS, _("no memory"));
    for (int32_t r = 0; r < plan->n_ranks; r++) batch[r] = plan->batch[r] * plan->accumulate;
    train->batch = batch;
    train->mode = plan->mode;
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
    rc_reader read = rc_reader_of(session);
    trained->train.mean = (rs_mean)rc_read_choice(&read, RC_MEAN);
    trained->train.check = (rs_when)rc_read_choice(&read, RC_CHECK);
    const rc_exit status = read.status == RC_GOOD ? read_data(session, trained) : read.status;
    return status == RC_GOOD ? read_exchange(session, trained) : status;
}

/* Options that only a real training heeds, and those that only a table does. */
static rc_exit check_options(rc_session *session, const rc_trained *trained) {
    static const rc_option_id of_data[] = {RC_DATASET,      RC_EPOCHS,       RC_SHUFFLE,
                                           RC_FORGET_EPOCH, RC_DROP_LAST,    RC_LEARNING_RATE,
                                           RC_MEAN,         RC_NO_BROADCAST, RC_CHECK};
    const rc_options *options = &session->options;
    const bool table = trained->n_sizes > 1;
    for (size_t i = 0; i < sizeof of_data / sizeof *of_data; i++) {
        if (options->value[of_data[i]] == NULL || (trained->real && !table)) continue;
        return rc_fail(session->error, RC_USAGE,
                       table ? _("--%s: a list of GPUs is only timed; give one number of GPUs")
                             : _("--%s: this model is only timed; take --model linreg or mlp"),
                       rc_option_table[of_data[i]].name);
    }
    if (options->value[RC_CSV] != NULL && !table) {
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
    if (status == RC_GOOD) status = read_schedule(session, trained);
    if (status == RC_GOOD) status = check_options(session, trained);
    if (status == RC_GOOD) {
        status = rc_read_net(session, trained->plan.n_ranks, &trained->plan.net);
    }
    if (status == RC_GOOD) status = read_trouble(session, trained);
    if (status == RC_GOOD) status = rc_read_train_step(session, trained);
    return status == RC_GOOD && trained->real ? read_training(session, trained) : status;
}
