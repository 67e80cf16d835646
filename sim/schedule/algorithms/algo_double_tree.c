/* algo_double_tree.c: two complementary trees over the nodes, a chain inside each, pipelined up and down.
 *
 *     tree 0 of 8 nodes       0                tree 1 is its mirror image: who is inside one tree is a leaf of the
 *                             4                other, so all nodes send about as much
 *                       2           6
 *                     1   3       5   7
 *
 *     inside a node   head <-- next <-- next     tree c hangs on place c: each leaves the node by another GPU
 *
 * Each tree moves half of the array, a channel of C chunks, up and down at once (pipeline.h): 2 (C - 1 + H + D)
 * messages at most follow each other, H the root's height, D the depth (Sanders, Speck, Traeff, Parallel Computing
 * 35(12), 2009). C: 3 (H + D) unless told. No closed form: the messages of a step share ports.
 */
#include "schedule/pipeline.h"

/* A node's place in a tree. */
typedef struct node_post {
    int32_t parent, children[2]; /* nodes; -1: none */
    int32_t height, depth, slot; /* slot: which of its parent's children it is */
} node_post;

static int32_t low_bit(int32_t u) {
    return u & -u;
}

/* The parent of u > 0: the next multiple of twice its lowest bit, where there is one. */
static int32_t up(int32_t u, int32_t m) {
    const int32_t b = low_bit(u), next = (u ^ b) | b << 1;
    return next < m ? next : u ^ b;
}

/* Returns the root's height. */
static int32_t node_tree_height(int32_t m) {
    return m == 1 ? 0 : rs_floor_log2(m - 1) + 1;
}

/* Returns where node u of m stands in tree 0 or 1. */
static node_post node_post_of(int32_t node, int32_t m, int32_t tree) {
    const int32_t u = rs_to_node_tree(node, m, tree);
    node_post p = {.parent = -1, .children = {-1, -1}};
    int32_t below[2];
    const int n = rs_node_children(u, m, below);
    for (int i = 0; i < n; i++) p.children[i] = rs_from_node_tree(below[i], m, tree);
    p.height = u > 0 ? rs_floor_log2(low_bit(u)) : node_tree_height(m);
    for (int32_t at = u; at > 0; at = up(at, m)) p.depth++;
    if (u == 0) return p;
    const int32_t above = up(u, m), n_above = rs_node_children(above, m, below);
    p.parent = rs_from_node_tree(above, m, tree);
    p.slot = n_above > 1 && below[1] == u;
    return p;
}

enum { TREES = 2 };

static rs_post post_of(const rs_schedule *schedule, int32_t tree, int32_t rank) {
    const int32_t g = schedule->gpus_per_node, seat = seat_of(schedule, rank), node = seat / g;
    const int32_t turn = tree % g, q = (seat % g + g - turn) % g; /* place in the node's chain */
    const node_post of = node_post_of(node, schedule->n_ranks / g, tree);
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
    return g - 1 + node_tree_height(schedule->n_ranks / g);
}

static const rs_pipeline both_ways = {
    .n_trees = TREES, .up = true, .down = true, .post = post_of, .height = height};

static const char rule[] =
    "static int seat(int rank, int n) {\n"
    "    return dealt ? rank * gpus_per_node % n + rank / (n / gpus_per_node) : rank;\n"
    "}\n"
    "static int place(int tree, int rank, int n) {\n"
    "    return (seat(rank, n) + gpus_per_node - tree % gpus_per_node) % gpus_per_node;\n"
    "}\n"
    "static int node(int tree, int rank, int n) {\n"
    "    int u = seat(rank, n) / gpus_per_node, m = n / gpus_per_node;\n"
    "    return tree == 0 ? u : m % 2 == 0 ? m - 1 - u : (u + m - 1) % m;\n"
    "}\n"
    "static int height(int tree, int rank, int n) {\n"
    "    int high = gpus_per_node - 1 - place(tree, rank, n), u = node(tree, rank, n);\n"
    "    if (place(tree, rank, n) > 0) return high;\n"
    "    for (int b = 1; u == 0 ? b < n / gpus_per_node : u % (2 * b) == 0; b *= 2) high++;\n"
    "    return high;\n"
    "}\n"
    "static int parent(int tree, int rank, int n) {\n"
    "    int g = gpus_per_node, m = n / g, at = place(tree, rank, n) - 1, u = node(tree, rank, n);\n"
    "    if (at < 0 && u == 0) return -1;\n"
    "    if (at < 0) {\n"
    "        int bit = u & -u, above = (u ^ bit) | 2 * bit;\n"
    "        u = above < m ? above : u ^ bit, at = 0;\n"
    "    }\n"
    "    if (tree == 1) u = m % 2 == 0 ? m - 1 - u : (u + 1) % m;\n"
    "    at = (at + tree) % g;\n"
    "    return dealt ? at * m + u : u * g + at;\n"
    "}\n"
    "int sends(int step, int rank, int n, rs_send out[]) {\n"
    "    int n_sent = 0, half = n_chunks / 2;\n"
    "    for (int tree = 0; tree < 2; tree++) {\n"
    "        int top = rank, depth = 0, above = parent(tree, rank, n);\n"
    "        while (parent(tree, top, n) >= 0) top = parent(tree, top, n), depth++;\n"
    "        int up = step - height(tree, rank, n);\n"
    "        int down = step - height(tree, top, n) - depth;\n"
    "        if (above >= 0 && up >= 0 && up < half)\n"
    "            out[n_sent++] = (rs_send){above, tree * half + up, 1, 0};\n"
    "        for (int to = 0; to < n && down >= 0 && down < half; to++)\n"
    "            if (parent(tree, to, n) == rank)\n"
    "                out[n_sent++] = (rs_send){to, tree * half + down, 1, 1};\n"
    "    }\n"
    "    return n_sent;\n"
    "}\n";

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
    schedule->rule = rule;
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
