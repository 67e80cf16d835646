/* train_own.c: what a rank updates, and the states that its optimizer keeps for it.
 *
 *     bucket        0                   1              2
 *     gradient      |  0 |  1 |  2 |    | 0 | 1 | 2 |  |   0   |   1   |   2   |
 *     rank 1 owns        ^^^^^               ^^^^               ^^^^^^^^
 *     its states         |    |              |   |              |       |          one after another
 */
#include "systems/train/perceptron.h"
#include "systems/train/train_shards.h"

#include <math.h>

/* ------------------------------------------------------------------ optimizers */

/* The optimizers: what becomes of a weight w whose mean gradient is g.
 *
 *     sgd        w -= a g
 *     momentum   v = 0.9 v + g                                    w -= a v
 *     adam       m = 0.9 m + 0.1 g     v = 0.999 v + 0.001 g g    w -= a m' / (sqrt(v') + e)
 *                m' = m / (1 - 0.9^t)  v' = v / (1 - 0.999^t)
 *
 *   - Momentum as Sutskever et al. (ICML 2013) and torch.optim.SGD have it, adam as Kingma and Ba
 *     (ICLR 2015, algorithm 1). States begin at 0.
 *   - Each parameter is by itself, so a shard's update has the bits of the whole model's. Every operation
 *     is rounded by itself; of the C library only sqrtf is used, which IEEE 754 rounds correctly.
 */

const char *rs_optimizer_name(rs_optimizer optimizer) {
    static const char *const names[] = {"sgd", "momentum", "adam"};
    return names[optimizer];
}

int32_t rs_optimizer_states(rs_optimizer optimizer) {
    static const int32_t n_states[] = {[RS_SGD] = 0, [RS_MOMENTUM] = 1, [RS_ADAM] = 2};
    return n_states[optimizer];
}

int64_t rs_update_flops(rs_optimizer optimizer) {
    static const int64_t flops[] = {[RS_SGD] = 2, [RS_MOMENTUM] = 4, [RS_ADAM] = 13};
    return flops[optimizer];
}

static void momentum(float rate, int64_t n, const float gradient[], float weights[], float v[]) {
    for (int64_t i = 0; i < n; i++) {
        v[i] = 0.9f * v[i] + gradient[i];
        weights[i] -= rate * v[i];
    }
}

static void adam(const rs_update *how, int64_t n, const float gradient[], float weights[],
                 float m[], float v[]) {
    const float b1 = 0.9f, b2 = 0.999f, e = 1e-8f;
    for (int64_t i = 0; i < n; i++) {
        const float g = gradient[i];
        m[i] = b1 * m[i] + (1 - b1) * g;
        v[i] = b2 * v[i] + (1 - b2) * (g * g);
        weights[i] -= how->rate * (m[i] / how->left1) / (sqrtf(v[i] / how->left2) + e);
    }
}

/* Updates n weights from their mean gradient. states: [rs_optimizer_states] arrays of n. */
static void rs_update_weights(const rs_update *how, int64_t n, const float gradient[],
                              float weights[], float *const states[]) {
    switch (how->optimizer) {
    case RS_SGD:
        for (int64_t i = 0; i < n; i++) weights[i] -= how->rate * gradient[i];
        break;
    case RS_MOMENTUM: momentum(how->rate, n, gradient, weights, states[0]); break;
    case RS_ADAM: adam(how, n, gradient, weights, states[0], states[1]); break;
    }
}

/* Returns how many parts a rank's own has. */
static int32_t count_parts(const rs_updater *u) {
    return rs_sharers(u->plan->mode, u->plan->schedule) > 1 ? u->plan->n_buckets : 1;
}

static rs_owned part_of(const rs_updater *u, int32_t rank, int32_t part) {
    const rs_train_plan *plan = u->plan;
    if (rs_sharers(plan->mode, plan->schedule) == 1) return (rs_owned){0, u->n_parameters};
    return rs_owned_of(plan->mode, plan->schedule, &plan->buckets[part], rank);
}

rs_status rs_updater_new(const rs_train_plan *plan, int64_t n_parameters, rs_arena *arena,
                         rs_error *error, rs_updater *updater) {
    rs_updater made = {.plan = plan, .n_parameters = n_parameters, .powers = {1, 1}};
    bool room = true;
    for (int32_t k = 0; k < rs_optimizer_states(plan->optimizer) && room; k++) {
        made.states[k] = rs_alloc(arena, (size_t)plan->n_ranks, sizeof *made.states[k]);
        room = made.states[k] != NULL;
        for (int32_t r = 0; r < plan->n_ranks && room; r++) {
            int64_t own = 0;
            for (int32_t i = 0; i < count_parts(&made); i++) own += part_of(&made, r, i).count;
            made.states[k][r] = rs_alloc(arena, (size_t)own + 1, sizeof(float));
            room = made.states[k][r] != NULL;
        }
    }
    if (!room) return rs_no_memory(error);
    *updater = made;
    return RS_OK;
}

void rs_updater_next(rs_updater *updater) {
    updater->powers[0] *= 0.9;
    updater->powers[1] *= 0.999;
}

static void forget_others(const rs_updater *u, int32_t rank, float weights[]) {
    for (int32_t b = 0; b < u->plan->n_buckets; b++) {
        const rs_bucket *bucket = &u->plan->buckets[b];
        const rs_owned own = part_of(u, rank, b);
        const int64_t end = bucket->offset + bucket->count, after = own.first + own.count;
        for (int64_t i = bucket->offset; i < own.first; i++) weights[i] = NAN;
        for (int64_t i = after; i < end; i++) weights[i] = NAN;
    }
}

void rs_update_rank(const rs_updater *u, int32_t rank, int64_t divisor, float gradient[],
                    float weights[]) {
    const rs_train_plan *plan = u->plan;
    const rs_update how = {.optimizer = plan->optimizer,
                           .rate = (float)plan->rate,
                           .left1 = (float)(1 - u->powers[0]),
                           .left2 = (float)(1 - u->powers[1])};
    int64_t at = 0;
    for (int32_t i = 0; i < count_parts(u); i++) {
        const rs_owned own = part_of(u, rank, i);
        float *const states[] = {u->states[0] != NULL ? u->states[0][rank] + at : NULL,
                                 u->states[1] != NULL ? u->states[1][rank] + at : NULL};
        for (int64_t k = own.first; k < own.first + own.count && divisor != 1; k++) {
            gradient[k] /= (float)divisor;
        }
        rs_update_weights(&how, own.count, gradient + own.first, weights + own.first, states);
        at += own.count;
    }
    const bool sharded = rs_sharers(plan->mode, plan->schedule) > 1;
    if (sharded && rs_shards_weights(plan->mode)) forget_others(u, rank, weights);
}
