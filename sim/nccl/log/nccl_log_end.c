/* nccl_log_end.c: what all lines of a log say together: the communicator, its rings and trees, what smells wrong.
 *
 *   - Of several communicators the largest counts, the first of them; lines of threads that never said theirs are taken
 *     to be of it.
 *   - A ring is closed from each rank's neighbours; rank 0's list alone does only where it was not cut.
 */
#include "nccl_log.h"

#include <string.h>

rs_nccl_level rs_nccl_remark_level(rs_nccl_remark remark) {
    switch (remark) {
    case RS_REMARK_NO_PATH:
    case RS_REMARK_VERSIONS:
    case RS_REMARK_BAD_SETTING: return RS_NCCL_ERROR;
    case RS_REMARK_WARN:
    case RS_REMARK_SHM:
    case RS_REMARK_SOCKET:
    case RS_REMARK_NO_GDR:
    case RS_REMARK_NO_NVLS:
    case RS_REMARK_SLOW_NIC:
    case RS_REMARK_LL128_FORCED: return RS_NCCL_WARNING;
    default: return RS_NCCL_NOTE;
    }
}

static int32_t largest_comm(const rs_nccl_log_reader *r) {
    const rs_log_comm *list = r->comms.list;
    int32_t best = -1;
    for (int32_t i = 0; i < r->comms.n; i++) {
        if (best < 0 || list[i].n_ranks > list[best].n_ranks) best = i;
    }
    return best;
}

static void end_comm(rs_nccl_log_reader *r, int32_t comm) {
    rs_nccl_log *log = &r->log;
    log->n_comms = r->comms.n;
    if (comm < 0) return;
    const rs_log_comm *c = (const rs_log_comm *)r->comms.list + comm;
    log->n_ranks = c->n_ranks;
    log->comm_line = c->line;
    log->n_nodes = c->n_nodes;
    log->nodes_line = c->nodes_line;
    const rs_log_place *heard = r->heard.list;
    bool *is_heard = rs_alloc(r->arena, (size_t)c->n_ranks + 1, 1);
    for (int32_t i = 0; is_heard != NULL && i < r->heard.n; i++) {
        if (heard[i].comm != comm || heard[i].rank >= c->n_ranks) continue;
        log->n_heard += !is_heard[heard[i].rank];
        is_heard[heard[i].rank] = true;
    }
    if (log->n_heard > 0 && log->n_heard < log->n_ranks) {
        rs_remark(r, c->line, RS_REMARK_SILENT_RANKS, log->n_heard, log->n_ranks, NULL, 0);
    }
}

/* ------------------------------------------------------------------ rings */

/* One row a channel of a table [channels][n_ranks]. */
typedef struct chain_table {
    int32_t *next, n_ranks, n_channels;
    int64_t lines[RS_LOG_MOST_CHANNELS];
} chain_table;

static bool belongs(const rs_log_place *place, int32_t comm, int32_t n_ranks) {
    return (place->comm == comm || place->comm < 0) && place->rank < n_ranks &&
           place->prev < n_ranks && place->next < n_ranks;
}

static bool make_rows(rs_nccl_log_reader *r, int32_t n_channels, chain_table *t) {
    t->n_channels = n_channels;
    t->next = rs_alloc(r->arena, (size_t)n_channels * (size_t)t->n_ranks + 1, sizeof *t->next);
    if (t->next == NULL) return false;
    memset(t->next, 0xff, (size_t)n_channels * (size_t)t->n_ranks * sizeof *t->next);
    return true;
}

static int32_t count_channels(const rs_log_place *list, int32_t n, int32_t comm, int32_t n_ranks) {
    int32_t channels = 0;
    for (int32_t i = 0; i < n; i++) {
        if (belongs(&list[i], comm, n_ranks) && list[i].channel >= channels) {
            channels = list[i].channel + 1;
        }
    }
    return channels;
}

static rs_nccl_ring *new_ring(rs_nccl_log_reader *r, rs_growing *rings, int32_t channel,
                              int64_t line, int32_t n) {
    rs_nccl_ring *ring = rs_grow(r, rings, sizeof *ring);
    int32_t *ranks = rs_alloc(r->arena, (size_t)n + 1, sizeof *ranks);
    if (ring == NULL || ranks == NULL) return NULL;
    *ring = (rs_nccl_ring){.channel = channel, .ranks = ranks, .line = line};
    return ring;
}

/* Follows the neighbours from rank 0, or the first that has one, until it comes back or knows no further. */
static void follow(rs_nccl_log_reader *r, const chain_table *t, int32_t channel,
                   rs_growing *rings) {
    const int32_t *next = t->next + (size_t)channel * (size_t)t->n_ranks;
    int32_t from = 0;
    while (from < t->n_ranks && next[from] < 0) from++;
    if (from == t->n_ranks) return;
    rs_nccl_ring *ring = new_ring(r, rings, channel, t->lines[channel], t->n_ranks);
    if (ring == NULL) return;
    int32_t at = from;
    while (ring->n < t->n_ranks && at >= 0) {
        ring->ranks[ring->n++] = at;
        at = next[at];
        if (at == from) break;
    }
    ring->whole = at == from && ring->n == t->n_ranks;
}

static void take_orders(rs_nccl_log_reader *r, int32_t comm, int32_t n_ranks, bool known[],
                        rs_growing *rings) {
    const rs_log_order *orders = r->orders.list;
    const int32_t *ranks = r->order_ranks.list;
    bool *seen = rs_alloc(r->arena, (size_t)n_ranks + 1, 1);
    for (int32_t i = 0; seen != NULL && i < r->orders.n; i++) {
        const rs_log_order *o = &orders[i];
        if ((o->comm != comm && o->comm >= 0) || known[o->channel]) continue;
        if (o->n > n_ranks) continue; /* of a larger one that said nothing of itself */
        rs_nccl_ring *ring = new_ring(r, rings, o->channel, o->line, o->n);
        if (ring == NULL) return;
        known[o->channel] = true;
        memset(seen, 0, (size_t)n_ranks);
        bool twice = false;
        for (int32_t k = 0; k < o->n; k++) {
            const int32_t rank = ranks[o->first + k];
            if (rank >= n_ranks || seen[rank]) {
                twice = true;
                break;
            }
            seen[rank] = true;
            ring->ranks[ring->n++] = rank;
        }
        ring->whole = !twice && ring->n == n_ranks;
    }
}

static void end_rings(rs_nccl_log_reader *r, int32_t comm) {
    rs_nccl_log *log = &r->log;
    const rs_log_place *places = r->ring_places.list;
    bool known[RS_LOG_MOST_CHANNELS] = {false};
    rs_growing rings = {0};
    chain_table t = {.n_ranks = log->n_ranks};
    if (log->n_ranks < 1) return;
    const int32_t n = count_channels(places, r->ring_places.n, comm, log->n_ranks);
    /* rank 0's whole lists first: they are the shortest way */
    if (!make_rows(r, n, &t)) {
        r->failed = true;
        return;
    }
    for (int32_t i = 0; i < r->ring_places.n; i++) {
        const rs_log_place *p = &places[i];
        if (!belongs(p, comm, log->n_ranks)) continue;
        int32_t *row = t.next + (size_t)p->channel * (size_t)t.n_ranks;
        row[p->rank] = p->next;
        if (row[p->prev] < 0) row[p->prev] = p->rank; /* a neighbour speaks for a silent one */
        if (t.lines[p->channel] == 0) t.lines[p->channel] = p->line;
    }
    for (int32_t channel = 0; channel < n; channel++) {
        if (t.lines[channel] == 0) continue;
        follow(r, &t, channel, &rings);
        known[channel] = ((rs_nccl_ring *)rings.list)[rings.n - 1].whole;
        if (!known[channel]) rings.n--; /* perhaps the list has it whole */
    }
    take_orders(r, comm, log->n_ranks, known, &rings);
    for (int32_t channel = 0; channel < n; channel++) {
        if (t.lines[channel] != 0 && !known[channel]) follow(r, &t, channel, &rings);
    }
    int32_t n_cut = 0;
    log->rings = rings.list;
    log->n_rings = rings.n;
    for (int32_t i = 1; i < log->n_rings; i++) { /* by channel: nearly sorted */
        for (int32_t k = i; k > 0 && log->rings[k - 1].channel > log->rings[k].channel; k--) {
            const rs_nccl_ring swap = log->rings[k];
            log->rings[k] = log->rings[k - 1];
            log->rings[k - 1] = swap;
        }
    }
    for (int32_t i = 0; i < log->n_rings; i++) n_cut += !log->rings[i].whole;
    if (n_cut > 0) {
        rs_remark(r, log->rings[0].line, RS_REMARK_RING_CUT, n_cut, log->n_rings, NULL, 0);
    }
}

/* ------------------------------------------------------------------ trees */

static bool is_whole(const rs_nccl_tree *tree, int32_t n_ranks) {
    if (tree->root < 0) return false;
    for (int32_t rank = 0; rank < n_ranks; rank++) {
        int32_t at = rank, n = 0;
        while (at >= 0 && tree->up[at] >= 0 && n++ <= n_ranks) at = tree->up[at];
        if (n > n_ranks || at != tree->root) return false;
        if (n_ranks > 4096) break; /* a sample: long chains would take squares of time */
    }
    return true;
}

static void end_trees(rs_nccl_log_reader *r, int32_t comm) {
    rs_nccl_log *log = &r->log;
    const rs_log_place *places = r->tree_places.list;
    const int32_t channels = count_channels(places, r->tree_places.n, comm, log->n_ranks);
    rs_nccl_tree *of[2][RS_LOG_MOST_CHANNELS] = {{NULL}};
    rs_nccl_tree *trees = rs_alloc(r->arena, (size_t)(2 * channels) + 1, sizeof *trees);
    if (trees == NULL) return;
    for (int32_t i = 0; i < r->tree_places.n; i++) {
        const rs_log_place *p = &places[i];
        if (!belongs(p, comm, log->n_ranks)) continue;
        rs_nccl_tree **tree = &of[p->tree][p->channel];
        if (*tree == NULL) {
            int32_t *up = rs_alloc(r->arena, (size_t)log->n_ranks, sizeof *up);
            if (up == NULL) return;
            for (int32_t k = 0; k < log->n_ranks; k++) up[k] = -2;
            *tree = &trees[log->n_trees++];
            **tree = (rs_nccl_tree){.channel = p->channel, .root = -1, .up = up, .line = p->line};
        }
        (*tree)->up[p->rank] = p->prev;
        if (p->prev < 0) (*tree)->root = p->rank;
    }
    log->trees = trees;
    for (int32_t i = 0; i < log->n_trees; i++) trees[i].whole = is_whole(&trees[i], log->n_ranks);
}

/* ------------------------------------------------------------------ what smells wrong */

static const char *value_of(const rs_nccl_log *log, const char *name) {
    for (int32_t i = 0; i < log->n_settings; i++) {
        if (strcmp(log->settings[i].name, name) == 0) return log->settings[i].value;
    }
    return NULL;
}

static bool is_off(const char *name, const char *value) {
    const size_t n = strlen(name);
    const bool disables = n > 8 && strcmp(name + n - 8, "_DISABLE") == 0;
    const bool enables = (n > 7 && strcmp(name + n - 7, "_ENABLE") == 0);
    return (disables && strcmp(value, "1") == 0) || (enables && strcmp(value, "0") == 0);
}

static void judge_settings(rs_nccl_log_reader *r) {
    const rs_nccl_log *log = &r->log;
    for (int32_t i = 0; i < log->n_settings; i++) {
        const rs_nccl_setting *s = &log->settings[i];
        char text[2 * RS_NCCL_WORD + 2];
        const size_t n_name = strlen(s->name), n_value = strlen(s->value);
        memcpy(text, s->name, n_name);
        text[n_name] = '=';
        memcpy(text + n_name + 1, s->value, n_value + 1);
        rs_remark(r, s->line,
                  is_off(s->name, s->value) ? RS_REMARK_SWITCHED_OFF : RS_REMARK_SETTING, 0, 0,
                  text, n_name + 1 + n_value);
        rs_nccl_filter filter;
        rs_error why = {""};
        rs_nccl_filter_open(&filter);
        const int32_t version = log->version > 0 ? log->version : RS_NCCL_NEWEST;
        if (strcmp(s->name, "NCCL_PROTO") == 0) {
            if (rs_nccl_filter_protocols(&filter, version, s->value, &why) != RS_OK) {
                rs_remark(r, s->line, RS_REMARK_BAD_SETTING, 0, 0, why.text, strlen(why.text));
            } else if (filter.protocols[RS_COLL_ALL_REDUCE][RS_NCCL_LL128] == 1) {
                rs_remark(r, s->line, RS_REMARK_LL128_FORCED, 0, 0, s->value, n_value);
            }
        }
        if (strcmp(s->name, "NCCL_ALGO") == 0 &&
            rs_nccl_filter_algorithms(&filter, version, s->value, &why) != RS_OK) {
            rs_remark(r, s->line, RS_REMARK_BAD_SETTING, 0, 0, why.text, strlen(why.text));
        }
    }
}

static void judge(rs_nccl_log_reader *r) {
    const rs_nccl_log *log = &r->log;
    const rs_nccl_transport *shm = NULL, *socket = NULL, *no_gdr = NULL;
    int64_t n_shm = 0, n_socket = 0, n_no_gdr = 0;
    for (int32_t i = 0; i < log->n_transports; i++) {
        const rs_nccl_transport *t = &log->transports[i];
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
    if (shm != NULL) rs_remark(r, shm->line, RS_REMARK_SHM, (int32_t)n_shm, 0, NULL, 0);
    if (socket != NULL) rs_remark(r, socket->line, RS_REMARK_SOCKET, (int32_t)n_socket, 0, NULL, 0);
    if (no_gdr != NULL) rs_remark(r, no_gdr->line, RS_REMARK_NO_GDR, (int32_t)n_no_gdr, 0, NULL, 0);
    const char *nvls = value_of(log, "NCCL_NVLS_ENABLE");
    if (log->n_nvls_channels == 0 && log->n_nvswitches > 0 &&
        (nvls == NULL || strcmp(nvls, "0") != 0)) {
        rs_remark(r, log->channels_line, RS_REMARK_NO_NVLS, 0, 0, NULL, 0);
    }
}

/* By line, in a stable way; a bubble at a time is enough: most come in order. */
static void sort_notes(rs_nccl_note notes[], int32_t n) {
    for (int32_t i = 1; i < n; i++) {
        const rs_nccl_note note = notes[i];
        int32_t k = i;
        for (; k > 0 && notes[k - 1].line > note.line; k--) notes[k] = notes[k - 1];
        notes[k] = note;
    }
}

rs_status rs_nccl_log_end(rs_nccl_log_reader *r, rs_error *error, rs_nccl_log *log) {
    const int32_t comm = largest_comm(r);
    if (r->log.n_used + r->log.n_unknown + r->log.n_torn == 0) {
        return rs_fail(error, RS_BAD_INPUT, "no line of NCCL's: NCCL_DEBUG=INFO writes them");
    }
    r->log.settings = r->settings.list;
    r->log.n_settings = r->settings.n;
    r->log.transports = r->transports.list;
    r->log.n_transports = r->transports.n;
    r->log.calls = r->calls.list;
    r->log.n_calls = r->calls.n;
    end_comm(r, comm);
    end_rings(r, comm);
    end_trees(r, comm);
    judge_settings(r);
    judge(r);
    if (r->failed) return rs_fail(error, RS_NO_MEMORY, "no memory for what the log says");
    r->log.notes = r->notes.list;
    r->log.n_notes = r->notes.n;
    sort_notes(r->log.notes, r->log.n_notes);
    *log = r->log;
    return RS_OK;
}
