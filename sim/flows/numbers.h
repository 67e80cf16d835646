/* numbers.h: a list of numbers that grows. Private to sim/. */
#pragma once

#include "base/containers.h"
#include "ringsim.h"

typedef struct rs_numbers {
    int32_t *items;
    int32_t n, room;
} rs_numbers;

/* Appends a number; false: no memory. */
static inline bool rs_numbers_add(rs_numbers *to, int32_t item, rs_arena *arena) {
    if (!rs_reserve(arena, &to->items, to->n + 1, &to->room)) return false;
    to->items[to->n++] = item;
    return true;
}
