/* algo_double_tree.c: two complementary trees over the nodes, a chain inside each, pipelined up and down.
 *
 *     tree 0 of 8 nodes       0                tree 1 is its mirror image: who is inside one tree is a leaf of the
 *                             4                other, so all nodes send about as much (node_tree.h)
 *                       2           6
 *                     1   3       5   7
 *
 *     inside a node   head <-- next <-- next     tree c hangs on place c: each leaves the node by another GPU
 *
 * Each tree moves half of the array, a channel of C chunks, up and down at once (pipeline.h): 2 (C - 1 + H + D)
 * messages at most follow each other, H the root's height, D the depth (Sanders, Speck, Traeff, Parallel Computing
 * 35(12), 2009). C: 3 (H + D) unless told. No closed form: the messages of a step share ports.
 */
#include "schedule/node_tree.h"
#include "schedule/pipeline.h"

enum { TREES = 2 };

static rs_post post_of(const rs_schedule *schedule, int32_t tree, int32_t rank) {
    const int32_t g = schedule->gpus_per_node, seat = seat_of(schedule, rank), node = seat / g;
    const int32_t turn = tree % g, q = (seat % g + g - turn) % g; /* place in the node's chain */
    const rs_node_post of = rs_node_post_of(node, schedule->n_ranks / g, tree);
    rs_post p = {.parent = -1, .children = {-1, -1, -1}, .height = g - 1 - q};
    p.depth = q + of.depth;
    if (q + 1 < g) p.children[0] = rank_in(schedule, node * g + (q + 1 + turn) % g);
    if (q > 0) {
        p.parent = rank_in(schedule, node * g + (q - 1 + turn) % g);
        return p;
    }
    for (int i = 0; i < 2; i++) {
        if (of.children[i] >= 0) p.children[1 + i] = rank_in(schedule, of.children[i] * g + turn);
    }
    p.height += of.height;
    if (of.parent < 0) return p;
    p.parent = rank_in(schedule, of.parent * g + turn);
    p.slot = 1 + of.slot;
    return p;
}

static int32_t height(const rs_schedule *schedule) {
    const int32_t g = schedule->gpus_per_node;
    return g - 1 + rs_node_tree_height(schedule->n_ranks / g);
}

static const rs_pipeline both_ways = {
    .n_trees = TREES, .up = true, .down = true, .post = post_of, .height = height};

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    if (schedule->gpus_per_node == 0) schedule->gpus_per_node = 1;
    int32_t depth = 0;
    for (int32_t r = 0; r < n; r++) {
        const rs_post own = post_of(schedule, 0, r);
        if (own.depth > depth) depth = own.depth;
    }
    const int32_t way = height(schedule) + depth;
    const int32_t pieces = schedule->n_pieces > 0 ? schedule->n_pieces : 3 * way;
    schedule->n_channels = TREES;
    schedule->n_chunks = TREES * pieces;
    schedule->n_steps = pieces - 1 + way;
    add_phase(schedule, RS_EXCHANGE, 0);
    schedule->n_transfers = (int64_t)TREES * pieces * 2 * (n - 1);
    rs_pipeline_fill(schedule, &both_ways);
    schedule->max_sends = rs_pipeline_most(schedule);
}

const rs_algorithm rs_double_tree = {
    .name = "double-tree",
    .summary = N_("two trees over the nodes, chains inside, chunk after chunk up and down"),
    .make = make,
    .accepts = rs_whole_nodes,
    .own_channels = true, /* two */
    .pipelined = true,
};
