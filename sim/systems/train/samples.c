/* samples.c: the models that ringsim really trains, their data and starting weights.
 *
 *     linreg   x_i in [-1, 1), y = sum x_i w_i + 0.5 + noise in [-0.1, 0.1); w_i in [-1, 1)
 *     mlp      class c = mix(sample) mod 10; pixel i = (picture[c][i] + noise - 255) / 256; y = e_c
 *
 *   - Every number is a hash (splitmix64) of the seed, a purpose, the sample and the place: so
 *     there is no file, no order in which to draw numbers, and any sample can be made at any time.
 *   - Weights start uniformly distributed in +-1/sqrt(inputs), biases at 0.
 */
#include "base/containers.h"
#include "systems/train/perceptron.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N_PIXELS = 784, N_CLASSES = 10, N_INPUTS = 8, BYTES_A_HASH = 8 };
typedef enum purpose { TRUTH = 1, NOISE, CLASS, PICTURE, PIXELS, WEIGHTS } purpose;

static uint64_t stream(uint64_t seed, purpose what, uint64_t which) {
    return rs_mix(rs_mix(seed + (uint64_t)what) + which);
}

/* Returns a multiple of 2^-23 in [-1, 1). */
static float fraction(uint64_t hash) {
    return (float)(int32_t)(hash >> 40) / 8388608.0f - 1.0f;
}

/* ------------------------------------------------------------------ models */

rs_model rs_linreg(uint64_t seed) {
    return (rs_model){.n_sizes = 2, .sizes = {N_INPUTS, 1}, .seed = seed};
}

rs_model rs_perceptron(const int32_t hidden[], int32_t n_hidden, uint64_t seed) {
    rs_model model = {.n_sizes = n_hidden + 2, .sizes = {N_PIXELS}, .seed = seed};
    for (int32_t i = 0; i < n_hidden; i++) model.sizes[i + 1] = hidden[i];
    model.sizes[n_hidden + 1] = N_CLASSES;
    return model;
}

rs_status rs_model_layers(const rs_model *model, rs_arena *arena, rs_error *error,
                          rs_layers *layers) {
    const int32_t n = model->n_sizes - 1;
    rs_layer *items = rs_alloc(arena, (size_t)n * 2, sizeof *items);
    if (items == NULL) return rs_no_memory(error);
    rs_layers made = {
        .items = items, .n_layers = 2 * n, .input = model->sizes[0], .output = model->sizes[n]};
    for (int32_t l = 0; l < n; l++) {
        const int64_t in = model->sizes[l], out = model->sizes[l + 1];
        rs_layer *weight = &items[2 * l], *bias = weight + 1;
        *weight = (rs_layer){.parameters = in * out, .flops = 2 * in * out, .activations = out};
        *bias = (rs_layer){.parameters = out};
        snprintf(weight->name, sizeof weight->name, "fc%d.weight", (int)l + 1);
        snprintf(bias->name, sizeof bias->name, "fc%d.bias", (int)l + 1);
        if (l == 0) made.buffers = weight->buffers = in; /* the running mean of its inputs */
        made.parameters += in * out + out;
        made.flops += 2 * in * out;
        made.activations += out;
    }
    *layers = made;
    return RS_OK;
}

/* ------------------------------------------------------------------ what lies behind the data */

static rs_status make_pictures(uint64_t seed, rs_arena *arena, rs_error *error, rs_shape *shape) {
    uint8_t *pictures = rs_alloc(arena, (size_t)N_CLASSES * N_PIXELS, 1);
    if (pictures == NULL) return rs_no_memory(error);
    for (uint64_t i = 0; i < (uint64_t)N_CLASSES * N_PIXELS; i++) {
        pictures[i] = (uint8_t)(stream(seed, PICTURE, i) >> 56);
    }
    shape->pictures = pictures;
    return RS_OK;
}

static rs_status make_truth(uint64_t seed, rs_arena *arena, rs_error *error, rs_shape *shape) {
    float *truth = rs_alloc(arena, N_INPUTS, sizeof *truth);
    if (truth == NULL) return rs_no_memory(error);
    for (uint64_t i = 0; i < N_INPUTS; i++) truth[i] = fraction(stream(seed, TRUTH, i));
    shape->truth = truth;
    return RS_OK;
}

rs_status rs_shape_of(const rs_model *model, rs_arena *arena, rs_error *error, rs_shape *shape) {
    rs_shape made = {.model = *model, .n_layers = model->n_sizes - 1};
    for (int32_t l = made.n_layers - 1; l >= 0; l--) {
        made.bias[l] = made.n_parameters;
        made.weight[l] = made.bias[l] + model->sizes[l + 1];
        made.n_parameters = made.weight[l] + (int64_t)model->sizes[l] * model->sizes[l + 1];
    }
    const bool linear = model->sizes[0] == N_INPUTS;
    const rs_status status = linear ? make_truth(model->seed, arena, error, &made)
                                    : make_pictures(model->seed, arena, error, &made);
    if (status == RS_OK) *shape = made;
    return status;
}

void rs_start_weights(const rs_shape *shape, uint64_t seed, float weights[]) {
    memset(weights, 0, (size_t)shape->n_parameters * sizeof *weights);
    for (int32_t l = 0; l < shape->n_layers; l++) {
        const int64_t in = shape->model.sizes[l], n = in * shape->model.sizes[l + 1];
        const float scale = 1.0f / sqrtf((float)in); /* both correctly rounded everywhere */
        float *w = weights + shape->weight[l];
        for (int64_t i = 0; i < n; i++) {
            w[i] = scale * fraction(stream(seed, WEIGHTS, (uint64_t)(shape->weight[l] + i)));
        }
    }
}

/* ------------------------------------------------------------------ a sample */

static int32_t picture_of(const rs_shape *shape, uint64_t sample, float input[], float answer[]) {
    const uint64_t seed = shape->model.seed;
    const int32_t class = (int32_t)(stream(seed, CLASS, sample) % N_CLASSES);
    const uint8_t *picture = shape->pictures + (size_t) class * N_PIXELS;
    const uint64_t first = rs_mix(rs_mix(seed + PIXELS) + sample);
    for (int i = 0; i < N_PIXELS; i += BYTES_A_HASH) {
        const uint64_t noise = rs_mix(first + (uint64_t)i);
        for (int j = 0; j < BYTES_A_HASH; j++) {
            const int32_t value = picture[i + j] + (int32_t)(noise >> (8 * j) & 0xff) - 255;
            input[i + j] = (float)value * (1.0f / 256);
        }
    }
    for (int32_t c = 0; c < N_CLASSES; c++) answer[c] = c == class ? 1.0f : 0.0f;
    return class;
}

int32_t rs_sample_of(const rs_shape *shape, int64_t sample, float input[], float answer[]) {
    if (shape->pictures != NULL) return picture_of(shape, (uint64_t)sample, input, answer);
    const uint64_t seed = shape->model.seed;
    float sum = 0.5f;
    for (int i = 0; i < N_INPUTS; i++) {
        input[i] = fraction(stream(seed, PIXELS, (uint64_t)sample * N_INPUTS + (uint64_t)i));
        sum += input[i] * shape->truth[i];
    }
    answer[0] = sum + 0.1f * fraction(stream(seed, NOISE, (uint64_t)sample));
    return -1;
}
