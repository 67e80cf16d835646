/* Sharded training (ZeRO, FSDP) and the optimizers: against ddp, bit for bit, and against formulas. */
#include <criterion/criterion.h>

#include <math.h>

#include "systems/train/perceptron.h"
#include "systems/train/train_shards.h"

enum { MOST_RANKS = 16 };
static rs_arena arena;
static rs_error error;
static int64_t batch[MOST_RANKS];
static const rs_parallel sharded[] = {RS_ZERO1, RS_ZERO2, RS_ZERO3};

static void open_arena(void) {
    rs_arena_init(&arena, NULL);
    for (int r = 0; r < MOST_RANKS; r++) batch[r] = 4 + r % 3;
}
static void close_arena(void) {
    rs_arena_free(&arena);
}
TestSuite(zero, .init = open_arena, .fini = close_arena);

static rs_schedule schedule_of(const char *algorithm, rs_order order, int32_t n, int32_t node) {
    rs_schedule schedule;
    const rs_spec spec = {.n_ranks = n, .order = order, .gpus_per_node = node};
    cr_assert_eq(rs_schedule_from_spec(rs_find_algorithm(RS_COLL_ALL_REDUCE, algorithm), &spec, 1,
                                       &error, &schedule),
                 RS_OK);
    return schedule;
}

static rs_schedule nccl_ring(int32_t n) {
    return schedule_of("ring", RS_ORDER_NCCL, n, 0);
}

/* Trains a model of odd size in odd buckets. */
static rs_training train(const rs_model *model, rs_parallel mode, rs_optimizer optimizer,
                         const rs_schedule *schedule, rs_mean mean) {
    rs_layers layers;
    rs_bucket *buckets;
    rs_training t;
    const int32_t n = schedule->n_ranks;
    rs_train_plan plan = {.model = *model,
                          .mode = mode,
                          .optimizer = optimizer,
                          .schedule = schedule,
                          .n_ranks = n,
                          .batch = batch,
                          .sampling = {.n_samples = 12 * n + 1, .n_ranks = n},
                          .n_epochs = 2,
                          .rate = 0.01,
                          .mean = mean,
                          .check = RS_ALWAYS};
    cr_assert_eq(rs_model_layers(model, &arena, &error, &layers), RS_OK);
    cr_assert_eq(rs_cut_buckets(&layers, 1, 600, &arena, &error, &buckets, &plan.n_buckets), RS_OK);
    plan.buckets = buckets;
    cr_assert_eq(rs_train(&plan, &arena, &error, &t), RS_OK, "%s", error.text);
    return t;
}

static void expect_ddp(const rs_model *model, rs_parallel mode, rs_optimizer optimizer,
                       const rs_schedule *schedule, rs_mean mean, const rs_training *ddp) {
    const rs_training t = train(model, mode, optimizer, schedule, mean);
    const int32_t n = schedule->n_ranks;
    cr_expect(t.replicas_equal && t.exact, "mode %d, optimizer %d, N = %d", mode, optimizer, n);
    cr_expect(mean == RS_MEAN_RANKS || t.bounded);
    for (int32_t r = 0; r < n; r++) {
        cr_expect_eq(t.crc32[r], ddp->crc32[0], "mode %d, optimizer %d, rank %d of %d", mode,
                     optimizer, r, n);
        cr_expect(isfinite(t.weights[r][0]));
    }
}

/* All modes, optimizers and means: the weights that ddp leaves, bit for bit, if both add in one order. */
static void compare_modes(const rs_model *model, int32_t n, rs_optimizer optimizer) {
    const rs_schedule ring = nccl_ring(n);
    for (int mean = RS_MEAN_SAMPLES; mean <= RS_MEAN_RANKS; mean++) {
        const rs_training ddp = train(model, RS_DDP, optimizer, &ring, (rs_mean)mean);
        for (int m = 0; m < 3; m++) {
            expect_ddp(model, sharded[m], optimizer, &ring, (rs_mean)mean, &ddp);
        }
        for (int32_t node = 1; node <= n; node++) {
            if (n % node != 0) continue;
            const rs_schedule levels = schedule_of("two-level", RS_ORDER_SEED, n, node);
            const rs_training same = train(model, RS_DDP, optimizer, &levels, (rs_mean)mean);
            expect_ddp(model, RS_HSDP, optimizer, &levels, (rs_mean)mean, &same);
            if (node == 1 || node == n) cr_expect_eq(same.crc32[0], ddp.crc32[0], "one ring");
        }
    }
}

Test(zero, every_mode_ends_with_ddps_bits) {
    const rs_model linear = rs_linreg(1);
    for (int32_t n = 1; n <= 9; n++) {
        for (int o = RS_SGD; o <= RS_ADAM; o++) compare_modes(&linear, n, (rs_optimizer)o);
    }
}

Test(zero, so_does_a_perceptron_of_odd_sizes) {
    const rs_model mlp = rs_perceptron((const int32_t[]){3}, 1, 3);
    for (int32_t n = 2; n <= 4; n++) compare_modes(&mlp, n, (rs_optimizer)((n + 1) % 3));
}

/* Three numbers can be added in more than one order; two cannot. */
Test(zero, the_seed_order_adds_in_another_order) {
    const rs_model linear = rs_linreg(1);
    for (int32_t n = 2; n <= 4; n++) {
        const rs_schedule nccl = nccl_ring(n), seed = schedule_of("ring", RS_ORDER_SEED, n, 0);
        const rs_training zero = train(&linear, RS_ZERO3, RS_SGD, &nccl, RS_MEAN_SAMPLES);
        const rs_training ddp = train(&linear, RS_DDP, RS_SGD, &seed, RS_MEAN_SAMPLES);
        cr_expect_eq(zero.crc32[0] == ddp.crc32[0], n == 2, "N = %d", n);
        cr_expect_lt(fabs((double)zero.weights[0][0] - (double)ddp.weights[0][0]), 1e-5);
    }
}

Test(zero, a_rank_owns_what_the_first_half_leaves_complete_on_it) {
    for (int32_t n = 1; n <= 12; n++) {
        for (int32_t node = 1; node <= n; node++) {
            if (n % node != 0) continue;
            const bool whole = node == n;
            const rs_schedule schedule =
                whole ? nccl_ring(n) : schedule_of("two-level", RS_ORDER_SEED, n, node);
            const rs_bucket bucket = {.offset = 5, .count = 7 * n + n / 2};
            int32_t arrays[MOST_RANKS][7 * MOST_RANKS + MOST_RANKS];
            void *ranks[MOST_RANKS];
            rs_shard_parts parts;
            for (int32_t r = 0; r < n; r++) {
                for (int64_t i = 0; i < bucket.count; i++) arrays[r][i] = 1 << r;
                ranks[r] = arrays[r];
            }
            if (n == 1) continue;
            rs_take_apart(&schedule, &parts);
            const rs_apply_options all = {.until_step = parts.sums.n_steps};
            cr_assert_eq(
                rs_apply(&parts.sums, RS_I32, RS_SUM, bucket.count, ranks, &all, NULL, &error),
                RS_OK);
            for (int32_t r = 0; r < n; r++) {
                const rs_owned own = rs_owned_of(whole ? RS_ZERO2 : RS_HSDP, &schedule, &bucket, r);
                for (int64_t i = 0; i < own.count; i++) {
                    cr_assert_eq(arrays[r][own.first - bucket.offset + i], (1 << n) - 1);
                }
            }
        }
    }
}

/* Tells whether two schedules say the same in every step. */
static bool say_the_same(const rs_schedule *a, const rs_schedule *b) {
    bool same = a->n_steps == b->n_steps && a->n_chunks == b->n_chunks;
    for (int32_t step = 0; step < a->n_steps && same; step++) {
        for (int32_t rank = 0; rank < a->n_ranks && same; rank++) {
            rs_transfer x, y;
            same = a->sends(a, step, rank, &x) == 1 && b->sends(b, step, rank, &y) == 1 &&
                   x.dst == y.dst && x.chunk == y.chunk && x.effect == y.effect;
            if (same) {
                same = a->recvs(a, step, rank, &x) == 1 && b->recvs(b, step, rank, &y) == 1 &&
                       x.src == y.src && x.chunk == y.chunk && x.effect == y.effect;
            }
        }
    }
    return same;
}

Test(zero, the_rings_halves_are_the_librarys_reduce_scatter_and_all_gather) {
    for (int32_t n = 2; n <= 9; n++) {
        const rs_schedule ring = nccl_ring(n);
        const rs_spec spec = {.n_ranks = n, .order = RS_ORDER_NCCL};
        rs_schedule scatter, gather;
        rs_shard_parts parts;
        rs_take_apart(&ring, &parts);
        cr_assert_eq(rs_schedule_from_spec(rs_find_algorithm(RS_COLL_REDUCE_SCATTER, "ring"), &spec,
                                           1, &error, &scatter),
                     RS_OK);
        cr_assert_eq(rs_schedule_from_spec(rs_find_algorithm(RS_COLL_ALL_GATHER, "ring"), &spec, 1,
                                           &error, &gather),
                     RS_OK);
        cr_expect(say_the_same(&parts.scatter, &scatter), "N = %d", n);
        cr_expect(say_the_same(&parts.gather, &gather), "N = %d", n);
        cr_expect_not(say_the_same(&parts.scatter, &gather));
    }
}

Test(zero, nobody_keeps_anothers_weights_under_zero3) {
    const rs_schedule ring = nccl_ring(3);
    const rs_bucket buckets[] = {{.count = 4}, {.offset = 4, .count = 7}};
    rs_train_plan plan = {.mode = RS_ZERO3,
                          .optimizer = RS_SGD,
                          .schedule = &ring,
                          .buckets = buckets,
                          .n_buckets = 2,
                          .n_ranks = 3,
                          .rate = 0.5};
    rs_updater updater;
    cr_assert_eq(rs_updater_new(&plan, 11, &arena, &error, &updater), RS_OK);
    float weights[11], gradient[11];
    for (int i = 0; i < 11; i++) {
        weights[i] = 1;
        gradient[i] = 4;
    }
    rs_update_rank(&updater, 1, 2, gradient, weights);
    for (int i = 0; i < 11; i++) {
        const bool own = i == 2 || i == 7 || i == 8; /* chunk 1 of 2 1 1, and of 3 2 2 */
        cr_expect(own ? weights[i] == 0.0f : isnan(weights[i]), "weight %d: %g", i,
                  (double)weights[i]);
    }
}

/* The formulas once more, in double. */
static void reference(rs_optimizer o, int t, double g, double *w, double *m, double *v) {
    const double rate = 0.01;
    switch (o) {
    case RS_SGD: *w -= rate * g; break;
    case RS_MOMENTUM:
        *m = 0.9 * *m + g;
        *w -= rate * *m;
        break;
    case RS_ADAM:
        *m = 0.9 * *m + 0.1 * g;
        *v = 0.999 * *v + 0.001 * g * g;
        *w -= rate * (*m / (1 - pow(0.9, t))) / (sqrt(*v / (1 - pow(0.999, t))) + 1e-8);
        break;
    }
}

Test(zero, optimizers_are_their_formulas) {
    enum { N = 5, STEPS = 40 };
    for (int o = RS_SGD; o <= RS_ADAM; o++) {
        const rs_train_plan plan = {
            .mode = RS_NONE, .optimizer = (rs_optimizer)o, .n_ranks = 1, .rate = 0.01};
        rs_updater updater;
        cr_assert_eq(rs_updater_new(&plan, N, &arena, &error, &updater), RS_OK);
        float w[N] = {1, -1, 0, 3, 0.5f};
        double plain[N] = {1, -1, 0, 3, 0.5}, m[N] = {0}, v[N] = {0};
        for (int t = 1; t <= STEPS; t++) {
            float g[N];
            for (int i = 0; i < N; i++) g[i] = (float)((t * 7 + i * 5) % 11 - 4) / 8;
            for (int i = 0; i < N; i++) reference(plan.optimizer, t, g[i], &plain[i], &m[i], &v[i]);
            rs_updater_next(&updater);
            rs_update_rank(&updater, 0, 1, g, w);
        }
        for (int i = 0; i < N; i++) {
            cr_expect_lt(fabs((double)w[i] - plain[i]), 1e-5, "optimizer %d, weight %d", o, i);
        }
    }
    cr_expect_eq(rs_update_flops(RS_SGD), 2);
}

Test(zero, momentum_and_adam_learn_too) {
    const rs_model linear = rs_linreg(1);
    const rs_schedule ring = nccl_ring(4);
    for (int o = RS_SGD; o <= RS_ADAM; o++) {
        const rs_training t = train(&linear, RS_ZERO1, (rs_optimizer)o, &ring, RS_MEAN_SAMPLES);
        cr_expect_lt(t.steps[t.n_steps - 1].loss, t.steps[0].loss, "optimizer %d", o);
    }
}

Test(zero, says_before_how_much_memory_the_states_take) {
    const rs_model mlp = rs_perceptron((const int32_t[]){300, 200}, 2, 3);
    for (int32_t n = 1; n <= 5; n += 2) {
        for (int mode = RS_ZERO1; mode <= RS_ZERO3; mode++) {
            const rs_schedule ring = nccl_ring(n);
            rs_layers layers;
            rs_bucket *buckets;
            rs_train_plan plan = {.model = mlp,
                                  .mode = (rs_parallel)mode,
                                  .optimizer = RS_ADAM,
                                  .schedule = &ring,
                                  .n_ranks = n,
                                  .batch = batch,
                                  .sampling = {.n_samples = 4 * n, .n_ranks = n},
                                  .n_epochs = 1,
                                  .check = RS_NEVER};
            cr_assert_eq(rs_model_layers(&mlp, &arena, &error, &layers), RS_OK);
            cr_assert_eq(rs_cut_buckets(&layers, 1, 1, &arena, &error, &buckets, &plan.n_buckets),
                         RS_OK);
            plan.buckets = buckets;
            rs_arena other;
            rs_training t;
            rs_arena_init(&other, NULL);
            cr_assert_eq(rs_train(&plan, &other, &error, &t), RS_OK, "%s", error.text);
            const double said = rs_train_bytes(&plan), took = (double)other.n_bytes;
            cr_expect(took < said + 1e5 && said < 1.05 * took + 1e5, "%g, not %g", took, said);
            rs_arena_free(&other);
        }
    }
}
