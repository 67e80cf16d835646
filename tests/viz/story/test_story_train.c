/* test_story_train.c: a training told as it was timed and computed. */
#include "story/story_train.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RANKS = 4, SAMPLES = 300 };
static rs_arena arena;
static rs_error error;
static rs_layers layers;
static rs_schedule schedule, reduce;
static const int64_t batch[RANKS] = {8, 8, 8, 8};
static rs_step_plan plan;
static rs_train_plan train;
static rs_step_time step_time;
static rs_training result;
static rv_training facts;
static rv_story story;
static rv_frame frame;
static int32_t node = 2; /* hsdp */
static const rv_scaling scaling[] = {{1, 100, 100}, {2, 110, 190}, {4, 120, 400}};

static void start(void) {
    rs_arena_init(&arena, NULL);
}
static void stop(void) {
    rs_arena_free(&arena);
}
TestSuite(story_train, .init = start, .fini = stop);

static void make(rs_parallel mode, int64_t bucket_bytes, bool real) {
    const rs_model model = rs_perceptron((const int32_t[]){12, 12, 12}, 3, 1);
    rs_bucket *buckets;
    cr_assert_eq(rs_model_layers(&model, &arena, &error, &layers), RS_OK);
    const char *algorithm = mode == RS_HSDP ? "two-level" : "ring";
    const rs_spec spec = {.n_ranks = RANKS,
                          .order = rs_is_sharded(mode) ? RS_ORDER_NCCL : RS_ORDER_SEED,
                          .gpus_per_node = mode == RS_HSDP ? node : 0};
    cr_assert_eq(rs_schedule_from_spec(rs_find_algorithm(RS_COLL_ALL_REDUCE, algorithm), &spec, 1,
                                       &error, &schedule),
                 RS_OK);
    cr_assert_eq(rs_dp_reduce(RANKS, &arena, &error, &reduce), RS_OK);
    plan = (rs_step_plan){.layers = &layers,
                          .mode = mode,
                          .n_ranks = RANKS,
                          .batch = batch,
                          .accumulate = 1,
                          .flops_per_s = 10000000000,
                          .python = {1, 10},
                          .schedule = &schedule,
                          .overlap = true,
                          .net = {.link = {5000000, 20000000000}},
                          .keep_pieces = true};
    cr_assert_eq(
        rs_cut_buckets(&layers, 1, bucket_bytes, &arena, &error, &buckets, &plan.n_buckets), RS_OK);
    plan.buckets = buckets;
    train = (rs_train_plan){.model = model,
                            .mode = mode,
                            .schedule = mode == RS_DP ? &reduce : &schedule,
                            .buckets = buckets,
                            .n_buckets = plan.n_buckets,
                            .n_ranks = RANKS,
                            .batch = batch,
                            .sampling = {.n_samples = SAMPLES, .n_ranks = RANKS},
                            .n_epochs = 3,
                            .rate = 0.01};
    if (mode == RS_DP || mode == RS_NONE) plan.n_buckets = 0;
    cr_assert_eq(rs_time_step(&plan, &arena, &error, &step_time), RS_OK, "%s", error.text);
    cr_assert_eq(rs_train(&train, &arena, &error, &result), RS_OK, "%s", error.text);
    facts = (rv_training){.model = "mlp",
                          .plan = &plan,
                          .time = &step_time,
                          .apart_ps = mode == RS_DDP ? step_time.step_ps : -1,
                          .train = real ? &train : NULL,
                          .result = real ? &result : NULL,
                          .scaling = scaling,
                          .n_scaling = 3};
    cr_assert_eq(rv_story_of_training(&facts, &arena, &error, &story), RS_OK, "%s", error.text);
}

static void tell(int32_t step) {
    frame = (rv_frame){.arena = &arena};
    story.frame(&story, step, 0, &frame);
    cr_expect_neq(frame.caption[0], '\0', "step %d", (int)step);
}

/* All moments, in any order, with lanes that hold what was timed. */
static void check_story(void) {
    for (int32_t step = story.n_steps; step >= -1; step--) tell(step);
    cr_expect(strstr(story.title(&story), "Perceptron") != NULL);
    for (int64_t i = 0; i < story.n_spans; i++) {
        const rv_work_span *work = &story.spans[i];
        cr_assert(i == 0 || work->start_ps >= work[-1].start_ps);
        cr_assert(work->lane >= 0 && work->lane < story.n_lanes);
        cr_assert(work->start_ps < work->end_ps && work->end_ps <= story.end_ps);
        cr_assert(work->step >= -1 && work->step < story.n_steps);
        cr_assert_not_null(story.kinds[work->kind].name);
    }
}

Test(story_train, every_mode_is_told_from_start_to_end) {
    for (int mode = RS_DDP; mode <= RS_HSDP; mode++) {
        for (int real = 0; real < 2; real++) {
            make((rs_parallel)mode, 500, real);
            check_story();
        }
    }
    for (node = 1; node <= RANKS; node += RANKS - 1) {
        make(RS_HSDP, 500, false);
        check_story();
    }
}

/* Tells whether work with a bucket lights up at a step; -1: end_ps may be any. */
static bool is_lit(rs_work work, int32_t bucket, int32_t step, int64_t end_ps) {
    for (int64_t i = 0; i < step_time.n_pieces; i++) {
        const rs_train_span *p = &step_time.pieces[i];
        if (p->lane < RS_LANE_COMPUTE || (end_ps >= 0 && p->end_ps != end_ps)) continue;
        for (int64_t j = 0; j < story.n_spans; j++) {
            const rv_work_span *span = &story.spans[j];
            if (p->work == work && p->index == bucket && span->start_ps == p->start_ps &&
                span->end_ps == p->end_ps && span->step == step) {
                return true;
            }
        }
    }
    return false;
}

Test(story_train, a_sharded_step_is_told_bucket_by_bucket_in_both_passes) {
    make(RS_ZERO3, 1, false);
    const int32_t n = plan.n_buckets;
    cr_assert_eq(story.n_steps, 2 * n + 1, "each bucket forward, and backward; the update");
    for (int32_t i = 0; i < n; i++) {
        const int32_t b = n - 1 - i;
        const rs_bucket_time *const *gathers = (const rs_bucket_time *const *)step_time.gathers;
        cr_expect(is_lit(RS_WORK_ALL_GATHER, b, i, gathers[0][b].end_ps), "forward %d", (int)b);
        cr_expect(is_lit(RS_WORK_ALL_GATHER, i, n + i, gathers[1][i].end_ps), "back %d", (int)i);
        cr_expect(is_lit(RS_WORK_REDUCE_SCATTER, i, n + i, -1));
        tell(n + i);
        cr_expect_eq(frame.now_ps, step_time.buckets[i].end_ps);
        tell(i);
        cr_expect(strstr(frame.caption, "throws away") != NULL, "%s", frame.caption);
    }
    make(RS_ZERO1, 1, false);
    cr_assert_eq(story.n_steps, n + 3, "forward, the buckets, update, gather");
    cr_expect(is_lit(RS_WORK_ALL_GATHER, 0, n + 2, -1));
    tell(n + 2);
    cr_expect(strstr(frame.caption, "All-gather") != NULL, "%s", frame.caption);
}

Test(story_train, bytes_a_parameter_stand_side_by_side_as_table_and_bars) {
    make(RS_HSDP, 500, false);
    plan.optimizer = RS_ADAM;
    tell(-1);
    const rv_grid *grid = &frame.grids[0];
    const rv_series *bars = &frame.plots[0].series[0];
    cr_assert(grid->n_rows == 5 && grid->n_columns == 6 && bars->n == 5 && frame.plots[0].bars);
    cr_expect_str_eq(grid->row_heads[4], "hsdp");
    cr_expect_str_eq(grid->entries[3].text, "8", "adam's states, whole");
    cr_expect_str_eq(grid->entries[5].text, "16");
    cr_expect_eq(bars->y[0], 16);
    cr_expect(bars->y[2] < bars->y[1] && bars->y[1] < 16);
    cr_expect_str_eq(bars->names[1], "zero1");
    cr_expect_eq(grid->entries[6].tone, RV_TONE_PLAIN, "zero1 keeps all weights");
    cr_expect_eq(grid->entries[8].tone, RV_TONE_GOOD, "and shards their copy");
    cr_expect_eq(grid->entries[4 * 6 + 5].tone, RV_TONE_LEAVES, "this mode");
}

Test(story_train, each_bucket_is_a_moment_in_which_its_work_lights_up) {
    make(RS_DDP, 1, false);
    const int32_t n = plan.n_buckets;
    cr_assert_eq(n, 8, "a bucket for each tensor");
    cr_assert_eq(story.n_steps, n + 2, "forward, the buckets, update");
    for (int32_t b = 0; b < n; b++) {
        tell(1 + b);
        cr_expect_eq(frame.now_ps, step_time.buckets[b].end_ps);
        cr_expect_eq(frame.grids[1].entries[5 * b + 4].tone, RV_TONE_LEAVES);
        int32_t lit = 0;
        for (int64_t i = 0; i < story.n_spans; i++) lit += story.spans[i].step == 1 + b;
        cr_expect_geq(lit, story.n_lanes / 2, "nobody exchanges bucket %d", (int)b);
    }
}

Test(story_train, many_buckets_share_moments_and_none_is_left_out) {
    make(RS_DDP, 1, false);
    rs_bucket *many = rs_alloc(&arena, 40, sizeof *many);
    rs_layer *items = rs_alloc(&arena, 40, sizeof *items);
    rs_layers wide = {.items = items, .n_layers = 40, .parameters = 40, .flops = 40000};
    for (int i = 0; i < 40; i++) {
        items[i] = (rs_layer){.name = "x", .parameters = 1, .flops = 1000};
        many[i] = (rs_bucket){39 - i, 39 - i, i, 1};
    }
    plan.layers = &wide;
    plan.buckets = many;
    plan.n_buckets = 40;
    cr_assert_eq(rs_time_step(&plan, &arena, &error, &step_time), RS_OK);
    cr_assert_eq(rv_story_of_training(&facts, &arena, &error, &story), RS_OK);
    cr_expect_eq(story.n_steps, 12 + 2);
    check_story();
    for (int64_t i = 0; i < story.n_spans; i++) cr_expect_geq(story.spans[i].step, 0);
}

Test(story_train, the_end_tells_what_was_found) {
    make(RS_DDP, 500, true);
    tell(story.n_steps);
    cr_expect(frame.good && !frame.bad);
    cr_expect(strstr(frame.caption, "bit for bit") != NULL, "%s", frame.caption);
    result.bounded = false;
    tell(story.n_steps);
    cr_expect(frame.bad && strstr(frame.caption, "not the mean over samples") != NULL);
    result.bounded = true;
    result.exact = false;
    tell(story.n_steps);
    cr_expect(frame.bad && strstr(frame.caption, "wrong") != NULL);
    make(RS_NONE, 500, true);
    tell(story.n_steps);
    cr_expect(strstr(frame.caption, "4 different models") != NULL, "%s", frame.caption);
}

Test(story_train, a_training_that_runs_away_has_curves_all_the_same) {
    make(RS_DDP, 500, true);
    for (int32_t s = 5; s < result.n_steps; s++) result.steps[s].loss = (double)INFINITY;
    cr_assert_eq(rv_story_of_training(&facts, &arena, &error, &story), RS_OK);
    tell(story.n_steps);
    const rv_series *loss = &frame.plots[0].series[0];
    for (int32_t i = 0; i < loss->n; i++) cr_expect(loss->y[i] < 1e6);
}

/* Five rows that say the same are one row of five GPUs; one that is slow has a row of its own, and all others too. */
Test(story_train, gpus_that_do_the_same_at_the_same_time_share_their_lanes) {
    make(RS_DDP, 1, false);
    cr_assert_eq(story.n_lanes, 2);
    char names[2][32];
    snprintf(names[0], sizeof names[0], "GPU 0..%d", RANKS - 1);
    snprintf(names[1], sizeof names[1], "GPU 0..%d net", RANKS - 1);
    char said[32];
    for (int i = 0; i < 2; i++)
        cr_expect_str_eq(rv_lane_text(&story, i, said, sizeof said), names[i]);
    for (int64_t i = 0; i < step_time.n_pieces;
         i++) { /* somebody's last piece of work takes longer */
        if (step_time.pieces[i].rank == RANKS - 1)
            step_time.pieces[i].end_ps += step_time.buckets[0].end_ps / 10;
    }
    cr_assert_eq(rv_story_of_training(&facts, &arena, &error, &story), RS_OK);
    cr_expect_eq(story.n_lanes, 2 * RANKS);
    cr_expect_str_eq(rv_lane_text(&story, 0, said, sizeof said), "GPU 0");
}
