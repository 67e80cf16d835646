/* form_cube.c: wires that are those of a cube: each GPU has a partner in every dimension.
 *
 *            4---------5        A corner's spot is the sum of the vectors of its dimensions. They
 *          / |       / |        are such that no card hides another one, nor a wire between others
 *        0---------1   |        (found by a search over card sizes).
 *        |   6-----|---7
 *        | /       | /          Where N is no power of two an extra GPU stands where its partner
 *        2---------3            would have one in the next dimension; beside a square's corner.
 */
#include "panels/ring/ring.h"

enum { MOST_DIMENSIONS = 4 };

static const rv_point vectors[MOST_DIMENSIONS + 1][MOST_DIMENSIONS] = {
    [2] = {{1, 0}, {0, 1}},
    [3] = {{0.667, 0}, {0, 0.68}, {0.333, -0.32}},
    [4] = {{0.645, 0}, {0, 0.629}, {0.244, -0.112}, {0.111, 0.259}},
};

/* Numbers the corners of `core` so that partners differ in one bit; -1: not yet. Returns false if
   that cannot be. */
static bool number_corners(const rv_form *form, int32_t n, uint16_t core, int dimensions,
                           int corners[]) {
    int32_t first = 0, k = 0;
    for (int32_t r = 0; r < n; r++) corners[r] = -1;
    while (!(core & 1U << first)) first++;
    corners[first] = 0;
    for (int32_t r = 0; r < n; r++) { /* its partners are the corners with one bit */
        if (form->wires[first] & core & 1U << r) corners[r] = 1 << k++;
    }
    /* A corner with several bits is the one that all with a bit less share. */
    for (int bits = 2; bits <= dimensions; bits++) {
        for (int32_t r = 0; r < n; r++) {
            if (!(core & 1U << r) || corners[r] >= 0) continue;
            int sum = 0, below = 0;
            for (int32_t q = 0; q < n; q++) {
                const bool near = corners[q] >= 0 && form->wires[r] & core & 1U << q;
                if (!near || rv_form_count((uint16_t)corners[q]) != bits - 1) continue;
                sum |= corners[q];
                below++;
            }
            if (below == bits) corners[r] = sum;
        }
    }
    uint16_t seen = 0;
    for (int32_t r = 0; r < n; r++) {
        if (!(core & 1U << r)) continue;
        if (corners[r] < 0 || corners[r] >= 1 << dimensions) return false;
        seen |= (uint16_t)(1U << corners[r]);
        for (int32_t q = 0; q < n; q++) {
            if (!(form->wires[r] & core & 1U << q)) continue;
            if (corners[q] < 0) return false;
            if (rv_form_count((uint16_t)(corners[r] ^ corners[q])) != 1) return false;
        }
    }
    return rv_form_count(seen) == 1 << dimensions;
}

bool rv_form_cube(rv_form *form, int32_t n) {
    int corners[RV_MOST_CARDS];
    uint16_t core = 0;
    for (int32_t r = 0; r < n; r++) {
        if (rv_form_count(form->wires[r]) > 1) core |= (uint16_t)(1U << r);
    }
    int dimensions = 0;
    while (1 << dimensions < rv_form_count(core)) dimensions++;
    if (dimensions < 2 || rv_form_count(core) != 1 << dimensions) return false;
    for (int32_t r = 0; r < n; r++) {
        const bool inside = core & 1U << r;
        const uint16_t partners = form->wires[r] & core;
        const int most = inside ? dimensions : 1;
        if (rv_form_count(partners) != most) return false;
        if (inside && rv_form_count(form->wires[r]) > dimensions + 1) return false;
    }
    if (!number_corners(form, n, core, dimensions, corners)) return false;
    for (int32_t r = 0; r < n; r++) { /* an extra GPU and its partner differ in the next bit */
        for (int32_t q = 0; q < n && corners[r] < 0; q++) {
            if (form->wires[r] & 1U << q) corners[r] = corners[q] | 1 << dimensions;
        }
    }
    const rv_point *v =
        vectors[n > 1 << dimensions && dimensions > 2 ? dimensions + 1 : dimensions];
    for (int32_t r = 0; r < n; r++) {
        form->spots[r] = (rv_point){0, 0};
        for (int k = 0; k < MOST_DIMENSIONS; k++) {
            if (!(corners[r] & 1 << k)) continue;
            form->spots[r].x += v[k].x;
            form->spots[r].y += v[k].y;
        }
        if (dimensions == 2 && corners[r] & 4) form->spots[r].x += corners[r] & 1 ? 0.5 : -0.5;
    }
    rv_form_stretch(form, n);
    return true;
}
