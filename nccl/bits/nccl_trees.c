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
#include "ringsim_schedule.h"

static void hang_below(int32_t below[3], int32_t child) {
    for (int i = 0; i < 3; i++) {
        if (below[i] >= 0) continue;
        below[i] = child;
        return;
    }
}

static void build(const int32_t ring[], int32_t g, int32_t n_nodes, int32_t tree,
                  int32_t (*below)[3]) {
    for (int32_t i = 0; i + 1 < g * n_nodes; i++) {
        if ((i + 1) % g != 0) below[ring[i]][0] = ring[i + 1];
    }
    for (int32_t node = 0; node < n_nodes; node++) {
        const int32_t u = rs_to_node_tree(node, n_nodes, tree);
        int32_t nodes[2];
        const int n = rs_node_children(u, n_nodes, nodes);
        for (int c = 0; c < n; c++) { /* what is below the root counts as its second */
            const int32_t at = node * g + (c == 0 && u > 0 && g > 1 ? 1 : 0);
            hang_below(below[ring[at]], ring[rs_from_node_tree(nodes[c], n_nodes, tree) * g]);
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
