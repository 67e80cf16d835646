/* test_nccl_names.c: what names tell apart, and what they do not: communicators' ids, transports' devices, variables that
 * switch something off.
 */
#include "log_found.h"

static char text[4000];

TestSuite(nccl_names, .init = start, .fini = stop);

/* Adds a line of rank 0's or, on another host, rank 1's. */
static void say(int rank, const char *what) {
    const size_t n = strlen(text);
    snprintf(text + n, sizeof text - n, "%c:1:2 [0] NCCL INFO %s\n", 'a' + rank, what);
}

static void read_text(void) {
    cr_assert_eq(read_bytes(text, strlen(text)), RS_OK, "%s", error.text);
    text[0] = '\0';
}

/* Both ranks' lines with ids of 16 digits that differ at one of them, or at none (16). */
Test(nccl_names, every_digit_of_an_id_counts) {
    static const char *const keys[] = {"commId", "commHash"};
    for (int key = 0; key < 2; key++) {
        for (int at = 0; at <= 16; at++) {
            for (int rank = 0; rank < 2; rank++) {
                char id[] = "a0c9f3771b2e4d58", line[200];
                if (rank == 1 && at < 16) id[at] = id[at] == '6' ? 'e' : '6';
                snprintf(line, sizeof line,
                         "comm 0x5%d rank %d nranks 2 cudaDev 0 busId 1000 %s 0x%s - Init COMPLETE",
                         rank, rank, keys[key], id);
                say(rank, line);
            }
            read_text();
            cr_expect_eq(log_.n_comms, at < 16 ? 2 : 1, "%s, digit %d", keys[key], at);
            cr_expect_eq(log_.n_ranks, 2);
        }
    }
}

/* Numbers of devices, and of the proxy's rank in brackets, are left out; digits of names stay. */
Test(nccl_names, a_transport_s_devices_are_left_out) {
    static const char *const names[][2] = {
        {"NET/IB/%d", "NET/IB"},
        {"NET/IB/%d/GDRDMA", "NET/IB/GDRDMA"},
        {"NET/IB/0(%d)/GDRDMA/Shared", "NET/IB/GDRDMA/Shared"},
        {"NET/AWS Libfabric/%d/GDRDMA", "NET/AWS Libfabric/GDRDMA"},
        {"NET/IBext_v8/%d", "NET/IBext_v8"},
        {"NET/X2/%d", "NET/X2"},
        {"P2P/IPC", "P2P/IPC"},
        {"P2P/direct pointer/read", "P2P/direct pointer/read"},
        {"SHM/direct/direct", "SHM/direct/direct"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (int device = 0; device < 130; device += device < 11 ? 1 : 29) {
            char line[200];
            const char *mark = strstr(names[i][0], "%d");
            const int n = mark != NULL ? (int)(mark - names[i][0]) : (int)strlen(names[i][0]);
            int used =
                snprintf(line, sizeof line, "Channel 00/0 : 0[0] -> 1[0] via %.*s", n, names[i][0]);
            if (mark != NULL)
                snprintf(line + used, sizeof line - (size_t)used, "%d%s", device, mark + 2);
            say(0, line);
            read_text();
            cr_assert_eq(log_.n_transports, 1, "%s", line);
            cr_expect_str_eq(log_.transports[0].name, names[i][1], "%s", line);
            cr_expect_eq(log_.transports[0].n, 1);
        }
    }
}

/* Each variable with the values that switch something off, and those that do not. */
Test(nccl_names, what_is_switched_off_depends_on_name_and_value) {
    static const struct {
        const char *name, *off, *on;
    } settings[] = {
        {"NCCL_P2P_DISABLE", "1", "0"},     {"NCCL_SHM_DISABLE", "1", "0"},
        {"NCCL_IB_DISABLE", "1", "0"},      {"NCCL_NVLS_ENABLE", "0", "1"},
        {"NCCL_CUMEM_ENABLE", "0", "1"},    {"NCCL_P2P_LEVEL", "LOC", "NVL"},
        {"NCCL_NET_GDR_LEVEL", "LOC", "1"}, {"NCCL_P2P_LEVEL", "0", "SYS"},
        {"NCCL_NET", "Socket", "IB"},       {"NCCL_NTHREADS", NULL, "0"},
        {"NCCL_MIN_NCHANNELS", NULL, "1"},  {"NCCL_DISABLED", NULL, "1"},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        for (int off = 0; off < 2; off++) {
            const char *value = off ? settings[i].off : settings[i].on;
            char line[200], wanted[200];
            if (value == NULL) continue;
            snprintf(line, sizeof line, "%s set by environment to %s.", settings[i].name, value);
            snprintf(wanted, sizeof wanted,
                     off ? "%s=%s switches something off" : "set by the environment: %s=%s",
                     settings[i].name, value);
            say(0, line);
            read_text();
            expect_found(RN_NOTE, 1, "%s", wanted);
            cr_expect_eq(count_all(), 1, "%s", wanted);
        }
    }
}

Test(nccl_names, a_call_s_channels_are_counted_from_the_first_to_the_last) {
    for (int low = 0; low < 3; low++) {
        for (int high = low; high < 33; high += 5) {
            char line[200];
            snprintf(line, sizeof line,
                     "AllReduce: 1024 Bytes -> Algo RING proto LL channel{Lo..Hi}={%d..%d}", low,
                     high);
            say(0, line);
            read_text();
            cr_assert_eq(log_.n_calls, 1);
            cr_expect_eq(log_.calls[0].n_channels, high - low + 1);
        }
    }
}

/* A slow NIC is used wherever a channel names it: it comes in, goes out, or both. */
Test(nccl_names, a_slow_nic_is_used_at_either_end_of_a_channel) {
    for (int ends = 0; ends < 4; ends++) {
        char line[200];
        say(0, "=== System : maxBw 24.0 totalBw 24.0 ===");
        say(0, "   + NET[25.0] - NET/1 (7a/1/25.000000)");
        say(0, "   + NET[3.1] - NET/0 (b8/1/3.125000)");
        snprintf(line, sizeof line, " 0 : NET/%d GPU/0 GPU/1 NET/%d", ends & 1, ends >> 1);
        say(0, line);
        read_text();
        cr_expect_eq(count_found("every ring"), ends < 3, "NET/%d to NET/%d", ends & 1, ends >> 1);
    }
}

/* A block of the table ends before an algorithm that nobody knows; one that begins with it is no table. */
Test(nccl_names, columns_of_an_unknown_algorithm_are_nobodys) {
    static const char *const heads[] = {
        "  Algorithm   | Another | Ring |", "  Algorithm   | Ring | Another | Tree |",
        "Latency/AlgBw | Another/ LL | Another/ LL128 | Another/Simple |",
        "Latency/AlgBw | Ring/ LL | Ring/ LL128 | Ring/Simple | Another/ LL | Another/ LL128 |"};
    for (int i = 0; i < 4; i++) {
        const bool known = i % 2 == 1;
        int n_kept = 0;
        say(0, "comm 0x5 rank 0 nranks 2 - Init COMPLETE");
        say(0, heads[i]);
        say(0, " AllReduce | 1/2 | 3/4 | 5/6 | 7/8 | 9/1 |");
        read_text();
        for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) {
            for (int p = 0; p < RN_NCCL_N_PROTOCOLS; p++)
                n_kept += log_.table[RS_COLL_ALL_REDUCE][a][p].line != 0;
        }
        cr_expect_eq(n_kept, known ? 3 : 0, "%s", heads[i]);
        cr_expect_eq(log_.n_unknown, known ? 0 : 2, "%s", heads[i]);
        cr_expect_eq(log_.table[RS_COLL_ALL_REDUCE][RN_NCCL_RING][RN_NCCL_SIMPLE].latency_us,
                     known ? 5 : 0);
    }
}
