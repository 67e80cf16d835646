/* test_slices.c: the slices against what can be derived: which wire bounds a ring, a tree, NVLS; what a step costs when
 * slices overlap; that long pipelines go on as they began.
 *
 * Constants are the documented ones, with nothing for a slice, a message or a launch, so that long arrays show the wires.
 */
#include "ringsim.h"
#include "support/slices_rows.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static rs_arena arena;
static rs_error error;
static rn_site site;
static rn_slices_constants wires;

static void open_all(void) {
    rs_arena_init(&arena, NULL);
    take_documented(&wires);
}
static void close_all(void) {
    rs_arena_free(&arena);
}
TestSuite(slices, .init = open_all, .fini = close_all);

static const int64_t HUGE_BYTES = (int64_t)1 << 38;

/* Nodes of g GPUs at a switch that adds, each GPU's port of 100 GB/s, each node's k NICs of 10 GB/s. */
static rn_site look(int nodes, int g, int k, const char *kind, bool host_memory) {
    char text[8192];
    rs_machine node, *machine = rs_alloc(&arena, 1, sizeof *machine);
    int n = snprintf(text, sizeof text,
                     "ringsim-machine 1\ngpus %d\nswitch sw reduces\nswitch fabric\n", g);
    for (int i = 0; i < g; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "link gpu%d sw bandwidth 100GB/s kind %s\n", i, kind);
    }
    for (int i = 0; i < k; i++) {
        n += snprintf(
            text + n, sizeof text - (size_t)n,
            "switch nic%d\nlink gpu%d nic%d bandwidth 50GB/s kind pcie\nlink nic%d fabric bandwidth 10GB/s kind net\n",
            i, i % g, i, i);
    }
    cr_assert_eq(rs_parse_machine(text, (size_t)n, "nodes", &arena, &error, &node), RS_OK, "%s",
                 error.text);
    cr_assert_eq(rs_machine_repeat(&node, nodes, "nodes", &arena, &error, machine), RS_OK, "%s",
                 error.text);
    cr_assert_eq(rn_slices_site(machine, host_memory, &arena, &error, &site), RS_OK, "%s",
                 error.text);
    return site;
}

/* Microseconds of a collective. */
static double us_of(rs_collective collective, rn_nccl_algorithm algorithm,
                    rn_nccl_protocol protocol, int64_t n_bytes, int channels) {
    const rn_slices_job job = {.site = &site,
                               .collective = collective,
                               .algorithm = algorithm,
                               .protocol = protocol,
                               .n_channels = channels,
                               .n_bytes = n_bytes,
                               .version = 22809,
                               .cc = 90,
                               .launched_together = 2}; /* by one thread: no copies */
    rn_slices_result result;
    cr_assert_eq(rn_slices_time(&job, &wires, &error, &result), RS_OK, "%s", error.text);
    return result.us;
}

static double time_of(rn_nccl_algorithm algorithm, rn_nccl_protocol protocol, int64_t n_bytes,
                      int channels) {
    return us_of(RS_COLL_ALL_REDUCE, algorithm, protocol, n_bytes, channels);
}

/* Bytes over time, GB/s, of an array so long that latencies vanish. */
static double algbw(rn_nccl_algorithm algorithm) {
    return (double)HUGE_BYTES / time_of(algorithm, RN_NCCL_SIMPLE, HUGE_BYTES, 64) / 1e3;
}

#define NEAR(value, expected)                                                                      \
    cr_assert(fabs((value) / (expected)-1) < 0.01, "%g, expected %g", (double)(value),             \
              (double)(expected))

Test(slices, a_ring_in_a_node_fills_its_ports) {
    for (int n = 2; n <= 16; n *= 2) {
        look(1, n, 0, "nvlink", false);
        NEAR(algbw(RN_NCCL_RING), 100.0 * n / (2 * (n - 1)));
    }
}

Test(slices, a_ring_over_nodes_fills_its_nics) {
    for (int nodes = 2; nodes <= 16; nodes *= 2) {
        look(nodes, 4, 2, "nvlink", false);
        const double n = 4.0 * nodes;
        NEAR(algbw(RN_NCCL_RING), 20 * n / (2 * (n - 1)));
    }
}

Test(slices, through_the_hosts_memory_the_last_receive_costs_one_step_more) {
    for (int n = 2; n <= 8; n++) {
        look(1, n, 0, "pcie", false);
        const double direct = time_of(RN_NCCL_RING, RN_NCCL_SIMPLE, HUGE_BYTES, 64);
        look(1, n, 0, "pcie", true);
        const double through = time_of(RN_NCCL_RING, RN_NCCL_SIMPLE, HUGE_BYTES, 64);
        NEAR(through / direct, (2 * n - 1) / (2.0 * (n - 1)));
    }
}

Test(slices, a_shared_way_up_halves_what_two_gpus_get) {
    static const char text[] =
        "ringsim-machine 1\ngpus 2\nswitch slot0 slot1 up down memory\n"
        "link gpu0 slot0 bandwidth 12GB/s kind pcie\nlink gpu1 slot1 bandwidth 12GB/s kind pcie\n"
        "link slot0 up bandwidth 12GB/s kind pcie\nlink slot1 up bandwidth 12GB/s kind pcie\n"
        "link up memory bandwidth 12GB/s kind pcie\nlink memory down bandwidth 12GB/s kind pcie\n"
        "link down slot0 bandwidth 12GB/s kind pcie\nlink down slot1 bandwidth 12GB/s kind pcie\n"
        "route gpu0 gpu1 gpu0 slot0 up memory down slot1 gpu1\n"
        "route gpu1 gpu0 gpu1 slot1 up memory down slot0 gpu0\n";
    rs_machine machine;
    cr_assert_eq(rs_parse_machine(text, strlen(text), "two", &arena, &error, &machine), RS_OK);
    cr_assert_eq(rn_slices_site(&machine, true, &arena, &error, &site), RS_OK);
    NEAR(algbw(RN_NCCL_RING), 4.0); /* measured on two RTX 2080 Ti: 4.00 */
}

Test(slices, a_tree_is_bound_by_its_ports_and_by_nics_as_nodes_are) {
    const double part[] = {0, 0, 1, 2.0 / 3, 0.5, 0.5, 0.5, 0.5, 0.5};
    for (int nodes = 2; nodes <= 8; nodes++) {
        look(nodes, 4, 4, "nvlink", false);
        NEAR(algbw(RN_NCCL_TREE), 40 * part[nodes]);
    }
    look(2, 4, 16, "nvlink", false); /* 160 GB/s of NICs, 50 of a port both ways */
    NEAR(algbw(RN_NCCL_TREE), 50);
}

/* What a tree over two nodes takes on GPUs of a generation, at a network. */
static double tree_by(rn_fabric fabric, int32_t cc, int32_t version) {
    const rn_slices_job job = {.site = &site,
                               .collective = RS_COLL_ALL_REDUCE,
                               .algorithm = RN_NCCL_TREE,
                               .protocol = RN_NCCL_SIMPLE,
                               .n_channels = 1,
                               .n_bytes = 100 * 524288,
                               .version = version,
                               .cc = cc,
                               .launched_together = 1,
                               .fabric = fabric};
    rn_slices_result result;
    cr_assert_eq(rn_slices_time(&job, &wires, &error, &result), RS_OK, "%s", error.text);
    return result.us;
}

static double tree_at(rn_fabric fabric, int32_t cc) {
    return tree_by(fabric, cc, 22809);
}

Test(slices, gpus_handle_a_chunk_of_a_tree_while_nics_carry_another) {
    look(2, 4, 4, "nvlink", false); /* a chunk takes 13 us over 40 GB/s of NICs, 10 in a port */
    const double before = tree_at(RN_FABRIC_UNKNOWN, 90);
    wires.at[RN_FIT_SLICE] = 2;
    NEAR(tree_at(RN_FABRIC_UNKNOWN, 90), before);
    wires.at[RN_FIT_SLICE] = 10; /* now the GPUs are the slower ones */
    cr_assert_gt(tree_at(RN_FABRIC_UNKNOWN, 90), before * 1.3);
}

Test(slices, by_the_plug_in_each_message_is_flushed_to_gpus_older_than_hopper) {
    look(2, 4, 4, "nvlink", false);
    wires.at[RN_FIT_FLUSH] = 7;
    for (int f = 0; f < RN_N_FABRICS; f++) {
        const bool flushes = f == RN_FABRIC_EFA || f == RN_FABRIC_SLINGSHOT;
        const double more = tree_at((rn_fabric)f, 80) - tree_at(RN_FABRIC_UNKNOWN, 80);
        cr_assert_float_eq(more, flushes ? (100 + 1) * 7 : 0, 1e-6, "%s: %g",
                           rn_fabric_name((rn_fabric)f), more);
        cr_assert_float_eq(tree_at((rn_fabric)f, 90), tree_at(RN_FABRIC_UNKNOWN, 90), 1e-6);
    }
    /* NCCL before 2.19.1 flushed to Hopper's too; Amazon switched that off. */
    const double none = tree_by(RN_FABRIC_UNKNOWN, 90, 21901);
    cr_assert_float_eq(tree_by(RN_FABRIC_SLINGSHOT, 90, 21806) - none, (100 + 1) * 7, 1e-6);
    cr_assert_float_eq(tree_by(RN_FABRIC_SLINGSHOT, 90, 21901), none, 1e-6);
    cr_assert_float_eq(tree_by(RN_FABRIC_EFA, 90, 21806), none, 1e-6);
}

/* src/graph/search.cc tries a tree faster inside the node until it is twice as fast there as between nodes. */
Test(slices, a_tree_over_nodes_is_up_to_twice_as_fast_inside_them) {
    static const rn_rings none = {0};
    const rn_box_facts *hopper = rn_find_box_facts("dgx-h100", 8);
    const struct {
        double port, nics;
        int32_t n_nics, channels;
        float inside, between;
    } cases[] = {{370.8, 100, 4, 4, 48, 24}, {370.8, 100, 2, 4, 48, 24}, {120, 100, 4, 4, 30, 24}};
    rn_nccl_comm comm;
    look(2, 4, 4, "nvlink", false);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        site.port_GBps = cases[i].port;
        site.nic_GBps = cases[i].nics;
        site.n_nics = cases[i].n_nics;
        rn_nccl_guess(&site, hopper, RN_FABRIC_INFINIBAND, &none, 22809, &comm);
        const rn_nccl_graph *tree = &comm.graphs[RN_NCCL_TREE];
        cr_assert_eq(tree->n_channels, cases[i].channels, "%zu", i);
        cr_assert_float_eq(tree->bw_intra, cases[i].inside, 1e-6, "%zu: %g", i,
                           (double)tree->bw_intra);
        cr_assert_float_eq(tree->bw_inter, cases[i].between, 1e-6, "%zu", i);
    }
}

Test(slices, nvls_sends_the_array_and_a_share_of_it_through_each_port) {
    for (int n = 2; n <= 8; n *= 2) {
        look(1, n, 0, "nvlink", false);
        NEAR(algbw(RN_NCCL_NVLS), 0.85 * 100 * n / (n + 1));
    }
}

Test(slices, two_slices_hide_the_latency_of_a_step) {
    /* One channel at 100 GB/s, 8 GPUs, one loop of 14 steps: while a slice outlasts the latency, steps cost their bytes
       alone; a tiny one costs its bytes and the latency. */
    look(1, 8, 0, "nvlink", false);
    const double base = 8.4, latency = 3.4, slice = 1e6 / 100e3;
    NEAR(time_of(RN_NCCL_RING, RN_NCCL_SIMPLE, 8 * 2000000, 1), base + 14 * 2 * slice + latency);
    wires.at[RN_FIT_SLICE] = 1;
    NEAR(time_of(RN_NCCL_RING, RN_NCCL_SIMPLE, 8 * 20000, 1),
         base + 13 * (0.1 + 1 + latency) + 2 * (0.1 + 1) + latency);
}

Test(slices, long_arrays_go_on_with_the_period_that_was_simulated) {
    look(2, 4, 2, "nvlink", false);
    wires = rn_slices_fitted;
    const int64_t loop = 8 * (int64_t)2097152;
    const double t[] = {time_of(RN_NCCL_RING, RN_NCCL_SIMPLE, 5 * loop, 1),
                        time_of(RN_NCCL_RING, RN_NCCL_SIMPLE, 6 * loop, 1),
                        time_of(RN_NCCL_RING, RN_NCCL_SIMPLE, 60 * loop, 1),
                        time_of(RN_NCCL_RING, RN_NCCL_SIMPLE, 61 * loop, 1)};
    cr_assert(fabs((t[1] - t[0]) / (t[3] - t[2]) - 1) < 1e-6, "%g %g", t[1] - t[0], t[3] - t[2]);
}

Test(slices, a_ring_of_many_nodes_costs_as_much_more_as_it_is_longer) {
    /* 40 nodes are simulated by fewer steps than they take; what a node adds stays the same. */
    double last = 0, step = 0;
    for (int nodes = 4; nodes <= 40; nodes += 4) {
        look(nodes, 4, 2, "nvlink", false);
        const double us = time_of(RN_NCCL_RING, RN_NCCL_SIMPLE, (int64_t)nodes * 4 * 100000, 1);
        if (step > 0) NEAR(us - last, step);
        if (last > 0) step = us - last;
        last = us;
    }
}

Test(slices, more_bytes_never_take_less_and_no_wire_is_overrun) {
    static const rn_nccl_algorithm algorithms[] = {RN_NCCL_RING, RN_NCCL_TREE};
    for (int fitted = 0; fitted < 2; fitted++) {
        if (fitted == 0) take_documented(&wires);
        if (fitted == 1) wires = rn_slices_fitted;
        look(2, 4, 2, "nvlink", false);
        for (int a = 0; a < 2; a++) {
            for (int p = 0; p < RN_NCCL_N_PROTOCOLS; p++) {
                double before = 0;
                for (int64_t bytes = 8; bytes <= (int64_t)1 << 33; bytes *= 2) {
                    const double us = time_of(algorithms[a], (rn_nccl_protocol)p, bytes, 8);
                    cr_assert(us >= before * 0.999, "%d %d %lld", a, p, (long long)bytes);
                    cr_assert(us >= (double)bytes / 20e3, "%d %d %lld", a, p, (long long)bytes);
                    before = us;
                }
            }
        }
    }
}

Test(slices, one_thread_needs_a_launch_for_each_of_its_gpus) {
    look(1, 8, 0, "nvlink", false);
    rn_slices_job job = {.site = &site,
                         .algorithm = RN_NCCL_RING,
                         .protocol = RN_NCCL_LL,
                         .n_channels = 1,
                         .n_bytes = 8,
                         .cc = 90,
                         .launched_together = 8};
    rn_slices_result result;
    wires.at[RN_FIT_LAUNCH] = 6;
    cr_assert_eq(rn_slices_time(&job, &wires, &error, &result), RS_OK);
    cr_assert_float_eq(result.us, 48, 1e-9);
    cr_assert_eq(result.wire, -1);
}

Test(slices, refuses_what_it_does_not_know) {
    look(1, 8, 0, "nvlink", false);
    rn_slices_job job = {.site = &site,
                         .algorithm = RN_NCCL_COLLNET_DIRECT,
                         .protocol = RN_NCCL_SIMPLE,
                         .n_channels = 1,
                         .n_bytes = 8,
                         .cc = 90,
                         .launched_together = 1};
    rn_slices_result result = {.us = 7};
    cr_assert_eq(rn_slices_time(&job, &wires, &error, &result), RS_UNSUPPORTED);
    cr_assert_float_eq(result.us, 7, 0);
}

Test(slices, at_most_21_constants_each_between_its_ends) {
    cr_assert_leq((int)RN_N_CONSTANTS, 21);
    for (int i = 0; i < RN_N_CONSTANTS; i++) {
        const slices_row *row = &slices_rows[i];
        cr_assert(row->least < row->most && rn_slices_fitted.at[i] >= row->least &&
                      rn_slices_fitted.at[i] <= row->most,
                  "%s", row->name);
    }
}

/* A ring of three wires, one of which differs in its kind, its speed or its latency alone: one hop stands for all only
   where all are alike. */
Test(slices, a_hop_that_differs_is_not_stood_for) {
    enum { G = 3 };
    static const char *const wire[][2] = {
        {"bandwidth 100GB/s latency 1us kind pcie", "bandwidth 100GB/s latency 1us kind nvlink"},
        {"bandwidth 100GB/s latency 1us kind pcie", "bandwidth 90GB/s latency 1us kind pcie"},
        {"bandwidth 100GB/s latency 1us kind pcie", "bandwidth 100GB/s latency 2us kind pcie"}};
    for (size_t what = 0; what < sizeof wire / sizeof *wire; what++) {
        for (int at = 0; at <= G; at++) {
            char text[1024];
            rs_machine machine;
            int n = snprintf(text, sizeof text, "ringsim-machine 1\ngpus %d\n", G);
            for (int i = 0; i < G; i++) {
                n += snprintf(text + n, sizeof text - (size_t)n, "link gpu%d gpu%d %s\n", i,
                              (i + 1) % G, wire[what][i == at]);
            }
            cr_assert_eq(rs_parse_machine(text, (size_t)n, "ring", &arena, &error, &machine), RS_OK,
                         "%s", error.text);
            cr_assert_eq(rn_slices_site(&machine, false, &arena, &error, &site), RS_OK, "%s",
                         error.text);
            cr_expect_eq(site.n_hops, at == G ? 1 : G, "odd %d at %d: %d hops", (int)what, at,
                         (int)site.n_hops);
        }
    }
}

/* What has a root goes down a chain: in chunks where it is Simple, so that few bytes pay for each hop and many for one;
   in LL every byte costs the same. */
Test(slices, a_chain_pays_for_its_chunks_in_simple_alone) {
    enum { G = 6 };
    look(1, G, 0, "nvlink", false);
    for (int p = 0; p < RN_NCCL_N_PROTOCOLS; p++) {
        rn_slices_job job = {.site = &site,
                             .collective = RS_COLL_BROADCAST,
                             .algorithm = RN_NCCL_RING,
                             .protocol = (rn_nccl_protocol)p,
                             .n_channels = 4,
                             .version = 22809,
                             .cc = 90,
                             .launched_together = 1};
        double us[6];
        const int64_t sizes[6] = {4096, 8192, HUGE_BYTES, 2 * HUGE_BYTES, 4 << 19, 4 * (3 << 18)};
        for (int i = 0; i < 6; i++) {
            rn_slices_result result;
            job.n_bytes = sizes[i];
            cr_assert_eq(rn_slices_time(&job, &wires, &error, &result), RS_OK, "%s", error.text);
            us[i] = result.us;
        }
        const double few = (us[1] - us[0]) / 4096, many = (us[3] - us[2]) / (double)HUGE_BYTES;
        NEAR(few / many, p == RN_NCCL_SIMPLE ? G - 1 : 1);
        /* a chunk on each channel, then one and a half: two of three quarters */
        const double before = us[0] - few * 4096;
        NEAR((us[5] - before) / (us[4] - before), p == RN_NCCL_SIMPLE ? G * 0.75 / (G - 1) : 1.5);
    }
}

/* Does the wire belong to a link of that kind at that device? */
static bool is_wire_of(const rs_machine *machine, int32_t wire, int32_t device, rs_link_kind kind) {
    if (wire < 0 || wire >= 2 * machine->n_links) return false;
    const rs_machine_link *link = &machine->links[wire / 2];
    return (link->a == device || link->b == device) && link->kind == kind;
}

/* Ports of 100 GB/s but for one, NICs behind PCIe that may be narrower than their wire: a hop is as wide as the narrower
   of its ends, and knows that end's wire; a node's way out is all its NICs. */
Test(slices, a_site_is_what_the_machine_is_made_of) {
    for (int drawn = 0; drawn < 3 * 4 * 4 * 2 * 2; drawn++) {
        const int nodes = 1 + drawn % 3, g = 2 + drawn / 3 % 4, k = 1 + drawn / 12 % 4;
        const int odd = drawn * 7 % g, pcie = drawn / 48 % 2 ? 5 : 50, adds = drawn / 96 % 2;
        char text[4096];
        rs_machine node, *machine = rs_alloc(&arena, 1, sizeof *machine);
        int n =
            snprintf(text, sizeof text, "ringsim-machine 1\ngpus %d\nswitch sw%s\nswitch fabric\n",
                     g, adds ? " reduces" : "");
        for (int i = 0; i < g; i++) {
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "link gpu%d sw bandwidth %dGB/s kind nvlink\n", i, i == odd ? 40 : 100);
        }
        for (int i = 0; i < k; i++) {
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "switch nic%d\nlink gpu%d nic%d bandwidth %dGB/s kind pcie\n"
                          "link nic%d fabric bandwidth 10GB/s kind net\n",
                          i, i % g, i, pcie, i);
        }
        cr_assert_eq(rs_parse_machine(text, (size_t)n, "node", &arena, &error, &node), RS_OK, "%s",
                     error.text);
        cr_assert_eq(rs_machine_repeat(&node, nodes, "nodes", &arena, &error, machine), RS_OK, "%s",
                     error.text);
        cr_assert_eq(rn_slices_site(machine, false, &arena, &error, &site), RS_OK, "%s",
                     error.text);
        cr_expect_eq(site.n_ranks, nodes * g);
        cr_expect_eq(site.n_nodes, nodes);
        cr_expect_eq(site.adds, adds != 0);
        cr_expect_eq(site.port_GBps, 40, "%d: %g", drawn, site.port_GBps);
        cr_expect(is_wire_of(machine, site.port_wire, odd, RS_NVLINK));
        for (int i = 0; i < site.n_hops - (nodes > 1); i++) {
            const bool narrow = i == odd || (i + 1) % g == odd;
            cr_expect_eq(site.hops[i].GBps, narrow ? 40 : 100, "%d: hop %d, %g", drawn, i,
                         site.hops[i].GBps);
            cr_expect_eq(site.hops[i].kind, RN_HOP_NVLINK);
            if (narrow) cr_expect(is_wire_of(machine, site.hops[i].wire, odd, RS_NVLINK));
        }
        if (nodes == 1) continue;
        const rn_ring_hop *out = &site.hops[site.n_hops - 1];
        cr_expect_eq(out->kind, RN_HOP_NET);
        cr_expect_eq(site.n_nics, k, "%d: %d NICs", drawn, (int)site.n_nics);
        cr_expect_eq(site.nic_GBps, (pcie < 10 ? pcie : 10) * k, "%d: %g", drawn, site.nic_GBps);
        cr_expect_eq(out->GBps, site.nic_GBps);
    }
}

/* Microseconds of a broadcast, Simple, on four channels. */
static double chain_us(int64_t n_bytes) {
    return us_of(RS_COLL_BROADCAST, RN_NCCL_RING, RN_NCCL_SIMPLE, n_bytes, 4);
}

/* A chain is as fast as its slowest hop, wherever that is; what a slice costs is paid once a chunk and hop. */
Test(slices, a_chain_is_bound_by_its_slowest_hop) {
    enum { G = 4 };
    double us[G + 1];
    for (int at = 0; at <= G; at++) { /* the last: all are slow */
        char text[600];
        rs_machine machine;
        int n = snprintf(text, sizeof text, "ringsim-machine 1\ngpus %d\n", G);
        for (int i = 0; i < G; i++) {
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "link gpu%d gpu%d bandwidth %dGB/s kind pcie\n", i, (i + 1) % G,
                          i == at || at == G ? 20 : 60);
        }
        cr_assert_eq(rs_parse_machine(text, (size_t)n, "ring", &arena, &error, &machine), RS_OK,
                     "%s", error.text);
        cr_assert_eq(rn_slices_site(&machine, false, &arena, &error, &site), RS_OK, "%s",
                     error.text);
        us[at] = chain_us(HUGE_BYTES);
    }
    for (int at = 0; at < G; at++) NEAR(us[at], us[G]);
    look(1, G, 0, "nvlink", false);
    for (int n_chunks = 1; n_chunks < 6; n_chunks++) {
        const int64_t n_bytes = (int64_t)n_chunks * 4 << 19;
        wires.at[RN_FIT_SLICE] = 0;
        const double before = chain_us(n_bytes);
        wires.at[RN_FIT_SLICE] = 3;
        NEAR(chain_us(n_bytes) - before, 3 * (n_chunks + G - 2));
    }
}
