/* test_tune_versions.c: what each version of NCCL counts otherwise, before and after, by numbers worked out by hand; which
 * rule switches a cell off; settings of the environment; names and versions as text. */
#include "ringsim_tuning.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static rs_error error;
static rn_nccl_table table;

/* 12 channels of 30 GB/s for every algorithm, over NVLink; Intel. */
static rn_nccl_comm machine(int32_t version, int32_t cc, int32_t n_ranks, int32_t n_nodes) {
    const rn_nccl_graph graph = {12, 30, 30, 0, RN_PATH_NVL, RN_PATH_PIX, RN_PATTERN_RING, true};
    rn_nccl_comm c = {.version = version,
                      .n_ranks = n_ranks,
                      .n_nodes = n_nodes,
                      .cc_min = cc,
                      .cc_max = cc,
                      .n_nvswitches = 1,
                      .collnet = true};
    for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) c.graphs[a] = graph;
    rn_nccl_filter_open(&c.filter);
    return c;
}

/* 90 GB/s a channel, as NVLink 5 gives. */
static rn_nccl_comm blackwell(int32_t version, int32_t n_ranks, int32_t n_nodes) {
    rn_nccl_comm c = machine(version, 100, n_ranks, n_nodes);
    for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) {
        c.graphs[a].bw_intra = c.graphs[a].bw_inter = 90;
    }
    return c;
}

static const rn_nccl_cell *cell(const rn_nccl_comm *c, rs_collective coll, rn_nccl_algorithm a,
                                rn_nccl_protocol p) {
    cr_assert_eq(rn_nccl_tune(c, &error, &table), RS_OK, "%s", error.text);
    return &table.cells[coll][a][p];
}

static void expect(const rn_nccl_comm *c, rs_collective coll, rn_nccl_algorithm a,
                   rn_nccl_protocol p, double latency_us, double bandwidth_GBps) {
    const rn_nccl_cell *found = cell(c, coll, a, p);
    cr_expect(fabs(found->latency_us - latency_us) < 0.01 &&
                  fabs(found->bandwidth_GBps - bandwidth_GBps) < 0.01,
              "%d: %s %s %s: %.3f/%.3f, by hand %.3f/%.3f", (int)c->version,
              rn_nccl_collective_title(coll), rn_nccl_algorithm_title(a), rn_nccl_protocol_title(p),
              (double)found->latency_us, (double)found->bandwidth_GBps, latency_us, bandwidth_GBps);
}

Test(tune_versions, tree_latency_changes_in_2_19_and_2_23) {
    static const struct {
        int32_t version;
        double us;
    } of[] = {{21806, 56}, {21903, 392}, {22203, 392}, {22304, 64.4}, {23007, 64.4}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const rn_nccl_comm c = machine(of[i].version, 90, 8, 1);
        expect(&c, RS_COLL_ALL_REDUCE, RN_NCCL_TREE, RN_NCCL_SIMPLE, of[i].us, 331.2 / 2);
    }
}

Test(tune_versions, ring_ll_reaches_more_since_2_21) {
    const rn_nccl_comm before = machine(22005, 90, 8, 1), after = machine(22105, 90, 8, 1);
    rn_nccl_comm slow = before;
    expect(&before, RS_COLL_ALL_REDUCE, RN_NCCL_RING, RN_NCCL_LL, 15, 87.7 * 8 / 14);
    expect(&after, RS_COLL_ALL_REDUCE, RN_NCCL_RING, RN_NCCL_LL, 15, 141.0 * 8 / 14);
    cr_assert_eq(table.cells[RS_COLL_ALL_REDUCE][RN_NCCL_RING][RN_NCCL_LL].limit, RN_NCCL_BY_LL);
    slow.graphs[RN_NCCL_RING].n_channels = 2;
    expect(&slow, RS_COLL_ALL_REDUCE, RN_NCCL_RING, RN_NCCL_LL, 15, 60.0 / 4 * 8 / 14);
    expect(&slow, RS_COLL_ALL_GATHER, RN_NCCL_RING, RN_NCCL_LL, 10.8, 60.0 / 3 * 8 / 7);
    expect(&slow, RS_COLL_REDUCE, RN_NCCL_RING, RN_NCCL_LL, 7.2, 60.0 / 4 * 8 / 8);
    expect(&slow, RS_COLL_BROADCAST, RN_NCCL_RING, RN_NCCL_LL, 7.2, 60.0 / 3 * 8 / 8);
    slow.version = 22105;
    expect(&slow, RS_COLL_ALL_REDUCE, RN_NCCL_RING, RN_NCCL_LL, 15, 60.0 / 2 * 8 / 14);
    cr_assert_eq(table.cells[RS_COLL_ALL_REDUCE][RN_NCCL_RING][RN_NCCL_LL].limit, RN_NCCL_BY_GRAPH);
}

Test(tune_versions, ring_between_nodes_changes_in_2_23) {
    const rn_nccl_comm before = machine(22203, 90, 16, 2), after = machine(22304, 90, 16, 2);
    expect(&before, RS_COLL_ALL_REDUCE, RN_NCCL_RING, RN_NCCL_SIMPLE, 152.8, 360.0 * 16 / 30);
    expect(&after, RS_COLL_ALL_REDUCE, RN_NCCL_RING, RN_NCCL_SIMPLE, 131.6, 360.0 * 16 / 30);
    expect(&before, RS_COLL_ALL_GATHER, RN_NCCL_RING, RN_NCCL_SIMPLE, 70, 360.0 * 16 / 15);
    const rn_nccl_comm one = machine(22203, 90, 2, 2), other = machine(22304, 90, 2, 2);
    /* 2.7 us a hop of the ring, 5 of the tree; a hop more than there are steps. */
    expect(&one, RS_COLL_ALL_REDUCE, RN_NCCL_RING, RN_NCCL_LL, 6.6 - 2 + 4 * 2.7, 39);
    expect(&other, RS_COLL_ALL_REDUCE, RN_NCCL_RING, RN_NCCL_LL, 6.6 + 2 * 5, 39);
    expect(&one, RS_COLL_ALL_REDUCE, RN_NCCL_RING, RN_NCCL_LL128, 14 - 2 * 1.9 + 4 * 4, 252);
    expect(&other, RS_COLL_ALL_REDUCE, RN_NCCL_RING, RN_NCCL_LL128, 14 + 2 * 8.5, 331.2);
}

Test(tune_versions, amd_posts_slower_and_has_its_own_ll_row) {
    rn_nccl_comm c = machine(22907, 80, 16, 2);
    expect(&c, RS_COLL_ALL_GATHER, RN_NCCL_RING, RN_NCCL_LL, 6.6 + 14 * 1 + 2.7, 39.0 * 16 / 15);
    c.cpu = RN_NCCL_AMD;
    expect(&c, RS_COLL_ALL_GATHER, RN_NCCL_RING, RN_NCCL_LL, 6.6 + 14 * 2 + 2.7, 22.5 * 16 / 15);
    c.cpu = RN_NCCL_MIXED_CPUS;
    expect(&c, RS_COLL_ALL_GATHER, RN_NCCL_RING, RN_NCCL_LL, 6.6 + 14 * 1 + 2.7, 22.5 * 16 / 15);
    c.net_overhead_us = 4;
    expect(&c, RS_COLL_ALL_GATHER, RN_NCCL_RING, RN_NCCL_SIMPLE, 8.4 + 14 * 12 + 14, 384);
    c.graphs[RN_NCCL_RING].latency_inter = 1.5F;
    expect(&c, RS_COLL_ALL_GATHER, RN_NCCL_RING, RN_NCCL_SIMPLE, 8.4 + 14 * 12 + 17, 384);
    c.graphs[RN_NCCL_RING].same_channels = false; /* chunks of a tree, n of them */
    expect(&c, RS_COLL_BROADCAST, RN_NCCL_RING, RN_NCCL_SIMPLE, 8.4 + 16 * 14, 360);
}

Test(tune_versions, pat_comes_in_2_23_and_is_less_from_2_24_on) {
    rn_nccl_comm c = machine(22203, 90, 4, 4);
    cr_assert_eq(cell(&c, RS_COLL_ALL_GATHER, RN_NCCL_PAT, RN_NCCL_SIMPLE)->off, RN_NCCL_NO_SUCH);
    c.version = 22304;
    expect(&c, RS_COLL_ALL_GATHER, RN_NCCL_PAT, RN_NCCL_SIMPLE, 8 + 2 * 4 + 4 * 2.8, 306);
    c.version = 22403;
    expect(&c, RS_COLL_ALL_GATHER, RN_NCCL_PAT, RN_NCCL_SIMPLE, 8 + 2 * 4 + 4 * 2.8, 270);
    c.cc_min = c.cc_max = 52;
    expect(&c, RS_COLL_ALL_GATHER, RN_NCCL_PAT, RN_NCCL_SIMPLE, 8 + 2 * 4 + 4 * 2.8, 270);
    c.version = 22602;
    cr_assert_eq(cell(&c, RS_COLL_ALL_GATHER, RN_NCCL_PAT, RN_NCCL_SIMPLE)->off, RN_NCCL_OLD_GPU);
    c = machine(22602, 90, 8, 4);
    cr_assert_eq(cell(&c, RS_COLL_ALL_GATHER, RN_NCCL_PAT, RN_NCCL_SIMPLE)->off,
                 RN_NCCL_MANY_A_NODE);
}

Test(tune_versions, blackwell_has_a_row_of_its_own_since_2_25) {
    static const struct {
        int32_t version;
        double ll, ring_ll128, tree;
    } of[] = {
        {22403, 141, 440.4, 464.4}, {22501, 282, 880.8, 928.8}, {22703, 282, 880.8, 928.8},
        {22803, 282, 880.8, 840},   {22809, 282, 880.8, 840},   {22902, 282, 414, 840},
        {22907, 282, 480, 840},     {23007, 282, 480, 840},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        rn_nccl_comm c = blackwell(of[i].version, 8, 1);
        const rn_nccl_rule off = cell(&c, RS_COLL_ALL_REDUCE, RN_NCCL_RING, RN_NCCL_LL128)->off;
        cr_expect_eq(off, of[i].version < 22500 ? RN_NCCL_NOT_KNOWN_SAFE : RN_NCCL_ON);
        c.filter.protocols[RS_COLL_ALL_REDUCE][RN_NCCL_LL128] = 1;
        expect(&c, RS_COLL_ALL_REDUCE, RN_NCCL_RING, RN_NCCL_LL, 15, of[i].ll * 8 / 14);
        expect(&c, RS_COLL_ALL_REDUCE, RN_NCCL_RING, RN_NCCL_LL128, 14 + 14 * 1.9,
               of[i].ring_ll128 * 8 / 14);
        expect(&c, RS_COLL_ALL_REDUCE, RN_NCCL_TREE, RN_NCCL_SIMPLE, 64.4, of[i].tree / 2);
    }
}

Test(tune_versions, tree_pattern_is_that_of_all_nodes_since_2_26) {
    rn_nccl_comm c = machine(22501, 90, 16, 2);
    c.graphs[RN_NCCL_TREE].pattern = RN_PATTERN_TREE;
    c.max_tree_pattern = RN_PATTERN_BALANCED_TREE;
    expect(&c, RS_COLL_ALL_REDUCE, RN_NCCL_TREE, RN_NCCL_SIMPLE, 92.4, 331.2 * .85 / 2);
    c.version = 22602;
    expect(&c, RS_COLL_ALL_REDUCE, RN_NCCL_TREE, RN_NCCL_SIMPLE, 92.4, 331.2 / 2);
    c.max_tree_pattern = RN_PATTERN_TREE;
    expect(&c, RS_COLL_ALL_REDUCE, RN_NCCL_TREE, RN_NCCL_SIMPLE, 92.4, 331.2 * .85 / 2);
}

Test(tune_versions, nvls_is_counted_three_ways) {
    rn_nccl_comm c = machine(21806, 90, 8, 1);
    c.graphs[RN_NCCL_NVLS].bw_inter = 60;
    expect(&c, RS_COLL_ALL_REDUCE, RN_NCCL_NVLS, RN_NCCL_SIMPLE, 23, 300);
    c.version = 22005;
    expect(&c, RS_COLL_ALL_REDUCE, RN_NCCL_NVLS, RN_NCCL_SIMPLE, 23, 300);
    c.version = 22703;
    expect(&c, RS_COLL_ALL_REDUCE, RN_NCCL_NVLS, RN_NCCL_SIMPLE, 25, 300);
    c.version = 22803;
    expect(&c, RS_COLL_ALL_REDUCE, RN_NCCL_NVLS, RN_NCCL_SIMPLE, 25, 12 * 46.75 * 8 / 14);
    expect(&c, RS_COLL_ALL_GATHER, RN_NCCL_NVLS, RN_NCCL_SIMPLE, 25, 12 * 23.375 * 7 / 8);
    cr_assert_eq(table.cells[RS_COLL_ALL_REDUCE][RN_NCCL_NVLS][RN_NCCL_SIMPLE].limit,
                 RN_NCCL_BY_NVLINK);
    c.cc_min = c.cc_max = 80;
    cr_assert_eq(cell(&c, RS_COLL_ALL_REDUCE, RN_NCCL_NVLS, RN_NCCL_SIMPLE)->off,
                 RN_NCCL_NO_EFFICIENCY);
    c = machine(22803, 90, 8, 1);
    c.graphs[RN_NCCL_NVLS].n_channels = 1;
    cr_assert_eq(cell(&c, RS_COLL_ALL_REDUCE, RN_NCCL_NVLS, RN_NCCL_SIMPLE)->off, RN_NCCL_NO_GRAPH);
}

Test(tune_versions, nvls_tree_is_counted_three_ways) {
    rn_nccl_comm c = machine(21806, 90, 24, 3);
    expect(&c, RS_COLL_ALL_REDUCE, RN_NCCL_NVLS_TREE, RN_NCCL_SIMPLE, 99, 180);
    c.version = 21903;
    expect(&c, RS_COLL_ALL_REDUCE, RN_NCCL_NVLS_TREE, RN_NCCL_SIMPLE, 51, 150);
    c.version = 22105;
    expect(&c, RS_COLL_ALL_REDUCE, RN_NCCL_NVLS_TREE, RN_NCCL_SIMPLE, 53, 150);
    c.version = 22803;
    expect(&c, RS_COLL_ALL_REDUCE, RN_NCCL_NVLS_TREE, RN_NCCL_SIMPLE, 53, 12 * 30. * 24 / 46);
    c.version = 22809;
    expect(&c, RS_COLL_ALL_REDUCE, RN_NCCL_NVLS_TREE, RN_NCCL_SIMPLE, 66.8, 12 * 30. * 24 / 46);
    cr_assert_eq(table.cells[RS_COLL_ALL_REDUCE][RN_NCCL_NVLS_TREE][RN_NCCL_SIMPLE].limit,
                 RN_NCCL_BY_NETWORK);
    static const struct {
        int32_t version;
        double a_channel;
    } of[] = {{22803, 43.1}, {22809, 43.8}, {22907, 43.8}, {23007, 80}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        c = blackwell(of[i].version, 24, 3);
        expect(&c, RS_COLL_ALL_REDUCE, RN_NCCL_NVLS_TREE, RN_NCCL_SIMPLE,
               of[i].version < 22809 ? 53 : 66.8, 12 * of[i].a_channel * 24 / 46);
    }
}

Test(tune_versions, collnet_changes_in_2_19) {
    rn_nccl_comm c = machine(21806, 80, 16, 2);
    const double bus = 360 / (2. / 3 - (2. / 3 - 1) / 2);
    expect(&c, RS_COLL_ALL_REDUCE, RN_NCCL_COLLNET_DIRECT, RN_NCCL_SIMPLE, 32.3, bus / 2);
    expect(&c, RS_COLL_ALL_REDUCE, RN_NCCL_COLLNET_CHAIN, RN_NCCL_SIMPLE, 14 * 4.75 + 14, 180);
    c.version = 22105;
    expect(&c, RS_COLL_ALL_REDUCE, RN_NCCL_COLLNET_DIRECT, RN_NCCL_SIMPLE, 44, bus / 2);
    expect(&c, RS_COLL_ALL_REDUCE, RN_NCCL_COLLNET_CHAIN, RN_NCCL_SIMPLE, 14 * 2.8 + 30, 180);
    expect(&c, RS_COLL_ALL_GATHER, RN_NCCL_COLLNET_DIRECT, RN_NCCL_SIMPLE, 44, 8 * 27.);
    c.cc_min = c.cc_max = 90;
    expect(&c, RS_COLL_ALL_REDUCE, RN_NCCL_COLLNET_DIRECT, RN_NCCL_SIMPLE, 44, bus * .85 / 2);
    c.n_nvswitches = 0;
    cr_assert_eq(cell(&c, RS_COLL_ALL_REDUCE, RN_NCCL_COLLNET_DIRECT, RN_NCCL_SIMPLE)->off,
                 RN_NCCL_NO_NVSWITCH);
    c.collnet = false;
    cr_assert_eq(cell(&c, RS_COLL_ALL_REDUCE, RN_NCCL_COLLNET_CHAIN, RN_NCCL_SIMPLE)->off,
                 RN_NCCL_NO_COLLNET);
    cr_assert_eq(cell(&c, RS_COLL_ALL_REDUCE, RN_NCCL_NVLS, RN_NCCL_SIMPLE)->off,
                 RN_NCCL_NO_COLLNET);
    c.n_nodes = 1;
    cr_assert_eq(cell(&c, RS_COLL_ALL_REDUCE, RN_NCCL_NVLS_TREE, RN_NCCL_SIMPLE)->off,
                 RN_NCCL_ONE_NODE);
}

static rn_nccl_rule ll128(const rn_nccl_comm *c) {
    return cell(c, RS_COLL_ALL_REDUCE, RN_NCCL_TREE, RN_NCCL_LL128)->off;
}

Test(tune_versions, ll128_only_where_it_was_tried) {
    rn_nccl_comm c = machine(22907, 80, 16, 2);
    rn_nccl_graph *g = &c.graphs[RN_NCCL_TREE];
    cr_expect_eq(ll128(&c), RN_NCCL_ON);
    g->type_inter = RN_PATH_PXN;
    cr_expect_eq(ll128(&c), RN_NCCL_FAR_OUTSIDE);
    c.cc_min = c.cc_max = 90;
    cr_expect_eq(ll128(&c), RN_NCCL_ON);
    c.no_ll128_c2c = true;
    cr_expect_eq(ll128(&c), RN_NCCL_FAR_OUTSIDE);
    c.no_ll128_c2c = false;
    g->type_inter = RN_PATH_PHB;
    cr_expect_eq(ll128(&c), RN_NCCL_FAR_OUTSIDE);
    cr_expect_gt(table.cells[RS_COLL_ALL_REDUCE][RN_NCCL_TREE][RN_NCCL_LL128].without_GBps, 100);
    g->type_inter = RN_PATH_PIX;
    g->type_intra = RN_PATH_PIX;
    cr_expect_eq(ll128(&c), RN_NCCL_FAR_INSIDE);
    g->type_intra = RN_PATH_NVB;
    c.cc_max = 100;
    cr_expect_eq(ll128(&c), RN_NCCL_MIXED_GPUS);
    c.version = 23007;
    cr_expect_eq(ll128(&c), RN_NCCL_ON);
    c.cc_min = c.cc_max = 61;
    cr_expect_eq(ll128(&c), RN_NCCL_OLD_GPU);
    c.filter.protocols[RS_COLL_ALL_REDUCE][RN_NCCL_LL128] =
        1; /* NCCL_PROTO names it: no question asked */
    cr_expect_eq(ll128(&c), RN_NCCL_ON);
}

Test(tune_versions, trees_and_rings_bend_at_their_sizes) {
    const rn_nccl_comm b = blackwell(22809, 24, 3), b2 = blackwell(22902, 24, 3);
    rn_nccl_comm c = machine(22907, 70, 16, 2);
    rn_nccl_cost cost;
    cell(&b, RS_COLL_ALL_REDUCE, RN_NCCL_TREE, RN_NCCL_SIMPLE);
    cost =
        rn_nccl_cost_of(&b, &table, RS_COLL_ALL_REDUCE, RN_NCCL_NVLS_TREE, RN_NCCL_SIMPLE, 1 << 20);
    cr_expect_eq(cost.bandwidth_factor, 1);
    cell(&b2, RS_COLL_ALL_REDUCE, RN_NCCL_TREE, RN_NCCL_SIMPLE);
    cost = rn_nccl_cost_of(&b2, &table, RS_COLL_ALL_REDUCE, RN_NCCL_NVLS_TREE, RN_NCCL_SIMPLE,
                           1 << 20);
    cr_expect_eq(cost.bandwidth_factor, .5F);
    cost = rn_nccl_cost_of(&b2, &table, RS_COLL_ALL_REDUCE, RN_NCCL_TREE, RN_NCCL_LL, 64 << 20);
    cr_expect_eq(cost.bandwidth_factor, 1);
    cost = rn_nccl_cost_of(&b2, &table, RS_COLL_ALL_REDUCE, RN_NCCL_TREE, RN_NCCL_SIMPLE, 63);
    cr_expect_eq(cost.bandwidth_factor, 1);
    cell(&c, RS_COLL_ALL_REDUCE, RN_NCCL_RING, RN_NCCL_SIMPLE);
    cost =
        rn_nccl_cost_of(&c, &table, RS_COLL_ALL_REDUCE, RN_NCCL_RING, RN_NCCL_SIMPLE, 64 * 24 * 16);
    cr_expect_eq(cost.latency_factor, 1.9F);
    cost = rn_nccl_cost_of(&c, &table, RS_COLL_ALL_REDUCE, RN_NCCL_RING, RN_NCCL_SIMPLE,
                           64 * 24 * 16 - 1);
    cr_expect_eq(cost.latency_factor, 1);
    c.n_channels = 48;
    cost =
        rn_nccl_cost_of(&c, &table, RS_COLL_ALL_REDUCE, RN_NCCL_RING, RN_NCCL_SIMPLE, 64 * 24 * 16);
    cr_expect_eq(cost.latency_factor, 1);
}

Test(tune_versions, small_sizes_take_fewer_channels_and_threads) {
    const rn_nccl_comm c = machine(22907, 90, 8, 1);
    rn_nccl_choice choice = {.algorithm = RN_NCCL_RING, .protocol = RN_NCCL_LL};
    rn_nccl_trim(&c, 64 * 8 * 128 * 3, &choice); /* 64 bytes a thread of 8 ranks */
    cr_expect_eq(choice.n_channels, 6);
    cr_expect_eq(choice.n_threads, 512);
    rn_nccl_trim(&c, 1024, &choice);
    cr_expect_eq(choice.n_channels, 1);
    cr_expect_eq(choice.n_threads, 96);
    choice.protocol = RN_NCCL_SIMPLE;
    rn_nccl_trim(&c, 1 << 30, &choice);
    cr_expect_eq(choice.n_channels, 24);
    cr_expect_eq(choice.n_threads, 512 + 32);
    choice.algorithm = RN_NCCL_NVLS;
    rn_nccl_trim(&c, 8, &choice);
    cr_expect_eq(choice.n_channels, 12);
    choice.algorithm = RN_NCCL_TREE;
    rn_nccl_trim(&c, 8, &choice);
    cr_expect_eq(choice.n_channels, 1);
    cr_expect_eq(choice.n_threads, 640);
}

Test(tune_versions, refuses_what_cannot_be) {
    rn_nccl_comm c = machine(21705, 90, 8, 1);
    cr_expect_eq(rn_nccl_tune(&c, &error, &table), RS_UNSUPPORTED);
    c = machine(22907, 90, 1, 1);
    cr_expect_eq(rn_nccl_tune(&c, &error, &table), RS_BAD_INPUT);
    c = machine(22907, 90, 8, 9);
    cr_expect_eq(rn_nccl_tune(&c, &error, &table), RS_BAD_INPUT);
    c = machine(22907, 90, 8, 1);
    c.graphs[RN_NCCL_NVLS].bw_inter = NAN;
    cr_expect_eq(rn_nccl_tune(&c, &error, &table), RS_BAD_INPUT);
    c.graphs[RN_NCCL_NVLS].bw_inter = 0;
    c.graphs[RN_NCCL_RING].n_channels = RN_NCCL_MOST_CHANNELS + 1;
    cr_expect_eq(rn_nccl_tune(&c, &error, &table), RS_BAD_INPUT);
}

/* ------------------------------------------------------------------ settings */

Test(tune_versions, settings_let_algorithms_and_protocols_through) {
    rn_nccl_comm c = machine(22907, 90, 16, 2);
    rn_nccl_filter *f = &c.filter;
    cr_assert_eq(
        rn_nccl_filter_set(f, 22907, "NCCL_ALGO", "Ring;AllReduce:^nvls,COLLNET_CHAIN", &error),
        RS_OK);
    cr_expect_eq(f->algorithms[RS_COLL_BROADCAST][RN_NCCL_RING], 1);
    cr_expect_eq(f->algorithms[RS_COLL_ALL_GATHER][RN_NCCL_NVLS], 0);
    cr_expect_eq(f->algorithms[RS_COLL_ALL_REDUCE][RN_NCCL_TREE], 1);
    cr_expect_eq(f->algorithms[RS_COLL_ALL_REDUCE][RN_NCCL_NVLS], 0);
    cr_expect_eq(f->algorithms[RS_COLL_ALL_REDUCE][RN_NCCL_COLLNET_CHAIN], 0);
    cr_expect_eq(cell(&c, RS_COLL_ALL_REDUCE, RN_NCCL_NVLS, RN_NCCL_SIMPLE)->off,
                 RN_NCCL_ALGO_SETTING);
    cr_assert_eq(rn_nccl_filter_set(f, 22907, "NCCL_PROTO", "^LL128", &error), RS_OK);
    cr_expect_eq(f->protocols[RS_COLL_REDUCE][RN_NCCL_LL128], 0);
    cr_expect_eq(f->protocols[RS_COLL_REDUCE][RN_NCCL_LL], 1);
    cr_expect_eq(ll128(&c), RN_NCCL_PROTO_SETTING);
    const rn_nccl_filter before = *f;
    cr_expect_eq(rn_nccl_filter_set(f, 22907, "NCCL_PROTO", "LL;Simple", &error), RS_BAD_INPUT);
    cr_expect_eq(rn_nccl_filter_set(f, 22907, "NCCL_PROTO", "allsum:LL", &error), RS_BAD_INPUT);
    cr_expect_str_eq(error.text, "NCCL_PROTO: there is no function allsum");
    cr_expect_eq(rn_nccl_filter_set(f, 22907, "NCCL_ALGO", "ring,rign", &error), RS_BAD_INPUT);
    cr_expect_str_eq(error.text, "NCCL_ALGO: there is no rign");
    cr_expect_eq(memcmp(f, &before, sizeof before), 0, "a refused setting changed something");
    cr_expect_eq(rn_nccl_filter_set(f, 22203, "NCCL_ALGO", "tree,rign", &error), RS_OK);
    cr_expect_eq(f->algorithms[RS_COLL_ALL_GATHER][RN_NCCL_TREE], 1);
    cr_expect_eq(f->algorithms[RS_COLL_ALL_GATHER][RN_NCCL_RING], 0);
    rn_nccl_filter_open(f);
    cr_assert_eq(rn_nccl_filter_set(f, 23100, "NCCL_ALGO", "allreduce:ring", &error), RS_OK);
    cr_expect_eq(f->algorithms[RS_COLL_BROADCAST][RN_NCCL_RING], 0);
    rn_nccl_filter_open(f);
    cr_assert_eq(rn_nccl_filter_set(f, 23007, "NCCL_ALGO", "allreduce:ring", &error), RS_OK);
    cr_expect_eq(f->algorithms[RS_COLL_BROADCAST][RN_NCCL_RING], 1);
}

/* ------------------------------------------------------------------ names */

Test(tune_versions, names_are_found_in_every_spelling) {
    rn_nccl_algorithm a;
    rn_nccl_protocol p;
    rs_collective coll;
    rn_nccl_path path;
    cr_assert(rn_nccl_find_algorithm("NVLS_TREE", 9, &a) && a == RN_NCCL_NVLS_TREE);
    cr_assert(rn_nccl_find_algorithm("CollNetDirect", 13, &a) && a == RN_NCCL_COLLNET_DIRECT);
    cr_assert(rn_nccl_find_algorithm("RINGS", 4, &a) && a == RN_NCCL_RING);
    cr_assert_not(rn_nccl_find_algorithm("RINGS", 5, &a));
    cr_assert_not(rn_nccl_find_algorithm("", 0, &a));
    cr_assert(rn_nccl_find_protocol("SIMPLE", 6, &p) && p == RN_NCCL_SIMPLE);
    cr_assert_not(rn_nccl_find_protocol("LL1", 3, &p));
    cr_assert(rn_nccl_find_collective("all-gather", 10, &coll) && coll == RS_COLL_ALL_GATHER);
    cr_assert(rn_nccl_find_path("PXN", 3, &path) && path == RN_PATH_PXN);
}

Test(tune_versions, versions_are_read_and_written) {
    int32_t version;
    char text[16];
    cr_assert(rn_nccl_read_version("2.29.7+cuda12.9", &version) && version == 22907);
    cr_assert(rn_nccl_read_version("22907", &version) && version == 22907);
    cr_assert(rn_nccl_read_version("2.30", &version) && version == 23000);
    cr_assert_str_eq(rn_nccl_version_text(22809, text), "2.28.9");
    cr_assert_not(rn_nccl_read_version("two", &version));
    cr_assert_not(rn_nccl_read_version("2", &version));
    cr_assert_not(rn_nccl_read_version("2.", &version));
    cr_assert_not(rn_nccl_read_version("22907x", &version));
    cr_assert_not(rn_nccl_read_version("123456789012", &version));
    cr_assert_not(rn_nccl_checked(23100));
    cr_assert_not(rn_nccl_checked(21799));
    cr_assert(rn_nccl_checked(21800) && rn_nccl_checked(23007));
}
