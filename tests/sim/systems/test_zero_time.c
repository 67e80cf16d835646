/* The time, the traffic and the memory of sharded steps: against sums that can be done by hand. */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "ringsim_train.h"

enum { MOST_RANKS = 16, LAYERS = 4 };
static rs_arena arena;
static rs_error error;
static rs_layer items[LAYERS];
static rs_layers layers;
static int64_t batch[MOST_RANKS];
static rs_schedule schedule;
static const int64_t alpha_ps = 5000000, ps_a_byte = 50; /* 20 GB/s */

static void open_arena(void) {
    rs_arena_init(&arena, NULL);
    for (int r = 0; r < MOST_RANKS; r++) batch[r] = 2;
}
static void close_arena(void) {
    rs_arena_free(&arena);
}
TestSuite(zero_time, .init = open_arena, .fini = close_arena);

/* Each layer of this size and its multiples, with one in between that has no parameters. */
static void make_layers(int64_t parameters) {
    layers = (rs_layers){.items = items, .n_layers = LAYERS, .input = 100, .output = 20};
    for (int i = 0; i < LAYERS; i++) {
        items[i] =
            (rs_layer){.parameters = i == 2 ? 0 : parameters * (i + 1), .flops = 3000000 * (i + 2)};
        layers.parameters += items[i].parameters;
        layers.flops += items[i].flops;
    }
}

/* node 0: all ranks are one. */
static rs_step_plan plan_of(rs_parallel mode, int32_t n, int32_t node) {
    rs_bucket *buckets;
    rs_step_plan plan = {.layers = &layers,
                         .mode = mode,
                         .n_ranks = n,
                         .batch = batch,
                         .accumulate = 1,
                         .flops_per_s = 1000000000000, /* 1 FLOP takes 1 ps */
                         .python = {0, 1},
                         .schedule = &schedule,
                         .overlap = true,
                         .net = {.link = {alpha_ps, 20000000000}},
                         .keep_pieces = true};
    const rs_spec spec = {.n_ranks = n, .order = RS_ORDER_NCCL, .gpus_per_node = node};
    const char *name = mode == RS_HSDP ? "two-level" : "ring";
    cr_assert_eq(rs_schedule_from_spec(rs_find_algorithm(RS_COLL_ALL_REDUCE, name), &spec, 1,
                                       &error, &schedule),
                 RS_OK);
    cr_assert_eq(rs_cut_buckets(&layers, 1, 1, &arena, &error, &buckets, &plan.n_buckets), RS_OK);
    plan.buckets = buckets;
    if (n == 1) plan.n_buckets = 0;
    return plan;
}

static rs_step_time time_of(const rs_step_plan *plan) {
    rs_step_time time;
    cr_assert_eq(rs_time_step(plan, &arena, &error, &time), RS_OK, "%s", error.text);
    return time;
}

/* No rank computes two things at a time, nor exchanges two; all is within the step. */
static void check_lanes(const rs_step_time *time) {
    for (int64_t i = 0; i < time->n_pieces; i++) {
        const rs_train_span *a = &time->pieces[i];
        cr_assert(a->start_ps >= 0 && a->start_ps < a->end_ps && a->end_ps <= time->step_ps);
        for (int64_t j = i + 1; j < time->n_pieces; j++) {
            const rs_train_span *b = &time->pieces[j];
            if (a->lane != b->lane || a->rank != b->rank) continue;
            cr_assert(a->end_ps <= b->start_ps || b->end_ps <= a->start_ps, "rank %d, lane %d",
                      (int)a->rank, (int)a->lane);
        }
    }
}

/* (n - 1) steps of one chunk of so many elements. */
static int64_t steps_ps(int32_t n_steps, int64_t count) {
    return n_steps * (alpha_ps + count * 4 * ps_a_byte);
}

static int64_t halves_ps(const rs_step_plan *plan) {
    int64_t sum = 0;
    const int32_t n = plan->n_ranks;
    for (int32_t b = 0; b < plan->n_buckets; b++) {
        sum += steps_ps(n - 1, plan->buckets[b].count / n);
    }
    return sum;
}

Test(zero_time, without_overlap_two_halves_of_a_ring_or_three_follow_what_is_computed) {
    make_layers(5040);
    const int64_t computed = 3 * 2 * layers.flops;
    for (int32_t n = 2; n <= MOST_RANKS; n++) {
        if (5040 % n != 0) continue;
        for (int mode = RS_ZERO1; mode <= RS_ZERO3; mode++) {
            rs_step_plan plan = plan_of((rs_parallel)mode, n, 0);
            const int64_t half = halves_ps(&plan), n_halves = mode == RS_ZERO3 ? 3 : 2;
            plan.overlap = false;
            const rs_step_time time = time_of(&plan);
            cr_expect_eq(time.step_ps, computed + n_halves * half + 2 * layers.parameters / n,
                         "mode %d, N = %d", mode, n);
            cr_expect_eq(time.exchange_ps, n_halves * half);
            cr_expect_eq(time.exposed_ps, n_halves * half);
            check_lanes(&time);
        }
    }
}

static int64_t later(int64_t a, int64_t b) {
    return a > b ? a : b;
}

Test(zero_time, zero2_hides_its_reduce_scatters_and_waits_for_its_all_gathers) {
    make_layers(5040);
    for (int32_t n = 2; n <= 8; n++) {
        if (5040 % n != 0) continue;
        const rs_step_plan plan = plan_of(RS_ZERO2, n, 0);
        const rs_step_time time = time_of(&plan);
        int64_t now = 2 * layers.flops, net = 0;
        int32_t layer = LAYERS - 1;
        for (int32_t b = 0; b < plan.n_buckets; b++) {
            for (; layer >= plan.buckets[b].last_layer; layer--) now += 4 * items[layer].flops;
            net = later(now, net) + steps_ps(n - 1, plan.buckets[b].count / n);
            cr_expect_eq(time.buckets[b].end_ps, net);
        }
        const int64_t updated = later(now, net) + 2 * layers.parameters / n;
        cr_expect_eq(time.gathers[0][0].start_ps, updated);
        cr_expect_eq(time.step_ps, updated + halves_ps(&plan));
        cr_expect_null(time.gathers[1]);
        check_lanes(&time);
    }
}

/* The recurrence of train_zero3.c's drawing: three buckets, the layers of the second are two. */
Test(zero_time, with_prefetch_the_next_weights_come_while_one_bucket_computes) {
    make_layers(5040);
    for (int32_t n = 2; n <= 8; n++) {
        if (5040 % n != 0) continue;
        const rs_step_plan plan = plan_of(RS_ZERO3, n, 0);
        const rs_step_time time = time_of(&plan);
        cr_assert_eq(plan.n_buckets, 3);
        int64_t half[3];
        for (int b = 0; b < 3; b++) half[b] = steps_ps(n - 1, plan.buckets[b].count / n);
        const int64_t flops[3] = {items[3].flops, items[2].flops + items[1].flops, items[0].flops};
        /* forward: 2, 1, 0 */
        int64_t start = half[2], there = start + half[1], end = start + 2 * flops[2];
        start = later(end, there);
        there = later(start, there) + half[0];
        end = start + 2 * flops[1];
        start = later(end, there);
        end = start + 2 * flops[0];
        /* backward: 0, 1, 2; the next gather goes before the scatter */
        start = end + half[0];
        int64_t net = start + half[1];
        there = net;
        end = start + 4 * flops[0];
        net = later(end, net) + half[0];
        start = later(end, there);
        there = net = later(start, net) + half[2];
        end = start + 4 * flops[1];
        net = later(end, net) + half[1];
        start = later(end, there);
        end = start + 4 * flops[2];
        net = later(end, net) + half[2];
        cr_expect_eq(time.buckets[2].end_ps, net, "N = %d", n);
        cr_expect_eq(time.gathers[1][2].end_ps, there);
        cr_expect_eq(time.step_ps, net + 2 * layers.parameters / n);
        check_lanes(&time);
        rs_step_plan off = plan;
        off.overlap = false;
        cr_expect_lt(time.step_ps, time_of(&off).step_ps);
    }
}

Test(zero_time, hsdp_shards_inside_a_node_and_all_reduces_shards_between_nodes) {
    make_layers(5040);
    for (int32_t n = 2; n <= 12; n++) {
        for (int32_t node = 1; node <= n; node++) {
            if (5040 % n != 0 || n % node != 0) continue;
            rs_step_plan plan = plan_of(RS_HSDP, n, node);
            plan.overlap = false;
            const rs_step_time time = time_of(&plan);
            int64_t expected = 6 * layers.flops + 2 * layers.parameters / node;
            for (int32_t b = 0; b < plan.n_buckets; b++) {
                const int64_t count = plan.buckets[b].count;
                expected += 3 * steps_ps(node - 1, count / node);
                expected += steps_ps(2 * (n / node - 1), count / n);
            }
            cr_expect_eq(time.step_ps, expected, "N = %d, G = %d", n, node);
            cr_expect_eq(time.buckets[plan.n_buckets - 1].end_ps + time.update_ps, expected,
                         "between nodes, too");
            check_lanes(&time);
        }
    }
}

/* Ranks that are not alike, Python, several passes: nothing is done twice at a time, whatever waits. */
Test(zero_time, slow_gpus_and_python_keep_lanes_in_order) {
    const rs_ratio slow[] = {{1, 1}, {5, 2}, {1, 1}, {1, 1}, {3, 1}, {1, 1}};
    make_layers(501);
    for (int mode = RS_ZERO1; mode <= RS_HSDP; mode++) {
        for (int overlap = 0; overlap < 2; overlap++) {
            rs_step_plan plan = plan_of((rs_parallel)mode, 6, 3);
            plan.slowness = slow;
            plan.python = (rs_ratio){1, 3};
            plan.accumulate = 2;
            plan.overlap = overlap == 1;
            const rs_step_time time = time_of(&plan);
            check_lanes(&time);
            cr_expect_geq(time.step_ps, 2 * 3 * 6 * layers.flops, "the slowest one computes");
        }
    }
}

/* ------------------------------------------------------------------ traffic */

static int64_t sent_by_all(const rs_step_plan *plan) {
    const rs_step_time time = time_of(plan);
    int64_t sum = 0;
    for (int32_t r = 0; r < plan->n_ranks; r++) sum += time.sent_bytes[r];
    return sum;
}

Test(zero_time, a_rank_sends_two_or_three_times_the_parameters_but_its_own_part) {
    static const struct {
        rs_parallel mode;
        int64_t times;
    } modes[] = {{RS_DDP, 2}, {RS_ZERO1, 2}, {RS_ZERO2, 2}, {RS_ZERO3, 3}};
    for (int64_t size = 1; size < 3000; size = size * 3 + 2) {
        make_layers(size);
        const int64_t bytes = 4 * layers.parameters;
        for (int32_t n = 1; n <= 9; n++) {
            for (int m = 0; m < 4; m++) {
                rs_step_plan plan = plan_of(modes[m].mode, n, 0);
                const rs_step_time time = time_of(&plan);
                cr_expect_eq(sent_by_all(&plan), modes[m].times * (n - 1) * bytes,
                             "%d ranks, mode %d, %d elements", (int)n, modes[m].mode, (int)size);
                /* each rank but for one element a bucket and collective, which no cut can share */
                for (int32_t r = 0; r < n; r++) {
                    const int64_t off = n * time.sent_bytes[r] - modes[m].times * (n - 1) * bytes;
                    cr_expect_leq(llabs(off), 4 * n * modes[m].times * plan.n_buckets);
                    if (size % n == 0) cr_expect_eq(off, 0);
                }
                plan.accumulate = 3;
                const int64_t gathers = modes[m].mode == RS_ZERO3 ? 4 : 0;
                cr_expect_eq(sent_by_all(&plan), (modes[m].times + gathers) * (n - 1) * bytes,
                             "weights are gathered in each pass, gradients exchanged once");
            }
        }
    }
}

Test(zero_time, hsdp_sends_a_shard_between_nodes) {
    make_layers(101);
    const int64_t bytes = 4 * layers.parameters;
    for (int32_t n = 2; n <= 12; n++) {
        for (int32_t node = 1; node <= n; node++) {
            if (n % node != 0) continue;
            const rs_step_plan plan = plan_of(RS_HSDP, n, node);
            const int64_t nodes = n / node;
            cr_expect_eq(sent_by_all(&plan),
                         3 * nodes * (node - 1) * bytes + 2 * (nodes - 1) * bytes);
        }
    }
}

/* ------------------------------------------------------------------ memory */

/* n times the bytes a parameter that the paper has, without what is gathered. */
static int64_t paper(rs_parallel mode, int64_t n, int64_t k) {
    switch (mode) {
    case RS_ZERO1: return 4 * n + k;
    case RS_ZERO2: return 2 * n + 2 + k;
    case RS_ZERO3: return 4 + k;
    default: return (4 + k) * n;
    }
}

Test(zero_time, a_parameter_takes_the_papers_bytes) {
    static const rs_parallel modes[] = {RS_DDP, RS_ZERO1, RS_ZERO2, RS_ZERO3};
    make_layers(5040);
    for (int32_t n = 1; n <= 10; n++) {
        if (5040 % n != 0) continue;
        for (int m = 0; m < 4; m++) {
            for (int o = RS_SGD; o <= RS_ADAM; o++) {
                rs_step_plan plan = plan_of(modes[m], n, 0);
                plan.optimizer = (rs_optimizer)o;
                const rs_model_state s = rs_model_state_of(&plan, modes[m], 0);
                const int64_t k = 4 + 4 * o; /* adam: 12 */
                cr_expect_eq(n * (rs_model_state_bytes(&s) - s.gathered),
                             paper(modes[m], n, k) * layers.parameters, "N = %d, mode %d", n,
                             modes[m]);
                cr_expect_eq(s.optimizer > 0, o > 0, "sgd keeps nothing");
                cr_expect_eq(s.gathered > 0, modes[m] == RS_ZERO3 && n > 1);
            }
        }
    }
}

Test(zero_time, shards_cover_the_model_and_the_first_rank_has_the_largest) {
    make_layers(101);
    for (int32_t n = 2; n <= 9; n++) {
        rs_step_plan plan = plan_of(RS_ZERO3, n, 0);
        plan.optimizer = RS_ADAM;
        const int64_t largest = rs_model_state_of(&plan, RS_ZERO3, 0).copy;
        int64_t sum = 0, expected = 0;
        for (int32_t r = 0; r < n; r++) {
            const rs_model_state s = rs_model_state_of(&plan, RS_ZERO3, r);
            sum += s.copy;
            cr_expect_leq(s.copy, largest);
            cr_expect_eq(s.weights * 2, s.copy);
            /* 404, 202, 101 in this order: the first two together */
            cr_expect_eq(s.gathered, 2 * (404 + 202));
        }
        cr_expect_eq(sum, 4 * layers.parameters);
        for (int32_t b = 0; b < plan.n_buckets; b++) {
            expected += 4 * ((plan.buckets[b].count + n - 1) / n);
        }
        cr_expect_eq(largest, expected);
        plan.overlap = false;
        cr_expect_eq(rs_model_state_of(&plan, RS_ZERO3, 0).gathered, 2 * 404);
        plan.accumulate = 2;
        const rs_model_state whole = rs_model_state_of(&plan, RS_ZERO2, 0);
        cr_expect_eq(whole.gradients, 2 * layers.parameters, "no_sync keeps whole gradients");
    }
}

Test(zero_time, the_floats_of_a_step_are_sharded_alike) {
    make_layers(5040);
    rs_memory m[RS_HSDP + 1];
    const int64_t bytes = 4 * layers.parameters;
    for (int mode = RS_DDP; mode <= RS_HSDP; mode++) {
        if (mode == RS_DP || mode == RS_NONE) continue;
        rs_step_plan plan = plan_of((rs_parallel)mode, 4, 2);
        plan.optimizer = RS_ADAM;
        m[mode] = time_of(&plan).memory[0];
    }
    cr_expect(m[RS_DDP].states == 2 * bytes && m[RS_ZERO1].states == bytes / 2);
    cr_expect(m[RS_ZERO1].gradients == bytes && m[RS_ZERO2].gradients == bytes / 4);
    cr_expect(m[RS_ZERO2].weights == bytes && m[RS_ZERO2].buckets <= bytes);
    cr_expect_eq(m[RS_ZERO3].weights, bytes / 4 + 4 * 5040 * (4 + 2));
    cr_expect_eq(m[RS_HSDP].gradients, bytes / 2);
}

Test(zero_time, gradients_wait_in_buckets_until_they_are_scattered) {
    make_layers(5040); /* buckets of 4, 2 and 1 times that */
    rs_step_plan plan = plan_of(RS_ZERO2, 4, 0);
    plan.net.link = (rs_link){0, (uint64_t)1 << 50};
    cr_expect_eq(time_of(&plan).memory[0].buckets, 4 * 5040 * (4 + 2), "one leaves, one is filled");
    plan.overlap = false;
    cr_expect_eq(time_of(&plan).memory[0].buckets, 4 * 5040 * 7, "all wait for the end");
}

Test(zero_time, an_update_of_a_shard_costs_what_its_optimizer_computes) {
    static const int64_t flops[] = {[RS_SGD] = 2, [RS_MOMENTUM] = 4, [RS_ADAM] = 13};
    make_layers(5040);
    for (int o = RS_SGD; o <= RS_ADAM; o++) {
        rs_step_plan plan = plan_of(RS_ZERO1, 4, 0);
        plan.optimizer = (rs_optimizer)o;
        cr_expect_eq(time_of(&plan).update_ps, flops[o] * layers.parameters / 4);
    }
}

Test(zero_time, says_before_how_much_memory_it_takes) {
    make_layers(100);
    for (int mode = RS_ZERO1; mode <= RS_HSDP; mode++) {
        for (int32_t n = 1; n <= MOST_RANKS; n += 5) {
            for (uint64_t share = 0; share <= 300; share += 100) {
                rs_step_plan plan = plan_of((rs_parallel)mode, n, 1);
                plan.python = (rs_ratio){share, 100};
                plan.accumulate = 100;
                rs_arena other;
                rs_step_time time;
                rs_arena_init(&other, NULL);
                cr_assert_eq(rs_time_step(&plan, &other, &error, &time), RS_OK, "%s", error.text);
                const double said = rs_step_bytes(&plan), took = (double)other.n_bytes;
                cr_expect(took < said + 1e5 && said < 2.0 * took + 1e5, "%d %d %d: %g, not %g",
                          mode, (int)n, (int)share, took, said);
                rs_arena_free(&other);
            }
        }
    }
}
