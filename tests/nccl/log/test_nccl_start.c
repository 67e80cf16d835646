/* test_nccl_start.c: what a log says of its start: who is there, over which network, what is off and why, who waits. */
#include "log_found.h"

TestSuite(nccl_start, .init = start, .fini = stop);

static void read_text(const char *text) {
    cr_assert_eq(read_bytes(text, strlen(text)), RS_OK, "%s", error.text);
}

#define A "a:1:2 [0] NCCL INFO "
#define B "[1,1]<stdout>:b:1:2 [0] NCCL INFO "

Test(nccl_start, lines_without_an_id_are_of_the_communicator_that_has_one) {
    read_text(
        A "comm 0x5 rank 0 nranks 2 cudaDev 0 busId 1000 commId 0x9 - Init START\n" B
          "comm 0x6 rank 1 nranks 2 cudaDev 0 busId 1000 commId 0x9 - Init START\n" A
          "comm 0x5 rank 0 nranks 2 cudaDev 0 busId 1000 commId 0x9 - Init COMPLETE\n" B
          "comm 0x6 rank 1 nranks 2 cudaDev 0 busId 1000 comma:1:3 [0] NCCL INFO CC Off\n"
          "a:1:1 [0] NCCL INFO comm 0x5 rank 0 nranks 2 cudaDev 0 busId 1000 - Destroy COMPLETE\n");
    cr_assert_eq(log_.n_comms, 1);
    cr_assert_eq(log_.n_hosts, 2);
    cr_assert_eq(log_.n_nodes, 2);
    cr_assert_eq(log_.nodes_line, 0);
    cr_assert_eq(count_found("Init COMPLETE"), 0); /* a torn line may have said it */
}

Test(nccl_start, a_host_s_name_behind_a_torn_message_is_no_host) {
    read_text(
        A
        "comm 0x5 rank 0 nranks 2 cudaDev 0 busId 86a:1:2 [1] NCCL INFO comm 0x6 rank 1 nranks 2 cudaDev 1 busId 9 "
        "commId 0x9 - Init COMPLETE\n" A
        "comm 0x5 rank 0 nranks 2 cudaDev 0 busId 86 commId 0x9 - Init COMPLETE\n");
    cr_assert_eq(log_.n_ranks, 2);
    cr_assert_eq(log_.n_hosts, 1);
}

Test(nccl_start, nodes_are_not_guessed_of_ranks_that_are_silent) {
    read_text(A "Init timings - ncclCommInitRank: rank 3 nranks 4 total 0.2 (kernels 0.1)\n");
    cr_assert_eq(log_.n_ranks, 4);
    cr_assert_eq(log_.comm_line, 1);
    cr_assert_eq(log_.n_nodes, 0);
}

Test(nccl_start, a_cut_log_has_its_ranks_from_what_there_is) {
    read_text(
        "AllReduce\n" A
        "AllReduce: opCount 0 sendbuff 0x7 recvbuff 0x7 count 1 datatype 7 op 0 root 0 comm 0x5 [nranks=16] stream 0x5\n");
    cr_assert_eq(log_.n_ranks, 16);
    read_text("[node-a rank 0] NCCL INFO rank 0  nranks 2 cudaDev 0 - Init COMPLETE\n"
              "[node-a rank 0] NCCL INFO Channel 00/01 : 0 1\n");
    cr_assert_eq(log_.n_ranks, 2);
    cr_assert_eq(log_.n_rings, 1);
    cr_assert(log_.rings[0].whole);
    read_text(A "Init timings - ncclCommInitRank: rank 3 nranks 4 total 0.2 (kernels 0.1)\n" A
                "comm 0x5 rank 0 nranks 4 cudaDev 0 busId 1000 commId 0x9 - Init COMPLETE\n");
    cr_assert_eq(log_.n_comms, 1);
}

Test(nccl_start, who_began_and_did_not_end_is_told) {
    read_text(
        A
        "comm 0x5 rank 0 nranks 2 cudaDev 0 busId 1000 commId 0x9 - Init START\n" A
        "socketPollConnect: connect returned Connection refused, retrying (1/34) after sleep for 100 msec\n" A
        "socketPollConnect: connect returned Connection refused, retrying (2/34) after sleep for 200 msec\n");
    expect_found(
        RN_WARNING, 1,
        "ranks without Init COMPLETE, of the 2 of communicator 0000000000000009: 1. They wait for others, one has "
        "failed, or the log ends there");
    expect_found(
        RN_WARNING, 2,
        "connecting failed and was tried again, 2 times: Connection refused. Nobody listens or is reached there: ranks "
        "that have different ids, a process that died, a firewall, an interface that others do not reach");
}

Test(nccl_start, a_connection_of_which_both_ends_speak_is_one) {
    read_text(A "Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0\n" A
                "Channel 01/0 : 0[0] -> 1[0] [send] via NET/IB/1(2)\n" B
                "Channel 00/0 : 0[0] -> 1[0] [receive] via NET/IB/0\n" B
                "Channel 00/0 : 7[0] -> 1[0] [receive] via NET/IB/0\n" A
                "Channel 00/0 : 0[0] -> 3[3] via P2P/CUMEM\n" A
                "CollNet 00/0 : 0 [receive] via COLLNET/SHARP/1/GDRDMA\n");
    cr_assert_eq(log_.n_transports, 3);
    cr_assert_eq(log_.transports[0].n, 3);
    cr_assert_eq(log_.transports[1].n, 1);
    cr_assert_str_eq(log_.transports[2].name, "COLLNET/SHARP/GDRDMA");
    cr_assert_eq(log_.n_unknown, 0);
}

Test(nccl_start, a_transport_s_name_may_have_blanks) {
    read_text(
        A
        "Channel 00/0 : 8[0] -> 0[0] [receive] via NET/AWS Libfabric/2/GDRDMA comm 0x9b nRanks 4096\n" A
        "Channel 01/0 : 8[0] -> 0[0] [receive] via NET/AWS Libfabric/3(1)/GDRDMA\n" A
        "Channel 01/0 : 8[0] -> 0[0] via P2P/direct pointer\n");
    cr_assert_eq(log_.n_transports, 2);
    cr_assert_str_eq(log_.transports[0].name, "NET/AWS Libfabric/GDRDMA");
    cr_assert_str_eq(log_.transports[1].name, "P2P/direct pointer");
    cr_assert_eq(count_found("GDRDMA"), 0);
}

Test(nccl_start, connections_of_old_versions_have_no_brackets) {
    read_text(A "Ring 00 : 34 -> 33 [send] via NET/Socket/0\n" A "Ring 00 : 7 -> 0 -> 1\n");
    cr_assert_eq(log_.n_transports, 1);
    cr_assert_eq(log_.transports[0].n, 1);
    cr_assert_eq(log_.n_unknown, 0);
}

Test(nccl_start, the_network_its_nics_and_what_is_off) {
    read_text(
        "#   Rank  0 Pid   4711 on      a device  0 [0000:0f:00] NVIDIA Tesla T9\n" A
        "NET/IB : No device found.\n" A
        "NET/IB : Using [0]x0:1/RoCE [1]x1:1/IB/SHARP [RO]; OOB eth0:10.0.0.1<0>\n" B
        "NET/IB : Using [0]={[0] x0:1/RoCE, [1] x1:1/RoCE, [2] x2:2/RoCE} [RO]; OOB eth0:10.0.0.2<0>\n" A
        "NET/IB : GPU Direct RDMA Disabled for HCA 0 'x0'\n" A "Using network IB\n" A
        "cudaDriverVersion 12080\n");
    cr_assert_str_eq(log_.gpu, "NVIDIA Tesla T9");
    cr_assert_str_eq(log_.network, "IB");
    cr_assert_str_eq(log_.nics, "[0]x0:1/RoCE [1]x1:1/IB/SHARP");
    cr_assert_eq(log_.n_seen_nics, 2);
    cr_assert_eq(log_.no_ib_line, 2);
    cr_assert_eq(log_.no_gdr_line, 5);
    expect_found(
        RN_WARNING, 4,
        "3 NICs are seen here, and 2 by the first process that lists them: one may be down, or not in the container");
    cr_assert_eq(log_.n_unknown, 0);
}

Test(nccl_start, ranks_of_two_networks_and_nics_of_two_kinds) {
    read_text(A "NET/IB : Using [0]x0:1/RoCE [1]x1:1/IB [RO]; OOB eth0:10.0.0.1<0>\n" A
                "Using network IBext_v8\n" B "Using network IBext_v8\n" B "Using network IB\n" B
                "Using network IB\n");
    expect_found(
        RN_WARNING, 4,
        "network IB here, and IBext_v8 in line 2: ranks of two networks may not reach each other; a plugin may be "
        "missing on some nodes");
    expect_found(
        RN_NOTE, 1,
        "InfiniBand and RoCE among the NICs: one kind does not reach the other; NCCL_IB_HCA chooses");
    cr_assert_eq(count_all(), 2);
}

Test(nccl_start, a_slow_nic_by_which_no_channel_goes_slows_nothing) {
    static const char nics[] =
        A "=== System : maxBw 24.0 totalBw 24.0 ===\n" A
          "   + NET[25.0] - NET/1 (7a/1/25.000000)\n" A "   + NET[3.1] - NET/0 (b8/1/3.125000)\n";
    char text[600];
    snprintf(text, sizeof text, "%s%s", nics, A " 0 : NET/1 GPU/0 GPU/1 NET/1\n");
    read_text(text);
    expect_found(RN_NOTE, 3, "a NIC of 3.1 GB/s beside one of 25.0; no channel goes by it");
    cr_assert_eq(count_all(), 1);
    snprintf(text, sizeof text, "%s%s", nics, A " 0 : NET/1 GPU/0 GPU/1 NET/0\n");
    read_text(text);
    expect_found(RN_WARNING, 3,
                 "a NIC of 3.1 GB/s beside one of 25.0: every ring is as slow as the slower one");
    cr_assert_eq(count_all(), 1);
}

Test(nccl_start, a_plugin_s_settings_are_not_the_user_s) {
    read_text(A "NET/OFI Adding NCCL_PROTO=simple to environment\n" A
                "NET/OFI Setting NCCL_NVLS_CHUNKSIZE to \"512KiB\"\n" A
                "NCCL_PROTO set by environment to simple\n" A
                "NCCL_P2P_LEVEL set by environment to LOC\n" A
                "NCCL_NET set by environment to Socket.\n" A
                "NCCL_NET_GDR_LEVEL set by environment to SYS\n");
    cr_assert_eq(log_.n_settings, 5);
    expect_found(RN_NOTE, 1, "set by the network plugin: NCCL_PROTO=simple");
    cr_assert_str_eq(log_.settings[1].value, "512KiB");
    expect_found(RN_NOTE, 4, "NCCL_P2P_LEVEL=LOC switches something off");
    expect_found(RN_NOTE, 5, "NCCL_NET=Socket switches something off");
    expect_found(RN_NOTE, 6, "set by the environment: NCCL_NET_GDR_LEVEL=SYS");
}

Test(nccl_start, a_warning_that_ranks_repeat_is_one) {
    read_text(
        "a:1:2 [0] x.cc:5 NCCL WARN Cuda failure 'x'\nb:1:2 [0] x.cc:5 NCCL WARN Cuda failure 'x'\n"
        "b:1:2 [0] x.cc:5 NCCL WARN Cuda failure 'y'\n");
    cr_assert_eq(count_all(), 2);
    expect_found(RN_WARNING, 1, "NCCL warns, 2 times: Cuda failure 'x'");
    expect_found(RN_WARNING, 3, "NCCL warns: Cuda failure 'y'");
}

Test(nccl_start, a_bare_version_behind_a_prefix) {
    read_text("[1,0]<stdout>:NCCL version 2.18.3+cuda12.2\nthis is NCCL version 2.99.9 or so\n");
    cr_assert_eq(log_.version, 21803);
    cr_assert_not(log_.rccl);
    read_text("RCCL version 2.20.5+hip6.2 HEAD:45b618a+\n");
    cr_assert(log_.rccl);
    read_text(A "RCCL_MSCCL_ENABLE set by environment to 1.\n");
    cr_assert(log_.rccl);
}

Test(nccl_start, hosts_that_nvlink_joins_are_one_node) {
    read_text(A "comm 0x5 rank 0 nranks 2 cudaDev 0 busId 1000 commId 0x9 - Init START\n" B
                "comm 0x6 rank 1 nranks 2 cudaDev 0 busId 1000 commId 0x9 - Init START\n" A
                "comm 0x5 rank 0 nRanks 2 nNodes 1 localRanks 2 localRank 0 MNNVL 1\n");
    cr_assert_eq(log_.n_nodes, 1);
    cr_assert_eq(log_.n_hosts, 2);
    cr_assert(log_.mnnvl);
}
