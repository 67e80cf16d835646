/* nccl_log_join.c: rings and trees, joined from each rank's neighbours.
 *
 *   - A ring is closed from its ranks' lines; rank 0's list alone does only where it was not cut.
 *   - A channel at a time: what is taken follows the lines that there are, not the ranks that one of them claims.
 */
#include "nccl_log.h"

#include <string.h>

enum { SMALL = 4096 /* ranks of which a tree is kept however few of its lines there are */ };

static bool belongs(const rn_log_place *place, int32_t comm, int32_t n_ranks) {
    return (place->comm == comm || place->comm == -1) && (int32_t)place->rank < n_ranks &&
           (int32_t)place->prev_1 <= n_ranks && (int32_t)place->next_1 <= n_ranks;
}

/* ------------------------------------------------------------------ rings */

/* A channel's ring while it is joined. */
typedef struct ring_joint {
    int32_t *next, *order; /* [n_ranks] */
    int32_t n_ranks, n;
    int64_t line; /* 0: none spoke of the channel */
    bool whole;
} ring_joint;

/* Follows the neighbours from rank 0, or the first that has one, until it comes back or knows no further. */
static void follow(ring_joint *j) {
    int32_t from = 0;
    j->n = 0;
    while (from < j->n_ranks && j->next[from] < 0) from++;
    int32_t at = from < j->n_ranks ? from : -1;
    while (j->n < j->n_ranks && at >= 0) {
        j->order[j->n++] = at;
        at = j->next[at];
        if (at == from) break;
    }
    j->whole = at == from && j->n == j->n_ranks;
}

static void join_channel(const rn_log_places *places, int32_t comm, int32_t channel,
                         ring_joint *j) {
    memset(j->next, 0xff, (size_t)j->n_ranks * sizeof *j->next);
    j->line = 0;
    for (int32_t i = 0; i < places->n; i++) {
        const rn_log_place *p = rn_log_place_at(places, i);
        if (p->channel != channel || !belongs(p, comm, j->n_ranks)) continue;
        const int32_t rank = (int32_t)p->rank, prev = (int32_t)p->prev_1 - 1;
        j->next[rank] = (int32_t)p->next_1 - 1;
        if (j->next[prev] < 0) j->next[prev] = rank; /* a neighbour speaks for a silent one */
        if (j->line == 0) j->line = p->line;
    }
    follow(j);
}

/* Keeps a channel's ring, in place of one that is not closed; false: no memory. */
static bool keep_ring(rn_nccl_log_reader *r, rn_nccl_ring rings[RN_LOG_MOST_CHANNELS],
                      const rn_nccl_ring *ring) {
    int32_t *kept = rs_alloc(r->arena, (size_t)ring->n + 1, sizeof *kept);
    if (kept == NULL) return false;
    memcpy(kept, ring->ranks, (size_t)ring->n * sizeof *kept);
    rings[ring->channel] = *ring;
    rings[ring->channel].ranks = kept;
    return true;
}

/* Rank 0's lists, of channels that the neighbours do not close: perhaps the list has it whole. */
static void take_orders(rn_nccl_log_reader *r, int32_t comm,
                        rn_nccl_ring rings[RN_LOG_MOST_CHANNELS]) {
    const int32_t n_ranks = r->log.n_ranks;
    bool listed[RN_LOG_MOST_CHANNELS] = {false};
    bool *seen = rs_alloc(r->arena, (size_t)n_ranks + 1, 1);
    for (int32_t i = 0; seen != NULL && i < r->n_orders; i++) {
        const rn_log_order *o = &r->orders[i];
        if ((o->comm != comm && o->comm != -1) || rings[o->channel].whole || listed[o->channel])
            continue;
        if (o->n > n_ranks) continue; /* of a larger one that said nothing of itself */
        int32_t *ranks = r->order_ranks + o->first;
        int32_t n = 0;
        while (n < o->n && ranks[n] < n_ranks && !seen[ranks[n]]) seen[ranks[n++]] = true;
        for (int32_t k = 0; k < n; k++) seen[ranks[k]] = false;
        if (n == 0) continue; /* begins with a rank that is not there */
        const bool whole = n == o->n && n == n_ranks;
        if (!keep_ring(r, rings, &(rn_nccl_ring){o->channel, ranks, n, whole, o->line})) return;
        listed[o->channel] = true;
    }
}

void rn_log_join_rings(rn_nccl_log_reader *r, int32_t comm) {
    rn_nccl_log *log = &r->log;
    rn_nccl_ring rings[RN_LOG_MOST_CHANNELS] = {{0}}; /* without ranks: there is none */
    bool said[RN_LOG_MOST_CHANNELS] = {false};
    const size_t n_ranks = (size_t)log->n_ranks;
    int32_t n_cut = 0;
    ring_joint j = {.next = rs_alloc(r->arena, n_ranks, sizeof *j.next),
                    .order = rs_alloc(r->arena, n_ranks, sizeof *j.order),
                    .n_ranks = log->n_ranks};
    log->rings = rs_alloc(r->arena, RN_LOG_MOST_CHANNELS, sizeof *log->rings);
    if (r->arena->lacked) return;
    for (int32_t i = 0; i < r->ring_places.n; i++)
        said[rn_log_place_at(&r->ring_places, i)->channel] = true;
    for (int32_t channel = 0; channel < RN_LOG_MOST_CHANNELS; channel++) {
        if (!said[channel]) continue;
        join_channel(&r->ring_places, comm, channel, &j);
        if (j.line == 0) continue;
        if (!keep_ring(r, rings, &(rn_nccl_ring){channel, j.order, j.n, j.whole, j.line})) return;
    }
    take_orders(r, comm, rings);
    for (int32_t channel = 0; channel < RN_LOG_MOST_CHANNELS; channel++) {
        if (rings[channel].ranks == NULL) continue;
        log->rings[log->n_rings++] = rings[channel];
        n_cut += !rings[channel].whole;
    }
    if (n_cut > 0) {
        rn_find(r->findings, RN_NOTE, log->rings[0].line,
                "rings that the lines do not close: %d of %d", (int)n_cut, (int)log->n_rings);
    }
}

/* ------------------------------------------------------------------ trees */

/* Does every rank come to the root? Where a walk meets what an earlier one has passed, it need go no further. */
static bool is_whole(const rn_nccl_tree *tree, int32_t n_ranks, int32_t passed[]) {
    if (tree->root < 0) return false;
    memset(passed, 0, (size_t)n_ranks * sizeof *passed);
    for (int32_t rank = 0; rank < n_ranks; rank++) {
        int32_t at = rank;
        while (passed[at] == 0 && tree->up[at] >= 0) {
            passed[at] = rank + 1;
            at = tree->up[at];
        }
        if (passed[at] == rank + 1) return false; /* round and round */
        if (tree->up[at] < 0 && at != tree->root) return false;
    }
    return true;
}

typedef struct tree_joint {
    rn_nccl_tree *of[2][RN_LOG_MOST_CHANNELS];
    int32_t n[2][RN_LOG_MOST_CHANNELS]; /* its places */
} tree_joint;

static void count_places(const rn_nccl_log_reader *r, int32_t comm, tree_joint *j) {
    for (int32_t i = 0; i < r->tree_places.n; i++) {
        const rn_log_place *p = rn_log_place_at(&r->tree_places, i);
        if (belongs(p, comm, r->log.n_ranks)) j->n[p->tree][p->channel] += !p->more;
    }
}

/* Begins a tree; one with few of its ranks' lines, of many, has no table. */
static rn_nccl_tree *begin_tree(rn_nccl_log_reader *r, const rn_log_place *p, int32_t n_places) {
    rn_nccl_log *log = &r->log;
    const bool dense = log->n_ranks <= SMALL || n_places >= log->n_ranks / 4;
    int32_t *up = dense ? rs_alloc(r->arena, (size_t)log->n_ranks, sizeof *up) : NULL;
    int32_t *below = dense ? rs_alloc(r->arena, (size_t)log->n_ranks * 3, sizeof *below) : NULL;
    if (r->arena->lacked) return NULL;
    for (int32_t k = 0; dense && k < 3 * log->n_ranks; k++) below[k] = -1;
    for (int32_t k = 0; dense && k < log->n_ranks; k++) up[k] = -2;
    rn_nccl_tree *tree = &log->trees[log->n_trees++];
    *tree = (rn_nccl_tree){
        .channel = p->channel, .root = -1, .up = up, .below = below, .line = p->line};
    return tree;
}

/* Children in the order of the line; a line that is said again begins again. */
static void take_child(rn_nccl_tree *tree, const rn_log_place *p) {
    int32_t *below = tree->below + (int64_t)p->rank * 3;
    if (!p->more) below[0] = below[1] = below[2] = -1;
    for (int i = 0; i < 3; i++) {
        if (below[i] >= 0) continue;
        below[i] = (int32_t)p->next_1 - 1;
        return;
    }
}

void rn_log_join_trees(rn_nccl_log_reader *r, int32_t comm) {
    rn_nccl_log *log = &r->log;
    tree_joint *j = rs_alloc(r->arena, 1, sizeof *j);
    int32_t *passed = rs_alloc(r->arena, (size_t)log->n_ranks, sizeof *passed), n_trees = 0;
    if (j == NULL) return;
    count_places(r, comm, j);
    for (int i = 0; i < 2 * RN_LOG_MOST_CHANNELS; i++) n_trees += (&j->n[0][0])[i] > 0;
    log->trees = rs_alloc(r->arena, (size_t)n_trees + 1, sizeof *log->trees);
    if (r->arena->lacked) return;
    for (int32_t i = 0; i < r->tree_places.n; i++) {
        const rn_log_place *p = rn_log_place_at(&r->tree_places, i);
        if (!belongs(p, comm, log->n_ranks)) continue;
        rn_nccl_tree **tree = &j->of[p->tree][p->channel];
        if (*tree == NULL) *tree = begin_tree(r, p, j->n[p->tree][p->channel]);
        if (*tree == NULL) return;
        if ((*tree)->up != NULL) {
            (*tree)->up[p->rank] = (int32_t)p->prev_1 - 1;
            take_child(*tree, p);
        }
        if (p->prev_1 == 0) (*tree)->root = (int32_t)p->rank;
    }
    for (int32_t i = 0; i < log->n_trees; i++) {
        rn_nccl_tree *tree = &log->trees[i];
        tree->whole = tree->up != NULL && is_whole(tree, log->n_ranks, passed);
    }
}
