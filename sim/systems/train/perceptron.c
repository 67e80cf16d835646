/* perceptron.c: the gradient of E = sum ||f(x) - y||^2 over some samples, by the chain rule.
 *
 *     x --W0--> +b0 --ReLU--> h --W1--> +b1 --> f(x)          forward, a tile of samples at a time
 *     dW0 <-- dh <-- mask <-- W1^T d <-- d = 2 (f(x) - y)     backward
 *
 *   - A sample's outputs and deltas do not depend on the other samples of its tile.
 *   - The gradients of the samples are added one by one, in the order of the list.
 */
#include "systems/train/perceptron.h"

#include <math.h>
#include <string.h>

static float *array(rs_arena *arena, int64_t n) {
    return rs_alloc(arena, (size_t)n, sizeof(float));
}

rs_status rs_room_new(const rs_shape *shape, rs_arena *arena, rs_error *error, rs_room *room) {
    rs_room made = {0};
    int64_t widest = 0, largest = 0;
    bool all = true;
    for (int32_t l = 0; l <= shape->n_layers; l++) {
        const int64_t n = shape->model.sizes[l];
        made.values[l] = array(arena, n * RS_TILE);
        made.deltas[l] = l == 0 ? made.values[0] : array(arena, n * RS_TILE);
        all = all && made.values[l] != NULL && made.deltas[l] != NULL;
        if (n > widest) widest = n;
        if (l > 0 && l < shape->n_layers && n * shape->model.sizes[l + 1] > largest) {
            largest = n * shape->model.sizes[l + 1];
        }
    }
    made.answers = array(arena, (int64_t)shape->model.sizes[shape->n_layers] * RS_TILE);
    made.turned = array(arena, largest + 1);
    made.sizes[0] = array(arena, widest * RS_TILE);
    made.sizes[1] = array(arena, widest * RS_TILE);
    all = all && made.answers != NULL && made.turned != NULL && made.sizes[0] != NULL &&
          made.sizes[1] != NULL;
    if (!all) return rs_no_memory(error);
    *room = made;
    return RS_OK;
}

/* ------------------------------------------------------------------ forward */

static void forward(const rs_shape *shape, const float weights[], int64_t n, const rs_host *host,
                    rs_room *room) {
    for (int32_t l = 0; l < shape->n_layers && !rs_stopped(host); l++) {
        const int64_t in = shape->model.sizes[l], out = shape->model.sizes[l + 1];
        float *values = room->values[l + 1];
        for (int64_t b = 0; b < n; b++) {
            memcpy(values + b * out, weights + shape->bias[l], (size_t)out * sizeof *values);
        }
        if (room->without == l + 1) memset(values, 0, (size_t)(n * out) * sizeof *values);
        rs_multiply_add(n, out, in, room->values[l], in, 1, weights + shape->weight[l], values);
        if (l + 1 == shape->n_layers) return;
        for (int64_t i = 0; i < n * out; i++) values[i] = values[i] > 0 ? values[i] : 0;
    }
}

/* Adds the loss of one sample and whether its largest output is its class; writes the gradient of
   the loss. */
static void judge(const rs_shape *shape, int64_t b, int32_t class, rs_room *room, rs_found *found) {
    const int32_t last = shape->n_layers, n = shape->model.sizes[last];
    const float *value = room->values[last] + b * n, *answer = room->answers + b * n;
    float *delta = room->deltas[last] + b * n;
    int32_t best = 0;
    for (int32_t j = 0; j < n; j++) {
        const float off = value[j] - answer[j];
        found->loss += (double)off * off;
        delta[j] = 2 * off;
        if (value[j] > value[best]) best = j;
    }
    found->n_right += best == class;
}

/* ------------------------------------------------------------------ backward */

static void add_sums(const float deltas[], int64_t n, int64_t width, float sums[]) {
    for (int64_t b = 0; b < n; b++) {
        for (int64_t j = 0; j < width; j++) sums[j] += deltas[b * width + j];
    }
}

/* Computes deltas[l] = deltas[l + 1] W^T where the ReLU's input was positive, else 0. */
static void step_back(const rs_shape *shape, const float weights[], int32_t l, int64_t n,
                      rs_room *room) {
    const int64_t in = shape->model.sizes[l], out = shape->model.sizes[l + 1];
    const float *w = weights + shape->weight[l], *values = room->values[l];
    float *deltas = room->deltas[l];
    for (int64_t i = 0; i < in; i++) {
        for (int64_t j = 0; j < out; j++) room->turned[j * in + i] = w[i * out + j];
    }
    memset(deltas, 0, (size_t)(n * in) * sizeof *deltas);
    rs_multiply_add(n, in, out, room->deltas[l + 1], out, 1, room->turned, deltas);
    for (int64_t i = 0; i < n * in; i++) deltas[i] = values[i] > 0 ? deltas[i] : 0;
}

static void add_sizes(const rs_shape *shape, int32_t l, int64_t n, rs_room *room, float sizes[]) {
    const int64_t in = shape->model.sizes[l], out = shape->model.sizes[l + 1];
    for (int64_t i = 0; i < n * in; i++) room->sizes[0][i] = fabsf(room->values[l][i]);
    for (int64_t i = 0; i < n * out; i++) room->sizes[1][i] = fabsf(room->deltas[l + 1][i]);
    rs_multiply_add(in, out, n, room->sizes[0], 1, in, room->sizes[1], sizes + shape->weight[l]);
    add_sums(room->sizes[1], n, out, sizes + shape->bias[l]);
}

static void backward(const rs_shape *shape, const float weights[], int64_t n, const rs_host *host,
                     rs_room *room, float gradient[], float sizes[]) {
    for (int32_t l = shape->n_layers - 1; l >= 0 && !rs_stopped(host); l--) {
        const int64_t in = shape->model.sizes[l], out = shape->model.sizes[l + 1];
        rs_multiply_add(in, out, n, room->values[l], 1, in, room->deltas[l + 1],
                        gradient + shape->weight[l]);
        if (room->without != l + 1) {
            add_sums(room->deltas[l + 1], n, out, gradient + shape->bias[l]);
        }
        if (sizes != NULL) add_sizes(shape, l, n, room, sizes);
        if (l > 0) step_back(shape, weights, l, n, room);
    }
}

rs_found rs_gradient(const rs_shape *shape, const float weights[], const int64_t samples[],
                     int64_t n_samples, rs_room *room, const rs_host *host, float gradient[],
                     float sizes[]) {
    const int64_t in = shape->model.sizes[0], out = shape->model.sizes[shape->n_layers];
    const size_t n_bytes = (size_t)shape->n_parameters * sizeof *gradient;
    rs_found found = {0};
    memset(gradient, 0, n_bytes);
    if (sizes != NULL) memset(sizes, 0, n_bytes);
    for (int64_t at = 0; at < n_samples && !rs_stopped(host); at += RS_TILE) {
        const int64_t n = n_samples - at < RS_TILE ? n_samples - at : RS_TILE;
        int32_t classes[RS_TILE];
        for (int64_t b = 0; b < n; b++) {
            classes[b] = rs_sample_of(shape, samples[at + b], room->values[0] + b * in,
                                      room->answers + b * out);
        }
        forward(shape, weights, n, host, room);
        for (int64_t b = 0; b < n; b++) judge(shape, b, classes[b], room, &found);
        backward(shape, weights, n, host, room, gradient, sizes);
    }
    return found;
}
