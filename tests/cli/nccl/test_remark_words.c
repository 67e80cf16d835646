/* test_remark_words.c: what is remarked of a log is said with the remark's own numbers, names and lines; two remarks never
 * read alike; a warning of NCCL's keeps its words, and what it most likely means is said behind them.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "nccl/nccl_files.h"

static rn_nccl_log log_of;
static const char *out;

static const char *say(rn_nccl_remark what, int32_t a, int32_t b, const char *text) {
    rn_nccl_note note = {.line = 7, .what = what, .a = a, .b = b};
    snprintf(note.text, sizeof note.text, "%s", text);
    static rs_error said;
    rc_say_remark(&log_of, &note, &said);
    return out = said.text;
}

static void expect(rn_nccl_remark what, int32_t a, int32_t b, const char *text,
                   const char *const parts[]) {
    const char *said = say(what, a, b, text);
    for (int i = 0; parts[i] != NULL; i++)
        cr_expect_not_null(strstr(said, parts[i]), "remark %d has no %s: %s", (int)what, parts[i],
                           said);
}
#define PARTS(...) ((const char *const[]){__VA_ARGS__, NULL})

Test(remark_words, have_the_remarks_own_numbers) {
    expect(RN_REMARK_NO_PATH, 3, 0, "", PARTS("pattern 3 ", "0.1 GB/s"));
    expect(RN_REMARK_VERSIONS, 21805, 22203, "", PARTS("2.18.5 and 2.22.3"));
    expect(RN_REMARK_NIC_COUNT, 5, 8, "", PARTS("5 NICs", "and 8 by"));
    expect(RN_REMARK_NOT_COMPLETE, 3, 16, "0xab", PARTS("of the 16 of communicator 0xab: 3."));
    expect(RN_REMARK_REFUSED, 34, 0, "refused by 10.0.0.9",
           PARTS(" 34 times: refused by 10.0.0.9."));
    expect(RN_REMARK_SLOW_NIC, 125, 480, "",
           PARTS("a NIC of 12.5 GB/s beside one of 48.0", "every ring"));
    expect(RN_REMARK_UNUSED_NIC, 125, 480, "",
           PARTS("a NIC of 12.5 GB/s beside one of 48.0", "no channel"));
    expect(RN_REMARK_LL128_FORCED, 0, 0, "LL128,Simple", PARTS("NCCL_PROTO=LL128,Simple forces"));
    expect(RN_REMARK_SWITCHED_OFF, 0, 0, "A=1", PARTS("A=1 switches something off"));
    expect(RN_REMARK_SETTING, 0, 0, "A=1", PARTS("by the environment: A=1"));
    expect(RN_REMARK_PLUGIN, 0, 0, "A=1", PARTS("by the network plugin: A=1"));
    expect(RN_REMARK_SILENT_RANKS, 1, 8, "", PARTS("lines of 1 rank of 8"));
    expect(RN_REMARK_SILENT_RANKS, 3, 8, "", PARTS("lines of 3 ranks of 8"));
    expect(RN_REMARK_RING_CUT, 2, 24, "", PARTS("do not close: 2 of 24"));
    expect(RN_REMARK_UNCHECKED, 23100, 0, "", PARTS("NCCL 2.31.0 is newer"));
    expect(RN_REMARK_NO_NVLS, 0, 0, "", PARTS("0 NVLS channels"));
    expect(RN_REMARK_MIXED_NICS, 0, 0, "", PARTS("InfiniBand and RoCE"));
    expect(RN_REMARK_RCCL, 0, 0, "", PARTS("this is RCCL"));
    expect(RN_REMARK_TOO_MANY, 0, 0, "", PARTS("more lines"));
    snprintf(log_of.network, sizeof log_of.network, "Socket");
    log_of.network_line = 12;
    expect(RN_REMARK_NETWORKS, 0, 0, "IB", PARTS("network IB here, and Socket in line 12:"));
}

/* Each remark has words, none those of another. */
Test(remark_words, differ_from_one_remark_to_the_next) {
    static char all[RN_N_REMARKS][RS_ERROR_TEXT];
    for (int what = 0; what < RN_N_REMARKS; what++) {
        strcpy(all[what], say((rn_nccl_remark)what, 40, 56, "NCCL_ALGO=y"));
        cr_expect_gt(strlen(all[what]), 10, "remark %d", what);
        for (int before = 0; before < what; before++)
            cr_expect_str_neq(all[what], all[before], "remarks %d and %d", before, what);
    }
    cr_expect_str_eq(say(RN_N_REMARKS, 1, 1, "x"), "");
}

static void set(const char *name, const char *value) {
    static rn_nccl_setting settings[1];
    settings[0] = (rn_nccl_setting){.line = 3};
    snprintf(settings[0].name, sizeof settings[0].name, "%s", name);
    snprintf(settings[0].value, sizeof settings[0].value, "%s", value);
    log_of = (rn_nccl_log){.settings = settings, .n_settings = name != NULL};
}

/* A slow way is laid to the setting that forbids the fast one, else to the line that says so, else to nobody. */
Test(remark_words, name_what_explains_a_slow_way) {
    static const struct {
        rn_nccl_remark what;
        const char *one, *many, *off, *level;
    } ways[] = {
        {RN_REMARK_SHM, "1 connection inside a node goes through host memory",
         "9 connections inside a node go through host memory", "NCCL_P2P_DISABLE",
         "NCCL_P2P_LEVEL"},
        {RN_REMARK_SOCKET, "1 connection between nodes goes over sockets",
         "9 connections between nodes go over sockets", "NCCL_IB_DISABLE", "NCCL_NET"},
        {RN_REMARK_NO_GDR, "1 connection between nodes goes through host memory",
         "9 connections between nodes go through host memory", "NCCL_NET_GDR_DISABLE",
         "NCCL_NET_GDR_LEVEL"},
    };
    for (int i = 0; i < 3; i++) {
        char wanted[80];
        log_of = (rn_nccl_log){.n_settings = 0};
        expect(ways[i].what, 1, 0, "", PARTS(ways[i].one));
        cr_expect_null(strstr(out, "; "), "nothing explains it: %s", out);
        expect(ways[i].what, 9, 0, "", PARTS(ways[i].many));
        for (int k = 0; k < 3; k++) {
            const char *name = k < 2 ? ways[i].off : ways[i].level;
            set(name, k == 0 ? "0" : "1");
            snprintf(wanted, sizeof wanted, "; %s is set", name);
            say(ways[i].what, 9, 0, "");
            cr_expect_eq(strstr(out, wanted) != NULL, k > 0, "%s", out);
        }
        for (int other = 0; other < 3; other++) {
            if (other == i) continue;
            set(ways[other].off, "1");
            say(ways[i].what, 9, 0, "");
            cr_expect_null(strstr(out, " is set"), "%s", out);
        }
        log_of = (rn_nccl_log){.no_ib_line = 31, .no_gdr_line = 32};
        say(ways[i].what, 9, 0, "");
        const int line = i == 1 ? 31 : i == 2 ? 32 : 0;
        snprintf(wanted, sizeof wanted, "; line %d says so", line);
        cr_expect_eq(strstr(out, wanted) != NULL, line > 0, "%s", out);
        log_of = (rn_nccl_log){.nics_line = 33};
        say(ways[i].what, 9, 0, "");
        cr_expect_eq(strstr(out, "; line 33 names NICs for it") != NULL, i == 1, "%s", out);
    }
    log_of = (rn_nccl_log){.n_settings = 0};
}

/* A word that only one hint has; none: messages that have none yet. What one message shares with another, "port error" in
   "Import error", a reason of the system, gives no hint of the other's. */
static const char none[] = "";
static const char gpu[] = "take one GPU", reg[] = "nvidia-peermem",
                  lock[] = "limit of locked memory", rdma[] = "RDMA path", gid[] = "RoCE addresses",
                  wire[] = "does not answer", port[] = "ibstat", shm[] = "/dev/shm is too small",
                  code[] = "no code for this GPU", full[] = "no memory of the GPU",
                  face[] = "has an address", far[] = "a firewall",
                  mixed[] = "InfiniBand at one end", xml[] = "broken or foreign file";
static const char *const all_hints[] = {gpu, reg,  lock, rdma, gid, wire,  port,
                                        shm, code, full, face, far, mixed, xml};
static const char *const messages[][2] = {
    {"Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 59000", gpu},
    {"Multiple Ranks are using the same GPU/Partition. Set NCCL_MULTI_RANK_GPU_ENABLE=1", gpu},
    {"Call to ibv_reg_mr failed", reg},
    {"Call to ibv_reg_mr failed with error Cannot allocate memory", reg},
    {"Call to ibv_reg_mr_iova2 failed with error Cannot allocate memory", reg},
    {"Call to ibv_create_qp failed with error Cannot allocate memory", lock},
    {"Call to ibv_create_cq failed with 12 Cannot allocate memory", lock},
    {"Call to ibv_create_qp failed with error Invalid argument", none},
    {"Call to ibv_modify_qp failed with error Connection timed out", rdma},
    {"Call to ibv_modify_qp failed with 110 Connection timed out, on dev mlx5_0:1", rdma},
    {"Call to ibv_modify_qp failed with error Network is unreachable", gid},
    {"Call to ibv_modify_qp failed with 113 No route to host, on dev mlx5_0:1", gid},
    {"Call to ibv_modify_qp failed with 22 Invalid argument, on dev mlx5_0:1", none},
    {"NET/IB : Got completion with error 12, opcode 0, len 0, vendor err 129", wire},
    {"NET/IB : Got completion from peer 10.0.0.5<33092> with error 12, opcode 0, len 0", wire},
    {"NET/IB: Got completion from peer 10.0.0.5<1> with status=12 opcode=0 vendor err 129", wire},
    {"NET/IB: Got completion from peer 10.0.0.5<1> with status=IBV_WC_RETRY_EXC_ERR(12)", wire},
    {"NET/IB : Got completion from peer 10.0.0.5<1> with error 4, vendor err 81", none},
    {"NET/IB : Got completion from peer 10.0.0.5<1> with error 5, vendor err 249", none},
    {"NET/IB : Got completion from peer 10.0.0.5<1> with status=129", none},
    {"NET/IB : Got async event : port error", port},
    {"NET/IB : mlx5_0:1 Got async error event: port error", port},
    {"NET/IB : mlx5_0:1 Got async event : GID table change", none},
    {"NET/IB : mlx5_0:1 Got async event : local catastrophic error", none},
    {"NET/IB : req 0/1 tag 5 peer 10.0.0.5<1> collective mismatch error, local size 1 remote size 2",
     none},
    {"Error while creating shared memory segment nccl-shm-recv-1-0-1-3 (size 9637888)", shm},
    {"Error while creating shared memory segment /dev/shm/nccl-x (size 9), error: No space left on device (28)",
     shm},
    {"Error while creating shared memory segment /dev/shm/nccl-x (size 9), error: Permission denied (13)",
     none},
    {"Error while attaching to shared memory segment /dev/shm/nccl-x (size 9), error: No such file (2)",
     none},
    {"Error: failed to extend /dev/shm/nccl-x to 9 bytes, error: No space left on device (28)",
     shm},
    {"Call to posix_fallocate failed : No space left on device", shm},
    {"Could not write the topology to /tmp/t.xml : No space left on device", none},
    {"Cuda failure 'named symbol not found'", code},
    {"Cuda failure 500 'named symbol not found'", code},
    {"Cuda failure 'no kernel image is available for execution on the device'", code},
    {"Cuda failure 2 'out of memory'", full},
    {"Cuda failure 'invalid argument'", none},
    {"Cuda failure 711 'peer mapping resources exhausted'", none},
    {"Cuda failure 802 'system not yet initialized'", none},
    {"Cuda failure 3 'initialization error'", none},
    {"Cuda failure 401 'the operation cannot be performed in the present state'", none},
    {"Failed to bind NVLink SHARP (NVLS) Multicast memory of size 9 : CUDA error 2 'out of memory'",
     none},
    {"Bootstrap : no socket interface found", face},
    {"Net : Connect to 10.0.0.1<5> failed : No route to host", far},
    {"Connect to 10.0.0.1<5> failed : Connection timed out", far},
    {"Call to connect timeout : Connection timed out", far},
    {"Call to connect failed : No route to host", far},
    {"socketStartConnect: Connect to 10.0.0.1<5> failed : No route to host", far},
    {"socketPollConnect: connect to 10.0.0.1<5> returned Connection timed out, exceeded error retry count",
     far},
    {"Call to recv from 10.0.0.1<5> failed : Connection timed out", none},
    {"Call to recv from 10.0.0.1<5> failed : Connection reset by peer", none},
    {"socketProgressOpt: Call to send to 10.0.0.1<5> failed : Broken pipe", none},
    {"socketProgress: Connection closed by remote peer 10.0.0.1<5>", none},
    {"socketStartConnect: Connect to 10.0.0.1<5> failed : Connection refused", none},
    {"socketFinalizeAccept from 10.0.0.1<5>: wrong type 3 != 4", none},
    {"NET/IB : Remote RoCE device is incompatible with the local [0]mlx5_0:1/IB.", mixed},
    {"XML Import error : unexpected trailing / in XML", xml},
    {"XML Parse error : expected 2 attributes", xml},
    {"XML Mismatch : system / pci", xml},
    {"Attribute arch of node cpu not found", none},
    {"P2P is disabled between NVLINK connected GPUs 0 and 1", none},
    {"No transport found for rank 3[d9000] -> rank 2[b1000]", none},
    {"Bootstrap Root : rank 1 of 4 ranks has already checked in", none},
    {"Message truncated : received 1024 bytes instead of 256", none},
    {"Mismatched NCCL version detected : rank 0 version 21805 rank 1 version 22203", none},
    {"[Proxy Service 0] Failed to execute operation Connect from rank 0, retcode 3", none},
    {"NET/OFI aws-ofi-nccl initialization failed", none},
    {"something new", none},
};

Test(remark_words, give_a_warning_the_hint_of_its_own_form_and_of_no_other) {
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        expect(RN_REMARK_WARN, 1, 0, messages[i][0], PARTS("NCCL warns: ", messages[i][0]));
        const char *behind = strstr(out, "; most likely ");
        cr_expect_eq(behind == NULL, messages[i][1] == none, "%s", out);
        for (size_t k = 0; k < sizeof all_hints / sizeof *all_hints; k++) {
            const bool has = behind != NULL && strstr(behind, all_hints[k]) != NULL;
            cr_expect_eq(has, messages[i][1] == all_hints[k], "%s", out);
        }
    }
    expect(RN_REMARK_WARN, 17, 0, "something new", PARTS("NCCL warns, 17 times: something new"));
    cr_expect_str_eq(say(RN_REMARK_WARN, 1, 0, "x"), "NCCL warns: x");
}

Test(remark_words, say_why_a_setting_cannot_be_read) {
    static const char *const whys[][2] = {
        {"NCCL_ALGO=rings", "NCCL_ALGO: there is no rings"},
        {"NCCL_ALGO=gather:ring", "NCCL_ALGO: there is no function gather"},
        {"NCCL_PROTO=LL;LL", "NCCL_PROTO: only the first list may be without a function: LL"}};
    for (size_t i = 0; i < sizeof whys / sizeof *whys; i++)
        cr_expect_str_eq(say(RN_REMARK_BAD_SETTING, 0, 0, whys[i][0]), whys[i][1]);
}

/* Each rule that switches a way off, and each limit, has words of its own; what is on has none. */
Test(remark_words, of_rules_and_limits_differ) {
    for (int rule = 0; rule < RN_NCCL_N_RULES; rule++) {
        const char *text = rc_rule_text((rn_nccl_rule)rule);
        cr_expect_eq(text[0] == '\0', rule == RN_NCCL_ON, "rule %d: %s", rule, text);
        for (int k = 0; k < rule; k++)
            cr_expect_str_neq(text, rc_rule_text((rn_nccl_rule)k), "%d, %d", k, rule);
    }
    cr_expect_str_eq(rc_rule_text(RN_NCCL_ALGO_SETTING), "NCCL_ALGO leaves it out");
    cr_expect_str_eq(rc_rule_text(RN_NCCL_PROTO_SETTING), "NCCL_PROTO leaves it out");
    cr_expect_str_eq(rc_rule_text(RN_NCCL_ONE_NODE), "it joins nodes, and there is one");
    static const rn_nccl_limit limits[] = {RN_NCCL_BY_LL, RN_NCCL_BY_CHANNEL, RN_NCCL_BY_NVLINK,
                                           RN_NCCL_BY_NETWORK, RN_NCCL_BY_GRAPH};
    static const char *const words[] = {"what LL reaches here",
                                        "what a channel reaches with this protocol", "NVLink",
                                        "the network", "the bandwidth that the search found"};
    for (int i = 0; i < 5; i++) cr_expect_str_eq(rc_limit_text(limits[i]), words[i]);
}
