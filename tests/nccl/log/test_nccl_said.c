/* test_nccl_said.c: the sentence of a line, with its level: whole, with the line's own numbers and names; what explains a slow
 * way; a warning of NCCL's keeps its words, and what it most likely means is said behind them.
 */
#include "nccl_log.h"

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
        {RN_NOTE, "NET/IB : Using [0]a:1/RoCE [1]b:1/IB [RO]; OOB eth0:10.0.0.1<0>",
         "InfiniBand and RoCE among the NICs: one kind does not reach the other; NCCL_IB_HCA chooses"},
        {RN_NOTE, "NCCL_A set by environment to 1.", "set by the environment: NCCL_A=1"},
        {RN_NOTE, "NCCL_A_DISABLE set by environment to 1.",
         "NCCL_A_DISABLE=1 switches something off"},
        {RN_WARNING, "misc/socket.cc:64 -> 6 [Async thread]",
         "an error went up from here, and the line that says why (NCCL WARN) is not in this text: misc/socket.cc:64 -> 6, of "
         "which 1 is CUDA's, 2 the system's, 3 NCCL's own, 4 and 5 a wrong call, 6 another process or the network"},
        {RN_NOTE, "NET/OFI Adding NCCL_A=1 to environment", "set by the network plugin: NCCL_A=1"},
        {RN_WARNING, "NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'",
         "between nodes data go through host memory, slower: the NIC does not reach into the GPU's (GPU Direct RDMA Disabled); "
         "nvidia-peermem is not loaded (lsmod), or GPU and NIC are too far apart (nvidia-smi topo -m)"},
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

/* Messages as they stand in threads and in NCCL's source, each with a word that only its row's hint has; none: a message that has no
   row. What one message shares with another, "port error" in "Import error", a reason of the system, gives no hint of the
   other's. */
static const char none[] = "";
typedef struct example {
    const char *message, *hint, *place;
} example;
static const example examples[] = {
    {"P2P is disabled between connected GPUs 2 and 0. You can repress this message with NCCL_IGNORE_DISABLED_P2P=1.",
     "the driver allows no P2P between", ""},
    {"P2P is disabled between NVLINK connected GPUs 0 and 1. This should not be the case",
     "dmesg for Xid", ""},
    {"P2P not supported between GPU3 and GPU0", "CUDA lets these GPUs not map", ""},
    {"Could not enable P2P between dev 0(=1b000) and dev 1(=1c000)", "CUDA lets these GPUs", ""},
    {"No transport found for rank 3[d9000] -> rank 2[b1000]", "says who refused", ""},
    {"failed to open CUDA IPC handle : 1 invalid argument", "each container sees its own GPU", ""},
    {"Cuda failure 711 'peer mapping resources exhausted'", "at most 8 peers", ""},
    {"Error while creating shared memory segment nccl-shm-recv-1-0-1-3 (size 9637888)",
     "/dev/shm is too small", ""},
    {"Error while creating shared memory segment /dev/shm/nccl-x (size 9), error: No space left on device (28)",
     "/dev/shm is too small", ""},
    {"Error: failed to extend /dev/shm/nccl-x to 9 bytes, error: No space left on device (28)",
     "/dev/shm is too small", ""},
    {"Call to posix_fallocate failed : No space left on device", "/dev/shm is too small", ""},
    {"Error while creating shared memory segment /dev/shm/nccl-x (size 9), error: Permission denied (13)",
     none, ""},
    {"Error while attaching to shared memory segment /dev/shm/nccl-x (size 9), error: No such file (2)",
     none, ""},
    {"Could not write the topology to /tmp/t.xml : No space left on device", none, ""},
    {"Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 59000", "two ranks take", ""},
    {"Multiple Ranks are using the same GPU/Partition. Set NCCL_MULTI_RANK_GPU_ENABLE=1",
     "two ranks take one GPU", ""},
    {"Could not find a path for pattern 4, falling back to simple order", "no ring within the", ""},
    {"Cuda failure 1 'invalid argument'", "multicast (NVLS) does not", "transport/nvls.cc:254"},
    {"Cuda failure 401 'the operation cannot be performed in the present state'",
     "multicast (NVLS) does not work", "transport/nvls.cc:254"},
    {"Cuda failure 801 'operation not supported'", "multicast (NVLS)", "transport/nvls.cc:254"},
    {"Cuda failure 801 'operation not supported'", "memory pools", "init.cc:42"},
    {"Cuda failure 'invalid argument'", none, ""},
    {"Cuda failure 1 'invalid argument'", none, "transport/p2p.cc:254"},
    {"Cuda failure 401 'the operation cannot be performed in the present state'", none, ""},
    {"Cuda failure 'operation not supported'", none, ""},
    {"Failed to bind NVLink SHARP (NVLS) Multicast memory of size 9 : CUDA error 2 'out of memory'",
     "unlike fabric manager", ""},
    {"Cuda failure 802 'system not yet initialized'", "nvidia-fabricmanager", ""},
    {"MNNVL (cliqueSize 8) is available but not working on this system. Check the IMEX channel configuration",
     "without IMEX", ""},
    {"Call to ibv_reg_mr failed", "nvidia-peermem", ""},
    {"Call to ibv_reg_mr_iova2 failed with error Cannot allocate memory", "limit of locked", ""},
    {"Call to ibv_reg_mr failed with error Bad address", "nvidia-peermem", ""},
    {"Call to ibv_create_qp failed with error Cannot allocate memory", "limit of locked", ""},
    {"Call to ibv_create_cq failed with 12 Cannot allocate memory", "limit of locked memory", ""},
    {"Call to ibv_create_qp failed with error Invalid argument", none, ""},
    {"Failed to open libibverbs.so[.1]", "no RDMA library", "misc/ibvwrap.cc:63"},
    {"NET/IB : Unable to open device mlx5_59", "may not open", ""},
    {"socketStartConnect: Connect to fe80::9:8cf0%ib1<17943> failed : Software caused connection abort",
     "hides why", ""},
    {"Connect to 192.0.2.1<45069> failed : Software caused connection abort", "hides why", ""},
    {"Call to bind failed: Address already in use", "RAS's port", "ras/client_support.cc:160"},
    {"Call to bind failed: Address already in use", none, "misc/socket.cc:160"},
    {"Call to ibv_modify_qp failed with error Connection timed out", "RDMA path", ""},
    {"Call to ibv_modify_qp failed with 110 Connection timed out, on dev mlx5_0:1", "RDMA path",
     ""},
    {"Call to ibv_modify_qp failed with error Network is unreachable", "RoCE addresses", ""},
    {"Call to ibv_modify_qp failed with 113 No route to host, on dev mlx5_0:1",
     "RoCE addresses without a route", ""},
    {"Call to ibv_modify_qp failed with 22 Invalid argument, on dev mlx5_0:1", "RoCE at the", ""},
    {"NET/IB : Got completion from peer 10.0.0.5<1> with error 4, opcode 0, len 0, vendor err 81",
     "ACS breaks GPU Direct", ""},
    {"NET/IB: Got completion from peer 10.0.0.5<1> with status=4 opcode=0 len=0 vendor err 81",
     "ACS breaks GPU Direct", ""},
    {"NET/IB : Got completion from peer 10.0.0.5<1> with error 4, opcode 0, len 0, vendor err 51",
     none, ""},
    {"NET/IB : Got completion with error 12, opcode 0, len 0, vendor err 129", "right at the", ""},
    {"NET/IB : Got completion from peer 10.0.0.5<33092> with error 12, opcode 0, len 0",
     "right at the start a configuration", ""},
    {"NET/IB: Got completion from peer 10.0.0.5<1> with status=12 opcode=0 vendor err 129",
     "right at the start a configuration", ""},
    {"NET/IB: Got completion from peer 10.0.0.5<1> with status=IBV_WC_RETRY_EXC_ERR(12)",
     "right at the start a configuration", ""},
    {"NET/IB : Got completion from peer 10.0.0.5<1> with status=129", none, ""},
    {"NET/IB : Got completion from peer 10.0.0.5<1> with error 5, opcode 0, len 0, vendor err 249",
     "flushed behind", ""},
    {"NET/IB : Got async event : port error", "port went down", ""},
    {"NET/IB : mlx5_0:1 Got async error event: port error", "port went down", ""},
    {"NET/IB : mlx5_0:1 Got async event : GID table change", "address was changed", ""},
    {"NET/IB : mlx5_0:1 Got async event : local catastrophic error", "NIC itself failed", ""},
    {"NET/IB : req 0/1 tag 5 peer 10.0.0.5<1> collective mismatch error, local size 1 remote size 2",
     "settings of NCCL differ", ""},
    {"NET/IB : Remote RoCE device is incompatible with the local [0]mlx5_0:1/IB.",
     "InfiniBand at one end", ""},
    {"Bootstrap : no socket interface found", "no interface has an address", ""},
    {"socketProgress: Connection closed by remote peer node-1<5>", "other end is gone", ""},
    {"NET/Socket : peer 10.0.0.1<5> closed", none, ""},
    {"Call to recv from 10.0.0.1<5> failed : Connection reset by peer", "other end is gone", ""},
    {"socketProgressOpt: Call to send to 10.0.0.1<5> failed : Broken pipe", "other end is", ""},
    {"Call to recv from 10.0.0.1<5> failed : Connection timed out", none, ""},
    {"socketStartConnect: Connect to 10.0.0.1<5> failed : Connection refused",
     "nobody listens there", ""},
    {"Net : Connect to 10.0.0.1<5> failed : No route to host", "a firewall between", ""},
    {"Connect to 10.0.0.1<5> failed : Connection timed out", "a firewall between", ""},
    {"Call to connect timeout : Connection timed out", "a firewall between", ""},
    {"Call to connect failed : No route to host", "a firewall between", ""},
    {"socketStartConnect: Connect to 10.0.0.1<5> failed : No route to host", "a firewall", ""},
    {"socketPollConnect: connect to 10.0.0.1<5> returned Connection timed out, exceeded error retry count",
     "a firewall between", ""},
    {"Call to connect timeout : Connection refused", "nobody listens there", ""},
    {"socketFinalizeAccept from 10.0.0.1<5>: wrong type 3 != 4", "connections get crossed", ""},
    {"socketFinalizeAccept: wrong magic 5a8f != 5b", "a port scanner", ""},
    {"Bootstrap Root : rank 1 of 4 ranks has already checked in", "claim one rank", ""},
    {"Bootstrap Root : mismatch in info from procs, nranks 4 vs 8", "claim one rank", ""},
    {"Message truncated : received 1024 bytes instead of 256", "ranks disagree", ""},
    {"NET/Socket : peer 10.0.0.1<5> message truncated : receiving 1024 bytes instead of 256",
     "ranks disagree", ""},
    {"Mismatched NCCL version detected : rank 0 version 21805 rank 1 version 22203",
     "load different libraries", ""},
    {"Mismatched collective detected, please check your collective calls at and around rank 3",
     "order of calls differ", ""},
    {"Call to socket failed : Too many open files", "limit of open files", ""},
    {"[Proxy Service 0] Failed to execute operation Connect from rank 0, retcode 3",
     "says who asked", ""},
    {"Cuda failure 3 'initialization error'", "are forked", ""},
    {"Cuda failure 2 'out of memory'", "no memory of the GPU", ""},
    {"Cuda failure 'API call is not supported in the installed CUDA driver'", "driver is", ""},
    {"Cuda failure 35 'CUDA driver version is insufficient for CUDA runtime version'",
     "driver is older", ""},
    {"Cuda failure 500 'named symbol not found'", "no code for this GPU", ""},
    {"Cuda failure 'no kernel image is available for execution on the device'", "no code for", ""},
    {"no algorithm/protocol available for function Broadcast with datatype ncclInt8. NCCL_ALGO was set to Tree.",
     "Tree has no broadcast", ""},
    {"XML Import error : unexpected trailing / in XML", "broken or foreign file", ""},
    {"Expected to have finished reduction in the prior iteration before starting a new one. This error indicates",
     "got no gradient", "PyTorch"},
    {"The server socket has failed to listen on any local network address. port: 29500",
     "MASTER_PORT is taken", "PyTorch"},
    {"Default process group has not been initialized, please make sure to call init_process_group.",
     "before init_process_group", "PyTorch"},
    {"Timed out after 1801 seconds waiting for clients. 1/2 clients joined.",
     "not all processes have come", "PyTorch"},
    {"Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing",
     "was forked", "PyTorch"},
    {"NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, name=python, GPU has fallen off the bus.",
     "no longer on the PCIe bus", "NVRM"},
    {"NVRM: Xid (PCI:0000:3b:00): 7, pid=1", "has no row here", "NVRM"},
    {"slurmstepd: error: Detected 1 oom_kill event in StepId=12345.0. Some of the step tasks",
     "the host's memory that", "slurm"},
    {"srun: error: node3: task 7: Killed", "killed from outside", "slurm"},
    {"srun: error: node3: tasks 0-7: Killed", "ended these tasks", "slurm"},
    {"srun: error: node3: task 7: Exited with exit code 137", "killed from outside", "slurm"},
    {"srun: error: node3: task 7: Exited with exit code 1", "an error of its own", "slurm"},
    {"noticed that process rank 3 with PID 0 on node node-1 exited on signal 9 (Killed).",
     "killed from outside", "MPI"},
    {"Segmentation fault (core dumped)", "crashed in compiled code", "Linux"},
    {"command terminated with exit code 137", "killed from outside", "Kubernetes"},
    {"The IPv6 network addresses of (node-0, 29500) cannot be retrieved (gai error: -2 - x)",
     "this node finds no such address", "PyTorch"},
    {"exits with return code = 1", "an error of its own", "PyTorch"},
    {"failed (exitcode: -11) local_rank: 0", "names the line of Python", "PyTorch"},
    {"RendezvousConnectionError: The connection to the C10d store has failed.",
     "does not reach the store", "PyTorch"},
    {"RendezvousClosedError", "another node's processes", "PyTorch"},
    {"Signal 9 (SIGKILL) received by PID 14750", "killed from outside", "PyTorch"},
    {"Signal 7 (SIGBUS) received by PID 14750", "a bus error", "PyTorch"},
    {"Signal 6 (SIGABRT) received by PID 886322", "gave up by itself", "PyTorch"},
    {"Signal 15 (SIGTERM) received by PID 886322", "its launcher ended it", "PyTorch"},
    {"Timed out initializing process group in store based barrier on rank: 2, for key: k:1 (world_size=2, worker_count=4, "
     "timeout=0:30:00)",
     "started twice", "PyTorch"},
    {"sendBytes failed on SocketImpl(fd=67, addr=[a]:36214, remote=[a]:43145): Broken pipe",
     "which holds the store", "PyTorch"},
    {"DataLoader worker (pid 1901937) is killed by signal: Aborted.", "num_workers=0", "PyTorch"},
    {"DDP expects same model across all ranks, but Rank 7 has 448 params, while rank 0 has inconsistent 0 params.",
     "another model than rank 0", "PyTorch"},
    {"No available shared memory broadcast block found in 60 seconds. This typically happens",
     "the engine waits for a worker", "vLLM"},
    {"Engine core initialization failed. See root cause above.", "an echo, the engine", "vLLM"},
    {"Engine core proc EngineCore_DP1 died unexpectedly, shutting down client.",
     "an echo, the engine says", "vLLM"},
    {"DeepEP dispatch NVL receiver timeout, channel: 0, RDMA: 0, nvl: 7, src nvl: 1",
     "names nobody", "DeepEP"},
    {"HcclCommInitRootInfo failed.", "did not start on that rank", "HCCL"},
    {"Watchdog timeout (self.watchdog_timeout=300)", "did not end in time", "sglang"},
    {"NVRM: GPU 0000:09:00.0: RmInitAdapter failed! (0x22:0x56:894)", "cannot start that", "NVRM"},
    {"NVRM: fallen off the bus and is not responding to commands.", "cannot start that", "NVRM"},
    {"HW Exception by GPU node-9 (Agent handle: 0x631351bb5a20) reason :GPU Hang", "that AMD GPU",
     "ROCm"},
    {"Memory access fault by GPU node-4 (Agent handle: 0x56) on address 0x7f", "that AMD", "ROCm"},
    {"could not select device driver \"\" with capabilities: [[gpu]].", "docker knows", "docker"},
    {"Command 'ssh -o PasswordAuthentication=no 10.0.0.1 hostname' returned non-zero exit status 255.",
     "cannot start processes on that node", "ssh"},
    {"Lightning can't create new processes if CUDA is already initialized. Did you", "by spawn",
     "PyTorch"},
    {"System not yet initialized (error 802)", "nvidia-fabricmanager", ""},
    {"Cuda failure 'invalid kernel file'", "no code for this GPU", ""},
    {"Getting socket times out. Reason: Remote Rank did not send the data in time.",
     "waited for another", "HCCL"},
    {"[HcclSocket][Listen] socket type[1], listen on ip[10.0.0.1] and specific port[16666] fail.",
     "is taken", "HCCL"},
    {"One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting",
     "names who did not", "Horovod"},
    {"Cuda failure 710 'device-side assert triggered'", "an index out of range", ""},
    {"Caught signal 11 (Segmentation fault: address not mapped to object at address 0x48)",
     "crashed in compiled code", "Linux"},
    {"noticed that process rank 0 with PID 0 on node a exited on signal 15 (Terminated).",
     "was told to end", "MPI"},
    {"connect(fd=48, dest_addr=172.17.0.1:42887) failed: Connection refused", "docker0", "MPI"},
    {"Permission denied (publickey,password).", "sshd and the keys", "ssh"},
    {"undefined symbol: ncclCommRegister", "another libnccl", "PyTorch"},
    {"Missing \"HSA_FORCE_FINE_GRAIN_PCIE=1\" from environment which can lead to low",
     "over PCIe slowly", ""},
    {"hipIpcGetMemHandle failed : invalid argument", "map this memory", ""},
    {"Cuda failure 999 'unknown error'", "the driver or the GPU itself", "include/alloc.h:123"},
    {"ncclMaxSharedMem 82240 exceeds device/fn maxSharedMem 79856", "a newer NCCL", ""},
    {"Call to ibv_reg_dmabuf_mr failed with error Operation not supported", "by dma-buf", ""},
    {"NET/OFI Request 0x7f14cc5b60c0 completed with error. RC: 113. Error: 2 (UNDELIVERABLE). Completed length: 0",
     "did not deliver", ""},
    {"socketTryAccept: Accept failed: Bad file descriptor", "an echo", ""},
    {"Workers (tasks / actors) killed due to memory pressure (OOM), 0 Workers crashed",
     "Ray killed it", "Ray"},
    {"Unable to load NCCL library. Multi-GPU collectives will not work.", "finds no", "XLA"},
    {"TP rank 1 could finish the model loading, but there are other ranks that didn't finish loading",
     "did not load the model", "sglang"},
    {"Net : Call to recv from 10.0.0.1<5> failed : Broken pipe", "other end is gone", ""},
    {"Cuda failure 'invalid kernel file'", "no code for this GPU", ""},
    {"NET/IB : collective mismatch error local size 131072 remote 0", "settings of NCCL differ",
     ""},
    {"CUDA failure common.cu:941 'system not yet initialized'", "nvidia-fabricmanager", ""},
    {"CUDA failure common.cu:1045 'CUDA driver version is insufficient for CUDA runtime version'",
     "driver is older", ""},
    {"cuda runtime error (101) : invalid device ordinal at Module.cpp:59", "fewer GPUs", "PyTorch"},
    {"ssh: connect to host 10.0.0.1 port 22: Connection refused", "sshd and the keys", "ssh"},
    {"/usr/sbin/sshd: No such file or directory", "sshd and the keys", "ssh"},
    {"ibv_create_cq(cqe=4096) failed: Cannot allocate memory", "locked memory", "MPI"},
    {"host not found: Name or service not known", "getent hosts", "PyTorch"},
    {"tsd client wait response fail, device response code[1]. unknown device error", "npu-smi",
     "Ascend"},
    {"Cuda failure 'no CUDA-capable device is detected'", "this process sees no GPU", ""},
    {"Call to ibv_modify_qp failed with error Invalid argument", "RoCE at the other", ""},
    {"Could not find real path of /sys/class/pci_bus/0000:1e/../../0000:1e:00.0", "as in WSL", ""},
    {"NET/OFI Unable to register memory (type = 1) for device 0. RC: 12, Error: Cannot allocate memory",
     "locked memory", ""},
    {"NET/OFI Request completed with error. RC: 21. Error: unknown error", "security group", ""},
    {"NET/OFI Couldn't open AV. RC: -22, ERROR: Invalid argument", "efa lines in", ""},
    {"infiniband efa_0: Failed to process command ALLOC_PD (opcode 14) comp_status 1 err -12",
     "none left of what is asked", "Linux"},
    {"The client socket has failed to connect to [kubernetes.docker.internal]:55980 (system error: 10049 - x).",
     "Windows' hosts file", "PyTorch"},
    {"The client socket has failed to connect to [a]:5 (errno: 111 - Connection refused).",
     "not all processes have come", "PyTorch"},
    {"use_libuv was requested but PyTorch was built without libuv support", "USE_LIBUV=0",
     "PyTorch"},
    {"cuda runtime error (39) : uncorrectable ECC error encountered at /a.cpp:265", "is broken",
     "PyTorch"},
    {"CUDA_ERROR_ECC_UNCORRECTABLE", "is broken", "CUDA"},
    {"CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered", "not its own", "CUDA"},
    {"Distributed package doesn't have NCCL built in", "most for Jetson", "PyTorch"},
    {"INTERNAL ASSERT FAILED at \"/a/TraceUtils.h\":237, please report a bug to PyTorch.",
     "a fault of that version", "PyTorch"},
    {"Received 15 death signal, shutting down workers", "its launcher ended it", "PyTorch"},
    {"NVRM: GPU6 RPC event history (CPU <- GSP):", "does not answer", "NVRM"},
    {"ibv_reg_mr failed: Cannot allocate memory", "locked memory", "MPI"},
    {"段错误               （核心已转储） ./run", "crashed in compiled code", "Linux"},
    {"line 12: 41231 Killed                  python train.py", "killed from outside", "Linux"},
    {"line 3: 7 Bus error               python train.py", "a bus error is mostly", "Linux"},
    {"The node was low on resource: memory. Container pytorch was using", "or Evicted",
     "Kubernetes"},
    {"已杀死 python3 train.py", "killed from outside", "Linux"},
    {"IO_PAGE_FAULT domain=0x0003 address=0x80000040 flags=0x0020]", "iommu=pt", "Linux"},
    {"DMAR: [DMA Write NO_PASID] Request device [3b:00.0] fault addr 0x387f", "iommu=pt", "Linux"},
    {"ORTE has lost communication with a remote daemon.", "a node of the job is gone", "MPI"},
    {"[GPU 1] Peer GPU 0 is not accessible, exiting ...", "joins these two GPUs", "NVSHMEM"},
    {"neither nv_peer_mem, or nvidia_peermem detected. Skipping transport.", "goes without its",
     "NVSHMEM"},
    {"Cuda failure 'an illegal instruction was encountered'", "built for another GPU", ""},
    {"CUDA error: an illegal instruction was encountered", "built for another GPU", "PyTorch"},
    {"error creating nvml.Device 5: nvml: GPU is lost", "dmesg for Xid, as 79", "nvidia-smi"},
    {"ucp returned connect error: Endpoint timeout", "docker0", "MPI"},
    {"This may indicate a possible application crash on rank 0 or a network set up issue.",
     "which holds the store", "PyTorch"},
    {"Insufficient nvidia.com/gpu, 1 node(s) were unschedulable.", "so many GPUs free",
     "Kubernetes"},
    {"unhandled cuda error", "a class, no cause", ""},
    {"something new", none, ""},
};
enum { N_EXAMPLES = sizeof examples / sizeof *examples };

/* Returns which row a message meets, the only one; -1: none. */
static bool is_rest(const rn_nccl_message *row) { /* what no other row of its program knows */
    return strstr(row->hint, "has no row here") != NULL;
}
static int only_row(int i_example) {
    int n, met = -1;
    const rn_nccl_message *rows = rn_nccl_messages(&n);
    for (int i = 0; i < n; i++) {
        if (!rn_nccl_meets(&rows[i], examples[i_example].place, examples[i_example].message))
            continue;
        if (met >= 0 && is_rest(&rows[i])) continue;
        cr_expect_eq(met, -1, "%s: %s, and %s", examples[i_example].message, rows[i].hint,
                     met < 0 ? "" : rows[met].hint);
        met = i;
    }
    return met;
}

/* A message of a form; digit: for what varies. */
static const char *message_of(const char *form, char digit, char message[256]) {
    size_t to = 0;
    for (const char *at = form; *at != '\0'; at++)
        if (*at != '$') message[to++] = *at == '%' ? 'x' : *at == '#' ? digit : *at;
    if (to > 0 && message[to - 1] == ' ') message[to++] = 'x'; /* more follows */
    message[to] = '\0';
    return message;
}

/* Tells whether a heading of the document holds these words. */
static bool has_heading(const char *document, const char *words) {
    char line[512];
    bool found = false;
    FILE *file = fopen(document, "r");
    cr_assert_not_null(file, "%s", document);
    while (!found && fgets(line, sizeof line, file) != NULL)
        found = strncmp(line, "## ", 3) == 0 && strstr(line, words) != NULL;
    fclose(file);
    return found;
}

Test(nccl_said, each_row_of_messages_has_its_examples_and_no_message_has_two) {
    int n;
    const rn_nccl_message *rows = rn_nccl_messages(&n);
    for (int i = 0; i < n; i++) {
        const char *place = rows[i].file != NULL ? rows[i].file : "";
        for (int k = 0; k < 13 && rows[i].forms[k] != NULL; k++) {
            char message[256];
            message_of(rows[i].forms[k], '7', message);
            for (int other = 0; other < n; other++)
                cr_expect_eq(rn_nccl_meets(&rows[other], place, message) &&
                                 (other == i || !is_rest(&rows[other])),
                             other == i, "%s: %s, %s", place, message, rows[other].hint);
        }
    }
    for (int i = 0; i < N_EXAMPLES; i++) {
        const int row = only_row(i);
        const bool has = row >= 0 && strstr(rows[row].hint, examples[i].hint) != NULL;
        cr_expect_eq(has, examples[i].hint != none, "%s: %s", examples[i].message,
                     row >= 0 ? rows[row].hint : "no row");
        cr_expect(examples[i].hint != none || row < 0, "%s", examples[i].message);
    }
    for (int i = 0; i < n; i++) {
        cr_expect_lt(strlen(rows[i].hint), 256, "%s",
                     rows[i].hint); /* it is said behind a message */
        cr_expect_not_null(rows[i].source);
        for (int k = 0; k < 2 && rows[i].asked != NULL; k++) {
            static const char *const documents[] = {"docs/questions.md", "docs/questions.zh_CN.md"};
            cr_expect(has_heading(documents[k], rows[i].asked), "%s: %s", documents[k],
                      rows[i].asked);
        }
    }
}

Test(nccl_said, give_a_warning_the_hint_of_its_own_form_and_of_no_other) {
    int n_rows;
    const rn_nccl_message *rows = rn_nccl_messages(&n_rows);
    for (int i = 0; i < N_EXAMPLES; i++) {
        const char *message = examples[i].message;
        const int row = only_row(i);
        const char *asked = row >= 0 ? rows[row].asked : NULL;
        const char *who = row >= 0 ? rn_log_speaker(&rows[row]) : NULL;
        if (row >= 0 && rows[row].severity == RN_SAYS_CLASS) continue;
        if (row >= 0 && rows[row].severity == RN_SAYS_SLOWER && rows[row].file == NULL) {
            begin_log(1); /* NCCL may think nothing of it */
            ADD("h:1:2 [0] NCCL INFO %s\n", message);
            read_log();
            cr_expect_eq(count_found(rows[row].hint), 1, "%s", message);
        }
        for (int n = 1; n < 3; n++) {
            begin_log(1);
            for (int k = 0; k < n; k++)
                ADD("h:1:2 [0] %s NCCL WARN %s\n", examples[i].place, message);
            read_log();
            cr_assert_eq(count_all(), 1, "%s", message);
            expect_found(
                RN_WARNING, 1, n == 1 ? "%s warns: %s%s%s%s%s" : "%s warns, 2 times: %s%s%s%s%s",
                who != NULL ? who : "NCCL", message, row >= 0 ? "; most likely " : "",
                row >= 0 ? rows[row].hint : "",
                asked != NULL ? "; more in docs/questions.md: " : "", asked != NULL ? asked : "");
        }
    }
}

/* Some lines of one form, all behind one word, are each NCCL's still when the text has been made plain. */
static void expect_known(const char *form, const char *word, int n) {
    char message[256];
    rn_plain plain;
    begin_log(1);
    for (int k = 0; k < n; k++) ADD("%s%s\n", word, message_of(form, (char)('1' + k), message));
    cr_assert_eq(rn_make_plain(text, n_text, &arena, &error, &plain), RS_OK);
    rn_lines l = {.text = plain.text, .n_bytes = plain.n_bytes};
    for (int k = 0; k < n; k++) {
        cr_assert(rn_next_line(&l));
        cr_assert(rn_nccl_is_log_line(l.line, l.n), "%s", text);
    }
}

/* As dmesg has them: the words that lines share are the message's, no tag of a launcher. */
Test(nccl_said, a_message_is_known_however_often_it_is_there_and_behind_whatever_word) {
    static const char *const words[] = {"", "kernel: ", "slurmstepd: ", "[ 1.5] ", "worker "};
    int n_rows;
    const rn_nccl_message *rows = rn_nccl_messages(&n_rows);
    for (int i = 0; i < n_rows; i++) {
        for (int k = 0; k < 13 && rows[i].forms[k] != NULL; k++) {
            char message[256];
            message_of(rows[i].forms[k], '7', message);
            if (!rn_nccl_is_log_line(message, strlen(message))) continue;
            for (int w = 0; w < 5; w++) {
                for (int n = 1; n <= 6; n++) expect_known(rows[i].forms[k], words[w], n);
            }
        }
    }
}

Test(nccl_said, the_reader_s_page_lists_each_message) {
    static char page[1 << 17];
    int n_rows;
    const rn_nccl_message *rows = rn_nccl_messages(&n_rows);
    FILE *file = fopen("docs/nccl.md", "rb");
    cr_assert_not_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    int n = 0;
    for (int i = 0; i < n_rows; i++) {
        char line[1024];
        snprintf(line, sizeof line, "\n| `%s%s%s` | %s | %s |\n",
                 rows[i].file != NULL ? rows[i].file : "", rows[i].file != NULL ? ": " : "",
                 rows[i].forms[0], rows[i].hint, rows[i].source);
        cr_expect_not_null(strstr(page, line), "docs/nccl.md lacks %s", line);
    }
    for (const char *at = strstr(page, "## Messages whose");
         at != NULL && (at = strstr(at, "\n| `")) != NULL; at++)
        n++;
    cr_expect_eq(n, n_rows);
}

/* ------------------------------------------------------------------ cause and echo */

#define WARN(words) ADD("h:1:2 [0] NCCL WARN " words "\n")

/* Xids of two numbers are two, of one number one; that after which a GPU needs a reset comes first, whenever it came. */
Test(nccl_said, each_xid_is_said_and_the_fatal_one_first) {
    static const struct {
        const char *words;
        bool fatal;
    } xids[] = {{"13, Graphics Exception", false},
                {"31, MMU Fault", false},
                {"45, Ch 00000001", false},
                {"79, GPU has fallen off the bus", true},
                {"94, Contained", false},
                {"95, Uncontained", true},
                {"144, SAW_MVB Nonfatal", false},
                {"149, NETIR_LINK_EVT Fatal", true},
                {"119, Timeout after 6s", true},
                {"120, GSP Error", true},
                {"145, RLW_RXPIPE Nonfatal", false},
                {"210, of a later driver", false}};
    const int n = sizeof xids / sizeof *xids;
    for (int i = 0; i < n * n; i++) {
        const int a = i / n, b = i % n;
        begin_log(1);
        ADD("NVRM: Xid (PCI:0000:3b:00): %s\n", xids[a].words);
        ADD("NVRM: Xid (PCI:0000:5c:00): %s\n", xids[b].words);
        read_log();
        cr_assert_eq(count_all(), a == b ? 1 : 2, "%s", text);
        if (a == b || xids[a].fatal == xids[b].fatal) continue;
        const rn_finding *first = &found_.list[0];
        cr_assert(first->first && first->line == (xids[a].fatal ? 1 : 2), "%s", text);
        cr_assert_null(strstr(first->said.text, "as in line"), "%s", first->said.text);
    }
}

Test(nccl_said, what_ends_a_job_comes_first_and_what_follows_is_its_echo) {
    begin_log(1);
    LOG_SAYS("NCCL_P2P_LEVEL set by environment to LOC");
    WARN("socketProgress: Connection closed by remote peer a<5>");
    WARN("No transport found for rank 0[1] -> rank 1[2]");
    WARN("No transport found for rank 1[2] -> rank 0[1]");
    WARN("Call to recv from b<5> failed : Broken pipe");
    read_log();
    cr_assert(found_.list[0].first);
    cr_assert_eq(found_.list[0].line, 3);
    cr_assert_eq(count_found("; NCCL_P2P_LEVEL is set"), 1);
    cr_assert_eq(count_found("an echo, the process"), 1); /* before the cause was known */
    expect_found(RN_WARNING, 4,
                 "NCCL warns: No transport found for rank 1[2] -> rank 0[1]; as in line 3");
    expect_found(
        RN_WARNING, 5,
        "NCCL warns: Call to recv from b<5> failed : Broken pipe; most likely an echo of line 3");
}

Test(nccl_said, what_follows_from_a_warning_of_unknown_cause_may_be_its_echo) {
    begin_log(1);
    WARN("Call to recv from b<5> failed : Broken pipe");
    WARN("something new");
    WARN("[Service thread] Accept failed");
    WARN("[Proxy Service 0] Failed to execute operation Connect from rank 0, retcode 3");
    read_log();
    cr_assert_eq(count_found("an echo, the process"), 1);
    cr_assert_eq(count_found("; perhaps an echo of line 2"), 2);
    cr_assert_eq(found_.list[0].line, 2);
}

Test(nccl_said, why_a_job_is_slow_may_be_told_by_lines_that_warn_of_nothing) {
    begin_log(1);
    LOG_SAYS("P2P not supported between GPU3 and GPU0");
    LOG_SAYS("P2P not supported between GPU3 and GPU1");
    LOG_SAYS("Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 1");
    read_log();
    cr_assert_eq(count_all(), 1);
    cr_assert_eq(
        count_found(
            "NCCL says, 2 times: P2P not supported between GPU3 and GPU0; most likely CUDA"),
        1);
    cr_assert_eq(log_.n_unknown, 1);
}

Test(nccl_said, an_exception_of_pytorch_s_has_its_cause_behind_last_error) {
    static const char *const tags[] = {"", "[rank3]: ", "[rank3]:[rank3]: "};
    for (int i = 0; i < 3; i++) {
        begin_log(1);
        ADD("%sX.DistBackendError: NCCL error in: /a/b.cpp:17, invalid usage (run with NCCL_DEBUG=WARN), NCCL version "
            "2.19.3\n%sncclInvalidUsage: This usually reflects invalid usage of NCCL library.\n",
            tags[i], tags[i]);
        read_log();
        cr_assert_eq(count_all(), 1);
        cr_assert_eq(count_found("NCCL says: invalid usage; that is a class, no cause: "), 1);
        ADD("%sLast error:\n", tags[i]);
        if (i > 0) ADD("[rank4]: Traceback (most recent call last):\n");
        ADD("%sDuplicate GPU detected : rank 3 and rank 0 both on CUDA device f000\n", tags[i]);
        read_log();
        cr_assert_eq(count_all(), 1);
        cr_assert_eq(
            count_found(
                "NCCL warns: Duplicate GPU detected : rank 3 and rank 0 both on CUDA device f000; most "
                "likely two ranks"),
            1);
        cr_assert_eq(log_.version, 21903);
    }
    begin_log(1);
    ADD("RuntimeError: NCCL error in: /a/b.cpp:17, unhandled system error, NCCL version 2.14.3 ncclSystemError: System call "
        "failed. Last error: socketStartConnect: Connect to 10.0.0.1<5> failed : Connection refused\n");
    read_log();
    cr_assert_eq(count_all(), 1);
    cr_assert_eq(count_found("Connection refused; most likely nobody listens there"), 1);
    cr_assert(rn_nccl_is_log_line("RuntimeError: NCCL error: unhandled cuda error (run with", 56));
    cr_assert(rn_nccl_is_log_line("ncclSystemError: System call (e.g. socket, malloc) failed", 57));
    cr_assert_not(rn_nccl_is_log_line("pip install nvidia-nccl-cu12==2.19.3", 36));
}

Test(nccl_said, a_message_like_no_other_program_s_needs_no_mark) {
    static const char duplicate[] =
        "Duplicate GPU detected : rank 3 and rank 0 both on CUDA device f000";
    static const char *const tags[] = {
        "", "[rank3]: ", "X.DistBackendError: invalid usage, NCCL version 2.19.3\n"};
    for (int i = 0; i < 3; i++) {
        begin_log(1);
        ADD("%s%s\n", tags[i], duplicate);
        read_log();
        cr_assert_eq(count_all(), 1);
        cr_assert_eq(count_found("NCCL warns: Duplicate GPU detected : rank 3 and rank 0 both"), 1);
    }
    cr_assert(rn_nccl_is_log_line(duplicate, strlen(duplicate)));
    cr_assert_not(rn_nccl_is_log_line("Too many open files", 19));
}

/* ------------------------------------------------------------------ what lines say together */

static void read_lines(const char *const lines[]) {
    begin_log(1);
    for (int i = 0; lines[i] != NULL; i++) LOG_SAYS("%s", lines[i]);
    read_log();
}

Test(nccl_said, sockets_beside_a_plugin_are_told_where_nothing_else_explains_them) {
    static const char *const plugins[][2] = {
        {"NET/OFI Running on P4d platform", "aws-ofi-nccl is there (line 2): a plugin of another"},
        {"NET/Plugin: Loaded net plugin NCCL RDMA Plugin (v5)",
         "is loaded (line 2): no RDMA device"},
        {"NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.", NULL},
        {"NET/Plugin: Failed to find ncclNetPlugin_v6 symbol.", NULL}};
    static const char *const others[] = {"CC Off", "NCCL_IB_DISABLE set by environment to 1.",
                                         "NCCL_NET set by environment to Socket.",
                                         "comm 0x5 rank 0 nRanks 8 nNodes 1 localRanks 8"};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++) {
            for (int socket = 0; socket < 2; socket++) {
                read_lines((const char *const[]){
                    others[k], plugins[i][0], "NET/IB : No device found.",
                    socket ? "Using network Socket" : "Using network IB", NULL});
                cr_expect_eq(count_found("sockets are used, though"),
                             k == 0 && socket && plugins[i][1] != NULL);
                if (k == 0 && socket && plugins[i][1] != NULL)
                    cr_expect_eq(count_found(plugins[i][1]), 1, "%s", found_.list[0].said.text);
            }
        }
    }
}

Test(nccl_said, an_nvlink_that_is_slower_one_way_is_told_and_equal_ones_are_not) {
    for (int back = 20; back <= 240; back += 20) {
        char link[40];
        snprintf(link, sizeof link, "  + NVL[%d.0] - GPU/0-2", back);
        read_lines((const char *const[]){"=== System : maxBw 24.0 ===", "+ PCI[24.0] - GPU/0-1 (0)",
                                         link, "+ PCI[24.0] - GPU/0-2 (1)",
                                         "  + NVL[240.0] - GPU/0-1", NULL});
        cr_expect_eq(count_all(), back < 180, "%d", back);
        if (back < 180)
            expect_found(
                RN_WARNING, 3,
                "NVLink from GPU/0-1 to GPU/0-2 has %d.0 GB/s, and 240.0 the other way: links of one direction are "
                "down or not seen; rings are as slow as that (nvidia-smi nvlink -s)",
                back);
    }
}

Test(nccl_said, lines_that_ray_folds_speak_for_others) {
    static const char start_line[] =
        "comm 0x5 rank 6 nranks 8 cudaDev 6 commId 0x9 - Init START [repeated 15x across cluster]";
    read_lines((const char *const[]){
        start_line, "NCCL_P2P_LEVEL set by environment to NVL [repeated 3x across cluster]", NULL});
    cr_assert_eq(count_all(), 2);
    cr_assert_str_eq(log_.settings[0].value, "NVL");
    cr_assert_eq(count_found("Ray folds lines that are alike: 2 of them stand for 18 more"), 1);
}

Test(nccl_said, rccl_is_known_by_its_words_and_a_fork_by_its_algorithm) {
    static const char *const words[] = {"initialized internal alternative rsmi functionality",
                                        "NET/Plugin: Could not find: librccl-net.so."};
    for (int i = 0; i < 2; i++) {
        read_lines((const char *const[]){words[i], words[i], NULL});
        cr_assert(log_.rccl);
        cr_assert_eq(count_found("this is RCCL"), 1);
    }
    for (int known = 0; known < 2; known++) {
        read_lines((const char *const[]){"NCCL version 2.23.4+cuda12.6",
                                         known ? "NCCL_ALGO set by environment to ^tree,Ring"
                                               : "NCCL_ALGO set by environment to Ring,MSCCL",
                                         NULL});
        cr_expect_eq(
            count_found("NCCL_ALGO: NCCL 2.23.4 knows no algorithm MSCCL and passes over it"),
            !known);
        cr_expect_eq(count_all(), 2 - known);
    }
}

Test(nccl_said, what_symmetric_kernels_and_the_copy_engine_carry_is_counted) {
    read_lines((const char *const[]){
        "AllReduce [Symmetric]: 1024 Bytes -> Kernel AllReduce_AGxLL_R nchannels 1 nthreads 512 nWorks 1",
        "AllGather [Copy Engine]: 4096 Bytes -> cudaMemcpy; CE synchronization with NVLS",
        "AllGather [Hierarchical CE]: 4096 Bytes -> RMA proxy + CE",
        "AllReduce: 4096 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..0}", NULL});
    cr_assert_eq(log_.n_unknown, 0);
    expect_found(RN_NOTE, 1,
                 "calls by symmetric kernels: 1, by the copy engine: 2, by NCCL's algorithms: 1");
    cr_assert_eq(count_all(), 1);
}

/* Ranks of one host, and those that shared memory joins with them, are on one node; a network joins none. */
Test(nccl_said, one_node_is_what_hosts_and_shared_memory_join) {
    static const char *const transports[] = {"SHM/direct/direct", "P2P/CUMEM", "NET/IB/0",
                                             "P2P/MNNVL"};
    for (int i = 0; i < 4; i++) {
        for (int other = 0; other < 2; other++) {
            begin_log(1);
            LOG_SAYS("comm 0x5 rank 0 nranks 3 cudaDev 0 commId 0x9 - Init COMPLETE");
            ADD("%c:7:7 [0] NCCL INFO Ring 00 : 0 -> 1 -> 2\n", other ? 'i' : 'h');
            LOG_SAYS("Channel 00/0 : 0[0] -> 2[2] via %s", transports[i]);
            read_log();
            cr_expect_eq(log_.n_nodes, i < 2 && !other, "%s %d", transports[i], other);
            cr_expect_eq(log_.n_heard, 2);
        }
    }
    begin_log(1);
    LOG_SAYS("misc/socket.cc:607 -> 6 socketWait(NCCL_SOCKET_SEND)");
    read_log();
    cr_assert_eq(log_.n_unknown, 0);
}
