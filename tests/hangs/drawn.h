/* drawn.h: what each suite of drawn jobs begins with: memory, and numbers by chance.
 *
 *     TestSuite(hang_rows, .init = start, .fini = stop);
 */
#pragma once

#include "hang/dumps/data_tree.h"

static rs_arena arena;
static rs_heap heap;
static uint64_t state; /* of draw */

static inline void start(void) {
    rs_arena_init(&arena, NULL);
    heap = (rs_heap){.arena = &arena};
}
static inline void stop(void) {
    rs_arena_free(&arena);
}

/* Returns a number from 0 to below - 1. */
static inline int32_t draw(uint32_t below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (int32_t)((uint32_t)(state >> 33) % below);
}
