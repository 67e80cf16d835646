/* nccl_log_graph.c: what the search over the topology said (GRAPH): the system's links, and a graph for each algorithm.
 *
 *     CPU/0-0 (1/1/2)                        architecture / vendor / model
 *     + NVL[370.8] - NVS/0                   a link and what it leads to
 *     + NET[50.0] - NET/0-3 (0/aa24210003bd70c4/1/50.000000)
 *     Pattern 4, crossNic 1, nChannels 4, bw 24.000000/24.000000, type NVL/PIX, sameChannels 0
 */
#include "nccl_log.h"

#include <string.h>

/* Every rank prints its graphs: the first thread's count; of the others only how bad their trees are. */
static bool counts(rs_nccl_log_reader *r) {
    if (!r->graph_begun) r->graph_thread = r->thread;
    r->graph_begun = true;
    return r->graph_thread == r->thread;
}

static rs_nccl_algorithm algorithm_of(const rs_nccl_log_reader *r, int64_t pattern) {
    switch (pattern) {
    case RS_PATTERN_RING: return RS_NCCL_RING;
    case RS_PATTERN_NVLS: return RS_NCCL_NVLS;
    case RS_PATTERN_COLLNET_DIRECT: return RS_NCCL_COLLNET_DIRECT;
    default: break; /* the chain of CollNet comes after the tree */
    }
    return r->log.graph_line[RS_NCCL_TREE] == 0 ? RS_NCCL_TREE : RS_NCCL_COLLNET_CHAIN;
}

static bool take_path(const char **at, rs_nccl_path *path) {
    while (**at == ' ') (*at)++;
    const size_t n = strspn(*at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ2");
    if (!rs_nccl_find_path(*at, n, path)) return false;
    *at += n;
    return true;
}

static bool pattern_message(rs_nccl_log_reader *r, const char *at) {
    int64_t pattern, cross, channels, same;
    double intra, inter;
    rs_nccl_graph g = {0};
    if (!rs_take(&at, "Pattern ") || !rs_take_int(&at, RS_N_PATTERNS - 1, &pattern) ||
        pattern < 1 || !rs_take(&at, ", crossNic ") || !rs_take_int(&at, 9, &cross) ||
        !rs_take(&at, ", nChannels ") || !rs_take_int(&at, RS_NCCL_MOST_CHANNELS, &channels)) {
        return false;
    }
    if (!rs_take(&at, ", bw ") && !rs_take(&at, ", speed ")) return false;
    if (!rs_take_decimal(&at, &intra) || !rs_take(&at, "/") || !rs_take_decimal(&at, &inter) ||
        !rs_take(&at, ", type ") || !take_path(&at, &g.type_intra) || !rs_take(&at, "/") ||
        !take_path(&at, &g.type_inter) || !rs_take(&at, ", sameChannels ") ||
        !rs_take_int(&at, 9, &same)) {
        return false;
    }
    if (channels < 0 || intra >= 1e6 || inter >= 1e6) return false;
    g.n_channels = (int32_t)channels;
    g.bw_intra = (float)intra;
    g.bw_inter = (float)inter;
    g.pattern = (rs_nccl_pattern)pattern;
    g.same_channels = same != 0;
    const bool tree = pattern <= RS_PATTERN_TREE;
    if (!counts(r)) return true;
    const rs_nccl_algorithm a = algorithm_of(r, pattern);
    if (tree && a == RS_NCCL_TREE) r->log.max_tree_pattern = g.pattern;
    if (r->log.graph_line[a] != 0) return true;
    r->log.graphs[a] = g;
    r->log.graph_line[a] = r->log.n_lines;
    if (a == RS_NCCL_NVLS) { /* one search for both */
        r->log.graphs[RS_NCCL_NVLS_TREE] = g;
        r->log.graph_line[RS_NCCL_NVLS_TREE] = r->log.n_lines;
    }
    return true;
}

/* ------------------------------------------------------------------ the system */

static bool cpu_line(rs_nccl_log_reader *r, const char *at) {
    int64_t architecture, vendor;
    const char *numbers = strchr(at, '(');
    if (numbers == NULL) return false;
    numbers++;
    if (!rs_take_int(&numbers, 99, &architecture) || !rs_take(&numbers, "/") ||
        !rs_take_int(&numbers, 99, &vendor)) {
        return false;
    }
    const rs_nccl_cpu cpu = architecture == 3   ? RS_NCCL_ARM
                            : architecture == 2 ? RS_NCCL_POWER
                            : vendor == 2       ? RS_NCCL_AMD
                            : vendor == 3       ? RS_NCCL_ZHAOXIN
                                                : RS_NCCL_INTEL;
    if (r->log.cpu_said && cpu != r->log.cpu && r->log.cpu <= RS_NCCL_ZHAOXIN &&
        cpu <= RS_NCCL_ZHAOXIN) {
        r->log.cpu = RS_NCCL_MIXED_CPUS;
    } else if (!r->log.cpu_said) {
        r->log.cpu = cpu;
    }
    r->log.cpu_said = true;
    return true;
}

static void take_nic(rs_nccl_log_reader *r, const char *at) {
    const char *end = strchr(at, ')');
    double speed;
    if (end == NULL) return;
    const char *number = end;
    while (number > at && number[-1] != '/') number--;
    if (number == at || !rs_take_decimal(&number, &speed) || speed <= 0 || speed >= 1e6) return;
    r->log.n_nics++;
    const float GBps = (float)speed;
    if (GBps < 0.75F * r->fastest_nic && r->slow_line == 0) {
        rs_log_keep_word(r->slow_nic, sizeof r->slow_nic, at, strcspn(at, " "));
        r->slow_line = r->log.n_lines;
        r->slow_GBps = GBps;
        r->beside_GBps = r->fastest_nic;
    }
    if (GBps > r->fastest_nic) r->fastest_nic = GBps;
}

/* " 0 : NET/1 GPU/0 GPU/1 NET/1": a channel that was found. */
static bool channel_line(rs_nccl_log_reader *r, const char *at) {
    const char *behind;
    int64_t number;
    if (!rs_take_int(&at, 4096, &number) || !rs_take(&at, ":") ||
        (!rs_find(at, "GPU/", &behind) && !rs_find(at, "NET/", &behind))) {
        return false;
    }
    r->has_search = true;
    if (r->slow_line == 0 || r->slow_is_used) return true;
    for (const char *from = at; rs_find(from, r->slow_nic, &from);) {
        r->slow_is_used = r->slow_is_used || *from == ' ' || *from == '\0';
    }
    return true;
}

void rs_log_end_nics(rs_nccl_log_reader *r) {
    if (r->slow_line == 0) return;
    rs_remark(r, r->slow_line,
              r->has_search && !r->slow_is_used ? RS_REMARK_UNUSED_NIC : RS_REMARK_SLOW_NIC,
              (int32_t)(r->slow_GBps * 10), (int32_t)(r->beside_GBps * 10), NULL, 0);
}

/* "+ NVL[370.8] - NVS/0" */
static bool link_line(rs_nccl_log_reader *r, const char *at) {
    const char *there;
    if (!rs_take(&at, "+ ") || !rs_find(at, "] - ", &there) || strchr(at, '[') == NULL)
        return false;
    if (!counts(r)) return true;
    if (strncmp(there, "NVS/", 4) == 0) r->log.n_nvswitches++;
    if (strncmp(there, "NET/", 4) == 0) take_nic(r, there);
    return true;
}

bool rs_log_graph_message(rs_nccl_log_reader *r, const char *message) {
    const char *at = message, *behind;
    int64_t number;
    if (rs_find(message, "falling back to simple order", &behind)) {
        number = 0;
        if (rs_find(message, "for pattern ", &behind)) rs_take_int(&behind, 99, &number);
        rs_remark(r, r->log.n_lines, RS_REMARK_NO_PATH, (int32_t)number, 0, NULL, 0);
        return true;
    }
    if (rs_take(&at, "=== System")) {
        if (counts(r)) {
            r->log.system_said = true;
            r->log.n_nvswitches = r->log.n_nics = 0;
            r->fastest_nic = 0;
        }
        return true;
    }
    if (pattern_message(r, message) || link_line(r, message)) return true;
    if (rs_take(&at, "CPU/")) return cpu_line(r, at);
    if (rs_take(&at, "====")) return true;
    if (rs_take(&at, "GPU/"))
        return strspn(at, "0123456789abcdef") > 0; /* "GPU/81000 :NET/1 (3/24.0/PHB) ..." */
    return channel_line(r, message);
}
