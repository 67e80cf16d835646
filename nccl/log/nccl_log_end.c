/* nccl_log_end.c: what all lines of a log say together: the communicator, its rings and trees, what smells wrong.
 *
 *   - Of several communicators the largest counts, the first of them; lines of threads that never said theirs are taken
 *     to be of it.
 */
#include "nccl_log.h"

#include <stdio.h>
#include <string.h>

static int32_t largest_comm(const rn_nccl_log_reader *r) {
    const rn_log_comm *list = r->comms;
    int32_t best = -1;
    for (int32_t i = 0; i < r->n_comms; i++) {
        if (best < 0 || list[i].n_ranks > list[best].n_ranks) best = i;
    }
    return best;
}

/* Counts the ranks that have a line: of the communicator's, of its rings and trees; of a thread whose own line is torn or missing it
   is this one. */
static int32_t count_heard(rn_nccl_log_reader *r, int32_t comm) {
    const rn_log_places *const lists[] = {&r->heard, &r->ring_places, &r->tree_places};
    const int32_t n_ranks = r->comms[comm].n_ranks;
    bool *is_heard = rs_alloc(r->arena, (size_t)n_ranks, 1);
    int32_t n = 0;
    for (int k = 0; k < 3 && is_heard != NULL; k++) {
        for (int32_t i = 0; i < lists[k]->n; i++) {
            const rn_log_place *place = rn_log_place_at(lists[k], i);
            const int32_t rank = (int32_t)place->rank;
            if ((place->comm != comm && (k == 0 || place->comm != -1)) || rank >= n_ranks) continue;
            n += !is_heard[rank];
            is_heard[rank] = true;
        }
    }
    return n;
}

static void end_comm(rn_nccl_log_reader *r, int32_t comm) {
    rn_nccl_log *log = &r->log;
    if (comm < 0) {
        log->n_ranks = r->loose_ranks;
        log->comm_line = r->loose_line;
        return;
    }
    const rn_log_comm *c = &r->comms[comm];
    log->n_ranks = c->n_ranks;
    log->comm_line = c->line;
    log->n_nodes = c->n_nodes;
    log->nodes_line = c->nodes_line;
    log->n_heard = count_heard(r, comm);
    log->n_hosts = c->n_hosts;
    if (log->n_nodes == 0 && log->n_heard == log->n_ranks && log->n_hosts <= log->n_ranks) {
        log->n_nodes = log->n_hosts;
    }
    if (log->n_nodes == 0 && rn_log_is_one_node(r, comm)) log->n_nodes = 1;
    if (log->n_heard > 0 && log->n_heard < log->n_ranks && r->n_folds == 0) {
        rn_find(r->findings, RN_NOTE, c->line,
                log->n_heard == 1 ? RS_MESSAGE("the log has lines of %d rank of %d")
                                  : RS_MESSAGE("the log has lines of %d ranks of %d"),
                (int)log->n_heard, (int)log->n_ranks);
    }
}

/* ------------------------------------------------------------------ settings */

static bool is_off(const char *name, const char *value) {
    if (strcmp(name, "NCCL_P2P_LEVEL") == 0 || strcmp(name, "NCCL_NET_GDR_LEVEL") == 0) {
        return strcmp(value, "LOC") == 0 || strcmp(value, "0") == 0;
    }
    if (strcmp(name, "NCCL_NET") == 0) return strcmp(value, "Socket") == 0;
    const char *last = strrchr(name, '_'); /* every name begins with NCCL_ */
    return (strcmp(last, "_DISABLE") == 0 && strcmp(value, "1") == 0) ||
           (strcmp(last, "_ENABLE") == 0 && strcmp(value, "0") == 0);
}

static bool forces_ll128(const rn_nccl_filter *filter) {
    for (int coll = 0; coll < RS_COLL_ALL_TO_ALL; coll++) {
        if (filter->protocols[coll][RN_NCCL_LL128] == 1) return true;
    }
    return false;
}

/* Old versions pass over names that they do not know: a fork may know them. */
static void judge_algorithms(rn_nccl_log_reader *r, const rn_nccl_setting *s) {
    rn_nccl_algorithm a;
    char version[16];
    if (strcmp(s->name, "NCCL_ALGO") != 0 || r->log.version == 0 ||
        r->log.version >= RN_NCCL_BY_FUNCTION)
        return;
    for (const char *at = s->value + (s->value[0] == '^'); *at != '\0';) {
        const size_t n = strcspn(at, ",");
        if (n > 0 && !rn_nccl_find_algorithm(at, n, &a)) {
            rn_find(
                r->findings, RN_WARNING, s->line,
                "NCCL_ALGO: NCCL %s knows no algorithm %.*s and passes over it; a fork may know it, as MSCCL's does",
                rn_nccl_version_text(r->log.version, version), (int)n, at);
            return;
        }
        at += n + (at[n] == ',');
    }
}

static void judge_settings(rn_nccl_log_reader *r) {
    const int32_t version = r->log.version > 0 ? r->log.version : RN_NCCL_NEWEST;
    for (int32_t i = 0; i < r->log.n_settings; i++) {
        const rn_nccl_setting *s = &r->log.settings[i];
        char text[RN_NCCL_WORD + RN_NCCL_VALUE];
        rn_nccl_filter filter;
        rs_error why;
        snprintf(text, sizeof text, "%s=%s", s->name, s->value);
        rn_find(r->findings, RN_NOTE, s->line,
                is_off(s->name, s->value) ? RS_MESSAGE("%s switches something off")
                : s->plugin               ? RS_MESSAGE("set by the network plugin: %s")
                                          : RS_MESSAGE("set by the environment: %s"),
                text);
        judge_algorithms(r, s);
        rn_nccl_filter_open(&filter);
        if (rn_nccl_filter_set(&filter, version, s->name, s->value, &why) != RS_OK) {
            rn_find_said(r->findings, RN_ERROR, s->line, &why);
        } else if (strcmp(s->name, "NCCL_PROTO") == 0 && forces_ll128(&filter)) {
            rn_find(r->findings, RN_WARNING, s->line,
                    "NCCL_PROTO=%.60s forces LL128 without NCCL's tests: on a path that splits 128 "
                    "bytes data are silently wrong",
                    s->value);
        }
    }
}

/* ------------------------------------------------------------------ slow ways */

typedef enum slow_way { THROUGH_HOST, OVER_SOCKETS, WITHOUT_GDR, N_SLOW_WAYS } slow_way;

/* N_SLOW_WAYS: it is none. */
static slow_way way_of(const char *transport) {
    if (strncmp(transport, "SHM", 3) == 0 || strcmp(transport, "direct shared memory") == 0)
        return THROUGH_HOST; /* 2.4 writes it out */
    if (strncmp(transport, "NET/", 4) != 0) return N_SLOW_WAYS;
    if (strstr(transport, "Socket") != NULL) return OVER_SOCKETS;
    return strstr(transport, "GDR") == NULL ? WITHOUT_GDR : N_SLOW_WAYS;
}

/* Which setting explains it: one of two, of which the first forbids by its value? NULL: none. */
static const char *setting_for(const rn_nccl_log *log, const char *switched, const char *limited) {
    const char *value = rn_log_value(log, switched);
    if (value != NULL && strcmp(value, "0") != 0) return switched;
    return rn_log_value(log, limited) != NULL ? limited : NULL;
}

/* Says that n connections go a slow way, the first in that line, and what explains it. */
static void find_slow_way(rn_nccl_log_reader *r, slow_way way, int32_t n, int64_t line) {
    static const char *const switches[N_SLOW_WAYS][2] = {
        {"NCCL_P2P_DISABLE", "NCCL_P2P_LEVEL"},
        {"NCCL_IB_DISABLE", "NCCL_NET"},
        {"NCCL_NET_GDR_DISABLE", "NCCL_NET_GDR_LEVEL"}};
    const rn_nccl_log *log = &r->log;
    const char *why = setting_for(log, switches[way][0], switches[way][1]);
    const int64_t off_lines[N_SLOW_WAYS] = {0, log->no_ib_line, log->no_gdr_line};
    const int64_t off_line = off_lines[way];
    const bool one = n == 1, inside = way == THROUGH_HOST, sockets = way == OVER_SOCKETS;
    rs_error what, said;
    rs_fail(
        &what, RS_OK,
        one && inside
            ? RS_MESSAGE(
                  "%d connection inside a node goes through host memory (SHM), not from GPU to GPU")
        : inside
            ? RS_MESSAGE(
                  "%d connections inside a node go through host memory (SHM), not from GPU to GPU")
        : one && sockets
            ? RS_MESSAGE(
                  "%d connection between nodes goes over sockets, not over InfiniBand or RoCE")
        : sockets ? RS_MESSAGE(
                        "%d connections between nodes go over sockets, not over InfiniBand or RoCE")
        : one ? RS_MESSAGE(
                    "%d connection between nodes goes through host memory: the NIC does not reach "
                    "into the GPU's (no GDRDMA)")
              : RS_MESSAGE(
                    "%d connections between nodes go through host memory: the NIC does not reach "
                    "into the GPU's (no GDRDMA)"),
        (int)n);
    said = what;
    if (why != NULL)
        rs_fail_with(&said, RS_OK, 0, &what, "%s; %s is set", what.text, why);
    else if (off_line > 0)
        rs_fail_with(&said, RS_OK, 0, &what, "%s; line %lld says so", what.text,
                     (long long)off_line);
    else if (way == OVER_SOCKETS && log->nics_line > 0)
        rs_fail_with(&said, RS_OK, 0, &what, "%s; line %lld names NICs for it", what.text,
                     (long long)log->nics_line);
    rn_find_said(r->findings, RN_WARNING, line, &said);
}

static void judge_ways(rn_nccl_log_reader *r) {
    for (int way = 0; way < N_SLOW_WAYS; way++) {
        int64_t n = 0, line = 0;
        for (int32_t i = 0; i < r->log.n_transports; i++) {
            const rn_nccl_transport *t = &r->log.transports[i];
            if (way_of(t->name) != (slow_way)way) continue;
            if (line == 0) line = t->line;
            n += t->n;
        }
        if (line > 0) find_slow_way(r, (slow_way)way, (int32_t)n, line);
    }
    if (r->log.no_gdr_line > 0 && r->log.n_transports == 0) /* which go that way it does not say */
        rn_find(
            r->findings, RN_WARNING, r->log.no_gdr_line,
            "between nodes data go through host memory, slower: the NIC does not reach into the GPU's (GPU Direct RDMA "
            "Disabled); nvidia-peermem is not loaded (lsmod), or GPU and NIC are too far apart (nvidia-smi topo -m)");
}

/* NVLS that could be and is not; a setting that switches it off says so itself. */
static void judge_nvls(rn_nccl_log_reader *r) {
    const rn_nccl_log *log = &r->log;
    const bool offered = r->nvls_offered && log->n_nodes > 0 && log->n_ranks / log->n_nodes >= 4;
    const char *enabled = rn_log_value(log, "NCCL_NVLS_ENABLE");
    if (log->n_nvls_channels != 0 || (log->n_nvswitches == 0 && !offered)) return;
    if (enabled != NULL && strcmp(enabled, "0") == 0) return;
    rn_find(r->findings, RN_WARNING, log->channels_line,
            "0 NVLS channels on a machine with NVSwitches: their additions are not used");
}

rs_status rn_nccl_log_end(rn_nccl_log_reader *r, rs_error *error, rn_nccl_log *log) {
    const int32_t comm = largest_comm(r);
    if (r->log.n_used + r->log.n_unknown + r->log.n_torn == 0) {
        return rs_fail(error, RS_BAD_INPUT, "no line of NCCL's: NCCL_DEBUG=INFO writes them");
    }
    rn_log_end_warnings(r);
    rn_log_end_connections(r);
    end_comm(r, comm);
    if (r->log.n_ranks > 0) {
        rn_log_join_rings(r, comm);
        rn_log_join_trees(r, comm);
    }
    if (r->ring_places.full || r->tree_places.full || r->heard.full) {
        rn_find(r->findings, RN_NOTE, r->log.comm_line,
                "more lines of rings, trees and ranks than are kept: the last ones do not count");
    }
    judge_settings(r);
    judge_ways(r);
    rn_log_end_plugin(r);
    rn_log_end_nvlinks(r);
    rn_log_end_other_ways(r);
    judge_nvls(r);
    rn_log_end_nics(r);
    rn_log_end_waiting(r);
    if (r->arena->lacked) return rs_no_memory(error);
    *log = r->log;
    return RS_OK;
}
