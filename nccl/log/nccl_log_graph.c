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
static bool counts(rn_nccl_log_reader *r) {
    if (!r->graph_begun) r->graph_thread = r->thread;
    r->graph_begun = true;
    return r->graph_thread == r->thread;
}

static rn_nccl_algorithm algorithm_of(const rn_nccl_log_reader *r, int64_t pattern) {
    switch (pattern) {
    case RN_PATTERN_RING: return RN_NCCL_RING;
    case RN_PATTERN_NVLS: return RN_NCCL_NVLS;
    case RN_PATTERN_COLLNET_DIRECT: return RN_NCCL_COLLNET_DIRECT;
    default: break; /* the chain of CollNet comes after the tree */
    }
    return r->log.graph_line[RN_NCCL_TREE] == 0 ? RN_NCCL_TREE : RN_NCCL_COLLNET_CHAIN;
}

static bool take_path(const char **at, rn_nccl_path *path) {
    while (**at == ' ') (*at)++;
    const size_t n = strspn(*at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ2");
    if (!rn_nccl_find_path(*at, n, path)) return false;
    *at += n;
    return true;
}

static bool pattern_message(rn_nccl_log_reader *r, const char *at) {
    int64_t pattern, cross, channels, same;
    double intra, inter;
    rn_nccl_graph g = {0};
    if (!rn_take(&at, "Pattern ") || !rn_take_int(&at, RN_N_PATTERNS - 1, &pattern) ||
        pattern < 1 || !rn_take(&at, ", crossNic ") || !rn_take_int(&at, 9, &cross) ||
        !rn_take(&at, ", nChannels ") || !rn_take_int(&at, RN_NCCL_MOST_CHANNELS, &channels)) {
        return false;
    }
    if (!rn_take(&at, ", bw ") && !rn_take(&at, ", speed ")) return false;
    if (!rn_take_decimal(&at, &intra) || !rn_take(&at, "/") || !rn_take_decimal(&at, &inter) ||
        !rn_take(&at, ", type ") || !take_path(&at, &g.type_intra) || !rn_take(&at, "/") ||
        !take_path(&at, &g.type_inter) || !rn_take(&at, ", sameChannels ") ||
        !rn_take_int(&at, 9, &same)) {
        return false;
    }
    if (channels < 0 || intra >= 1e6 || inter >= 1e6) return false;
    g.n_channels = (int32_t)channels;
    g.bw_intra = (float)intra;
    g.bw_inter = (float)inter;
    g.pattern = (rn_nccl_pattern)pattern;
    g.same_channels = same != 0;
    const bool tree = pattern <= RN_PATTERN_TREE;
    if (!counts(r)) return true;
    const rn_nccl_algorithm a = algorithm_of(r, pattern);
    if (tree && a == RN_NCCL_TREE) r->log.max_tree_pattern = g.pattern;
    if (r->log.graph_line[a] != 0) return true;
    r->log.graphs[a] = g;
    r->log.graph_line[a] = r->log.n_lines;
    if (a == RN_NCCL_NVLS) { /* one search for both */
        r->log.graphs[RN_NCCL_NVLS_TREE] = g;
        r->log.graph_line[RN_NCCL_NVLS_TREE] = r->log.n_lines;
    }
    return true;
}

/* ------------------------------------------------------------------ the system */

static bool cpu_line(rn_nccl_log_reader *r, const char *at) {
    int64_t architecture, vendor;
    const char *numbers = strchr(at, '(');
    if (numbers == NULL) return false;
    numbers++;
    if (!rn_take_int(&numbers, 99, &architecture) || !rn_take(&numbers, "/") ||
        !rn_take_int(&numbers, 99, &vendor)) {
        return false;
    }
    const rn_nccl_cpu cpu = architecture == 3   ? RN_NCCL_ARM
                            : architecture == 2 ? RN_NCCL_POWER
                            : vendor == 2       ? RN_NCCL_AMD
                            : vendor == 3       ? RN_NCCL_ZHAOXIN
                                                : RN_NCCL_INTEL;
    if (r->log.cpu_said && cpu != r->log.cpu && r->log.cpu <= RN_NCCL_ZHAOXIN &&
        cpu <= RN_NCCL_ZHAOXIN) {
        r->log.cpu = RN_NCCL_MIXED_CPUS;
    } else if (!r->log.cpu_said) {
        r->log.cpu = cpu;
    }
    r->log.cpu_said = true;
    return true;
}

static void take_nic(rn_nccl_log_reader *r, const char *at) {
    const char *end = strchr(at, ')');
    double speed;
    if (end == NULL) return;
    const char *number = end;
    while (number > at && number[-1] != '/') number--;
    if (number == at || !rn_take_decimal(&number, &speed) || speed <= 0 || speed >= 1e6) return;
    r->log.n_nics++;
    const float GBps = (float)speed;
    if (GBps < 0.75F * r->fastest_nic && r->slow_line == 0) {
        rn_log_keep_word(r->slow_nic, sizeof r->slow_nic, at, strcspn(at, " "));
        r->slow_line = r->log.n_lines;
        r->slow_GBps = GBps;
        r->beside_GBps = r->fastest_nic;
    }
    if (GBps > r->fastest_nic) r->fastest_nic = GBps;
}

/* " 0 : NET/1 GPU/0 GPU/1 NET/1": a channel that was found. */
static bool channel_line(rn_nccl_log_reader *r, const char *at) {
    int64_t number;
    if (!rn_take_int(&at, 4096, &number) || !rn_take(&at, ":") ||
        (strstr(at, "GPU/") == NULL && strstr(at, "NET/") == NULL)) {
        return false;
    }
    r->has_search = true;
    if (r->slow_line == 0 || r->slow_is_used) return true;
    for (const char *from = at; rn_find_words(from, r->slow_nic, &from);) {
        r->slow_is_used = r->slow_is_used || *from == ' ' || *from == '\0';
    }
    return true;
}

void rn_log_end_nics(rn_nccl_log_reader *r) {
    if (r->slow_line == 0) return;
    /* Tenths, cut: 3.125 is 3.1. */
    const double slow = (int32_t)(r->slow_GBps * 10) / 10.0;
    const double beside = (int32_t)(r->beside_GBps * 10) / 10.0;
    if (r->has_search && !r->slow_is_used)
        rn_find(r->findings, RN_NOTE, r->slow_line,
                "a NIC of %.1f GB/s beside one of %.1f; no channel goes by it", slow, beside);
    else
        rn_find(r->findings, RN_WARNING, r->slow_line,
                "a NIC of %.1f GB/s beside one of %.1f: every ring is as slow as the slower one",
                slow, beside);
}

/* "+ PCI[24.0] - GPU/17000 (0)", and beneath it "+ NVL[20.0] - GPU/65000". */
static void take_nvlink(rn_nccl_log_reader *r, const char *at, const char *there) {
    enum { MOST = 1024 };
    double speed;
    if (!rn_take(&at, "NVL[")) {
        rn_log_keep_word(r->gpu, sizeof r->gpu, there, strcspn(there, " "));
    } else if (rn_take_decimal(&at, &speed) && speed > 0 && r->gpu[0] != '\0' &&
               r->n_nvlinks < MOST) {
        rn_log_nvlink *kept = rn_log_add(r, r->nvlinks, r->n_nvlinks, r->nvlink_room);
        if (kept == NULL) return;
        *kept = (rn_log_nvlink){.GBps = (float)speed, .line = r->log.n_lines};
        memcpy(kept->from, r->gpu, sizeof kept->from);
        rn_log_keep_word(kept->to, sizeof kept->to, there, strcspn(there, " "));
    }
}

/* "+ NVL[370.8] - NVS/0" */
static bool link_line(rn_nccl_log_reader *r, const char *at) {
    const char *there;
    if (!rn_take(&at, "+ ") || !rn_find_words(at, "] - ", &there) || strchr(at, '[') == NULL)
        return false;
    if (!counts(r)) return true;
    if (strncmp(there, "GPU/", 4) == 0) take_nvlink(r, at, there);
    if (strncmp(there, "NVS/", 4) == 0) r->log.n_nvswitches++;
    if (strncmp(there, "NET/", 4) == 0) take_nic(r, there);
    return true;
}

bool rn_log_graph_message(rn_nccl_log_reader *r, const char *message) {
    const char *at = message;
    if (rn_take(&at, "=== System")) {
        if (counts(r)) {
            r->log.n_nvswitches = r->log.n_nics = 0;
            r->fastest_nic = 0;
            r->n_nvlinks = 0;
        }
        return true;
    }
    if (pattern_message(r, message) || link_line(r, message)) return true;
    if (rn_take(&at, "CPU/")) return cpu_line(r, at);
    if (rn_take(&at, "====")) return true;
    if (rn_take(&at, "GPU/"))
        return strspn(at, "0123456789abcdef") > 0; /* "GPU/81000 :NET/1 (3/24.0/PHB) ..." */
    return channel_line(r, message);
}
