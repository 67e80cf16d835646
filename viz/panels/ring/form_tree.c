/* form_tree.c: wires that are one fewer than the GPUs and reach them all.
 *
 *          star                  tree              line
 *       1       2                 0                0 - 1 - 2
 *         \   /                 / | \                      |
 *           0                  1  2  4             5 - 4 - 3
 *         /   \                   |  | \
 *       3       4                 3  5  6
 *
 *   - A long line turns round at the sides.
 */
#include "panels/ring/ring.h"

#include <math.h>

void rv_form_stretch(rv_form *form, int32_t n) {
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

int rv_form_count(uint16_t set) {
    int n = 0;
    for (; set != 0; set &= (uint16_t)(set - 1)) n++;
    return n;
}

/* Puts the others round the middle: where their number is even none stands right above it. */
bool rv_form_star(rv_form *form, int32_t n, int32_t middle) {
    const double first = n % 2 == 1 ? 0.5 : 0;
    if (form->n_wires != n - 1 || rv_form_count(form->wires[middle]) != n - 1) return false;
    for (int32_t r = 0, k = 0; r < n; r++) {
        const double angle = RV_TURN * (k + first) / (n - 1);
        if (r == middle) continue;
        form->spots[r] = (rv_point){sin(angle), -cos(angle)};
        k++;
    }
    form->spots[middle] = (rv_point){0, 0};
    return true;
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

bool rv_form_tree(rv_form *form, int32_t n, int32_t root) {
    int columns = 0;
    uint16_t reached = 0;
    if (form->n_wires != n - 1) return false;
    lay_tree(form, root, 0, &columns, &reached);
    rv_form_stretch(form, n);
    return rv_form_count(reached) == n && columns > 1; /* else in pieces, or a line */
}

bool rv_form_line(rv_form *form, int32_t n) {
    const int32_t rows = n <= 5 ? 1 : n <= 10 ? 2 : 3, columns = (n + rows - 1) / rows;
    int32_t at = -1;
    uint16_t seen = 0;
    if (form->n_wires != n - 1) return false;
    for (int32_t r = 0; r < n; r++) {
        const int met = rv_form_count(form->wires[r]);
        if (met > 2) return false;
        if (met == 1 && at < 0) at = r;
    }
    for (int32_t i = 0; i < n && at >= 0; i++) {
        const int32_t row = i / columns, column = i % columns;
        form->spots[at] = (rv_point){row % 2 == 0 ? column : columns - 1 - column, row};
        seen |= (uint16_t)(1U << at);
        const uint16_t left = form->wires[at] & (uint16_t)~seen;
        for (at = left != 0 ? 0 : -1; at >= 0 && !(left & 1U << at);) at++;
    }
    rv_form_stretch(form, n);
    return rv_form_count(seen) == n;
}
