/* bounds.c: how fast a collective could be at best, from what the wires could carry at all (raw).
 *
 *     K bytes, N ranks; a block A of a ranks; cut(A): what can leave A, which is also what can enter it
 *
 *       all-reduce                   2 (G - 1) K / (cut(A1) + ... + cut(AG)) for a partition into G blocks; K / cut(A)
 *       all-gather, reduce-scatter   max(N - a, a) K / N / cut(A)
 *       broadcast, reduce            K / cut(A)
 *       all-to-all                   a (N - a) K / N / cut(A)
 *
 *   - The least time is the largest of these over the blocks that are tried: single ranks, nodes, the GPUs
 *     below each switch, all blocks below the switches of one level, each with the rest; and on machines of
 *     at most 64 GPUs and 600 links the least cuts between GPU 0 and each other (augmenting paths, Edmonds
 *     and Karp, JACM 19(2), 1972).
 *   - A cut is through links: the block's GPUs and whatever switches make it smaller lie on one side. So any
 *     choice of switches gives a bound; a better one gives a larger bound.
 *   - Inside a single node of at most 256 GPUs links of kind net are not counted if no route takes one.
 *   - Where switches add, all-reduce is bound by K / cut(A) alone.
 */
#include "machine/cuts.h"

#include <assert.h>
#include <string.h>

typedef rs_cut_wide wide;
static const int64_t longest_ps = (int64_t)1 << 53;

typedef struct bounding {
    rs_cuts cuts;
    rs_arena *arena; /* of the blocks */
    rs_error *error;
    int64_t n_bytes;
    bool apart;       /* some block has no link that leaves it */
    rs_bound *bounds; /* [RS_N_COLLECTIVES] */
} bounding;

/* ------------------------------------------------------------------ times */

/* Returns x / cut seconds in picoseconds, rounded up. */
static int64_t time_of(wide x, wide cut) {
    const wide second = 1000000000000;
    if (x == 0) return 0;
    while (cut >> 86 != 0) { /* only beyond all wires that there are: a smaller bound is one, too */
        cut = (cut >> 1) + 1;
        x >>= 1;
    }
    const wide whole = x / cut, rest = x % cut;
    if (whole > (wide)longest_ps / second) return INT64_MAX;
    return (int64_t)(whole * second + (rest * second + cut - 1) / cut);
}

static void offer(bounding *c, rs_collective of, int64_t time_ps, rs_bound_by by, int32_t which) {
    rs_bound *bound = &c->bounds[of];
    if (time_ps < bound->time_ps || (time_ps == bound->time_ps && by >= bound->by)) return;
    bound->time_ps = time_ps;
    bound->by = by;
    bound->which = which;
}

/* What a block of a GPUs says. */
static void try_cut(bounding *c, int32_t a, wide cut, rs_bound_by by, int32_t which) {
    const int32_t n = c->cuts.machine->n_gpus;
    const uint64_t ranks = (uint64_t)n, block = (uint64_t)a, rest = (uint64_t)(n - a);
    const wide bytes = (uint64_t)c->n_bytes, most = block > rest ? block : rest;
    if (a == 0 || a == n) return;
    if (cut == 0) {
        c->apart = true;
        return;
    }
    const int64_t once = time_of(bytes, cut), shards = time_of(most * bytes, cut * ranks);
    offer(c, RS_COLL_ALL_REDUCE, once, by, which);
    if (once > c->bounds[RS_COLL_ALL_REDUCE].in_switch_ps) {
        c->bounds[RS_COLL_ALL_REDUCE].in_switch_ps = once;
    }
    offer(c, RS_COLL_REDUCE_SCATTER, shards, by, which);
    offer(c, RS_COLL_ALL_GATHER, shards, by, which);
    offer(c, RS_COLL_BROADCAST, once, by, which);
    offer(c, RS_COLL_REDUCE, once, by, which);
    offer(c, RS_COLL_ALL_TO_ALL, time_of(bytes * block * rest, cut * ranks), by, which);
}

/* What a partition says, of the cuts of all its blocks. */
static void try_partition(bounding *c, int32_t n_blocks, wide sum, rs_bound_by by, int32_t which) {
    if (n_blocks < 2 || sum == 0) return;
    offer(c, RS_COLL_ALL_REDUCE,
          time_of((wide)(2 * (uint64_t)(n_blocks - 1)) * (uint64_t)c->n_bytes, sum), by, which);
}

/* ------------------------------------------------------------------ blocks */

/* Adds links of single GPUs, and of nodes. */
static void try_ranks_and_nodes(bounding *c) {
    const rs_machine *machine = c->cuts.machine;
    wide sum = 0;
    for (int32_t node = 0; node < machine->n_nodes && machine->n_nodes > 1; node++) {
        rs_take_node(&c->cuts, node);
        const wide cut = rs_cut_block(&c->cuts);
        try_cut(c, rs_gpus_inside(&c->cuts), cut, RS_BY_NODE, node);
        sum += cut;
    }
    try_partition(c, machine->n_nodes, sum, RS_BY_NODES, 0);
    sum = 0;
    for (int32_t gpu = 0; gpu < machine->n_gpus; gpu++) {
        rs_begin_block(&c->cuts);
        rs_join_block(&c->cuts, gpu);
        const wide cut = rs_cut_block(&c->cuts);
        try_cut(c, 1, cut, RS_BY_RANK, gpu);
        sum += cut;
    }
    try_partition(c, machine->n_gpus, sum, RS_BY_RANKS, 0);
}

static wide cut_below(bounding *c, int32_t device) {
    rs_take_below(&c->cuts, device, true);
    const wide with = rs_cut_block(&c->cuts);
    rs_take_below(&c->cuts, device, false);
    const wide without = rs_cut_block(&c->cuts);
    return with < without ? with : without;
}

/* Tries what lies below each switch, then all of a level if no GPU is below two of them. */
static void try_switches(bounding *c) {
    const rs_machine *machine = c->cuts.machine;
    const int32_t n_switches = machine->n_devices - machine->n_gpus;
    int32_t i = 0;
    while (i < n_switches && c->cuts.steps_left > 0) {
        const int32_t level = c->cuts.level[c->cuts.by_level[i]];
        int32_t n_blocks = 0;
        int64_t n_covered = 0;
        bool twice = false;
        wide sum = 0;
        for (int32_t d = 0; d < machine->n_gpus; d++) c->cuts.from[d] = 0;
        for (; i < n_switches && c->cuts.level[c->cuts.by_level[i]] == level; i++) {
            const int32_t device = c->cuts.by_level[i];
            if (level < 0 || c->cuts.steps_left <= 0) continue;
            const wide cut = cut_below(c, device);
            const int32_t a = rs_gpus_inside(&c->cuts);
            for (int32_t k = 0; k < c->cuts.n_inside; k++) {
                const int32_t gpu = c->cuts.queue[k];
                if (gpu >= machine->n_gpus) continue;
                twice = twice || c->cuts.from[gpu] != 0;
                c->cuts.from[gpu] = 1;
            }
            if (c->cuts.steps_left > 0) try_cut(c, a, cut, RS_BY_SWITCH, device);
            n_blocks++;
            n_covered += a;
            sum += cut;
        }
        if (!twice && n_covered == machine->n_gpus && c->cuts.steps_left > 0) {
            try_partition(c, n_blocks, sum, RS_BY_LEVEL, level);
        }
    }
}

static void try_flows(bounding *c) {
    for (int32_t to = 1; c->cuts.flow != NULL && to < c->cuts.machine->n_gpus; to++) {
        for (int far = 0; far < 2; far++) {
            const wide cut = rs_cut_between(&c->cuts, to, far);
            try_cut(c, rs_gpus_inside(&c->cuts), cut, far ? RS_BY_FAR_CUT : RS_BY_CUT, to);
        }
    }
}

/* ------------------------------------------------------------------ the result */

/* Numbers the GPUs inside as one block. */
static void number_block(const bounding *c, int32_t number, int32_t *block) {
    for (int32_t k = 0; k < c->cuts.n_inside; k++) {
        if (c->cuts.queue[k] < c->cuts.machine->n_gpus) block[c->cuts.queue[k]] = number;
    }
}

/* Writes down the blocks of a bound; false: no memory. */
static bool tell_blocks(bounding *c, rs_collective of) {
    const rs_machine *machine = c->cuts.machine;
    rs_bound *bound = &c->bounds[of];
    const int32_t n = machine->n_gpus, which = bound->which;
    int32_t *block = rs_alloc(c->arena, (size_t)n, sizeof *block);
    if (block == NULL) return false;
    for (int32_t gpu = 0; gpu < n; gpu++) {
        block[gpu] = bound->by == RS_BY_RANKS   ? gpu
                     : bound->by == RS_BY_NODES ? machine->node[gpu]
                                                : -1;
    }
    bound->n_blocks = bound->by == RS_BY_RANKS   ? n
                      : bound->by == RS_BY_NODES ? machine->n_nodes
                                                 : 1;
    c->cuts.steps_left = INT64_MAX;
    rs_begin_block(&c->cuts);
    if (bound->by == RS_BY_RANK) rs_join_block(&c->cuts, which);
    if (bound->by == RS_BY_NODE) rs_take_node(&c->cuts, which);
    if (bound->by == RS_BY_SWITCH) rs_take_below(&c->cuts, which, false);
    if (bound->by == RS_BY_CUT) rs_cut_between(&c->cuts, which, false);
    if (bound->by == RS_BY_FAR_CUT) rs_cut_between(&c->cuts, which, true);
    number_block(c, 0, block);
    if (bound->by == RS_BY_LEVEL) {
        bound->n_blocks = 0;
        for (int32_t i = 0; i < machine->n_devices - n; i++) {
            if (c->cuts.level[c->cuts.by_level[i]] != which) continue;
            rs_take_below(&c->cuts, c->cuts.by_level[i], false);
            number_block(c, bound->n_blocks++, block);
        }
    }
    bound->block = block;
    return true;
}

static rs_status find_bounds(bounding *c) {
    try_ranks_and_nodes(c);
    try_switches(c);
    try_flows(c);
    bool reduces = false;
    for (int32_t d = 0; d < c->cuts.machine->n_devices; d++)
        reduces = reduces || c->cuts.machine->reduces[d];
    for (int of = 0; of < RS_N_COLLECTIVES; of++) {
        rs_bound *bound = &c->bounds[of];
        if (c->apart) bound->time_ps = -1;
        if (of != RS_COLL_ALL_REDUCE) bound->in_switch_ps = bound->time_ps;
        if (!reduces || c->apart) bound->in_switch_ps = -1;
        if (bound->time_ps > longest_ps) {
            return rs_fail(c->error, RS_TOO_LARGE,
                           "%lld bytes over these links take longer than 2^53 ps; take fewer",
                           (long long)c->n_bytes);
        }
        if (bound->by != RS_BY_NOTHING && !tell_blocks(c, (rs_collective)of)) {
            return rs_no_memory(c->error);
        }
    }
    return RS_OK;
}

rs_status rs_machine_bounds(const rs_machine *machine, int64_t n_bytes, rs_arena *arena,
                            rs_error *error, rs_bound bounds[RS_N_COLLECTIVES]) {
    rs_bound found[RS_N_COLLECTIVES] = {{0}};
    rs_arena scratch;
    bounding c = {.cuts = {.machine = machine},
                  .arena = arena,
                  .error = error,
                  .n_bytes = n_bytes,
                  .bounds = found};
    assert(n_bytes >= 0);
    rs_arena_init(&scratch, arena->host);
    const rs_status status =
        rs_cuts_begin(&c.cuts, &scratch) ? find_bounds(&c) : rs_no_memory(error);
    rs_arena_free(&scratch);
    if (status == RS_OK) memcpy(bounds, found, sizeof found);
    return status;
}
