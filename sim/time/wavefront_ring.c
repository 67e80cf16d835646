/* wavefront_ring.c: the ring's end times, in tiles.
 *
 *     columns (chunks) ->    |  tile 0  |  tile 1  |  tile 2  |
 *     row of step s + T      |__________|__________|__________|        a slab: T rows at a time
 *                            |          \
 *                            |           \  the tile's own columns and two more for each step
 *     row of step s          |____________\                           that is still to come
 *
 *   - A tile copies what it needs from the row of the slab before, goes through its T steps alone,
 *     and writes its own columns to the next row: tiles of a slab may run in parallel. The price: a
 *     tile computes T more columns on average, which its neighbour computes, too.
 *   - wavefront.h explains columns and costs, wavefront_vectors.c runs a tile.
 *   - A tile whose columns all hold a larger chunk, or all a smaller one, uses that kind's costs.
 *     Only tiles with the last columns before a change of kind (2 T of them) are mixed: two narrow
 *     tiles, for any number of ranks.
 *   - Memory is O(N): two rows, the costs of the links, one row for each tile.
 */
#include "time/wavefront.h"

#include <string.h>

enum {
    MOST_COLUMNS = 8192,    /* of a tile: row and costs stay in the second cache */
    LEAST_COLUMNS = 2048,   /* of a tile, even if narrower ones would keep more workers busy */
    STEPS_SHARE = 64,       /* a tile has this many times more columns than steps */
    WORTH_SHARING = 1 << 18 /* for a slab of fewer transfers threads cost more than they save */
};
static const int64_t between_progress = (int64_t)1 << 24; /* transfers, some 6 ms */

/* What a chunk of one size costs, by rank, with room on both sides. */
typedef struct kind {
    int64_t *cost, *extra;
} kind;

typedef struct column_tile {
    int32_t first_column, n_columns;
    bool has_larger;
    int64_t *row;
    int64_t *larger; /* mixed tiles only */
} column_tile;

typedef struct ring {
    const rs_costs *costs;
    const rs_tile_runner *runner;
    int32_t n;                    /* ranks, and columns */
    int32_t n_larger;             /* columns 0 .. n_larger - 1 hold the larger chunks */
    int32_t shift;                /* column q starts at rank q + shift */
    int32_t n_columns, n_at_once; /* the most columns and steps of a tile */
    int64_t *now, *next; /* [n] when each rank enters the slab's first step, and the next slab's */
    kind smaller, larger, more; /* more: larger - smaller */
    bool has_extra;
    column_tile *tiles;
    int32_t n_tiles;
    int32_t step, n_steps; /* of the slab that runs */
} ring;

bool rs_ring_applies(const rs_costs *costs) {
    const rs_schedule *schedule = costs->job->schedule;
    return schedule->algorithm != NULL &&
           schedule->algorithm == rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring") &&
           costs->job->net.protocol == RS_RENDEZVOUS && !costs->has_kills && costs->n_outages == 0;
}

static int32_t least(int32_t a, int32_t b) {
    return a < b ? a : b;
}

/* ---------------------------------------------------------------------------------- the costs */

/* Returns how far the costs reach beyond rank n - 1: a tile's columns, three places for each step,
   the margin. */
static int32_t reach(const ring *g) {
    return g->n_columns + 3 * g->n_at_once + RS_RING_MARGIN;
}

static int64_t *new_words(rs_arena *arena, int32_t before, int64_t n) {
    int64_t *words = rs_alloc(arena, (size_t)(before + n), sizeof *words);
    return words == NULL ? NULL : words + before;
}

static bool new_kind(const ring *g, rs_arena *arena, kind *out) {
    out->cost = new_words(arena, RS_RING_MARGIN, (int64_t)g->n + reach(g));
    out->extra = new_words(arena, RS_RING_MARGIN, (int64_t)g->n + reach(g));
    return out->cost != NULL && out->extra != NULL;
}

/* Repeats [0, n) on both sides, so that no tile needs to wrap. */
static void repeat(const ring *g, int64_t words[]) {
    for (int32_t i = -1; i >= -RS_RING_MARGIN; i--) words[i] = words[i + g->n];
    for (int32_t i = 0; i < reach(g); i++) words[g->n + i] = words[i];
}

static void fill_cost(const ring *g, int64_t n_bytes, const kind *out) {
    for (int32_t r = 0; r < g->n; r++) {
        int64_t alpha_ps, busy_ps;
        rs_costs_link(g->costs, r, (r + 1) % g->n, n_bytes, &alpha_ps, &busy_ps);
        out->cost[r] = alpha_ps + busy_ps + g->costs->straggler_ps[r];
    }
    repeat(g, out->cost);
}

/* Returns whether any extra differs from 0. */
static bool fill_extra(const ring *g, int64_t n_bytes, bool reduce, const kind *out) {
    bool any = false;
    for (int32_t r = 0; r < g->n; r++) {
        const int32_t to = (r + 1) % g->n;
        out->extra[r] = g->costs->straggler_ps[to] - g->costs->straggler_ps[r];
        if (reduce) out->extra[r] += rs_costs_addition(g->costs, to, n_bytes);
        any = any || out->extra[r] != 0;
    }
    repeat(g, out->extra);
    return any;
}

static void subtract(const ring *g, const int64_t a[], const int64_t b[], int64_t out[]) {
    for (int32_t i = -RS_RING_MARGIN; i < g->n + reach(g); i++) out[i] = a[i] - b[i];
}

/* Sets what differs between the two phases: `extra` alone. */
static void fill_phase(ring *g, bool reduce) {
    const rs_job *job = g->costs->job;
    const int64_t n_bytes = job->count / g->n * job->elem_bytes;
    g->has_extra = fill_extra(g, n_bytes, reduce, &g->smaller);
    if (g->n_larger == 0) return;
    g->has_extra |= fill_extra(g, n_bytes + job->elem_bytes, reduce, &g->larger);
    subtract(g, g->larger.extra, g->smaller.extra, g->more.extra);
}

static bool make_costs(ring *g, rs_arena *arena) {
    const rs_job *job = g->costs->job;
    const int64_t n_bytes = job->count / g->n * job->elem_bytes;
    if (!new_kind(g, arena, &g->smaller)) return false;
    fill_cost(g, n_bytes, &g->smaller);
    if (g->n_larger == 0) return true;
    if (!new_kind(g, arena, &g->larger) || !new_kind(g, arena, &g->more)) return false;
    fill_cost(g, n_bytes + job->elem_bytes, &g->larger);
    subtract(g, g->larger.cost, g->smaller.cost, g->more.cost);
    return true;
}

/* ---------------------------------------------------------------------------------- the tiles */

static bool new_tile(ring *g, rs_arena *arena, int32_t first, int32_t n_columns, bool mixed) {
    const int32_t length = n_columns + 2 * g->n_at_once + RS_RING_MARGIN;
    column_tile *made = &g->tiles[g->n_tiles++];
    *made = (column_tile){first, n_columns, first < g->n_larger, NULL, NULL};
    made->row = new_words(arena, 0, length);
    if (made->row == NULL || !mixed) return made->row != NULL;
    made->larger = new_words(arena, RS_RING_MARGIN, length);
    if (made->larger == NULL) return false;
    for (int32_t i = 0; i < length; i++) {
        made->larger[i] = (first + i) % g->n < g->n_larger ? -1 : 0;
    }
    return true;
}

/* Cuts the columns first .. end - 1, all of one kind, into tiles of nearly the same size. */
static bool cut(ring *g, rs_arena *arena, int32_t first, int32_t end) {
    const int32_t look_ahead = g->n_larger == 0 ? 0 : 2 * g->n_at_once;
    const int32_t pure_end = end - least(end - first, look_ahead);
    while (first < pure_end) {
        const int32_t n_cuts = (pure_end - first + g->n_columns - 1) / g->n_columns;
        const int32_t width = (pure_end - first + n_cuts - 1) / n_cuts;
        if (!new_tile(g, arena, first, width, false)) return false;
        first += width;
    }
    return first == end || new_tile(g, arena, first, end - first, true);
}

static bool make_tiles(ring *g, rs_arena *arena) {
    const int32_t most = g->n / g->n_columns + 8;
    g->tiles = rs_alloc(arena, (size_t)most, sizeof *g->tiles);
    return g->tiles != NULL && cut(g, arena, 0, g->n_larger) && cut(g, arena, g->n_larger, g->n);
}

/* unroll copies n words of a ring of words, from place `at` on, into a straight array; roll_up
   copies them back. */
static void unroll(int64_t to[], const int64_t from[], int32_t at, int32_t n, int32_t n_ring) {
    while (n > 0) {
        const int32_t part = least(n, n_ring - at);
        memcpy(to, from + at, (size_t)part * sizeof *to);
        to += part, n -= part, at = 0;
    }
}

static void roll_up(int64_t to[], const int64_t from[], int32_t at, int32_t n, int32_t n_ring) {
    const int32_t part = least(n, n_ring - at);
    memcpy(to + at, from, (size_t)part * sizeof *to);
    memcpy(to, from + part, (size_t)(n - part) * sizeof *to);
}

static void run_tile(void *argument, int index) {
    const ring *g = argument;
    const column_tile *own = &g->tiles[index];
    const int32_t n_read = own->n_columns + 2 * g->n_steps;
    const int32_t rank = (int32_t)(((int64_t)own->first_column + g->step + g->shift) % g->n);
    const kind *costs = own->larger == NULL && own->has_larger ? &g->larger : &g->smaller;
    unroll(own->row, g->now, rank, n_read, g->n);
    memset(own->row + n_read, 0, RS_RING_MARGIN * sizeof *own->row); /* so that nothing overflows */
    rs_ring_tile work = {
        .row = own->row,
        .costs = {.cost = costs->cost + rank, .extra = costs->extra + rank},
        .has_extra = g->has_extra || own->larger != NULL,
        .larger = own->larger,
        .n_columns = own->n_columns,
        .n_steps = g->n_steps,
    };
    if (own->larger != NULL) {
        work.costs.cost_more = g->more.cost + rank;
        work.costs.extra_more = g->more.extra + rank;
    }
    g->runner->run(&work);
    roll_up(g->next, own->row, (rank + g->n_steps) % g->n, own->n_columns, g->n);
}

/* ---------------------------------------------------------------------------------- the run */

static void run_slab(ring *g, const rs_host *host, int32_t n_steps) {
    g->n_steps = n_steps;
    const bool share = host != NULL && host->parallel_for != NULL && host->n_workers > 1;
    if (share && (int64_t)g->n * n_steps >= WORTH_SHARING) {
        host->parallel_for(host->context, g->n_tiles, run_tile, g);
    } else {
        for (int index = 0; index < g->n_tiles; index++) run_tile(g, index);
    }
    int64_t *const old = g->now;
    g->now = g->next;
    g->next = old;
    g->step += n_steps;
}

static rs_status run_phase(ring *g, const rs_host *host, int32_t end, rs_error *error) {
    int64_t unreported = 0;
    while (g->step < end) {
        const int32_t n_steps = least(g->n_at_once, end - g->step);
        run_slab(g, host, n_steps);
        unreported += (int64_t)n_steps * g->n;
        if (unreported < between_progress && g->step < end) continue;
        unreported = 0;
        if (!rs_go_on(host, "simulating", (int64_t)g->step * g->n,
                      g->costs->job->schedule->n_transfers)) {
            return rs_fail(error, RS_CANCELLED, "cancelled in step %d", (int)g->step);
        }
    }
    return RS_OK;
}

static void take_outcome(const ring *g, rs_outcome *outcome) {
    const rs_job *job = g->costs->job;
    for (int32_t r = 0; r < g->n; r++) {
        outcome->finish_ps[r] = g->now[r] - g->costs->straggler_ps[r]; /* no step follows */
        outcome->entered[r] = g->costs->n_steps;
        outcome->bytes_sent[r] = rs_elements_sent(job->schedule, job->count, r) * job->elem_bytes;
        if (outcome->finish_ps[r] > outcome->makespan_ps) {
            outcome->makespan_ps = outcome->finish_ps[r];
        }
    }
    outcome->n_transfers = job->schedule->n_transfers;
}

/* Chooses tiles as wide as the cache allows, but enough of them for the workers. */
static void choose_sizes(ring *g, const rs_host *host) {
    const int32_t n_workers = host != NULL && host->n_workers > 1 ? least(host->n_workers, 64) : 1;
    int32_t wish = n_workers == 1 ? g->n : g->n / (4 * n_workers);
    wish = least(wish < LEAST_COLUMNS ? LEAST_COLUMNS : wish, MOST_COLUMNS);
    g->n_columns = least(wish, g->n);
    g->n_at_once = (g->n_columns / STEPS_SHARE / RS_RING_FUSED + 1) * RS_RING_FUSED;
}

static bool set_up(ring *g, const rs_host *host, rs_arena *arena) {
    choose_sizes(g, host);
    g->now = new_words(arena, 0, g->n);
    g->next = new_words(arena, 0, g->n);
    if (g->now == NULL || g->next == NULL) return false;
    for (int32_t r = 0; r < g->n; r++) {
        g->now[r] = g->costs->late_ps[r] + g->costs->straggler_ps[r];
    }
    return make_costs(g, arena) && make_tiles(g, arena);
}

static const rs_tile_runner *fastest(void) {
    int32_t i = 0;
    while (!rs_all_tile_runners[i]->here()) i++;
    return rs_all_tile_runners[i];
}

rs_status rs_wavefront_ring(const rs_costs *costs, const rs_tile_runner *runner, rs_arena *arena,
                            rs_error *error, rs_outcome *outcome) {
    const rs_job *job = costs->job;
    const rs_host *host = arena->host;
    ring g = {
        .costs = costs,
        .runner = runner == NULL ? fastest() : runner,
        .n = costs->n_ranks,
        .n_larger = (int32_t)(job->count % costs->n_ranks),
        .shift = job->schedule->order == RS_ORDER_NCCL ? 1 : 0,
    };
    if (!set_up(&g, host, arena)) return rs_no_memory(error);
    for (int32_t phase = 0; phase < 2; phase++) {
        fill_phase(&g, phase == 0);
        const rs_status status = run_phase(&g, host, (phase + 1) * (g.n - 1), error);
        if (status != RS_OK) return status;
    }
    take_outcome(&g, outcome);
    return RS_OK;
}
