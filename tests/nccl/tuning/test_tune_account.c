/* test_tune_account.c: drawn communicators of every version against a plain account of the tuning model, in doubles: each
 * cell's latency, bandwidth, what limits it, which rule switches it off.
 */
#include "ringsim_tuning.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static uint64_t state;

static int draw(int below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (int)((uint32_t)(state >> 33) % (uint32_t)below);
}

enum { VOLTA, AMPERE, HOPPER, BLACKWELL };
enum { TREE, RING, DIRECT, CHAIN, NVLS, NVLS_TREE, PAT };
enum { LL, LL128, SIMPLE };

/* What is worked out of one cell. */
typedef struct account {
    double us, GBps;
    int limit, off;
    bool close; /* two limits are too near each other to tell which is less */
} account;

static bool shards(int coll) {
    return coll == RS_COLL_ALL_GATHER || coll == RS_COLL_REDUCE_SCATTER;
}

static int generation(const rn_nccl_comm *c) {
    if (c->cc_min >= 100) return c->version >= 22500 ? BLACKWELL : HOPPER;
    return c->cc_min >= 90 ? HOPPER : c->cc_min >= 80 ? AMPERE : VOLTA;
}

/* One of three: on one node, on two, on more. */
static double by_nodes(const rn_nccl_comm *c, double one, double two, double more) {
    return c->n_nodes == 1 ? one : c->n_nodes == 2 ? two : more;
}

/* ------------------------------------------------------------------ bandwidth */

static double least(account *w, double bandwidth, double most, int by) {
    if (fabs(bandwidth - most) < 1e-5 * most) w->close = true;
    if (most < bandwidth) w->limit = by;
    return most < bandwidth ? most : bandwidth;
}

static double most_ll(const rn_nccl_comm *c) {
    const bool amd = c->cpu == RN_NCCL_AMD || c->cpu == RN_NCCL_MIXED_CPUS;
    if (c->n_nodes > 1 && amd) return by_nodes(c, 0, 22.5, 19);
    if (c->n_nodes > 1) return by_nodes(c, 0, 39, 20.4);
    const double hopper = c->version < 22100 ? 87.7 : 141, of[] = {39, 87.7, hopper, 282};
    return of[generation(c)];
}

static double most_ring_ll128(const rn_nccl_comm *c) {
    if (generation(c) < HOPPER) return 20;
    if (generation(c) == HOPPER) return 36.7;
    if (c->version < 22809) return 73.4;
    if (c->version < 22902) return by_nodes(c, 73.4, 34.6, 73.4);
    return c->version < 22907 ? by_nodes(c, 34.5, 34.6, 34.5) : 40;
}

static double most_tree_ll128(const rn_nccl_comm *c) {
    if (generation(c) < HOPPER) return 20;
    if (generation(c) == HOPPER) return by_nodes(c, 36.7, 36.7, 29);
    return c->version < 22800 ? by_nodes(c, 73.4, 73.4, 58) : by_nodes(c, 55.6, 31.67, 20);
}

static double most_tree(const rn_nccl_comm *c) {
    switch (generation(c)) {
    case VOLTA: return by_nodes(c, 26.5, 18.5, 10);
    case AMPERE: return by_nodes(c, 24, 23.6, 17.8);
    case HOPPER: return by_nodes(c, 38.7, 41.4, 36);
    default: break;
    }
    return c->version < 22800 ? by_nodes(c, 77.4, 82.8, 72) : by_nodes(c, 70, 42.8, 24);
}

static double most_nvls_tree(const rn_nccl_comm *c) {
    switch (generation(c)) {
    case VOLTA: return by_nodes(c, 26.5, 18.5, 10);
    case AMPERE: return by_nodes(c, 24, 23.6, 17.8);
    case HOPPER: return by_nodes(c, 0, 57.7, 45.5);
    default: break;
    }
    return by_nodes(c, 0, 96, c->version < 22809 ? 43.1 : c->version < 23000 ? 43.8 : 80);
}

/* Of a channel; `a` is NVLS or its tree. */
static double nvls_channel(const rn_nccl_comm *c, int coll, int a, account *w) {
    static const double efficiency[] = {0, 0, .85, .74};
    const rn_nccl_graph *g = &c->graphs[a];
    const bool two = c->n_nodes <= 2;
    double inter = (double)g->bw_inter, intra = (double)g->bw_intra;
    if (c->version < 21900) return two ? intra : inter;
    w->limit = RN_NCCL_BY_NVLINK;
    if (c->version < 22800) {
        if (a == NVLS_TREE && !two) inter /= 2;
        return least(w, intra, inter, RN_NCCL_BY_NETWORK);
    }
    const double ppn = (double)c->n_ranks / c->n_nodes;
    intra *= efficiency[generation(c)] * (g->n_channels - 1) / g->n_channels;
    intra *= coll == RS_COLL_ALL_REDUCE ? 2 : (ppn - 1) / ppn;
    if (a == NVLS_TREE && two) inter *= 2;
    const double bw = least(w, intra, inter, RN_NCCL_BY_NETWORK);
    return a == NVLS ? bw : least(w, bw, most_nvls_tree(c), RN_NCCL_BY_CHANNEL);
}

static double bandwidth(const rn_nccl_comm *c, int coll, int a, int p, account *w) {
    const rn_nccl_graph *g = &c->graphs[a];
    const int n = c->n_ranks, channels = g->n_channels, v = c->version;
    const double ppn = (double)n / c->n_nodes, intra = (double)g->bw_intra;
    const double own = c->n_nodes <= 2 ? intra : (double)g->bw_inter, all = channels * own;
    const bool sum = coll == RS_COLL_ALL_REDUCE;
    const double ring_ratio = sum ? n / (2.0 * (n - 1)) : shards(coll) ? n / (n - 1.0) : 1;
    w->limit = RN_NCCL_BY_GRAPH;
    if (channels == 0 || ((a == DIRECT || a == CHAIN) && p != SIMPLE)) return 0;
    if (a == RING && p == LL) {
        const bool quarter = c->n_nodes > 1 || sum || coll == RS_COLL_REDUCE;
        const double part = v >= 22100 ? 1 / 2. : quarter ? 1 / 4. : 1 / 3.;
        return least(w, all * part, most_ll(c), RN_NCCL_BY_LL) * ring_ratio;
    }
    if (a == RING && p == LL128) {
        const double part = v < 22300 && c->n_ranks < 2 * c->n_nodes ? .7 : .92;
        return ring_ratio * least(w, all * part, channels * most_ring_ll128(c), RN_NCCL_BY_CHANNEL);
    }
    if (a == RING) return all * ring_ratio;
    if (a == TREE) {
        const int said = v >= 22600 ? (int)c->max_tree_pattern : RN_PATTERN_NONE;
        const int pattern = said != RN_PATTERN_NONE ? said : (int)g->pattern;
        double bus = least(w, all * .92, channels * most_tree(c), RN_NCCL_BY_CHANNEL);
        if (p == LL) bus = least(w, bus / 3.8, most_ll(c), RN_NCCL_BY_LL);
        if (p == LL128)
            bus = least(w, bus * (c->n_nodes == 1 ? 7 / 9. : 15 / 16.),
                        channels * most_tree_ll128(c), RN_NCCL_BY_CHANNEL);
        if (pattern == RN_PATTERN_TREE) bus *= .85;
        return shards(coll) ? bus : bus / 2;
    }
    if (a == DIRECT && shards(coll)) {
        if (v >= 22100) return ppn * least(w, intra, (double)g->bw_inter * .9, RN_NCCL_BY_NETWORK);
        const double weight = (ppn - 1) / 7;
        return ppn * intra * (weight * .85 + (1 - weight) * .95);
    }
    if (a == DIRECT) {
        const double share = ppn / channels, bus = channels * intra / ((share + 1) / 2);
        return bus * (c->cc_min >= 90 ? .85 : 1) / 2;
    }
    if (a == CHAIN) return channels * intra / 2;
    if (a == PAT) return all * (v < 22400 ? .85 : .75) * (shards(coll) ? 1 : .5);
    const double bus = channels * nvls_channel(c, coll, a, w);
    if (shards(coll)) return bus;
    if (a == NVLS_TREE && v < 21900) return bus / 2;
    return bus * (v < 22800 ? 5 / 6. : ring_ratio);
}

/* ------------------------------------------------------------------ latency */

enum { NVLINK, PCI, NET };

static double hop(const rn_nccl_comm *c, int way, int a, int p) {
    static const double ll[3][2] = {{.6, .6}, {1, 1}, {5, 2.7}},
                        ll128[3][2] = {{1.25, 1.9}, {1.9, 2.5}, {8.5, 4}};
    const int v = c->version;
    if (p != SIMPLE && a > RING) return 0;
    if (p != SIMPLE) return p == LL ? ll[way][a] : ll128[way][a];
    switch (a) {
    case TREE:
        if (way == PCI && c->cpu == RN_NCCL_POWER) return 5.7;
        if (v >= 21900) return v < 22300 ? 28 : way == NET ? 14 : 4;
        return way == NVLINK ? 4 : way == PCI ? 6 : 14;
    case RING: return way == NVLINK ? 3.4 : way == PCI ? 5.7 : 14;
    case DIRECT: return v < 21900 ? (way == NET ? 10.7 : 8) : way == NET ? 31 : 3.7;
    case CHAIN:
        if (v < 21900) return way == NVLINK ? 4.75 : way == PCI ? 8 : 14;
        return way == NET ? 30 : 2.8;
    case PAT: return way == NET ? 14 : 4;
    default: break;
    }
    if (way == PCI) return 0;
    if (way == NVLINK) return v < 21900 ? 0 : v < 22100 ? 23 : 25;
    if (a == NVLS) return v < 21900 ? 0 : 18;
    return v < 21900 ? 19 : v < 22809 ? 14 : 20.9;
}

static double base(const rn_nccl_comm *c, int a, int p) {
    static const double of[2][3] = {{6.8, 14, 8.4}, {6.6, 14, 8.4}};
    const bool old = c->version < 21900;
    if (a == TREE && p == SIMPLE && c->version < 22300) return 0;
    if (a <= RING) return of[a][p];
    if (a == PAT) return 8;
    if (a == DIRECT || a == CHAIN) return old && p != SIMPLE ? of[0][p] : 0;
    return old ? 23 : 0;
}

static double latency(const rn_nccl_comm *c, int coll, int a, int p) {
    const rn_nccl_graph *g = &c->graphs[a];
    const int n = c->n_ranks, nodes = c->n_nodes, others = n / nodes - 1, v = c->version;
    const int inside = g->type_intra == RN_PATH_NVL ? NVLINK : PCI;
    const double start = base(c, a, p), network = (double)g->latency_inter * (p == SIMPLE ? 2 : 1);
    const double intra = hop(c, inside, a, p);
    const double inter = network + hop(c, NET, n == nodes && v >= 22300 ? TREE : a, p);
    const double levels = floor(log2(nodes) + 1e-9);
    switch (a) {
    case TREE: return start + 2 * (others * intra + levels * inter);
    case DIRECT: return start + (others > 0 ? 2 * intra + .8 * others : 0) + inter;
    case CHAIN: return start + 2 * others * intra + inter;
    case NVLS: return v < 21900 ? start : intra + (nodes > 1 ? inter : 0);
    case NVLS_TREE:
        return v < 21900 ? start + 2 * (nodes - 1) * inter : start + intra + 2 * levels * inter;
    case PAT: return start + levels * inter / 3.5 + 2.8 * n;
    default: break;
    }
    if (coll == RS_COLL_BROADCAST || coll == RS_COLL_REDUCE) {
        const int way = nodes > 1 ? NET : inside;
        if (g->same_channels) return start + hop(c, way, RING, p);
        return start + n * hop(c, way, p == SIMPLE ? TREE : RING, p);
    }
    const int rounds = coll == RS_COLL_ALL_REDUCE ? 2 : 1;
    if (nodes == 1) return start + rounds * (n - 1) * intra;
    double posted = c->cpu == RN_NCCL_AMD ? 2 : 1;
    if (c->net_overhead_us > 0) posted = (double)c->net_overhead_us;
    if (p == SIMPLE) posted *= 3;
    const int between = rounds == 2 && v < 22300 ? 2 * nodes : rounds * (nodes - 1);
    return start + (rounds * (n - 1) - between) * fmax(intra, posted) + between * inter;
}

/* ------------------------------------------------------------------ what is off */

static bool is_worked_out(const rn_nccl_comm *c, int coll, int a, int p) {
    static const char *const rows[RS_N_COLLECTIVES] = {
        [RS_COLL_ALL_REDUCE] = "TRDCNV.", [RS_COLL_REDUCE_SCATTER] = ".RD.N.P",
        [RS_COLL_ALL_GATHER] = ".RD.N.P", [RS_COLL_BROADCAST] = ".R.....",
        [RS_COLL_REDUCE] = ".R.....",     [RS_COLL_ALL_TO_ALL] = "......."};
    if (rows[coll][a] == '.' || (a >= NVLS && p != SIMPLE)) return false;
    if (a == PAT) {
        return c->version >= 22300 && c->n_ranks == c->n_nodes &&
               (c->version < 22600 || c->cc_min >= 60);
    }
    return a < NVLS || c->version < 22800 || c->graphs[a].n_channels > 1;
}

static int ll128_rule(const rn_nccl_comm *c, const rn_nccl_graph *g) {
    const int v = c->version, cc = c->cc_min;
    const bool far = cc >= 90 && !(c->no_ll128_c2c && v >= 22700);
    if (g->type_inter > (far ? RN_PATH_PXN : RN_PATH_PXB)) return RN_NCCL_FAR_OUTSIDE;
    if (g->type_intra > RN_PATH_NVB) return RN_NCCL_FAR_INSIDE;
    if (cc != c->cc_max && (cc < 90 || v < 23000)) return RN_NCCL_MIXED_GPUS;
    if (cc < 70) return RN_NCCL_OLD_GPU;
    const bool tried = cc == 70 || cc == 80 || cc == 90;
    return v < 22500 && !tried ? RN_NCCL_NOT_KNOWN_SAFE : RN_NCCL_ON;
}

static int rule(const rn_nccl_comm *c, int coll, int a, int p) {
    const int v = c->version;
    const bool nvls = a == NVLS || a == NVLS_TREE, collnet = a == DIRECT || a == CHAIN;
    if (a > RING && p != SIMPLE) return RN_NCCL_NO_SUCH;
    if (!is_worked_out(c, coll, a, p) && a != PAT && !nvls) return RN_NCCL_NO_SUCH;
    if (a == PAT && (!shards(coll) || v < 22300)) return RN_NCCL_NO_SUCH;
    if (a == NVLS && !shards(coll) && coll != RS_COLL_ALL_REDUCE) return RN_NCCL_NO_SUCH;
    if (a == NVLS_TREE && coll != RS_COLL_ALL_REDUCE) return RN_NCCL_NO_SUCH;
    if (a == PAT && c->n_ranks != c->n_nodes) return RN_NCCL_MANY_A_NODE;
    if (a == PAT && v >= 22600 && c->cc_min < 60) return RN_NCCL_OLD_GPU;
    if (a == NVLS_TREE && c->n_nodes == 1) return RN_NCCL_ONE_NODE;
    if ((collnet || (a == NVLS && c->n_nodes > 1)) && !c->collnet) return RN_NCCL_NO_COLLNET;
    if (a == DIRECT && c->n_nvswitches == 0) return RN_NCCL_NO_NVSWITCH;
    if (c->graphs[a].n_channels < (nvls && v >= 22800 ? 2 : 1)) return RN_NCCL_NO_GRAPH;
    if (c->filter.algorithms[coll][a] == 0) return RN_NCCL_ALGO_SETTING;
    if (c->filter.protocols[coll][p] == 0) return RN_NCCL_PROTO_SETTING;
    if (p == LL128 && c->filter.protocols[coll][p] == 2) return ll128_rule(c, &c->graphs[a]);
    return RN_NCCL_ON;
}

/* ------------------------------------------------------------------ the tests */

static rn_nccl_comm draw_comm(void) {
    static const int versions[] = {21800, 21899, 21900, 22099, 22100, 22299, 22300, 22399, 22400,
                                   22499, 22500, 22599, 22600, 22699, 22700, 22799, 22800, 22808,
                                   22809, 22901, 22902, 22906, 22907, 22999, 23000, 23100},
                     ccs[] = {52, 59, 60, 61, 69, 70, 75, 79, 80, 86, 89, 90, 99, 100, 120},
                     channels[] = {0, 1, 2, 3, 12, 64};
    const int nodes = draw(2) ? 1 + draw(2) : 1 + draw(9), cc = ccs[draw(15)];
    rn_nccl_comm c = {.version = versions[draw(26)],
                      .n_ranks = nodes * (1 + draw(9)) + (draw(5) == 0 ? draw(nodes) : 0),
                      .n_nodes = nodes,
                      .cc_min = cc,
                      .cc_max = draw(4) ? cc : 121,
                      .cpu = (rn_nccl_cpu)draw(RN_NCCL_N_CPUS),
                      .max_tree_pattern = (rn_nccl_pattern)draw(RN_N_PATTERNS),
                      .n_nvswitches = draw(2),
                      .collnet = draw(3) != 0,
                      .no_ll128_c2c = draw(2),
                      .net_overhead_us = draw(3) ? 0 : .25F * (float)(1 + draw(12))};
    if (c.n_ranks < 2) c.n_ranks = 2;
    for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) {
        c.graphs[a] = (rn_nccl_graph){.n_channels = channels[draw(6)],
                                      .bw_intra = .37F * (float)draw(300),
                                      .bw_inter = .41F * (float)draw(300),
                                      .latency_inter = .5F * (float)draw(3),
                                      .type_intra = (rn_nccl_path)draw(draw(2) ? 3 : RN_N_PATHS),
                                      .type_inter = (rn_nccl_path)draw(RN_N_PATHS),
                                      .pattern = (rn_nccl_pattern)draw(RN_N_PATTERNS),
                                      .same_channels = draw(2)};
    }
    rn_nccl_filter_open(&c.filter);
    for (int coll = 0; coll < RS_N_COLLECTIVES; coll++) {
        for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) c.filter.algorithms[coll][a] = draw(6) != 0;
        for (int p = 0; p < RN_NCCL_N_PROTOCOLS; p++)
            if (draw(4) == 0) c.filter.protocols[coll][p] = (uint8_t)draw(3);
    }
    return c;
}

Test(tune_account, every_cell_is_as_accounted_for) {
    int n_on = 0, n_off[RN_NCCL_N_RULES] = {0};
    for (state = 1; state < 20000;) {
        static rn_nccl_table table;
        rs_error error;
        const uint64_t seed = state;
        const rn_nccl_comm c = draw_comm();
        state = seed + 1;
        cr_assert_eq(rn_nccl_tune(&c, &error, &table), RS_OK, "%s", error.text);
        for (int i = 0; i < RS_N_COLLECTIVES * RN_NCCL_N_ALGORITHMS * RN_NCCL_N_PROTOCOLS; i++) {
            const int coll = i / 21, a = i / 3 % 7, p = i % 3;
            const rn_nccl_cell *cell = &table.cells[coll][a][p];
            account w = {.off = rule(&c, coll, a, p)};
            if (is_worked_out(&c, coll, a, p)) {
                w.us = latency(&c, coll, a, p);
                w.GBps = bandwidth(&c, coll, a, p, &w);
                const bool none = w.off == RN_NCCL_ON && !(w.GBps > 0);
                if (none) w.off = RN_NCCL_NO_GRAPH;
                if (none && c.version >= 22800 && generation(&c) < HOPPER)
                    w.off = RN_NCCL_NO_EFFICIENCY;
            }
            const double us = (double)cell->latency_us, GBps = (double)cell->without_GBps;
            cr_assert(fabs(us - w.us) <= 1e-5 * fabs(w.us), "%d: %d %d %d: %g us, not %g",
                      (int)c.version, coll, a, p, us, w.us);
            cr_assert(fabs(GBps - w.GBps) <= 1e-5 * fabs(w.GBps), "%d: %d %d %d: %g GB/s, not %g",
                      (int)c.version, coll, a, p, GBps, w.GBps);
            cr_assert_eq(cell->off, (rn_nccl_rule)w.off, "%d: %d %d %d: %d, not %d", (int)c.version,
                         coll, a, p, (int)cell->off, w.off);
            cr_assert_eq(cell->bandwidth_GBps, w.off == RN_NCCL_ON ? cell->without_GBps : 0);
            cr_assert(w.close || cell->limit == (rn_nccl_limit)w.limit, "%d: %d %d %d: by %d",
                      (int)c.version, coll, a, p, (int)cell->limit);
            n_on += w.off == RN_NCCL_ON;
            n_off[w.off]++;
            rn_nccl_cell alone;
            memset(&alone, 0x55, sizeof alone);
            if (i % 7 == (int)(seed % 7)) {
                cr_assert_eq(rn_nccl_tune_cell(&c, (rs_collective)coll, (rn_nccl_algorithm)a,
                                               (rn_nccl_protocol)p, &alone),
                             RS_OK);
                cr_assert(alone.latency_us == cell->latency_us &&
                          alone.without_GBps == cell->without_GBps && alone.off == cell->off &&
                          alone.bandwidth_GBps == cell->bandwidth_GBps &&
                          alone.limit == cell->limit);
            }
        }
    }
    cr_expect_gt(n_on, 100000);
    for (int i = 1; i < RN_NCCL_N_RULES; i++) cr_expect_gt(n_off[i], 50, "%d", i);
}
