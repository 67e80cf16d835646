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
    for (const rn_log_block *b = places->first; b != NULL; b = b->next) {
        for (int32_t i = 0; i < b->n; i++) {
            const rn_log_place *p = &b->list[i];
            if (p->channel != channel || !belongs(p, comm, j->n_ranks)) continue;
            const int32_t rank = (int32_t)p->rank, prev = (int32_t)p->prev_1 - 1;
            j->next[rank] = (int32_t)p->next_1 - 1;
            if (j->next[prev] < 0) j->next[prev] = rank; /* a neighbour speaks for a silent one */
            if (j->line == 0) j->line = p->line;
        }
    }
    follow(j);
}

static rn_nccl_ring *add_ring(rn_nccl_log_reader *r, rn_growing *rings, int32_t channel,
                              int64_t line, const int32_t ranks[], int32_t n) {
    rn_nccl_ring *ring = rn_grow(r, rings, sizeof *ring);
    int32_t *kept = rs_alloc(r->arena, (size_t)n + 1, sizeof *kept);
    if (ring == NULL || kept == NULL) {
        r->failed = true;
        return NULL;
    }
    memcpy(kept, ranks, (size_t)n * sizeof *kept);
    *ring = (rn_nccl_ring){.channel = channel, .ranks = kept, .n = n, .line = line};
    return ring;
}

/* Rank 0's lists, of channels that the neighbours do not close. */
static void take_orders(rn_nccl_log_reader *r, int32_t comm, int32_t n_ranks, bool known[],
                        rn_growing *rings) {
    const rn_log_order *orders = r->orders.list;
    const int32_t *all = r->order_ranks.list;
    bool *seen = rs_alloc(r->arena, (size_t)n_ranks + 1, 1);
    r->failed = r->failed || seen == NULL;
    for (int32_t i = 0; seen != NULL && i < r->orders.n; i++) {
        const rn_log_order *o = &orders[i];
        if ((o->comm != comm && o->comm != -1) || known[o->channel]) continue;
        if (o->n > n_ranks) continue; /* of a larger one that said nothing of itself */
        const int32_t *ranks = all + o->first;
        int32_t n = 0;
        while (n < o->n && ranks[n] < n_ranks && !seen[ranks[n]]) seen[ranks[n++]] = true;
        for (int32_t k = 0; k < n; k++) seen[ranks[k]] = false;
        if (n == 0) continue; /* begins with a rank that is not there */
        rn_nccl_ring *ring = add_ring(r, rings, o->channel, o->line, ranks, n);
        if (ring == NULL) return;
        known[o->channel] = true;
        ring->whole = n == o->n && n == n_ranks;
    }
}

static void sort_by_channel(rn_nccl_ring rings[], int32_t n) {
    for (int32_t i = 1; i < n; i++) { /* nearly sorted */
        for (int32_t k = i; k > 0 && rings[k - 1].channel > rings[k].channel; k--) {
            const rn_nccl_ring swap = rings[k];
            rings[k] = rings[k - 1];
            rings[k - 1] = swap;
        }
    }
}

void rn_log_join_rings(rn_nccl_log_reader *r, int32_t comm) {
    rn_nccl_log *log = &r->log;
    bool known[RN_LOG_MOST_CHANNELS] = {false}, said[RN_LOG_MOST_CHANNELS] = {false};
    rn_growing rings = {0}, cut = {0};
    const size_t n_ranks = (size_t)log->n_ranks;
    ring_joint j = {.next = rs_alloc(r->arena, n_ranks, sizeof *j.next),
                    .order = rs_alloc(r->arena, n_ranks, sizeof *j.order),
                    .n_ranks = log->n_ranks};
    if (j.next == NULL || j.order == NULL) {
        r->failed = true;
        return;
    }
    for (const rn_log_block *b = r->ring_places.first; b != NULL; b = b->next) {
        for (int32_t i = 0; i < b->n; i++) said[b->list[i].channel] = true;
    }
    for (int32_t channel = 0; channel < RN_LOG_MOST_CHANNELS; channel++) {
        if (!said[channel]) continue;
        join_channel(&r->ring_places, comm, channel, &j);
        if (j.line == 0) continue;
        rn_nccl_ring *ring = add_ring(r, j.whole ? &rings : &cut, channel, j.line, j.order, j.n);
        if (ring == NULL) return;
        ring->whole = known[channel] = j.whole;
    }
    take_orders(r, comm, log->n_ranks, known, &rings); /* perhaps the list has it whole */
    const rn_nccl_ring *cut_rings = cut.list;
    for (int32_t i = 0; i < cut.n; i++) {
        rn_nccl_ring *ring = known[cut_rings[i].channel] ? NULL : rn_grow(r, &rings, sizeof *ring);
        if (ring != NULL) *ring = cut_rings[i];
    }
    int32_t n_cut = 0;
    log->rings = rings.list;
    log->n_rings = rings.n;
    sort_by_channel(log->rings, log->n_rings);
    for (int32_t i = 0; i < log->n_rings; i++) n_cut += !log->rings[i].whole;
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
    for (const rn_log_block *b = r->tree_places.first; b != NULL; b = b->next) {
        for (int32_t i = 0; i < b->n; i++) {
            const rn_log_place *p = &b->list[i];
            if (belongs(p, comm, r->log.n_ranks)) j->n[p->tree][p->channel]++;
        }
    }
}

/* Begins a tree; one with few of its ranks' lines, of many, has no table. */
static rn_nccl_tree *begin_tree(rn_nccl_log_reader *r, const rn_log_place *p, int32_t n_places) {
    rn_nccl_log *log = &r->log;
    const bool dense = log->n_ranks <= SMALL || n_places >= log->n_ranks / 4;
    int32_t *up = dense ? rs_alloc(r->arena, (size_t)log->n_ranks, sizeof *up) : NULL;
    if (dense && up == NULL) {
        r->failed = true;
        return NULL;
    }
    for (int32_t k = 0; dense && k < log->n_ranks; k++) up[k] = -2;
    rn_nccl_tree *tree = &log->trees[log->n_trees++];
    *tree = (rn_nccl_tree){.channel = p->channel, .root = -1, .up = up, .line = p->line};
    return tree;
}

void rn_log_join_trees(rn_nccl_log_reader *r, int32_t comm) {
    rn_nccl_log *log = &r->log;
    tree_joint *j = rs_alloc(r->arena, 1, sizeof *j);
    int32_t *passed = rs_alloc(r->arena, (size_t)log->n_ranks, sizeof *passed), n_trees = 0;
    if (j != NULL) count_places(r, comm, j);
    for (int i = 0; j != NULL && i < 2 * RN_LOG_MOST_CHANNELS; i++) n_trees += (&j->n[0][0])[i] > 0;
    log->trees = rs_alloc(r->arena, (size_t)n_trees + 1, sizeof *log->trees);
    r->failed = r->failed || j == NULL || passed == NULL || log->trees == NULL;
    if (r->failed) return;
    for (const rn_log_block *b = r->tree_places.first; b != NULL; b = b->next) {
        for (int32_t i = 0; i < b->n; i++) {
            const rn_log_place *p = &b->list[i];
            if (!belongs(p, comm, log->n_ranks)) continue;
            rn_nccl_tree **tree = &j->of[p->tree][p->channel];
            if (*tree == NULL) *tree = begin_tree(r, p, j->n[p->tree][p->channel]);
            if (*tree == NULL) return;
            if ((*tree)->up != NULL) (*tree)->up[p->rank] = (int32_t)p->prev_1 - 1;
            if (p->prev_1 == 0) (*tree)->root = (int32_t)p->rank;
        }
    }
    for (int32_t i = 0; i < log->n_trees; i++) {
        rn_nccl_tree *tree = &log->trees[i];
        tree->whole = tree->up != NULL && is_whole(tree, log->n_ranks, passed);
    }
}
