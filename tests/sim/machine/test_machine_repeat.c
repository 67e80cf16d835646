/* A node repeated: every copy is the node again, with names of its own, and they meet at the fabric alone. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "ringsim_machine.h"

static rs_arena arena;
static rs_error error;
static void open_arena(void) {
    rs_arena_init(&arena, NULL);
}
static void close_arena(void) {
    rs_arena_free(&arena);
}
TestSuite(machine_repeat, .init = open_arena, .fini = close_arena);

static const char node_text[] = "ringsim-machine 1\ngpus 3\nswitch nic fabric fabrics\n"
                                "switch fabric.b reduces\n"
                                "link gpu2 nic bandwidth 7GB/s kind pcie\n"
                                "link nic fabric bandwidth 5GB/s latency 3ns kind net\n"
                                "link gpu0 gpu1 bandwidth 11GB/s\n"
                                "link fabrics gpu1 bandwidth 2GB/s shared\n"
                                "link fabric.b nic bandwidth 1GB/s raw 9GB/s kind net\n"
                                "link fabrics gpu2 bandwidth 2GB/s\n"
                                "route gpu1 gpu2 gpu1 fabrics gpu2\n"
                                "route gpu0 gpu1 gpu0 gpu1\n";

static void parse(const char *text, rs_machine *machine) {
    cr_assert_eq(rs_parse_machine(text, strlen(text), "node", &arena, &error, machine), RS_OK, "%s",
                 error.text);
}

static bool is_shared(const char *name) {
    return strcmp(name, "fabric") == 0 || strcmp(name, "fabric.b") == 0;
}

Test(machine_repeat, every_copy_is_the_node_again) {
    rs_machine node, machine;
    parse(node_text, &node);
    for (int32_t k = 1; k <= 40; k++) {
        cr_assert_eq(rs_machine_repeat(&node, k, "many", &arena, &error, &machine), RS_OK, "%s",
                     error.text);
        cr_assert(machine.n_gpus == 3 * k && machine.n_devices == (3 + 2) * k + 2);
        cr_assert(machine.n_links == 6 * k && machine.n_routes == 2 * k && machine.n_nodes == k);
        for (int32_t i = 0; i < machine.n_links; i++) {
            const int32_t copy = i / 6;
            const rs_machine_link *made = &machine.links[i], *from = &node.links[i % 6];
            const int32_t ends[2][2] = {{made->a, from->a}, {made->b, from->b}};
            for (int e = 0; e < 2; e++) {
                const int32_t to = ends[e][0], was = ends[e][1];
                char name[80];
                if (was < 3) {
                    cr_assert_eq(to, copy * 3 + was);
                    snprintf(name, sizeof name, "gpu%d", (int)to);
                } else if (is_shared(node.names[was])) {
                    snprintf(name, sizeof name, "%s", node.names[was]);
                } else {
                    snprintf(name, sizeof name, "node%d.%s", (int)copy, node.names[was]);
                    cr_assert_eq(machine.node[to], copy);
                }
                cr_assert_str_eq(machine.names[to], name);
                cr_assert_eq(rs_machine_device(&machine, name, strlen(name)), to);
                cr_assert_eq(machine.reduces[to], node.reduces[was]);
            }
            cr_assert(made->bandwidth_Bps == from->bandwidth_Bps &&
                      made->raw_Bps == from->raw_Bps && made->alpha_ps == from->alpha_ps &&
                      made->kind == from->kind && made->shared == from->shared);
        }
        rs_router *router;
        rs_route route;
        cr_assert_eq(rs_router_new(&machine, &arena, &error, &router), RS_OK);
        for (int32_t copy = 0; copy < k; copy++) {
            cr_assert_eq(rs_router_find(router, copy * 3 + 1, copy * 3 + 2, 0, &error, &route),
                         RS_OK);
            cr_assert(route.n_wires == 2 && route.wires[0] / 2 == copy * 6 + 3 &&
                      route.wires[1] / 2 == copy * 6 + 5);
        }
    }
}

Test(machine_repeat, what_cannot_be_repeated_is_refused) {
    rs_machine node, machine = {.n_gpus = -7};
    parse("ringsim-machine 1\ngpus 2\nlink gpu0 gpu1 bandwidth 1GB/s\n", &node);
    cr_expect_eq(rs_machine_repeat(&node, 1, "one", &arena, &error, &machine), RS_OK);
    machine.n_gpus = -7;
    cr_expect_eq(rs_machine_repeat(&node, 2, "two", &arena, &error, &machine), RS_BAD_INPUT);
    cr_expect_str_eq(error.text, "there is no switch named 'fabric' where 2 nodes could join");
    parse(node_text, &node);
    cr_expect_eq(rs_machine_repeat(&node, 131072, "all", &arena, &error, &machine), RS_TOO_LARGE);
    cr_expect_eq(machine.n_gpus, -7);
}
