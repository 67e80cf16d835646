/* test_machine_make.c: a described machine with one thing changed, at the bounds of what is right; which devices are one node; what
 * faults do to its links.
 */
#include "ringsim_machine.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static rs_arena arena;
static rs_error error;
static rs_machine described, made;
static rs_machine_link links[4];
static rs_machine_route routes[3];
static int32_t hops[8];

static void open_arena(void) {
    rs_arena_init(&arena, NULL);
}
static void close_arena(void) {
    rs_arena_free(&arena);
}
TestSuite(machine_make, .init = open_arena, .fini = close_arena);

/* gpu0 - sw - gpu1, gpu1 - gpu2 over the network, gpu2 - sw; routes from 0 to 1, to 2, and back. */
static void describe(void) {
    static const char *const names[] = {"gpu0", "gpu1", "gpu2", "sw"};
    static const bool reduces[4];
    static const int32_t ends[4][2] = {{0, 3}, {3, 1}, {1, 2}, {2, 3}};
    for (int i = 0; i < 4; i++) {
        links[i] = (rs_machine_link){.a = ends[i][0],
                                     .b = ends[i][1],
                                     .bandwidth_Bps = 5000,
                                     .raw_Bps = 6000,
                                     .alpha_ps = 7,
                                     .slow_num = 1,
                                     .slow_den = 1,
                                     .kind = i == 2 ? RS_NET : RS_NVLINK};
    }
    const int32_t ways[] = {0, 1, 0, 1, 2, 3, 0};
    memcpy(hops, ways, sizeof ways);
    routes[0] = (rs_machine_route){.src = 0, .dst = 1, .first = 0, .n_hops = 2};
    routes[1] = (rs_machine_route){.src = 0, .dst = 2, .first = 2, .n_hops = 3};
    routes[2] = (rs_machine_route){.src = 2, .dst = 0, .first = 5, .n_hops = 2};
    described = (rs_machine){.name = "made",
                             .n_gpus = 3,
                             .n_devices = 4,
                             .names = names,
                             .reduces = reduces,
                             .links = links,
                             .n_links = 4,
                             .routes = routes,
                             .n_routes = 3,
                             .hops = hops};
}

static void expect_made(const char *fault, const char *what, long long number) {
    const rs_status status = rs_machine_make(&described, &arena, &error, &made);
    cr_expect_eq(status, fault == NULL ? RS_OK : RS_BAD_INPUT, "%s %lld", what, number);
    if (fault != NULL && status != RS_OK)
        cr_expect(strstr(error.text, fault) != NULL, "%s %lld: %s", what, number, error.text);
}

Test(machine_make, a_link_is_within_its_bounds) {
    static const char device[] = "there is no such device", itself[] = "no link to itself",
                      rate[] = "1 kB/s to 10 PB/s", raw[] = "at all (raw)",
                      latency[] = "a latency is 0 to 1 s", kind[] = "no such kind",
                      factor[] = "a factor";
    const uint64_t most_Bps = 10000000000000000;
    for (int at = 0; at < 4; at++) {
        for (int32_t end = -1; end <= 4; end++) {
            for (int side = 0; side < 2; side++) {
                describe();
                described.n_routes = 0;
                const int32_t other = side == 0 ? links[at].b : links[at].a;
                *(side == 0 ? &links[at].a : &links[at].b) = end;
                expect_made(end < 0 || end > 3 ? device : end == other ? itself : NULL, "end", end);
            }
        }
        for (uint64_t Bps = 999; Bps <= 1001; Bps++) {
            describe();
            links[at].bandwidth_Bps = Bps;
            expect_made(Bps < 1000 ? rate : NULL, "bandwidth", (long long)Bps);
            links[at].raw_Bps = Bps;
            expect_made(Bps < 1000 ? rate : NULL, "both", (long long)Bps);
            describe();
            links[at].raw_Bps = 4000 + Bps;
            expect_made(Bps < 1000 ? raw : NULL, "raw", (long long)Bps);
            describe();
            links[at].raw_Bps = most_Bps + Bps - 1000;
            expect_made(Bps > 1000 ? raw : NULL, "raw", (long long)Bps);
            links[at].bandwidth_Bps = links[at].raw_Bps;
            expect_made(Bps > 1000 ? rate : NULL, "both", (long long)Bps);
        }
        static const int64_t latencies[] = {-1, 0, 1, 999999999999, 1000000000000, 1000000000001};
        for (int i = 0; i < 6; i++) {
            describe();
            links[at].alpha_ps = latencies[i];
            expect_made(i == 0 || i == 5 ? latency : NULL, "latency", latencies[i]);
        }
        for (int i = 0; i < 256; i++) {
            describe();
            links[at].kind = (uint8_t)i;
            expect_made(i > RS_NET ? kind : NULL, "kind", i);
        }
        static const uint64_t factors[] = {0, 1, 2, 999999999, 1000000000, 1000000001, UINT64_MAX};
        for (int i = 0; i < 7 * 2; i++) {
            describe();
            *(i < 7 ? &links[at].slow_num : &links[at].slow_den) = factors[i % 7];
            expect_made(i % 7 == 0 || i % 7 > 4 ? factor : NULL, "factor", (long long)i);
        }
    }
}

Test(machine_make, a_route_leads_from_gpu_to_gpu_by_links_that_follow) {
    static const char ends[] = "it leads from one GPU to another", follow[] = "do not follow",
                      twice[] = "through a device twice", elsewhere[] = "it ends elsewhere",
                      again[] = "it is said twice";
    describe();
    expect_made(NULL, "as it is", 0);
    for (int32_t end = -1; end <= 4; end++) {
        describe();
        routes[0].src = end;
        expect_made(end < 0 || end > 2 || end == 1 ? ends : end == 0 ? NULL : follow, "src", end);
        describe();
        routes[0].dst = end;
        expect_made(end < 1 || end > 2 ? ends : end == 1 ? NULL : elsewhere, "dst", end);
    }
    for (int32_t n = -1; n <= 3; n++) {
        describe();
        routes[1].n_hops = n;
        expect_made(n < 1 ? ends : n < 3 ? elsewhere : NULL, "hops", n);
    }
    for (int hop = 0; hop < 2; hop++) {
        for (int32_t link = 0; link < 4; link++) {
            describe();
            hops[hop] = link;
            const bool begins = hop == 0 && (link == 0);
            const char *fault = hop == 0    ? (begins ? NULL : follow)
                                : link == 0 ? twice
                                : link == 1 ? NULL
                                : link == 2 ? follow
                                            : elsewhere;
            expect_made(fault, hop == 0 ? "first" : "second", link);
        }
    }
    describe();
    routes[1] = routes[0];
    expect_made(again, "route", 1);
    describe();
    routes[1].dst = 1; /* the same ends by another way */
    routes[1].first = 3;
    routes[1].n_hops = 1;
    expect_made(follow, "route", 2);
    describe(); /* what one route came through does not count for the next */
    hops[5] = 2, hops[6] = 1, hops[7] = 0;
    routes[2].n_hops = 3;
    expect_made(NULL, "route", 3);
}

/* Nodes are numbered by their first GPU; a switch of none is -1. */
Test(machine_make, a_node_is_what_stays_joined_without_the_network) {
    static uint64_t state = 1;
    enum { MOST = 10, ROOM = 14 };
    static const char *const names[MOST] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
    static const bool reduces[MOST];
    for (int round = 0; round < 2000; round++) {
        rs_machine_link own[ROOM];
        int draw[3 * ROOM + 3];
        for (int i = 0; i < 3 * ROOM + 3; i++) {
            state = state * 6364136223846793005 + 1442695040888963407;
            draw[i] = (int)(state >> 40) & 0xffff;
        }
        const int n = 2 + draw[0] % (MOST - 1), n_gpus = 1 + draw[1] % n, n_links = draw[2] % ROOM;
        int node[MOST], n_nodes = 0;
        bool joined[MOST][MOST] = {{false}};
        for (int d = 0; d < n; d++) joined[d][d] = true;
        for (int i = 0; i < n_links; i++) {
            const int a = draw[3 + 3 * i] % n, b = (a + 1 + draw[4 + 3 * i] % (n - 1)) % n;
            own[i] = (rs_machine_link){.a = a,
                                       .b = b,
                                       .bandwidth_Bps = 1000,
                                       .raw_Bps = 1000,
                                       .slow_num = 1,
                                       .slow_den = 1,
                                       .kind = (uint8_t)(draw[5 + 3 * i] % 4)};
            joined[a][b] = joined[a][b] || own[i].kind != RS_NET;
            joined[b][a] = joined[a][b];
        }
        for (int k = 0; k < n; k++)
            for (int a = 0; a < n; a++)
                for (int b = 0; b < n; b++) joined[a][b] |= joined[a][k] && joined[k][b];
        for (int d = 0; d < n; d++) {
            int first = 0;
            while (first < n_gpus && !joined[d][first]) first++;
            node[d] = first == n_gpus ? -1 : first == d ? n_nodes++ : node[first];
        }
        const rs_machine drawn = {.name = "drawn",
                                  .n_gpus = n_gpus,
                                  .n_devices = n,
                                  .names = names,
                                  .reduces = reduces,
                                  .links = own,
                                  .n_links = n_links};
        cr_assert_eq(rs_machine_make(&drawn, &arena, &error, &made), RS_OK, "%s", error.text);
        cr_assert_eq(made.n_nodes, n_nodes);
        for (int d = 0; d < n; d++) {
            cr_assert_eq(made.node[d], node[d], "round %d, device %d", round, d);
            int at = made.at_first[d];
            for (int i = 0; i < n_links; i++)
                if (own[i].a == d || own[i].b == d) cr_assert_eq(made.at[at++], i);
            cr_assert_eq(at, made.at_first[d + 1]);
            cr_assert_eq(rs_machine_device(&made, names[d], 1), d);
        }
        cr_assert_eq(rs_machine_device(&made, "a", 0), -1);
    }
}

/* Factors are multiplied and made as small as can be; both directions are meant; a cut stays one. */
Test(machine_make, faults_are_of_all_links_between_two_devices) {
    for (int a = 0; a < 4; a++) {
        for (int b = 0; b < 4; b++) {
            if (a == b) continue;
            describe();
            described.n_routes = 0;
            links[3] = links[0]; /* two from gpu0 to the switch */
            links[3].slow_num = 3;
            links[3].slow_den = 4;
            cr_assert_eq(rs_machine_make(&described, &arena, &error, &made), RS_OK);
            const bool first = a + b == 3 && a * b == 0, second = a + b == 4 && a * b == 3,
                       third = a + b == 3 && a * b == 2, is = first || second || third;
            const rs_status status = rs_machine_slow(&made, a, b, 6, 4, &arena, &error);
            cr_assert_eq(status, is ? RS_OK : RS_BAD_INPUT, "%d %d", a, b);
            if (!is) {
                char wanted[80];
                snprintf(wanted, sizeof wanted, "machine made: no link joins %s and %s",
                         described.names[a], described.names[b]);
                cr_expect_str_eq(error.text, wanted);
                cr_expect_eq(rs_machine_cut(&made, a, b, &arena, &error), RS_BAD_INPUT);
                continue;
            }
            for (int i = 0; i < 4; i++) {
                const bool hit = i % 3 == 0 ? first : i == 1 ? second : third;
                const uint64_t num = i == 3 ? (hit ? 9 : 3)
                                     : hit  ? 3
                                            : 1,
                               den = i == 3 ? (hit ? 8 : 4)
                                     : hit  ? 2
                                            : 1;
                cr_expect(made.links[i].slow_num == num && made.links[i].slow_den == den &&
                              !made.links[i].cut,
                          "%d %d: link %d", a, b, i);
            }
            cr_assert_eq(rs_machine_cut(&made, b, a, &arena, &error), RS_OK);
            cr_assert_eq(rs_machine_slow(&made, a, b, 2, 3, &arena, &error), RS_OK);
            for (int i = 0; i < 4; i++)
                cr_expect_eq(made.links[i].cut, i % 3 == 0 ? first : i == 1 ? second : third);
            cr_expect(links[0].slow_num == 1 && !links[0].cut, "the description is as it was");
            /* 1 by now, 3/4 of the other: both times 10^9 can be, but no more than that */
            cr_assert_eq(rs_machine_slow(&made, a, b, 1000000000, 1, &arena, &error), RS_OK);
            cr_assert_eq(rs_machine_slow(&made, a, b, 2, 1, &arena, &error), RS_BAD_INPUT);
        }
    }
}
