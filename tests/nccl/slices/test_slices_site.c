/* test_slices_site.c: the latency of a ring's hops is that of the wires on the way, inside a node and between two.
 */
#include "ringsim.h"
#include "ringsim_slices.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "support/naive_apply.h"
#include "support/own.h"

/* Nodes of g GPUs, each with a NIC of its own, whose wires' latencies are 1, 10 and 100 times the unit. */
Test(slices_site, hops_take_as_long_as_the_wires_on_their_way) {
    OWN_ARENA arena = {0};
    rs_error error = {.text = ""};
    for (int g = 1; g <= 4; g++) {
        for (int unit = 1; unit <= 3; unit++) {
            char text[4096];
            rs_machine node, machine;
            rn_site site;
            int n = snprintf(text, sizeof text,
                             "ringsim-machine 1\ngpus %d\nswitch sw\nswitch fabric\n", g);
            for (int i = 0; i < g; i++) {
                n += snprintf(text + n, sizeof text - (size_t)n,
                              "switch nic%d\n"
                              "link gpu%d sw bandwidth 100GB/s latency %dus kind nvlink\n"
                              "link gpu%d nic%d bandwidth 50GB/s latency %dus kind pcie\n"
                              "link nic%d fabric bandwidth 10GB/s latency %dus kind net\n",
                              i, i, unit, i, i, 10 * unit, i, 100 * unit);
            }
            cr_assert_eq(rs_parse_machine(text, (size_t)n, "node", &arena, &error, &node), RS_OK,
                         "%s", error.text);
            cr_assert_eq(rs_machine_repeat(&node, 2, "nodes", &arena, &error, &machine), RS_OK,
                         "%s", error.text);
            cr_assert_eq(rn_slices_site(&machine, false, &arena, &error, &site), RS_OK, "%s",
                         error.text);
            cr_assert_eq(site.n_hops, g);
            for (int i = 0; i < g; i++) {
                const bool between = i == g - 1;
                cr_expect_eq(site.hops[i].kind == RN_HOP_NET, between, "hop %d of %d", i, g);
                cr_expect_float_eq(site.hops[i].alpha_us, between ? 220 * unit : 2 * unit, 1e-9,
                                   "hop %d of %d: %g", i, g, site.hops[i].alpha_us);
            }
        }
    }
}

/* Nodes of one NIC each below leaf switches, by chance, which a core joins: from node to node goes what the NIC has, or an equal
 * part of what the busiest of the leaves' wires has.
 */
Test(slices_site, nodes_share_what_lies_between_the_switches_of_the_network) {
    enum { MOST_NODES = 6, LEAVES = 3 };
    OWN_ARENA arena = {0};
    rs_error error = {.text = ""};
    uint64_t state = 9;
    int n_shared = 0;
    for (int trial = 0; trial < 200; trial++) {
        const int n_nodes = 2 + random_below(&state, MOST_NODES - 1);
        const int g = 1 + random_below(&state, 4);
        const int nic = 10 * (1 + random_below(&state, 5));
        int leaf[MOST_NODES];
        double up[LEAVES];
        char text[8192];
        rs_machine machine;
        rn_site site;
        int n =
            snprintf(text, sizeof text, "ringsim-machine 1\ngpus %d\nswitch core\n", n_nodes * g);
        for (int k = 0; k < LEAVES; k++) {
            up[k] = 10 * (1 + random_below(&state, 9));
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "switch leaf%d\nlink leaf%d core bandwidth %.0fGB/s kind net\n", k, k,
                          up[k]);
        }
        for (int node = 0; node < n_nodes; node++) {
            leaf[node] = random_below(&state, LEAVES);
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "switch nic%d\nlink nic%d leaf%d bandwidth %dGB/s kind net\n", node, node,
                          leaf[node], nic);
            for (int i = 0; i < g; i++) {
                n += snprintf(text + n, sizeof text - (size_t)n,
                              "link gpu%d nic%d bandwidth 100GB/s kind pcie\n", node * g + i, node);
            }
        }
        cr_assert_eq(rs_parse_machine(text, (size_t)n, "leaves", &arena, &error, &machine), RS_OK,
                     "%s", error.text);
        for (int32_t d = 1; d < machine.n_devices; d++) { /* some of those wires are slower */
            const bool is_leaf = strncmp(machine.names[d], "leaf", 4) == 0;
            const uint64_t num = 1 + (uint64_t)random_below(&state, 3),
                           den = 1 + (uint64_t)random_below(&state, 2);
            int32_t core = machine.n_gpus;
            while (strcmp(machine.names[core], "core") != 0) core++;
            if (!is_leaf) continue;
            cr_assert_eq(rs_machine_slow(&machine, d, core, num, den, &arena, &error), RS_OK);
            up[machine.names[d][4] - '0'] *= (double)den / (double)num;
        }
        cr_assert_eq(rn_slices_site(&machine, false, &arena, &error, &site), RS_OK, "%s",
                     error.text);
        double wanted = nic;
        for (int k = 0; k < LEAVES; k++) {
            int out = 0, in = 0;
            for (int node = 0; node < n_nodes; node++) {
                const int next = leaf[(node + 1) % n_nodes];
                out += leaf[node] == k && next != k;
                in += leaf[node] != k && next == k;
            }
            if (out > 0 && up[k] / out < wanted) wanted = up[k] / out;
            if (in > 0 && up[k] / in < wanted) wanted = up[k] / in;
        }
        const rn_ring_hop *hop = &site.hops[g - 1];
        cr_assert(site.n_nodes == n_nodes && site.n_hops == g && hop->kind == RN_HOP_NET);
        cr_expect_float_eq(hop->GBps, wanted, 1e-6, "%g, not %g:\n%s", hop->GBps, wanted, text);
        cr_expect(site.nic_GBps == hop->GBps && site.n_nics == 1);
        n_shared += wanted < nic;
    }
    cr_expect(n_shared > 40 && n_shared < 160, "%d", n_shared);
}
