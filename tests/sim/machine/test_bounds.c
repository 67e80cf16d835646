/* Bounds: never above those of a search through all blocks and partitions, equal to it where a least cut tells
 * all, below what every algorithm takes, and what the textbook's formulas say of nodes. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "ringsim.h"

static rs_arena arena;
static rs_error error;
static void open_arena(void) {
    rs_arena_init(&arena, NULL);
}
static void close_arena(void) {
    rs_arena_free(&arena);
}
TestSuite(bounds, .init = open_arena, .fini = close_arena);

static uint64_t state;
static int32_t below(int32_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int32_t)((state >> 33) % (uint64_t)n);
}

enum { MOST_GPUS = 5, MOST_SWITCHES = 4, ROOM = 4096 };

static void parse(const char *text, rs_machine *machine) {
    cr_assert_eq(rs_parse_machine(text, strlen(text), "random", &arena, &error, machine), RS_OK,
                 "%s\n%s", error.text, text);
}

/* A connected machine: each device is joined to one before it, then more links. */
static void draw_machine(int32_t n, int32_t n_switches, rs_machine *machine) {
    static const char *const kinds[] = {"nvlink", "pcie", "net", "net"};
    char text[ROOM], names[MOST_GPUS + MOST_SWITCHES][8];
    int at = snprintf(text, sizeof text, "ringsim-machine 1\ngpus %d\n", (int)n);
    for (int32_t d = 0; d < n + n_switches; d++) {
        snprintf(names[d], sizeof names[d], d < n ? "gpu%d" : "sw%d", (int)d);
        if (d < n) continue;
        at += snprintf(text + at, sizeof text - (size_t)at, "switch %s%s\n", names[d],
                       below(4) ? "" : " reduces");
    }
    const int32_t n_links = n + n_switches - 1 + below(5);
    for (int32_t i = 0; i < n_links; i++) {
        int32_t a = i + 1, b = a < n + n_switches ? below(a) : 0;
        if (a >= n + n_switches) {
            a = 1 + below(n + n_switches - 1);
            b = below(a);
        }
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "link %s %s bandwidth %dGB/s kind %s%s\n", names[a], names[b],
                       (int)(1 + below(20)), kinds[below(4)], below(5) ? "" : " shared");
    }
    parse(text, machine);
}

/* ------------------------------------------------------------------ a search through everything */

static bool without_net; /* no route of the machine takes a net link */

static void look_for_net(const rs_machine *m) {
    rs_router *router;
    rs_route route;
    without_net = true;
    cr_assert_eq(rs_router_new(m, &arena, &error, &router), RS_OK);
    for (int32_t src = 0; src < m->n_gpus; src++) {
        for (int32_t dst = 0; dst < m->n_gpus; dst++) {
            if (src == dst) continue;
            cr_assert_eq(rs_router_find(router, src, dst, 0, &error, &route), RS_OK);
            for (int32_t i = 0; i < route.n_wires; i++) {
                if (m->links[route.wires[i] / 2].kind == RS_NET) without_net = false;
            }
        }
    }
}

/* What leaves a set of devices. */
static int64_t cut_of(const rs_machine *m, unsigned inside) {
    int64_t cut = 0;
    for (int32_t i = 0; i < m->n_links; i++) {
        const rs_machine_link *link = &m->links[i];
        if (without_net && link->kind == RS_NET) continue;
        if ((inside >> link->a & 1) != (inside >> link->b & 1)) cut += (int64_t)link->raw_Bps;
    }
    return cut;
}

/* The least cut of a set of GPUs, over all sets of switches. */
static int64_t least_cut(const rs_machine *m, unsigned gpus) {
    int64_t least = INT64_MAX;
    for (unsigned s = 0; s < 1u << (m->n_devices - m->n_gpus); s++) {
        const int64_t cut = cut_of(m, gpus | s << m->n_gpus);
        if (cut < least) least = cut;
    }
    return least;
}

__extension__ typedef unsigned __int128 big;

static int64_t ceil_ps(int64_t bytes, int64_t cut, int64_t n) { /* bytes / (n cut) */
    const big top = (big)(uint64_t)bytes * 1000000000000u,
              bottom = (big)(uint64_t)cut * (uint64_t)n;
    return (int64_t)((top + bottom - 1) / bottom);
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* The largest bound of a partition, over all partitions: GPU `at` joins each block or begins one. */
static int64_t best_partition(const rs_machine *m, int64_t bytes, unsigned blocks[], int n_blocks,
                              int32_t at) {
    if (at == m->n_gpus) {
        int64_t sum = 0;
        for (int k = 0; k < n_blocks; k++) sum += least_cut(m, blocks[k]);
        return n_blocks < 2 ? 0 : ceil_ps(2 * (n_blocks - 1) * bytes, sum, 1);
    }
    int64_t best = 0;
    for (int k = 0; k <= n_blocks; k++) {
        const unsigned was = k < n_blocks ? blocks[k] : 0;
        blocks[k] = was | 1u << at;
        best = larger(best, best_partition(m, bytes, blocks, n_blocks + (k == n_blocks), at + 1));
        blocks[k] = was;
    }
    return best;
}

static void search(const rs_machine *m, int64_t bytes, int64_t best[RS_N_COLLECTIVES]) {
    unsigned blocks[MOST_GPUS + 1] = {0};
    const int64_t n = m->n_gpus;
    memset(best, 0, RS_N_COLLECTIVES * sizeof *best);
    for (unsigned gpus = 1; gpus + 1 < 1u << n; gpus++) {
        const int64_t cut = least_cut(m, gpus), a = __builtin_popcount(gpus);
        const int64_t shards = ceil_ps(larger(a, n - a) * bytes, cut, n);
        best[RS_COLL_BROADCAST] = larger(best[RS_COLL_BROADCAST], ceil_ps(bytes, cut, 1));
        best[RS_COLL_ALL_GATHER] = larger(best[RS_COLL_ALL_GATHER], shards);
        best[RS_COLL_ALL_TO_ALL] =
            larger(best[RS_COLL_ALL_TO_ALL], ceil_ps(a * (n - a) * bytes, cut, n));
    }
    best[RS_COLL_REDUCE] = best[RS_COLL_BROADCAST];
    best[RS_COLL_REDUCE_SCATTER] = best[RS_COLL_ALL_GATHER];
    best[RS_COLL_ALL_REDUCE] =
        larger(best[RS_COLL_BROADCAST], best_partition(m, bytes, blocks, 0, 0));
}

/* What a bound's own blocks say, by the formula. */
static int64_t by_its_blocks(const rs_machine *m, const rs_bound *bound, rs_collective of,
                             int64_t bytes) {
    const int64_t n = m->n_gpus;
    int64_t sum = 0, a = 0;
    for (int32_t k = 0; k < bound->n_blocks; k++) {
        unsigned gpus = 0;
        for (int32_t gpu = 0; gpu < n; gpu++) {
            if (bound->block[gpu] == k) gpus |= 1u << gpu;
        }
        cr_assert_neq(gpus, 0u);
        a = __builtin_popcount(gpus);
        sum += least_cut(m, gpus);
    }
    if (bound->n_blocks > 1) return ceil_ps(2 * (bound->n_blocks - 1) * bytes, sum, 1);
    if (of == RS_COLL_ALL_TO_ALL) return ceil_ps(a * (n - a) * bytes, sum, n);
    if (of == RS_COLL_ALL_GATHER || of == RS_COLL_REDUCE_SCATTER) {
        return ceil_ps(larger(a, n - a) * bytes, sum, n);
    }
    return ceil_ps(bytes, sum, 1);
}

Test(bounds, no_bound_is_above_that_of_all_blocks_and_partitions) {
    int n_equal = 0, n_all = 0;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        state = seed;
        rs_machine m;
        rs_bound bounds[RS_N_COLLECTIVES];
        int64_t best[RS_N_COLLECTIVES];
        const int64_t bytes = 1 + below(1000000000);
        draw_machine(2 + below(MOST_GPUS - 1), below(MOST_SWITCHES + 1), &m);
        look_for_net(&m);
        search(&m, bytes, best);
        cr_assert_eq(rs_machine_bounds(&m, bytes, &arena, &error, bounds), RS_OK, "%s", error.text);
        for (rs_collective of = 0; of < RS_N_COLLECTIVES; of++) {
            const rs_bound *bound = &bounds[of];
            const char *name = rs_collective_name(of);
            cr_assert_leq(bound->time_ps, best[of], "seed %d: %s", (int)seed, name);
            cr_assert_leq(bound->time_ps, by_its_blocks(&m, bound, of, bytes), "seed %d: %s",
                          (int)seed, name);
            cr_assert(bound->time_ps > 0 && bound->block != NULL);
            n_equal += bound->time_ps == best[of];
            n_all++;
        }
        cr_assert_eq(bounds[RS_COLL_BROADCAST].time_ps, best[RS_COLL_BROADCAST]);
        cr_assert_eq(bounds[RS_COLL_REDUCE].time_ps, best[RS_COLL_REDUCE]);
        bool reduces = false;
        for (int32_t d = 0; d < m.n_devices; d++) reduces = reduces || m.reduces[d];
        cr_assert_eq(bounds[RS_COLL_ALL_REDUCE].in_switch_ps,
                     reduces ? best[RS_COLL_BROADCAST] : -1);
    }
    cr_expect_geq(100 * n_equal, 90 * n_all, "%d of %d", n_equal, n_all);
}

/* ------------------------------------------------------------------ what algorithms take */

Test(bounds, no_algorithm_beats_the_bound) {
    int n_runs = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        state = seed * 77;
        rs_machine m;
        rs_bound bounds[RS_N_COLLECTIVES];
        const int64_t count = 1000 + below(100000);
        draw_machine(2 + below(MOST_GPUS - 1), below(MOST_SWITCHES + 1), &m);
        cr_assert_eq(rs_machine_bounds(&m, 4 * count, &arena, &error, bounds), RS_OK);
        for (int i = 0; rs_algorithms[i] != NULL; i++) {
            if (rs_algorithms[i]->in_switch) continue; /* no switch adds here */
            rs_schedule schedule;
            rs_outcome outcome;
            cr_assert_eq(rs_schedule_make(rs_algorithms[i], RS_ORDER_SEED, m.n_gpus, count, &error,
                                          &schedule),
                         RS_OK);
            const rs_job job = {
                .schedule = &schedule, .count = count, .elem_bytes = 4, .net = {.machine = &m}};
            cr_assert_eq(rs_simulate(&job, RS_ENGINE_AUTO, NULL, &arena, &error, &outcome), RS_OK,
                         "%s", error.text);
            cr_assert_geq(outcome.makespan_ps + schedule.n_transfers,
                          bounds[RS_COLL_ALL_REDUCE].time_ps, "seed %d: %s", (int)seed,
                          rs_algorithms[i]->name);
            n_runs++;
        }
    }
    cr_expect_gt(n_runs, 1000);
}

/* ------------------------------------------------------------------ nodes */

/* Nodes of g GPUs at a switch, and k NICs, one GPU or several at each. */
static void make_nodes(int32_t n_nodes, int32_t g, int32_t k, rs_machine *machine) {
    char text[ROOM];
    rs_machine node;
    int at = snprintf(text, sizeof text, "ringsim-machine 1\ngpus %d\nswitch sw fabric\n", (int)g);
    for (int32_t i = 0; i < g; i++) {
        at += snprintf(text + at, sizeof text - (size_t)at, "link gpu%d sw bandwidth 300GB/s\n", i);
    }
    for (int32_t j = 0; j < k; j++) {
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "switch nic%d\nlink nic%d fabric bandwidth 20GB/s raw 25GB/s kind net\n", j,
                       j);
    }
    for (int32_t i = 0; i < g; i++) {
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "link gpu%d nic%d bandwidth 300GB/s kind pcie\n", i, i * k / g);
    }
    parse(text, &node);
    cr_assert_eq(rs_machine_repeat(&node, n_nodes, "nodes", &arena, &error, machine), RS_OK, "%s",
                 error.text);
}

Test(bounds, nodes_are_bound_by_their_nics) {
    for (int32_t n_nodes = 2; n_nodes <= 40; n_nodes += 1 + n_nodes / 3) {
        for (int32_t k = 1; k <= 4; k *= 2) {
            rs_machine m;
            rs_bound bounds[RS_N_COLLECTIVES];
            const int64_t bytes = 1000000000, nics = 25000000000 * k;
            make_nodes(n_nodes, 4, k, &m);
            cr_assert_eq(rs_machine_bounds(&m, bytes, &arena, &error, bounds), RS_OK);
            const rs_bound *all_reduce = &bounds[RS_COLL_ALL_REDUCE];
            cr_assert_eq(all_reduce->time_ps,
                         ceil_ps(2 * (n_nodes - 1) * bytes, nics * n_nodes, 1));
            cr_assert(all_reduce->by == RS_BY_NODES && all_reduce->n_blocks == n_nodes &&
                      all_reduce->block[4 * n_nodes - 1] == n_nodes - 1);
            /* The ring takes 2 (N - 1) / N S / (k Bnic): more, since N - 1 of N is more than of nodes. */
            cr_assert_leq(all_reduce->time_ps,
                          ceil_ps(2 * (4 * n_nodes - 1) * bytes, nics * 4 * n_nodes, 1));
            cr_assert_eq(bounds[RS_COLL_ALL_GATHER].time_ps,
                         ceil_ps((n_nodes - 1) * bytes, nics, n_nodes));
            cr_assert_eq(bounds[RS_COLL_BROADCAST].time_ps, ceil_ps(bytes, nics, 1));
            cr_assert_eq(bounds[RS_COLL_ALL_TO_ALL].time_ps,
                         ceil_ps(4 * 4 * (n_nodes - 1) * bytes, nics, 4 * n_nodes));
        }
    }
}

Test(bounds, far_halves_bound_an_exchange_on_a_line) {
    char text[ROOM];
    rs_machine m;
    rs_bound bounds[RS_N_COLLECTIVES];
    int at = snprintf(text, sizeof text, "ringsim-machine 1\ngpus 8\n");
    for (int i = 0; i < 7; i++) {
        at += snprintf(text + at, sizeof text - (size_t)at, "link gpu%d gpu%d bandwidth 1GB/s\n", i,
                       i + 1);
    }
    parse(text, &m);
    cr_assert_eq(rs_machine_bounds(&m, 8000, &arena, &error, bounds), RS_OK);
    const rs_bound *exchange = &bounds[RS_COLL_ALL_TO_ALL];
    cr_expect_eq(exchange->time_ps, 16 * 1000000);
    for (int32_t gpu = 0; gpu < 8; gpu++) {
        cr_expect_eq(exchange->block[gpu] == exchange->block[0], gpu < 4);
    }
}

Test(bounds, what_cannot_be_reached_has_no_bound_and_one_rank_needs_no_time) {
    rs_machine m;
    rs_bound bounds[RS_N_COLLECTIVES];
    parse("ringsim-machine 1\ngpus 3\nlink gpu0 gpu1 bandwidth 1GB/s\n", &m);
    cr_assert_eq(rs_machine_bounds(&m, 8000, &arena, &error, bounds), RS_OK);
    for (rs_collective of = 0; of < RS_N_COLLECTIVES; of++) cr_expect_eq(bounds[of].time_ps, -1);
    parse("ringsim-machine 1\ngpus 1\n", &m);
    cr_assert_eq(rs_machine_bounds(&m, 8000, &arena, &error, bounds), RS_OK);
    for (rs_collective of = 0; of < RS_N_COLLECTIVES; of++) {
        cr_expect(bounds[of].time_ps == 0 && bounds[of].block == NULL);
    }
    parse("ringsim-machine 1\ngpus 2\nlink gpu0 gpu1 bandwidth 1kB/s\n", &m);
    cr_expect_eq(rs_machine_bounds(&m, INT64_MAX, &arena, &error, bounds), RS_TOO_LARGE);
    cr_assert_eq(rs_machine_bounds(&m, 7, &arena, &error, bounds), RS_OK);
    cr_expect_eq(bounds[RS_COLL_ALL_REDUCE].time_ps, 7000000000);
}
