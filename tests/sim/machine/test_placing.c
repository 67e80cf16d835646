/* test_placing.c: every placement deals out all GPUs; a ring keeps to nodes and takes the good links. */
#include <criterion/criterion.h>

#include "support/sim_jobs.h"

enum { MOST = 16 };
static const uint64_t GB = 1000000000;
static rs_arena arena;
static rs_error error;
static rs_machine_link links[MOST * MOST];
static int32_t n_links;

static void open_arena(void) {
    rs_arena_init(&arena, NULL);
    n_links = 0;
}
static void close_arena(void) {
    rs_arena_free(&arena);
}
TestSuite(placing, .init = open_arena, .fini = close_arena);

static rs_machine_link *join(int32_t a, int32_t b, rs_link_kind kind, uint64_t bandwidth_Bps) {
    links[n_links] =
        (rs_machine_link){.a = a, .b = b, .kind = (uint8_t)kind, .slow_num = 1, .slow_den = 1};
    links[n_links].bandwidth_Bps = links[n_links].raw_Bps = bandwidth_Bps;
    return &links[n_links++];
}

static rs_machine machine_of(int32_t n_gpus, int32_t n_switches) {
    static const char *names[2 * MOST];
    static const bool reduces[2 * MOST];
    for (int d = 0; d < 2 * MOST; d++) names[d] = "device";
    const rs_machine described = {.name = "test",
                                  .n_gpus = n_gpus,
                                  .n_devices = n_gpus + n_switches,
                                  .n_links = n_links,
                                  .names = names,
                                  .reduces = reduces,
                                  .links = links};
    rs_machine made;
    cr_assert_eq(rs_machine_make(&described, &arena, &error, &made), RS_OK, "%s", error.text);
    return made;
}

/* Places by a rule, and looks whether each GPU is there once. */
static void place(const rs_machine *machine, rs_placing by, int32_t gpus[]) {
    bool seen[MOST] = {false};
    cr_assert_eq(rs_place_ranks(machine, by, &arena, &error, gpus), RS_OK, "%s", error.text);
    for (int32_t r = 0; r < machine->n_gpus; r++) {
        cr_assert(gpus[r] >= 0 && gpus[r] < machine->n_gpus && !seen[gpus[r]]);
        seen[gpus[r]] = true;
    }
}

static void shuffle(int32_t order[], int32_t n, uint64_t *state) {
    for (int32_t i = 0; i < n; i++) order[i] = i;
    for (int32_t i = n - 1; i > 0; i--) {
        const int32_t k = (int32_t)sim_between(state, 0, i), kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
}

/* A ring of wires with numbers that mean nothing: alone, or among wires between all, which are narrower, or of a worse
   kind though wider. */
Test(placing, a_ring_goes_by_the_good_wires) {
    for (uint64_t seed = 1; seed <= 90; seed++) {
        uint64_t state = seed;
        const int32_t n = (int32_t)sim_between(&state, 3, MOST - 1);
        int32_t order[MOST], at[MOST], gpus[MOST];
        shuffle(order, n, &state);
        n_links = 0;
        for (int32_t i = 0; i < n; i++) {
            at[order[i]] = i;
            join(order[i], order[(i + 1) % n], RS_NVLINK, 20 * GB);
        }
        for (int32_t i = 0; i < n && seed % 3 > 0; i++) {
            for (int32_t k = i + 1; k < n; k++) {
                join(i, k, seed % 3 == 1 ? RS_NVLINK : RS_PCIE, seed % 3 == 1 ? 19 * GB : 90 * GB);
            }
        }
        const rs_machine machine = machine_of(n, 0);
        place(&machine, RS_PLACE_RING, gpus);
        cr_expect_eq(gpus[0], 0);
        const int32_t step = (at[gpus[1]] - at[gpus[0]] + n) % n;
        for (int32_t r = 0; r < n; r++) {
            const int32_t next = (at[gpus[(r + 1) % n]] - at[gpus[r]] + n) % n;
            cr_assert(next == step && (step == 1 || step == n - 1), "seed %d", (int)seed);
        }
    }
}

static int32_t hops(rs_router *router, int32_t a, int32_t b) {
    rs_route route;
    if (a == b) return 0;
    cr_assert_eq(rs_router_find(router, a, b, 0, &error, &route), RS_OK);
    return route.n_wires;
}

/* Trees of wires drawn at random, every other with some wires more. */
Test(placing, a_ring_is_not_shortened_by_turning_a_piece_of_it) {
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t state = seed;
        const int32_t n = (int32_t)sim_between(&state, 2, MOST);
        int32_t gpus[MOST];
        n_links = 0;
        for (int32_t i = 1; i < n; i++) {
            join((int32_t)sim_between(&state, 0, i - 1), i, RS_NVLINK, GB);
        }
        for (int32_t i = 0; i < n / 2 && seed % 2 == 0 && n > 2; i++) {
            const int32_t from = (int32_t)sim_between(&state, 0, n - 1);
            join(from, (from + (int32_t)sim_between(&state, 1, n - 1)) % n, RS_NVLINK, GB);
        }
        const rs_machine machine = machine_of(n, 0);
        rs_router *router;
        cr_assert_eq(rs_router_new(&machine, &arena, &error, &router), RS_OK);
        place(&machine, RS_PLACE_RING, gpus);
        for (int32_t i = 0; i < n; i++) {
            for (int32_t j = i + 1; j < n; j++) {
                const int32_t a = gpus[i], b = gpus[(i + 1) % n], c = gpus[j],
                              d = gpus[(j + 1) % n];
                cr_assert_geq(hops(router, a, c) + hops(router, b, d),
                              hops(router, a, b) + hops(router, c, d), "seed %d", (int)seed);
            }
        }
    }
}

/* Nodes of 1, 2, 3 .. GPUs, whose numbers are mixed. */
Test(placing, a_ring_keeps_to_its_nodes_and_cyclic_deals_out_over_them) {
    for (uint64_t seed = 1; seed <= 60; seed++) {
        uint64_t state = seed;
        const int32_t n_nodes = (int32_t)sim_between(&state, 1, 5), n = n_nodes * (n_nodes + 1) / 2;
        int32_t order[MOST], gpus[MOST], size[MOST] = {0}, dealt[MOST] = {0};
        shuffle(order, n, &state);
        n_links = 0;
        for (int32_t node = 0, k = 0; node < n_nodes; node++) {
            for (int32_t i = 0; i <= node; i++) join(order[k++], n + node, RS_NVLINK, GB);
            join(n + node, n + n_nodes, RS_NET, GB);
        }
        const rs_machine machine = machine_of(n, n_nodes + 1);
        cr_assert_eq(machine.n_nodes, n_nodes);
        for (int32_t g = 0; g < n; g++) size[machine.node[g]]++;
        place(&machine, RS_PLACE_BLOCK, gpus);
        for (int32_t r = 0; r < n; r++) cr_assert_eq(gpus[r], r);
        place(&machine, RS_PLACE_RING, gpus);
        for (int32_t r = 1; r < n; r++) {
            const int32_t here = machine.node[gpus[r]], before = machine.node[gpus[r - 1]];
            cr_assert(here == before || here == before + 1);
        }
        place(&machine, RS_PLACE_CYCLIC, gpus);
        for (int32_t r = 0, round = 0, node = 0; r < n; r++, node++) {
            while (node == n_nodes || size[node] <= round) {
                if (node == n_nodes)
                    node = 0, round++;
                else
                    node++;
            }
            cr_assert_eq(machine.node[gpus[r]], node, "seed %d rank %d", (int)seed, (int)r);
            cr_assert(dealt[node] == 0 || gpus[r] > dealt[node] - 1, "of a node in order");
            dealt[node] = gpus[r] + 1;
        }
    }
}

/* Nodes of as many GPUs each, whose numbers are mixed; what is said of them is counted once more by hand. */
Test(placing, ranks_are_found_in_nodes_in_order_or_dealt_out) {
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t state = seed;
        const int32_t m = (int32_t)sim_between(&state, 1, 4),
                      g = (int32_t)sim_between(&state, 1, 4);
        const int32_t n = m * g;
        int32_t order[MOST], gpus[MOST];
        shuffle(order, n, &state);
        n_links = 0;
        for (int32_t r = 0; r < n; r++) join(order[r], n + r / g, RS_NVLINK, GB);
        for (int32_t node = 0; node < m; node++) join(n + node, n + m, RS_NET, GB);
        const rs_machine machine = machine_of(n, m + 1);
        const rs_placing by = seed % 3 == 0 ? RS_PLACE_CYCLIC : RS_PLACE_RING;
        place(&machine, by, gpus);
        const int32_t n_ranks = seed % 2 == 0 ? n : (int32_t)sim_between(&state, 1, n);
        int32_t found = 77;
        bool dealt = true;
        cr_assert_eq(rs_ranks_in_nodes(&machine, gpus, n_ranks, &arena, &error, &found, &dealt),
                     RS_OK);
        const bool ring = by == RS_PLACE_RING;
        const int32_t used = ring ? (n_ranks + g - 1) / g : n_ranks < m ? n_ranks : m;
        if (n_ranks % used != 0 || (ring && used > 1 && n_ranks % g != 0)) {
            cr_expect_eq(found, 77, "seed %d: nodes filled unevenly", (int)seed);
            cr_expect(dealt);
            continue;
        }
        cr_expect_eq(found, n_ranks / used, "seed %d", (int)seed);
        cr_expect_eq(dealt, !ring && used > 1 && n_ranks > used, "seed %d", (int)seed);
    }
}

/* In no such way: two here, then two of the other two nodes in turn. */
Test(placing, ranks_in_no_order_are_not_said_to_lie_in_nodes) {
    for (int32_t r = 0; r < 6; r++) join(r, 6 + r / 2, RS_NVLINK, GB);
    for (int32_t node = 0; node < 3; node++) join(6 + node, 9, RS_NET, GB);
    const rs_machine machine = machine_of(6, 4);
    const int32_t mixed[][6] = {{0, 1, 2, 4, 3, 5}, {0, 2, 1, 3, 4, 5}, {0, 2, 4, 5, 1, 3}};
    for (int i = 0; i < 3; i++) {
        int32_t found = 77;
        bool dealt = false;
        cr_assert_eq(rs_ranks_in_nodes(&machine, mixed[i], 6, &arena, &error, &found, &dealt),
                     RS_OK);
        cr_expect(found == 77 && !dealt, "case %d", i);
    }
    int32_t found = 77;
    bool dealt = true;
    cr_assert_eq(rs_ranks_in_nodes(&machine, NULL, 6, &arena, &error, &found, &dealt), RS_OK);
    cr_expect(found == 2 && !dealt);
}
