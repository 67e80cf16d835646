/* test_environment.c: settings that are written name what is chosen at some size, no more and no less, in every version. */
#include "nccl/nccl_files.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const rs_collective colls[] = {RS_COLL_BROADCAST, RS_COLL_REDUCE, RS_COLL_ALL_GATHER,
                                      RS_COLL_REDUCE_SCATTER, RS_COLL_ALL_REDUCE};
enum { N_COLLS = sizeof colls / sizeof *colls };

/* `fast` GB/s a channel inside a node; LL128 is safe on NVLinks with NICs behind the same switch. */
static void make_fit(int32_t version, int32_t n_ranks, int32_t n_nodes, float fast, int path,
                     rn_nccl_fit *fit) {
    const rn_nccl_path outside = path == RN_PATH_NVL ? RN_PATH_PXB : RN_PATH_PHB;
    const float bw = n_nodes > 1 ? 1.2F : fast;
    const rn_nccl_graph ring = {4, fast, bw, 0, (rn_nccl_path)path, outside, RN_PATTERN_RING, true};
    rn_nccl_comm c = {
        .version = version, .n_ranks = n_ranks, .n_nodes = n_nodes, .cc_min = 80, .cc_max = 80};
    rs_error error;
    rn_nccl_graph tree = ring;
    tree.pattern = c.max_tree_pattern = RN_PATTERN_TREE;
    for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) c.graphs[a] = ring;
    c.graphs[RN_NCCL_TREE] = c.graphs[RN_NCCL_PAT] = tree;
    c.graphs[RN_NCCL_NVLS].n_channels = c.graphs[RN_NCCL_NVLS_TREE].n_channels = 0;
    rn_nccl_filter_open(&c.filter);
    *fit = (rn_nccl_fit){.comm = c};
    cr_assert_eq(rn_nccl_tune(&c, &error, &fit->table), RS_OK, "%s", error.text);
}

/* What is chosen of a collective from 0 bytes to 64 GiB, size by size: bits by algorithm, by protocol. */
static void find_chosen(const rn_nccl_fit *fit, rs_collective coll, unsigned *algorithms,
                        unsigned *protocols) {
    rn_nccl_choice choice;
    *algorithms = *protocols = 0;
    for (int64_t size = 0; size <= (int64_t)1 << 36; size += 1 + size / 64) {
        if (!rn_nccl_choose(&fit->comm, &fit->table, coll, size, &choice)) continue;
        *algorithms |= 1u << choice.algorithm;
        *protocols |= 1u << choice.protocol;
    }
}

static void list(const char *const names[], int n, unsigned of, char out[200]) {
    out[0] = '\0';
    for (int i = 0; i < n; i++) {
        if ((of >> i & 1) == 0) continue;
        if (out[0] != '\0') strcat(out, ",");
        strcat(out, names[i]);
    }
}

/* Writes the line that is to be there: one list, or "AllGather:Ring;AllReduce:Ring,Tree". */
static void expected_line(const char *name, const char *const names[], int n,
                          const unsigned of[N_COLLS], bool by_function, char out[800]) {
    char words[200];
    unsigned all = 0;
    size_t used = (size_t)snprintf(out, 800, "\nexport %s='", name);
    for (int i = 0; i < N_COLLS; i++) {
        all |= of[i];
        if (!by_function || of[i] == 0) continue;
        list(names, n, of[i], words);
        used +=
            (size_t)snprintf(out + used, 800 - used, "%s%s:%s", out[used - 1] == '\'' ? "" : ";",
                             rn_nccl_collective_title(colls[i]), words);
    }
    list(names, n, all, words);
    snprintf(out + used, 800 - used, "%s'\n", by_function ? "" : words);
}

static void expect_settings(const rn_nccl_fit *fit, const char *tuner, const char *text) {
    const char *algorithms[RN_NCCL_N_ALGORITHMS], *protocols[RN_NCCL_N_PROTOCOLS];
    unsigned a[N_COLLS], p[N_COLLS], all = 0;
    char line[800];
    const bool by_function = fit->comm.version >= 22400;
    for (int i = 0; i < RN_NCCL_N_ALGORITHMS; i++)
        algorithms[i] = rn_nccl_algorithm_title((rn_nccl_algorithm)i);
    for (int i = 0; i < RN_NCCL_N_PROTOCOLS; i++)
        protocols[i] = rn_nccl_protocol_title((rn_nccl_protocol)i);
    for (int i = 0; i < N_COLLS; i++) {
        find_chosen(fit, colls[i], &a[i], &p[i]);
        all |= p[i];
    }
    expected_line("NCCL_ALGO", algorithms, RN_NCCL_N_ALGORITHMS, a, by_function, line);
    cr_expect_not_null(strstr(text, line), "version %d: %s is not in\n%s", fit->comm.version, line,
                       text);
    expected_line("NCCL_PROTO", protocols, RN_NCCL_N_PROTOCOLS, p, by_function, line);
    const bool said = strstr(text, "\nexport NCCL_PROTO=") != NULL;
    cr_expect_eq(said, (all >> RN_NCCL_LL128 & 1) == 0, "who names LL128 switches tests off");
    cr_expect(!said || strstr(text, line) != NULL, "version %d: %s is not in\n%s",
              fit->comm.version, line, text);
    cr_expect_eq(strstr(text, "\nexport NCCL_COLLNET_ENABLE=1\n") != NULL, fit->comm.collnet);
    cr_expect_eq(strstr(text, "\nexport NCCL_LL128_C2C=0\n") != NULL, fit->comm.no_ll128_c2c);
    snprintf(line, sizeof line, "\nexport NCCL_TUNER_CONFIG_FILE='%s'\n",
             tuner != NULL ? tuner : "");
    cr_expect_eq(strstr(text, "NCCL_TUNER") != NULL, tuner != NULL);
    cr_expect(tuner == NULL || strstr(text, line) != NULL, "%s", text);
}

Test(environment, names_what_is_chosen_and_nothing_else) {
    static const int32_t versions[] = {21803, 22105, 22304, 22403, 22705, 22907};
    int n_lists = 0, n_unset = 0;
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
        for (int k = 0; k < 8; k++) {
            const int32_t n_nodes = (k & 1) != 0 ? 2 : 1;
            const int path = (k & 2) != 0 ? RN_PATH_NVL : RN_PATH_PHB;
            rn_nccl_fit fit;
            char *text;
            size_t n_bytes;
            make_fit(versions[v], 8 * n_nodes, n_nodes, (k & 4) != 0 ? 20.0F : 3.0F, path, &fit);
            fit.comm.collnet = k == 3;
            fit.comm.no_ll128_c2c = k == 5;
            cr_assert_eq(rn_nccl_tune(&fit.comm, &(rs_error){.text = ""}, &fit.table), RS_OK);
            FILE *out = open_memstream(&text, &n_bytes);
            rc_write_environment(&fit, k % 2 == 0 ? "my tuner.csv" : NULL, out);
            fclose(out);
            expect_settings(&fit, k % 2 == 0 ? "my tuner.csv" : NULL, text);
            if (strstr(text, "export NCCL_PROTO") != NULL)
                n_lists++;
            else
                n_unset++;
            free(text);
        }
    }
    cr_expect(n_lists > 0 && n_unset > 0, "%d with and %d without protocols", n_lists, n_unset);
}
