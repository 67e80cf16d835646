/* ready.c: the parts of ready.h that are not called for every transfer. */
#include "time/ready.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 12, LEAST = 64 };

bool rs_ready_init(rs_ready *ready, int32_t width, rs_arena *arena) {
    *ready = (rs_ready){.arena = arena, .width = width};
    return rs_ready_grow(ready);
}

bool rs_ready_grow(rs_ready *ready) {
    if (ready->n > INT32_MAX / 4 || ready->width > INT32_MAX / 4) return false;
    const int32_t wanted = 2 * ready->n + ready->width + LEAST;
    rs_transfer *transfers = rs_alloc(ready->arena, (size_t)wanted, sizeof *transfers);
    int32_t *steps = rs_alloc(ready->arena, (size_t)wanted, sizeof *steps);
    if (transfers == NULL || steps == NULL) return false;
    if (ready->n > 0) {
        memcpy(transfers, ready->transfers, (size_t)ready->n * sizeof *transfers);
        memcpy(steps, ready->steps, (size_t)ready->n * sizeof *steps);
    }
    ready->transfers = transfers;
    ready->steps = steps;
    ready->capacity = wanted;
    return true;
}

static bool is_before(const rs_turn *a, const rs_turn *b) {
    if (a->step != b->step) return a->step < b->step;
    if (a->order != b->order) return a->order < b->order;
    return a->src < b->src;
}

static int by_turn(const void *left, const void *right) {
    return is_before(left, right) ? -1 : is_before(right, left);
}

static rs_turn turn_of(const rs_ready *ready, int32_t at) {
    const rs_transfer *transfer = &ready->transfers[at];
    return (rs_turn){ready->steps[at], transfer->order, transfer->src, at};
}

/* Mostly ranks have entered in order, with one message each. */
static bool is_sorted(const rs_ready *ready) {
    rs_turn before = turn_of(ready, 0);
    for (int32_t i = 1; i < ready->n; i++) {
        const rs_turn turn = turn_of(ready, i);
        if (is_before(&turn, &before)) return false;
        before = turn;
    }
    return true;
}

/* For few; library sorts are dear. */
static void insertion_sort(rs_turn turns[], int32_t n) {
    for (int32_t i = 1; i < n; i++) {
        const rs_turn new = turns[i];
        int32_t at = i;
        for (; at > 0 && is_before(&new, &turns[at - 1]); at--) turns[at] = turns[at - 1];
        turns[at] = new;
    }
}

bool rs_ready_sort(rs_ready *ready, const rs_turn **turns) {
    assert(ready->n >= 1);
    *turns = NULL;
    if (is_sorted(ready)) return true;
    if (ready->n > ready->n_turns) {
        rs_turn *more = rs_alloc(ready->arena, (size_t)ready->capacity, sizeof *more);
        if (more == NULL) return false;
        ready->turns = more;
        ready->n_turns = ready->capacity;
    }
    for (int32_t i = 0; i < ready->n; i++) ready->turns[i] = turn_of(ready, i);
    if (ready->n <= FEW) {
        insertion_sort(ready->turns, ready->n);
    } else {
        qsort(ready->turns, (size_t)ready->n, sizeof *ready->turns, by_turn);
    }
    *turns = ready->turns;
    return true;
}
