/* test_rings.c: rings of our own search, and those that are stored: each GPU once, no wire above its rate, and as much in all as
 * NCCL's own logs show for known boxes.
 */
#include "ringsim.h"
#include "ringsim_slices.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static rs_arena arena;
static rs_error error;
static rs_machine machine;

static void open_all(void) {
    rs_arena_init(&arena, NULL);
}
static void close_all(void) {
    rs_arena_free(&arena);
}
TestSuite(rings, .init = open_all, .fini = close_all);

static void parse(const char *text, const char *name) {
    cr_assert_eq(rs_parse_machine(text, strlen(text), name, &arena, &error, &machine), RS_OK, "%s",
                 error.text);
}

static void read_preset(const char *name) {
    char path[80], *text = rs_alloc(&arena, 65536, 1);
    snprintf(path, sizeof path, "assets/machines/%s.machine", name);
    FILE *in = fopen(path, "rb");
    cr_assert_not_null(in, "%s", path);
    const size_t n = fread(text, 1, 65535, in);
    fclose(in);
    text[n] = '\0';
    parse(text, name);
}

/* Each GPU once; loads by the router's own routes, added up here. */
static void check(const rn_rings *rings) {
    rs_router *router;
    rs_route route;
    double *load = rs_alloc(&arena, 2 * (size_t)machine.n_links, sizeof *load);
    const int32_t g = rings->n_gpus;
    cr_assert_eq(g, machine.n_gpus / machine.n_nodes);
    cr_assert(rings->n_rings >= 1 && rings->n_rings <= RN_MOST_RINGS);
    cr_assert_eq(rs_router_new(&machine, &arena, &error, &router), RS_OK);
    for (int32_t r = 0; r < rings->n_rings; r++) {
        const int32_t *order = rings->order + r * g;
        bool seen[RN_MOST_RING_GPUS] = {false};
        for (int32_t i = 0; i < g; i++) {
            cr_assert(order[i] >= 0 && order[i] < g && !seen[order[i]], "ring %d", (int)r);
            seen[order[i]] = true;
            cr_assert_eq(rs_router_find(router, order[i], order[(i + 1) % g], 0, &error, &route),
                         RS_OK);
            for (int32_t w = 0; w < route.n_wires; w++) {
                load[route.wires[w]] += (double)rings->GBps;
            }
        }
    }
    for (int32_t w = 0; w < 2 * machine.n_links; w++) {
        const rs_machine_link *l = &machine.links[w / 2];
        const double rate = (double)l->bandwidth_Bps / 1e9;
        cr_assert(load[w] <= rate * (1 + 1e-6), "wire %d: %g of %g GB/s", (int)w, load[w], rate);
    }
}

static rn_rings search(int32_t cc) {
    rn_rings rings;
    cr_assert_eq(rn_rings_search(&machine, cc, false, &arena, &error, &rings), RS_OK, "%s",
                 error.text);
    check(&rings);
    return rings;
}

static void expect(const rn_rings *rings, int32_t n, double GBps) {
    cr_assert(rings->n_rings == n && fabs((double)rings->GBps - GBps) < 1e-3, "%d of %g",
              (int)rings->n_rings, (double)rings->GBps);
}

static void expect_doubled(const rn_rings *rings, int32_t cc, int32_t n, double GBps) {
    rn_rings twice = *rings;
    rn_rings_double(cc, &twice.n_rings, &twice.GBps);
    expect(&twice, n, GBps);
}

Test(rings, known_boxes_have_their_channels) {
    read_preset("dgx1-v100"); /* six rings of 20: as NCCL 2.19.3 found */
    rn_rings rings = search(70);
    cr_assert(rings.nvlink);
    expect(&rings, 6, 20);
    expect_doubled(&rings, 70, 6, 20);
    read_preset("hgx-a100"); /* "nChannels 12, bw 20" */
    rings = search(80);
    expect_doubled(&rings, 80, 12, 20);
    read_preset("dgx-h100"); /* "nChannels 12, bw 30": nccl#1197 */
    rings = search(90);
    expect_doubled(&rings, 90, 12, 30);
    for (int32_t i = 0; i < 8; i++) cr_assert_eq(rings.order[i], i);
    read_preset("gh200x4");
    rings = search(90);
    cr_assert(rings.nvlink);
    expect(&rings, 6, 60);
}

/* Each of four joined with each: three circles, each both ways. */
static void join_four(double GBps) {
    char text[1024];
    int n = snprintf(text, sizeof text, "ringsim-machine 1\ngpus 4\n");
    for (int a = 0; a < 4; a++) {
        for (int b = a + 1; b < 4; b++) {
            n += snprintf(text + n, sizeof text - (size_t)n, "link gpu%d gpu%d bandwidth %gGB/s\n",
                          a, b, GBps);
        }
    }
    parse(text, "four");
}

Test(rings, four_that_are_all_joined) {
    join_four(80); /* 4 A100 at four links a pair: "nChannels 12, bw 20" */
    rn_rings rings = search(80);
    expect_doubled(&rings, 80, 12, 20);
    join_four(40); /* 4 V100 at two links a pair: six rings (nccl#713) */
    rings = search(70);
    expect(&rings, 6, 20);
}

Test(rings, a_tree_of_pcie) {
    /* Two switches at two processors: the ring crosses each uplink once a direction. */
    parse("ringsim-machine 1\ngpus 4\nswitch plx0 plx1 cpu0 cpu1\n"
          "link gpu0 plx0 bandwidth 24GB/s kind pcie\nlink gpu1 plx0 bandwidth 24GB/s kind pcie\n"
          "link gpu2 plx1 bandwidth 24GB/s kind pcie\nlink gpu3 plx1 bandwidth 24GB/s kind pcie\n"
          "link plx0 cpu0 bandwidth 24GB/s kind pcie\nlink plx1 cpu1 bandwidth 24GB/s kind pcie\n"
          "link cpu0 cpu1 bandwidth 10GB/s kind cpu\n",
          "pcie");
    const rn_rings rings = search(80);
    cr_assert_not(rings.nvlink);
    expect(&rings, 1, 10);
    for (int32_t i = 0; i < 4; i++) cr_assert_eq(rings.order[i], i);
}

Test(rings, slower_than_the_slowest_speed) {
    parse("ringsim-machine 1\ngpus 3\nswitch sw\nlink gpu0 sw bandwidth 30MB/s kind pcie\n"
          "link gpu1 sw bandwidth 40MB/s kind pcie\nlink gpu2 sw bandwidth 40MB/s kind pcie\n",
          "slow");
    const rn_rings rings = search(80);
    expect(&rings, 1, 0.03);
}

Test(rings, presets_keep_their_wires) {
    static const char *const names[] = {"dgx1-v100", "hgx-a100", "dgx-h100",     "dgx-h200",
                                        "b200",      "gh200x4",  "rtx4090-p2p",  "rtx4090-host",
                                        "rtx2080ti", "torus4x4", "ring-of-wires"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const rn_box_facts *facts = rn_find_box_facts(names[i], strlen(names[i]));
        read_preset(names[i]);
        search(facts != NULL ? facts->cc : 80);
    }
}

/* Boxes of random links: whatever is found is true. */
Test(rings, random_boxes) {
    uint32_t seed = 7;
    for (int round = 0; round < 200; round++) {
        char text[8192];
        const int g = 2 + (int)(seed % 9);
        int n = snprintf(text, sizeof text, "ringsim-machine 1\ngpus %d\nswitch host\n", g);
        for (int a = 0; a < g; a++) {
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "link gpu%d host bandwidth %uGB/s kind pcie\n", a, 5 + seed % 20);
            for (int b = a + 1; b < g; b++) {
                seed = seed * 1664525U + 1013904223U;
                if (seed >> 30 == 0) continue;
                n += snprintf(text + n, sizeof text - (size_t)n,
                              "link gpu%d gpu%d bandwidth %uGB/s\n", a, b,
                              20 * (1 + (seed >> 20) % 4));
            }
        }
        parse(text, "random");
        const rn_rings rings = search((seed >> 10) % 2 == 0 ? 80 : 90);
        cr_assert(rings.GBps > 0);
    }
}

Test(rings, what_is_stored_has_a_source_and_is_no_less_than_ours) {
    static const char *const names[] = {"dgx1-v100", "hgx-a100", "dgx-h100"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        rn_rings stored;
        const rn_box_facts *facts = rn_find_box_facts(names[i], strlen(names[i]));
        read_preset(names[i]);
        cr_assert(rn_rings_stored(names[i], strlen(names[i]), 1, &stored));
        cr_assert(stored.source != NULL && rn_rings_fit(&machine, &stored, &arena));
        check(&stored);
        const rn_rings own = search(facts->cc);
        cr_assert_null(own.source);
        cr_assert_float_eq((double)stored.GBps * stored.n_rings, (double)own.GBps * own.n_rings,
                           1e-3);
    }
    rn_rings rings;
    cr_assert_not(rn_rings_stored("dgx1", 4, 1, &rings));
    cr_assert_not(rn_rings_stored("hgx-a100", 8, 2, &rings));
    /* A box of that name with other wires gets none of it. */
    join_four(80);
    machine.name = "dgx-h100";
    const rn_box_facts *facts = rn_find_box_facts("dgx-h100", 8);
    cr_assert_eq(rn_rings_of(&machine, facts, &arena, &error, &rings), RS_OK);
    cr_assert_null(rings.source);
}

Test(rings, several_nodes_have_a_ring_a_nic) {
    rs_machine node;
    rn_rings rings;
    read_preset("dgx1-v100");
    node = machine;
    cr_assert_eq(rs_machine_repeat(&node, 2, "dgx1-v100:2", &arena, &error, &machine), RS_OK);
    cr_assert_eq(rn_rings_search(&machine, 70, false, &arena, &error, &rings), RS_OK, "%s",
                 error.text);
    check(&rings);
    cr_assert_eq(rings.n_rings, 4);
    for (int32_t i = 0; i < 4; i++) { /* NIC i is at the switch of GPUs 2i and 2i + 1 */
        cr_assert(rings.order[i * 8] / 2 == i, "ring %d begins at %d", (int)i,
                  (int)rings.order[i * 8]);
    }
    read_preset("dgx-h100");
    node = machine;
    cr_assert_eq(rs_machine_repeat(&node, 3, "dgx-h100:3", &arena, &error, &machine), RS_OK);
    cr_assert_eq(rn_rings_of(&machine, rn_find_box_facts("dgx-h100", 8), &arena, &error, &rings),
                 RS_OK);
    cr_assert_not_null(rings.source);
    check(&rings);
    for (int32_t i = 0; i < 8; i++) cr_assert_eq(rings.order[i * 8], i);
}

Test(rings, a_large_node_takes_the_ring_by_number) {
    char *text = rs_alloc(&arena, 65536, 1);
    int n = snprintf(text, 65536, "ringsim-machine 1\ngpus 72\nswitch sw\n");
    for (int i = 0; i < 72; i++) {
        n += snprintf(text + n, 65536 - (size_t)n, "link gpu%d sw bandwidth 721.8GB/s\n", i);
    }
    parse(text, "nvl72");
    const rn_rings rings = search(100);
    expect(&rings, 8, 90);
    parse("ringsim-machine 1\ngpus 1\n", "one");
    rn_rings none;
    cr_assert_eq(rn_rings_search(&machine, 80, false, &arena, &error, &none), RS_BAD_INPUT);
}
