/* test_tune.c: NCCL's printed tables and times, digit for digit; each version's difference; what switches a cell off. */
#include "ringsim_tuning.h"

#include <criterion/criterion.h>
#include <stdio.h>

static rs_error error;
static rn_nccl_table table;

static void tune(const rn_nccl_comm *comm) {
    const rs_status status = rn_nccl_tune(comm, &error, &table);
    cr_assert_eq(status, RS_OK, "%s", error.text);
}

/* The two nodes of formats.md 16.1: an RTX 5090 each, over sockets, NCCL 2.29.7. */
static rn_nccl_comm two_5090(void) {
    const rn_nccl_graph ring = {2, 1.2F, 1.2F, 0, RN_PATH_LOC, RN_PATH_PHB, RN_PATTERN_RING, true};
    rn_nccl_graph tree = ring;
    rn_nccl_comm c = {.version = 22907, .n_ranks = 2, .n_nodes = 2, .cc_min = 120, .cc_max = 120};
    tree.bw_intra = tree.bw_inter = 2.4F;
    tree.pattern = c.max_tree_pattern = RN_PATTERN_TREE;
    for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) c.graphs[a] = ring;
    c.graphs[RN_NCCL_TREE] = c.graphs[RN_NCCL_PAT] = tree;
    c.graphs[RN_NCCL_NVLS].n_channels = c.graphs[RN_NCCL_NVLS_TREE].n_channels = 0;
    c.max_threads[RN_NCCL_RING][RN_NCCL_SIMPLE] = 512;
    rn_nccl_filter_open(&c.filter);
    return c;
}

/* Prints the cells of a collective and algorithm as NCCL does. */
static const char *row_of(rs_collective coll, rn_nccl_algorithm a) {
    static char text[120];
    size_t n = 0;
    for (int p = 0; p < RN_NCCL_N_PROTOCOLS; p++) {
        const rn_nccl_cell *cell = &table.cells[coll][a][p];
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%.1f/%.1f", p > 0 ? " " : "",
                              (double)cell->latency_us, (double)cell->bandwidth_GBps);
    }
    return text;
}

/* A row that is not all zeros. */
typedef struct printed_row {
    rs_collective coll;
    rn_nccl_algorithm a;
    const char *cells;
} printed_row;

Test(tune, gives_all_210_numbers_of_a_printed_table) {
    static const char off[] = "5.0/0.0 8.5/0.0 14.0/0.0", copy[] = "9.3/1.2 18.0/0.0 22.4/2.4",
                      shards[] = "11.6/2.4 22.5/0.0 22.4/4.8", pat[] = "0.0/0.0 0.0/0.0 17.6/3.6";
    static const printed_row rows[] = {
        {RS_COLL_BROADCAST, RN_NCCL_RING, copy},
        {RS_COLL_REDUCE, RN_NCCL_RING, copy},
        {RS_COLL_ALL_GATHER, RN_NCCL_RING, shards},
        {RS_COLL_ALL_GATHER, RN_NCCL_PAT, pat},
        {RS_COLL_ALL_GATHER, RN_NCCL_COLLNET_DIRECT, off},
        {RS_COLL_REDUCE_SCATTER, RN_NCCL_RING, shards},
        {RS_COLL_REDUCE_SCATTER, RN_NCCL_PAT, pat},
        {RS_COLL_REDUCE_SCATTER, RN_NCCL_COLLNET_DIRECT, off},
        {RS_COLL_ALL_REDUCE, RN_NCCL_TREE, "16.8/0.5 31.0/0.0 36.4/1.9"},
        {RS_COLL_ALL_REDUCE, RN_NCCL_RING, "16.6/1.2 31.0/0.0 36.4/2.4"},
        {RS_COLL_ALL_REDUCE, RN_NCCL_COLLNET_DIRECT, off},
        {RS_COLL_ALL_REDUCE, RN_NCCL_COLLNET_CHAIN, off},
    };
    const rn_nccl_comm c = two_5090();
    int n_numbers = 0;
    tune(&c);
    for (int coll = 0; coll < RS_COLL_ALL_TO_ALL; coll++) {
        for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) {
            const char *expected = "0.0/0.0 0.0/0.0 0.0/0.0";
            for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                if ((int)rows[i].coll == coll && (int)rows[i].a == a) expected = rows[i].cells;
            }
            const char *found = row_of((rs_collective)coll, (rn_nccl_algorithm)a);
            cr_expect_str_eq(found, expected, "%s %s: %s, printed %s",
                             rn_nccl_collective_title((rs_collective)coll),
                             rn_nccl_algorithm_title((rn_nccl_algorithm)a), found, expected);
            n_numbers += 6;
        }
    }
    cr_assert_eq(n_numbers, 210);
}

Test(tune, chooses_protocol_and_channels_of_that_machine) {
    static const struct {
        int64_t n_bytes;
        rn_nccl_protocol protocol;
        int32_t n_channels;
    } calls[] = {
        {1024, RN_NCCL_LL, 1},        {8192, RN_NCCL_LL, 1},      {16384, RN_NCCL_LL, 2},
        {32768, RN_NCCL_SIMPLE, 1},   {65536, RN_NCCL_SIMPLE, 2}, {131072, RN_NCCL_SIMPLE, 4},
        {1 << 27, RN_NCCL_SIMPLE, 4},
    };
    const rn_nccl_comm c = two_5090();
    rn_nccl_choice choice;
    int64_t next;
    tune(&c);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        cr_assert(rn_nccl_choose(&c, &table, RS_COLL_BROADCAST, calls[i].n_bytes, &choice));
        cr_assert_eq(choice.algorithm, RN_NCCL_RING);
        cr_assert_eq(choice.protocol, calls[i].protocol, "%d bytes", (int)calls[i].n_bytes);
        cr_assert_eq(choice.n_channels, calls[i].n_channels, "%d bytes: %d channels",
                     (int)calls[i].n_bytes, (int)choice.n_channels);
    }
    cr_assert(rn_nccl_crossing(&c, &table, RS_COLL_BROADCAST, 8, 1 << 30, &next));
    cr_assert(next > 16384 && next <= 32768, "%d", (int)next);
    cr_assert(rn_nccl_choose(&c, &table, RS_COLL_BROADCAST, next, &choice));
    cr_assert_eq(choice.protocol, RN_NCCL_SIMPLE);
    cr_assert(rn_nccl_choose(&c, &table, RS_COLL_BROADCAST, next - 1, &choice));
    cr_assert_eq(choice.protocol, RN_NCCL_LL);
    cr_assert_not(rn_nccl_crossing(&c, &table, RS_COLL_BROADCAST, next, 1 << 30, &next));
}

static rn_nccl_comm hopper(int32_t version, int32_t n_ranks, int32_t n_nodes) {
    const rn_nccl_graph ring = {12, 30, 30, 0, RN_PATH_NVL, RN_PATH_PIX, RN_PATTERN_RING, true};
    rn_nccl_comm c = {.version = version,
                      .n_ranks = n_ranks,
                      .n_nodes = n_nodes,
                      .cc_min = 90,
                      .cc_max = 90,
                      .n_nvswitches = 1};
    for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) c.graphs[a] = ring;
    c.graphs[RN_NCCL_TREE].pattern = RN_PATTERN_BALANCED_TREE;
    rn_nccl_filter_open(&c.filter);
    return c;
}

static void expect_time(const rn_nccl_comm *c, rs_collective coll, rn_nccl_algorithm a,
                        rn_nccl_protocol p, int64_t n_bytes, const char *printed) {
    char text[32];
    tune(c);
    const rn_nccl_cost cost = rn_nccl_cost_of(c, &table, coll, a, p, n_bytes);
    snprintf(text, sizeof text, "%f", (double)cost.us);
    cr_expect_str_eq(text, printed);
}

Test(tune, gives_the_times_that_issues_show) {
    rn_nccl_comm eight = hopper(22100, 8, 1); /* nccl#1595: a ring of 360 GB/s */
    expect_time(&eight, RS_COLL_ALL_REDUCE, RN_NCCL_RING, RN_NCCL_SIMPLE, 805306368, "3970.683594");
    expect_time(&eight, RS_COLL_ALL_GATHER, RN_NCCL_RING, RN_NCCL_SIMPLE, 1026048, "34.693867");
    rn_nccl_comm c = hopper(22100, 24, 3); /* nccl#1453 */
    c.graphs[RN_NCCL_TREE].n_channels = 16;
    c.graphs[RN_NCCL_TREE].bw_intra = 24;
    c.graphs[RN_NCCL_TREE].bw_inter = 12;
    c.graphs[RN_NCCL_TREE].pattern = RN_PATTERN_TREE;
    c.graphs[RN_NCCL_NVLS_TREE].n_channels = 4;
    c.graphs[RN_NCCL_NVLS_TREE].bw_intra = c.graphs[RN_NCCL_NVLS_TREE].bw_inter = 48;
    expect_time(&c, RS_COLL_ALL_REDUCE, RN_NCCL_TREE, RN_NCCL_LL128, 262144, "54.707825");
    expect_time(&c, RS_COLL_ALL_REDUCE, RN_NCCL_NVLS_TREE, RN_NCCL_SIMPLE, 524288, "59.553600");
}
