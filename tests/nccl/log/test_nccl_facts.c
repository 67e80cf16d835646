/* test_nccl_facts.c: random lines of a log against a plain account of them: tables, calls, channels, settings, transports,
 * and what is remarked of them, each with its line and numbers.
 */
#include "log_text.h"

TestSuite(nccl_facts, .init = start, .fini = stop);

#define SAY(process, ...)                                                                          \
    do {                                                                                           \
        ADD("h:%d:2 [0] NCCL INFO ", (int)(process));                                              \
        ADD(__VA_ARGS__);                                                                          \
        text[n_text++] = '\n';                                                                     \
        n_lines++;                                                                                 \
    } while (0)

/* ------------------------------------------------------------------ the table */

static const char *const algorithm_names[] = {
    "Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT"};
static const char *const protocol_names[] = {"LL", "LL128", "Simple"};
static const char *const collective_names[] = {"AllReduce", "ReduceScatter", "AllGather",
                                               "Broadcast", "Reduce"};
static const rs_collective collectives[] = {RS_COLL_ALL_REDUCE, RS_COLL_REDUCE_SCATTER,
                                            RS_COLL_ALL_GATHER, RS_COLL_BROADCAST, RS_COLL_REDUCE};

/* Blocks of some algorithms each, in either spelling, rows that are torn: each cell is what was first printed of it. */
Test(nccl_facts, a_table_is_read_cell_by_cell) {
    for (uint64_t seed = 1; seed <= 200; seed++) {
        rn_nccl_printed cells[RS_N_COLLECTIVES][RN_NCCL_N_ALGORITHMS][RN_NCCL_N_PROTOCOLS] = {0};
        int threads[RN_NCCL_N_ALGORITHMS][RN_NCCL_N_PROTOCOLS] = {0};
        int64_t table_line = 0;
        begin_log(seed);
        SAY(1, "Using network IB");
        for (int block = 0; block < 3; block++) {
            int own[4];
            const int n = 1 + draw(4), old = draw(3) == 0;
            ADD("h:1:2 [0] NCCL INFO %s |", old ? "Latency/AlgBw" : "  Algorithm   ");
            for (int i = 0; i < n; i++) {
                own[i] = draw(RN_NCCL_N_ALGORITHMS);
                const bool short_name = own[i] == RN_NCCL_COLLNET_DIRECT && draw(2);
                for (int p = 0; p < (old ? 3 : 1); p++)
                    ADD("  %s%s%s |", old && short_name ? "CollNet" : algorithm_names[own[i]],
                        old ? "/" : "", old ? protocol_names[p] : "");
            }
            ADD("\n");
            n_lines++;
            if (table_line == 0) table_line = n_lines;
            if (!old) SAY(1, "  Protocol    |     LL |  LL128 | Simple |");
            if (!old && draw(2)) {
                ADD("h:1:2 [0] NCCL INFO  Max NThreads |");
                for (int i = 0; i < 3 * n; i++) {
                    const int number = draw(4097);
                    ADD(" %d |", number);
                    threads[own[i / 3]][i % 3] = number;
                }
                ADD("\n");
                n_lines++;
            }
            for (int coll = 0; coll < 5; coll++) {
                const int torn = draw(3) == 0 ? 1 + draw(9) : 99;
                if (draw(4) == 0) continue;
                ADD("h:1:2 [0] NCCL INFO  %s |", collective_names[coll]);
                n_lines++;
                for (int i = 0; i < 3 * n; i++) {
                    const int latency = draw(9000), bandwidth = draw(9000);
                    if (i == torn) ADD(draw(2) ? " 3.5/" : " x |");
                    if (i >= torn) break;
                    ADD(" %d.%d/ %d.%d |", latency / 10, latency % 10, bandwidth / 10,
                        bandwidth % 10);
                    rn_nccl_printed *cell = &cells[collectives[coll]][own[i / 3]][i % 3];
                    if (cell->line != 0) continue;
                    *cell = (rn_nccl_printed){(float)(latency / 10.0), (float)(bandwidth / 10.0),
                                              n_lines};
                }
                ADD("\n");
            }
        }
        read_log();
        cr_assert_eq(log_.n_unknown, 0, "seed %d", (int)seed);
        cr_assert_eq(log_.table_line, table_line);
        for (int coll = 0; coll < RS_N_COLLECTIVES; coll++) {
            for (int i = 0; i < RN_NCCL_N_ALGORITHMS * RN_NCCL_N_PROTOCOLS; i++) {
                const rn_nccl_printed *c = &log_.table[coll][i / 3][i % 3];
                const rn_nccl_printed *w = &cells[coll][i / 3][i % 3];
                cr_assert(c->line == w->line && c->latency_us == w->latency_us &&
                              c->bandwidth_GBps == w->bandwidth_GBps,
                          "seed %d: %d %s %s: %g %g", (int)seed, coll, algorithm_names[i / 3],
                          protocol_names[i % 3], (double)c->latency_us, (double)c->bandwidth_GBps);
                cr_assert_eq(log_.max_threads[i / 3][i % 3], threads[i / 3][i % 3]);
            }
        }
    }
}

/* ------------------------------------------------------------------ calls */

/* Calls that are alike are one if the first of them is among the last 64 kinds. */
Test(nccl_facts, calls_that_are_alike_are_counted) {
    for (uint64_t seed = 1; seed <= 40; seed++) {
        static rn_nccl_call kept[600];
        int n = 0;
        begin_log(seed);
        for (int i = 0; i < 500; i++) {
            rn_nccl_call call = {.n_bytes = draw(seed % 2 ? 6 : 200),
                                 .n = 1,
                                 .us = -1,
                                 .collective = RS_N_COLLECTIVES,
                                 .algorithm = (rn_nccl_algorithm)draw(RN_NCCL_N_ALGORITHMS),
                                 .protocol = (rn_nccl_protocol)draw(RN_NCCL_N_PROTOCOLS)};
            const bool numbers = draw(2);
            const int coll = draw(6);
            ADD("h:1:2 [0] NCCL INFO ");
            call.line = ++n_lines;
            if (coll < 5) {
                ADD("%s: ", collective_names[coll]);
                call.collective = collectives[coll];
            }
            if (numbers) {
                ADD("%d Bytes -> Algo %d proto %d", (int)call.n_bytes, (int)call.algorithm,
                    (int)call.protocol);
            } else {
                ADD("%d Bytes -> Algo %s proto %s", (int)call.n_bytes,
                    algorithm_names[call.algorithm], protocol_names[call.protocol]);
            }
            if (draw(3) == 0) {
                const int time = draw(1000);
                ADD(" time %d.5", time);
                call.us = time + 0.5;
            }
            const int low = draw(4), high = draw(6);
            if (draw(3) == 0) {
                ADD(" channel{Lo..Hi}={%d..%d%s", low, high, draw(4) ? "}" : "");
                if (high >= low) call.n_channels = high - low + 1;
            }
            ADD("\n");
            int same = -1;
            for (int k = n - 1; k >= 0 && k > n - 64 && same < 0; k--) {
                if (kept[k].n_bytes == call.n_bytes && kept[k].collective == call.collective &&
                    kept[k].algorithm == call.algorithm && kept[k].protocol == call.protocol &&
                    kept[k].n_channels == call.n_channels)
                    same = k;
            }
            if (same >= 0) kept[same].n++;
            if (same < 0) kept[n++] = call;
        }
        read_log();
        cr_assert_eq(log_.n_unknown, 0);
        cr_assert_eq(log_.n_calls, n, "seed %d: %d, not %d", (int)seed, (int)log_.n_calls, n);
        for (int i = 0; i < n; i++) {
            const rn_nccl_call *c = &log_.calls[i], *w = &kept[i];
            cr_assert(c->n_bytes == w->n_bytes && c->line == w->line && c->n == w->n &&
                      c->collective == w->collective && c->algorithm == w->algorithm &&
                      c->protocol == w->protocol && c->us == w->us &&
                      c->n_channels == w->n_channels);
        }
    }
}

/* ------------------------------------------------------------------ communicators, channels */

/* Communicators of several sizes, each with its channels, in any order: those of the largest count, of equals the first's. */
Test(nccl_facts, channels_are_those_of_the_largest_communicator) {
    for (uint64_t seed = 1; seed <= 300; seed++) {
        int size[4], largest = 0, counts[2] = {-1, -1};
        int64_t line = 0, comm_line = 0, nodes_line = 0;
        int nodes = 0, with_line = 0;
        begin_log(seed);
        for (int i = 0; i < 4; i++) {
            size[i] = 2 << draw(3);
            SAY(i, "comm 0x%d rank 0 nranks %d cudaDev 0 busId 1000 commId 0x7%d - Init START", i,
                size[i], i);
            if (i == 0 || size[i] > size[largest]) largest = i, comm_line = n_lines;
        }
        for (int i = 0; i < 4; i++) {
            const int own = (i + (int)seed) % 4;
            const int n = draw(33), nvls = draw(17), p2p = draw(65), collnet = draw(9);
            if (draw(2)) {
                SAY(own, "comm 0x%d rank 0 nRanks %d nNodes %d localRanks 1 localRank 0 MNNVL 0",
                    own, size[own], 1 + own % size[own]);
                if (own == largest) nodes = 1 + own % size[own], nodes_line = n_lines;
            }
            if (draw(5) == 0) continue;
            const int form = draw(3);
            if (form == 0)
                SAY(own,
                    "%d coll channels, %d nvls channels, %d p2p channels, 2 p2p "
                    "channels per peer",
                    n, nvls, p2p);
            if (form == 1)
                SAY(own,
                    "%d coll channels, %d collnet channels, %d nvls channels, %d p2p "
                    "channels, 2 p2p channels per peer",
                    n, collnet, nvls, p2p);
            if (form == 2)
                SAY(own, "%d coll channels, %d p2p channels, 2 p2p channels per peer", n, p2p);
            if (line != 0 && size[own] <= with_line) continue;
            with_line = size[own];
            line = n_lines;
            counts[0] = n;
            counts[1] = form == 2 ? -1 : nvls;
        }
        read_log();
        cr_assert_eq(log_.n_unknown, 0);
        cr_assert(log_.n_comms == 4 && log_.n_ranks == size[largest]);
        cr_assert_eq(log_.comm_line, comm_line);
        cr_assert_eq(log_.n_nodes, nodes, "seed %d: %d nodes", (int)seed, (int)log_.n_nodes);
        cr_assert_eq(log_.nodes_line, nodes_line);
        cr_assert(log_.n_coll_channels == counts[0] && log_.n_nvls_channels == counts[1],
                  "seed %d: %d %d", (int)seed, (int)log_.n_coll_channels,
                  (int)log_.n_nvls_channels);
        cr_assert_eq(log_.channels_line, line);
    }
}

/* ------------------------------------------------------------------ settings, NVLS */

/* Where there is a switch, or multicast is offered to nodes of four GPUs, no NVLS channels are remarked on unless they are
   switched off by name. */
Test(nccl_facts, nvls_is_missed_where_it_could_be) {
    for (int turn = 0; turn < 3 * 2 * 2 * 4 * 4; turn++) {
        static const char *const settings[] = {NULL, "NCCL_NVLS_ENABLE=1", "NCCL_NVLS_ENABLE=0",
                                               "NCCL_CUMEM_ENABLE=0"};
        const int channels = turn % 3, local = 2 + turn / 48, n_ranks = 2 * local;
        const bool has_switch = turn / 3 % 2, offered = turn / 6 % 2;
        const char *setting = settings[turn / 12 % 4];
        begin_log(1);
        SAY(1, "comm 0x1 rank 0 nRanks %d nNodes 2 localRanks %d localRank 0 MNNVL 0", n_ranks,
            local);
        SAY(1, "NCCL_DEBUG set by environment to INFO.");
        if (setting != NULL) {
            SAY(1, "%.*s set by environment to %s.", (int)(strchr(setting, '=') - setting), setting,
                strchr(setting, '=') + 1);
        }
        if (offered) SAY(1, "NVLS multicast support is available on dev 0");
        if (has_switch) SAY(1, "   + NVL[370.8] - NVS/0");
        SAY(1, "8 coll channels, %d nvls channels, 8 p2p channels, 2 p2p channels per peer",
            channels);
        const bool missed =
            channels == 0 && (has_switch || (offered && local >= 4)) && turn / 12 % 4 != 2;
        read_log();
        cr_expect_eq(count_found("NVLS channels"), missed);
        if (missed)
            expect_found(
                RN_WARNING, n_lines,
                "0 NVLS channels on a machine with NVSwitches: their additions are not used");
    }
}

/* ------------------------------------------------------------------ transports */

/* Is it said of n connections that they go this way, the first in that line; 0: of none? */
static void expect_way(int64_t line, int n, const char *where, const char *way) {
    cr_expect_eq(count_found(way), line != 0, "%s", way);
    if (line != 0)
        expect_found(RN_WARNING, line, "%d connection%s %s%s %s", n, n == 1 ? "" : "s", where,
                     n == 1 ? "goes" : "go", way);
}

/* Connections by transport: of those whose both ends speak, what the one or the other says, whichever is more. */
Test(nccl_facts, connections_are_counted_by_transport) {
    static const char *const names[] = {
        "P2P/CUMEM", "SHM/direct/direct", "NET/Socket",       "NET/IB/GDRDMA",
        "NET/IB",    "P2P/IPC",           "NET/AWS Libfabric"};
    enum { NAMES = 7, SENDERS = 6 };
    for (uint64_t seed = 1; seed <= 300; seed++) {
        int64_t line[NAMES] = {0};
        int n[NAMES] = {0}, sent[NAMES][SENDERS] = {{0}}, received[NAMES][SENDERS] = {{0}};
        int order[NAMES], n_order = 0;
        begin_log(seed);
        for (int i = 0; i < 60; i++) {
            const int name = draw(draw(NAMES) + 1), sender = draw(SENDERS), end = draw(3);
            SAY(1 + sender, "Channel %02d/0 : %d[%d] -> %d[%d]%s via %s", draw(32), sender, sender,
                draw(SENDERS), 0,
                end == 0   ? ""
                : end == 1 ? " [send]"
                           : " [receive]",
                names[name]);
            n[name] += end == 0;
            sent[name][sender] += end == 1;
            received[name][sender] += end == 2;
            if (line[name] == 0) line[name] = n_lines, order[n_order++] = name;
        }
        read_log();
        cr_assert(log_.n_transports == n_order && log_.n_unknown == 0);
        for (int i = 0; i < n_order; i++) {
            const int name = order[i];
            for (int k = 0; k < SENDERS; k++)
                n[name] += sent[name][k] > received[name][k] ? sent[name][k] : received[name][k];
            cr_assert_str_eq(log_.transports[i].name, names[name]);
            cr_assert_eq(log_.transports[i].n, n[name]);
            cr_assert_eq(log_.transports[i].line, line[name]);
        }
        expect_way(line[1], n[1], "inside a node ",
                   "through host memory (SHM), not from GPU to GPU");
        expect_way(line[2], n[2], "between nodes ", "over sockets, not over InfiniBand or RoCE");
        const int first = line[6] == 0 || (line[4] != 0 && line[4] < line[6]) ? 4 : 6;
        expect_way(line[first], n[4] + n[6], "between nodes ",
                   "through host memory: the NIC does not reach into the GPU's (no GDRDMA)");
    }
}
