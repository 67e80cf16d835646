/* test_nccl_lines.c: made logs are understood: ranks, rings, trees, transports, table, calls, remarks; and their tables taken
 * back to what made them. */
#include "log_found.h"
#include "nccl_logs/nccl_log_maker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static rn_nccl_fit fit;
TestSuite(nccl_lines, .init = start, .fini = stop);

static void read_made(const made_log *wish) {
    char *text;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    cr_assert_not_null(out);
    make_nccl_log(wish, out);
    fclose(out);
    cr_assert_eq(read_bytes(text, n), RS_OK, "%s", error.text);
    free(text);
}

static made_log wish_of(int32_t version, int32_t cc, int32_t n_ranks, int32_t n_nodes) {
    const rn_nccl_graph ring = {12, 30, 30, 0, RN_PATH_NVL, RN_PATH_PIX, RN_PATTERN_RING, true};
    made_log w = {.n_channels = 4, .graphs = true};
    w.comm = (rn_nccl_comm){.version = version,
                            .n_ranks = n_ranks,
                            .n_nodes = n_nodes,
                            .cc_min = cc,
                            .cc_max = cc,
                            .n_nvswitches = 1,
                            .max_tree_pattern = RN_PATTERN_BALANCED_TREE};
    w.comm.graphs[RN_NCCL_RING] = w.comm.graphs[RN_NCCL_TREE] = ring;
    w.comm.graphs[RN_NCCL_TREE].pattern = RN_PATTERN_BALANCED_TREE;
    w.comm.graphs[RN_NCCL_NVLS] = w.comm.graphs[RN_NCCL_NVLS_TREE] = ring;
    w.comm.graphs[RN_NCCL_NVLS].pattern = w.comm.graphs[RN_NCCL_NVLS_TREE].pattern =
        RN_PATTERN_NVLS;
    w.comm.n_channels = 24;
    w.comm.n_nvls_channels = 12;
    rn_nccl_filter_open(&w.comm.filter);
    return w;
}

static void expect_rings(const made_log *w) {
    cr_assert_eq(log_.n_rings, w->n_channels, "%d rings", (int)log_.n_rings);
    for (int32_t i = 0; i < log_.n_rings; i++) {
        const rn_nccl_ring *ring = &log_.rings[i];
        cr_assert(ring->whole && ring->n == w->comm.n_ranks && ring->channel == i);
        for (int32_t k = 0; k < ring->n; k++) {
            cr_assert_eq(ring->ranks[(k + 1) % ring->n], made_next(&w->comm, i, ring->ranks[k]));
        }
    }
}

Test(nccl_lines, rings_and_trees_come_from_whatever_lines_there_are) {
    static const char *const prefixes[] = {NULL,
                                           "[1,0]<stdout>:",
                                           "0: ",
                                           "(RayWorker pid=1) ",
                                           "Thu Jul 18 15:41:05 2024<stdout>: ",
                                           "2026-01-02T03:04:05.678Z ",
                                           "\x1b[36m"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        made_log w = wish_of(22907, 90, 24, 3);
        w.prefix = prefixes[i];
        w.interleaved = i % 2 == 1;
        w.torn = i > 2;
        w.cut_lists = i != 4;
        w.without_neighbours = i == 4;
        read_made(&w);
        cr_assert_eq(log_.version, 22907);
        cr_assert_eq(log_.n_ranks, 24);
        cr_assert_eq(log_.n_nodes, 3);
        cr_assert_eq(log_.n_heard, 24, "%d heard", (int)log_.n_heard);
        cr_assert_eq(log_.n_coll_channels, 24);
        cr_assert_eq(log_.n_nvls_channels, 12);
        cr_assert_eq(log_.n_unknown, 0, "%d unknown", (int)log_.n_unknown);
        expect_rings(&w);
        cr_assert_eq(log_.n_trees, w.n_channels);
        cr_assert(log_.trees[3].whole);
        cr_assert_eq(log_.trees[3].root, 3);
    }
}

/* Of some rings the list is there, of others the neighbours: they stand in the order of their channels. */
Test(nccl_lines, rings_stand_in_order_wherever_they_come_from) {
    for (int which = 1; which < 15; which++) { /* bit i: channel i has no neighbours */
        made_log w = wish_of(22907, 90, 8, 1);
        char *text;
        size_t n;
        FILE *out = open_memstream(&text, &n);
        make_nccl_log(&w, out);
        fclose(out);
        char *kept = malloc(n + 1);
        size_t n_kept = 0;
        for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
            const size_t length = (size_t)(end - line) + 1;
            *end = '\0';
            const char *ring = strstr(line, " Ring 0");
            const bool left_out = ring != NULL && which >> (ring[7] - '0') & 1;
            *end = '\n';
            if (!left_out) memcpy(kept + n_kept, line, length), n_kept += length;
        }
        stop();
        start();
        cr_assert_eq(read_bytes(kept, n_kept), RS_OK, "%s", error.text);
        expect_rings(&w);
        free(kept);
        free(text);
    }
}

/* Where the log says how many threads each algorithm takes at most with each protocol. */
Test(nccl_lines, the_most_threads_of_each_way_are_kept) {
    made_log w = wish_of(22907, 90, 8, 1);
    char *text, *whole;
    size_t n, n_whole;
    FILE *out = open_memstream(&text, &n);
    make_nccl_log(&w, out);
    fclose(out);
    const char *block = strstr(text, "  Algorithm   |");
    cr_assert_not_null(block);
    const char *begin = block, *end = strchr(block, '\n') + 1;
    while (begin > text && begin[-1] != '\n') begin--;
    out = open_memstream(&whole, &n_whole);
    fwrite(text, 1, (size_t)(end - text), out);
    fprintf(out, "%.*s Max NThreads |", (int)(block - begin), begin);
    for (int i = 0; i < 6; i++) fprintf(out, " %d |", 512 + 10 * i);
    fprintf(out, "\n%s", end);
    fclose(out);
    cr_assert_eq(read_bytes(whole, n_whole), RS_OK, "%s", error.text);
    int n_known = 0;
    for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) {
        for (int p = 0; p < RN_NCCL_N_PROTOCOLS; p++) {
            if (log_.max_threads[a][p] <= 0) continue;
            cr_expect_eq(log_.max_threads[a][p] % 10, 2);
            cr_expect_eq(log_.max_threads[a][p] / 10 - 51, n_known, "%d %d", a, p);
            n_known++;
        }
    }
    cr_expect_eq(n_known, 6);
    cr_expect_eq(log_.n_unknown, 0);
    free(whole);
    free(text);
}

Test(nccl_lines, a_cut_list_alone_is_no_ring) {
    made_log w = wish_of(22907, 90, 24, 3);
    w.cut_lists = w.without_neighbours = true;
    read_made(&w);
    cr_assert_eq(log_.n_rings, 4);
    cr_assert_not(log_.rings[0].whole);
    cr_assert_eq(log_.rings[0].n, 20);
    expect_found(RN_NOTE, log_.rings[0].line, "rings that the lines do not close: 4 of 4");
}

Test(nccl_lines, transports_and_settings_are_judged) {
    made_log w = wish_of(22907, 90, 16, 2);
    w.intra = "SHM/direct/direct";
    w.inter = "NET/Socket/0";
    w.settings = "NCCL_P2P_DISABLE=1\nNCCL_PROTO=LL128,Simple\nNCCL_ALGO=rings\nNCCL_IB_HCA=mlx5_0";
    read_made(&w);
    cr_assert_eq(log_.n_transports, 2);
    cr_assert_str_eq(log_.transports[0].name, "SHM/direct/direct");
    cr_assert_str_eq(log_.transports[1].name, "NET/Socket");
    cr_assert_eq(count_found("56 connections inside a node go through host memory"), 1);
    cr_assert_eq(count_found("8 connections between nodes go over sockets"), 1);
    cr_assert_eq(count_found("NCCL_P2P_DISABLE=1 switches something off"), 1);
    cr_assert_eq(count_found("NCCL_PROTO=LL128,Simple forces LL128"), 1);
    cr_assert_eq(count_found("NCCL_ALGO: there is no rings"), 1);
    cr_assert_eq(count_found("GDRDMA"), 0);
    w.inter = "NET/IB/1(5)";
    read_made(&w);
    cr_assert_str_eq(log_.transports[1].name, "NET/IB");
    cr_assert_eq(count_found("8 connections between nodes go through host memory: the NIC"), 1);
    cr_assert_eq(count_found("sockets"), 0);
}

Test(nccl_lines, old_spellings_and_bad_signs) {
    static const char text[] =
        "h:1:2 [0] NCCL INFO NCCL version 2.18.3+cuda12.1\n"
        "h:1:3 [0] NCCL INFO comm 0x1 rank 0 nranks 4 cudaDev 0 busId 1000 - Init COMPLETE\n"
        "h:1:3 [0] NCCL INFO Ring 00 : 0[1000] -> 1[2000] via P2P/IPC/read\n"
        "h:1:3 [0] NCCL INFO Trees [0] 2->0->1/-1/-1|2->0->1/-1/-1 [1] -1->0->1/-1/-1\n"
        "h:1:3 [0] NCCL INFO Could not find a path for pattern 4, falling back to simple order\n"
        "h:1:3 [0] NCCL INFO Pattern 4, crossNic 0, nChannels 2, speed 12.000000/12.000000, type PHB/PIX, sameChannels 1\n"
        "h:1:3 [0] NCCL INFO             + NVL[240.0] - NVS/0\n"
        "h:1:3 [0] NCCL INFO   + NET[25.0] - NET/0 (1f/1/25.000000)\n"
        "h:1:3 [0] NCCL INFO   + NET[12.5] - NET/1 (2f/1/12.500000)\n"
        "h:1:3 [0] NCCL INFO 4 coll channels, 0 nvls channels, 4 p2p channels, 2 p2p channels per peer\n"
        "h:1:3 [0] NCCL INFO 37756928 Bytes -> Algo 1 proto 2 time 2860.208008\n"
        "h:1:3 [0] NCCL INFO something nobody knows\n"
        "h:9:9 [1] NCCL INFO NCCL version 2.20.5+cuda12.4\n"
        "[0] NCCL WARN Call to ibv_query_gid failed\n"
        "h:1:3 [0] NCCL INFO Latency/AlgBw |    Tree/    LL |    Tree/ LL128 |    Tree/Simple |    Ring/    LL |\n"
        "h:1:3 [0] NCCL INFO     AllReduce |    9.2/   1.0 |   20.1/   0.0 |  40.5/   4.0 |   8.0/   2.5 |\n";
    cr_assert_eq(read_bytes(text, sizeof text - 1), RS_OK);
    cr_assert_eq(log_.n_ranks, 4);
    cr_assert_eq(log_.n_unknown, 1);
    cr_assert_str_eq(log_.transports[0].name, "P2P/IPC/read");
    cr_assert_eq(log_.n_trees, 3);
    cr_assert_eq(log_.trees[0].up[0], 2);
    cr_assert_eq(log_.trees[2].root, 0);
    cr_assert_eq(
        count_found(
            "NCCL says: Could not find a path for pattern 4, falling back to simple order; most likely "
            "no ring within the paths"),
        1);
    expect_found(RN_WARNING, 10,
                 "0 NVLS channels on a machine with NVSwitches: their additions are not used");
    expect_found(RN_WARNING, 9,
                 "a NIC of 12.5 GB/s beside one of 25.0: every ring is as slow as the slower one");
    expect_found(RN_ERROR, 13, "two versions of NCCL in one job: 2.18.3 and 2.20.5");
    expect_found(RN_WARNING, 14, "NCCL warns: Call to ibv_query_gid failed");
    expect_found(RN_NOTE, 2, "the log has lines of 1 rank of 4");
    cr_assert_eq(log_.graphs[RN_NCCL_RING].bw_intra, 12);
    cr_assert_eq(log_.graphs[RN_NCCL_RING].type_intra, RN_PATH_PHB);
    cr_assert_eq(log_.n_calls, 1);
    cr_assert_eq(log_.calls[0].collective, RS_N_COLLECTIVES);
    cr_assert_eq(log_.calls[0].algorithm, RN_NCCL_RING);
    cr_assert(fabs(log_.calls[0].us - 2860.208008) < 1e-6);
    cr_assert_eq(log_.table[RS_COLL_ALL_REDUCE][RN_NCCL_RING][RN_NCCL_LL].latency_us, 8);
    cr_assert_eq(read_bytes("nothing\n", 8), RS_BAD_INPUT);
}

Test(nccl_lines, calls_of_both_spellings_are_kept) {
    made_log w = wish_of(22907, 90, 16, 2);
    read_made(&w);
    cr_assert_eq(log_.n_calls, 4);
    cr_assert_gt(log_.calls[3].n_channels, 0);
    cr_assert_eq(log_.calls[3].us, -1);
    w.old_calls = true;
    read_made(&w);
    cr_assert_eq(log_.n_calls, 4);
    cr_assert_gt(log_.calls[3].us, 0);
    cr_assert_eq(log_.calls[0].n_bytes, 1024);
    cr_assert_eq(log_.calls[0].collective, RS_COLL_ALL_REDUCE);
}

Test(nccl_lines, a_table_is_taken_back_to_its_inputs) {
    static const int32_t versions[] = {21806, 22005, 22105, 22304, 22602, 22803, 22907, 23007};
    static const int32_t gpus[] = {90, 80, 100, 70};
    static const int32_t shapes[][2] = {{8, 1}, {16, 2}, {4, 4}, {64, 8}};
    int n_made = 0, n_whole = 0;
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
        for (size_t g = 0; g < 4; g++) {
            for (size_t s = 0; s < 4; s++) {
                made_log w = wish_of(versions[v], gpus[g], shapes[s][0], shapes[s][1]);
                w.comm.cpu = (v + g + s) % 2 == 0 ? RN_NCCL_AMD : RN_NCCL_INTEL;
                w.graphs = (v + s) % 2 == 0;
                if (!w.graphs && s == 2) w.comm.graphs[RN_NCCL_RING].bw_intra = 24;
                if (shapes[s][1] >
                    1) { /* what the search gives where the network is the narrow side */
                    w.comm.graphs[RN_NCCL_NVLS].n_channels =
                        w.comm.graphs[RN_NCCL_NVLS_TREE].n_channels = 0;
                }
                read_made(&w);
                cr_assert_eq(rn_nccl_infer(&log_, &error, &fit), RS_OK, "%s", error.text);
                cr_assert_eq(fit.n_numbers, 210);
                n_made++;
                n_whole += fit.n_alike == fit.n_numbers;
                cr_expect_eq(fit.n_alike, 210, "%d sm%d %d on %d: %d of %d", (int)versions[v],
                             (int)gpus[g], (int)shapes[s][0], (int)shapes[s][1], (int)fit.n_alike,
                             (int)fit.n_numbers);
            }
        }
    }
    cr_expect_eq(n_whole, n_made, "%d of %d tables digit for digit", n_whole, n_made);
}

Test(nccl_lines, what_cannot_be_taken_back_says_why) {
    made_log w = wish_of(22907, 90, 8, 1);
    w.no_table = true;
    read_made(&w);
    cr_assert_eq(rn_nccl_infer(&log_, &error, &fit), RS_BAD_INPUT);
    w.no_table = false;
    read_made(&w);
    log_.rccl = true;
    cr_assert_eq(rn_nccl_infer(&log_, &error, &fit), RS_UNSUPPORTED);
}

Test(nccl_lines, a_thousand_ranks_are_read_whole) {
    made_log w = wish_of(22907, 90, 1024, 128);
    w.interleaved = w.cut_lists = true;
    read_made(&w);
    cr_assert_eq(log_.n_heard, 1024);
    expect_rings(&w);
}

/* A tree of n ranks, 0 on top, in which `wrong` says that `above` is its parent. */
static void read_tree(int32_t n, int32_t wrong, int32_t above) {
    char *text;
    size_t n_bytes;
    FILE *out = open_memstream(&text, &n_bytes);
    cr_assert_not_null(out);
    for (int32_t r = 0; r < n; r++) {
        const int32_t up = r == wrong ? above : r == 0 ? -1 : (r - 1) / 2;
        fprintf(out, "h:%d:%d [0] NCCL INFO comm 0x5f rank %d nRanks %d nNodes 1 localRanks 1\n", r,
                r, r, n);
        fprintf(out, "h:%d:%d [0] NCCL INFO Trees [0] -1/-1/-1->%d->%d\n", r, r, r, up);
    }
    fclose(out);
    cr_assert_eq(read_bytes(text, n_bytes), RS_OK, "%s", error.text);
    free(text);
    cr_assert_eq(log_.n_trees, 1);
}

Test(nccl_lines, of_many_ranks_too_each_must_come_to_the_root) {
    read_tree(6000, -1, 0);
    cr_assert(log_.trees[0].whole);
    read_tree(6000, 2500, 5001); /* below itself */
    cr_assert_not(log_.trees[0].whole);
    read_tree(6000, 5999, -1); /* two roots */
    cr_assert_not(log_.trees[0].whole);
    read_tree(6000, 17, 17);
    cr_assert_not(log_.trees[0].whole);
}

Test(nccl_lines, a_list_that_begins_with_no_rank_is_no_ring) {
    static const char text[] =
        "h:1:1 [0] NCCL INFO comm 0x5f rank 0 nRanks 2 nNodes 1 localRanks 2\n"
        "h:1:1 [0] NCCL INFO Channel 00/02 : 7 1\n";
    cr_assert_eq(read_bytes(text, sizeof text - 1), RS_OK);
    cr_assert_eq(log_.n_rings, 0);
}

Test(nccl_lines, a_bare_version_that_is_torn_belongs_to_nobody) {
    static const char text[] =
        "NCCL version 2.x comm 0x1 rank 0 nRanks 4 nNodes 2 localRanks 2\n"
        "h:1:1 [0] NCCL INFO comm 0x5f rank 0 nRanks 2 nNodes 1 localRanks 2\n"
        "NCCL version 2.x comm 0x1 rank 0 nRanks 8 nNodes 2 localRanks 4\n";
    cr_assert_eq(read_bytes(text, sizeof text - 1), RS_OK);
    cr_assert_eq(log_.n_comms, 1);
}

Test(nccl_lines, a_claim_of_many_ranks_takes_no_memory_for_them) {
    static const char text[] =
        "h:1:1 [0] NCCL INFO comm 0x5f rank 3 nRanks 131072 nNodes 1 localRanks 1\n"
        "h:1:1 [0] NCCL INFO Trees [0] 1/2/-1->3->0 [255] 1/2/-1->3->0\n"
        "h:1:1 [0] NCCL INFO Ring 255 : 2 -> 3 -> 4\n";
    cr_assert_eq(read_bytes(text, sizeof text - 1), RS_OK);
    cr_assert_eq(log_.n_trees, 2);
    cr_assert_null(log_.trees[1].up);
    cr_assert_not(log_.trees[1].whole);
    cr_assert_eq(log_.n_rings, 1);
    cr_assert_eq(log_.rings[0].n, 3);
}

Test(nccl_lines, calls_that_are_alike_are_one_sum) {
    static const char text[] =
        "h:1:1 [0] NCCL INFO AllReduce: opCount 1 sendbuff 0x7 recvbuff (nil) count 512 datatype 7 op 0 root 0 comm 0x5\n"
        "h:1:2 [1] NCCL INFO AllReduce: opCount 1 sendbuff 0x7 recvbuff 0x8 count 512 datatype 7 op 0 root 0 comm 0x6\n"
        "h:1:1 [0] NCCL INFO AllReduce: opCount 2 sendbuff 0x7 recvbuff 0x8 count 512 datatype 9 op 0 root 0 comm 0x5\n"
        "h:1:1 [0] NCCL INFO Send: opCount 3 sendbuff 0x7 recvbuff 0x8 count 64 datatype 0 op 0 root 1 comm 0x5\n"
        "h:1:1 [0] NCCL INFO AllGather: opCount 3 sendb\n";
    cr_assert_eq(read_bytes(text, sizeof text - 1), RS_OK);
    cr_assert_eq(log_.n_sums, 3);
    cr_assert_eq(log_.n_coll_lines, 4);
    cr_assert_eq(log_.n_unknown, 0);
    cr_assert_str_eq(log_.sums[0].name, "AllReduce");
    cr_assert_eq(log_.sums[0].n, 2);
    cr_assert_eq(log_.sums[0].count, 512);
    cr_assert_eq(log_.sums[1].datatype, 9);
    cr_assert_eq(rn_nccl_type_bytes(log_.sums[1].datatype), 2);
    cr_assert_str_eq(rn_nccl_type_name(log_.sums[1].datatype), "bfloat16");
    cr_assert_str_eq(log_.sums[2].name, "Send");
    cr_assert_eq(log_.sums[2].line, 4);
    cr_assert_str_eq(rn_nccl_type_name(99), "?");
}

/* A line that is cut before its type says of no call how large it was. */
Test(nccl_lines, a_call_that_is_cut_short_is_none) {
    static const char line[] =
        "h:1:1 [0] NCCL INFO AllReduce: opCount 1a sendbuff 0x1 recvbuff 0x2 count 250 datatype 7 op 0 "
        "root 0 comm 0x3 [nranks=4] stream 0x5";
    const size_t said = (size_t)(strstr(line, "datatype 7") - line) + strlen("datatype 7");
    for (size_t n = said - 40; n < sizeof line; n++) {
        stop();
        start();
        cr_assert_eq(read_bytes(line, n), RS_OK, "%s", error.text);
        cr_assert_eq(log_.n_sums, n >= said, "%d bytes: %.*s", (int)n, (int)n, line);
        if (n < said) continue;
        cr_expect(log_.sums[0].count == 250 && log_.sums[0].datatype == 7 && log_.sums[0].n == 1);
        cr_expect_str_eq(log_.sums[0].name, "AllReduce");
    }
    static const char *const odd[] = {"count -1 datatype 7", "count 250 datatype -7",
                                      "count 250 datatype x", "count x datatype 7",
                                      "count 99999999999999999999 datatype 7"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        char text[200];
        const int n = snprintf(
            text, sizeof text,
            "h:1:1 [0] NCCL INFO AllReduce: opCount 1 sendbuff 0x1 recvbuff 0x2 %s op 0", odd[i]);
        stop();
        start();
        cr_assert_eq(read_bytes(text, (size_t)n), RS_OK, "%s", error.text);
        cr_assert_eq(log_.n_sums, 0, "%s", odd[i]);
    }
}

/* Channels that no line counts are not said to be none. */
Test(nccl_lines, channels_that_nobody_counts_are_not_known) {
    static const char text[] =
        "h:1:2 [0] NCCL INFO NCCL version 2.18.3+cuda12.1\n"
        "h:1:3 [0] NCCL INFO comm 0x1 rank 0 nranks 4 cudaDev 0 busId 1000 - Init COMPLETE\n";
    static const char counts[] =
        "h:1:2 [0] NCCL INFO 8 coll channels, 0 collnet channels, 2 nvls channels, "
        "16 p2p channels, 4 p2p channels per peer\n";
    char both[sizeof text + sizeof counts];
    cr_assert_eq(read_bytes(text, sizeof text - 1), RS_OK, "%s", error.text);
    cr_expect(log_.n_coll_channels == -1 && log_.n_nvls_channels == -1);
    const int n = snprintf(both, sizeof both, "%s%s", text, counts);
    cr_assert_eq(read_bytes(both, (size_t)n), RS_OK, "%s", error.text);
    cr_expect(log_.n_coll_channels == 8 && log_.n_nvls_channels == 2);
}
