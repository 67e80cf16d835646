/* ready.c: those parts of ready.h that the engine does not call for every transfer. */
#include "time/ready.h"
#include "base/containers.h"

#include <assert.h>

enum { FEW = 24, LEAST = 64 };

bool rs_ready_init(rs_ready *ready, int32_t width, rs_arena *arena) {
    *ready = (rs_ready){.arena = arena, .width = width};
    return rs_ready_grow(ready);
}

bool rs_ready_grow(rs_ready *ready) {
    const int64_t wanted = (int64_t)ready->n + ready->width + LEAST;
    int32_t capacity = ready->capacity;
    return rs_reserve(ready->arena, &ready->transfers, wanted, &capacity) &&
           rs_reserve(ready->arena, &ready->steps, wanted, &ready->capacity);
}

/* Returns the sorting key: the step in the high bits, the place in the step's list in the low
   ones. */
static uint64_t turn_of(const rs_ready *ready, int32_t at) {
    return (uint64_t)(uint32_t)ready->steps[at] << 32 | (uint32_t)ready->transfers[at].order;
}

/* Tells whether nothing is to sort: mostly ranks have entered in order, with one message each. */
static bool is_sorted(const rs_ready *ready) {
    for (int32_t i = 1; i < ready->n; i++) {
        if (turn_of(ready, i) < turn_of(ready, i - 1)) return false;
    }
    return true;
}

/* Sorts a few. */
static void insertion_sort(rs_turn turns[], int32_t n) {
    for (int32_t i = 1; i < n; i++) {
        const rs_turn new = turns[i];
        int32_t at = i;
        for (; at > 0 && turns[at - 1].key > new.key; at--) turns[at] = turns[at - 1];
        turns[at] = new;
    }
}

/* Sorts by one byte of the keys into `to`; keeps the order of keys with the same byte. */
static void sort_by_byte(const rs_turn turns[], int32_t n, int shift, rs_turn to[]) {
    int32_t first[257] = {0};
    for (int32_t i = 0; i < n; i++) first[(turns[i].key >> shift & 255) + 1]++;
    for (int i = 0; i < 256; i++) first[i + 1] += first[i];
    for (int32_t i = 0; i < n; i++) to[first[turns[i].key >> shift & 255]++] = turns[i];
}

bool rs_ready_sort(rs_ready *ready, const rs_turn **turns) {
    assert(ready->n >= 1);
    const int32_t n = ready->n;
    *turns = NULL;
    if (is_sorted(ready)) return true;
    if (!rs_reserve(ready->arena, &ready->turns, 2 * (int64_t)n, &ready->n_turns)) return false;
    rs_turn *from = ready->turns, *to = from + n;
    uint64_t varies = 0;
    for (int32_t i = 0; i < n; i++) {
        from[i] = (rs_turn){turn_of(ready, i), i};
        varies |= from[i].key ^ from[0].key;
    }
    if (n <= FEW) {
        insertion_sort(from, n);
        varies = 0;
    }
    for (int shift = 0; shift < 64; shift += 8) {
        if ((varies >> shift & 255) == 0) continue;
        sort_by_byte(from, n, shift, to);
        rs_turn *const swap = from;
        from = to;
        to = swap;
    }
    *turns = from;
    return true;
}
