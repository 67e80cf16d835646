/* test_ring_nics.c: rings of several nodes against those of one: each NIC's begins at the GPU nearest to it, by a plain search;
 * which speeds are tried, and when channels are doubled.
 */
#include "ringsim.h"
#include "ringsim_rings.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { MOST_GPUS = 8, MOST_DEVICES = 64, MOST_TEXT = 8192 };

static uint64_t state;
static int draw(int below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (int)((uint32_t)(state >> 33) % (uint32_t)below);
}

/* GPUs that are all joined, switches and NICs behind them at any place; most NICs have a wire to the fabric. */
static void make_node(uint64_t seed, char text[MOST_TEXT]) {
    state = seed * 0x9e3779b97f4a7c15;
    const int g = 2 + draw(MOST_GPUS - 1), n_switches = 1 + draw(4), n_nics = 1 + draw(6);
    int n = snprintf(text, MOST_TEXT, "ringsim-machine 1\ngpus %d\nswitch fabric\n", g);
#define ADD(...) n += snprintf(text + n, MOST_TEXT - (size_t)n, __VA_ARGS__)
    for (int a = 0; a < g; a++) {
        for (int b = a + 1; b < g; b++)
            ADD("link gpu%d gpu%d bandwidth %dGB/s\n", a, b, 20 * (1 + draw(3)));
    }
    for (int i = 0; i < n_switches; i++) {
        ADD("switch plx%d\n", i);
        for (int k = draw(3); k >= 0; k--)
            ADD("link gpu%d plx%d bandwidth 12GB/s kind pcie\n", draw(g), i);
        if (i > 0 && draw(2)) ADD("link plx%d plx%d bandwidth 12GB/s kind pcie\n", i, draw(i));
    }
    for (int i = 0; i < n_nics; i++) {
        ADD("switch nic%d\n", i);
        for (int k = draw(3); k >= 0; k--) {
            if (draw(5) == 0) {
                ADD("link nic%d gpu%d bandwidth 12GB/s kind pcie\n", i, draw(g));
            } else {
                ADD("link plx%d nic%d bandwidth 12GB/s kind pcie\n", draw(n_switches), i);
            }
        }
        if (draw(6)) ADD("link nic%d fabric bandwidth 12GB/s kind net\n", i);
    }
#undef ADD
}

/* The links from one device to each other without those that are cut and the network; -1: there is no way. */
static void measure(const rs_machine *m, int32_t from, int far[MOST_DEVICES]) {
    for (int d = 0; d < m->n_devices; d++) far[d] = -1;
    far[from] = 0;
    for (int turn = 0; turn < m->n_devices; turn++) { /* each turn reaches one link farther */
        for (int32_t i = 0; i < m->n_links; i++) {
            const rs_machine_link *l = &m->links[i];
            if (l->cut || l->kind == RS_NET) continue;
            if (far[l->a] == turn && far[l->b] < 0) far[l->b] = turn + 1;
            if (far[l->b] == turn && far[l->a] < 0) far[l->a] = turn + 1;
        }
    }
}

static bool has_wire_out(const rs_machine *m, int32_t device) {
    for (int32_t i = 0; i < m->n_links; i++) {
        const rs_machine_link *l = &m->links[i];
        if ((l->a == device || l->b == device) && l->kind == RS_NET && !l->cut) return true;
    }
    return false;
}

Test(ring_nics, each_begins_at_the_gpu_nearest_to_its_nic) {
    int n_rings = 0, n_cut = 0, n_far = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        static char text[MOST_TEXT];
        rs_arena arena;
        rs_error error;
        rs_machine node, two;
        rn_rings one, found;
        rs_arena_init(&arena, NULL);
        make_node(seed, text);
        cr_assert_eq(rs_parse_machine(text, strlen(text), "node", &arena, &error, &node), RS_OK,
                     "%s\n%s", text, error.text);
        cr_assert_eq(rs_machine_repeat(&node, 2, "node:2", &arena, &error, &two), RS_OK);
        cr_assert_eq(two.n_nodes, 2);
        for (int32_t i = 0; i < two.n_links && seed % 2 == 0; i++) { /* none between GPUs */
            if (two.links[i].kind == RS_NVLINK || draw(6)) continue;
            cr_assert_eq(rs_machine_cut(&two, two.links[i].a, two.links[i].b, &arena, &error),
                         RS_OK);
            n_cut++;
        }
        const int32_t g = node.n_gpus;
        cr_assert_eq(rn_rings_search(&node, 80, false, &arena, &error, &one), RS_OK, "%s",
                     error.text);
        cr_assert_eq(rn_rings_search(&two, 80, false, &arena, &error, &found), RS_OK, "%s",
                     error.text);
        int taken[MOST_GPUS] = {0}, n = 0;
        for (int32_t d = 0; d < two.n_devices; d++) {
            if (two.node[d] != 0 || !has_wire_out(&two, d)) continue;
            int far[MOST_DEVICES], best = 0;
            measure(&two, d, far);
            for (int i = 1; i < g; i++) {
                const int here = far[i] < 0 ? 999 : far[i], least = far[best] < 0 ? 999 : far[best];
                if (here < least || (here == least && here < 999 && taken[i] < taken[best]))
                    best = i;
            }
            n_far += far[best] > 2;
            const int32_t *ring = one.order + n % one.n_rings * g, *turned = found.order + n * g;
            int at = 0;
            while (ring[at] != best) at++;
            for (int i = 0; i < g; i++)
                cr_assert_eq(turned[i], ring[(at + i) % g], "seed %d, NIC %s: GPU %d", (int)seed,
                             two.names[d], (int)turned[0]);
            taken[best]++;
            n++;
        }
        cr_assert_eq(found.n_rings, n > 0 ? n : one.n_rings, "seed %d", (int)seed);
        cr_assert_eq(found.GBps, n > 0 ? 0 : one.GBps);
        cr_assert(found.n_gpus == g && found.nvlink == one.nvlink && found.source == NULL);
        n_rings += n;
        rs_arena_free(&arena);
    }
    cr_expect(n_rings > 500 && n_cut > 100 && n_far > 5, "%d, %d, %d", n_rings, n_cut, n_far);
}

/* From the fastest on, by generation and place; src/graph/search.cc has the same. */
Test(ring_nics, speeds_are_those_that_are_tried) {
    static const struct {
        int32_t cc[3];
        bool inside;
        float speeds[24];
    } rows[] = {{{60, 80, 89}, true, {40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3}},
                {{60, 80, 89},
                 false,
                 {48, 30, 28, 24, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4F, 1.2F, .24F, .12F}},
                {{90, 95, 99}, true, {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3}},
                {{90, 95, 99},
                 false,
                 {48, 45, 42, 40, 30, 24, 22, 20, 17.5F, 15, 12, 6, 3, 2.4F, 1.2F, .24F, .12F}},
                {{100, 103, 120}, true, {90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18}},
                {{100, 103, 120}, false, {96, 86,    80, 48, 45.1F, 42, 40,   30,   24,   22,
                                          20, 17.5F, 15, 12, 6,     3,  2.4F, 1.2F, .24F, .12F}}};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        for (int k = 0; k < 3; k++) {
            const float *speeds = rn_ring_speeds(rows[row].cc[k], rows[row].inside);
            int i = 0;
            do cr_expect_eq(speeds[i], rows[row].speeds[i], "%d: %d", (int)rows[row].cc[k], i);
            while (rows[row].speeds[i++] > 0);
        }
    }
}

/* Twice as many at half the speed from 25 GB/s on; on newer GPUs more than four only from 50 GB/s on. */
Test(ring_nics, channels_are_doubled_from_25_and_50_on) {
    static const float speeds[] = {0, 24.9F, 25, 25.1F, 49.9F, 50, 50.1F, 90};
    static const int32_t ccs[] = {70, 80, 81, 90, 100};
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 5; k++) {
            for (int32_t n = 1; n < 9; n++) {
                int32_t channels = n;
                float GBps = speeds[i];
                rn_rings_double(ccs[k], &channels, &GBps);
                const bool is = i >= (ccs[k] > 80 && n > 4 ? 5 : 2);
                cr_expect(channels == (is ? 2 * n : n) && GBps == (is ? speeds[i] / 2 : speeds[i]),
                          "%d of %g, %d", (int)n, (double)speeds[i], (int)ccs[k]);
            }
        }
    }
}
