/* nccl_infer.c: from a printed tuning table back to what went into it.
 *
 *     printed: AllReduce Ring Simple 205.7   -->  channels x bandwidth in [359.9, 360.1)
 *              AllGather Ring Simple 411.4   -->                          [359.9, 360.0)     --> 360
 *
 *   - Within a version a bandwidth only grows with what the search found: each printed number leaves a stretch of it,
 *     and all of an algorithm's stretches are cut with each other.
 *   - What has few values (generation of GPU, CPU, NVLink or PCIe, the tree's shape, one network for all channels) is
 *     tried, and what gives the most printed digits is kept; of equals the first.
 */
#include "ringsim_nccl_log.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HALVINGS = 44 };

bool rn_nccl_same_digits(float number, float printed) {
    char a[32], b[32];
    snprintf(a, sizeof a, "%.1f", (double)number);
    snprintf(b, sizeof b, "%.1f", (double)printed);
    return strcmp(a, b) == 0;
}

/* What is tried, from the number of a combination. */
typedef struct trial {
    int32_t cc;
    rn_nccl_cpu cpu;
    bool off_have_graphs; /* algorithms without any bandwidth: switched off, not without channels */
    bool one_sided;       /* NVLS: one side, node or network, is far wider than the other */
    bool nvlink, simple_tree, same_channels;
} trial;

static void set_bandwidth(rn_nccl_comm *c, rn_nccl_algorithm a, double GBps, bool one_sided) {
    rn_nccl_graph *g = &c->graphs[a];
    const double each = g->n_channels > 0 ? GBps / g->n_channels : 0;
    g->bw_intra = g->bw_inter = (float)each;
    if (!one_sided || (a != RN_NCCL_NVLS && a != RN_NCCL_NVLS_TREE)) return;
    if (c->n_nodes == 1) {
        g->bw_inter = 1e5F;
    } else {
        g->bw_intra = 1e5F;
    }
}

static float bandwidth(const rn_nccl_comm *c, rs_collective coll, rn_nccl_algorithm a,
                       rn_nccl_protocol p) {
    rn_nccl_cell cell;
    return rn_nccl_tune_cell(c, coll, a, p, &cell) == RS_OK ? cell.without_GBps : 0;
}

/* The least bandwidth of the graph with which the cell is at least `least`; -1: none is. */
static double least_for(rn_nccl_comm *c, rs_collective coll, rn_nccl_algorithm a, double least,
                        bool one_sided) {
    double low = 0, high = 20000;
    set_bandwidth(c, a, high, one_sided);
    if (bandwidth(c, coll, a, RN_NCCL_SIMPLE) < least) return -1;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = (low + high) / 2;
        set_bandwidth(c, a, middle, one_sided);
        if (bandwidth(c, coll, a, RN_NCCL_SIMPLE) < least) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

/* A number of few decimals inside the stretch, a channel's: searches try such speeds. */
static double round_inside(double low, double high, int channels) {
    static const double grains[] = {1, 0.5, 0.1, 0.05, 0.02, 0.01};
    for (size_t i = 0; i < sizeof grains / sizeof *grains; i++) {
        const double grain = grains[i] * channels, number = ceil(low / grain - 1e-9) * grain;
        if (number > 0 && number < high) return number;
    }
    return (low + high) / 2;
}

static void find_bandwidth(const rn_nccl_log *log, rn_nccl_comm *c, rn_nccl_algorithm a,
                           bool one_sided) {
    double low = 0, high = 20000;
    bool any = false;
    for (int coll = 0; coll < RS_N_COLLECTIVES; coll++) {
        const rn_nccl_printed *cell = &log->table[coll][a][RN_NCCL_SIMPLE];
        const double value = (double)cell->bandwidth_GBps;
        if (cell->line == 0 || !(value > 0)) continue;
        const double from = least_for(c, (rs_collective)coll, a, value - 0.05, one_sided);
        const double to = least_for(c, (rs_collective)coll, a, value + 0.05, one_sided);
        any = any || from >= 0;
        if (from > low) low = from;
        if (to >= 0 && to < high && to > low) high = to;
    }
    set_bandwidth(c, a, any ? round_inside(low, high, c->graphs[a].n_channels) : 0, one_sided);
}

/* ------------------------------------------------------------------ what is tried */

static int32_t count_alike(const rn_nccl_log *log, const rn_nccl_table *table, int32_t *n_numbers) {
    int32_t alike = 0;
    *n_numbers = 0;
    for (int coll = 0; coll < RS_N_COLLECTIVES; coll++) {
        for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) {
            for (int p = 0; p < RN_NCCL_N_PROTOCOLS; p++) {
                const rn_nccl_printed *printed = &log->table[coll][a][p];
                const rn_nccl_cell *cell = &table->cells[coll][a][p];
                if (printed->line == 0) continue;
                *n_numbers += 2;
                alike += rn_nccl_same_digits(cell->latency_us, printed->latency_us);
                alike += rn_nccl_same_digits(cell->bandwidth_GBps, printed->bandwidth_GBps);
            }
        }
    }
    return alike;
}

/* Does any collective use the algorithm, or, with `off` too, is anything printed of it? */
static bool has_row(const rn_nccl_log *log, rn_nccl_algorithm a, bool off) {
    for (int coll = 0; coll < RS_N_COLLECTIVES; coll++) {
        for (int p = 0; p < RN_NCCL_N_PROTOCOLS; p++) {
            const rn_nccl_printed *cell = &log->table[coll][a][p];
            if (cell->bandwidth_GBps > 0 || (off && cell->latency_us > 0)) return true;
        }
    }
    return false;
}

/* Is LL128 off in all of the table, though LL is on? */
static bool without_ll128(const rn_nccl_log *log) {
    for (int coll = 0; coll < RS_N_COLLECTIVES; coll++) {
        for (int a = RN_NCCL_TREE; a <= RN_NCCL_RING; a++) {
            if (log->table[coll][a][RN_NCCL_LL128].bandwidth_GBps > 0) return false;
        }
    }
    return true;
}

/* What all candidates share: said by the log, or the usual. */
static rs_status begin(const rn_nccl_log *log, rs_error *error, rn_nccl_comm *c) {
    if (log->rccl) {
        return rs_fail(error, RS_UNSUPPORTED,
                       "RCCL has tables and kernels of its own: NCCL's model is not applied to it");
    }
    if (log->table_line == 0) return rs_fail(error, RS_BAD_INPUT, "the log has no tuning table");
    if (log->version == 0)
        return rs_fail(error, RS_BAD_INPUT, "the log does not say which NCCL it is of");
    if (log->n_ranks < 2) {
        return rs_fail(error, RS_BAD_INPUT, "the log does not say how many ranks there are");
    }
    *c = (rn_nccl_comm){.version = log->version,
                        .n_ranks = log->n_ranks,
                        .n_nodes = log->n_nodes,
                        .cpu = log->cpu,
                        .max_tree_pattern = log->max_tree_pattern,
                        .n_nvswitches = log->n_nvswitches,
                        .n_channels = log->n_coll_channels > 0 ? log->n_coll_channels : 0,
                        .n_nvls_channels = log->n_nvls_channels > 0 ? log->n_nvls_channels : 0};
    memcpy(c->max_threads, log->max_threads, sizeof c->max_threads);
    memcpy(c->graphs, log->graphs, sizeof c->graphs);
    rn_nccl_filter_open(&c->filter);
    for (int32_t i = 0; i < log->n_settings; i++) {
        const rn_nccl_setting *s = &log->settings[i];
        const bool off = strcmp(s->value, "0") == 0;
        rn_nccl_filter_set(&c->filter, c->version, s->name, s->value, NULL);
        if (strcmp(s->name, "NCCL_COLLNET_ENABLE") == 0) c->collnet = !off;
        if (strcmp(s->name, "NCCL_LL128_C2C") == 0) c->no_ll128_c2c = off;
    }
    return c->version < RN_NCCL_OLDEST
               ? rs_fail(error, RS_UNSUPPORTED,
                         "the tuning model of NCCL before 2.18 is not known here")
               : RS_OK;
}

enum { OF_GRAPHS = 32, OF_ALL = 8 };

static void read_trial(int number, trial *t) {
    static const int32_t generations[] = {90, 80, 100, 70};
    *t = (trial){.cc = generations[number % 4],
                 .cpu = number / 4 % 2 == 0 ? RN_NCCL_INTEL : RN_NCCL_AMD,
                 .off_have_graphs = number / 8 % 2 == 1,
                 .one_sided = number / 16 % 2 == 0,
                 .nvlink = number / OF_GRAPHS % 2 == 0,
                 .simple_tree = number / OF_GRAPHS / 2 % 2 == 1,
                 .same_channels = number / OF_GRAPHS / 4 % 2 == 0};
}

/* Gives an algorithm that no GRAPH line tells of a graph, as the trial has it. */
static void guess_graph(const rn_nccl_log *log, const trial *t, rn_nccl_algorithm a,
                        rn_nccl_comm *c) {
    const bool nvls = a == RN_NCCL_NVLS || a == RN_NCCL_NVLS_TREE;
    const bool always = a == RN_NCCL_RING || a == RN_NCCL_TREE;
    const int32_t half = log->n_coll_channels > 1 ? log->n_coll_channels / 2 : 1;
    rn_nccl_graph *g = &c->graphs[a];
    *g = (rn_nccl_graph){0};
    if (!always && !has_row(log, a, t->off_have_graphs)) return;
    *g = (rn_nccl_graph){.type_intra = t->nvlink ? RN_PATH_NVL : RN_PATH_PIX,
                         .type_inter = without_ll128(log) ? RN_PATH_PHB : RN_PATH_PIX,
                         .pattern = a == RN_NCCL_TREE ? c->max_tree_pattern : RN_PATTERN_RING,
                         .same_channels = t->same_channels,
                         .n_channels = half};
    if (nvls) g->n_channels = log->n_nvls_channels > 1 ? log->n_nvls_channels : 16;
    if (g->n_channels > RN_NCCL_MOST_CHANNELS) g->n_channels = RN_NCCL_MOST_CHANNELS;
    find_bandwidth(log, c, a, t->one_sided);
}

static void make_comm(const rn_nccl_log *log, const trial *t, rn_nccl_comm *c) {
    const rn_nccl_graph *ring = &log->graphs[RN_NCCL_RING];
    trial own = *t;
    c->cc_min = c->cc_max = t->cc;
    if (!log->cpu_said) c->cpu = t->cpu;
    if (log->graph_line[RN_NCCL_RING] != 0) {
        own.nvlink = ring->type_intra == RN_PATH_NVL;
        own.same_channels = ring->same_channels;
    }
    if (log->max_tree_pattern == RN_PATTERN_NONE) {
        c->max_tree_pattern = t->simple_tree ? RN_PATTERN_TREE : RN_PATTERN_BALANCED_TREE;
    }
    for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) {
        if (log->graph_line[a] == 0) guess_graph(log, &own, (rn_nccl_algorithm)a, c);
    }
}

rs_status rn_nccl_infer(const rn_nccl_log *log, rs_error *error, rn_nccl_fit *fit) {
    rn_nccl_comm shared;
    rn_nccl_fit best = {.n_alike = -1};
    trial t;
    const rs_status status = begin(log, error, &shared);
    if (status != RS_OK) return status;
    best.graphs_said = log->graph_line[RN_NCCL_RING] != 0 && log->graph_line[RN_NCCL_TREE] != 0;
    const int n_trials = best.graphs_said ? OF_GRAPHS : OF_GRAPHS * OF_ALL;
    const bool nodes_said = log->n_nodes > 0;
    for (int number = 0; number < n_trials * (nodes_said ? 1 : 2); number++) {
        rn_nccl_fit tried = best;
        read_trial(number % n_trials, &t);
        if (log->cpu_said && t.cpu != RN_NCCL_INTEL) continue; /* would be the same once more */
        tried.comm = shared;
        /* Where the log does not say: all on one node, or each alone. */
        if (!nodes_said) tried.comm.n_nodes = number < n_trials ? 1 : log->n_ranks;
        make_comm(log, &t, &tried.comm);
        if (rn_nccl_tune(&tried.comm, NULL, &tried.table) != RS_OK) continue;
        tried.n_alike = count_alike(log, &tried.table, &tried.n_numbers);
        tried.n_candidates = ++best.n_candidates;
        if (tried.n_alike > best.n_alike) best = tried;
        if (best.n_alike == best.n_numbers) break;
    }
    if (best.n_alike < 0) {
        return rs_fail(error, RS_BAD_INPUT, "no communicator of so many ranks has such a table");
    }
    *fit = best;
    return RS_OK;
}
