/* form_parts.c: what all shapes need: sets of GPUs, spots between -1 and 1. */
#include "panels/ring/ring.h"

#include <math.h>

int rv_form_count(uint16_t set) {
    int n = 0;
    for (; set != 0; set &= (uint16_t)(set - 1)) n++;
    return n;
}

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
