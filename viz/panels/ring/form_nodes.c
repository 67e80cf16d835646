/* form_nodes.c: wires within nodes, and between them.
 *
 *      .----------------------.         Each node is a row: rings within nodes lie in the rows,
 *      | 0 --- 1 --- 2 --- 3  |         those between nodes in the columns. Where nodes are more
 *      '-|-----|-----|-----|--'         than their GPUs, each is a column.
 *      .-|-----|-----|-----|--.
 *      | 4 --- 5 --- 6 --- 7  |         Wires that would cross a card go round it (ring_ways.c).
 *      '----------------------'
 */
#include "panels/ring/ring.h"

/* Tells whether the GPUs of a node reach each other within it. */
static bool is_joined(const rv_form *form, int32_t first, int32_t per_node) {
    const uint16_t all = (uint16_t)(((1U << per_node) - 1) << first);
    uint16_t reached = (uint16_t)(1U << first), before = 0;
    while (reached != before) {
        before = reached;
        for (int32_t r = first; r < first + per_node; r++) {
            if (reached & 1U << r) reached |= form->wires[r] & all;
        }
    }
    return reached == all;
}

/* Returns by how many places in its node what goes from node to node moves on; -1: not always the
   same; -2: nothing goes. */
static int32_t moves_on(const rv_form *form, int32_t n, int32_t per_node) {
    int32_t by = -2;
    for (int32_t a = 0; a < n; a++) {
        for (int32_t b = 0; b < n; b++) {
            if (!(form->sends[a] & 1U << b) || a / per_node == b / per_node) continue;
            const int32_t here = (b % per_node - a % per_node + per_node) % per_node;
            if (by >= 0 && by != here) return -1;
            by = here;
        }
    }
    return by;
}

bool rv_form_nodes(rv_form *form, int32_t n, int32_t per_node) {
    if (per_node < 2 || per_node > n / 2 || n % per_node != 0) return false;
    const int32_t nodes = n / per_node;
    for (int32_t node = 0; node < nodes; node++) {
        if (!is_joined(form, node * per_node, per_node)) return false;
    }
    if (moves_on(form, n, per_node) < 0) return false;
    const bool upright = nodes > per_node;
    for (int32_t r = 0; r < n; r++) {
        const int32_t node = r / per_node, place = r % per_node;
        form->spots[r] = upright ? (rv_point){node, place} : (rv_point){place, node};
    }
    form->per_node = per_node;
    form->columns = upright ? nodes : per_node;
    form->rows = upright ? per_node : nodes;
    rv_form_stretch(form, n);
    return true;
}
