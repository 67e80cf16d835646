/* machine_columns.c: where the switches of one row lie: each over (or under) what hangs on it; side by side where
 * several hang on the same. See machine_draft.h.
 */
#include "panels/machine/machine_draft.h"

#include <math.h>
#include <stdlib.h>

typedef struct hung {
    int32_t device, n;    /* n: how many places nearer to the GPUs are joined to it */
    double low, high, at; /* where they lie: the middles of the outermost; the mean */
} hung;

static int from_left(const void *left, const void *right) {
    const hung *a = left, *b = right;
    if (a->at != b->at) return a->at < b->at ? -1 : 1;
    return (a->device > b->device) - (a->device < b->device);
}

/* Measures what hangs on a switch; without anything it takes the middle of from..to. */
static hung measure(const rv_draft *draft, int32_t device, double from, double to) {
    const rs_machine *machine = draft->machine;
    hung c = {device, 0, INFINITY, -INFINITY, 0};
    const int32_t own = abs(draft->spots[device].row - draft->spots[0].row);
    for (int32_t k = machine->at_first[device]; k < machine->at_first[device + 1]; k++) {
        const rs_machine_link *link = &machine->links[machine->at[k]];
        const int32_t other = rv_place_of_device(draft, link->a == device ? link->b : link->a);
        const rv_spot *spot = &draft->spots[other];
        if (spot->box.w <= 0 || abs(spot->row - draft->spots[0].row) >= own) continue;
        const double x = rv_centre(spot->box).x;
        c.low = fmin(c.low, x);
        c.high = fmax(c.high, x);
        c.at += x;
        c.n++;
    }
    if (c.n == 0) c.low = c.high = (from + to) / 2;
    c.at = c.n > 0 ? c.at / c.n : c.low;
    return c;
}

/* Tells whether each can lie right where it belongs, with `least` room for it. */
static bool are_apart(const hung list[], int32_t n, double least) {
    for (int32_t i = 1; i < n; i++) {
        const double before = fmax(list[i - 1].high, list[i - 1].at + least / 2);
        if (fmin(list[i].low, list[i].at - least / 2) < before) return false;
    }
    return true;
}

bool rv_place_row(rv_draft *draft, int32_t row, int32_t node, double from, double to) {
    const rs_machine *machine = draft->machine;
    const double u = draft->unit, y = draft->row_y[row], h = draft->row_h[row];
    int32_t n = 0;
    for (int32_t d = machine->n_gpus; d < machine->n_devices; d++) {
        n += draft->spots[d].row == row && machine->node[d] == node;
    }
    if (n == 0) return true;
    hung *list = rs_alloc(draft->arena, (size_t)n, sizeof *list);
    if (list == NULL) return false;
    n = 0;
    for (int32_t d = machine->n_gpus; d < machine->n_devices; d++) {
        if (draft->spots[d].row != row || machine->node[d] != node) continue;
        list[n++] = measure(draft, d, from, to);
    }
    qsort(list, (size_t)n, sizeof *list, from_left);
    const double slot = (to - from) / n;
    const double narrow =
        fmin(fmin(4.4 * u, 0.86 * slot), draft->slot > 0 ? 0.86 * draft->slot : INFINITY);
    const bool apart = are_apart(list, n, narrow * 1.1);
    for (int32_t i = 0; i < n; i++) {
        double middle = list[i].at, w = narrow;
        if (!apart) {
            middle = from + slot * (i + 0.5);
            w = fmin(0.8 * slot, fmax(4.4 * u, list[i].n > 1 ? list[i].high - list[i].low : 0));
        } else if (list[i].n > 1) {
            middle = (list[i].low + list[i].high) / 2;
            w = fmax(narrow, list[i].high - list[i].low +
                                 0.7 * fmin(draft->slot > 0 ? draft->slot : 4 * u, 4 * u));
        }
        w = fmin(w, 2 * fmin(middle - from, to - middle));
        draft->spots[list[i].device].box = (rv_box){middle - w / 2, y, w, h};
    }
    return true;
}
