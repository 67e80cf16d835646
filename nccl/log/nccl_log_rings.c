/* nccl_log_rings.c: lines about rings, trees and connections, in the spellings of all versions.
 *
 *     Channel 00/24 :    0   1   2 ...             rank 0's: the whole ring, or as much as the line could hold
 *     Ring 00 : 7 -> 0 -> 1                        each rank's: before, itself, behind
 *     Trees [0] 1/-1/-1->0->-1 [1] ...             below, itself, above; in 2.4 to 2.6 the other way round
 *     Tree 0 : 3 -> 0 -> 1/-1/-1                   above, itself, below
 *     Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM    a connection, which need not be of the ring
 */
#include "nccl_log.h"

#include <string.h>

/* ------------------------------------------------------------------ connections */

/* Copies a transport's name without numbers of devices and of proxies: NET/IB/1(5)/GDRDMA is NET/IB/GDRDMA. It may have
   blanks, "NET/AWS Libfabric/2/GDRDMA"; RCCL names the communicator behind it. */
static void plain_transport(const char *at, char out[RN_NCCL_WORD]) {
    size_t n = 0;
    while (*at == ' ') at++;
    while (*at != '\0' && n < RN_NCCL_WORD - 1) {
        if (*at == '/' && at[1] >= '0' && at[1] <= '9') {
            at++;
            while (*at != '\0' && *at != '/' && *at != ' ') at++;
            continue;
        }
        if (*at == ' ' && (at[1] == ' ' || at[1] == '[' || strncmp(at, " comm ", 6) == 0)) break;
        out[n++] = *at++;
    }
    out[n] = '\0';
}

/* Whose line it is: the sender's where nothing is said. */
typedef enum rn_log_end { RN_LOG_ONLY_END, RN_LOG_SENDER, RN_LOG_RECEIVER } rn_log_end;

/* Notes that the connection over which `rank` sends was spoken of at this end. */
static void count_end(rn_nccl_log_reader *r, rn_log_senders *senders, int64_t rank,
                      rn_log_end end) {
    while (senders->n <= rank) {
        if (rn_log_add(r, senders->list, senders->n, senders->room) == NULL) return;
    }
    rn_log_sender *sender = &senders->list[rank];
    int32_t *n = end == RN_LOG_SENDER ? &sender->sent : &sender->received;
    if (*n < INT32_MAX) ++*n;
}

void rn_log_end_connections(rn_nccl_log_reader *r) {
    rn_nccl_transport *list = r->log.transports;
    for (int32_t i = 0; i < r->log.n_transports; i++) {
        const rn_log_sender *senders = r->senders[i].list;
        for (int32_t k = 0; k < r->senders[i].n; k++) {
            list[i].n +=
                senders[k].sent > senders[k].received ? senders[k].sent : senders[k].received;
        }
    }
}

/* Takes what stands behind "via"; false: there is no such word. */
static bool take_transport(rn_nccl_log_reader *r, const char *at, int64_t sender, rn_log_end end) {
    char name[RN_NCCL_WORD];
    if (!rn_find_words(at, "via ", &at)) return false;
    plain_transport(at, name);
    rn_nccl_transport *list = r->log.transports, *found = NULL;
    for (int32_t i = 0; i < r->log.n_transports && found == NULL; i++) {
        if (strcmp(list[i].name, name) == 0) found = &list[i];
    }
    if (found == NULL && r->log.n_transports < RN_LOG_MOST_TRANSPORTS && name[0] != '\0') {
        found = rn_log_add(r, r->log.transports, r->log.n_transports, r->transport_room);
        if (found == NULL) return true;
        memcpy(found->name, name, sizeof name);
        found->line = r->log.n_lines;
    }
    if (found != NULL && end == RN_LOG_ONLY_END) found->n++;
    if (found != NULL && end != RN_LOG_ONLY_END)
        count_end(r, &r->senders[found - r->log.transports], sender, end);
    return true;
}

/* "12[41000]"; what stands in the brackets is a GPU or a bus, and is missing before 2.5: "34 -> 33 [send] via NET/Socket/0". */
static bool take_end(const char **at, int64_t *rank) {
    const char *s = *at;
    if (!rn_take_int(&s, RN_LOG_MOST_RANKS, rank) || *rank < 0) return false;
    if (*s != '[') {
        *at = s;
        return *s == ' ';
    }
    s += strspn(s, "[0123456789abcdefx");
    if (*s != ']') return false;
    *at = s + 1;
    return true;
}

static bool take_connection(rn_nccl_log_reader *r, int64_t channel, const char *at) {
    const char *via;
    int64_t a, b;
    if (!take_end(&at, &a) || !rn_take(&at, "->") || !take_end(&at, &b)) return false;
    if (!rn_find_words(at, "via ", &via)) return false;
    while (*at == ' ') at++;
    const bool local = strncmp(via, "SHM", 3) == 0 ||
                       (strncmp(via, "P2P", 3) == 0 && strstr(via, "MNNVL") == NULL);
    if (channel == 0 && local) {
        rn_log_add_place(r, &r->local_places, 0, 0, (int32_t)a, -1, (int32_t)b);
        rn_log_note_host(r, (int32_t)a);
    }
    return take_transport(r, at, a,
                          strncmp(at, "[send]", 6) == 0      ? RN_LOG_SENDER
                          : strncmp(at, "[receive]", 9) == 0 ? RN_LOG_RECEIVER
                                                             : RN_LOG_ONLY_END);
}

/* ------------------------------------------------------------------ rings */

static bool take_order(rn_nccl_log_reader *r, int32_t channel, const char *at) {
    const int32_t first = r->n_order_ranks;
    int64_t rank;
    if (r->n_orders == RN_LOG_MOST_ORDERS || first > RN_LOG_MOST_ORDERED) {
        return rn_take_int(&at, RN_LOG_MOST_RANKS, &rank) && rank >= 0;
    }
    while (rn_take_int(&at, RN_LOG_MOST_RANKS, &rank) && rank >= 0) {
        int32_t *kept = rn_log_add(r, r->order_ranks, r->n_order_ranks, r->order_rank_room);
        if (kept == NULL) return true;
        *kept = (int32_t)rank;
    }
    if (r->n_order_ranks == first) return false;
    rn_log_order *order = rn_log_add(r, r->orders, r->n_orders, r->order_room);
    if (order == NULL) return true;
    *order = (rn_log_order){r->comm, channel, first, r->n_order_ranks - first, r->log.n_lines};
    return true;
}

static bool take_neighbours(rn_nccl_log_reader *r, int32_t channel, const char *at) {
    int64_t before, me, behind;
    if (!rn_take_int(&at, RN_LOG_MOST_RANKS, &before) || !rn_take(&at, "->") ||
        !rn_take_int(&at, RN_LOG_MOST_RANKS, &me) || !rn_take(&at, "->") ||
        !rn_take_int(&at, RN_LOG_MOST_RANKS, &behind) || before < 0 || me < 0 || behind < 0) {
        return false;
    }
    if (channel == 0) rn_log_note_host(r, (int32_t)me);
    rn_log_add_place(r, &r->ring_places, channel, 0, (int32_t)me, (int32_t)before, (int32_t)behind);
    return true;
}

/* ------------------------------------------------------------------ trees */

enum { GROUP = 4 };

/* Reads "1/-1/-1" or "3"; returns how many numbers. */
static int take_group(const char **at, int32_t group[GROUP]) {
    int n = 0;
    int64_t number;
    while (n < GROUP && rn_take_int(at, RN_LOG_MOST_RANKS, &number) && number >= -1) {
        group[n++] = (int32_t)number;
        if (**at != '/') break;
        (*at)++;
    }
    return n;
}

static bool take_tree(rn_nccl_log_reader *r, int32_t channel, int32_t tree, const char **at) {
    int32_t left[GROUP], right[GROUP], n_kept = 0;
    int64_t me;
    const int n_left = take_group(at, left);
    if (n_left == 0 || !rn_take(at, "->") || !rn_take_int(at, RN_LOG_MOST_RANKS, &me) || me < 0 ||
        !rn_take(at, "->")) {
        return false;
    }
    const int n_right = take_group(at, right);
    if (n_right == 0 || (n_left > 1) == (n_right > 1)) return false;
    const int32_t *below = n_left > 1 ? left : right, up = n_left > 1 ? right[0] : left[0];
    const int n_below = n_left > 1 ? n_left : n_right;
    for (int i = 0; i < n_below; i++) { /* a place a child, one where there is none */
        if (below[i] < 0 && (n_kept > 0 || i < n_below - 1)) continue;
        rn_log_place *place =
            rn_log_add_place(r, &r->tree_places, channel, tree, (int32_t)me, up, below[i]);
        if (place != NULL) place->more = n_kept > 0;
        n_kept++;
    }
    return true;
}

static bool trees_message(rn_nccl_log_reader *r, const char *at) {
    int64_t channel;
    bool any = false;
    while (rn_take(&at, "[") && rn_take_int(&at, RN_LOG_MOST_CHANNELS - 1, &channel) &&
           channel >= 0 && rn_take(&at, "]")) {
        if (!take_tree(r, (int32_t)channel, 0, &at)) break;
        any = true;
        if (*at == '|') {
            at++;
            if (!take_tree(r, (int32_t)channel, 1, &at)) break;
        }
    }
    return any;
}

bool rn_log_ring_message(rn_nccl_log_reader *r, const char *message) {
    const char *at = message;
    int64_t channel, other;
    if (rn_take(&at, "Trees")) return trees_message(r, at);
    if (rn_take(&at, "Tree ")) {
        return rn_take_int(&at, RN_LOG_MOST_CHANNELS - 1, &channel) && channel >= 0 &&
               rn_take(&at, ":") && take_tree(r, (int32_t)channel, 0, &at);
    }
    /* "CollNet 00/0 : 0 [receive] via COLLNET/SHARP/1/GDRDMA": to a switch that adds */
    if (rn_take(&at, "CollNet ")) return take_transport(r, at, 0, RN_LOG_ONLY_END);
    const bool ring = rn_take(&at, "Ring ");
    if (!ring && !rn_take(&at, "Channel ")) return false;
    if (!rn_take_int(&at, RN_LOG_MOST_CHANNELS - 1, &channel) || channel < 0) return false;
    const bool of = *at == '/';
    if (of) at++;
    if (of && !rn_take_int(&at, 4096, &other)) return false;
    if (!rn_take(&at, ":")) return false;
    if (take_connection(r, channel, at)) return true;
    if (take_neighbours(r, (int32_t)channel, at)) return true;
    return !ring && take_order(r, (int32_t)channel, at);
}
