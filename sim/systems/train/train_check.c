/* train_check.c: does a step of N ranks equal the step of one rank?
 *
 *     exact     one rank works through the shards one after another; their gradients, folded in the
 *     schedule's own order, are what the exchange must have left, bit for bit (rs_compare) bounded
 *     one rank adds up all samples one after another, without shards. Each term t takes fewer than
 *     n + N + 4 roundings in either sum, so the sums differ by at most 2 g sum |t| with
 *               g = m u / (1 - m u), m = n + N + 4, u = 2^-24 (Higham, Accuracy and Stability, 4.2)
 *
 * The terms have the same bits in both: a sample's output does not depend on the other samples.
 */
#include "systems/train/perceptron.h"

#include <math.h>
#include <string.h>

/* Computes shard `index`'s gradient once more; the last task computes that of all samples. */
static void find_again(void *argument, int index) {
    const rs_step_check *c = argument;
    if (rs_stopped(c->host)) return;
    const int32_t n = c->plan->n_ranks;
    int64_t total = 0;
    if (index < n) {
        const int64_t samples = c->n_samples[index];
        rs_gradient(c->shape, c->weights, c->samples[index], samples, &c->rooms[index], c->host,
                    c->again[index], NULL);
        for (int64_t i = 0; i < c->shape->n_parameters && samples > 0; i++) {
            if (c->plan->mean == RS_MEAN_RANKS) c->again[index][i] /= (float)c->n_dealt[index];
        }
        return;
    }
    for (int32_t r = 0; r < n; r++) total += c->n_samples[r];
    rs_gradient(c->shape, c->weights, c->all, total, &c->rooms[n], c->host, c->plain, c->sizes);
}

/* Lists the step's samples as one rank would take them: one of each shard in turn, as they were
   dealt. */
static void collect(const rs_step_check *c) {
    int64_t total = 0, longest = 0;
    for (int32_t r = 0; r < c->plan->n_ranks; r++) {
        if (c->n_samples[r] > longest) longest = c->n_samples[r];
    }
    for (int64_t i = 0; i < longest; i++) {
        for (int32_t r = 0; r < c->plan->n_ranks; r++) {
            if (i < c->n_samples[r]) c->all[total++] = c->samples[r][i];
        }
    }
}

/* Tells whether several exchanges make a step: each has its folds, and all together one mean. */
static bool has_passes(const rs_step_check *c) {
    return c->plan->n_passes > 1;
}

/* Compares what the exchange left with the exact folds, bucket by bucket. */
static rs_status compare_folds(const rs_step_check *c, const rs_host *host, rs_arena *scratch,
                               rs_error *error, bool *exact) {
    const rs_train_plan *plan = c->plan;
    const size_t n = (size_t)plan->n_ranks;
    const void **inputs = rs_alloc(scratch, n, sizeof *inputs);
    const void **results = rs_alloc(scratch, n, sizeof *results);
    bool *wrong = rs_alloc(scratch, n, sizeof *wrong);
    if (scratch->lacked) return rs_no_memory(error);
    const rs_op op = plan->mean == RS_MEAN_RANKS ? RS_AVG : RS_SUM;
    rs_status status = RS_OK;
    for (int32_t b = 0; b < plan->n_buckets && status == RS_OK; b++) {
        const int64_t offset = plan->buckets[b].offset;
        for (size_t r = 0; r < n; r++) {
            inputs[r] = c->again[r] + offset;
            results[r] = plan->mode == RS_DP && r > 0 ? NULL : c->summed[r] + offset;
        }
        status = rs_compare(plan->schedule, RS_F32, op, plan->buckets[b].count, inputs, results,
                            host, error, wrong);
        for (size_t r = 0; r < n && status == RS_OK; r++) {
            if (results[r] != NULL && wrong[r]) *exact = false;
        }
    }
    return status;
}

/* Tells whether a rank that is alone has exactly its own gradient. */
static bool same_alone(const rs_step_check *c) {
    const size_t n_bytes = (size_t)c->shape->n_parameters * sizeof(float);
    return memcmp(c->again[0], c->summed[0], n_bytes) == 0;
}

static void compare_plain(const rs_step_check *c, rs_training *training) {
    int64_t total = 0;
    for (int32_t r = 0; r < c->plan->n_ranks; r++) total += c->n_samples[r];
    const int32_t more = has_passes(c) ? c->plan->n_passes : 0;
    const double u = 1.0 / 16777216, tiny = 1e-45,
                 m = (double)(total + c->plan->n_ranks + 4 + more);
    const double g = m * u / (1 - m * u), n = (double)total;
    double largest = 0, most_off = 0;
    for (int64_t i = 0; i < c->shape->n_parameters; i++) {
        const double plain = c->plain[i] / n, off = fabs((double)c->mean[i] - plain);
        const double bound = (2 * g * c->sizes[i] * (1 + m * u) + m * tiny) / n;
        if (fabs(plain) > largest) largest = fabs(plain);
        if (off > most_off) most_off = off;
        if (off > training->worst_share * bound) {
            training->worst_share = bound > 0 ? off / bound : INFINITY;
        }
        if (!(off <= bound)) training->bounded = false;
    }
    if (largest > 0 && most_off / largest > training->off) training->off = most_off / largest;
}

rs_status rs_check_folds(rs_step_check *check, rs_error *error, rs_training *training) {
    const int32_t n = check->plan->n_ranks;
    rs_arena scratch;
    rs_arena_init(&scratch, check->host);
    rs_status status = RS_OK;
    bool exact = true;
    if (!has_passes(check)) collect(check);
    rs_run_tasks(check->host, has_passes(check) ? n : n + 1, find_again, check);
    if (rs_stopped(check->host)) {
        status = rs_fail(error, RS_CANCELLED, "cancelled");
    } else if (n == 1) {
        exact = same_alone(check);
    } else {
        status = compare_folds(check, check->host, &scratch, error, &exact);
    }
    rs_arena_free(&scratch);
    if (status == RS_OK) training->exact = training->exact && exact;
    return status;
}

rs_status rs_check_mean(rs_step_check *check, rs_error *error, rs_training *training) {
    if (has_passes(check)) {
        collect(check);
        find_again(check, check->plan->n_ranks);
    }
    if (rs_stopped(check->host)) return rs_fail(error, RS_CANCELLED, "cancelled");
    compare_plain(check, training);
    training->n_checked++;
    return RS_OK;
}
