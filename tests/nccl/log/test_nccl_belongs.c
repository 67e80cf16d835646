/* test_nccl_belongs.c: what belongs together: lines to threads, lists to rings, columns to algorithms, remarks to lines.
 */
#include "log_text.h"

TestSuite(nccl_belongs, .init = start, .fini = stop);

/* A head without a colon is no thread's: its lines are of whatever communicator is the largest, not of the last one that
   such a head spoke of. With one they are of the thread's own. */
Test(nccl_belongs, lines_of_no_thread_belong_to_any_communicator) {
    static const char *const heads[] = {"[node-a rank 0]", "node [0]", "h:1:2 [0]", "a:7 [1]"};
    for (int head = 0; head < 4; head++) {
        for (int small = 0; small < 2; small++) { /* which of both comes last */
            begin_log(1);
            for (int i = 0; i < 2; i++) {
                const bool is_small = i != small;
                ADD("%s NCCL INFO comm 0x%d rank 0 nranks %d cudaDev 0 busId 1 commId 0x%d - Init "
                    "COMPLETE\n",
                    heads[head], 5 + is_small, is_small ? 2 : 4, 8 + is_small);
            }
            ADD("%s NCCL INFO Channel 00 : 0 1 2 3\n", heads[head]);
            read_log();
            cr_assert(log_.n_comms == 2 && log_.n_ranks == 4);
            cr_assert_eq(log_.n_rings, head < 2 || small == 1, "%s %d", heads[head], small);
        }
    }
}

/* Lists of rank 0's, each of drawn length and beginning, one after the other: each ring is its own list, up to the first rank
   that comes again. */
Test(nccl_belongs, a_list_ends_where_its_line_ends) {
    enum { CHANNELS = 6, RANKS = 9 };
    for (uint64_t seed = 1; seed <= 500; seed++) {
        int lists[CHANNELS][RANKS], n[CHANNELS], kept[CHANNELS];
        begin_log(seed);
        LOG_SAYS("comm 0x5f rank 0 nRanks %d nNodes 1 localRanks 2", (int)RANKS);
        for (int c = 0; c < CHANNELS; c++) {
            bool seen[RANKS + 2] = {false}, ended = false;
            n[c] = 1 + draw(RANKS);
            kept[c] = 0;
            ADD("h:1:2 [0] NCCL INFO Channel %02d/%d :", c, (int)CHANNELS);
            for (int i = 0; i < n[c]; i++) {
                const int rank = draw(6) == 0 ? draw(RANKS + 2) : (c * 5 + i) % RANKS;
                lists[c][i] = rank;
                ended = ended || rank >= RANKS || seen[rank];
                seen[rank] = true;
                kept[c] += !ended;
                ADD(" %d", rank);
            }
            ADD("\n");
        }
        read_log();
        int ring = 0;
        for (int c = 0; c < CHANNELS; c++) {
            if (kept[c] == 0) continue;
            const rn_nccl_ring *r = &log_.rings[ring++];
            cr_assert(ring <= log_.n_rings && r->channel == c && r->n == kept[c],
                      "seed %d, channel %d: %d, not %d", (int)seed, c, (int)r->n, kept[c]);
            cr_assert_eq(r->line, c + 2);
            cr_assert_eq(r->whole, kept[c] == n[c] && n[c] == RANKS);
            for (int i = 0; i < r->n; i++) cr_assert_eq(r->ranks[i], lists[c][i]);
        }
        cr_assert_eq(log_.n_rings, ring);
    }
}

/* A block of the table has four algorithms at most; a row has as many columns as its block, and stops at what is no number. */
Test(nccl_belongs, columns_of_the_table_belong_to_their_block) {
    static const char *const names[] = {"Tree",     "Ring", "CollNetDirect", "CollNetChain", "NVLS",
                                        "NVLSTree", "PAT"};
    static const rn_nccl_algorithm of[] = {RN_NCCL_TREE,
                                           RN_NCCL_RING,
                                           RN_NCCL_COLLNET_DIRECT,
                                           RN_NCCL_COLLNET_CHAIN,
                                           RN_NCCL_NVLS,
                                           RN_NCCL_NVLS_TREE,
                                           RN_NCCL_PAT};
    for (int first = 0; first < 7; first++) {
        for (int n = 1; first + n <= 7; n++) {
            for (int columns = 1; columns <= 3 * n; columns++) {
                const int block = n < 4 ? n : 4, kept = columns < 3 * block ? columns : 3 * block;
                begin_log(1);
                ADD("h:1:2 [0] NCCL INFO   Algorithm   |");
                for (int i = 0; i < n; i++) ADD("   %s   |", names[first + i]);
                ADD("\nh:1:2 [0] NCCL INFO   Protocol   |  LL |\n");
                ADD("h:1:2 [0] NCCL INFO   AllReduce   |");
                for (int i = 0; i < columns; i++) ADD(" %d.5/ %d.0 |", i, 100 + i);
                ADD(" none |\nh:1:2 [0] NCCL INFO Max NThreads |");
                for (int i = 0; i < columns; i++) ADD(" %d |", 32 * i + 32);
                ADD("\n");
                read_log();
                cr_assert_eq(log_.n_unknown, 0);
                int n_kept = 0;
                for (int k = 0; k < 7; k++) {
                    for (int p = 0; p < RN_NCCL_N_PROTOCOLS; p++) {
                        const rn_nccl_printed *c = &log_.table[RS_COLL_ALL_REDUCE][of[k]][p];
                        const int column = 3 * (k - first) + p;
                        const bool is = k >= first && column < kept;
                        n_kept += c->line != 0;
                        cr_assert_eq(c->line, is ? 3 : 0);
                        cr_assert_eq(log_.max_threads[of[k]][p], is ? 32 * column + 32 : 0);
                        if (!is) continue;
                        cr_assert(c->latency_us == (float)(column + 0.5) &&
                                  c->bandwidth_GBps == (float)(100 + column));
                    }
                }
                cr_assert_eq(n_kept, kept);
            }
        }
    }
}

/* Latencies and bandwidths of up to 1e9, digits of up to 18, threads of up to 4096. */
Test(nccl_belongs, cells_are_bounded) {
    static const struct {
        const char *cell;
        bool is;
    } cells[] = {{"1000000000/1", true},
                 {"1000000000.5/1", false},
                 {"1000000001/1", false},
                 {"1/1000000000", true},
                 {"1/1000000001", false},
                 {"2000000000/2000000000", false},
                 {"0/0", true},
                 {"0.0/ 0.0", true},
                 {"1/", false},
                 {"/1", false},
                 {"1", false},
                 {"1/x", false},
                 {"-1/1", false},
                 {"1/-1", false},
                 {"1234567890123456789/1", false}};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        begin_log(1);
        LOG_SAYS("  Algorithm   |  Ring |");
        LOG_SAYS("  AllReduce   | 3/4 | %s | 5/6 |", cells[i].cell);
        read_log();
        const rn_nccl_printed *row = log_.table[RS_COLL_ALL_REDUCE][RN_NCCL_RING];
        cr_expect(row[0].line == 2 && row[0].latency_us == 3 && row[0].bandwidth_GBps == 4);
        cr_expect_eq(row[1].line, cells[i].is ? 2 : 0, "%s", cells[i].cell);
        cr_expect_eq(row[2].line, cells[i].is ? 2 : 0, "%s", cells[i].cell);
    }
    static const int threads[] = {0, 1, 4095, 4096, 4097, 8192, -1};
    for (int i = 0; i < 7; i++) {
        const bool is = threads[i] >= 0 && threads[i] <= 4096;
        begin_log(1);
        LOG_SAYS("  Algorithm   |  Ring |");
        LOG_SAYS("  Max NThreads | 64 | %d | 96 |", threads[i]);
        read_log();
        const int32_t *row = log_.max_threads[RN_NCCL_RING];
        cr_expect(row[0] == 64 && row[1] == (is ? threads[i] : 0) && row[2] == (is ? 96 : 0), "%d",
                  threads[i]);
    }
}

/* Networks differ where their names do, as far as names are kept. */
Test(nccl_belongs, networks_are_told_apart_by_what_is_kept_of_them) {
    for (int length = 1; length < 70; length++) {
        for (int at = 0; at < length; at++) {
            char names[2][80] = {"", ""};
            for (int i = 0; i < 2; i++) {
                memset(names[i], 'N', (size_t)length);
                if (i == 1) names[i][at] = 'x';
            }
            begin_log(1);
            LOG_SAYS("Using network %s", names[0]);
            LOG_SAYS("Using network %s", names[0]);
            LOG_SAYS("Using network %s", names[1]);
            read_log();
            const bool differ = at < RN_NCCL_WORD - 1;
            cr_assert(count_all() == differ && count_found("ranks of two networks") == differ,
                      "%d of %d", at, length);
            if (differ) cr_assert_eq(found_.list[0].line, 3);
            cr_assert_eq(strlen(log_.network),
                         (size_t)(length < RN_NCCL_WORD ? length : RN_NCCL_WORD - 1));
        }
    }
}
