/* node_trees.c: two complementary trees over m nodes: who is inside one is a leaf of the other.
 *
 *     tree 0 of 8 nodes       0                tree 1 is its mirror image (7 - u; of an odd number of nodes, moved
 *                             4                on by one)
 *                       2           6
 *                     1   3       5   7
 *
 * (Sanders, Speck, Traeff, Parallel Computing 35(12), 2009; NCCL's are the same: src/graph/trees.cc.)
 */
#include "ringsim_schedule.h"
#include "base/containers.h"

int rs_node_children(int32_t u, int32_t m, int32_t out[2]) {
    int n = 0;
    if (u == 0) {
        if (m > 1) out[n++] = 1 << rs_floor_log2(m - 1);
        return n;
    }
    for (int32_t b = (u & -u) / 2; b > 0; b /= 2) {
        if (n == 0) out[n++] = u - b;
        if (u + b >= m) continue;
        out[n++] = u + b;
        break;
    }
    return n;
}

int32_t rs_to_node_tree(int32_t node, int32_t m, int32_t tree) {
    return tree == 0 ? node : m % 2 == 0 ? m - 1 - node : (node + m - 1) % m;
}
int32_t rs_from_node_tree(int32_t u, int32_t m, int32_t tree) {
    return tree == 0 ? u : m % 2 == 0 ? m - 1 - u : (u + 1) % m;
}
