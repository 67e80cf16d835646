/* running_means.c: the buffers of a real training: running means of the inputs, as a BatchNorm in front of the model
 * would keep them.
 *
 *     own         m[r] = 0.9 m[r] + 0.1 mean of rank r's samples
 *     broadcast   first rank 0's m goes to all, by a tree; then the same
 *     sync        all ranks' sums and counts are all-reduced: the mean of all samples, on all ranks alike
 *
 *   - 0.9 and 0.1 are those of torch.nn.BatchNorm's momentum. Means begin at 0.
 */
#include "systems/train/perceptron.h"

#include <math.h>
#include <string.h>

rs_status rs_means_new(const rs_train_plan *plan, rs_arena *arena, rs_error *error,
                       rs_means *means) {
    const size_t n = (size_t)plan->n_ranks, n_inputs = (size_t)plan->model.sizes[0];
    rs_means made = {rs_alloc(arena, n + 1, sizeof *made.kept),
                     rs_alloc(arena, n, sizeof *made.batch)};
    for (size_t r = 0; r <= n && !arena->lacked; r++) {
        made.kept[r] = rs_alloc(arena, n_inputs, sizeof(float));
        if (r < n) made.batch[r] = rs_alloc(arena, n_inputs + 1, sizeof(float));
    }
    if (arena->lacked) return rs_no_memory(error);
    *means = made;
    return RS_OK;
}

/* Adds up the inputs of some samples, and counts them behind the sums. */
static void add_inputs(const rs_shape *shape, const int64_t samples[], int64_t n, float sums[]) {
    enum { MOST_INPUTS = 784, MOST_OUTPUTS = RS_MAX_WIDTH };
    float input[MOST_INPUTS], answer[MOST_OUTPUTS];
    const int32_t n_inputs = shape->model.sizes[0];
    memset(sums, 0, ((size_t)n_inputs + 1) * sizeof *sums);
    for (int64_t i = 0; i < n; i++) {
        rs_sample_of(shape, samples[i], input, answer);
        for (int32_t j = 0; j < n_inputs; j++) sums[j] += input[j];
    }
    sums[n_inputs] = (float)n;
}

static void take_in(const float sums[], int32_t n_inputs, float kept[]) {
    for (int32_t j = 0; j < n_inputs && sums[n_inputs] > 0; j++) {
        kept[j] = 0.9f * kept[j] + 0.1f * (sums[j] / sums[n_inputs]);
    }
}

/* Runs a schedule on the ranks' arrays. */
static rs_status apply(const rs_schedule *schedule, int64_t count, float *arrays[],
                       rs_error *error) {
    const rs_apply_options whole = {.until_step = schedule->n_steps};
    return rs_apply(schedule, RS_F32, RS_SUM, count, (void *const *)arrays, &whole, NULL, error);
}

rs_status rs_means_step(const rs_train_plan *plan, const rs_shape *shape, int64_t *const samples[],
                        const int64_t n_samples[], const rs_means *means, rs_error *error) {
    const int32_t n = plan->n_ranks, n_inputs = shape->model.sizes[0];
    float all[RS_MAX_WIDTH + 1] = {0};
    rs_schedule tree;
    rs_status status = RS_OK;
    if (plan->ddp->buffers == RS_BUFFERS_BROADCAST) {
        status = rs_schedule_make(rs_find_algorithm(RS_COLL_BROADCAST, "tree"), RS_ORDER_SEED, n, 1,
                                  error, &tree);
        if (status == RS_OK) status = apply(&tree, n_inputs, means->kept, error);
    }
    for (int32_t r = 0; r < n && status == RS_OK; r++) {
        add_inputs(shape, samples[r], n_samples[r], means->batch[r]);
        for (int32_t j = 0; j <= n_inputs; j++) all[j] += means->batch[r][j];
    }
    if (status == RS_OK && plan->ddp->buffers == RS_BUFFERS_SYNC) {
        status = apply(plan->schedule, n_inputs + 1, means->batch, error);
    }
    for (int32_t r = 0; r < n && status == RS_OK; r++)
        take_in(means->batch[r], n_inputs, means->kept[r]);
    take_in(all, n_inputs, means->kept[n]);
    return status;
}

static double apart(const float a[], const float b[], int32_t n) {
    double most = 0;
    for (int32_t j = 0; j < n; j++) most = fmax(most, fabs((double)a[j] - (double)b[j]));
    return most;
}

void rs_means_end(const rs_train_plan *plan, const rs_means *means, rs_training *training) {
    const int32_t n = plan->n_ranks, n_inputs = plan->model.sizes[0];
    training->buffers_off = apart(means->kept[0], means->kept[n], n_inputs);
    training->buffers_apart = 0;
    for (int32_t r = 1; r < n; r++) {
        training->buffers_apart =
            fmax(training->buffers_apart, apart(means->kept[r], means->kept[0], n_inputs));
    }
}
