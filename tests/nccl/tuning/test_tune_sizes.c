/* test_tune_sizes.c: what the tuning table says of sizes, against a plain account: times, channels, threads, the choice and where
 * it changes; what communicators and settings are refused.
 */
#include "ringsim_tuning.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static rs_error error;
static rn_nccl_table table;
static uint64_t state;

static int draw(int below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (int)((uint32_t)(state >> 33) % (uint32_t)below);
}

static rn_nccl_comm draw_comm(uint64_t seed) {
    static const int versions[] = {21806, 22105, 22304, 22703, 22901, 22902, 22907, 23007},
                     ccs[] = {70, 79, 80, 90, 99, 100, 120};
    state = seed;
    const int nodes = 1 + draw(4), cc = ccs[draw(7)];
    rn_nccl_comm c = {.version = versions[draw(8)],
                      .n_ranks = nodes * (1 + draw(8)),
                      .n_nodes = nodes,
                      .cc_min = cc,
                      .cc_max = cc,
                      .cpu = (rn_nccl_cpu)draw(RN_NCCL_N_CPUS),
                      .n_nvswitches = 1,
                      .collnet = draw(2),
                      .n_channels = draw(3) ? 0 : 1 + draw(40),
                      .n_nvls_channels = draw(2) ? 0 : 1 + draw(40)};
    if (c.n_ranks < 2) c.n_ranks = 2;
    for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) {
        c.graphs[a] = (rn_nccl_graph){.n_channels = draw(8) ? draw(20) : draw(65),
                                      .bw_intra = .5F * (float)draw(90),
                                      .bw_inter = .5F * (float)draw(90),
                                      .type_intra = RN_PATH_NVL,
                                      .type_inter = RN_PATH_PIX,
                                      .pattern = RN_PATTERN_TREE,
                                      .same_channels = true};
        for (int p = 0; p < RN_NCCL_N_PROTOCOLS; p++)
            if (draw(4) == 0) c.max_threads[a][p] = 32 * (1 + draw(20));
    }
    rn_nccl_filter_open(&c.filter);
    return c;
}

static int64_t draw_size(void) {
    const int64_t size = (int64_t)1 << draw(40);
    return draw(4) == 0 ? draw(70) : size + draw(3) - 1;
}

/* ------------------------------------------------------------------ times */

/* Channels that collectives use: said, or twice the ring's, at least one, at most 64. */
static int channels_of(const rn_nccl_comm *c) {
    if (c->n_channels > 0) return c->n_channels;
    const int twice = 2 * c->graphs[RN_NCCL_RING].n_channels;
    return twice == 0 ? 1 : twice > 64 ? 64 : twice;
}

/* Tenths of the bandwidth, by the size's octave from 64 bytes on. */
static double tree_part(int p, int64_t size, int n_octaves) {
    static const char *const tenths[] = {"aaaa987777654456789aaaaa", "aaaaa9888766666689999aaa",
                                         "999999987665555678778999"};
    for (int octave = 0; octave < n_octaves; octave++) {
        const char part = tenths[p][octave];
        if (size >> octave >= 64 && size >> octave < 128)
            return part == 'a' ? 1 : (part - '0') / 10.0;
    }
    return 1;
}

Test(tune_sizes, times_are_latency_and_bytes_over_bandwidth) {
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        const rn_nccl_comm c = draw_comm(seed);
        cr_assert_eq(rn_nccl_tune(&c, &error, &table), RS_OK, "%s", error.text);
        const bool x86 = c.cpu != RN_NCCL_ARM && c.cpu != RN_NCCL_POWER;
        for (int i = 0; i < RS_COLL_ALL_TO_ALL * 21; i++) {
            const int coll = i / 21, a = i / 3 % 7, p = i % 3;
            const rn_nccl_cell *cell = &table.cells[coll][a][p];
            int64_t size = draw_size();
            if (draw(3) == 0) size = 64 * (int64_t)c.n_ranks * channels_of(&c) - draw(2);
            const rn_nccl_cost cost = rn_nccl_cost_of(
                &c, &table, (rs_collective)coll, (rn_nccl_algorithm)a, (rn_nccl_protocol)p, size);
            double part = 1, slower = 1;
            if (coll == RS_COLL_ALL_REDUCE && a == RN_NCCL_TREE) part = tree_part(p, size, 23);
            if (coll == RS_COLL_ALL_REDUCE && a == RN_NCCL_NVLS_TREE && c.version >= 22902 &&
                c.cc_min >= 100 && x86)
                part = tree_part(p, size, 24);
            if (coll == RS_COLL_ALL_REDUCE && a == RN_NCCL_RING && p == RN_NCCL_SIMPLE &&
                c.n_nodes > 1 && size >= 64 * (int64_t)c.n_ranks * channels_of(&c))
                slower = c.cc_min < 80 ? 1.9 : 1.4;
            if (!(cell->bandwidth_GBps > 0)) {
                cr_assert_eq(cost.us, -1);
                continue;
            }
            const double us = (double)cell->latency_us * slower,
                         bytes_us = (double)size / (1000 * part * (double)cell->bandwidth_GBps);
            cr_assert(fabs((double)cost.latency_factor - slower) < 1e-6 &&
                          fabs((double)cost.bandwidth_factor - part) < 1e-6,
                      "%d %d %d, %lld bytes: %g", coll, a, p, (long long)size,
                      (double)cost.bandwidth_factor);
            cr_assert(fabs((double)cost.latency_us - us) <= 1e-6 * us);
            cr_assert(fabs((double)cost.bytes_us - bytes_us) <= 1e-6 * bytes_us);
            cr_assert(fabs((double)cost.us - us - bytes_us) <= 1e-6 * (us + bytes_us));
        }
    }
}

/* ------------------------------------------------------------------ channels, threads */

/* As many channels as have enough bytes a thread, then half the threads as often as it goes evenly. */
Test(tune_sizes, channels_and_threads_are_as_many_as_have_enough_bytes) {
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        const rn_nccl_comm c = draw_comm(seed);
        const rn_nccl_graph *ring = &c.graphs[RN_NCCL_RING];
        for (int i = 0; i < 21; i++) {
            const int a = i / 3, p = i % 3;
            const bool nvls = a == RN_NCCL_NVLS || a == RN_NCCL_NVLS_TREE,
                       collnet = a == RN_NCCL_COLLNET_DIRECT || a == RN_NCCL_COLLNET_CHAIN,
                       slow = (double)ring->bw_intra * ring->n_channels <= 12;
            int threads = a > RN_NCCL_RING || p == RN_NCCL_LL128 ? 640 : 512;
            if (a == RN_NCCL_RING && p == RN_NCCL_SIMPLE && slow) threads = 256;
            if (c.max_threads[a][p] > 0) threads = c.max_threads[a][p];
            int64_t least = p == RN_NCCL_SIMPLE ? 64 : 8;
            if (p == RN_NCCL_LL && a == RN_NCCL_RING) least = 8 * c.n_ranks;
            if (collnet) least = 512;
            int channels = channels_of(&c);
            int64_t size = draw_size();
            if (draw(2)) size = least * threads * (1 + draw(channels)) + draw(3) - 1;
            if (draw(4) == 0) size = least * threads / 4 + draw(3) - 1;
            if (nvls) {
                const int own = c.n_nvls_channels > 0 ? c.n_nvls_channels : c.graphs[a].n_channels;
                if (c.n_nodes == 1 || own < channels) channels = own == 0 ? 1 : own;
            } else {
                const int64_t filled = size / (least * threads);
                if (filled < channels) channels = filled < 1 ? 1 : (int)filled;
                while (size < least * threads * channels && threads % 128 == 0) threads /= 2;
            }
            if (a == RN_NCCL_RING && p == RN_NCCL_SIMPLE) threads += 32;
            if (a == RN_NCCL_TREE && p == RN_NCCL_SIMPLE) threads += 128;
            if (threads < 96) threads = 96;
            if (a == RN_NCCL_PAT || (a == RN_NCCL_TREE && c.version >= 22200)) threads = 640;
            rn_nccl_choice choice = {.algorithm = (rn_nccl_algorithm)a,
                                     .protocol = (rn_nccl_protocol)p};
            rn_nccl_trim(&c, size, &choice);
            cr_assert(choice.n_channels == channels && choice.n_threads == threads,
                      "seed %d: %d %d, %lld bytes: %d channels, %d threads, not %d, %d", (int)seed,
                      a, p, (long long)size, (int)choice.n_channels, (int)choice.n_threads,
                      channels, threads);
        }
    }
}

/* ------------------------------------------------------------------ the choice */

/* The fastest cell, of equals the first; the next size with another choice is the first byte of its stretch. */
Test(tune_sizes, the_fastest_cell_is_chosen_up_to_its_last_byte) {
    int n_crossings = 0, n_none = 0;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        const rn_nccl_comm c = draw_comm(seed);
        rn_nccl_choice choice, there;
        cr_assert_eq(rn_nccl_tune(&c, &error, &table), RS_OK, "%s", error.text);
        const rs_collective coll = (rs_collective)draw(RS_N_COLLECTIVES);
        const int64_t size = draw_size();
        int best = -1;
        float us = INFINITY;
        for (int i = 0; i < 21 && coll != RS_COLL_ALL_TO_ALL; i++) {
            const rn_nccl_cost cost = rn_nccl_cost_of(&c, &table, coll, (rn_nccl_algorithm)(i / 3),
                                                      (rn_nccl_protocol)(i % 3), size);
            if (cost.us >= 0 && cost.us < us) best = i, us = cost.us;
        }
        cr_assert_eq(rn_nccl_choose(&c, &table, coll, size, &choice), best >= 0);
        int64_t next = -7;
        const int64_t most = draw(8) == 0 ? size + draw(100) : (int64_t)1 << 40;
        const bool crosses = rn_nccl_crossing(&c, &table, coll, size, most, &next);
        if (best < 0) {
            cr_assert(!crosses && next == -7);
            continue;
        }
        cr_assert((int)choice.algorithm == best / 3 && (int)choice.protocol == best % 3);
        there = choice;
        rn_nccl_trim(&c, size, &there);
        cr_assert(choice.cost.us == us && choice.n_channels == there.n_channels &&
                  choice.n_threads == there.n_threads);
        const int64_t end = crosses ? next : most;
        if (crosses) {
            cr_assert(next > size && next <= most);
            rn_nccl_choose(&c, &table, coll, next, &there);
            cr_assert(there.algorithm != choice.algorithm || there.protocol != choice.protocol);
            int64_t again =
                -7; /* found as well where one looks just so far, or from just before it */
            cr_assert(rn_nccl_crossing(&c, &table, coll, next - 1, next, &again) && again == next);
            cr_assert_not(rn_nccl_crossing(&c, &table, coll, next - 1, next - 1, &again));
        }
        for (int64_t at = size; at<end; at += at / 16> 64 ? at / 16 : 64) {
            rn_nccl_choose(&c, &table, coll, at, &there);
            cr_assert(there.algorithm == choice.algorithm && there.protocol == choice.protocol);
        }
        cr_assert_not(rn_nccl_crossing(&c, &table, coll, -1, most, &next));
        n_crossings += crosses;
        n_none += !crosses;
    }
    cr_expect(n_crossings > 300 && n_none > 100, "%d, %d", n_crossings, n_none);
}

/* ------------------------------------------------------------------ what is refused */

Test(tune_sizes, communicators_are_refused_beyond_their_bounds) {
    const rn_nccl_comm usual = draw_comm(7);
    rn_nccl_cell cell;
    for (int ranks = -1; ranks < 6; ranks++) {
        for (int nodes = -1; nodes < 8; nodes++) {
            for (int version = 21799; version <= 21800; version++) {
                rn_nccl_comm c = usual;
                c.n_ranks = ranks;
                c.n_nodes = nodes;
                c.version = version;
                const bool fine = ranks >= 2 && nodes >= 1 && nodes <= ranks;
                const rs_status wanted = version < 21800 ? RS_UNSUPPORTED
                                         : fine          ? RS_OK
                                                         : RS_BAD_INPUT;
                cr_expect_eq(rn_nccl_tune(&c, &error, &table), wanted, "%d on %d", ranks, nodes);
                cr_expect_eq(rn_nccl_tune_cell(&c, RS_COLL_REDUCE, RN_NCCL_RING, RN_NCCL_LL, &cell),
                             wanted);
            }
        }
    }
    const float speeds[] = {-1, -1e-6F, 0, nextafterf(1e6F, 0), 1e6F, INFINITY, NAN};
    static const int channels[] = {-1, 0, 64, 65};
    for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) {
        for (int i = 0; i < 7 * 3 + 4; i++) {
            rn_nccl_comm c = usual;
            rn_nccl_graph *g = &c.graphs[a];
            float *const fields[] = {&g->bw_intra, &g->bw_inter, &g->latency_inter};
            if (i < 21) *fields[i / 7] = speeds[i % 7];
            if (i >= 21) g->n_channels = channels[i - 21];
            const bool fine = i < 21 ? i % 7 == 2 || i % 7 == 3 : i == 22 || i == 23;
            cr_expect_eq(rn_nccl_tune(&c, &error, &table), fine ? RS_OK : RS_BAD_INPUT, "%d %d", a,
                         i);
        }
    }
}

/* ------------------------------------------------------------------ settings */

enum { NAMES = 7 };

/* Drawn lists, a function's own or of all, with faults: what is named is on, the other way round behind '^'. */
Test(tune_sizes, a_setting_lets_through_what_it_names) {
    static const char *const
        names[] = {"Tree", "ring", "CollNet_Direct", "collnetchain", "NVLS", "nvls-tree", "PAT"},
        *const functions[] = {
            [RS_COLL_ALL_REDUCE] = "allreduce",  [RS_COLL_REDUCE_SCATTER] = "ReduceScatter",
            [RS_COLL_ALL_GATHER] = "all_gather", [RS_COLL_BROADCAST] = "broadcast",
            [RS_COLL_REDUCE] = "reduce",         [RS_COLL_ALL_TO_ALL] = "alltoall"};
    static const int versions[] = {22399, 22400, 23099, 23100};
    int n_refused = 0;
    for (uint64_t seed = 1; seed <= 6000; seed++) {
        state = seed;
        const int version = versions[draw(4)], n_lists = 1 + draw(3);
        const bool by_function = version >= 22400;
        bool wanted[RS_N_COLLECTIVES][NAMES], refused = false, any_function = false;
        bool named[RS_N_COLLECTIVES] = {false};
        char text[400] = "";
        memset(wanted, 1, sizeof wanted);
        for (int list = 0; list < (by_function ? n_lists : 1); list++) {
            const int function = draw(RS_N_COLLECTIVES + 1); /* the last: of all */
            const bool of_all = function == RS_N_COLLECTIVES || !by_function, but = draw(3) == 0;
            bool row[NAMES];
            if (list > 0) strcat(text, ";");
            const size_t begin = strlen(text);
            const bool bad_function = !of_all && draw(12) == 0;
            bool wrong = (of_all && list > 0 && by_function) || bad_function;
            any_function = any_function || !of_all;
            if (!of_all) strcat(strcat(text, bad_function ? "sum" : functions[function]), ":");
            if (but) strcat(text, "^");
            for (int i = 0; i < NAMES; i++) row[i] = but;
            for (int i = 1 + draw(3); i > 0; i--) {
                const int name = draw(NAMES);
                if (draw(15) == 0) {
                    strcat(text, "rign");
                    wrong = wrong || by_function;
                } else if (draw(9)) {
                    strcat(text, names[name]);
                    row[name] = !but;
                }
                if (i > 1) strcat(text, ",");
            }
            refused = refused || (wrong && text[begin] != '\0');
            const bool empty = text[begin] == '\0'; /* is none */
            for (int coll = 0; coll < RS_N_COLLECTIVES && !empty; coll++)
                if (of_all || coll == function) {
                    memcpy(wanted[coll], row, sizeof row);
                    named[coll] = true;
                }
        }
        for (int coll = 0; coll < RS_N_COLLECTIVES; coll++)
            if (!named[coll] && any_function) memset(wanted[coll], version < 23100, NAMES);
        rn_nccl_filter filter;
        rn_nccl_filter_open(&filter);
        const rn_nccl_filter before = filter;
        const rs_status status = rn_nccl_filter_set(&filter, version, "NCCL_ALGO", text, &error);
        cr_assert_eq(status, refused ? RS_BAD_INPUT : RS_OK, "%d: %s", version, text);
        n_refused += refused;
        if (refused) cr_assert_eq(memcmp(&filter, &before, sizeof filter), 0, "%s", text);
        for (int i = 0; i < RS_N_COLLECTIVES * NAMES && !refused; i++)
            cr_assert_eq(filter.algorithms[i / NAMES][i % NAMES], wanted[i / NAMES][i % NAMES],
                         "%d: %s: %d", version, text, i);
        cr_assert_eq(memcmp(filter.protocols, before.protocols, sizeof before.protocols), 0);
    }
    cr_expect_gt(n_refused, 1000, "%d", n_refused);
}

/* From 2.31 on a function that is not named has nothing where any is. */
Test(tune_sizes, functions_that_are_not_named_have_nothing_since_2_31) {
    for (int version = 23099; version <= 23100; version++) {
        for (int all = 0; all < 2; all++) {
            rn_nccl_filter filter;
            rn_nccl_filter_open(&filter);
            cr_assert_eq(rn_nccl_filter_set(&filter, version, "NCCL_PROTO",
                                            all ? "LL;reduce:Simple" : "reduce:Simple", &error),
                         RS_OK);
            for (int coll = 0; coll < RS_N_COLLECTIVES; coll++) {
                const bool named = coll == RS_COLL_REDUCE, open = !all && version < 23100;
                const uint8_t *row = filter.protocols[coll];
                cr_expect_eq(row[RN_NCCL_LL], !named && (all || open));
                cr_expect_eq(row[RN_NCCL_LL128], !named && open ? 2 : 0);
                cr_expect_eq(row[RN_NCCL_SIMPLE], named || open);
            }
        }
    }
}
