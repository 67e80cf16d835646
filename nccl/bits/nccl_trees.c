/* nccl_trees.c: NCCL's trees along given rings: in each node a chain that begins at the ring's first GPU there; nodes as two
 * binary trees, so that who is a leaf in one adds in the other.
 *
 *     0---------------8           node 0 is the root of the first; the second is the first mirrored, or, of an odd
 *              ______/ \______     number of nodes, moved on by one
 *             4               12
 *
 *   - src/graph/trees.cc ncclGetBtree, ncclGetDtree; src/graph/connect.cc ncclTopoPreset, connectTrees. Tree t of the first
 *     kind follows ring t, that of the second, n_rings + t, too.
 *   - Where a node hangs below another: at the other's second GPU the first child, at its first the second (a balanced
 *     tree, what the search tries first); the child with its first.
 */
#include "ringsim_nccl_bits.h"

/* The nodes below one in the plain tree; -1: none. */
static void nodes_below(int32_t n_nodes, int32_t node, int32_t below[2]) {
    int32_t bit = 1;
    while (bit < n_nodes && (bit & node) == 0) bit <<= 1;
    int32_t low = bit >> 1;
    below[0] = below[1] = -1;
    if (node == 0) {
        if (n_nodes > 1) below[1] = low;
        return;
    }
    if (low > 0) below[0] = node - low;
    while (low > 0 && node + low >= n_nodes) low >>= 1;
    if (low > 0) below[1] = node + low;
}

static void hang_below(int32_t below[3], int32_t child) {
    for (int i = 0; i < 3; i++) {
        if (below[i] >= 0) continue;
        below[i] = child;
        return;
    }
}

/* A node's place in the second tree, and back. */
static int32_t turned(int32_t n_nodes, int32_t node, bool back) {
    if (n_nodes % 2 == 0) return n_nodes - 1 - node;
    return (node + (back ? 1 : n_nodes - 1)) % n_nodes;
}

static void build(const int32_t ring[], int32_t g, int32_t n_nodes, bool second,
                  int32_t (*below)[3]) {
    for (int32_t i = 0; i + 1 < g * n_nodes; i++) {
        if ((i + 1) % g != 0) below[ring[i]][0] = ring[i + 1];
    }
    for (int32_t node = 0; node < n_nodes; node++) {
        int32_t nodes[2];
        nodes_below(n_nodes, second ? turned(n_nodes, node, false) : node, nodes);
        for (int c = 0; c < 2; c++) {
            if (nodes[c] < 0) continue;
            const int32_t child = second ? turned(n_nodes, nodes[c], true) : nodes[c];
            const int32_t at = node * g + (c == 0 && g > 1 ? 1 : 0);
            hang_below(below[ring[at]], ring[child * g]);
        }
    }
}

int32_t *rn_bits_trees(const int32_t rings[], int32_t n_rings, int32_t n_ranks, int32_t n_nodes,
                       rs_arena *arena) {
    const int64_t one = (int64_t)n_ranks * 3;
    int32_t *trees = rs_alloc(arena, (size_t)(2 * n_rings * one), sizeof *trees);
    if (trees == NULL) return NULL;
    for (int64_t i = 0; i < 2 * n_rings * one; i++) trees[i] = -1;
    for (int32_t t = 0; t < 2 * n_rings; t++) {
        build(rings + (int64_t)(t % n_rings) * n_ranks, n_ranks / n_nodes, n_nodes, t >= n_rings,
              (int32_t(*)[3])(trees + t * one));
    }
    return trees;
}
