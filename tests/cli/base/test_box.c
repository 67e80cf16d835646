/* test_box.c: box:2,gpus=8,...: each amount up to its bound and no further, whatever else is said. */
#include "base/find_machine.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static rs_arena arena;
static rs_error error;
static rs_machine machine;

static bool reads(const char *text) {
    rs_arena_init(&arena, NULL);
    error.text[0] = '\0';
    const bool good = rc_read_box(text, &arena, &error, &machine) == RC_GOOD;
    cr_expect_eq(good, error.text[0] == '\0', "%s: %s", text, error.text);
    return good;
}

/* A field's value that is just within, the next that is not, and what is said of that. */
typedef struct bound {
    const char *field, *within, *beyond, *why;
} bound;

Test(box, has_amounts_up_to_their_bounds) {
    static const bound bounds[] = {
        {"port", "1kB/s", "999B/s", "port: a bandwidth is"},
        {"port", "10000000000000000B/s", "10000000000000001B/s", "port: a bandwidth is"},
        {"pcie", "1kB/s", "999B/s", "pcie: a bandwidth is"},
        {"pcie", "10000000000000000B/s", "10000000000000001B/s", "pcie: a bandwidth is"},
        {"nics", "2x1kB/s", "2x999B/s", "nics: a bandwidth is"},
        {"nics", "10000000000000000B/s", "10000000000000001B/s", "nics: a bandwidth is"},
        {"latency", "1s", "1000000000001ps", "latency: a latency is"},
        {"nic-latency", "1s", "1000000000001ps", "nic-latency: a latency is"},
        {"latency", "0", "-1ps", "latency: "},
        {"gpus", "1", "0", "gpus: "},
        {"nics", "1x5GB/s", "0x5GB/s", "nics: "},
    };
    static const char *const usual[] = {"gpus=2",     "port=9GB/s",  "nics=2x5GB/s",
                                        "pcie=8GB/s", "latency=1us", "nic-latency=2us"};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        for (int beyond = 0; beyond < 2; beyond++) {
            const bound *b = &bounds[i];
            char text[200];
            size_t n = (size_t)snprintf(text, sizeof text, "2,%s=%s", b->field,
                                        beyond ? b->beyond : b->within);
            for (int k = 0; k < 6; k++) {
                if (strncmp(usual[k], b->field, strcspn(usual[k], "=")) == 0) continue;
                n += (size_t)snprintf(text + n, sizeof text - n, ",%s", usual[k]);
            }
            cr_expect_eq(reads(text), !beyond, "%s: %s", text, error.text);
            if (beyond) cr_expect(strstr(error.text, b->why) != NULL, "%s: %s", text, error.text);
            rs_arena_free(&arena);
        }
    }
}

/* What is not said is not there: no NIC, its bandwidth and latency; no latency. */
Test(box, needs_nodes_gpus_and_a_port_and_nics_between_nodes) {
    static const char *const good[] = {"1,gpus=1,port=1GB/s", "1,port=1GB/s,gpus=8,pcie=1GB/s",
                                       "2,gpus=3,port=1GB/s,nics=1GB/s"};
    static const char *const bad[] = {"",
                                      "1",
                                      "1,gpus=2",
                                      "1,port=1GB/s",
                                      "gpus=2,port=1GB/s",
                                      "2,gpus=2,port=1GB/s",
                                      "1,gpus=2,port=1GB/s,gpus=2",
                                      "1,gpus=2,port=1GB/s,nics",
                                      "1,gpus=2,port=1GB/s,nic=1GB/s",
                                      "0,gpus=2,port=1GB/s"};
    for (int i = 0; i < 3; i++) {
        cr_expect(reads(good[i]), "%s: %s", good[i], error.text);
        cr_expect_eq(machine.n_gpus, i == 0 ? 1 : i == 1 ? 8 : 6);
        rs_arena_free(&arena);
    }
    for (int i = 0; i < 10; i++) {
        cr_expect_not(reads(bad[i]), "%s", bad[i]);
        rs_arena_free(&arena);
    }
}

Test(box, has_each_field_once) {
    static const char *const said[] = {"gpus=2",     "port=9GB/s",  "nics=2x5GB/s",
                                       "pcie=8GB/s", "latency=1us", "nic-latency=2us"};
    for (unsigned twice = 0; twice < 64; twice++) {
        char text[300] = "2";
        for (int k = 0; k < 6; k++) snprintf(text + strlen(text), 100, ",%s", said[k]);
        for (int k = 0; k < 6; k++)
            if ((twice >> k & 1) != 0) snprintf(text + strlen(text), 20, ",%s", said[k]);
        cr_expect_eq(reads(text), twice == 0, "%s", text);
        cr_expect_eq(strstr(error.text, "is said twice") != NULL, twice != 0, "%s: %s", text,
                     error.text);
        rs_arena_free(&arena);
    }
}
