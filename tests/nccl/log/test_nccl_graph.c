/* test_nccl_graph.c: lines of the search over the topology (GRAPH), random ones: graphs, CPUs, links, NICs; the first
 * thread's count, and the first of each kind.
 */
#include "log_text.h"

TestSuite(nccl_graph, .init = start, .fini = stop);

/* Adds a line of a thread's. */
#define SAY(thread, ...)                                                                           \
    do {                                                                                           \
        ADD("h:1:%d [0] NCCL INFO ", thread);                                                      \
        ADD(__VA_ARGS__);                                                                          \
        text[n_text++] = '\n';                                                                     \
        n_lines++;                                                                                 \
    } while (0)

/* ------------------------------------------------------------------ graphs */

static const char *const paths[RN_N_PATHS] = {"LOC", "NVL", "NVB", "C2C", "PIX", "PXB",
                                              "P2C", "PXN", "PHB", "SYS", "NET", "DIS"};

/* Random patterns of two threads: the first thread's first of each algorithm is kept, with its line; NVLS is for both of its
   algorithms; a second tree's is CollNet's chain. */
Test(nccl_graph, the_first_thread_s_first_pattern_of_each_kind_is_kept) {
    int n_kept = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        rn_nccl_graph graphs[RN_NCCL_N_ALGORITHMS] = {0};
        int64_t lines[RN_NCCL_N_ALGORITHMS] = {0};
        int tree = RN_PATTERN_NONE, first = -1;
        begin_log(seed);
        for (int i = 0; i < 8; i++) {
            const int thread = 2 + draw(2), pattern = 1 + draw(6), channels = draw(65);
            const int intra = draw(4000), inter = draw(4000), same = draw(3), cross = draw(10);
            const int a = draw(RN_N_PATHS), b = draw(RN_N_PATHS);
            SAY(thread,
                "Pattern %d, crossNic %d, nChannels %d, %s %d.%d/%d.%d, type %s/%s, sameChannels "
                "%d",
                pattern, cross, channels, draw(2) ? "bw" : "speed", intra / 8, intra % 8 * 125,
                inter / 8, inter % 8 * 125, paths[a], paths[b], same);
            if (first < 0) first = thread;
            if (thread != first) continue;
            int of = pattern == RN_PATTERN_RING             ? RN_NCCL_RING
                     : pattern == RN_PATTERN_NVLS           ? RN_NCCL_NVLS
                     : pattern == RN_PATTERN_COLLNET_DIRECT ? RN_NCCL_COLLNET_DIRECT
                     : lines[RN_NCCL_TREE] == 0             ? RN_NCCL_TREE
                                                            : RN_NCCL_COLLNET_CHAIN;
            if (of == RN_NCCL_TREE) tree = pattern;
            const rn_nccl_graph g = {.n_channels = channels,
                                     .bw_intra = (float)intra / 8,
                                     .bw_inter = (float)inter / 8,
                                     .type_intra = (rn_nccl_path)a,
                                     .type_inter = (rn_nccl_path)b,
                                     .pattern = (rn_nccl_pattern)pattern,
                                     .same_channels = same != 0};
            const int n = of == RN_NCCL_NVLS ? 2 : 1;
            for (int k = 0; k < n; k++, of = RN_NCCL_NVLS_TREE) {
                if (lines[of] != 0) continue;
                graphs[of] = g;
                lines[of] = n_lines;
            }
        }
        read_log();
        cr_assert_eq(log_.n_unknown, 0);
        cr_assert_eq(log_.max_tree_pattern, (rn_nccl_pattern)tree);
        for (int of = 0; of < RN_NCCL_N_ALGORITHMS; of++) {
            const rn_nccl_graph *g = &log_.graphs[of], *w = &graphs[of];
            cr_assert_eq(log_.graph_line[of], lines[of], "seed %d: %d", (int)seed, of);
            cr_assert(g->n_channels == w->n_channels && g->pattern == w->pattern &&
                      g->type_intra == w->type_intra && g->type_inter == w->type_inter &&
                      g->same_channels == w->same_channels && g->bw_intra == w->bw_intra &&
                      g->bw_inter == w->bw_inter);
            n_kept += lines[of] != 0;
        }
    }
    cr_assert_gt(n_kept, 600);
}

/* A line with a number beyond its bound, or without one of its parts, is none. */
Test(nccl_graph, a_pattern_with_a_part_that_is_wrong_is_none) {
    static const char *const parts[][5] = {
        /* right, then wrong */
        {"Pattern 4", "Pattern 0", "Pattern 7", "Pattern -1", "Patern 4"},
        {", crossNic 9", ", crossNic 10", ", crossNic", "", ", crossNic x"},
        {", nChannels 64", ", nChannels 65", ", nChannels -1", "", ", channels 2"},
        {", bw 999999.5/1.5", ", bw 1000000.0/1.5", ", bw 1.5/1000000.0", ", bw 1.5", ", 1.5/1.5"},
        {", type NVL/P2C", ", type NVL", ", type /NVL", ", type NVL/XXX", ", kind NVL/NVL"},
        {", sameChannels 9", ", sameChannels 10", ", sameChannels", "", ", sameChannels x"}};
    for (int wrong = 0; wrong < 25; wrong++) {
        begin_log(1);
        SAY(2, "Using network IB");
        const int at = wrong / 4, which = 1 + wrong % 4;
        char line[300] = "";
        for (int i = 0; i < 6; i++) strcat(line, parts[i][i == at ? which : 0]);
        SAY(2, "%s", line);
        read_log();
        cr_expect_eq(log_.graph_line[RN_NCCL_RING], at == 6 ? 2 : 0, "%s", line);
        cr_expect_eq(log_.n_unknown, at == 6 ? 0 : 1, "%s", line);
    }
}

/* ------------------------------------------------------------------ CPUs */

/* What a pair of numbers means, by NCCL's own list: x86 1, POWER 2, ARM 3; Intel 1, AMD 2, Zhaoxin 3. */
static rn_nccl_cpu cpu_of(int architecture, int vendor) {
    if (architecture == 2) return RN_NCCL_POWER;
    if (architecture == 3) return RN_NCCL_ARM;
    return vendor == 2 ? RN_NCCL_AMD : vendor == 3 ? RN_NCCL_ZHAOXIN : RN_NCCL_INTEL;
}
static bool is_x86(rn_nccl_cpu cpu) {
    return cpu == RN_NCCL_INTEL || cpu == RN_NCCL_AMD || cpu == RN_NCCL_ZHAOXIN;
}

Test(nccl_graph, a_cpu_is_what_its_architecture_and_vendor_say) {
    for (int pair = 0; pair < 36 * 36; pair++) {
        const int own[2][2] = {{pair % 6, pair / 6 % 6}, {pair / 36 % 6, pair / 216 % 6}};
        rn_nccl_cpu cpu[2];
        begin_log(1);
        for (int i = 0; i < 2; i++) {
            SAY(2, "CPU/0-%d (%d/%d/%d)", i, own[i][0], own[i][1], i);
            cpu[i] = cpu_of(own[i][0], own[i][1]);
        }
        read_log();
        /* of another architecture the first counts */
        const bool mixed = cpu[0] != cpu[1] && is_x86(cpu[0]) && is_x86(cpu[1]);
        cr_assert(log_.cpu_said && log_.n_unknown == 0);
        cr_assert_eq(log_.cpu, mixed ? RN_NCCL_MIXED_CPUS : cpu[0], "%d/%d, %d/%d", own[0][0],
                     own[0][1], own[1][0], own[1][1]);
    }
    static const char *const lines[][2] = {{"CPU/0 (99/99/1)", "y"},  {"CPU/0 (100/2/1)", NULL},
                                           {"CPU/0 (1/100/1)", NULL}, {"CPU/0 (1 2 1)", NULL},
                                           {"CPU/0 1/2/1", NULL},     {"CPU/0 (x/2/1)", NULL},
                                           {"CPU/0 (1/x/1)", NULL},   {"CPU/1-3 (1/1/1)", "y"}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        begin_log(1);
        SAY(2, "Using network IB");
        SAY(2, "%s", lines[i][0]);
        read_log();
        cr_expect_eq(log_.cpu_said, lines[i][1] != NULL, "%s", lines[i][0]);
        cr_expect_eq(log_.n_unknown, lines[i][1] != NULL ? 0 : 1, "%s", lines[i][0]);
    }
}

/* ------------------------------------------------------------------ links and NICs */

/* Switches and NICs are counted from the system's last heading on, the first thread's only; the first NIC that is slower than
   3/4 of the fastest before it is remarked on. */
Test(nccl_graph, switches_and_nics_are_those_of_the_first_thread_s_system) {
    int n_slow_ones = 0, n_unused = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        int switches = 0, nics = 0, first = -1, slow = -1, beside = 0;
        int64_t slow_line = 0;
        bool channels = false, used = false;
        double fastest = 0;
        char name[80] = "";
        begin_log(seed);
        for (int i = 0; i < 12; i++) {
            const int thread = draw(4) == 0 ? 3 : 2, kind = draw(9), number = draw(3);
            const int speed = 5 * (1 + draw(100)); /* tenths */
            const bool other = first >= 0 && thread != first;
            if (kind == 0 && i < 4) {
                SAY(thread, "=== System : maxBw 24.0 totalBw 24.0 ===");
                if (!other) switches = nics = 0, fastest = 0;
            } else if (kind < 3) {
                SAY(thread, "   + NVL[370.8] - NVS/0");
                switches += !other;
            } else if (kind < 4) {
                SAY(thread, "     + PCI[24.0] - GPU/%d (0/aa/1/%d.%d)", number, speed / 10,
                    speed % 10);
            } else if (kind < 8 || slow_line == 0) {
                SAY(thread, "   + NET[50.0] - NET/%d-%d (%d/aa24210003bd70c4/1/%d.%d00000)", number,
                    i, number, speed / 10, speed % 10);
                nics += !other;
                if (!other && fastest > 0 && speed < 0.75 * fastest && slow_line == 0) {
                    snprintf(name, sizeof name, "NET/%d-%d", number, i);
                    slow = speed, beside = (int)fastest, slow_line = n_lines;
                }
                if (!other && speed > fastest) fastest = speed;
            } else {
                const bool in = draw(2), same = draw(2);
                /* a longer name is another NIC's */
                SAY(2, " %d : %s%s GPU/0 GPU/1 NET/9", number, in ? name : "NET/8",
                    same ? "" : "7");
                channels = true;
                used = used || (in && same);
                continue; /* is no matter of whose thread it is */
            }
            if (first < 0) first = thread;
        }
        read_log();
        cr_assert_eq(log_.n_unknown, 0, "seed %d", (int)seed);
        cr_assert_eq(log_.n_nvswitches, switches, "seed %d", (int)seed);
        cr_assert_eq(log_.n_nics, nics, "seed %d", (int)seed);
        const bool unused = channels && !used;
        cr_assert_eq(count_found("a NIC of"), slow_line != 0, "seed %d", (int)seed);
        if (slow_line == 0) continue;
        expect_found(
            unused ? RN_NOTE : RN_WARNING, slow_line, "a NIC of %d.%d GB/s beside one of %d.%d%s",
            slow / 10, slow % 10, beside / 10, beside % 10,
            unused ? "; no channel goes by it" : ": every ring is as slow as the slower one");
        n_slow_ones += !unused;
        n_unused += unused;
    }
    cr_assert(n_slow_ones > 50 && n_unused > 50, "%d, %d", n_slow_ones, n_unused);
}
