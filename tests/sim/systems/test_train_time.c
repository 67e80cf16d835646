/* The time of a training step: against sums that can be done by hand, and what always holds. */
#include <criterion/criterion.h>

#include <string.h>

#include "ringsim_train.h"

enum { MOST_RANKS = 16, MOST_LAYERS = 12 };
static rs_arena arena;
static rs_error error;
static rs_layer items[MOST_LAYERS];
static rs_layers layers;
static int64_t batch[MOST_RANKS];
static rs_schedule schedule;
static const int64_t alpha_ps = 5000000;
static const uint64_t bandwidth = 20000000000, speed = 1000000000000; /* 1 FLOP takes 1 ps */

static void open_arena(void) {
    rs_arena_init(&arena, NULL);
    layers = (rs_layers){.items = items, .n_layers = 4, .input = 100, .output = 20};
    for (int i = 0; i < 4; i++) {
        items[i] = (rs_layer){.parameters = 5040 * (i + 1), .flops = 10000000 * (i + 2)};
        layers.parameters += items[i].parameters;
        layers.flops += items[i].flops;
    }
    for (int r = 0; r < MOST_RANKS; r++) batch[r] = 2;
}
static void close_arena(void) {
    rs_arena_free(&arena);
}
TestSuite(train_time, .init = open_arena, .fini = close_arena);

static rs_step_plan plan_of(rs_parallel mode, int32_t n, int64_t bucket_bytes) {
    rs_bucket *buckets;
    rs_step_plan plan = {.layers = &layers,
                         .mode = mode,
                         .n_ranks = n,
                         .batch = batch,
                         .accumulate = 1,
                         .flops_per_s = speed,
                         .python = {0, 1},
                         .schedule = &schedule,
                         .overlap = true,
                         .net = {.link = {alpha_ps, bandwidth}},
                         .keep_pieces = true};
    cr_assert_eq(rs_schedule_make(rs_algorithms[0], RS_ORDER_SEED, n, 1, &error, &schedule), RS_OK);
    cr_assert_eq(rs_cut_buckets(&layers, bucket_bytes, bucket_bytes, &arena, &error, &buckets,
                                &plan.n_buckets),
                 RS_OK);
    plan.buckets = buckets;
    if (mode != RS_DDP) plan.n_buckets = 0;
    return plan;
}

static rs_step_time time_of(const rs_step_plan *plan) {
    rs_step_time time;
    cr_assert_eq(rs_time_step(plan, &arena, &error, &time), RS_OK, "%s", error.text);
    return time;
}

/* The ring on equal links, as the theory has it: 2 (N - 1) (alpha + largest chunk / B). */
static int64_t ring_ps(int32_t n, int64_t count) {
    const int64_t chunk = (count + n - 1) / n * 4;
    return 2 * (int64_t)(n - 1) * (alpha_ps + chunk * 50); /* 20 GB/s: 50 ps a byte */
}

/* No two pieces of one lane at a time, and all within the step. */
static void check_lanes_of(const rs_step_time *time, bool one_lock) {
    for (int64_t i = 0; i < time->n_pieces; i++) {
        const rs_train_span *a = &time->pieces[i];
        cr_assert(a->start_ps >= 0 && a->start_ps < a->end_ps && a->end_ps <= time->step_ps);
        if (i > 0) cr_assert_geq(a->start_ps, time->pieces[i - 1].start_ps, "not sorted");
        for (int64_t j = i + 1; j < time->n_pieces; j++) {
            const rs_train_span *b = &time->pieces[j];
            if (a->lane != b->lane || (a->rank != b->rank && !(one_lock && a->lane == RS_LANE_GIL)))
                continue;
            if (a->lane == RS_LANE_NETWORK && a->work != RS_WORK_ALL_REDUCE &&
                a->work != RS_WORK_WAIT && a->work != b->work) {
                continue; /* one sends while it receives: two ports */
            }
            cr_assert(a->end_ps <= b->start_ps || b->end_ps <= a->start_ps,
                      "rank %d does two things at once on lane %d: %d %lld..%lld, %d %lld..%lld",
                      (int)a->rank, (int)a->lane, (int)a->work, (long long)a->start_ps,
                      (long long)a->end_ps, (int)b->work, (long long)b->start_ps,
                      (long long)b->end_ps);
        }
    }
}

static void check_lanes(const rs_step_time *time) {
    check_lanes_of(time, false);
}

Test(train_time, one_gpu_only_computes) {
    const rs_step_plan plan = plan_of(RS_DDP, 1, 1);
    const rs_step_time time = time_of(&plan);
    cr_expect_eq(time.step_ps, 3 * 2 * layers.flops + 2 * layers.parameters);
    cr_expect_eq(time.exchange_ps, 0);
    check_lanes(&time);
}

Test(train_time, without_overlap_the_buckets_follow_the_backward_pass) {
    for (int32_t n = 2; n <= MOST_RANKS; n++) {
        if (5040 % n != 0) continue; /* unequal chunks: ranks enter the next bucket one by one */
        rs_step_plan plan = plan_of(RS_DDP, n, 5000);
        plan.overlap = false;
        const rs_step_time time = time_of(&plan);
        int64_t expected = 3 * 2 * layers.flops + 2 * layers.parameters;
        for (int32_t b = 0; b < plan.n_buckets; b++) expected += ring_ps(n, plan.buckets[b].count);
        cr_expect_eq(time.step_ps, expected, "N = %d", n);
        cr_expect_eq(time.exposed_ps, time.exchange_ps);
        check_lanes(&time);
    }
}

Test(train_time, with_overlap_a_bucket_starts_when_it_is_ready_and_the_last_one_is_through) {
    for (int32_t n = 2; n <= MOST_RANKS; n++) {
        if (5040 % n != 0) continue;
        for (int64_t bytes = 1; bytes < 50000; bytes = bytes * 3 + 500) {
            const rs_step_plan plan = plan_of(RS_DDP, n, bytes);
            const rs_step_time time = time_of(&plan);
            int64_t now = 2 * layers.flops, through = 0;
            int32_t layer = layers.n_layers - 1;
            for (int32_t b = 0; b < plan.n_buckets; b++) {
                for (; layer >= plan.buckets[b].last_layer; layer--) now += 4 * items[layer].flops;
                cr_expect_eq(time.buckets[b].ready_ps, now);
                through = (now > through ? now : through) + ring_ps(n, plan.buckets[b].count);
                cr_expect_eq(time.buckets[b].end_ps, through);
            }
            const int64_t end = now > through ? now : through;
            cr_expect_eq(time.step_ps, end + 2 * layers.parameters);
            cr_expect_eq(time.exposed_ps, end - now);
            check_lanes(&time);
        }
    }
}

Test(train_time, accumulated_batches_are_exchanged_once) {
    rs_step_plan plan = plan_of(RS_DDP, 4, 5000);
    const int64_t once = time_of(&plan).step_ps;
    plan.accumulate = 3;
    const rs_step_time time = time_of(&plan);
    cr_expect_eq(time.step_ps, once + 2 * 3 * 2 * layers.flops);
    check_lanes(&time);
}

Test(train_time, all_wait_for_a_slow_gpu) {
    rs_ratio slow[4] = {{1, 1}, {1, 1}, {5, 2}, {1, 1}};
    rs_step_plan plan = plan_of(RS_DDP, 4, 1);
    const int64_t even = time_of(&plan).step_ps;
    plan.slowness = slow;
    const rs_step_time time = time_of(&plan);
    cr_expect_gt(time.step_ps, even);
    cr_expect_geq(time.step_ps, 5 * 3 * layers.flops, "its own computing");
    int64_t waits = 0;
    for (int64_t i = 0; i < time.n_pieces; i++) {
        if (time.pieces[i].work == RS_WORK_WAIT) {
            cr_expect_neq(time.pieces[i].rank, 2, "the slow one waits for nobody");
            waits += time.pieces[i].end_ps - time.pieces[i].start_ps;
        }
    }
    cr_expect_gt(waits, 0);
    check_lanes(&time);
    plan.mode = RS_NONE;
    plan.n_buckets = 0;
    cr_expect_eq(time_of(&plan).step_ps, 5 * 3 * layers.flops + 5 * layers.parameters);
}

Test(train_time, a_slow_link_slows_every_bucket) {
    rs_step_plan plan = plan_of(RS_DDP, 4, 5000);
    plan.overlap = false;
    const rs_fault slow = {.kind = RS_SLOW_LINK, .rank = 1, .factor_num = 10, .factor_den = 1};
    const int64_t even = time_of(&plan).exchange_ps;
    plan.faults = &slow;
    plan.n_faults = 1;
    cr_expect_eq(time_of(&plan).exchange_ps, 10 * even);
}

/* ------------------------------------------------------------------ dp */

Test(train_time, dp_sends_everything_through_gpu_0_one_after_another) {
    for (int32_t n = 2; n <= 8; n++) {
        const rs_step_plan plan = plan_of(RS_DP, n, 1);
        const rs_step_time time = time_of(&plan);
        const int64_t each = n - 1;
        const int64_t part = alpha_ps + 2 * layers.input * 4 * 50,
                      model = alpha_ps + layers.parameters * 4 * 50,
                      output = alpha_ps + 2 * layers.output * 4 * 50;
        const int64_t expected = each * (part + model + output + output + model) +
                                 3 * 2 * layers.flops + 4 * 2 * n * layers.output +
                                 2 * layers.parameters;
        cr_expect_eq(time.step_ps, expected, "N = %d: %lld, not %lld", n, (long long)time.step_ps,
                     (long long)expected);
        cr_expect_eq(time.exchange_ps, each * (part + 2 * model + 2 * output));
        check_lanes(&time);
    }
}

/* N GPUs at one switch. */
static rs_machine star_of(int32_t n) {
    rs_machine_link *links = rs_alloc(&arena, (size_t)n, sizeof *links);
    const char **names = rs_alloc(&arena, (size_t)n + 1, sizeof *names);
    for (int32_t d = 0; d <= n; d++) names[d] = "device";
    for (int32_t i = 0; i < n; i++) {
        links[i] = (rs_machine_link){.a = i,
                                     .b = n,
                                     .bandwidth_Bps = bandwidth,
                                     .raw_Bps = bandwidth,
                                     .alpha_ps = alpha_ps / 2,
                                     .slow_num = 1,
                                     .slow_den = 1};
    }
    const rs_machine described = {.name = "star",
                                  .n_gpus = n,
                                  .n_devices = n + 1,
                                  .n_links = n,
                                  .names = names,
                                  .reduces = rs_alloc(&arena, (size_t)n + 1, sizeof(bool)),
                                  .links = links};
    rs_machine made;
    cr_assert_eq(rs_machine_make(&described, &arena, &error, &made), RS_OK, "%s", error.text);
    return made;
}

Test(train_time, on_a_machine_gpu_0s_messages_go_side_by_side_and_count_once) {
    for (int32_t n = 2; n <= 8; n++) {
        const rs_machine star = star_of(n);
        rs_step_plan plan = plan_of(RS_DP, n, 1);
        plan.net = (rs_net){.machine = &star};
        const rs_step_time time = time_of(&plan);
        const int64_t elems = 2 * (layers.input + layers.parameters) + 4 * layers.output;
        const int64_t exchange = 5 * alpha_ps + (n - 1) * elems * 4 * 50; /* five kinds */
        cr_expect_eq(time.exchange_ps, exchange, "N = %d: %lld, not %lld", n,
                     (long long)time.exchange_ps, (long long)exchange);
        cr_expect_eq(time.step_ps,
                     exchange + time.forward_ps + time.backward_ps + time.update_ps +
                         4 * 2 * n * layers.output,
                     "N = %d", n);
    }
}

Test(train_time, what_is_empty_is_not_sent_and_keeps_nobody) {
    layers.input = layers.output = 0;
    rs_step_plan plan = plan_of(RS_DP, 3, 1);
    const int64_t once = time_of(&plan).step_ps, update = 2 * layers.parameters;
    const int64_t model = alpha_ps + layers.parameters * 4 * 50;
    cr_expect_eq(once, 2 * 2 * model + 3 * 2 * layers.flops + update);
    plan.accumulate = 2;
    const rs_step_time time = time_of(&plan);
    cr_expect_eq(time.step_ps, 2 * (once - update) + update,
                 "a pass begins when the one before is over");
    check_lanes(&time);
}

Test(train_time, threads_share_one_lock_and_processes_have_one_each) {
    rs_step_plan plan = plan_of(RS_DP, 8, 1);
    plan.python = (rs_ratio){1, 4}; /* of 6 x flops */
    const rs_step_time dp = time_of(&plan);
    const int64_t python = 6 * layers.flops / 4;
    cr_expect_eq(dp.gil_ps, 8 * python);
    check_lanes_of(&dp, true);
    plan.mode = RS_DDP;
    rs_step_plan alone = plan_of(RS_DDP, 8, 1);
    alone.python = plan.python;
    const rs_step_time ddp = time_of(&alone);
    check_lanes(&ddp);
    alone.python.num = 0;
    cr_expect_lt(ddp.step_ps, time_of(&alone).step_ps + python, "it hides behind the kernels");
    plan.mode = RS_DP;
    plan.python.num = 0;
    cr_expect_geq(dp.step_ps, time_of(&plan).step_ps + 8 * python - 2 * layers.flops,
                  "eight threads' Python is longer than a forward pass");
}

/* All Python of a rank, in ps; no piece of it may lie in one of the rank's backward passes. */
static int64_t python_of(const rs_step_time *time, int32_t rank) {
    int64_t sum = 0;
    for (int64_t i = 0; i < time->n_pieces; i++) {
        const rs_train_span *p = &time->pieces[i];
        if (p->rank != rank || p->lane != RS_LANE_THREAD || p->work != RS_WORK_PYTHON) continue;
        sum += p->end_ps - p->start_ps;
        for (int64_t j = 0; j < time->n_pieces; j++) {
            const rs_train_span *b = &time->pieces[j];
            if (b->rank != rank || b->work != RS_WORK_BACKWARD) continue;
            cr_assert(p->end_ps <= b->start_ps || p->start_ps >= b->end_ps);
        }
    }
    return sum;
}

Test(train_time, pythons_share_is_of_the_unslowed_compute_and_waits_for_the_pass_before) {
    const rs_ratio slow[] = {{3, 1}, {1, 1}, {7, 2}};
    for (int32_t accumulate = 1; accumulate <= 3; accumulate++) {
        rs_step_plan plan = plan_of(RS_DDP, 3, 1);
        plan.python = (rs_ratio){1, 10};
        plan.slowness = slow;
        plan.accumulate = accumulate;
        const rs_step_time time = time_of(&plan);
        for (int32_t r = 0; r < 3; r++) {
            cr_expect_eq(python_of(&time, r), accumulate * (6 * layers.flops / 10), "rank %d", r);
        }
    }
}

Test(train_time, an_update_costs_two_operations_a_parameter) {
    const rs_ratio slow[] = {{3, 1}};
    rs_step_plan plan = plan_of(RS_NONE, 1, 1);
    cr_expect_eq(time_of(&plan).update_ps, 2 * layers.parameters);
    plan.slowness = slow;
    cr_expect_eq(time_of(&plan).update_ps, 6 * layers.parameters);
}

Test(train_time, gpu_0_carries_the_burden_of_dp) {
    const rs_step_plan dp = plan_of(RS_DP, 4, 1), ddp = plan_of(RS_DDP, 4, 1);
    const rs_memory *m = time_of(&dp).memory, *even = time_of(&ddp).memory;
    cr_expect_gt(m[0].buckets + m[0].data, m[1].buckets + m[1].data);
    cr_expect_eq(m[0].data, 4 * 8 * (layers.input + 2 * layers.output));
    cr_expect(memcmp(&even[0], &even[3], sizeof even[0]) == 0, "ddp's GPUs are all alike");
    cr_expect_eq(even[1].buckets, 4 * layers.parameters);
}

/* ------------------------------------------------------------------ what ddp minds */

static rs_step_plan plan_with(const rs_ddp_case *ddp) {
    rs_step_plan plan = plan_of(RS_DDP, 4, 1); /* a bucket a layer, the last layer's first */
    plan.ddp = ddp;
    return plan;
}

static int64_t usual_ps(void) {
    const rs_step_plan usual = plan_of(RS_DDP, 4, 1);
    return time_of(&usual).step_ps;
}

Test(train_time, a_layer_without_a_gradient_stops_its_bucket_and_those_behind_it) {
    for (int32_t rank = -1; rank < 4; rank++) {
        for (int32_t layer = 0; layer < 4; layer++) {
            rs_ddp_case ddp = {.unused = layer, .unused_rank = rank, .ended_rank = -1};
            const rs_step_plan plan = plan_with(&ddp);
            const rs_step_time time = time_of(&plan);
            cr_expect_eq(time.n_exchanged, 3 - layer);
            cr_expect_eq(rs_waits_for(&plan), rank);
            for (int32_t b = 3 - layer; b < 4; b++) cr_expect_eq(time.buckets[b].end_ps, -1);
            for (int64_t i = 0; i < time.n_pieces; i++) {
                const rs_train_span *a = &time.pieces[i];
                cr_expect(a->work != RS_WORK_WAIT || (a->rank != rank && a->index == 3 - layer));
            }
            ddp.find_unused = true;
            cr_expect_eq(time_of(&plan).n_exchanged, 4, "looked for, it counts as ready");
            cr_expect_eq(rs_waits_for(&plan), -1);
        }
    }
}

Test(train_time, to_look_for_unused_layers_costs_a_map_of_them) {
    const rs_ddp_case ddp = {
        .unused = -1, .unused_rank = -1, .ended_rank = -1, .find_unused = true};
    const rs_step_plan plan = plan_with(&ddp);
    const rs_step_time time = time_of(&plan);
    cr_expect_eq(time.step_ps, usual_ps() + ring_ps(4, layers.n_layers));
    cr_expect_eq(time.n_extra, 1);
    cr_expect_eq(time.extra_bytes, 4 * layers.n_layers);
    check_lanes(&time);
}

Test(train_time, who_has_no_batch_stops_the_first_bucket_unless_join_answers_for_it) {
    const int64_t one_ps = 2 * 3 * (alpha_ps + 4 * 50); /* one number goes round alone */
    rs_ddp_case ddp = {.unused = -1, .unused_rank = -1, .ended_rank = 2};
    const rs_step_plan plan = plan_with(&ddp);
    cr_expect_eq(time_of(&plan).n_exchanged, 0);
    cr_expect_eq(rs_waits_for(&plan), 2);
    ddp.join = true;
    const rs_step_time time = time_of(&plan);
    cr_expect_eq(time.n_exchanged, 4);
    cr_expect_eq(rs_waits_for(&plan), -1);
    cr_expect_eq(time.n_extra, 2);
    ddp.ended_rank = -1;
    const int64_t all_here = time_of(&plan).step_ps;
    cr_expect(all_here > usual_ps() + one_ps && all_here <= usual_ps() + 2 * one_ps, "%lld",
              (long long)all_here);
}

Test(train_time, buffers_go_out_before_the_pass_or_meet_in_each_layer_that_has_some) {
    const int64_t usual = usual_ps();
    rs_ddp_case ddp = {
        .unused = -1, .unused_rank = -1, .ended_rank = -1, .buffers = RS_BUFFERS_BROADCAST};
    rs_step_plan plan = plan_with(&ddp);
    items[1].buffers = layers.buffers = 200;
    rs_step_time time = time_of(&plan);
    cr_expect_eq(time.step_ps, usual + 2 * (alpha_ps + 200 * 4 * 50),
                 "two levels of a tree of four");
    cr_expect_eq(time.n_extra, 1);
    check_lanes(&time);
    ddp.buffers = RS_BUFFERS_SYNC;
    plan.overlap = false;
    time = time_of(&plan);
    const int64_t gather = 3 * (alpha_ps + 201 * 4 * 50); /* mean and deviation, and the count */
    plan.ddp = &rs_ddp_usual;
    cr_expect_eq(time.step_ps, time_of(&plan).step_ps + gather + ring_ps(4, 200));
    cr_expect_eq(time.extra_ps, gather + ring_ps(4, 200));
    cr_expect_eq(time.n_extra, 2);
}

/* Python's share decides how many kernels follow each other without a pause; sorting takes a copy. */
Test(train_time, says_before_how_much_memory_it_takes) {
    for (int mode = RS_DDP; mode <= RS_NONE; mode++) {
        for (int32_t n = 1; n <= MOST_RANKS; n += 5) {
            for (uint64_t share = 0; share <= 300; share += 100) {
                rs_step_plan plan = plan_of((rs_parallel)mode, n, 5000);
                plan.python = (rs_ratio){share, 100};
                plan.accumulate = 100;
                rs_arena other;
                rs_step_time time;
                rs_arena_init(&other, NULL);
                cr_assert_eq(rs_time_step(&plan, &other, &error, &time), RS_OK, "%s", error.text);
                const double said = rs_step_bytes(&plan);
                const double took = (double)other.n_bytes;
                cr_expect(took < said + 1e5 && said < 2.0 * took + 1e5, "%d %d %d: %g, not %g",
                          mode, (int)n, (int)share, took, said);
                rs_arena_free(&other);
            }
        }
    }
}

Test(train_time, what_cannot_be_counted_is_refused) {
    rs_step_plan plan = plan_of(RS_DDP, 2, 1);
    rs_step_time time;
    plan.flops_per_s = 1;
    cr_expect_eq(rs_time_step(&plan, &arena, &error, &time), RS_TOO_LARGE);
    plan = plan_of(RS_NONE, 2, 1);
    layers.activations = (int64_t)1 << 50;
    batch[0] = 1 << 20;
    cr_expect_eq(rs_time_step(&plan, &arena, &error, &time), RS_TOO_LARGE);
}
