/* test_evidence.c: what lines of logs prove themselves, in the forms in which torch, NCCL and launchers write them; whom the verdict
 * names, and where it names nobody.
 */
#include "nccl/hang/dumps/said_log.h"

TestSuite(evidence, .init = start, .fini = stop);

#define CAUGHT(r, time, seq)                                                                       \
    "[rank" r "]:[E128 " time " ProcessGroupNCCL.cpp:632] [Rank " r                                \
    "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=" seq                         \
    ", OpType=ALLREDUCE, NumelIn=4, NumelOut=4, Timeout(ms)=600000) ran for 600051 milliseconds "  \
    "before timing out.\n"
#define AT_7(r) CAUGHT(r, "13:33:00.78", "7")
#define SEVEN AT_7("0") AT_7("1") AT_7("2") AT_7("3") AT_7("4") AT_7("6") AT_7("7")
#define GAVE_UP(r, time, seq, last)                                                                \
    CAUGHT(r, time, seq)                                                                           \
    "[rank" r "]:[E128 " time " x] [PG ID 0 PG GUID 0(default_pg) Rank " r                         \
    "] failure detected by watchdog at work sequence id: " seq                                     \
    " PG status: last enqueued work: " last "\n"
#define TWO_STARTS(seq)                                                                            \
    GAVE_UP("0", "01:00:00.1", "90", "92")                                                         \
    GAVE_UP("2", "01:00:00.2", "90", "92")                                                         \
    GAVE_UP("1", "01:00:00.3", "90", "92")                                                         \
    GAVE_UP("3", "01:00:09.1", seq, "900")                                                         \
    GAVE_UP("0", "01:00:09.2", seq, "900") GAVE_UP("1", "01:00:09.3", seq, "900")
/* Of a version whose lines have no times; ranks that gave up one behind the other. */
#define RAN(r, seq, ms)                                                                            \
    "[rank" r "]:[E x] [Rank " r "] Watchdog caught: WorkNCCL(SeqNum=" seq                         \
    ", OpType=ALLREDUCE, NumelIn=4, NumelOut=4, Timeout(ms)=600000) ran for 6000" ms " ms\n"
#define FAILED(r, seq) "[rank" r "]:[E x] [PG 0 Rank " r "] Timeout at NCCL work: " seq ", last\n"
#define ROUND(a, b, c, seq, ms)                                                                    \
    RAN(a, seq, ms) FAILED(a, seq) RAN(b, seq, ms) FAILED(b, seq) RAN(c, seq, ms) FAILED(c, seq)
#define FIRST ROUND("1", "2", "3", "50", "11")
#define LAUNCHER "run.py:793] Setting OMP_NUM_THREADS environment variable for each process\n"
#define CUDA(r, time)                                                                              \
    "[rank" r "]:[E128 " time " ProcessGroupNCCL.cpp:1897] [PG ID 0 PG GUID 0(default_pg) Rank " r \
    "] Process group watchdog thread terminated with exception: CUDA error: an illegal memory "    \
    "access was encountered\n"
#define STANDS(r, time)                                                                            \
    "[rank" r "]:[E128 " time " ProcessGroupNCCL.cpp:1743] [PG ID 0 PG GUID 0(default_pg) Rank " r \
    "] ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress\n"
#define LAGS(ranks)                                                                                \
    "\t     [" ranks "] finished collective "                                                      \
    "#6, but didn't join collective "                                                              \
    "#7 (count from 1)\n"
#define OPTIONS ", TensorDeviceTypes=TensorOptions(dtype=float (default), device=cuda)"
#define PRINT(n, op, shape)                                                                        \
    "CollectiveFingerPrint(SequenceNumber=" n ", OpType=" op ", TensorShape=[" shape               \
    "], TensorDtypes=Float" OPTIONS ")"
#define DIFFER(a, of_a, b, of_b)                                                                   \
    "[rank" a "]: RuntimeError: Detected mismatch between collectives on ranks. Rank " a           \
    " is running collective: " of_a ", but Rank " b " is running collective: " of_b                \
    ".Collectives differ in the following aspects: \n"
#define REDUCE PRINT("5", "ALLREDUCE", "2, 3")
#define GATHER PRINT("5", "ALLGATHER", "2, 3")
#define TABLE(rank, code)                                                                          \
    "Root Cause (first observed failure):\n[0]:\n  time      : 2024-09-11_09:17:37\n"              \
    "  rank      : " rank " (local_rank: 1)\n  exitcode  : " code " (pid: 886322)\n"
#define RAISES(r, file, what)                                                                      \
    r "Traceback (most recent call last):\n" r "  File \"/app/train.py\", line 41, in step\n" r    \
      "    f(x)\n" r "  File \"/usr/lib/python3/" file "\", line 5, in f\n" r what "\n"
#define INIT(r, what)                                                                              \
    "h:50" r ":7 [" r "] NCCL INFO ncclCommInitRank comm 0x5" r " rank " r " nranks 4 cudaDev " r  \
    " commId 0x3a - Init " what "\n"
#define COLL(pid, gpu, call, count)                                                                \
    "h:" pid ":" pid " [" gpu "] NCCL INFO " call                                                  \
    ": opCount 28c sendbuff 0x7 recvbuff 0x7 count " count " datatype 7 op 0 root 0 comm 0x5" gpu  \
    " [nranks=4] stream 0x1\n"
#define STACK(rank, line)                                                                          \
    "== pid 41" rank " rank " rank " ==\nProcess 41" rank ": python train.py\n\nThread 41" rank    \
    " (active): \"MainThread\"\n    all_reduce (torch/distributed/distributed_c10d.py:2810)\n    " \
    "step (train.py:" line ")\n"

#define CALLS(count)                                                                               \
    INIT("0", "COMPLETE")                                                                          \
    INIT("1", "COMPLETE")                                                                          \
    INIT("2", "COMPLETE")                                                                          \
    INIT("3", "COMPLETE")                                                                          \
    COLL("500", "0", "AllReduce", "4")                                                             \
    COLL("501", "1", "AllReduce", "4")                                                             \
    COLL("502", "2", "AllReduce", "4") COLL("503", "3", "AllReduce", count)
#define OVER(r) "[rank" r "]:[W1127 x] destroy_process_group() was not called before program exit\n"
#define BOOT(pid) "h:" pid ":7 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>\n"
#define STOOD "rendezvous.cc:31] This thread has been waiting for `call 7` for 10 seconds. "

#define STORE(r, came)                                                                             \
    "INFO:root:Waiting in store based barrier to initialize process group for rank: " r            \
    ", key: store_based_barrier_key:1 (world_size=4, worker_count=" came ", timeout=0:30:00)\n"
#define BARRIER STORE("0", "1") STORE("3", "3") STORE("1", "3") STORE("0", "3")
#define UNNUMBERED(r)                                                                              \
    "  what():  [Rank " r                                                                          \
    "] Watchdog caught collective operation timeout: WorkNCCL(OpType=BROADCAST, "                  \
    "Timeout(ms)=1800000) ran for 1801256 milliseconds before timing out.\n"

static const struct {
    const char *name, *text;
    rn_hang_verdict verdict;
    const char *ranks; /* of the culprits, in order */
} cases[] = {
    {"CUDA error before", CUDA("5", "13:23:00.78") SEVEN, RN_HANG_DIED, "5"},
    {"a store's barrier", BARRIER, RN_HANG_UNDECIDED, "2"},
    {"a store's barrier of which lines are missing", STORE("0", "3"), RN_HANG_UNDECIDED, ""},
    {"a store's barrier that is over",
     BARRIER "INFO:root:Rank 0: Completed store-based barrier for key:x with 4 nodes.\n" SEVEN,
     RN_HANG_SILENT_RANK, "5"},
    {"waits without a number", UNNUMBERED("5") UNNUMBERED("3"), RN_HANG_UNDECIDED, ""},
    {"denied", "[rank5]: no CUDA error: everything fine\n" SEVEN, RN_HANG_SILENT_RANK, "5"},
    {"a comment", "> + /* [rank6]: Watchdog caught */\n" SEVEN, RN_HANG_SILENT_RANK, "5"},
    {"CUDA error before, further down", SEVEN CUDA("5", "13:23:00.78"), RN_HANG_DIED, "5"},
    {"CUDA error behind", SEVEN CUDA("2", "13:33:09.78"), RN_HANG_SILENT_RANK, "5"},
    {"CUDA errors of two", CUDA("5", "13:23:00.78") CUDA("6", "13:23:01.78") AT_7("0") AT_7("1"),
     RN_HANG_UNDECIDED, "5 6"},
    {"CUDA error of nobody", "RuntimeError: CUDA error: device-side assert triggered\n",
     RN_HANG_UNDECIDED, ""},
    {"an exception's last line", "[rank3]: ValueError: loss above 9\n", RN_HANG_DIED, "3"},
    {"a world of more ranks", "--nproc_per_node=8\n" AT_7("0") AT_7("1") AT_7("3"),
     RN_HANG_UNDECIDED, "2 4 5 6 7"},
    {"a world whose last is silent",
     "INFO: world_size=5, backend=nccl\n" AT_7("0") AT_7("1") AT_7("2") AT_7("3"),
     RN_HANG_SILENT_RANK, "4"},
    {"a world of one node", "torchrun --nproc-per-node 3 a.py\n" AT_7("0") AT_7("1") AT_7("2"),
     RN_HANG_STUCK_INSIDE, "0 1 2"},
    {"a world of several nodes",
     "torchrun --nproc-per-node 3 --nnodes 2 a.py\n" AT_7("0") AT_7("1") AT_7("2"),
     RN_HANG_UNDECIDED, ""},
    {"a world by a launcher's table",
     AT_7("0") AT_7("1") AT_7("2") "  rank      : 3 (local_rank: 3)\n", RN_HANG_SILENT_RANK, "3"},
    {"sizes that some lines do not tell",
     "torchrun --nproc-per-node 3 a.py\n" AT_7("0") AT_7(
         "1") "[rank2]:[E x] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, "
              "OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600051 milliseconds\n",
     RN_HANG_UNDECIDED, ""},
    {"who is said to have given up waits, too",
     AT_7("0") AT_7("1")
         AT_7("3") "[rank0]: Received a dump signal due to a collective timeout from  rank 2 and\n",
     RN_HANG_UNDECIDED, "2"},
    {"lines that Ray left out may be another's",
     AT_7("0") AT_7(
         "1") "[rank3]: [Rank 3] Some NCCL operations have failed or timed out [repeated 3x across cluster]\n",
     RN_HANG_UNDECIDED, "2 3"},
    {"ended from outside", "slurmstepd: *** STEP 1.0 ON a CANCELLED AT 2023 ***\n",
     RN_HANG_UNDECIDED, ""},
    {"experts",
     "Rank 0 timed out waiting for completion flag from rank 3\nRank 1 timed out waiting for "
     "completion flag from rank 3\n",
     RN_HANG_MISSING_CALL, "3"},
    {"experts of NCCL",
     "NCCL EP timeout for dispatch receive, rank 2, local_expert_idx 7, src_rank 3\n",
     RN_HANG_MISSING_CALL, "3"},
    {"JAX",
     "Barrier timed out. Id: 0_write.0.1. This usually\n# of tasks that reached the barrier: 2/4.\n"
     "The first task at the barrier: /job:w/replica:0/task:3. Some timed out task names:\n"
     "/job:w/replica:0/task:0\n/job:w/replica:0/task:2\n",
     RN_HANG_MISSING_CALL, "0 2"},
    {"NCCL's own end",
     "h:5:7 [0] NCCL INFO [Service thread] Connection closed by localRank 2\n" SEVEN,
     RN_HANG_SILENT_RANK, "5"},
    {"a world of fewer ranks", "tensor parallel world size: 2\n" SEVEN, RN_HANG_SILENT_RANK, "5"},
    {"an exception that blames another",
     "[rank3]: RuntimeError: Engine core initialization failed. See root cause above.\n",
     RN_HANG_UNDECIDED, ""},
    {"a watchdog that stands before", STANDS("3", "13:25:00.7") AT_7("0") AT_7("1"),
     RN_HANG_UNDECIDED, "3"},
    {"a watchdog that stands behind a timeout", STANDS("3", "13:41:00.7") AT_7("0") AT_7("1"),
     RN_HANG_UNDECIDED, ""},
    {"of an NPU that waits",
     "[rank1]: RuntimeError: OPS function error: HcclAllreduce, error code is 6\n" SEVEN,
     RN_HANG_SILENT_RANK, "5"},
    {"of all ranks",
     "[rank3]: RuntimeError: DDP expects same model across all ranks, but Rank 3 has 9 params\n" SEVEN,
     RN_HANG_SILENT_RANK, "5"},
    {"monitoredBarrier by who waited",
     "Rank 0 timed out waiting for rank(s) 2, 3, original error\n", RN_HANG_MISSING_CALL, "2 3"},
    {"out of memory",
     "[rank5]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n" SEVEN,
     RN_HANG_DIED, "5"},
    {"caught and gone on",
     "[rank2]: CUDA out of memory. Tried to allocate 2.00 GiB, trying again\n" SEVEN,
     RN_HANG_SILENT_RANK, "5"},
    {"caught, in words of its own",
     "[rank2]: WARNING CUDA out of memory at batch 64, retry\n" SEVEN, RN_HANG_SILENT_RANK, "5"},
    {"spoken of", "LINE = \"[rank2]: CUDA error: device-side assert triggered\"\n" SEVEN,
     RN_HANG_SILENT_RANK, "5"},
    {"whose error nobody says", "RuntimeError: CUDA error: device-side assert triggered\n" SEVEN,
     RN_HANG_SILENT_RANK, "5"},
    {"killed", SEVEN TABLE("5", "-9"), RN_HANG_DIED, "5"},
    {"killed, alone", TABLE("3", "-11"), RN_HANG_DIED, "3"},
    {"ended by its watchdog", TABLE("3", "-6"), RN_HANG_UNDECIDED, ""},
    {"ended by its launcher", TABLE("3", "-15"), RN_HANG_UNDECIDED, ""},
    {"killed where it waited", SEVEN TABLE("4", "-9"), RN_HANG_SILENT_RANK, "5"},
    {"mpirun",
     "mpirun noticed that process rank 5 with PID 0 on node n exited on signal 9 (Killed).\n",
     RN_HANG_DIED, "5"},
    {"mpirun, abort",
     "mpirun noticed that process rank 5 with PID 0 on node n exited on signal 6.\n",
     RN_HANG_UNDECIDED, ""},
    {"mpich",
     "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   RANK 3 PID 7 RUNNING AT "
     "n\n=   EXIT CODE: 139\n",
     RN_HANG_DIED, "3"},
    {"spawn",
     "torch.multiprocessing.spawn.ProcessExitedException: process 2 terminated with signal SIGKILL\n",
     RN_HANG_DIED, "2"},
    {"PALS", "n1.cm: rank 6 died from signal 11\nn2.cm: rank 2 died from signal 15\n", RN_HANG_DIED,
     "6"},
    {"mpiexec",
     "rank 3 in job 1 n_5 caused collective abort of all ranks\n  exit status of rank 3: killed by signal 9 \n",
     RN_HANG_DIED, "3"},
    {"composer", "ERROR:composer.cli.launcher:Rank 2 crashed with exit code -7.\n", RN_HANG_DIED,
     "2"},
    {"composer's end", "Global rank 0 (PID 208865) exited with code -11\n", RN_HANG_DIED, "0"},
    {"composer, by itself", "Rank 2 crashed with exit code 1.\n", RN_HANG_UNDECIDED, ""},
    {"of a node no rank",
     "failed (exitcode: -9) local_rank: 1 (pid: 4121) of binary: /usr/bin/python\n",
     RN_HANG_UNDECIDED, ""},
    {"barrier", "RuntimeError: [Rank 0]: Ranks 2, 11 failed to pass monitoredBarrier in 100 ms\n",
     RN_HANG_MISSING_CALL, "2 11"},
    {"barrier, each and all",
     "[E ProcessGroupGloo.cpp:2810] [Rank 0]: Rank 1 failed to pass monitoredBarrier in 100 ms\n"
     "[E ProcessGroupGloo.cpp:2810] [Rank 0]: Rank 3 failed to pass monitoredBarrier in 100 ms\n"
     "[Rank 0]: Ranks 1, 3 failed to pass monitoredBarrier in 100 ms\n",
     RN_HANG_MISSING_CALL, "1 3"},
    {"barrier, a victim",
     "Rank 2 successfully reached monitoredBarrier, but received errors while waiting for send/recv "
     "from rank 0. Please check rank 0 logs for faulty rank.\n Timed out waiting 100ms\n",
     RN_HANG_UNDECIDED, ""},
    {"desync",
     AT_7("0") "\t - To our best knowledge, the lagging/dead/mismatched ranks that caused the desync are:\n" LAGS(
         "3, 12"),
     RN_HANG_MISSING_CALL, "3 12"},
    {"desync, most lag", AT_7("0") LAGS("1, 2, 3"), RN_HANG_UNDECIDED, "1 2 3"},
    {"desync, both",
     AT_7("0") "\t   - [2] joined but didn't finish collective "
               "#6 (count from 1)\n" LAGS("9"),
     RN_HANG_UNDECIDED, "9"},
    {"desync, of another group",
     "[rank0]:[E128 13:33:00.7 p.cpp:1] [PG ID 2 PG GUID 9(tp) Rank 0] Rank 0\n" LAGS("3"),
     RN_HANG_UNDECIDED, ""},
    {"whose rank a log names before",
     "rank 2: 5 samples\nRuntimeError: CUDA error: invalid argument\n", RN_HANG_UNDECIDED, ""},
    {"desync, never",
     AT_7(
         "0") "\t - To our best knowledge, ranks [4, 5] are the lagging ranks that caused this timeout. They "
              "never joined any collectives\n",
     RN_HANG_SILENT_RANK, "4 5"},
    {"fr_trace",
     "Not all ranks joining collective, sequence number: 5\ninternal record id: 4\n"
     "collective: nccl:all_reduce\nmissing ranks: {1}\nworld size: 8\n",
     RN_HANG_MISSING_CALL, "1"},
    {"fr_trace, older",
     "Not all ranks joining collective 5 at entry 4\ngroup info: 0:default_pg\n"
     "collective: nccl:all_reduce\nmissing ranks: {1, 2}\nexpected ranks: 4\n",
     RN_HANG_UNDECIDED, "1 2"},
    {"fr_trace, oldest",
     "Not all ranks joining collective for group 0:default_pg collective nccl:all_reduce "
     "Missing ranks are {6}\n",
     RN_HANG_MISSING_CALL, "6"},
    {"horovod", "Stalled ops:\nAllreduce_1 [missing ranks: 3]\nAllreduce_2 [missing ranks: 3]\n",
     RN_HANG_MISSING_CALL, "3"},
    {"horovod, crossed", "Missing ranks:\n0: [allreduce.a, allreduce.b]\n5: [allreduce.c]\n",
     RN_HANG_UNDECIDED, "0 5"},
    {"fingerprints of all",
     DIFFER("0", REDUCE, "2", GATHER) DIFFER("1", REDUCE, "2", GATHER)
         DIFFER("2", GATHER, "0", REDUCE) DIFFER("3", REDUCE, "2", GATHER),
     RN_HANG_MISMATCH, "2"},
    {"fingerprints of two", DIFFER("1", REDUCE, "7", GATHER), RN_HANG_UNDECIDED, "1 7"},
    {"fingerprints, two to two",
     DIFFER("0", REDUCE, "1", GATHER) DIFFER("2", REDUCE, "1", GATHER)
         DIFFER("3", GATHER, "0", REDUCE),
     RN_HANG_UNDECIDED, "0 1"},
    {"a shape turned", DIFFER("0", REDUCE, "1", PRINT("5", "ALLREDUCE", "3, 2")), RN_HANG_UNDECIDED,
     "0 1"},
    {"nearby",
     "h:1:2 [3] init.cu:1197 NCCL WARN Your program may be hanging, this may be caused by a "
     "collective mismatch around rank 6.\n",
     RN_HANG_UNDECIDED, "6"},
    {"no gradient", "[rank3]: Parameter indices which did not receive grad for rank 3: 282 283\n",
     RN_HANG_UNDECIDED, "3"},
    {"watchdog stuck",
     "[rank6]:[E128 13:23:00.7 p.cpp:1] [PG ID 0 PG GUID 0(default_pg) Rank 6] ProcessGroupNCCL's "
     "watchdog got stuck for 480 seconds without making progress\n",
     RN_HANG_UNDECIDED, "6"},
    {"no heartbeat, older words",
     "[rank1]:[E p.cpp:1316] [PG 0 Rank 1] Heartbeat monitor timed out! Process will be terminated\n"
     "[rank4]:[E p.cpp:1316] [PG 5 Rank 0] Heartbeat monitor timed out! Process will be terminated\n",
     RN_HANG_UNDECIDED, "1 4"},
    {"start of one",
     INIT("0", "START") INIT("1", "START") INIT("2", "START") INIT("3", "START")
         INIT("0", "COMPLETE") INIT("1", "COMPLETE") INIT("3", "COMPLETE"),
     RN_HANG_UNDECIDED, "2"},
    {"starts of half", INIT("0", "START") INIT("1", "START"), RN_HANG_UNDECIDED, ""},
    {"clients",
     "[rank0]: torch.distributed.DistStoreError: Timed out after 61 seconds waiting for clients. 6/8 clients "
     "joined.\n",
     RN_HANG_UNDECIDED, ""},
    {"launches",
     COLL("10", "0", "AllReduce", "5") COLL("11", "1", "AllReduce", "5")
         COLL("12", "2", "AllReduce", "6") COLL("13", "3", "AllReduce", "5"),
     RN_HANG_MISMATCH, ""},
    {"launches, two to two",
     COLL("10", "0", "AllReduce", "5") COLL("11", "1", "AllReduce", "5")
         COLL("12", "2", "AllGather", "5") COLL("13", "3", "AllGather", "5"),
     RN_HANG_UNDECIDED, ""},
    {"launches of some",
     COLL("10", "0", "AllReduce", "5") COLL("11", "1", "AllGather", "5")
         COLL("12", "2", "AllReduce", "5"),
     RN_HANG_UNDECIDED, ""},
    {"stacks", STACK("0", "5") STACK("1", "9") STACK("2", "5"), RN_HANG_UNDECIDED, "1"},
    {"stacks of two", STACK("0", "5") STACK("1", "9"), RN_HANG_UNDECIDED, ""},
    {"an exception of its own", RAISES("[rank5]: ", "json.py", "KeyError: 'labels'") SEVEN,
     RN_HANG_DIED, "5"},
    {"an exception, alone", RAISES("[rank3]: ", "json.py", "my.lib.BadShape.Error: 5"),
     RN_HANG_DIED, "3"},
    {"an exception behind", SEVEN RAISES("[rank6]: ", "json.py", "ValueError: 5"),
     RN_HANG_SILENT_RANK, "5"},
    {"an exception that was caught",
     RAISES("[rank3]: ", "json.py", "ValueError: 5") "[rank3]: step 7 loss 2\n", RN_HANG_UNDECIDED,
     ""},
    {"an exception for others",
     RAISES("[rank3]: ", "json.py", "RuntimeError: Connection reset by peer"), RN_HANG_UNDECIDED,
     ""},
    {"what follows that",
     RAISES("[rank3]: ", "json.py", "RuntimeError: NCCL communicator was aborted")
         RAISES("[rank3]: ", "json.py", "ValueError: 5"),
     RN_HANG_UNDECIDED, ""},
    {"an exception of a collective",
     RAISES("[rank3]: ", "torch/distributed/distributed_c10d.py", "ValueError: 5"),
     RN_HANG_UNDECIDED, ""},
    {"exceptions of two",
     RAISES("[rank1]: ", "json.py", "ValueError: 5") RAISES("[rank2]: ", "a.py", "TypeError: 5"),
     RN_HANG_UNDECIDED, "1 2"},
    {"an exception, and another seen first",
     RAISES("[rank1]: ", "json.py", "ValueError: 5") TABLE("9", "1"), RN_HANG_UNDECIDED, "1 9"},
    {"whose exception no line says", RAISES("", "json.py", "ModuleNotFoundError: no x"),
     RN_HANG_UNDECIDED, ""},
    {"left", TABLE("3", "1"), RN_HANG_UNDECIDED, "3"},
    {"interrupted", RAISES("", "json.py", "KeyboardInterrupt"), RN_HANG_UNDECIDED, ""},
    {"a start without one", INIT("0", "START") INIT("1", "START") INIT("3", "START"),
     RN_HANG_UNDECIDED, "2"},
    {"a later attempt",
     TABLE("3", "-9") "Worker group FAILED. 2/3 attempts left; will restart worker group\n" SEVEN,
     RN_HANG_SILENT_RANK, "5"},
    {"a start without a marker: numbers go back", TWO_STARTS("8"), RN_HANG_SILENT_RANK, "2"},
    {"numbers that go on may be one start's", TWO_STARTS("808"), RN_HANG_UNDECIDED, ""},
    {"each gives up again", FIRST ROUND("1", "2", "3", "80", "24"), RN_HANG_SILENT_RANK, "0"},
    {"whose lines are whose?", FIRST ROUND("0", "1", "3", "50", "24"), RN_HANG_UNDECIDED, ""},
    {"the same said again is one start's", FIRST FIRST, RN_HANG_SILENT_RANK, "0"},
    {"who gave up hours apart", AT_7("2") CAUGHT("5", "19:33:00.78", "7"), RN_HANG_UNDECIDED, ""},
    {"the newest line first",
     FAILED("3", "5") FAILED("2", "5") FAILED("1", "5") RAN("3", "5", "1") RAN("1", "5", "1"),
     RN_HANG_SILENT_RANK, "0"},
    {"a launcher starts those that gave up, and they fail at the same call",
     ROUND("0", "1", "3", "90", "11") LAUNCHER ROUND("1", "2", "3", "90", "11"),
     RN_HANG_SILENT_RANK, "0"},
    {"another launcher starts while the ranks go on", CUDA("5", "12:00:00.1") LAUNCHER SEVEN,
     RN_HANG_DIED, "5"},
    {"a launcher starts others",
     AT_7("0") AT_7("1") AT_7("2") AT_7("3") LAUNCHER AT_7("4") AT_7("6"), RN_HANG_SILENT_RANK,
     "5"},
    {"a process may have two bootstraps", BOOT("1") BOOT("2") AT_7("5") BOOT("1") SEVEN,
     RN_HANG_STUCK_INSIDE, "0 1 2 3 4 5 6 7"},
    {"calls that differ, and all came to their end",
     CALLS("8") OVER("0") OVER("1") OVER("2") OVER("3"), RN_HANG_WRONG_RESULTS, "3"},
    {"and one gave up by itself",
     CALLS("8") "[rank1]: TimeoutError: a step took too long\n" OVER("0") OVER("1") OVER("2")
         OVER("3"),
     RN_HANG_MISMATCH, "3"},
    {"and one did not", CALLS("8") OVER("0") OVER("1") OVER("2"), RN_HANG_MISMATCH, "3"},
    {"and one failed", CALLS("8") OVER("0") OVER("1") OVER("2") OVER("3") AT_7("1"),
     RN_HANG_MISMATCH, "3"},
    {"XLA",
     STOOD "Expected 8 threads to join the rendezvous, but only 7 of them arrived on time.\n",
     RN_HANG_UNDECIDED, ""},
    {"XLA, and no number", STOOD "\n", RN_HANG_UNDECIDED, ""},
    {"Horovod, who came", "a [ready ranks: 3, 0, 2]\n", RN_HANG_UNDECIDED, "1"},
    {"Horovod, cut", "a [missing ranks:\n", RN_HANG_UNDECIDED, ""},
    {"Horovod, too far", "a [ready ranks: 131070]\n", RN_HANG_UNDECIDED, ""},
    {"a fingerprint that is cut", DIFFER("1", REDUCE, "0", "Collec"), RN_HANG_UNDECIDED, ""},
    {"an attempt that says nothing", SEVEN "will restart worker group\nstep 1\n",
     RN_HANG_SILENT_RANK, "5"}};

Test(evidence, of_each_form_names_whom_it_proves) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t n_bytes = strlen(cases[i].text);
        char ranks[256] = "";
        stop();
        start();
        n_dumps = 0;
        cr_assert_neq(read_log(cases[i].text, n_bytes), RS_NO_MEMORY);
        cr_assert_eq(rn_judge_hang(dumps, n_dumps, NULL, &keep, &error, &hang), RS_OK);
        cr_assert_eq(rn_weigh_evidence(said, n_said, &keep, &error, &hang), RS_OK);
        for (int32_t k = 0; k < hang.n_culprits; k++) {
            const size_t used = strlen(ranks);
            snprintf(ranks + used, sizeof ranks - used, k > 0 ? " %d" : "%d",
                     (int)hang.culprits[k].rank);
        }
        cr_expect_eq(hang.verdict, cases[i].verdict, "%s: %s, not %s", cases[i].name,
                     rn_hang_name(hang.verdict), rn_hang_name(cases[i].verdict));
        cr_expect_str_eq(ranks, cases[i].ranks, "%s: %s", cases[i].name, ranks);
    }
}
