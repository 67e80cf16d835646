/* numbers.h: a list of numbers that grows. Private to sim/. */
#pragma once

#include "ringsim.h"

#include <string.h>

typedef struct rs_numbers {
    int32_t *items;
    int32_t n, room;
} rs_numbers;

/* Makes room for more than n of `size` bytes by doubling, and keeps those n; false: no memory. */
static inline bool rs_grow(rs_arena *arena, void **items, int32_t n, int32_t *room, size_t size) {
    if (n < *room) return true;
    const int32_t wider = *room == 0 ? 4 : 2 * *room;
    void *made = rs_alloc(arena, (size_t)wider, size);
    if (made == NULL) return false;
    if (n > 0) memcpy(made, *items, (size_t)n * size);
    *items = made;
    *room = wider;
    return true;
}

/* Appends a number; false: no memory. */
static inline bool rs_numbers_add(rs_numbers *to, int32_t item, rs_arena *arena) {
    if (to->n == to->room) {
        void *items = to->items;
        if (!rs_grow(arena, &items, to->n, &to->room, sizeof item)) return false;
        to->items = items;
    }
    to->items[to->n++] = item;
    return true;
}
