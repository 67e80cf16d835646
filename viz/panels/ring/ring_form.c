/* ring_form.c: which shape the cards stand in: by who sends to whom in the schedule, whoever wrote it.
 *
 *      ring          two rings     mesh       form_tree.c    form_cube.c   form_nodes.c
 *      0 > 1 > 2     0 = 1 = 2     all with   line, star,    cubes of 2    a row, or a
 *      ^       v     ||      ||    all        tree           dimensions    column, each
 *      5 < 4 < 3     5 = 4 = 3                               to 4
 *
 *   - The first shape that fits is taken; a schedule that has none of them stands on an oval.
 */
#include "panels/ring/ring.h"

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
        if (rv_form_nodes(form, n, per_node)) return RV_FORM_NODES;
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
