/* train.c: real training on N ranks: gradients of the shards, their exchange, each rank's own
 * update.
 *
 *     shard of rank r --> gradient r --\
 *                                       exchange, bucket after bucket --> mean --> w -= a g
 *     shard of rank s --> gradient s --/
 *
 *     sharded: reduce-scatter --> each rank's own part of the mean --> its own weights --> all-gather
 *
 *   - Ranks are computed in parallel; no bit depends on how many run at a time.
 *   - Each replica has its own weights and makes its own update: we check that they stay equal, and
 *     do not assume it. Under dp there is one set of weights, GPU 0's, which every GPU copies
 *     before each step.
 */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* the vectoriser, which clang has on at -O2; no bit depends on it */
#endif

#include "systems/train/perceptron.h"
#include "systems/train/train_shards.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { MOST_CHECKED_RANKS = 64 };
/* a training of so many multiplications and additions has every step checked */
static const double cheap_work = 2e9;

typedef struct trainer {
    const rs_train_plan *plan;
    const rs_host *host;
    rs_error *error;
    rs_shape shape;
    rs_shards shards;
    float **weights, **gradients; /* [n_ranks] */
    rs_updater updater;
    rs_shard_parts parts; /* sharded modes */
    bool sharded;
    int64_t **dealt, *n_dealt;     /* [n_ranks] of this step */
    int64_t **samples, *n_samples; /* [n_ranks] of this pass */
    float **sums;                  /* [n_ranks] of the passes before; NULL: there is one pass */
    const rs_ddp_case *ddp;
    rs_means means;
    bool alone; /* no gradient is exchanged */
    rs_found *found;
    rs_room *rooms; /* [n_ranks + 1] */
    rs_step_check check;
    float *before; /* rank 0's weights, for a check */
    int64_t total; /* samples of the step */
    bool checking;
} trainer;

/* ------------------------------------------------------------------ what is asked */

int64_t rs_steps_per_epoch(const rs_train_plan *plan) {
    const rs_sampling *s = &plan->sampling;
    const int64_t n = s->n_ranks, most_each = s->n_samples / n;
    const int64_t each = most_each + (!s->drop_last && s->n_samples % n != 0);
    int64_t most = 1;
    for (int32_t r = 0; r < plan->n_ranks; r++)
        most = plan->batch[r] > most ? plan->batch[r] : most;
    return each / most + (each % most != 0);
}

/* Deals a rank its samples of a step: the next `batch`, or as many as are left. */
static void deal(trainer *t, int32_t rank, int64_t step) {
    const int64_t batch = t->plan->batch[rank], first = step * batch;
    const int64_t fewer = rank == t->ddp->ended_rank ? t->ddp->fewer * batch : 0;
    const int64_t left = t->shards.per_rank - first - fewer;
    t->n_dealt[rank] = left < batch ? (left > 0 ? left : 0) : batch;
    for (int64_t i = 0; i < t->n_dealt[rank]; i++) {
        t->dealt[rank][i] = rs_shard_sample(&t->shards, rank, first + i);
    }
}

/* Takes pass number `pass` of so many of the step's samples. */
static void take_pass(trainer *t, int64_t pass, int64_t n_passes) {
    for (int32_t r = 0; r < t->plan->n_ranks; r++) {
        const int64_t batch = t->plan->batch[r] / n_passes, left = t->n_dealt[r] - pass * batch;
        t->samples[r] = t->dealt[r] + pass * batch;
        t->n_samples[r] = left < batch ? (left > 0 ? left : 0) : batch;
    }
}

/* Says that so many steps are done. */
static rs_status ask_host(const trainer *t, int32_t n_done, int32_t n_steps) {
    if (rs_go_on(t->host, "training", n_done, n_steps)) return RS_OK;
    return rs_fail(t->error, RS_CANCELLED, "cancelled");
}

/* ------------------------------------------------------------------ memory */

static bool rows(rs_arena *arena, int32_t n_rows, int64_t n, size_t size, void **list) {
    for (int32_t r = 0; r < n_rows; r++) {
        list[r] = rs_alloc(arena, (size_t)n + 1, size);
        if (list[r] == NULL) return false;
    }
    return true;
}

static float **float_rows(rs_arena *arena, int32_t n_rows, int64_t n) {
    void **list = rs_alloc(arena, (size_t)n_rows, sizeof *list);
    return list != NULL && rows(arena, n_rows, n, sizeof(float), list) ? (float **)list : NULL;
}

static rs_status make_rooms(trainer *t, rs_arena *arena) {
    const int32_t n = t->plan->n_ranks;
    t->rooms = rs_alloc(arena, (size_t)n + 1, sizeof *t->rooms);
    if (t->rooms == NULL) return rs_no_memory(t->error);
    rs_status status = RS_OK;
    for (int32_t r = 0; r <= n && status == RS_OK; r++) {
        const bool without =
            t->ddp->unused >= 0 && (t->ddp->unused_rank < 0 || r == t->ddp->unused_rank);
        status = rs_room_new(&t->shape, arena, t->error, &t->rooms[r]);
        /* a layer has two tensors, the second is its bias */
        if (status == RS_OK) t->rooms[r].without = without ? t->ddp->unused / 2 + 1 : 0;
    }
    return status;
}

static rs_status make_check(trainer *t, rs_arena *arena) {
    const int32_t n = t->plan->n_ranks;
    const int64_t size = t->shape.n_parameters;
    int64_t all = 0;
    for (int32_t r = 0; r < n; r++) all += t->plan->batch[r];
    rs_step_check *c = &t->check;
    *c = (rs_step_check){.plan = t->plan,
                         .shape = &t->shape,
                         .weights = rs_alloc(arena, (size_t)size, sizeof(float)),
                         .samples = t->samples,
                         .n_samples = t->n_samples,
                         .n_dealt = t->n_dealt,
                         .summed = float_rows(arena, n, size),
                         .mean = t->gradients[0],
                         .again = float_rows(arena, n, size),
                         .plain = rs_alloc(arena, (size_t)size, sizeof(float)),
                         .sizes = rs_alloc(arena, (size_t)size, sizeof(float)),
                         .all = rs_alloc(arena, (size_t)all, sizeof(int64_t)),
                         .rooms = t->rooms,
                         .host = t->host};
    t->before = (float *)c->weights;
    if (c->weights != NULL && c->summed != NULL && c->again != NULL && c->plain != NULL &&
        c->sizes != NULL && c->all != NULL) {
        return RS_OK;
    }
    return rs_no_memory(t->error);
}

static rs_status prepare(trainer *t, rs_arena *arena, rs_training *training) {
    const rs_train_plan *plan = t->plan;
    const int32_t n = plan->n_ranks;
    int64_t most = 0;
    for (int32_t r = 0; r < n; r++) most = plan->batch[r] > most ? plan->batch[r] : most;
    rs_status status = rs_shape_of(&plan->model, arena, t->error, &t->shape);
    if (status != RS_OK) return status;
    t->weights = float_rows(arena, n, t->shape.n_parameters);
    t->gradients = float_rows(arena, n, t->shape.n_parameters);
    t->samples = rs_alloc(arena, (size_t)n, sizeof *t->samples);
    t->n_samples = rs_alloc(arena, (size_t)n, sizeof *t->n_samples);
    t->dealt = rs_alloc(arena, (size_t)n, sizeof *t->dealt);
    t->n_dealt = rs_alloc(arena, (size_t)n, sizeof *t->n_dealt);
    if (plan->n_passes > 1) t->sums = float_rows(arena, n, t->shape.n_parameters);
    t->found = rs_alloc(arena, (size_t)n, sizeof *t->found);
    training->crc32 = rs_alloc(arena, (size_t)n, sizeof *training->crc32);
    training->steps = rs_alloc(arena, (size_t)training->n_steps + 1, sizeof *training->steps);
    if (arena->lacked || !rows(arena, n, most, sizeof(int64_t), (void **)t->dealt)) {
        return rs_no_memory(t->error);
    }
    for (int32_t r = 0; r < n && !rs_stopped(t->host); r++) {
        const uint64_t seed = plan->model.seed + (plan->own_start ? (uint64_t)r : 0);
        rs_start_weights(&t->shape, seed, t->weights[r]);
    }
    if (t->sharded) rs_take_apart(plan->schedule, &t->parts);
    status = rs_stopped(t->host) ? ask_host(t, 0, training->n_steps) : make_rooms(t, arena);
    if (status == RS_OK) {
        status = rs_updater_new(plan, t->shape.n_parameters, arena, t->error, &t->updater);
    }
    if (status == RS_OK && t->ddp->buffers_kept) {
        status = rs_means_new(plan, arena, t->error, &t->means);
    }
    return status == RS_OK && t->checking ? make_check(t, arena) : status;
}

/* Tells whether steps are compared with one rank's. */
static bool checks(const rs_train_plan *plan) {
    return plan->check != RS_NEVER && plan->mode != RS_NONE && !plan->own_start &&
           (plan->check == RS_ALWAYS || plan->n_ranks <= MOST_CHECKED_RANKS);
}

double rs_train_bytes(const rs_train_plan *plan) {
    const rs_model *model = &plan->model;
    double parameters = 0, values = 0, turned = 0;
    for (int32_t l = 1; l < model->n_sizes; l++) {
        const double in = model->sizes[l - 1], out = model->sizes[l];
        parameters += (in + 1) * out;
        if (l > 1 && in * out > turned) turned = in * out;
    }
    for (int32_t l = 0; l < model->n_sizes; l++) values += 4.0 * RS_TILE * model->sizes[l];
    const double n = plan->n_ranks, states = rs_optimizer_states(plan->optimizer) * n;
    const double sums = plan->n_passes > 1 ? n : 0;
    const double rows =
        (checks(plan) ? 4 * n + 3 : 2 * n) + sums + states / rs_sharers(plan->mode, plan->schedule);
    return sizeof(float) * (rows * parameters + (n + 1) * (turned + values));
}

/* ------------------------------------------------------------------ a step */

static void divide(float values[], int64_t n, int64_t by) {
    for (int64_t i = 0; i < n; i++) values[i] /= (float)by;
}

static void find_gradient(void *argument, int index) {
    trainer *t = argument;
    if (rs_stopped(t->host)) return;
    const float *weights = t->weights[t->plan->mode == RS_DP ? 0 : index];
    const int64_t n = t->n_samples[index];
    const rs_found found = rs_gradient(&t->shape, weights, t->samples[index], n, &t->rooms[index],
                                       t->host, t->gradients[index], NULL);
    t->found[index].loss += found.loss;
    t->found[index].n_right += found.n_right;
    const bool mean = t->plan->mean == RS_MEAN_RANKS || t->alone;
    if (mean && n > 0) divide(t->gradients[index], t->shape.n_parameters, t->n_dealt[index]);
}

/* Adds a pass's exchanged gradient to those before it. */
static void add_up(void *argument, int index) {
    trainer *t = argument;
    float *sums = t->sums[index];
    for (int64_t i = 0; i < t->shape.n_parameters; i++) sums[i] += t->gradients[index][i];
}

/* Ends a step of several passes: the gradient is their sum. */
static void take_sums(trainer *t) {
    const size_t n_bytes = (size_t)t->shape.n_parameters * sizeof(float);
    for (int32_t r = 0; r < t->plan->n_ranks; r++) {
        memcpy(t->gradients[r], t->sums[r], n_bytes);
        memset(t->sums[r], 0, n_bytes);
    }
    take_pass(t, 0, 1);
}

/* Runs a schedule on each bucket of the ranks' arrays. */
static rs_status run_buckets(trainer *t, const rs_schedule *schedule, rs_op op,
                             float *const arrays[]) {
    const rs_train_plan *plan = t->plan;
    const int32_t n = plan->n_ranks;
    rs_arena scratch;
    rs_arena_init(&scratch, t->host);
    void **part = rs_alloc(&scratch, (size_t)n, sizeof *part);
    rs_host host = {0}; /* threads for so little take longer than the sums; it may be stopped */
    if (t->host != NULL) {
        host.context = t->host->context;
        host.stopped = t->host->stopped;
    }
    rs_status status = part != NULL ? RS_OK : rs_no_memory(t->error);
    for (int32_t b = 0; b < plan->n_buckets && status == RS_OK; b++) {
        for (int32_t r = 0; r < n; r++) part[r] = arrays[r] + plan->buckets[b].offset;
        const rs_apply_options whole = {.until_step = schedule->n_steps};
        status =
            rs_apply(schedule, RS_F32, op, plan->buckets[b].count, part, &whole, &host, t->error);
    }
    rs_arena_free(&scratch);
    return status;
}

/* Exchanges the gradients: by all-reduce, sharded by reduce-scatter, under dp by a reduction to rank 0. */
static rs_status exchange(trainer *t) {
    const rs_op op = t->plan->mean == RS_MEAN_RANKS ? RS_AVG : RS_SUM;
    if (t->alone || t->plan->n_ranks == 1) return RS_OK;
    return run_buckets(t, t->sharded ? &t->parts.sums : t->plan->schedule, op, t->gradients);
}

/* Sharded: gives all ranks each other's shards. */
static rs_status gather(trainer *t, float *const arrays[]) {
    return t->sharded ? run_buckets(t, &t->parts.gather, RS_SUM, arrays) : RS_OK;
}

static void update(void *argument, int index) {
    trainer *t = argument;
    if (rs_stopped(t->host)) return;
    const bool sums = t->plan->mean == RS_MEAN_SAMPLES && !t->alone;
    rs_update_rank(&t->updater, index, sums ? t->total : 1, t->gradients[index], t->weights[index]);
}

static void each(const trainer *t, int n_tasks, void (*task)(void *, int)) {
    rs_run_tasks(t->host, n_tasks, task, (void *)t);
}

static double drift_of(const trainer *t, int32_t rank) {
    double most = 0;
    for (int64_t i = 0; i < t->shape.n_parameters; i++) {
        const double off = fabs((double)t->weights[rank][i] - (double)t->weights[0][i]);
        if (!(off <= most)) most = off; /* NaN counts as drift, too */
    }
    return most;
}

static void sum_up(trainer *t, rs_train_step *step, rs_training *training) {
    const int32_t n = t->plan->n_ranks;
    const size_t n_bytes = (size_t)t->shape.n_parameters * sizeof(float);
    double loss = 0;
    for (int32_t r = 0; r < n; r++) {
        loss += t->found[r].loss;
        step->n_right += t->found[r].n_right;
    }
    step->n_samples = t->total;
    step->loss = t->total > 0 ? loss / (double)t->total : 0;
    step->first_loss = t->n_samples[0] > 0 ? t->found[0].loss / (double)t->n_samples[0] : 0;
    for (int32_t r = 1; r < n && t->plan->mode != RS_DP && !rs_stopped(t->host); r++) {
        if (memcmp(t->weights[0], t->weights[r], n_bytes) == 0) continue;
        training->replicas_equal = false;
        const double drift = drift_of(t, r);
        if (!(drift <= step->drift)) step->drift = drift;
    }
}

static rs_status make_step(trainer *t, bool checked, rs_train_step *step, rs_training *training) {
    const int32_t n = t->plan->n_ranks;
    const size_t n_bytes = (size_t)t->shape.n_parameters * sizeof(float);
    const int n_replicas = t->plan->mode == RS_DP ? 1 : n;
    const int n_passes = t->sums != NULL ? t->plan->n_passes : 1;
    rs_status status = RS_OK;
    if (checked) memcpy(t->before, t->weights[0], n_bytes);
    memset(t->found, 0, (size_t)n * sizeof *t->found);
    for (int k = 0; k < n_passes && status == RS_OK; k++) {
        take_pass(t, k, n_passes);
        each(t, n, find_gradient);
        status = exchange(t);
        for (int r = 0; r < n_replicas && checked && !rs_stopped(t->host); r++) {
            memcpy(t->check.summed[r], t->gradients[r], n_bytes);
        }
        if (n_passes == 1 || status != RS_OK) continue;
        each(t, n, add_up);
        if (checked) status = rs_check_folds(&t->check, t->error, training);
    }
    if (status != RS_OK) return status;
    if (n_passes > 1) take_sums(t);
    rs_updater_next(&t->updater);
    each(t, n_replicas, update);
    status = gather(t, t->weights);
    if (status == RS_OK && checked) status = gather(t, t->check.summed);
    if (status == RS_OK && checked) status = gather(t, t->gradients); /* the mean that is checked */
    if (status != RS_OK) return status;
    sum_up(t, step, training);
    step->checked = checked;
    if (checked && n_passes == 1) status = rs_check_folds(&t->check, t->error, training);
    if (checked && status == RS_OK) status = rs_check_mean(&t->check, t->error, training);
    if (status != RS_OK || t->means.kept == NULL) return status;
    return rs_means_step(t->plan, &t->shape, t->samples, t->n_samples, &t->means, t->error);
}

/* Tells whether the training cannot go on to this step: some wait for ever in it, or DDP's forward pass fails. */
static bool stops(const trainer *t, int32_t step) {
    const rs_ddp_case *ddp = t->ddp;
    if (ddp->unused >= 0 && !ddp->find_unused) return step == (ddp->unused_rank < 0 ? 1 : 0);
    return ddp->ended_rank >= 0 && !ddp->join && t->n_dealt[ddp->ended_rank] == 0;
}

/* ------------------------------------------------------------------ all steps */

/* Tells whether a step is checked: always, or the first and last one, or all of a cheap
   training. */
static bool is_checked(const trainer *t, int32_t step, int32_t n_steps, bool cheap) {
    const bool edge = step == 0 || step == n_steps - 1;
    return t->checking && (t->plan->check == RS_ALWAYS || edge || cheap);
}

static rs_status run_epoch(trainer *t, int32_t epoch, rs_arena *arena, bool cheap,
                           rs_training *training) {
    const rs_train_plan *plan = t->plan;
    rs_sampling sampling = plan->sampling;
    if (!plan->forget_epoch) sampling.epoch += (uint64_t)epoch;
    rs_status status = rs_shard(&sampling, arena, t->error, &t->shards);
    for (int32_t s = 0; s < training->steps_per_epoch && status == RS_OK && !training->stopped;
         s++) {
        const int32_t step = epoch * training->steps_per_epoch + s;
        t->total = 0;
        for (int32_t r = 0; r < plan->n_ranks; r++) {
            deal(t, r, s);
            t->total += t->n_dealt[r];
        }
        training->stopped = stops(t, step);
        if (training->stopped) training->n_steps = step;
        if (training->stopped) break;
        const bool checked = is_checked(t, step, training->n_steps, cheap);
        status = make_step(t, checked, &training->steps[step], training);
        if (status == RS_OK) status = ask_host(t, step + 1, training->n_steps);
    }
    return status;
}

rs_status rs_train(const rs_train_plan *plan, rs_arena *arena, rs_error *error,
                   rs_training *training) {
    assert(plan->n_ranks >= 1 && plan->n_ranks <= RS_MAX_TRAIN_RANKS && plan->n_epochs >= 0);
    const int64_t per_epoch = rs_steps_per_epoch(plan);
    if (per_epoch > INT32_MAX / (plan->n_epochs + 1)) {
        return rs_fail(error, RS_TOO_LARGE, "too many steps; take larger batches or fewer epochs");
    }
    trainer t = {.plan = plan,
                 .host = arena->host,
                 .error = error,
                 .ddp = plan->ddp != NULL ? plan->ddp : &rs_ddp_usual};
    rs_training made = {.steps_per_epoch = (int32_t)per_epoch,
                        .n_steps = (int32_t)per_epoch * plan->n_epochs,
                        .replicas_equal = true,
                        .exact = true,
                        .bounded = true,
                        .buffers_apart = -1};
    t.alone = plan->mode == RS_NONE || (t.ddp->unused >= 0 && !t.ddp->find_unused);
    t.checking = checks(plan) && !t.alone;
    t.sharded = rs_sharers(plan->mode, plan->schedule) > 1;
    rs_status status = prepare(&t, arena, &made);
    const double work = 6.0 * (double)t.shape.n_parameters * (double)plan->sampling.n_samples *
                        (double)plan->n_epochs;
    for (int32_t e = 0; e < plan->n_epochs && status == RS_OK && !made.stopped; e++) {
        rs_arena order; /* an epoch's permutation */
        rs_arena_init(&order, arena->host);
        status = run_epoch(&t, e, &order, work <= cheap_work, &made);
        rs_arena_free(&order);
    }
    if (status != RS_OK) return status;
    if (t.means.kept != NULL) rs_means_end(plan, &t.means, &made);
    made.n_parameters = t.shape.n_parameters;
    made.weights = t.weights;
    for (int32_t r = 0; r < plan->n_ranks; r++) {
        if (plan->mode == RS_DP) made.weights[r] = t.weights[0]; /* copied before each step */
        if (rs_stopped(t.host)) return ask_host(&t, made.n_steps, made.n_steps);
        made.crc32[r] = rs_crc32_values(0, RS_F32, made.weights[r], made.n_parameters);
    }
    *training = made;
    return RS_OK;
}
