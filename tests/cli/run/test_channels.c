/* test_channels.c: without --channels there is one for each link that node 0 of a machine has to the network. */
#include "run/request.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "support/session.h"

enum { TEXT = 1 << 15 };

/* Draws a machine of nodes of two GPUs around a switch; returns how many links leave the first one. Links inside are of
   other kinds; all stand in any order. */
static int draw(int n_nodes, int most_nics, char text[TEXT]) {
    char lines[256][80];
    int n = 0, n_of_first = 0;
    for (int node = 0; node < n_nodes; node++) {
        for (int g = 2 * node; g < 2 * node + 2; g++)
            snprintf(lines[n++], 80, "link gpu%d s%d bandwidth 9GB/s kind nvlink", g, node);
        for (int k = 1 + session_below(most_nics); k > 0; k--) {
            /* From a GPU or the switch, either end first. */
            char end[20];
            snprintf(end, sizeof end, "gpu%d", 2 * node + session_below(2));
            if (session_below(2) == 0) snprintf(end, sizeof end, "s%d", node);
            const bool back = session_below(2) == 0;
            snprintf(lines[n++], 80, "link %s %s bandwidth 1GB/s kind net", back ? "net" : end,
                     back ? end : "net");
            n_of_first += node == 0;
        }
    }
    size_t used =
        (size_t)snprintf(text, TEXT, "ringsim-machine 1\ngpus %d\nswitch net", 2 * n_nodes);
    for (int node = 0; node < n_nodes; node++)
        used += (size_t)snprintf(text + used, TEXT - used, " s%d", node);
    for (; n > 0; n--) {
        const int i = session_below(n);
        used += (size_t)snprintf(text + used, TEXT - used, "\n%s", lines[i]);
        memmove(lines[i], lines[n - 1], sizeof lines[i]);
    }
    snprintf(text + used, TEXT - used, "\n");
    return n_of_first;
}

Test(channels, are_the_links_of_the_first_node_to_the_network) {
    static const rs_algorithm many = {.name = "many"}, one = {.name = "one", .one_channel = true};
    static char text[TEXT];
    static rc_options options, given;
    given.value[RC_CHANNELS] = (rc_value){.text = "3", .number = 3};
    session_begin(7);
    for (int k = 0; k < 400; k++) {
        rs_arena arena;
        rs_error error;
        rs_machine machine;
        const int n_nodes = 1 + session_below(4);
        const int n = draw(n_nodes, k % 10 == 0 ? 70 : 6, text);
        const int want = n_nodes == 1 ? 0 : n > 64 ? 64 : n;
        rs_arena_init(&arena, NULL);
        cr_assert_eq(rs_parse_machine(text, strlen(text), "drawn", &arena, &error, &machine), RS_OK,
                     "%s", error.text);
        cr_expect_eq(rc_channels(&options, &machine, &many), want, "%d nodes", n_nodes);
        cr_expect_eq(rc_channels(&options, &machine, &one), 0);
        cr_expect_eq(rc_channels(&options, NULL, &many), 0);
        cr_expect_eq(rc_channels(&given, &machine, &many), 3);
        rs_arena_free(&arena);
    }
}
