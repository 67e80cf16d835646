/* ring_form.c: which way round the cards stand: by who sends to whom in the schedule.
 *
 *        ring                 star                  tree
 *      0 - 1               1       2               0
 *      |   |                 \   /               / | \
 *      3 - 2                   0               1   2   4
 *                            /   \                 |  / \
 *      and all others      3       4               3 5   6
 *
 *   - A star has all its wires at one GPU; a tree has one wire fewer than GPUs and reaches them all.
 *     Its root is the schedule's, or where most wires meet, if three do. A chain is none.
 */
#include "panels/ring/ring.h"

#include <math.h>

static int count(uint16_t set) {
    int n = 0;
    for (; set != 0; set &= (uint16_t)(set - 1)) n++;
    return n;
}

/* Returns who exchanges with whom, a bit a GPU. */
static void find_wires(const rs_schedule *schedule, rv_form *form) {
    enum { MOST_STEPS = 64 };
    for (int32_t step = 0; step < schedule->n_steps && step < MOST_STEPS; step++) {
        rs_cursor cursor = {0};
        rs_transfer t;
        while (rs_next_transfer(schedule, step, &cursor, &t)) {
            form->wires[t.src] |= (uint16_t)(1U << t.dst);
            form->wires[t.dst] |= (uint16_t)(1U << t.src);
        }
    }
}

/* Puts the others round the middle: where their number is even none stands right above it. */
static void set_star(rv_form *form, int32_t n, int32_t middle) {
    const double first = n % 2 == 1 ? 0.5 : 0;
    for (int32_t r = 0, k = 0; r < n; r++) {
        const double angle = RV_TURN * (k + first) / (n - 1);
        if (r == middle) continue;
        form->spots[r] = (rv_point){sin(angle), -cos(angle)};
        k++;
    }
    form->spots[middle] = (rv_point){0, 0};
}

/* Lays a GPU and all below it out from column *column on; x and y count columns and levels. *seen
   are the GPUs that have their spots. */
static void lay_tree(rv_form *form, int32_t rank, int level, int *column, uint16_t *seen) {
    double first = -1, last = 0;
    *seen |= (uint16_t)(1U << rank);
    for (int32_t child = 0; child < RV_MOST_CARDS; child++) {
        if (!(form->wires[rank] & 1U << child) || *seen & 1U << child) continue;
        lay_tree(form, child, level + 1, column, seen);
        last = form->spots[child].x;
        if (first < 0) first = last;
    }
    const double x = first < 0 ? (*column)++ : (first + last) / 2;
    form->spots[rank] = (rv_point){x, level};
}

/* Stretches the spots to -1..1 both ways. */
static void stretch(rv_form *form, int32_t n) {
    rv_point least = form->spots[0], most = form->spots[0];
    for (int32_t r = 1; r < n; r++) {
        const rv_point p = form->spots[r];
        least = (rv_point){fmin(least.x, p.x), fmin(least.y, p.y)};
        most = (rv_point){fmax(most.x, p.x), fmax(most.y, p.y)};
    }
    for (int32_t r = 0; r < n; r++) {
        rv_point *p = &form->spots[r];
        p->x = most.x > least.x ? 2 * (p->x - least.x) / (most.x - least.x) - 1 : 0;
        p->y = most.y > least.y ? 2 * (p->y - least.y) / (most.y - least.y) - 1 : 0;
    }
}

rv_form rv_form_of(const rs_schedule *schedule) {
    const int32_t n = schedule->n_ranks;
    rv_form form = {0};
    if (n > RV_MOST_CARDS) return form;
    find_wires(schedule, &form);
    int n_wires = 0;
    int32_t middle = schedule->root;
    for (int32_t r = 0; r < n; r++) {
        n_wires += count(form.wires[r]);
        const int met = count(form.wires[r]);
        if (met > 2 && met > count(form.wires[middle])) middle = r;
    }
    n_wires /= 2;
    form.n_wires = n_wires;
    if (n < 4 || n_wires != n - 1) return form;
    if (count(form.wires[middle]) == n - 1) {
        set_star(&form, n, middle);
    } else {
        int columns = 0;
        uint16_t reached = 0;
        lay_tree(&form, middle, 0, &columns, &reached);
        if (count(reached) < n || columns < 2) return form; /* in pieces, or a chain */
        stretch(&form, n);
    }
    form.spread = true;
    return form;
}
