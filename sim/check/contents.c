/* contents.c: whose contributions are inside every cell, at any step.
 *
 *     cells[rank][chunk] --> node      leaf r: rank r's own contribution; the first N nodes
 *                                      fold:   what arrived (left), what was there (right)
 *
 *            fold            A node never changes, and cells share nodes: a copy costs nothing, an
 *           /    \           addition one node. Read from left to right the leaves are the fold order:
 *        fold     2          here ((0 + 1) + 2).
 *        /  \
 *       0    1
 *
 *   - A seek forward replays only the steps in between; a seek back starts at step 0.
 *   - Reading fills caches inside: only one thread at a time may use an rs_contents.
 */
#include "ringsim.h"
#include "base/containers.h"

#include <assert.h>
#include <string.h>

#define EMPTY UINT32_MAX /* a cell that holds nothing */
enum { MAX_CELLS = 1 << 26, MAX_NODES = 1 << 26, MAX_STEP_WRITES = 1 << 27 };

typedef enum answer { UNKNOWN, YES, NO } answer;

typedef struct node {
    uint32_t left, right; /* folds */
    uint32_t n_pending;   /* the most right sides that rs_contents_list has to keep for later */
    uint8_t complete;     /* answer; a cache */
    int64_t count;        /* of leaves; INT64_MAX: at least so many */
} node;

struct rs_contents {
    const rs_schedule *schedule;
    rs_arena *arena;
    uint32_t *cells; /* [n_ranks x n_chunks] */
    node *nodes;
    uint32_t n_nodes, room;
    int32_t step;       /* the cells are those before this step */
    int32_t *entered;   /* [n_ranks] as given at the last seek */
    uint32_t *incoming; /* what the messages of one step carry */
    int64_t incoming_room;
    uint32_t *pending; /* [pending_room] right sides kept for later */
    uint32_t pending_room;
    int32_t *listed; /* [n_ranks] */
    uint8_t *seen;   /* [n_ranks] zero between calls */
};

static void start_again(rs_contents *c) {
    const size_t n_chunks = (size_t)c->schedule->n_chunks;
    const bool each = rs_collective_reduces(c->schedule->collective); /* each rank its own */
    for (int32_t r = 0; r < c->schedule->n_ranks; r++) {
        for (size_t k = 0; k < n_chunks; k++) {
            const bool holds = each || rs_ends_of(c->schedule, (int32_t)k).from == r;
            c->cells[(size_t)r * n_chunks + k] = holds ? (uint32_t)r : EMPTY;
        }
    }
    c->n_nodes = (uint32_t)c->schedule->n_ranks;
    c->step = 0;
}

rs_status rs_contents_new(const rs_schedule *schedule, rs_arena *arena, rs_error *error,
                          rs_contents **contents) {
    const int64_t n_ranks = schedule->n_ranks, n_cells = n_ranks * schedule->n_chunks;
    if (n_cells > MAX_CELLS) {
        return rs_fail(error, RS_TOO_LARGE,
                       "%d ranks x %d chunks: what each cell holds can be followed for at most %d "
                       "cells; try fewer ranks",
                       (int)n_ranks, (int)schedule->n_chunks, MAX_CELLS);
    }
    rs_contents *c = rs_alloc(arena, 1, sizeof *c);
    if (c == NULL) return rs_no_memory(error);
    *c = (rs_contents){.schedule = schedule, .arena = arena};
    c->room = (uint32_t)(2 * n_ranks);
    c->cells = rs_alloc(arena, (size_t)n_cells, sizeof *c->cells);
    c->nodes = rs_alloc(arena, c->room, sizeof *c->nodes);
    c->entered = rs_alloc(arena, (size_t)n_ranks, sizeof *c->entered);
    c->listed = rs_alloc(arena, (size_t)n_ranks, sizeof *c->listed);
    c->seen = rs_alloc(arena, (size_t)n_ranks, 1);
    const bool whole = c->cells && c->nodes && c->entered && c->listed && c->seen;
    if (!whole) return rs_no_memory(error);
    for (int32_t r = 0; r < n_ranks; r++) {
        c->nodes[r].count = 1;
        c->entered[r] = INT32_MAX;
    }
    start_again(c);
    *contents = c;
    return RS_OK;
}

/* Makes room for one more node, and for the right sides that listing it keeps for later. */
static bool grow(rs_contents *c, uint32_t n_pending) {
    return (c->n_nodes < c->room || c->room < MAX_NODES) &&
           rs_reserve(c->arena, &c->nodes, c->n_nodes + 1, &c->room) &&
           rs_reserve(c->arena, &c->pending, n_pending, &c->pending_room);
}

static bool fold(rs_contents *c, uint32_t left, uint32_t *cell) {
    if (left == EMPTY || *cell == EMPTY) { /* unsound, and nobody is added */
        *cell = left == EMPTY ? *cell : left;
        return true;
    }
    const node *l = &c->nodes[left], *r = &c->nodes[*cell];
    const uint32_t n_pending = l->n_pending + 1 > r->n_pending ? l->n_pending + 1 : r->n_pending;
    const int64_t count = l->count > INT64_MAX - r->count ? INT64_MAX : l->count + r->count;
    if (!grow(c, n_pending)) return false;
    c->nodes[c->n_nodes] =
        (node){.left = left, .right = *cell, .n_pending = n_pending, .count = count};
    *cell = c->n_nodes++;
    return true;
}

static bool happens(const rs_contents *c, const rs_transfer *t) {
    return c->step < c->entered[t->src] && c->step < c->entered[t->dst];
}

static uint32_t *cells_of(const rs_contents *c, int32_t rank, int32_t chunk) {
    return &c->cells[(int64_t)rank * c->schedule->n_chunks + chunk];
}

/* Copies what the messages of this step carry: a step reads before it writes. */
static rs_status read_step(rs_contents *c, rs_error *error) {
    int64_t n = 0;
    rs_transfer t;
    for (rs_cursor cursor = {0}; rs_next_transfer(c->schedule, c->step, &cursor, &t);) {
        if (happens(c, &t)) n += t.n_chunks;
    }
    if (n > MAX_STEP_WRITES) {
        return rs_fail(error, RS_TOO_LARGE, "step %d moves %lld chunks: at most %d can be followed",
                       (int)c->step, (long long)n, MAX_STEP_WRITES);
    }
    if (!rs_reserve(c->arena, &c->incoming, n, &c->incoming_room)) return rs_no_memory(error);
    n = 0;
    for (rs_cursor cursor = {0}; rs_next_transfer(c->schedule, c->step, &cursor, &t);) {
        if (!happens(c, &t)) continue;
        memcpy(&c->incoming[n], cells_of(c, t.src, t.chunk), (size_t)t.n_chunks * sizeof *c->cells);
        n += t.n_chunks;
    }
    return RS_OK;
}

/* Adds behind the lower ranks' that came in this step, whose nodes begin at `first`, and before the own; or behind all. */
static bool fold_by_rank(rs_contents *c, bool lower, uint32_t first, uint32_t came,
                         uint32_t *cell) {
    uint32_t before = *cell;
    const bool more = lower && before != EMPTY && before >= first;
    if (lower && !more) return fold(c, came, cell);
    uint32_t behind = came;
    if (!more) return fold(c, before, &behind) && (*cell = behind, true);
    const node sum = c->nodes[before]; /* (those of lower ranks, own) */
    if (!fold(c, sum.left, &behind)) return false;
    *cell = sum.right;
    return fold(c, behind, cell);
}

static rs_status write_step(rs_contents *c, rs_error *error) {
    const uint32_t first = c->n_nodes;
    int64_t n = 0;
    rs_transfer t;
    for (rs_cursor cursor = {0}; rs_next_transfer(c->schedule, c->step, &cursor, &t);) {
        if (!happens(c, &t)) continue;
        uint32_t *cells = cells_of(c, t.dst, t.chunk);
        for (int32_t k = 0; k < t.n_chunks; k++) {
            const uint32_t came = c->incoming[n++];
            if (t.effect == RS_COPY) {
                cells[k] = came;
            } else if (!(c->schedule->by_rank
                             ? fold_by_rank(c, t.src < t.dst, first, came, &cells[k])
                             : fold(c, came, &cells[k]))) {
                return rs_no_memory(error);
            }
        }
    }
    return RS_OK;
}

/* Copies how many steps each rank has entered; tells whether that differs from before. */
static bool take_entered(rs_contents *c, const int32_t entered[]) {
    bool news = false;
    for (int32_t r = 0; r < c->schedule->n_ranks; r++) {
        const int32_t steps = entered == NULL ? INT32_MAX : entered[r];
        news = news || steps != c->entered[r];
        c->entered[r] = steps;
    }
    return news;
}

rs_status rs_contents_seek(rs_contents *c, int32_t step, const int32_t entered[], rs_error *error) {
    assert(step >= 0 && step <= c->schedule->n_steps);
    if (take_entered(c, entered) || step < c->step) start_again(c);
    for (; c->step < step; c->step++) {
        rs_status status = read_step(c, error);
        if (status == RS_OK) status = write_step(c, error);
        if (status == RS_OK) continue;
        start_again(c); /* a half-written step is no state of the run */
        return status;
    }
    return RS_OK;
}

int64_t rs_contents_count(const rs_contents *c, int32_t rank, int32_t chunk) {
    const uint32_t root = *cells_of(c, rank, chunk);
    return root == EMPTY ? 0 : c->nodes[root].count;
}

int64_t rs_contents_list(const rs_contents *c, int32_t rank, int32_t chunk, int32_t out[],
                         int64_t max) {
    const uint32_t n_ranks = (uint32_t)c->schedule->n_ranks;
    const uint32_t root = *cells_of(c, rank, chunk);
    uint32_t n_pending = 0, at = root;
    if (root == EMPTY) return 0;
    for (int64_t n = 0; n < max;) {
        while (at >= n_ranks) {
            assert(n_pending < c->pending_room);
            c->pending[n_pending++] = c->nodes[at].right;
            at = c->nodes[at].left;
        }
        out[n++] = (int32_t)at;
        if (n_pending == 0) break;
        at = c->pending[--n_pending];
    }
    return c->nodes[root].count;
}

bool rs_contents_complete(const rs_contents *c, int32_t rank, int32_t chunk) {
    const int32_t n_ranks = c->schedule->n_ranks, from = rs_ends_of(c->schedule, chunk).from;
    const uint32_t root = *cells_of(c, rank, chunk);
    if (from != RS_EVERY_RANK) return root == (uint32_t)from;
    node *cell = &c->nodes[root];
    if (cell->count != n_ranks) return false;
    if (cell->complete != UNKNOWN) return cell->complete == YES;
    rs_contents_list(c, rank, chunk, c->listed, n_ranks);
    bool once = true;
    for (int32_t i = 0; i < n_ranks; i++) {
        once = once && c->seen[c->listed[i]] == 0;
        c->seen[c->listed[i]] = 1;
    }
    memset(c->seen, 0, (size_t)n_ranks);
    cell->complete = once ? YES : NO;
    return once;
}
