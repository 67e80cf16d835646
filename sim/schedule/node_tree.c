/* node_tree.c: see node_tree.h. Inside, tree 0's numbers. */
#include "schedule/node_tree.h"

#include "schedule/algo.h"

static int32_t low_bit(int32_t u) {
    return u & -u;
}

/* The parent of u > 0: the next multiple of twice its lowest bit, where there is one. */
static int32_t up(int32_t u, int32_t m) {
    const int32_t b = low_bit(u), next = (u ^ b) | b << 1;
    return next < m ? next : u ^ b;
}

int32_t rs_node_tree_height(int32_t m) {
    return m == 1 ? 0 : floor_log2(m - 1) + 1;
}

/* Writes the children of u, at most two; returns how many. */
static int children_of(int32_t u, int32_t m, int32_t out[2]) {
    int n = 0;
    if (u == 0) {
        if (m > 1) out[n++] = 1 << floor_log2(m - 1);
        return n;
    }
    for (int32_t b = low_bit(u) / 2; b > 0; b /= 2) {
        if (n == 0) out[n++] = u - b;
        if (u + b >= m) continue;
        out[n++] = u + b;
        break;
    }
    return n;
}

/* Between nodes as they are and as tree 0 numbers them; mirroring is its own inverse. */
static int32_t to_tree(int32_t u, int32_t m, int32_t tree) {
    return tree == 0 ? u : m % 2 == 0 ? m - 1 - u : (u + m - 1) % m;
}
static int32_t from_tree(int32_t u, int32_t m, int32_t tree) {
    return tree == 0 ? u : m % 2 == 0 ? m - 1 - u : (u + 1) % m;
}

rs_node_post rs_node_post_of(int32_t node, int32_t m, int32_t tree) {
    const int32_t u = to_tree(node, m, tree);
    rs_node_post p = {.parent = -1, .children = {-1, -1}};
    int32_t below[2];
    const int n = children_of(u, m, below);
    for (int i = 0; i < n; i++) p.children[i] = from_tree(below[i], m, tree);
    p.height = u > 0 ? floor_log2(low_bit(u)) : rs_node_tree_height(m);
    for (int32_t at = u; at > 0; at = up(at, m)) p.depth++;
    if (u == 0) return p;
    const int32_t above = up(u, m), n_above = children_of(above, m, below);
    p.parent = from_tree(above, m, tree);
    p.slot = n_above > 1 && below[1] == u;
    return p;
}
