/* test_nccl_infer.c: what goes into the communicator behind a table: what the log says of it, and its settings; and what a
 * log must say.
 */
#include "log_found.h"
#include "nccl_logs/nccl_log_maker.h"

#include <stdlib.h>
#include <string.h>

static rn_nccl_fit fit;
TestSuite(nccl_infer, .init = start, .fini = stop);

static void read_made(const made_log *wish) {
    char *text;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    cr_assert_not_null(out);
    make_nccl_log(wish, out);
    fclose(out);
    stop();
    start();
    cr_assert_eq(read_bytes(text, n), RS_OK, "%s", error.text);
    free(text);
}

/* A Hopper machine with a switch on which all algorithms have graphs. */
static made_log wish_of(int32_t n_nodes) {
    const rn_nccl_graph ring = {12, 30, 24, 0, RN_PATH_NVL, RN_PATH_PIX, RN_PATTERN_RING, true};
    made_log w = {.n_channels = 2, .graphs = true};
    w.comm = (rn_nccl_comm){.version = 22907,
                            .n_ranks = 8 * n_nodes,
                            .n_nodes = n_nodes,
                            .cc_min = 90,
                            .cc_max = 90,
                            .n_nvswitches = 1,
                            .n_channels = 24,
                            .n_nvls_channels = 12,
                            .max_tree_pattern = RN_PATTERN_BALANCED_TREE};
    w.comm.graphs[RN_NCCL_RING] = w.comm.graphs[RN_NCCL_TREE] = ring;
    w.comm.graphs[RN_NCCL_TREE].pattern = RN_PATTERN_BALANCED_TREE;
    w.comm.graphs[RN_NCCL_NVLS] = w.comm.graphs[RN_NCCL_NVLS_TREE] = ring;
    w.comm.graphs[RN_NCCL_NVLS].pattern = w.comm.graphs[RN_NCCL_NVLS_TREE].pattern =
        RN_PATTERN_NVLS;
    rn_nccl_filter_open(&w.comm.filter);
    return w;
}

/* Each setting that counts, with every value; what is not set is as NCCL has it. */
Test(nccl_infer, settings_are_those_of_the_communicator) {
    static const struct {
        const char *text;
        bool collnet, no_c2c;
        const char *algorithms, *protocols;
    } settings[] = {
        {NULL, false, false, NULL, NULL},
        {"NCCL_COLLNET_ENABLE=1", true, false, NULL, NULL},
        {"NCCL_COLLNET_ENABLE=0", false, false, NULL, NULL},
        {"NCCL_LL128_C2C=0", false, true, NULL, NULL},
        {"NCCL_LL128_C2C=1", false, false, NULL, NULL},
        {"NCCL_ALGO=Ring", false, false, "Ring", NULL},
        {"NCCL_PROTO=^LL128", false, false, NULL, "^LL128"},
        {"NCCL_DEBUG=0\nNCCL_COLLNET_ENABLE=2\nNCCL_LL128_C2C=0\nNCCL_ALGO=Tree\nNCCL_PROTO=LL",
         true, true, "Tree", "LL"}};
    for (size_t i = 0; i < 2 * (sizeof settings / sizeof *settings); i++) {
        const size_t k = i / 2;
        made_log w = wish_of(1 + (int)(i % 2));
        rn_nccl_filter wanted;
        w.settings = settings[k].text;
        rn_nccl_filter_open(&wanted);
        if (settings[k].algorithms != NULL)
            rn_nccl_filter_set(&wanted, 22907, "NCCL_ALGO", settings[k].algorithms, &error);
        if (settings[k].protocols != NULL)
            rn_nccl_filter_set(&wanted, 22907, "NCCL_PROTO", settings[k].protocols, &error);
        w.comm.filter = wanted;
        w.comm.collnet = settings[k].collnet;
        w.comm.no_ll128_c2c = settings[k].no_c2c;
        read_made(&w);
        cr_assert_eq(rn_nccl_infer(&log_, &error, &fit), RS_OK, "%s", error.text);
        cr_expect_eq(fit.comm.collnet, settings[k].collnet, "%s", settings[k].text);
        cr_expect_eq(fit.comm.no_ll128_c2c, settings[k].no_c2c, "%s", settings[k].text);
        cr_expect_eq(memcmp(&fit.comm.filter, &wanted, sizeof wanted), 0, "%s", settings[k].text);
        cr_expect_eq(fit.n_alike, fit.n_numbers, "%s: %d of %d", settings[k].text, (int)fit.n_alike,
                     (int)fit.n_numbers);
    }
}

/* A log that does not say how many nodes there are: all ranks are on one, or each is alone. */
Test(nccl_infer, nodes_that_are_not_said_are_one_or_as_many_as_ranks) {
    for (int alone = 0; alone < 2; alone++) {
        made_log w = wish_of(1);
        if (alone) w.comm.n_nodes = w.comm.n_ranks;
        read_made(&w);
        log_.n_nodes = 0;
        cr_assert_eq(rn_nccl_infer(&log_, &error, &fit), RS_OK, "%s", error.text);
        cr_expect_eq(fit.comm.n_nodes, w.comm.n_nodes);
        cr_expect_eq(fit.n_alike, fit.n_numbers, "%d of %d", (int)fit.n_alike, (int)fit.n_numbers);
    }
}

/* What is said is taken as it is; where a graph is not said, more is tried. */
Test(nccl_infer, what_the_log_says_is_not_guessed) {
    for (int turn = 0; turn < 16; turn++) {
        made_log w = wish_of(1 + turn % 2);
        w.graphs = turn / 2 % 2;
        read_made(&w);
        if (turn / 4 % 2) {
            log_.cpu_said = true;
            log_.cpu = RN_NCCL_INTEL;
        }
        if (turn / 8 % 2) log_.n_coll_channels = log_.n_nvls_channels = -1;
        for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) log_.max_threads[a][RN_NCCL_LL] = 100 + a;
        cr_assert_eq(rn_nccl_infer(&log_, &error, &fit), RS_OK, "%s", error.text);
        const rn_nccl_comm *c = &fit.comm;
        const bool counted = turn / 8 % 2 == 0;
        cr_expect_eq(fit.graphs_said, w.graphs);
        cr_expect(c->version == 22907 && c->n_ranks == w.comm.n_ranks &&
                  c->n_nodes == w.comm.n_nodes && c->n_nvswitches == log_.n_nvswitches);
        cr_expect_eq(c->n_channels, counted ? 24 : 0);
        cr_expect_eq(c->n_nvls_channels, counted ? 12 : 0);
        cr_expect_eq(memcmp(c->max_threads, log_.max_threads, sizeof c->max_threads), 0);
        cr_expect_eq(c->cc_min, c->cc_max);
        if (log_.cpu_said) cr_expect_eq(c->cpu, log_.cpu);
        for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) {
            if (log_.graph_line[a] == 0) continue;
            cr_expect(c->graphs[a].n_channels == log_.graphs[a].n_channels &&
                      c->graphs[a].bw_intra == log_.graphs[a].bw_intra &&
                      c->graphs[a].bw_inter == log_.graphs[a].bw_inter);
        }
        const int most = (w.graphs ? 32 : 256) / (log_.cpu_said ? 2 : 1);
        cr_expect(fit.n_candidates >= 1 && fit.n_candidates <= most, "%d", (int)fit.n_candidates);
    }
}

/* Graphs that no line tells of are taken back from the table, whatever speed they had, on one side or both. */
Test(nccl_infer, a_table_gives_the_speeds_back) {
    static const float speeds[] = {1.5F, 2.6F, 8, 12.5F, 21, 24, 40};
    for (int turn = 0; turn < 14; turn++) {
        made_log w = wish_of(1 + turn % 2);
        const bool one_sided = turn / 2 % 2;
        w.graphs = false;
        for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) {
            rn_nccl_graph *g = &w.comm.graphs[a];
            const bool nvls = a == RN_NCCL_NVLS || a == RN_NCCL_NVLS_TREE;
            const bool whole = a == RN_NCCL_RING || a == RN_NCCL_TREE || nvls;
            if (!whole) continue;
            g->bw_intra = g->bw_inter = speeds[turn % 7];
            if (nvls && one_sided && turn % 2 == 0) g->bw_inter = 1e5F;
            if (nvls && one_sided && turn % 2 == 1) g->bw_intra = 1e5F;
        }
        read_made(&w);
        cr_assert_eq(rn_nccl_infer(&log_, &error, &fit), RS_OK, "%s", error.text);
        cr_expect(!fit.graphs_said && fit.comm.cc_min == 90);
        cr_expect_eq(fit.n_alike, fit.n_numbers, "turn %d: %d of %d", turn, (int)fit.n_alike,
                     (int)fit.n_numbers);
        const rn_nccl_graph *ring = &fit.comm.graphs[RN_NCCL_RING];
        const float all = (float)ring->n_channels * ring->bw_intra;
        cr_expect_eq(ring->n_channels, 12);
        cr_expect(all > 12 * speeds[turn % 7] - 0.8F && all < 12 * speeds[turn % 7] + 0.8F,
                  "turn %d: %g", turn, (double)all);
    }
}

Test(nccl_infer, what_is_missing_is_said) {
    const made_log w = wish_of(1);
    for (int what = 0; what < 9; what++) {
        static const char *const words[] = {
            "RCCL has tables and kernels of its own: NCCL's model is not applied to it",
            "the log has no tuning table",
            "the log does not say which NCCL it is of",
            "the log does not say how many ranks there are",
            "the log does not say how many ranks there are",
            "the tuning model of NCCL before 2.18 is not known here",
            NULL,
            NULL,
            NULL};
        read_made(&w);
        if (what == 0) log_.rccl = true;
        if (what == 1) log_.table_line = 0;
        if (what == 2) log_.version = 0;
        if (what == 3) log_.n_ranks = 0;
        if (what == 4) log_.n_ranks = 1;
        if (what == 5) log_.version = 21799;
        if (what == 6) log_.version = 21800;
        if (what == 7) log_.n_ranks = 2;
        error.text[0] = '\0';
        const rs_status status = rn_nccl_infer(&log_, &error, &fit);
        const bool other = what == 0 || what == 5;
        cr_expect_eq(status,
                     words[what] == NULL ? RS_OK
                     : other             ? RS_UNSUPPORTED
                                         : RS_BAD_INPUT,
                     "%d: %s", what, error.text);
        cr_expect_str_eq(error.text, words[what] != NULL ? words[what] : "");
    }
}

/* Numbers are the same if they are printed so. */
Test(nccl_infer, digits_are_those_that_are_printed) {
    for (int i = 0; i < 20000; i++) {
        const double number = i / 64.0, other = (i + i % 7) / 64.0;
        char a[32], b[32];
        snprintf(a, sizeof a, "%.1f", number);
        snprintf(b, sizeof b, "%.1f", other);
        cr_assert_eq(rn_nccl_same_digits((float)number, (float)other), strcmp(a, b) == 0);
    }
}
