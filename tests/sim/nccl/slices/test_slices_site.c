/* test_slices_site.c: the latency of a ring's hops is that of the wires on the way, inside a node and between two.
 */
#include "ringsim.h"
#include "ringsim_slices.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* Nodes of g GPUs, each with a NIC of its own, whose wires' latencies are 1, 10 and 100 times the unit. */
Test(slices_site, hops_take_as_long_as_the_wires_on_their_way) {
    rs_arena arena;
    rs_error error = {.text = ""};
    rs_arena_init(&arena, NULL);
    for (int g = 1; g <= 4; g++) {
        for (int unit = 1; unit <= 3; unit++) {
            char text[4096];
            rs_machine node, machine;
            rs_site site;
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
            cr_assert_eq(rs_slices_site(&machine, false, &arena, &error, &site), RS_OK, "%s",
                         error.text);
            cr_assert_eq(site.n_hops, g);
            for (int i = 0; i < g; i++) {
                const bool between = i == g - 1;
                cr_expect_eq(site.hops[i].kind == RS_HOP_NET, between, "hop %d of %d", i, g);
                cr_expect_float_eq(site.hops[i].alpha_us, between ? 220 * unit : 2 * unit, 1e-9,
                                   "hop %d of %d: %g", i, g, site.hops[i].alpha_us);
            }
        }
    }
    rs_arena_free(&arena);
}
