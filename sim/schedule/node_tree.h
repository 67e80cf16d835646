/* node_tree.h: two complementary trees over m nodes: who is inside one is a leaf of the other. Private to sim/schedule/.
 *
 *     tree 0 of 8 nodes       0                tree 1 is its mirror image (7 - u; of an odd number of nodes, moved
 *                             4                on by one)
 *                       2           6
 *                     1   3       5   7
 *
 * (Sanders, Speck, Traeff, Parallel Computing 35(12), 2009.)
 */
#ifndef RS_NODE_TREE_H
#define RS_NODE_TREE_H

#include <stdint.h>

/* A node's place in a tree. */
typedef struct rs_node_post {
    int32_t parent, children[2]; /* nodes; -1: none */
    int32_t height, depth, slot; /* slot: which of its parent's children it is */
} rs_node_post;

/* Returns where node u of m stands in tree 0 or 1. */
rs_node_post rs_node_post_of(int32_t u, int32_t m, int32_t tree);
/* Returns the root's height. */
int32_t rs_node_tree_height(int32_t m);

#endif
