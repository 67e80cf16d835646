/* Real training: against plain loops, against one rank alone, and what must go wrong. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "systems/train/perceptron.h"
#include "support/threads.h"

enum { MOST_RANKS = 16 };
static rs_arena arena;
static rs_error error;
static int64_t batch[MOST_RANKS];

static void open_arena(void) {
    rs_arena_init(&arena, NULL);
    for (int r = 0; r < MOST_RANKS; r++) batch[r] = 8;
}
static void close_arena(void) {
    rs_arena_free(&arena);
}
TestSuite(train, .init = open_arena, .fini = close_arena);

static float next_float(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (float)(int32_t)(*state >> 40) / 8388608.0f - 1.0f;
}

static rs_model small_mlp(void) {
    return rs_perceptron((const int32_t[]){17, 9}, 2, 3);
}

/* ------------------------------------------------------------------ arithmetic */

Test(train, the_fast_loop_adds_in_the_plain_loops_order) {
    static float a[40 * 50], b[50 * 60], c[40 * 60], plain[40 * 60];
    uint64_t state = 7;
    for (int what_if = 0; what_if < 60; what_if++) {
        const int m = 1 + what_if % 11, n = 1 + what_if * 7 % 53, k = what_if * 3 % 47;
        for (int i = 0; i < m * k; i++) a[i] = next_float(&state);
        for (int i = 0; i < k * n; i++) b[i] = next_float(&state);
        for (int i = 0; i < m * n; i++) plain[i] = c[i] = next_float(&state);
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                for (int x = 0; x < k; x++) plain[i * n + j] += a[x * m + i] * b[x * n + j];
            }
        }
        rs_multiply_add(m, n, k, a, 1, m, b, c);
        cr_assert(memcmp(c, plain, (size_t)(m * n) * sizeof *c) == 0, "%d x %d x %d", m, n, k);
    }
}

/* The chain rule, written down once more, one sample after another. */
static void plain_gradient(const rs_shape *s, const float *w, const int64_t *samples, int64_t n,
                           float *gradient) {
    static float value[RS_MAX_SIZES][1024], delta[RS_MAX_SIZES][1024], answer[16];
    memset(gradient, 0, (size_t)s->n_parameters * sizeof *gradient);
    const int32_t *sizes = s->model.sizes;
    for (int64_t i = 0; i < n; i++) {
        rs_sample_of(s, samples[i], value[0], answer);
        for (int l = 0; l < s->n_layers; l++) {
            for (int j = 0; j < sizes[l + 1]; j++) {
                float sum = w[s->bias[l] + j];
                for (int k = 0; k < sizes[l]; k++)
                    sum += value[l][k] * w[s->weight[l] + k * sizes[l + 1] + j];
                value[l + 1][j] = sum > 0 || l == s->n_layers - 1 ? sum : 0;
            }
        }
        for (int j = 0; j < sizes[s->n_layers]; j++) {
            delta[s->n_layers][j] = 2 * (value[s->n_layers][j] - answer[j]);
        }
        for (int l = s->n_layers - 1; l >= 0; l--) {
            for (int j = 0; j < sizes[l + 1]; j++) gradient[s->bias[l] + j] += delta[l + 1][j];
            for (int k = 0; k < sizes[l]; k++) {
                float back = 0;
                for (int j = 0; j < sizes[l + 1]; j++) {
                    gradient[s->weight[l] + k * sizes[l + 1] + j] += value[l][k] * delta[l + 1][j];
                    back += delta[l + 1][j] * w[s->weight[l] + k * sizes[l + 1] + j];
                }
                delta[l][k] = value[l][k] > 0 ? back : 0;
            }
        }
    }
}

static void check_gradient(const rs_model *model, int64_t n) {
    rs_shape shape;
    rs_room room;
    cr_assert_eq(rs_shape_of(model, &arena, &error, &shape), RS_OK);
    cr_assert_eq(rs_room_new(&shape, &arena, &error, &room), RS_OK);
    float *w = rs_alloc(&arena, (size_t)shape.n_parameters, sizeof *w);
    float *g = rs_alloc(&arena, (size_t)shape.n_parameters, sizeof *g);
    float *plain = rs_alloc(&arena, (size_t)shape.n_parameters, sizeof *plain);
    int64_t samples[100];
    for (int64_t i = 0; i < n; i++) samples[i] = i * 37 % 101;
    rs_start_weights(&shape, 5, w);
    rs_gradient(&shape, w, samples, n, &room, NULL, g, NULL);
    plain_gradient(&shape, w, samples, n, plain);
    cr_expect(memcmp(g, plain, (size_t)shape.n_parameters * sizeof *g) == 0, "%d samples", (int)n);
}

Test(train, the_gradient_is_the_chain_rule_bit_for_bit) {
    const rs_model linear = rs_linreg(1), mlp = small_mlp();
    for (int64_t n = 0; n <= 70; n = n * 2 + 1) {
        check_gradient(&linear, n);
        check_gradient(&mlp, n);
    }
}

Test(train, the_gradient_is_the_slope_of_the_loss) {
    const rs_model model = small_mlp();
    rs_shape shape;
    rs_room room;
    int64_t samples[20];
    for (int i = 0; i < 20; i++) samples[i] = i;
    cr_assert_eq(rs_shape_of(&model, &arena, &error, &shape), RS_OK);
    cr_assert_eq(rs_room_new(&shape, &arena, &error, &room), RS_OK);
    float *w = rs_alloc(&arena, (size_t)shape.n_parameters, sizeof *w);
    float *g = rs_alloc(&arena, (size_t)shape.n_parameters, sizeof *g);
    float *other = rs_alloc(&arena, (size_t)shape.n_parameters, sizeof *other);
    rs_start_weights(&shape, 5, w);
    rs_gradient(&shape, w, samples, 20, &room, NULL, g, NULL);
    /* along the gradient itself, where the slope is its squared length */
    double square = 0;
    for (int64_t i = 0; i < shape.n_parameters; i++) square += (double)g[i] * g[i];
    const double step = 1e-3 / sqrt(square);
    double loss[2];
    for (int side = 0; side < 2; side++) {
        float *moved = rs_alloc(&arena, (size_t)shape.n_parameters, sizeof *moved);
        for (int64_t i = 0; i < shape.n_parameters; i++) {
            moved[i] = (float)(w[i] + (side == 0 ? -step : step) * g[i]);
        }
        loss[side] = rs_gradient(&shape, moved, samples, 20, &room, NULL, other, NULL).loss;
    }
    const double slope = (loss[1] - loss[0]) / (2 * step);
    cr_expect_lt(fabs(slope / square - 1), 0.02, "%g, not %g", slope, square);
}

/* ------------------------------------------------------------------ ranks */

typedef struct setup {
    rs_schedule schedule;
    rs_layers layers;
    rs_train_plan plan;
} setup;

static setup *make(const char *algorithm, rs_parallel mode, int32_t n, rs_model model,
                   int64_t n_samples) {
    setup *s = rs_alloc(&arena, 1, sizeof *s);
    rs_bucket *buckets;
    cr_assert_eq(rs_model_layers(&model, &arena, &error, &s->layers), RS_OK);
    const rs_status made = mode == RS_DP && n > 1
                               ? rs_dp_reduce(n, &arena, &error, &s->schedule)
                               : rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, algorithm),
                                                  RS_ORDER_SEED, n, 1, &error, &s->schedule);
    cr_assert_eq(made, RS_OK, "%s", error.text);
    s->plan = (rs_train_plan){.model = model,
                              .mode = mode,
                              .schedule = &s->schedule,
                              .n_ranks = n,
                              .batch = batch,
                              .sampling = {.n_samples = n_samples, .n_ranks = n, .shuffle = true},
                              .n_epochs = 2,
                              .rate = 0.01,
                              .check = RS_ALWAYS};
    cr_assert_eq(
        rs_cut_buckets(&s->layers, 100, 30000, &arena, &error, &buckets, &s->plan.n_buckets),
        RS_OK);
    s->plan.buckets = buckets;
    return s;
}

static rs_training train(const setup *s) {
    rs_training t;
    cr_assert_eq(rs_train(&s->plan, &arena, &error, &t), RS_OK, "%s", error.text);
    return t;
}

Test(train, any_all_reduce_and_world_size_trains_as_one_rank_does) {
    for (int a = 0; rs_algorithms[a] != NULL; a++) {
        for (int32_t n = 1; n <= 9; n++) {
            setup *s = make(rs_algorithms[a]->name, RS_DDP, n, rs_linreg(1), 300);
            s->plan.rate = 0.2;
            const rs_training t = train(s);
            cr_expect(t.replicas_equal && t.exact && t.bounded, "%s, N = %d: %d %d %d",
                      rs_algorithms[a]->name, n, t.replicas_equal, t.exact, t.bounded);
            cr_expect_eq(t.n_checked, t.n_steps);
            cr_expect_lt(t.steps[t.n_steps - 1].loss, t.steps[0].loss, "it learns nothing");
        }
    }
}

Test(train, a_perceptron_too_and_under_dp) {
    for (int32_t n = 1; n <= 5; n++) {
        const rs_training ddp = train(make("ring", RS_DDP, n, small_mlp(), 200));
        const rs_training dp = train(make("ring", RS_DP, n, small_mlp(), 200));
        cr_expect(ddp.replicas_equal && ddp.exact && ddp.bounded);
        cr_expect(dp.replicas_equal && dp.exact && dp.bounded);
        if (n <= 2) cr_expect_eq(dp.crc32[0], ddp.crc32[0], "two can be added in one order only");
    }
}

/* One process, no schedule, no buckets: shards' gradients by plain loops, folded as the seed ring
   folds chunk c of a bucket: rank c first, then c + 1, ... */
Test(train, weights_are_those_of_one_process_that_folds_as_the_ring_does) {
    enum { N = 3 };
    const setup *s = make("ring", RS_DDP, N, small_mlp(), 120);
    const rs_training t = train(s);
    rs_shape shape;
    rs_shards shards;
    cr_assert_eq(rs_shape_of(&s->plan.model, &arena, &error, &shape), RS_OK);
    float *w = rs_alloc(&arena, (size_t)shape.n_parameters, sizeof *w), *g[N];
    for (int r = 0; r < N; r++) g[r] = rs_alloc(&arena, (size_t)shape.n_parameters, sizeof *w);
    rs_start_weights(&shape, s->plan.model.seed, w);
    for (int32_t step = 0; step < t.n_steps; step++) {
        rs_sampling sampling = s->plan.sampling;
        sampling.epoch = (uint64_t)(step / t.steps_per_epoch);
        cr_assert_eq(rs_shard(&sampling, &arena, &error, &shards), RS_OK);
        int64_t samples[8];
        for (int r = 0; r < N; r++) {
            for (int i = 0; i < 8; i++) {
                samples[i] = rs_shard_sample(&shards, r, step % t.steps_per_epoch * 8 + i);
            }
            plain_gradient(&shape, w, samples, 8, g[r]);
        }
        for (int32_t b = 0; b < s->plan.n_buckets; b++) {
            const rs_bucket *bucket = &s->plan.buckets[b];
            for (int c = 0; c < N; c++) {
                const int64_t from = bucket->offset + rs_chunk_offset(bucket->count, N, c);
                const int64_t to = bucket->offset + rs_chunk_offset(bucket->count, N, c + 1);
                for (int64_t i = from; i < to; i++) {
                    float sum = g[c][i];
                    for (int k = 1; k < N; k++) sum += g[(c + k) % N][i];
                    w[i] -= 0.01f * (sum / (8 * N));
                }
            }
        }
    }
    for (int r = 0; r < N; r++) {
        cr_expect(memcmp(t.weights[r], w, (size_t)shape.n_parameters * sizeof *w) == 0, "rank %d",
                  r);
    }
}

Test(train, bits_do_not_depend_on_the_number_of_cores) {
    const rs_host host = threaded_host(2);
    const rs_training one = train(make("ring", RS_DDP, 5, small_mlp(), 200));
    rs_arena other;
    rs_training two;
    rs_arena_init(&other, &host);
    cr_assert_eq(rs_train(&make("ring", RS_DDP, 5, small_mlp(), 200)->plan, &other, &error, &two),
                 RS_OK);
    cr_expect_eq(one.crc32[4], two.crc32[4]);
    rs_arena_free(&other);
}

Test(train, says_before_how_much_memory_it_takes) {
    for (int32_t n = 1; n <= 9; n += 4) {
        for (int check = 0; check < 2; check++) {
            rs_train_plan plan =
                make("ring", RS_DDP, n, rs_perceptron((const int32_t[]){300, 200}, 2, 3), 64)->plan;
            plan.check = check == 0 ? RS_NEVER : RS_ALWAYS;
            rs_arena other;
            rs_training t;
            rs_arena_init(&other, NULL);
            cr_assert_eq(rs_train(&plan, &other, &error, &t), RS_OK);
            const double said = rs_train_bytes(&plan), took = (double)other.n_bytes;
            cr_expect(took < said + 1e6 && said < 1.2 * took + 1e6, "%g, not %g", took, said);
            rs_arena_free(&other);
        }
    }
}

/* ------------------------------------------------------------------ it can be ended */

/* A host that says stop after so many questions. */
static bool out_of_patience(void *context) {
    return --*(int64_t *)context < 0;
}
static bool patient(void *context, const char *what, int64_t done, int64_t total) {
    cr_expect(what != NULL && done >= 0 && done <= total);
    return *(int64_t *)context >= 0;
}

Test(train, ends_wherever_the_host_says_stop_and_asks_it_after_each_layer) {
    enum { RANKS = 2, TILES = 4, LAYERS = 3 };
    const int64_t least = (int64_t)RANKS * TILES * LAYERS * 2 * 2; /* both ways, and once more */
    for (int r = 0; r < RANKS; r++) batch[r] = TILES * RS_TILE;
    const rs_train_plan plan =
        make("ring", RS_DDP, RANKS, small_mlp(), (int64_t)RANKS * TILES * RS_TILE)->plan;
    for (int64_t most = 0;; most += 1 + most / 9) {
        int64_t left = most;
        const rs_host host = {.context = &left, .progress = patient, .stopped = out_of_patience};
        rs_arena other;
        rs_training t = {.n_steps = -1};
        rs_arena_init(&other, &host);
        const rs_status status = rs_train(&plan, &other, &error, &t);
        rs_arena_free(&other);
        if (status == RS_OK) {
            cr_expect_gt(most, least);
            break;
        }
        cr_assert_eq(status, RS_CANCELLED, "%s", error.text);
        cr_assert_eq(t.n_steps, -1, "what came out is untouched");
        cr_assert_lt(most, 100 * least);
    }
}

/* ------------------------------------------------------------------ what goes wrong */

Test(train, the_mean_of_means_is_wrong_for_unequal_shards) {
    for (int r = 0; r < MOST_RANKS; r++) batch[r] = 1 + 3 * r;
    setup *s = make("ring", RS_DDP, 4, rs_linreg(1), 400);
    const rs_training right = train(s);
    cr_expect(right.exact && right.bounded && right.replicas_equal);
    s->plan.mean = RS_MEAN_RANKS;
    const rs_training wrong = train(s);
    cr_expect(wrong.exact && wrong.replicas_equal, "all agree about it");
    cr_expect_not(wrong.bounded);
    cr_expect_gt(wrong.off, 0.01);
    for (int r = 0; r < MOST_RANKS; r++) batch[r] = 8;
    s->plan.mean = RS_MEAN_RANKS;
    const rs_training even = train(s);
    cr_expect(even.exact && even.bounded, "equal shards: the mean of means is the mean");
}

Test(train, replicas_that_never_speak_drift_apart) {
    const rs_training t = train(make("ring", RS_NONE, 4, rs_linreg(1), 300));
    cr_expect_not(t.replicas_equal);
    cr_expect_gt(t.steps[0].drift, 0);
    cr_expect_neq(t.crc32[0], t.crc32[1]);
    cr_expect_eq(t.n_checked, 0);
}

Test(train, without_a_broadcast_at_the_start_replicas_stay_different) {
    setup *s = make("ring", RS_DDP, 4, rs_linreg(1), 300);
    s->plan.own_start = true;
    const rs_training t = train(s);
    cr_expect_not(t.replicas_equal);
    const double first = t.steps[0].drift, last = t.steps[t.n_steps - 1].drift;
    cr_expect_lt(fabs(last / first - 1), 1e-3, "equal updates keep the difference: %g, %g", first,
                 last);
}

Test(train, a_schedule_that_loses_a_gradient_is_found) {
    setup *s = make("ring", RS_DDP, 2, rs_linreg(1), 100);
    const int64_t first[] = {0, 1};
    const rs_transfer lonely = {.src = 0, .dst = 1, .n_chunks = 1, .effect = RS_REDUCE};
    cr_assert_eq(rs_schedule_from_list(2, 1, 1, first, &lonely, &arena, &error, &s->schedule),
                 RS_OK);
    const rs_training t = train(s);
    cr_expect_not(t.replicas_equal);
    cr_expect_not(t.exact && t.bounded);
}

Test(train, short_batches_and_empty_ones_count_what_they_hold) {
    batch[0] = 1;
    batch[1] = 7;
    const setup *s = make("ring", RS_DDP, 2, rs_linreg(1), 21);
    const rs_training t = train(s);
    cr_expect_eq(t.steps_per_epoch, 2); /* 11 each: 7 + 4, and one a step */
    cr_expect_eq(t.steps[0].n_samples, 8);
    cr_expect_eq(t.steps[1].n_samples, 5);
    cr_expect(t.exact && t.bounded);
}
