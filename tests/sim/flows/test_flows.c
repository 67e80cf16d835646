/* The flow engine against what is known of shared wires: exact cases, and a slow reference on machines drawn from
 * seeds. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "sim/flows/flow_reference.h"
#include "support/sim_jobs.h"

enum { MOST_LINKS = 4096, N_SEEDS = 1500 };
static const uint64_t GB = 1000000000;

/* A machine under construction. */
typedef struct plan {
    rs_machine_link links[MOST_LINKS];
    bool reduces[MOST_LINKS];
    const char *names[MOST_LINKS];
    rs_machine machine;
    rs_arena arena;
} plan;

static plan *begin(int32_t n_gpus, int32_t n_switches) {
    plan *p = calloc(1, sizeof *p);
    rs_arena_init(&p->arena, NULL);
    p->machine = (rs_machine){.name = "test",
                              .n_gpus = n_gpus,
                              .n_devices = n_gpus + n_switches,
                              .names = p->names,
                              .reduces = p->reduces,
                              .links = p->links};
    for (int32_t d = 0; d < n_gpus + n_switches; d++) p->names[d] = "device";
    return p;
}

static rs_machine_link *join(plan *p, int32_t a, int32_t b, uint64_t bandwidth_Bps,
                             int64_t alpha_ps) {
    rs_machine_link *link = &p->links[p->machine.n_links++];
    cr_assert_leq(p->machine.n_links, MOST_LINKS);
    *link = (rs_machine_link){.a = a, .b = b, .alpha_ps = alpha_ps, .slow_num = 1, .slow_den = 1};
    link->bandwidth_Bps = link->raw_Bps = bandwidth_Bps;
    return link;
}

static void make(plan *p) {
    rs_error error = {.text = ""};
    const rs_machine described = p->machine;
    cr_assert_eq(rs_machine_make(&described, &p->arena, &error, &p->machine), RS_OK, "%s",
                 error.text);
}

static void end(plan *p) {
    rs_arena_free(&p->arena);
    free(p);
}

static rs_outcome run(plan *p, const rs_schedule *schedule, int64_t count, const int32_t *place) {
    rs_error error = {.text = ""};
    rs_outcome outcome;
    const rs_job job = {.schedule = schedule,
                        .count = count,
                        .elem_bytes = 1,
                        .net = {.machine = &p->machine, .place = place}};
    cr_assert_eq(rs_simulate(&job, RS_ENGINE_FLOWS, NULL, &p->arena, &error, &outcome), RS_OK, "%s",
                 error.text);
    cr_assert(outcome.completed);
    return outcome;
}

static int64_t time_of(plan *p, const char *algorithm, int32_t n, int64_t n_bytes,
                       const int32_t *place) {
    const rs_schedule schedule = sim_schedule(algorithm, n, n_bytes);
    return run(p, &schedule, n_bytes, place).makespan_ps;
}

static int64_t time_of_channels(plan *p, const char *algorithm, int32_t n, int32_t g, int32_t k,
                                int64_t n_bytes) {
    const rs_spec spec = {.n_ranks = n, .gpus_per_node = g, .n_channels = k};
    rs_schedule schedule;
    rs_error error;
    cr_assert_eq(rs_schedule_from_spec(rs_find_algorithm(RS_COLL_ALL_REDUCE, algorithm), &spec,
                                       n_bytes, &error, &schedule),
                 RS_OK);
    return run(p, &schedule, n_bytes, NULL).makespan_ps;
}

/* machines.md, section 2: node by node 2(n-1)/n S / min(k Bnic, Bgpu): one ring has one route and so one NIC, k
   rings leave by k. Two nodes of four GPUs, each with a NIC of its own. */
Test(flows, of_k_rings_fill_k_nics) {
    plan *p = begin(8, 3);
    for (int32_t r = 0; r < 8; r++) join(p, r, 8 + r / 4, 100 * GB, 0);
    for (int32_t r = 0; r < 8; r++) join(p, r, 10, 10 * GB, 0)->kind = RS_NET;
    make(p);
    for (int32_t k = 1; k <= 4; k++) {
        const int64_t bytes = 8 * 4 * 3 * 5 * 1000000;
        const double alone_ps = 2.0 * 7 / 8 * (double)bytes / 10 * 1000;
        const int64_t one = time_of_channels(p, "ring", 8, 0, 1, bytes);
        const int64_t several = time_of_channels(p, "ring", 8, 0, k, bytes);
        const int64_t rings = time_of_channels(p, "rings", 8, 4, k, bytes);
        cr_expect_float_eq((double)one, alone_ps, 16);
        cr_expect_float_eq((double)several, alone_ps, 64, "k=%d: %lld", (int)k, (long long)several);
        cr_expect_float_eq((double)rings, alone_ps / k, 64, "k=%d: %lld", (int)k, (long long)rings);
    }
    end(p);
}

/* Where channels take turns on the same wires they take as long as one of all the bytes. */
Test(flows, of_several_channels_share_what_one_had) {
    for (int32_t n = 2; n <= 8; n++) {
        plan *p = begin(n, 1);
        for (int32_t r = 0; r < n; r++) join(p, r, n, 10 * GB, 0);
        make(p);
        for (int32_t k = 2; k <= 4; k++) {
            const char *const names[] = {"ring", "rings", "tree", "doubling", "two-level"};
            for (int i = 0; i < 5; i++) {
                const int64_t bytes = (int64_t)n * k * 840000;
                const int64_t one = time_of_channels(p, names[i], n, 1, 1, bytes);
                const int64_t all = time_of_channels(p, names[i], n, 1, k, bytes);
                cr_expect_lt(llabs(one - all), 64, "%s N=%d K=%d: %lld, %lld", names[i], (int)n,
                             (int)k, (long long)one, (long long)all);
            }
        }
        end(p);
    }
}

/* A channel whose wires are slow keeps none of the others back: each goes through its steps on its own. */
Test(flows, of_a_channel_wait_for_no_other) {
    plan *p = begin(2, 0);
    join(p, 0, 1, 10 * GB, 0);
    join(p, 0, 1, 10 * GB, 7000000);
    make(p);
    /* Routes differ by latency alone, so both are of one class: channel 0 takes the first link, channel 1 the second. */
    const int64_t bytes = 4000000;
    const rs_spec spec = {.n_ranks = 2, .n_channels = 2};
    rs_schedule schedule;
    rs_error error;
    cr_assert_eq(rs_schedule_from_spec(rs_algorithms[0], &spec, bytes, &error, &schedule), RS_OK);
    const rs_job job = {
        .schedule = &schedule, .count = bytes, .elem_bytes = 1, .net = {.machine = &p->machine}};
    rs_trace *trace;
    rs_outcome outcome;
    cr_assert_eq(rs_trace_new(schedule.n_transfers, &p->arena, &error, &trace), RS_OK);
    const rs_sink sink = rs_trace_sink(trace);
    cr_assert_eq(rs_simulate(&job, RS_ENGINE_FLOWS, &sink, &p->arena, &error, &outcome), RS_OK);
    int64_t last[2] = {0, 0};
    for (int64_t i = 0; i < trace->n_items; i++) {
        const rs_timed *t = &trace->items[i];
        if (t->done_ps > last[t->transfer.channel]) last[t->transfer.channel] = t->done_ps;
    }
    /* Two steps of 1 MB at 10 GB/s: 200 us; the other's latency comes on top, twice. */
    cr_expect_eq(last[0], 200000000, "%lld", (long long)last[0]);
    cr_expect_eq(last[1], 214000000, "%lld", (long long)last[1]);
    cr_expect_eq(outcome.makespan_ps, 214000000);
    end(p);
}

/* One message a pair, all at once; returns the outcome. */
static rs_outcome run_pairs(plan *p, int32_t n, const int32_t src[], const int32_t dst[],
                            const int32_t n_chunks[], int n_messages, int64_t chunk_bytes) {
    rs_transfer list[16];
    int32_t step_of[16] = {0};
    int32_t most = 1;
    for (int i = 0; i < n_messages; i++) {
        list[i] = (rs_transfer){.src = src[i], .dst = dst[i], .n_chunks = n_chunks[i]};
        if (n_chunks[i] > most) most = n_chunks[i];
    }
    const rs_schedule schedule = sim_list(n, most, list, step_of, n_messages, &p->arena);
    return run(p, &schedule, most * chunk_bytes, NULL);
}

static void near_ps(int64_t got, double expected, const char *what) {
    cr_assert_leq(fabs((double)got - expected), 8 + 1e-12 * expected, "%s: %lld, expected %.1f",
                  what, (long long)got, expected);
}

/* ------------------------------------------------------------------ what textbooks say */

Test(flows, two_flows_on_one_wire_share_it_and_then_one_has_it_all) {
    plan *p = begin(4, 2);
    for (int32_t g = 0; g < 4; g++) join(p, g, 4 + g / 2, 100 * GB, 0);
    join(p, 4, 5, 10 * GB, 0);
    make(p);
    const int32_t src[] = {0, 1}, dst[] = {2, 3}, sizes[] = {1, 3};
    const rs_outcome o = run_pairs(p, 4, src, dst, sizes, 2, 1000000); /* 100 us a MB */
    near_ps(o.finish_ps[0], 200e6, "the shorter: 2 b1/B");
    near_ps(o.finish_ps[1], 400e6, "the longer: (b1 + b2)/B");
    end(p);
}

/* Wires of 10 and 4, a rival on each: 2 for both on the narrow one, 8 for the rival on the wide one. */
Test(flows, what_a_flow_cannot_use_its_rival_gets) {
    plan *p = begin(6, 3);
    join(p, 6, 7, 10 * GB, 0);
    join(p, 7, 8, 4 * GB, 0);
    const int32_t at[] = {6, 8, 6, 7, 7, 8};
    for (int32_t g = 0; g < 6; g++) join(p, g, at[g], 100 * GB, 0);
    make(p);
    const int32_t src[] = {0, 2, 4}, dst[] = {1, 3, 5}, sizes[] = {2, 8, 2};
    const rs_outcome o = run_pairs(p, 6, src, dst, sizes, 3, 1000000);
    for (int32_t r = 0; r < 6; r++) near_ps(o.finish_ps[r], 1e9, "8, 2, 2 GB/s");
    end(p);
}

/* The parking lot: a long flow over k wires and a short one on each; everybody has half. */
Test(flows, a_long_flow_and_short_ones_have_half_each) {
    enum { K = 5 };
    plan *p = begin(2 * K + 2, K + 1);
    for (int32_t i = 0; i < K; i++) {
        join(p, 2 * K + 2 + i, 2 * K + 3 + i, 10 * GB, 0);
        join(p, 2 * i, 2 * K + 2 + i, 100 * GB, 0);
        join(p, 2 * i + 1, 2 * K + 3 + i, 100 * GB, 0);
    }
    join(p, 2 * K, 2 * K + 2, 100 * GB, 0);
    join(p, 2 * K + 1, 3 * K + 2, 100 * GB, 0);
    make(p);
    int32_t src[K + 1], dst[K + 1], sizes[K + 1];
    for (int32_t i = 0; i <= K; i++) src[i] = 2 * i, dst[i] = 2 * i + 1, sizes[i] = 1;
    const rs_outcome o = run_pairs(p, 2 * K + 2, src, dst, sizes, K + 1, 1000000);
    for (int32_t r = 0; r < 2 * K + 2; r++) near_ps(o.finish_ps[r], 200e6, "B/2");
    end(p);
}

/* ------------------------------------------------------------------ why rings exist */

/* GPUs on a line (or a ring) of wires of 10 GB/s. */
static plan *line(int32_t n, bool closed, bool half_duplex, int64_t alpha_ps) {
    plan *p = begin(n, 0);
    for (int32_t i = 0; i + !closed < n; i++) {
        join(p, i, (i + 1) % n, 10 * GB, alpha_ps)->shared = half_duplex;
    }
    make(p);
    return p;
}

Test(flows, a_ring_on_a_ring_of_wires_costs_what_private_wires_do) {
    for (int32_t n = 3; n <= 9; n++) {
        plan *p = line(n, true, false, 1000000);
        const double m = 1e5; /* ps of a chunk of 1000 bytes */
        near_ps(time_of(p, "ring", n, n * 1000, NULL), 2 * (n - 1) * (1e6 + m),
                "2(N-1)(alpha + m/B)");
        end(p);
    }
}

Test(flows, a_ring_loses_nothing_on_a_line_unless_the_wires_are_half_duplex) {
    for (int32_t n = 3; n <= 9; n++) {
        for (int half = 0; half <= 1; half++) {
            plan *p = line(n, false, half != 0, 0);
            near_ps(time_of(p, "ring", n, n * 1000, NULL), (1 + half) * 2 * (n - 1) * 1e5,
                    "2(N-1) m/B, half duplex twice that");
            end(p);
        }
    }
}

/* 0, 2, 4, .. 5, 3, 1: nobody is farther than two wires from its neighbour, and none carries two. */
Test(flows, a_folded_ring_loses_nothing_on_a_line) {
    for (int32_t n = 4; n <= 10; n++) {
        int32_t place[16];
        for (int32_t r = 0; r < n; r++) place[r] = 2 * r < n ? 2 * r : 2 * (n - r) - 1;
        plan *p = line(n, false, false, 0);
        near_ps(time_of(p, "ring", n, n * 1000, place), 2 * (n - 1) * 1e5, "2(N-1) m/B");
        end(p);
    }
}

/* 2 S (N^2 - 1)/(3 N B): (N + 1)/3 times the ring. */
Test(flows, halving_pays_for_far_pairs_on_a_line) {
    for (int32_t n = 2; n <= 32; n *= 2) {
        plan *p = line(n, false, false, 0);
        const double expected = 2.0 * n * 960 * (n * n - 1) / (3.0 * n) * 100;
        near_ps(time_of(p, "halving", n, n * 960, NULL), expected, "2 S (N^2-1)/(3 N B)");
        end(p);
    }
}

Test(flows, halving_is_never_slower_than_the_ring_on_a_crossbar) {
    for (int32_t n = 2; n <= 32; n *= 2) {
        plan *p = begin(n, 1);
        for (int32_t g = 0; g < n; g++) join(p, g, n, 10 * GB, 500000);
        make(p);
        const double bytes = 2 * (n - 1) * 96000.0, alpha = 1e6;
        near_ps(time_of(p, "ring", n, n * 960, NULL), 2 * (n - 1) * alpha + bytes, "ring");
        near_ps(time_of(p, "halving", n, n * 960, NULL), 2 * log2(n) * alpha + bytes, "halving");
        end(p);
    }
}

/* ------------------------------------------------------------------ nodes */

/* `nodes` nodes of g GPUs at a switch of 100 GB/s, which has one NIC of `nic` GB/s. */
static plan *nodes_of(int32_t nodes, int32_t g, uint64_t nic) {
    const int32_t n = nodes * g;
    plan *p = begin(n, nodes + 1);
    for (int32_t i = 0; i < n; i++) join(p, i, n + i / g, 100 * GB, 0);
    for (int32_t i = 0; i < nodes; i++) join(p, n + i, n + nodes, nic * GB, 0)->kind = RS_NET;
    make(p);
    return p;
}

Test(flows, a_ring_node_by_node_is_as_fast_as_its_nic_and_dealt_out_g_times_slower) {
    for (int32_t nodes = 2; nodes <= 4; nodes++) {
        for (int32_t g = 2; g <= 8; g *= 2) {
            const int32_t n = nodes * g;
            const double s = n * 8000.0, ring = 2.0 * (n - 1) / n * s;
            int32_t dealt[64];
            for (int32_t r = 0; r < n; r++) dealt[r] = r % nodes * g + r / nodes;
            plan *p = nodes_of(nodes, g, 25);
            cr_assert_eq(p->machine.n_nodes, nodes);
            near_ps(time_of(p, "ring", n, n * 8000, NULL), ring * 40, "S / min(Bnic, Bgpu)");
            near_ps(time_of(p, "ring", n, n * 8000, dealt), ring * 40 * g, "S / (Bnic/g)");
            end(p);
            p = nodes_of(nodes, g, 1000);
            near_ps(time_of(p, "ring", n, n * 8000, dealt), ring * 10, "S / Bgpu");
            end(p);
        }
    }
}

/* ------------------------------------------------------------------ where nobody shares a wire */

static rs_outcome traced(const rs_job *job, rs_engine engine, rs_arena *arena, rs_trace **trace) {
    rs_error error = {.text = ""};
    rs_outcome outcome;
    cr_assert_eq(rs_trace_new(job->schedule->n_transfers, arena, &error, trace), RS_OK);
    const rs_sink sink = rs_trace_sink(*trace);
    cr_assert_eq(rs_simulate(job, engine, &sink, arena, &error, &outcome), RS_OK, "%s", error.text);
    rs_trace_sort(*trace);
    return outcome;
}

/* A ring node by node: the fast engines take it, and tell all that the flow engine tells. Dealt out, it shares. */
Test(flows, a_ring_that_shares_no_wire_is_left_to_the_fast_engines) {
    for (int32_t nodes = 2; nodes <= 5; nodes++) {
        plan *p = nodes_of(nodes, 3, 7);
        const int32_t n = 3 * nodes;
        for (int32_t i = 0; i < p->machine.n_links; i++) p->links[i].alpha_ps = 1000 * i;
        for (int64_t count = n - 2; count < n + 100000; count += 33331) {
            const rs_schedule ring = sim_schedule("ring", n, count);
            const rs_fault faults[] = {{.kind = RS_LATE, .rank = 1, .time_ps = 777},
                                       {.kind = RS_DOWN, .rank = 2, .step = 1, .time_ps = 999}};
            const rs_job job = {.schedule = &ring,
                                .count = count,
                                .elem_bytes = 4,
                                .net = {.machine = &p->machine, .reduce_Bps = 3 * GB},
                                .faults = faults,
                                .n_faults = (int32_t)(count % 3)};
            rs_trace *slow, *fast;
            const rs_outcome flows = traced(&job, RS_ENGINE_FLOWS, &p->arena, &slow);
            const rs_outcome alone = traced(&job, RS_ENGINE_AUTO, &p->arena, &fast);
            cr_assert_neq(alone.engine, RS_ENGINE_FLOWS);
            cr_assert_eq(alone.makespan_ps, flows.makespan_ps);
            cr_assert_eq(slow->n_items, fast->n_items);
            for (int64_t i = 0; i < slow->n_items; i++) {
                const rs_timed *a = &slow->items[i], *b = &fast->items[i];
                cr_assert(a->start_ps == b->start_ps && a->end_ps == b->end_ps &&
                          a->done_ps == b->done_ps && a->alpha_ps == b->alpha_ps);
            }
            for (int32_t w = 0; w < 2 * p->machine.n_links; w++) {
                cr_assert_eq(alone.wires[w].n_bytes, flows.wires[w].n_bytes);
                if (job.n_faults < 2) cr_assert_eq(alone.wires[w].busy_ps, flows.wires[w].busy_ps);
            }
        }
        int32_t dealt[64];
        for (int32_t r = 0; r < n; r++) dealt[r] = r % nodes * 3 + r / nodes;
        const rs_schedule ring = sim_schedule("ring", n, 99);
        const rs_job job = {.schedule = &ring,
                            .count = 99,
                            .elem_bytes = 4,
                            .net = {.machine = &p->machine, .place = dealt}};
        rs_trace *trace;
        cr_assert_eq(traced(&job, RS_ENGINE_AUTO, &p->arena, &trace).engine, RS_ENGINE_FLOWS);
        end(p);
    }
}

/* ------------------------------------------------------------------ drawn from seeds */

static plan *draw_machine(uint64_t *state) {
    static const uint64_t rates[] = {1, 5, 10, 25, 7, 3};
    const int32_t n = (int32_t)sim_between(state, 2, 7);
    const int32_t n_switches = (int32_t)sim_between(state, 0, 3), n_devices = n + n_switches;
    plan *p = begin(n, n_switches);
    for (int32_t d = 1; d < n_devices + sim_between(state, 0, 6); d++) {
        const int32_t a = d < n_devices ? d : (int32_t)sim_between(state, 1, n_devices - 1);
        rs_machine_link *link =
            join(p, a, (int32_t)sim_between(state, 0, a - 1), rates[sim_between(state, 0, 5)] * GB,
                 1000 * sim_between(state, 0, 3000));
        link->kind =
            (uint8_t)(sim_between(state, 0, 1) == 0 ? RS_NVLINK : sim_between(state, 0, 3));
        link->shared = sim_between(state, 0, 3) == 0;
        if (sim_between(state, 0, 5) == 0) link->slow_num = 2;
    }
    make(p);
    return p;
}

/* Compares what the two ways tell of a job, all of it; returns whether the fast engines took it. */
static bool assert_same_by_both(const rs_job *job, rs_arena *arena, const char *name) {
    rs_trace *slow, *fast;
    const rs_outcome flows = traced(job, RS_ENGINE_FLOWS, arena, &slow);
    const rs_outcome chosen = traced(job, RS_ENGINE_AUTO, arena, &fast);
    cr_assert_eq(chosen.makespan_ps, flows.makespan_ps, "%s", name);
    cr_assert_eq(slow->n_items, fast->n_items, "%s", name);
    for (int64_t i = 0; i < slow->n_items; i++) {
        const rs_timed *a = &slow->items[i], *b = &fast->items[i];
        cr_assert(a->start_ps == b->start_ps && a->end_ps == b->end_ps &&
                      a->done_ps == b->done_ps && a->alpha_ps == b->alpha_ps,
                  "%s: step %d, %d -> %d", name, (int)a->step, (int)a->transfer.src,
                  (int)a->transfer.dst);
    }
    for (int32_t w = 0; w < 2 * job->net.machine->n_links; w++) {
        cr_assert_eq(chosen.wires[w].n_bytes, flows.wires[w].n_bytes, "%s: wire %d", name, (int)w);
        cr_assert_eq(chosen.wires[w].busy_ps, flows.wires[w].busy_ps, "%s: wire %d", name, (int)w);
    }
    return chosen.engine != RS_ENGINE_FLOWS;
}

/* Every algorithm with one message each way a step: on a switch nobody ever shares a wire; on drawn machines some do. */
Test(flows, whoever_shares_no_wire_is_left_to_the_fast_engines) {
    int n_fast = 0, n_slow = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        uint64_t state = seed;
        plan *p = seed % 3 == 0 ? nodes_of(2, 4, 7) : draw_machine(&state);
        if (seed % 3 == 1) {
            end(p);
            p = begin(8, 1);
            for (int32_t g = 0; g < 8; g++) join(p, g, 8, (uint64_t)(g + 3) * GB, 1000 * g);
            make(p);
        }
        const int32_t n = p->machine.n_gpus;
        for (int a = 0; rs_algorithms[a] != NULL; a++) {
            if (rs_algorithms[a]->in_switch) continue; /* no switch adds here */
            const int64_t count = sim_between(&state, 1, 100000);
            const rs_schedule schedule = sim_schedule(rs_algorithms[a]->name, n, count);
            const rs_job job = {.schedule = &schedule,
                                .count = count,
                                .elem_bytes = 4,
                                .net = {.machine = &p->machine, .reduce_Bps = 9 * GB}};
            const bool fast = assert_same_by_both(&job, &p->arena, rs_algorithms[a]->name);
            if (seed % 3 == 1) cr_assert_eq(fast, schedule.max_sends == 1, "%s", schedule.name);
            n_fast += fast;
            n_slow += !fast;
        }
        end(p);
    }
    cr_assert_gt(n_fast, 100);
    cr_assert_gt(n_slow, 100);
}

/* A ring of six wires, or of six that are one for both ways; its ranks dealt out the other way round. */
Test(flows, the_busiest_wire_is_the_one_that_a_ranks_fault_makes_slow) {
    const int32_t place[] = {5, 4, 3, 2, 1, 0};
    for (int32_t rank = 0; rank < 6; rank++) {
        for (int shared = 0; shared <= 1; shared++) {
            plan *p = begin(6, 0);
            for (int32_t g = 0; g < 6; g++) join(p, g, (g + 1) % 6, 10 * GB, 0)->shared = shared;
            p->links[2].slow_num = 3, p->links[2].slow_den = 2;
            make(p);
            const rs_schedule ring = sim_schedule("ring", 6, 6000);
            const rs_fault slow[] = {
                {.kind = RS_SLOW_LINK, .rank = rank, .factor_num = 5, .factor_den = 2},
                {.kind = RS_SLOW_LINK, .rank = rank, .factor_num = 2, .factor_den = 1}};
            const rs_job job = {.schedule = &ring,
                                .count = 6000,
                                .elem_bytes = 4,
                                .net = {.machine = &p->machine, .place = place},
                                .faults = slow,
                                .n_faults = 2};
            rs_error error;
            rs_outcome outcome;
            cr_assert_eq(rs_simulate(&job, RS_ENGINE_AUTO, NULL, &p->arena, &error, &outcome),
                         RS_OK);
            double share;
            const int32_t wire = rs_busiest_wire(&job, outcome.wires, outcome.makespan_ps, &share);
            cr_expect_float_eq(share, 1, 1e-6, "rank %d: %g", (int)rank, share);
            /* Rank r, on GPU 5 - r, sends down to the GPU before: over the link that comes before its own. */
            const int32_t own = (5 - rank + 5) % 6;
            const bool both = shared && wire == 2 * (5 - rank); /* its other wire is as slow */
            cr_expect(wire == 2 * own + !shared || both, "rank %d: wire %d", (int)rank, (int)wire);
            for (int32_t w = 0; w < 12; w++) {
                const rs_machine_link *link = &p->machine.links[w / 2];
                const int32_t from = w % 2 == 0 ? link->a : link->b, to = link->a + link->b - from;
                double slowed = w / 2 == 2 ? 1.5 : 1;
                if (from == 5 - rank || (shared && to == 5 - rank)) slowed *= 5;
                const rs_wire_use *use = &outcome.wires[w];
                const double expected =
                    (double)use->n_bytes * slowed * 100 / (double)outcome.makespan_ps;
                cr_expect_float_eq(rs_wire_share(&job, w, use, outcome.makespan_ps), expected, 1e-9,
                                   "rank %d: wire %d", (int)rank, (int)w);
            }
            end(p);
        }
    }
}

static bool three_times(void *context, const char *what, int64_t done, int64_t total) {
    int64_t *calls = context;
    cr_expect_str_eq(what, "looking who sends to whom");
    cr_expect(done == *calls && total == 8, "%lld of %lld", (long long)done, (long long)total);
    return ++*calls < 3;
}

Test(flows, the_look_for_shared_wires_says_how_far_it_is_and_may_be_stopped) {
    int64_t calls = 0;
    const rs_host host = {.context = &calls, .progress = three_times};
    plan *p = nodes_of(2, 4, 7);
    const rs_schedule ring = sim_schedule("ring", 8, 800);
    const rs_job job = {
        .schedule = &ring, .count = 800, .elem_bytes = 4, .net = {.machine = &p->machine}};
    rs_outcome outcome;
    rs_error error;
    rs_arena own;
    rs_arena_init(&own, &host);
    cr_expect_eq(rs_simulate(&job, RS_ENGINE_AUTO, NULL, &own, &error, &outcome), RS_CANCELLED);
    cr_expect_eq(calls, 3);
    rs_arena_free(&own);
    end(p);
}

static rs_schedule draw_schedule(uint64_t *state, int32_t n, rs_arena *arena) {
    rs_transfer list[200];
    const int64_t n_channels = sim_between(state, 0, 1) == 0 ? 1 : sim_between(state, 2, 5);
    int32_t step_of[200];
    const int32_t n_steps = (int32_t)sim_between(state, 1, 6);
    const int32_t n_chunks = (int32_t)sim_between(state, 1, 9);
    int n_listed = 0;
    for (int32_t step = 0; step < n_steps; step++) {
        for (int64_t k = sim_between(state, step == 0, 2 * n); k > 0; k--) {
            const int32_t src = (int32_t)sim_between(state, 0, n - 1);
            const int32_t dst = (src + (int32_t)sim_between(state, 1, n - 1)) % n;
            const int32_t chunk = (int32_t)sim_between(state, 0, n_chunks - 1);
            list[n_listed] = (rs_transfer){.src = src, .dst = dst, .chunk = chunk};
            list[n_listed].n_chunks = (int32_t)sim_between(state, 1, n_chunks - chunk);
            list[n_listed].effect = sim_between(state, 0, 1) == 0 ? RS_REDUCE : RS_COPY;
            list[n_listed].channel = (uint8_t)sim_between(state, 0, n_channels - 1);
            step_of[n_listed++] = step;
        }
    }
    return sim_list(n, n_chunks, list, step_of, n_listed, arena);
}

static int draw_faults(uint64_t *state, const rs_schedule *schedule, rs_fault faults[]) {
    static const rs_fault_kind kinds[] = {RS_SLOW_LINK,   RS_LATE, RS_STRAGGLER,
                                          RS_SLOW_REDUCE, RS_KILL, RS_DOWN};
    const int n = (int)sim_between(state, 0, 3);
    for (int i = 0; i < n; i++) {
        faults[i] = (rs_fault){.kind = kinds[sim_between(state, 0, 5)],
                               .rank = (int32_t)sim_between(state, 0, schedule->n_ranks - 1),
                               .step = (int32_t)sim_between(state, 0, schedule->n_steps - 1),
                               .time_ps = sim_between(state, 0, 50000000),
                               .factor_num = (uint64_t)sim_between(state, 1, 4),
                               .factor_den = 1};
    }
    return n;
}

/* What the wires carried is what the messages' routes say; no wire is busy longer than the run, nor carries more than
   its bandwidth. */
static void check_wires(const rs_job *job, const rs_outcome *outcome, const rs_trace *trace,
                        rs_arena *arena) {
    const rs_machine *machine = job->net.machine;
    int64_t *n_bytes = rs_alloc(arena, 2 * (size_t)machine->n_links, sizeof *n_bytes);
    rs_error error = {.text = ""};
    rs_router *router;
    rs_route route;
    cr_assert_eq(rs_router_new(machine, arena, &error, &router), RS_OK);
    for (int64_t i = 0; i < trace->n_items; i++) {
        const rs_transfer *t = &trace->items[i].transfer;
        const int32_t *place = job->net.place, src = place == NULL ? t->src : place[t->src];
        const int32_t dst = place == NULL ? t->dst : place[t->dst];
        cr_assert_eq(rs_router_find(router, src, dst, t->channel, &error, &route), RS_OK);
        const int64_t n = rs_transfer_count(job->schedule, job->count, t) * job->elem_bytes;
        for (int32_t w = 0; w < route.n_wires; w++) n_bytes[route.wires[w]] += n;
    }
    for (int32_t w = 0; w < 2 * machine->n_links; w++) {
        const rs_wire_use *use = &outcome->wires[w];
        const double at_most = (double)machine->links[w / 2].bandwidth_Bps / 1e12;
        if (outcome->completed) cr_assert_eq(use->n_bytes, n_bytes[w]);
        cr_assert_leq(use->busy_ps, outcome->makespan_ps);
        cr_assert_leq((double)use->n_bytes,
                      at_most * ((double)use->busy_ps + (double)(2 * trace->n_items)));
        if (use->n_bytes == 0) cr_assert_eq(use->busy_ps, 0);
    }
}

/* The parts of the time add up for the first transfers of a run, however many (an assertion says so); for all of
   them to the whole time. */
static void check_split(const rs_job *job, const rs_outcome *outcome, const rs_trace *trace,
                        rs_arena *arena) {
    rs_error error = {.text = ""};
    rs_critical_path *path;
    cr_assert_eq(rs_critical_path_new(job, trace, arena, &error, &path), RS_OK);
    for (int64_t i = 0; i <= trace->n_items; i++) {
        const rs_time_split split = rs_critical_path_split(path, i);
        cr_assert(split.latency_ps >= 0 && split.wire_ps >= 0 && split.adding_ps >= 0 &&
                  split.waiting_ps >= 0);
        if (i < trace->n_items || !outcome->completed) continue;
        cr_assert_eq(split.latency_ps + split.wire_ps + split.adding_ps + split.waiting_ps,
                     outcome->makespan_ps);
    }
}

/* An algorithm of any collective, on so many channels as it takes. */
static rs_schedule draw_algorithm(uint64_t *state, int32_t n, int64_t count) {
    const rs_collective of = (rs_collective)sim_between(state, 0, RS_N_COLLECTIVES - 1);
    const rs_algorithm *const *algorithms = rs_algorithms_of(of);
    int n_algorithms = 0;
    while (algorithms[n_algorithms] != NULL && !algorithms[n_algorithms]->in_switch) n_algorithms++;
    const rs_algorithm *algorithm = algorithms[sim_between(state, 0, n_algorithms - 1)];
    rs_spec spec = {.n_ranks = n, .n_channels = (int32_t)sim_between(state, 0, 4)};
    rs_schedule schedule;
    rs_error error;
    if (rs_collective_rooted(of)) spec.root = (int32_t)sim_between(state, 0, n - 1);
    if (algorithm->pipelined) spec.n_pieces = (int32_t)sim_between(state, 0, 3);
    if (algorithm->one_channel) spec.n_channels = 0;
    spec.gpus_per_node = (int32_t)sim_between(state, 1, n);
    while (n % spec.gpus_per_node != 0) spec.gpus_per_node--;
    cr_assert_eq(rs_schedule_from_spec(algorithm, &spec, count, &error, &schedule), RS_OK, "%s: %s",
                 algorithm->name, error.text);
    return schedule;
}

static const int32_t *draw_place(uint64_t *state, int32_t n_gpus, int32_t place[]) {
    for (int32_t i = 0; i < n_gpus; i++) {
        const int32_t at = (int32_t)sim_between(state, 0, i);
        place[i] = place[at];
        place[at] = i;
    }
    return sim_between(state, 0, 1) == 0 ? NULL : place;
}

/* Runs a job drawn from a seed by both; returns whether it completed. */
static bool assert_as_expected(plan *p, const rs_job *job, uint64_t seed) {
    const rs_schedule *schedule = job->schedule;
    rs_error error = {.text = ""};
    rs_outcome outcome;
    double expected_ps[8];
    rs_trace *trace;
    cr_assert_eq(rs_trace_new(schedule->n_transfers, &p->arena, &error, &trace), RS_OK);
    const rs_sink sink = rs_trace_sink(trace);
    cr_assert_eq(rs_simulate(job, RS_ENGINE_AUTO, &sink, &p->arena, &error, &outcome), RS_OK,
                 "seed %d: %s", (int)seed, error.text);
    rs_trace_sort(trace);
    check_wires(job, &outcome, trace, &p->arena);
    check_split(job, &outcome, trace, &p->arena);
    flow_reference(job, &p->arena, expected_ps);
    for (int32_t r = 0; r < schedule->n_ranks; r++) {
        const double off = fabs((double)outcome.finish_ps[r] - expected_ps[r]);
        /* A picosecond an event: a transfer starts, flows and ends. */
        cr_assert_leq(off, (double)(3 * schedule->n_transfers) + 1e-12 * expected_ps[r],
                      "seed %d, %s, rank %d of %d, %d channels: %lld, expected %.1f", (int)seed,
                      schedule->name, (int)r, (int)schedule->n_ranks, (int)schedule->n_channels,
                      (long long)outcome.finish_ps[r], expected_ps[r]);
    }
    return outcome.completed;
}

/* Half of them any transfers, half of them what an algorithm makes. */
Test(flows, of_machines_drawn_at_random_are_those_of_the_slow_reference) {
    int n_shared = 0, n_stalled = 0, n_channels = 0;
    for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
        uint64_t state = seed;
        plan *p = draw_machine(&state);
        const int32_t n = (int32_t)sim_between(&state, 2, p->machine.n_gpus);
        const int64_t count = sim_between(&state, 1, 3) == 1 ? sim_between(&state, 1, 20)
                                                             : sim_between(&state, 1, 3000000);
        const rs_schedule schedule = seed % 2 == 0 ? draw_algorithm(&state, n, n * count)
                                                   : draw_schedule(&state, n, &p->arena);
        rs_fault faults[3];
        int32_t place[8] = {0};
        rs_job job = {.schedule = &schedule,
                      .count = n * count,
                      .elem_bytes = 4,
                      .net = {.machine = &p->machine},
                      .faults = faults};
        job.net.place = draw_place(&state, p->machine.n_gpus, place);
        if (sim_between(&state, 0, 2) == 0) job.net.reduce_Bps = 20 * GB;
        job.n_faults = draw_faults(&state, &schedule, faults);
        n_stalled += !assert_as_expected(p, &job, seed);
        n_shared += schedule.n_transfers > schedule.n_steps;
        n_channels += schedule.n_channels > 1;
        end(p);
    }
    cr_assert_gt(n_stalled, 100);
    cr_assert_gt(n_shared, 1000);
    cr_assert_gt(n_channels, 500);
}
