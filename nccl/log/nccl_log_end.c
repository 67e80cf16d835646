/* nccl_log_end.c: what all lines of a log say together: the communicator, its rings and trees, what smells wrong.
 *
 *   - Of several communicators the largest counts, the first of them; lines of threads that never said theirs are taken
 *     to be of it.
 */
#include "nccl_log.h"

#include <string.h>

rn_level rn_nccl_remark_level(rn_nccl_remark remark) {
    if (remark <= RN_REMARK_BAD_SETTING) return RN_ERROR;
    return remark <= RN_REMARK_LL128_FORCED ? RN_WARNING : RN_NOTE;
}

static int32_t largest_comm(const rn_nccl_log_reader *r) {
    const rn_log_comm *list = r->comms.list;
    int32_t best = -1;
    for (int32_t i = 0; i < r->comms.n; i++) {
        if (best < 0 || list[i].n_ranks > list[best].n_ranks) best = i;
    }
    return best;
}

static void end_comm(rn_nccl_log_reader *r, int32_t comm) {
    rn_nccl_log *log = &r->log;
    if (comm < 0) {
        log->n_ranks = r->loose_ranks;
        log->comm_line = r->loose_line;
        return;
    }
    const rn_log_comm *c = (const rn_log_comm *)r->comms.list + comm;
    log->n_ranks = c->n_ranks;
    log->comm_line = c->line;
    log->n_nodes = c->n_nodes;
    log->nodes_line = c->nodes_line;
    bool *is_heard = rs_alloc(r->arena, (size_t)c->n_ranks, 1);
    r->failed = r->failed || is_heard == NULL;
    for (const rn_log_block *b = r->heard.first; is_heard != NULL && b != NULL; b = b->next) {
        for (int32_t i = 0; i < b->n; i++) {
            const rn_log_place *place = &b->list[i];
            if (place->comm != comm) continue;
            log->n_heard += !is_heard[place->rank];
            is_heard[place->rank] = true;
        }
    }
    log->n_hosts = c->n_hosts;
    if (log->n_nodes == 0 && log->n_heard == log->n_ranks && log->n_hosts <= log->n_ranks) {
        log->n_nodes = log->n_hosts;
    }
    if (log->n_heard > 0 && log->n_heard < log->n_ranks) {
        rn_remark(r, c->line, RN_REMARK_SILENT_RANKS, log->n_heard, log->n_ranks, NULL, 0);
    }
}

/* ------------------------------------------------------------------ what smells wrong */

static const char *value_of(const rn_nccl_log *log, const char *name) {
    for (int32_t i = 0; i < log->n_settings; i++) {
        if (strcmp(log->settings[i].name, name) == 0) return log->settings[i].value;
    }
    return NULL;
}

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

rs_status rn_nccl_read_setting(const rn_nccl_log *log, const char *name, const char *value,
                               rn_nccl_filter *filter, rs_error *error) {
    const int32_t version = log->version > 0 ? log->version : RN_NCCL_NEWEST;
    rn_nccl_filter_open(filter);
    if (strcmp(name, "NCCL_PROTO") == 0)
        return rn_nccl_filter_protocols(filter, version, value, error);
    if (strcmp(name, "NCCL_ALGO") == 0)
        return rn_nccl_filter_algorithms(filter, version, value, error);
    return RS_OK;
}

static void judge_settings(rn_nccl_log_reader *r) {
    const rn_nccl_log *log = &r->log;
    for (int32_t i = 0; i < log->n_settings; i++) {
        const rn_nccl_setting *s = &log->settings[i];
        char text[RN_NCCL_WORD + RN_NCCL_VALUE];
        const size_t n_name = strlen(s->name), n_value = strlen(s->value);
        memcpy(text, s->name, n_name);
        text[n_name] = '=';
        memcpy(text + n_name + 1, s->value, n_value + 1);
        rn_remark(r, s->line,
                  is_off(s->name, s->value) ? RN_REMARK_SWITCHED_OFF
                  : s->plugin               ? RN_REMARK_PLUGIN
                                            : RN_REMARK_SETTING,
                  0, 0, text, n_name + 1 + n_value);
        rn_nccl_filter filter;
        if (rn_nccl_read_setting(log, s->name, s->value, &filter, NULL) != RS_OK) {
            rn_remark(r, s->line, RN_REMARK_BAD_SETTING, 0, 0, text, n_name + 1 + n_value);
        } else if (strcmp(s->name, "NCCL_PROTO") == 0 && forces_ll128(&filter)) {
            rn_remark(r, s->line, RN_REMARK_LL128_FORCED, 0, 0, s->value, n_value);
        }
    }
}

static void judge(rn_nccl_log_reader *r) {
    const rn_nccl_log *log = &r->log;
    const rn_nccl_transport *shm = NULL, *socket = NULL, *no_gdr = NULL;
    int64_t n_shm = 0, n_socket = 0, n_no_gdr = 0;
    for (int32_t i = 0; i < log->n_transports; i++) {
        const rn_nccl_transport *t = &log->transports[i];
        const bool net = strncmp(t->name, "NET/", 4) == 0;
        if (strncmp(t->name, "SHM", 3) == 0) {
            if (shm == NULL) shm = t;
            n_shm += t->n;
        } else if (net && strstr(t->name, "Socket") != NULL) {
            if (socket == NULL) socket = t;
            n_socket += t->n;
        } else if (net && strstr(t->name, "GDR") == NULL) {
            if (no_gdr == NULL) no_gdr = t;
            n_no_gdr += t->n;
        }
    }
    if (shm != NULL) rn_remark(r, shm->line, RN_REMARK_SHM, (int32_t)n_shm, 0, NULL, 0);
    if (socket != NULL) rn_remark(r, socket->line, RN_REMARK_SOCKET, (int32_t)n_socket, 0, NULL, 0);
    if (no_gdr != NULL) rn_remark(r, no_gdr->line, RN_REMARK_NO_GDR, (int32_t)n_no_gdr, 0, NULL, 0);
    const char *nvls = value_of(log, "NCCL_NVLS_ENABLE");
    const bool offered = r->nvls_offered && log->n_nodes > 0 && log->n_ranks / log->n_nodes >= 4;
    if (log->n_nvls_channels == 0 && (log->n_nvswitches > 0 || offered) &&
        (nvls == NULL || strcmp(nvls, "0") != 0)) {
        rn_remark(r, log->channels_line, RN_REMARK_NO_NVLS, 0, 0, NULL, 0);
    }
}

/* By line, in a stable way; a bubble at a time is enough: most come in order. */
static void sort_notes(rn_nccl_note notes[], int32_t n) {
    for (int32_t i = 1; i < n; i++) {
        const rn_nccl_note note = notes[i];
        int32_t k = i;
        for (; k > 0 && notes[k - 1].line > note.line; k--) notes[k] = notes[k - 1];
        notes[k] = note;
    }
}

rs_status rn_nccl_log_end(rn_nccl_log_reader *r, rs_error *error, rn_nccl_log *log) {
    const int32_t comm = largest_comm(r);
    if (r->log.n_used + r->log.n_unknown + r->log.n_torn == 0) {
        return rs_fail(error, RS_BAD_INPUT, "no line of NCCL's: NCCL_DEBUG=INFO writes them");
    }
    rn_log_end_connections(r);
    r->log.settings = r->settings.list;
    r->log.n_settings = r->settings.n;
    r->log.transports = r->transports.list;
    r->log.n_transports = r->transports.n;
    r->log.calls = r->calls.list;
    r->log.n_calls = r->calls.n;
    r->log.sums = r->sums.list;
    r->log.n_sums = r->sums.n;
    end_comm(r, comm);
    if (r->log.n_ranks > 0) {
        rn_log_join_rings(r, comm);
        rn_log_join_trees(r, comm);
    }
    if (r->ring_places.full || r->tree_places.full || r->heard.full) {
        rn_remark(r, r->log.comm_line, RN_REMARK_TOO_MANY, 0, 0, NULL, 0);
    }
    judge_settings(r);
    judge(r);
    rn_log_end_nics(r);
    rn_log_end_waiting(r);
    if (r->failed) return rs_no_memory(error);
    r->log.notes = r->notes.list;
    r->log.n_notes = r->notes.n;
    sort_notes(r->log.notes, r->log.n_notes);
    *log = r->log;
    return RS_OK;
}
