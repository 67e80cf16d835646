/* train_update.c: the optimizers: what becomes of a weight w whose mean gradient is g.
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
#include "systems/train/perceptron.h"
#include "systems/train/train_shards.h"

#include <math.h>

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

void rs_update_weights(const rs_update *how, int64_t n, const float gradient[], float weights[],
                       float *const states[]) {
    switch (how->optimizer) {
    case RS_SGD:
        for (int64_t i = 0; i < n; i++) weights[i] -= how->rate * gradient[i];
        break;
    case RS_MOMENTUM: momentum(how->rate, n, gradient, weights, states[0]); break;
    case RS_ADAM: adam(how, n, gradient, weights, states[0], states[1]); break;
    }
}
