/* found_schedule.c: rings and trees that a log shows, as a schedule: each its own chunks, its own channel.
 *
 *   - Ring: the rank at place i sends, in step s, the chunk of the rank at place i - 1 - s (nccl,
 *     src/device/all_reduce.h).
 *   - Tree: a rank passes piece p on when its height's steps are over, all children's sums being in it; from the root down
 *     the pieces go level by level.
 */
#include "explain/found_schedule.h"

enum { TREE_PIECES = 4 };

static void begin(int32_t n_ranks, int32_t n_chunks, FILE *out) {
    fprintf(out, "ringsim-schedule 1\nranks %d\nchunks %d\n", (int)n_ranks, (int)n_chunks);
}

static void put(int32_t from, int32_t to, int32_t chunk, bool reduces, int lane, FILE *out) {
    fprintf(out, "%d -> %d chunk %d %s channel %d\n", (int)from, (int)to, (int)chunk,
            reduces ? "reduce" : "copy", lane);
}

void rc_write_rings(const rn_nccl_ring *const rings[], int n_rings, bool own, FILE *out) {
    const int32_t n = rings[0]->n;
    begin(n, n * n_rings, out);
    if (own) fputs("# rings by ringsim's own search, not by NCCL's\n", out);
    for (int32_t s = 0; s < 2 * (n - 1); s++) {
        fputs("step\n", out);
        for (int lane = 0; lane < n_rings; lane++) {
            const int32_t *ranks = rings[lane]->ranks;
            for (int32_t i = 0; i < n; i++) {
                const int32_t chunk = n * lane + ranks[((i - 1 - s) % n + n) % n];
                put(ranks[i], ranks[(i + 1) % n], chunk, s < n - 1, lane, out);
            }
        }
    }
}

/* ------------------------------------------------------------------ trees */

/* How far each rank is from the root, and from its farthest leaf. */
typedef struct levels {
    int32_t *depth, *height;
    int32_t most; /* the root's height */
} levels;

static bool measure(const rn_nccl_tree *tree, int32_t n_ranks, rs_arena *arena, levels *l) {
    l->depth = rs_alloc(arena, (size_t)n_ranks, sizeof *l->depth);
    l->height = rs_alloc(arena, (size_t)n_ranks, sizeof *l->height);
    if (l->depth == NULL || l->height == NULL) return false;
    for (int32_t rank = 0; rank < n_ranks; rank++) {
        int32_t steps = 0;
        for (int32_t at = rank; at >= 0; at = tree->up[at], steps++) {
            if (l->height[at] < steps) l->height[at] = steps;
        }
        l->depth[rank] = steps - 1;
    }
    l->most = l->height[tree->root];
    return true;
}

static bool is_piece(int32_t p) {
    return p >= 0 && p < TREE_PIECES;
}

static void write_tree_step(const rn_nccl_tree *tree, const levels *l, int32_t n_ranks, int32_t s,
                            int lane, FILE *out) {
    for (int32_t rank = 0; rank < n_ranks; rank++) {
        const int32_t above = tree->up[rank];
        if (above < 0) continue;
        const int32_t going_up = s - l->height[rank], down = s - l->most - l->depth[above];
        if (is_piece(going_up)) put(rank, above, TREE_PIECES * lane + going_up, true, lane, out);
        if (is_piece(down)) put(above, rank, TREE_PIECES * lane + down, false, lane, out);
    }
}

rc_exit rc_write_trees(const rn_nccl_tree *const trees[], int n_trees, int32_t n_ranks,
                       rs_arena *arena, rs_error *error, FILE *out) {
    levels all[RC_MOST_LANES];
    int32_t most = 0;
    for (int lane = 0; lane < n_trees; lane++) {
        if (!measure(trees[lane], n_ranks, arena, &all[lane])) return rc_no_memory(error);
        if (all[lane].most > most) most = all[lane].most;
    }
    begin(n_ranks, TREE_PIECES * n_trees, out);
    for (int32_t s = 0; s < 2 * most + TREE_PIECES - 1; s++) {
        fputs("step\n", out);
        for (int lane = 0; lane < n_trees; lane++) {
            write_tree_step(trees[lane], &all[lane], n_ranks, s, lane, out);
        }
    }
    return RC_GOOD;
}
