/* nccl_log_slow.c: what slows a job down and no line says: NVLinks that are slower one way, sockets though a plugin for a better
 * network is there; and whether one node holds all ranks.
 */
#include "nccl_log.h"

#include <string.h>

void rn_log_end_nvlinks(rn_nccl_log_reader *r) {
    for (int32_t i = 0; i < r->n_nvlinks; i++) {
        const rn_log_nvlink *a = &r->nvlinks[i];
        for (int32_t k = 0; k < r->n_nvlinks; k++) {
            const rn_log_nvlink *b = &r->nvlinks[k];
            if (strcmp(a->from, b->to) != 0 || strcmp(a->to, b->from) != 0) continue;
            if (a->GBps >= 0.75F * b->GBps) break;
            rn_find(
                r->findings, RN_WARNING, a->line,
                "NVLink from %s to %s has %.1f GB/s, and %.1f the other way: links of one direction are down or not "
                "seen; rings are as slow as that (nvidia-smi nvlink -s)",
                a->from, a->to, (double)a->GBps, (double)b->GBps);
            return;
        }
    }
}

void rn_log_note_plugin(rn_nccl_log_reader *r, const char *message) {
    static const char *const loaded[] = {"NET/Plugin: Loaded net plugin ", "P2P plugin ",
                                         "Successfully loaded external network plugin"};
    static const char *const there[] = {"NET/OFI ", "NET/Plugin: Failed to find ncclNetPlugin_v",
                                        "Plugin Path : "};
    for (int i = 0; i < 3; i++) {
        const bool is_loaded = rn_has_form(message, loaded[i]);
        if (is_loaded && r->loaded_line == 0) r->loaded_line = r->log.n_lines;
        if (!is_loaded && !rn_has_form(message, there[i])) continue;
        if (r->plugin_line == 0) r->plugin_line = r->log.n_lines;
        r->ofi = r->ofi || strncmp(message, "NET/OFI", 7) == 0;
    }
}

/* Is the network chosen by a setting, or told of by a message that is known? */
static bool is_explained(const rn_nccl_log_reader *r) {
    int n;
    const rn_nccl_message *rows = rn_nccl_messages(&n);
    for (int i = 0; i < n; i++) {
        if (r->told_line[i] > 0 &&
            rn_nccl_meets(&rows[i], "", "NET/OFI Only EFA provider is supported"))
            return true;
    }
    const char *disabled = rn_log_value(&r->log, "NCCL_IB_DISABLE");
    return rn_log_value(&r->log, "NCCL_NET") != NULL ||
           (disabled != NULL && strcmp(disabled, "0") != 0);
}

void rn_log_end_plugin(rn_nccl_log_reader *r) {
    const rn_nccl_log *log = &r->log;
    if (strcmp(log->network, "Socket") != 0 || r->plugin_line == 0 || log->n_nodes == 1 ||
        is_explained(r)) {
        return;
    }
    const int64_t there_line = r->ofi ? r->plugin_line : r->loaded_line;
    if (there_line > 0)
        rn_find(
            r->findings, RN_WARNING, log->network_line,
            r->ofi
                ? RS_MESSAGE(
                      "sockets are used, though the plugin aws-ofi-nccl is there (line %lld): a plugin of another version than this "
                      "NCCL takes, or no EFA device here (ls /dev/infiniband/uverbs*)")
                : RS_MESSAGE(
                      "sockets are used, though a network plugin is loaded (line %lld): no RDMA device is seen; ls /dev/infiniband, "
                      "ibv_devinfo, in a container --device=/dev/infiniband; without such NICs it is right"),
            (long long)there_line);
}

void rn_log_note_host(rn_nccl_log_reader *r, int32_t rank) {
    if (r->head == NULL || r->hosts.n == RN_LOG_MOST_RANKS) return;
    const int64_t host = rs_text_kept(&r->hosts, r->head, strcspn(r->head, ": "));
    if (host != RS_NO_TEXT) rn_log_add_place(r, &r->local_places, 0, 1, rank, (int32_t)host, -1);
}

bool rn_log_is_one_node(rn_nccl_log_reader *r, int32_t comm) {
    const int32_t n = r->log.n_ranks, all = n + (int32_t)r->hosts.n;
    int32_t *group = n > 1 ? rs_alloc(r->arena, (size_t)all, sizeof *group) : NULL;
    int32_t *host = n > 1 ? rs_alloc(r->arena, (size_t)n, sizeof *host) : NULL; /* from 1 */
    if (group == NULL || host == NULL) return false;
    for (int32_t i = 0; i < all; i++) group[i] = i;
    for (int32_t i = 0; i < r->local_places.n; i++) {
        const rn_log_place *p = rn_log_place_at(&r->local_places, i);
        const int32_t to = p->tree ? n + (int32_t)p->prev_1 - 1 : (int32_t)p->next_1 - 1;
        if ((p->comm != comm && p->comm != -1) || (int32_t)p->rank >= n || to < 0 || to >= all)
            continue;
        if (p->tree && host[p->rank] != 0 && host[p->rank] != (int32_t)p->prev_1) return false;
        if (p->tree) host[p->rank] = (int32_t)p->prev_1;
        rs_join_groups(group, (int32_t)p->rank, to);
    }
    for (int32_t i = 1; i < n; i++) {
        if (rs_group_of(group, i) != 0) return false;
    }
    return true;
}
