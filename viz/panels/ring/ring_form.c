/* ring_form.c: which shape the cards stand in: by who sends to whom in the schedule, whoever wrote it.
 *
 *      ring          two rings     mesh       form_tree.c    form_cube.c   nodes
 *      0 > 1 > 2     0 = 1 = 2     all with   line, star,    cubes of 2    a row, or a
 *      ^       v     ||      ||    all        tree           dimensions    column, each
 *      5 < 4 < 3     5 = 4 = 3                               to 4
 *
 *   - The first shape that fits is taken; a schedule that has none of them stands on an oval.
 */
#include "panels/ring/ring.h"

/* What all shapes need: sets of GPUs, spots between -1 and 1. */

/* --------------------------------------------------------------------------------------- nodes */

/* Wires within nodes, and between them.
 *
 *      .----------------------.         Each node is a row: rings within nodes lie in the rows,
 *      | 0 --- 1 --- 2 --- 3  |         those between nodes in the columns. Where nodes are more
 *      '-|-----|-----|-----|--'         than their GPUs, each is a column.
 *      .-|-----|-----|-----|--.
 *      | 4 --- 5 --- 6 --- 7  |         Wires that would cross a card go round it (ring_ways.c).
 *      '----------------------'
 */

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

static bool fit_nodes(rv_form *form, int32_t n, int32_t per_node) {
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

/* ----------------------------------------------------------------------------------- the shape */

/* Returns the only GPU, or the first one, of a set. */
static int32_t first_of(uint16_t set) {
    int32_t r = 0;
    while (!(set & 1U << r)) r++;
    return r;
}

static void find_wires(const rs_schedule *schedule, rv_form *form) {
    enum { MOST_STEPS = 64 };
    form->paired = true;
    for (int32_t step = 0; step < schedule->n_steps && step < MOST_STEPS; step++) {
        uint16_t partners[RV_MOST_CARDS] = {0}, sends[RV_MOST_CARDS] = {0};
        rs_cursor cursor = {0};
        rs_transfer t;
        while (rs_next_transfer(schedule, step, &cursor, &t)) {
            sends[t.src] |= (uint16_t)(1U << t.dst);
            form->two_way = form->two_way || sends[t.dst] & 1U << t.src;
            partners[t.src] |= (uint16_t)(1U << t.dst);
            partners[t.dst] |= (uint16_t)(1U << t.src);
        }
        for (int32_t r = 0; r < schedule->n_ranks; r++) {
            form->wires[r] |= partners[r];
            form->sends[r] |= sends[r];
            form->paired = form->paired && rv_form_count(partners[r]) <= 1;
        }
    }
    int ends = 0;
    for (int32_t r = 0; r < schedule->n_ranks; r++) ends += rv_form_count(form->wires[r]);
    form->n_wires = ends / 2;
}

/* Sets the order round the oval if the wires are one ring through all GPUs. */
static bool set_ring(rv_form *form, int32_t n) {
    uint16_t seen = 1;
    int32_t order[RV_MOST_CARDS] = {0}, at = 0;
    for (int32_t r = 0; r < n; r++) {
        if (rv_form_count(form->wires[r]) != 2) return false;
    }
    for (int32_t i = 1; i < n; i++) {
        const uint16_t left = form->wires[at] & (uint16_t)~seen;
        if (left == 0) return false; /* in pieces */
        at = order[i] = first_of(left);
        seen |= (uint16_t)(1U << at);
    }
    for (int32_t i = 0; i < n; i++) form->order[i] = order[i];
    return true;
}

/* Returns the kind of shape, with its spots or its order. */
static rv_form_kind fit(rv_form *form, const rs_schedule *schedule) {
    const int32_t n = schedule->n_ranks;
    int32_t root = schedule->root; /* or where most wires meet, if three do */
    for (int32_t r = 0; r < n; r++) {
        const int met = rv_form_count(form->wires[r]);
        if (met > 2 && met > rv_form_count(form->wires[root])) root = r;
    }
    if (n < 3) return RV_FORM_OVAL;
    if (n > 3 && rv_form_star(form, n, root)) return RV_FORM_STAR;
    if (n > 3 && rv_form_tree(form, n, root)) return RV_FORM_TREE;
    if (rv_form_line(form, n)) return RV_FORM_LINE;
    if (form->paired && rv_form_cube(form, n)) return RV_FORM_CUBE;
    if (set_ring(form, n)) return RV_FORM_RING;
    if (form->n_wires == n * (n - 1) / 2) return RV_FORM_MESH;
    for (int32_t g = 1; g <= n / 2; g++) { /* what the schedule says first, then the smallest */
        const int32_t per_node = g > 1 ? g : schedule->gpus_per_node;
        if (fit_nodes(form, n, per_node)) return RV_FORM_NODES;
    }
    return RV_FORM_OVAL;
}

rv_form rv_form_of(const rs_schedule *schedule) {
    rv_form form = {0};
    if (schedule->n_ranks > RV_MOST_CARDS) return form;
    for (int32_t i = 0; i < schedule->n_ranks; i++) form.order[i] = i;
    find_wires(schedule, &form);
    form.kind = fit(&form, schedule);
    form.spread = form.kind >= RV_FORM_LINE;
    return form;
}
