/* test_nccl_said.c: the sentence of a line, with its level: whole, with the line's own numbers and names; what explains a slow
 * way; a warning of NCCL's keeps its words, and what it most likely means is said behind them.
 */
#include "log_text.h"

TestSuite(nccl_said, .init = start, .fini = stop);

/* Each line of a log by itself. */
Test(nccl_said, a_line_has_its_sentence_and_its_level) {
    static const struct {
        rn_level level;
        const char *line, *sentence;
    } lines[] = {
        {RN_NOTE, "NCCL version 2.31.0+cuda13.0",
         "NCCL 2.31.0 is newer than 2.30: unchecked, by the last known constants"},
        {RN_NOTE, "RCCL version 2.20.5+hip6.2",
         "this is RCCL, whose tables are its own: nothing is computed from NCCL's model"},
        {RN_ERROR, "Could not find a path for pattern 3, falling back to simple order",
         "NCCL's search found nothing for pattern 3 and took a simple order at 0.1 GB/s: a topology that it does not "
         "understand"},
        {RN_NOTE, "NET/IB : Using [0]a:1/RoCE [1]b:1/IB [RO]; OOB eth0:10.0.0.1<0>",
         "InfiniBand and RoCE among the NICs: one kind does not reach the other; NCCL_IB_HCA chooses"},
        {RN_NOTE, "NCCL_A set by environment to 1.", "set by the environment: NCCL_A=1"},
        {RN_NOTE, "NCCL_A_DISABLE set by environment to 1.",
         "NCCL_A_DISABLE=1 switches something off"},
        {RN_NOTE, "NET/OFI Adding NCCL_A=1 to environment", "set by the network plugin: NCCL_A=1"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        begin_log(1);
        LOG_SAYS("CC Off");
        LOG_SAYS("%s", lines[i].line);
        read_log();
        expect_found(lines[i].level, 2, "%s", lines[i].sentence);
        cr_expect_eq(count_all(), 1, "%s", lines[i].line);
    }
}

/* A setting that cannot be read, or that is dangerous, is said beside that it is set. */
Test(nccl_said, a_setting_that_is_wrong_is_told_with_why) {
    static const struct {
        rn_level level;
        const char *name, *value, *sentence;
    } settings[] = {
        {RN_ERROR, "NCCL_ALGO", "rings", "NCCL_ALGO: there is no rings"},
        {RN_ERROR, "NCCL_ALGO", "gather:ring", "NCCL_ALGO: there is no function gather"},
        {RN_ERROR, "NCCL_PROTO", "LL;LL",
         "NCCL_PROTO: only the first list may be without a function: LL"},
        {RN_WARNING, "NCCL_PROTO", "LL128,Simple",
         "NCCL_PROTO=LL128,Simple forces LL128 without NCCL's tests: on a path that splits 128 bytes data are silently "
         "wrong"},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        begin_log(1);
        LOG_SAYS("%s set by environment to %s.", settings[i].name, settings[i].value);
        read_log();
        expect_found(settings[i].level, 1, "%s", settings[i].sentence);
        expect_found(RN_NOTE, 1, "set by the environment: %s=%s", settings[i].name,
                     settings[i].value);
        cr_expect_eq(count_all(), 2);
    }
}

/* ------------------------------------------------------------------ slow ways */

typedef struct slow_way {
    const char *via, *where, *way, *off, *level;
} slow_way;
static const slow_way ways[] = {
    {"SHM/direct/direct", "inside a node", "through host memory (SHM), not from GPU to GPU",
     "NCCL_P2P_DISABLE", "NCCL_P2P_LEVEL"},
    {"NET/Socket/0", "between nodes", "over sockets, not over InfiniBand or RoCE",
     "NCCL_IB_DISABLE", "NCCL_NET"},
    {"NET/IB/0", "between nodes",
     "through host memory: the NIC does not reach into the GPU's (no GDRDMA)",
     "NCCL_NET_GDR_DISABLE", "NCCL_NET_GDR_LEVEL"},
};
enum { N_WAYS = 3 };

/* A log in which n connections go that way, behind one other line; the sentence ends with what explains it. */
static void expect_why(const slow_way *way, int n, const char *line, const char *why) {
    begin_log(1);
    LOG_SAYS("%s", line);
    for (int i = 0; i < n; i++) LOG_SAYS("Channel %02d/0 : 0[0] -> 1[1] via %s", i, way->via);
    read_log();
    expect_found(RN_WARNING, 2, "%d connection%s %s %s %s%s", n, n == 1 ? "" : "s", way->where,
                 n == 1 ? "goes" : "go", way->way, why);
}

/* A slow way is laid to the setting that forbids the fast one, else to the line that says so, else to nobody. */
Test(nccl_said, name_what_explains_a_slow_way) {
    for (int i = 0; i < N_WAYS; i++) {
        char line[80], why[80];
        for (int n = 1; n < 10; n++) expect_why(&ways[i], n, "CC Off", "");
        for (int other = 0; other < N_WAYS; other++) {
            const char *names[] = {ways[other].off, ways[other].level};
            for (int k = 0; k < 4; k++) {
                const bool explains =
                    other == i && k != 0; /* 0: off is not set; a level always is */
                snprintf(line, sizeof line, "%s set by environment to %d.", names[k / 2], k % 2);
                snprintf(why, sizeof why, "%s%s%s", explains ? "; " : "",
                         explains ? names[k / 2] : "", explains ? " is set" : "");
                expect_why(&ways[i], 9, line, why);
            }
        }
        expect_why(&ways[i], 9, "NET/IB : No device found.", i == 1 ? "; line 1 says so" : "");
        expect_why(&ways[i], 9, "NET/IB : GPU Direct RDMA Disabled for HCA 0 'x0'",
                   i == 2 ? "; line 1 says so" : "");
        expect_why(&ways[i], 9, "NET/IB : Using [0]x0:1/IB [RO]; OOB eth0:10.0.0.1<0>",
                   i == 1 ? "; line 1 names NICs for it" : "");
    }
}

/* ------------------------------------------------------------------ NCCL's warnings */

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

Test(nccl_said, give_a_warning_the_hint_of_its_own_form_and_of_no_other) {
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        const char *message = messages[i][0];
        for (int n = 1; n < 3; n++) {
            begin_log(1);
            for (int k = 0; k < n; k++) ADD("h:1:2 [0] NCCL WARN %s\n", message);
            read_log();
            cr_assert_eq(count_all(), 1, "%s", message);
            const char *out = found_.list[0].said.text, *behind = strstr(out, "; most likely ");
            cr_expect_eq(behind == NULL, messages[i][1] == none, "%s", out);
            for (size_t k = 0; k < sizeof all_hints / sizeof *all_hints; k++) {
                const bool has = behind != NULL && strstr(behind, all_hints[k]) != NULL;
                cr_expect_eq(has, messages[i][1] == all_hints[k], "%s", out);
            }
            expect_found(RN_WARNING, 1, n == 1 ? "NCCL warns: %s%s" : "NCCL warns, 2 times: %s%s",
                         message, behind != NULL ? behind : "");
        }
    }
}
