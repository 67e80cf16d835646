/* test_nccl_bounds.c: numbers of a log at their bounds, and beyond; lists that are full; what nccl-tests says of GPUs.
 */
#include "log/nccl_log.h"

#include "log_text.h"

TestSuite(nccl_bounds, .init = start, .fini = stop);

/* Writes a form with a and b in place of its signs @. */
static void fill(char out[200], const char *form, int a, int b) {
    size_t n = 0;
    for (int k = 0; *form != '\0'; form++) {
        if (*form == '@') {
            n += (size_t)snprintf(out + n, 200 - n, "%d", k++ == 0 ? a : b);
        } else {
            out[n++] = *form;
        }
        cr_assert_lt(n, 199u);
    }
    out[n] = '\0';
}

/* ------------------------------------------------------------------ channels */

/* There are 256 channels; a line of any other one is none. */
Test(nccl_bounds, channels_are_counted_up_to_their_bound_in_every_form) {
    static const char *const forms[] = {"Trees [@] 1/-1/-1->0->-1",
                                        "Trees [@] 1/-1/-1->0->-1|1/-1/-1->0->-1",
                                        "Tree @ : -1 -> 0 -> 1/-1/-1",
                                        "Ring @ : 1 -> 0 -> 1",
                                        "Channel @ : 0 1",
                                        "Channel @/4096 : 1 0",
                                        "Channel @ : 0[0] -> 1[1] via P2P/IPC",
                                        "Ring @ : 0 -> 1 [send] via P2P/IPC"};
    static const int trees[] = {1, 2, 1, 0, 0, 0, 0, 0}, rings[] = {0, 0, 0, 1, 1, 1, 0, 0};
    static const int channels[] = {-1, 0, 1, 9, 254, 255, 256, 257, 300, 4096};
    for (int form = 0; form < 8; form++) {
        for (int i = 0; i < 10; i++) {
            const int c = channels[i];
            const bool is = c >= 0 && c < RN_LOG_MOST_CHANNELS;
            char line[200];
            begin_log(1);
            LOG_SAYS("comm 0x5f rank 0 nRanks 2 nNodes 1 localRanks 2");
            fill(line, forms[form], c, 0);
            LOG_SAYS("%s", line);
            read_log();
            cr_expect_eq(log_.n_unknown, !is, "%s", line);
            cr_assert_eq(log_.n_trees, is ? trees[form] : 0, "%s", line);
            cr_assert_eq(log_.n_rings, is ? rings[form] : 0, "%s", line);
            cr_assert_eq(log_.n_transports, is && form > 5, "%s", line);
            for (int k = 0; k < log_.n_trees; k++) {
                cr_expect(log_.trees[k].channel == c && log_.trees[k].root == 0, "%s", line);
                cr_expect_eq(log_.trees[k].line, 2);
            }
            if (log_.n_rings == 1) cr_expect(log_.rings[0].channel == c && log_.rings[0].whole);
        }
    }
}

/* Each channel of a line up to the first that cannot be. */
Test(nccl_bounds, the_trees_of_a_line_are_read_up_to_one_that_is_wrong) {
    static const char *const wrong[] = {
        " [256] 1/-1/-1->0->-1", " [-1] 1/-1/-1->0->-1", " [x] 1/-1/-1->0->-1",
        " [9] 1/-1/-1->0",       " [9] 1->0->-1",        " [9] 1/-1->0->-1/-1",
        " [9 1/-1/-1->0->-1",    " 9] 1/-1/-1->0->-1",   " [9] 1/-1/-1-0->-1",
        " [9] 1/-1/-1->-1->-1",  " [9] -2/-1->0->-1"};
    for (int n = 0; n < 5; n++) {
        for (size_t which = 0; which < sizeof wrong / sizeof *wrong; which++) {
            for (int behind = 0; behind < 2; behind++) {
                begin_log(1);
                LOG_SAYS("comm 0x5f rank 0 nRanks 2 nNodes 1 localRanks 2");
                ADD("h:1:2 [0] NCCL INFO Trees");
                for (int i = 0; i < n; i++) ADD(" [%d] 1/-1/-1->0->-1", i);
                ADD("%s", wrong[which]);
                if (behind) ADD(" [8] 1/-1/-1->0->-1");
                ADD("\n");
                read_log();
                cr_expect_eq(log_.n_trees, n, "%d%s", n, wrong[which]);
                cr_expect_eq(log_.n_unknown, n == 0, "%d%s", n, wrong[which]);
            }
        }
    }
}

/* A tree of many ranks is kept only where a quarter of them have a line; of up to 4096 ranks always. */
Test(nccl_bounds, a_tree_is_kept_where_enough_of_its_ranks_speak) {
    static const int sizes[] = {4095, 4096, 4097, 4100};
    for (int i = 0; i < 4; i++) {
        for (int more = -1; more <= 1; more++) {
            const int n = sizes[i] / 4 + more;
            begin_log(1);
            LOG_SAYS("comm 0x5f rank 0 nRanks %d nNodes 1 localRanks 2", sizes[i]);
            for (int r = 0; r < n; r++) LOG_SAYS("Tree 0 : %d -> %d -> -1/-1/-1", r - 1, r);
            read_log();
            cr_assert_eq(log_.n_trees, 1);
            cr_assert_eq(log_.trees[0].up != NULL, sizes[i] <= 4096 || more >= 0, "%d of %d", n,
                         sizes[i]);
            cr_assert(!log_.trees[0].whole && log_.trees[0].root == 0);
            if (log_.trees[0].up == NULL) continue;
            for (int r = 0; r < sizes[i]; r++)
                cr_assert_eq(log_.trees[0].up[r], r < n ? r - 1 : -2);
        }
    }
}

/* ------------------------------------------------------------------ ranks */

/* There are 131072 ranks at most, numbered from 0: in lines with an id, with nodes, and without a communicator. */
Test(nccl_bounds, ranks_are_counted_up_to_their_bound) {
    static const char *const forms[] = {
        "comm 0x1 rank @ nranks @ cudaDev 0 busId 1000 commId 0x9 - Init COMPLETE",
        "comm 0x1 rank @ nRanks @ nNodes 1 localRanks 1", "Init timings: rank @ nranks @ total"};
    static const int sizes[] = {-1, 0, 1, 2, 131071, 131072, 131073, 262144};
    for (int form = 0; form < 3; form++) {
        for (int i = 0; i < 8; i++) {
            const int ranks[] = {-1, 0, 1, sizes[i] - 1, sizes[i], sizes[i] + 1};
            for (int k = 0; k < 6; k++) {
                char line[200];
                const bool bounded = sizes[i] > 0 && sizes[i] <= RN_LOG_MOST_RANKS;
                const bool is = bounded && (form == 2 || (ranks[k] >= 0 && ranks[k] < sizes[i]));
                begin_log(1);
                fill(line, forms[form], ranks[k], sizes[i]);
                LOG_SAYS("Using network IB");
                LOG_SAYS("%s", line);
                read_log();
                cr_assert_eq(log_.n_ranks, is ? sizes[i] : 0, "%s: %d", line, (int)log_.n_ranks);
                cr_assert_eq(log_.comm_line, is ? 2 : 0, "%s", line);
                cr_assert_eq(log_.n_heard, is && form < 2, "%s", line);
                cr_assert_eq(log_.n_nodes, is && (form == 1 || (form == 0 && sizes[i] == 1)), "%s",
                             line);
            }
        }
    }
}

/* Lines of nccl-tests: the first GPU's name, whether another one has another, one rank more than the last; or nothing where
   a part is missing. */
Test(nccl_bounds, gpus_are_those_of_a_whole_line) {
    static const char *const parts[][3] = {
        {"#  ", "", "# x"},
        {"Rank ", "Rang ", ""},
        {" Group  0 Pid ", " Group  0 ", "Pid "},
        {" 4711 on node-1 device ", " 4711 on node-1 ", "device "},
        {" 0 [0000:0f:00] ", " 0 [0000:0f:00", " 0 "}};
    static const int ranks[] = {0, 1, 7, 131070, 131071, 131072, -1};
    for (int wrong = 0; wrong < 16; wrong++) {
        for (int i = 0; i < 7; i++) {
            const char *p[5];
            const bool is = wrong == 15 && ranks[i] >= 0 && ranks[i] < RN_LOG_MOST_RANKS;
            for (int k = 0; k < 5; k++) p[k] = parts[k][wrong / 3 == k ? wrong % 3 : 0];
            if (wrong < 15 && wrong % 3 == 0) continue;
            begin_log(1);
            LOG_SAYS("Using network IB");
            ADD("%s%s%d%s%s%sNVIDIA H100\n", p[0], p[1], ranks[i], p[2], p[3], p[4]);
            read_log();
            cr_expect_eq(log_.gpu_line, is ? 2 : 0, "%s", text);
            cr_expect_str_eq(log_.gpu, is ? "NVIDIA H100" : "", "%s", text);
            cr_expect_eq(log_.n_ranks, is ? ranks[i] + 1 : 0, "%s: %d", text, (int)log_.n_ranks);
            cr_expect_eq(log_.comm_line, is ? 2 : 0);
            cr_expect_not(log_.other_gpus);
        }
    }
    for (uint64_t seed = 1; seed <= 200; seed++) {
        static const char *const names[] = {"NVIDIA A100", "NVIDIA A100-SXM4", "NVIDIA H100"};
        const int n = 1 + draw(6), usual = draw(3);
        int most = 0, most_at = 0, first = -1;
        bool other = false;
        begin_log(seed);
        LOG_SAYS("Using network IB");
        for (int i = 0; i < n; i++) {
            const int name = draw(5) == 0 ? draw(3) : usual, rank = draw(9);
            ADD("#   Rank %2d Group  0 Pid %d on a device %d [0xab] %s\n", rank, i, i, names[name]);
            if (first < 0) first = name;
            if (rank + 1 > most) most = rank + 1, most_at = 2 + i;
            other = other || name != first;
        }
        read_log();
        cr_assert_eq(log_.gpu_line, 2);
        cr_assert_str_eq(log_.gpu, names[first]);
        cr_assert_eq(log_.other_gpus, other, "seed %d", (int)seed);
        cr_assert(log_.n_ranks == most && log_.comm_line == most_at, "seed %d", (int)seed);
    }
}

/* ------------------------------------------------------------------ NICs */

/* A NIC counts whose speed is more than nothing and less than a million; it is slow below 3/4 of the fastest before it. */
Test(nccl_bounds, speeds_of_nics_are_bounded) {
    static const struct {
        const char *speed;
        bool is;
    } nics[] = {{"0", false},       {"0.000000", false}, {"0.000001", true},   {"0.1", true},
                {"999999.9", true}, {"1000000", false},  {"1000000.5", false}, {"1000001", false},
                {"x", false},       {"-1", false},       {"", false},          {".5", false},
                {"12.500000", true}};
    for (size_t i = 0; i < sizeof nics / sizeof *nics; i++) {
        begin_log(1);
        LOG_SAYS("=== System : maxBw 24.0 totalBw 24.0 ===");
        LOG_SAYS("   + NET[50.0] - NET/0-3 (0/1/%s)", nics[i].speed);
        read_log();
        cr_expect_eq(log_.n_nics, nics[i].is, "%s", nics[i].speed);
    }
    static const char *const none[] = {"NET/0 (0/1/12.5", "NET/0 12.5)", "NET/0"};
    for (int i = 0; i < 3; i++) {
        begin_log(1);
        LOG_SAYS("   + NET[50.0] - %s", none[i]);
        read_log();
        cr_expect_eq(log_.n_nics, 0, "%s", none[i]);
    }
    for (int fastest = 1; fastest < 60; fastest++) {
        for (int speed = 1; speed < 60; speed++) { /* quarters */
            begin_log(1);
            LOG_SAYS("=== System : maxBw 24.0 totalBw 24.0 ===");
            LOG_SAYS("   + NET[50.0] - NET/0 (0/1/%d.%d)", fastest / 4, fastest % 4 * 25);
            LOG_SAYS("   + NET[50.0] - NET/1 (0/1/%d.%d)", speed / 4, speed % 4 * 25);
            read_log();
            cr_assert_eq(log_.n_nics, 2);
            const bool slow = 4 * speed < 3 * fastest;
            cr_assert_eq(count_found("a NIC of"), slow, "%d beside %d", speed, fastest);
            if (!slow) continue;
            const int is = speed * 10 / 4, other = fastest * 10 / 4;
            expect_found(
                RN_WARNING, 3,
                "a NIC of %d.%d GB/s beside one of %d.%d: every ring is as slow as the slower one",
                is / 10, is % 10, other / 10, other % 10);
        }
    }
}

/* The slow one is used by a channel that names it, however long its name, as far as names are kept. */
Test(nccl_bounds, a_slow_nic_s_name_is_compared_whole) {
    for (int length = 5; length < RN_NCCL_WORD; length++) {
        for (int cut = -1; cut <= 1; cut++) {
            char name[RN_NCCL_WORD + 2] = "NET/";
            memset(name + 4, '7', (size_t)length - 4);
            begin_log(1);
            LOG_SAYS("=== System : maxBw 24.0 totalBw 24.0 ===");
            LOG_SAYS("   + NET[50.0] - NET/0 (0/1/50.0)");
            LOG_SAYS("   + NET[50.0] - %s (0/1/12.5)", name);
            LOG_SAYS(" 0 : NET/0 GPU/0 GPU/1 %.*s%s", length - (cut < 0), name, cut > 0 ? "7" : "");
            read_log();
            cr_assert_eq(log_.n_unknown, 0);
            cr_assert_eq(count_found("every ring"), cut == 0, "%d: %d", length, cut);
            cr_assert_eq(count_found("no channel"), cut != 0, "%d: %d", length, cut);
        }
    }
}

/* ------------------------------------------------------------------ settings */

/* Wherever a setting stands among others, it is the one that counts; of more than 256 the first are kept. */
Test(nccl_bounds, a_setting_is_found_wherever_it_stands) {
    for (int n = 1; n < 6; n++) {
        for (int at = 0; at <= n; at++) {
            begin_log(1);
            for (int i = 0; i < n; i++) {
                if (i == at) {
                    LOG_SAYS("NCCL_NVLS_ENABLE set by environment to 0.");
                } else {
                    LOG_SAYS("NCCL_A%d set by environment to 0.", i);
                }
            }
            LOG_SAYS("   + NVL[370.8] - NVS/0");
            LOG_SAYS("8 coll channels, 0 nvls channels, 8 p2p channels, 2 p2p channels per peer");
            read_log();
            cr_assert_eq(log_.n_settings, n);
            cr_assert_eq(count_found("0 NVLS channels"), at == n, "%d of %d", at, n);
        }
    }
    for (int n = 254; n < 260; n++) {
        begin_log(1);
        for (int i = 0; i < n; i++) LOG_SAYS("NCCL_A%d set to %d", i, i);
        LOG_SAYS("NCCL_A3 set to 3"); /* known */
        LOG_SAYS("NCCL_A3 set to 4");
        read_log();
        cr_assert_eq(log_.n_settings, n < 256 ? n + 1 : 256);
        for (int i = 0; i < log_.n_settings && i < n; i++) {
            char name[16];
            snprintf(name, sizeof name, "NCCL_A%d", i);
            cr_assert_str_eq(log_.settings[i].name, name);
            cr_assert_str_eq(log_.settings[i].value, name + 6);
            cr_assert_eq(log_.settings[i].line, i + 1);
        }
        cr_assert_eq(log_.n_unknown, 0);
    }
}

/* ------------------------------------------------------------------ lists that are full */

static rn_nccl_log_reader *reader;

static void hand_in(const char *message) {
    char line[RN_LOG_LINE];
    const int n = snprintf(line, sizeof line, "h:1:2 [0] NCCL INFO %s", message);
    rn_nccl_log_line(reader, line, (size_t)n);
}

/* Makes n different lines of a form, one more than once. */
static void read_many(const char *form, int n) {
    begin_log(1);
    reader = begin_reader();
    for (int i = 0; i < n; i++) {
        char message[200];
        fill(message, form, i, 0);
        hand_in(message);
        if (i == 7) hand_in(message);
    }
    cr_assert_eq(rn_nccl_log_end(reader, &error, &log_), RS_OK, "%s", error.text);
}

/* Of each kind the first ones are kept, up to so many. */
Test(nccl_bounds, lists_hold_what_comes_first) {
    static const char *const forms[] = {
        "Channel 00 : 0[0] -> 1[0] via X@Y",
        "AllReduce: @ Bytes -> Algo RING proto LL channel{Lo..Hi}={0..1}",
        "AllReduce: opCount 1 sendbuff 0x1 recvbuff 0x2 count @ datatype 7 op 0",
        "comm 0x1 rank 0 nranks 2 cudaDev 0 busId 1000 commId 0x@ - Init COMPLETE"};
    static const int most[] = {64, 4096, RN_LOG_MOST_SUMS, RN_LOG_MOST_COMMS};
    for (int kind = 0; kind < 4; kind++) {
        for (int more = -1; more <= 2; more++) {
            const int n = most[kind] + more, kept = more < 0 ? n : most[kind];
            read_many(forms[kind], n);
            const int32_t got[] = {log_.n_transports, log_.n_calls, log_.n_sums, kept};
            cr_assert_eq(got[kind], kept, "%s: %d of %d", forms[kind], (int)got[kind], n);
            cr_assert_eq(log_.n_unknown, 0);
            cr_assert_eq(log_.n_comms, kind == 3 ? n : 0, "%d", (int)log_.n_comms);
            for (int i = 0; i < kept && kind < 3; i++) {
                const int64_t line = i + 1 + (i > 7), times = 1 + (i == 7);
                if (kind == 0)
                    cr_assert(log_.transports[i].line == line && log_.transports[i].n == times);
                if (kind == 1)
                    cr_assert(log_.calls[i].line == line && log_.calls[i].n_bytes == i &&
                              log_.calls[i].n == times);
                if (kind == 2)
                    cr_assert(log_.sums[i].line == line && log_.sums[i].count == i &&
                              log_.sums[i].n == times);
            }
            if (kind == 2) cr_assert(log_.n_unsummed == n - kept && log_.n_coll_lines == n + 1);
        }
    }
}

/* So many of rank 0's lists are kept, and so many ranks in them: a further one is none. */
Test(nccl_bounds, so_many_lists_of_ranks_are_kept) {
    static char list[RN_LOG_LINE];
    for (int more = -1; more <= 1; more++) {
        begin_log(1);
        reader = begin_reader();
        hand_in("comm 0x5f rank 0 nRanks 2 nNodes 1 localRanks 2");
        for (int i = 0; i < RN_LOG_MOST_ORDERS + more; i++) hand_in("Channel 00 : 0 1");
        hand_in("Channel 01 : 0 1");
        hand_in("Channel 02 : x");
        cr_assert_eq(rn_nccl_log_end(reader, &error, &log_), RS_OK);
        cr_assert_eq(log_.n_rings, more < 0 ? 2 : 1);
        cr_assert_eq(log_.n_unknown, 1);
    }
    enum { EACH = 2048, LISTS = RN_LOG_MOST_ORDERED / EACH };
    for (int i = 0; i < EACH; i++) memcpy(list + 2 * i, " 0", 2);
    for (int more = 0; more <= 2; more++) {
        begin_log(1);
        reader = begin_reader();
        hand_in("comm 0x5f rank 0 nRanks 4096 nNodes 1 localRanks 2");
        char message[RN_LOG_LINE];
        snprintf(message, sizeof message, "Channel 00 :%.*s", 2 * EACH, list);
        for (int i = 0; i < LISTS + more - 1; i++) hand_in(message);
        hand_in("Channel 01 : 0 1");
        cr_assert_eq(rn_nccl_log_end(reader, &error, &log_), RS_OK);
        cr_assert_eq(log_.n_rings, more < 2 ? 2 : 1, "%d: %d", more, (int)log_.n_rings);
    }
}
