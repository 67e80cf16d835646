/* test_cuts.c: the least cut between two GPUs of drawn machines, against all ways to part their devices: its size, and both of its
 * least sides.
 */
#include "machine/cuts.h"
#include "support/own.h"

#include <criterion/criterion.h>
#include <stdio.h>

enum { MOST_DEVICES = 9, MOST_LINKS = 24 };

static uint64_t state;
static int draw(int below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (int)((uint32_t)(state >> 33) % (uint32_t)below);
}

static rs_machine_link links[MOST_LINKS];
static char room[MOST_DEVICES][8];
static const char *names[MOST_DEVICES];
static const bool reduces[MOST_DEVICES];

static rs_machine draw_machine(uint64_t seed, rs_arena *arena) {
    state = seed;
    rs_error error;
    rs_machine machine;
    rs_machine described = {.name = "drawn", .names = names, .reduces = reduces, .links = links};
    described.n_gpus = 2 + draw(4);
    described.n_devices = described.n_gpus + draw(MOST_DEVICES - described.n_gpus + 1);
    described.n_links = draw(MOST_LINKS + 1);
    for (int d = 0; d < described.n_devices; d++) {
        snprintf(room[d], sizeof room[d], d < described.n_gpus ? "gpu%d" : "sw%d", d);
        names[d] = room[d];
    }
    for (int i = 0; i < described.n_links; i++) {
        const int a = draw(described.n_devices);
        const uint64_t raw = 1000 * (uint64_t)(1 + draw(seed % 2 ? 3 : 40));
        links[i] =
            (rs_machine_link){.a = a,
                              .b = (a + 1 + draw(described.n_devices - 1)) % described.n_devices,
                              .bandwidth_Bps = 1000,
                              .raw_Bps = raw,
                              .slow_num = 1,
                              .slow_den = 1,
                              .kind = (uint8_t)(draw(4) ? RS_NVLINK : RS_NET),
                              .shared = draw(2)};
    }
    cr_assert_eq(rs_machine_make(&described, arena, &error, &machine), RS_OK, "%s", error.text);
    return machine;
}

/* What leaves a set of devices, one bit each. */
static uint64_t leaves(const rs_machine *m, bool without_net, unsigned set) {
    uint64_t sum = 0;
    for (int i = 0; i < m->n_links; i++) {
        const rs_machine_link *l = &m->links[i];
        const bool parted = (set >> l->a & 1) != (set >> l->b & 1);
        if (parted && !(without_net && l->kind == RS_NET)) sum += l->raw_Bps;
    }
    return sum;
}

static unsigned block_of(const rs_cuts *c) {
    unsigned set = 0;
    for (int i = 0; i < c->n_inside; i++) set |= 1u << c->queue[i];
    return set;
}

Test(cuts, no_set_between_two_gpus_has_a_smaller_cut) {
    int n_none = 0, n_between = 0;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        OWN_ARENA arena = {0};
        const rs_machine m = draw_machine(seed, &arena);
        rs_cuts c = {.machine = &m, .without_net = draw(3) == 0};
        cr_assert(rs_cuts_begin(&c, &arena) && c.flow != NULL);
        const unsigned all = (1u << m.n_devices) - 1;
        for (int to = 1; to < m.n_gpus; to++) {
            uint64_t least = UINT64_MAX;
            unsigned near_side = all, far_side = all; /* what all least cuts have there */
            for (unsigned set = 1; set <= all; set += 2) {
                if (set >> to & 1) continue;
                const uint64_t cut = leaves(&m, c.without_net, set);
                if (cut > least) continue;
                if (cut < least) near_side = far_side = all;
                least = cut;
                near_side &= set;
                far_side &= all & ~set;
            }
            const rs_cut_wide found = rs_cut_between(&c, to, false);
            cr_assert_eq((uint64_t)found, least, "seed %d, to %d", (int)seed, to);
            cr_assert_eq(block_of(&c), near_side, "seed %d, to %d: %x, not %x", (int)seed, to,
                         block_of(&c), near_side);
            cr_assert_eq((uint64_t)rs_cut_between(&c, to, true), least);
            cr_assert_eq(block_of(&c), far_side, "seed %d, from %d: %x, not %x", (int)seed, to,
                         block_of(&c), far_side);
            int n_gpus = 0;
            for (int gpu = 0; gpu < m.n_gpus; gpu++) n_gpus += (far_side >> gpu & 1) != 0;
            cr_assert_eq(rs_gpus_inside(&c), n_gpus);
            n_none += least == 0;
            n_between += near_side != 1 && far_side != 1u << to;
        }
    }
    cr_expect(n_none > 300 && n_between > 300, "%d, %d", n_none, n_between);
}

/* What leaves a block of devices is what the links say, once switches that make it smaller are in; and no more than without. */
Test(cuts, a_block_s_cut_is_what_its_links_say) {
    int n_joined = 0;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        OWN_ARENA arena = {0};
        const rs_machine m = draw_machine(seed, &arena);
        rs_cuts c = {.machine = &m, .without_net = draw(3) == 0};
        cr_assert(rs_cuts_begin(&c, &arena));
        for (int round = 0; round < 5; round++) {
            unsigned begun = 0;
            rs_begin_block(&c);
            for (int gpu = 0; gpu < m.n_gpus; gpu++) {
                if (draw(2)) continue;
                rs_join_block(&c, gpu);
                rs_join_block(&c, gpu);
                begun |= 1u << gpu;
            }
            cr_assert_eq(block_of(&c), begun);
            const uint64_t cut = (uint64_t)rs_cut_block(&c);
            const unsigned set = block_of(&c);
            cr_assert_eq(cut, leaves(&m, c.without_net, set), "seed %d", (int)seed);
            cr_assert_leq(cut, leaves(&m, c.without_net, begun));
            cr_assert((set & begun) == begun && (set & ((1u << m.n_gpus) - 1)) == begun);
            for (int sw = m.n_gpus; sw < m.n_devices; sw++) /* none is left that would */
                cr_assert(set >> sw & 1 || leaves(&m, c.without_net, set | 1u << sw) >= cut,
                          "seed %d: switch %d", (int)seed, sw);
            n_joined += set != begun;
        }
    }
    cr_expect_gt(n_joined, 500);
}

static int64_t time_of(uint64_t n_bytes, uint64_t Bps) {
    return (int64_t)((n_bytes * 1000000000000u + Bps - 1) / Bps);
}

/* A bound is no weaker than what each least cut says, all GPUs' links together, and all nodes'. */
Test(cuts, no_bound_is_below_what_cuts_say) {
    int n_bound = 0, n_ranks = 0, n_nodes = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        OWN_ARENA arena = {0};
        rs_error error;
        rs_bound bounds[RS_N_COLLECTIVES];
        const rs_machine m = draw_machine(seed, &arena);
        const uint64_t n_bytes = 1000 * (uint64_t)m.n_gpus;
        const unsigned all = (1u << m.n_devices) - 1;
        cr_assert_eq(rs_machine_bounds(&m, (int64_t)n_bytes, &arena, &error, bounds), RS_OK, "%s",
                     error.text);
        uint64_t ranks = 0, nodes = 0;
        bool apart = false;
        int64_t once = 0;
        for (int to = 1; to < m.n_gpus; to++) {
            uint64_t least = UINT64_MAX;
            for (unsigned set = 1; set <= all; set += 2) {
                const uint64_t cut = leaves(&m, false, set);
                if (!(set >> to & 1) && cut < least) least = cut;
            }
            apart = apart || least == 0;
            if (least > 0 && time_of(n_bytes, least) > once) once = time_of(n_bytes, least);
        }
        for (int gpu = 0; gpu < m.n_gpus; gpu++) ranks += leaves(&m, false, 1u << gpu);
        for (int node = 0; node < m.n_nodes; node++) {
            unsigned set = 0;
            for (int d = 0; d < m.n_devices; d++) set |= (unsigned)(m.node[d] == node) << d;
            nodes += leaves(&m, false, set);
        }
        if (!apart) {
            const rs_bound *sum = &bounds[RS_COLL_ALL_REDUCE];
            const int64_t by_ranks = time_of(2 * (uint64_t)(m.n_gpus - 1) * n_bytes, ranks);
            cr_assert_geq(bounds[RS_COLL_BROADCAST].time_ps, once, "seed %d", (int)seed);
            cr_assert_geq(sum->time_ps, once, "seed %d", (int)seed);
            cr_assert_geq(sum->time_ps, by_ranks, "seed %d", (int)seed);
            n_ranks += by_ranks > once;
            if (m.n_nodes > 1) {
                const int64_t by_nodes = time_of(2 * (uint64_t)(m.n_nodes - 1) * n_bytes, nodes);
                cr_assert_geq(sum->time_ps, by_nodes, "seed %d", (int)seed);
                n_nodes += by_nodes > once && by_nodes > by_ranks;
            }
            n_bound++;
        }
    }
    cr_expect(n_bound > 500 && n_ranks > 50 && n_nodes > 0, "%d, %d, %d", n_bound, n_ranks,
              n_nodes);
}
