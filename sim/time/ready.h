/* ready.h: the transfers that become ready at one instant. Private to sim/.
 *
 *     transfers   [ ready ][ ready ] | [ room for what one rank sends and receives in a step ]
 *     steps       [   s   ][   s   ] |
 *
 * They wait until all of the instant are known; then they are taken by (step, list order), whatever the
 * order in which they came.
 */
#pragma once

#include "ringsim.h"

typedef struct rs_turn {
    uint64_t key;
    int32_t at; /* in the list */
} rs_turn;

typedef struct rs_ready {
    rs_arena *arena;
    rs_transfer *transfers; /* [capacity] */
    int32_t *steps;
    int32_t n, capacity;
    int32_t width;  /* of the room */
    rs_turn *turns; /* [n_turns] */
    int32_t n_turns;
} rs_ready;

/* Makes an empty list; false: no memory. */
bool rs_ready_init(rs_ready *ready, int32_t width, rs_arena *arena);
/* Makes room once more; false: no memory. */
bool rs_ready_grow(rs_ready *ready);
/* Puts the list in order: (*turns)[0..n-1].at; NULL: it is in order. false: no memory. */
bool rs_ready_sort(rs_ready *ready, const rs_turn **turns);

/* Returns the room behind the list, which is large enough; NULL: no memory. */
static inline rs_transfer *rs_ready_room(rs_ready *ready) {
    if (ready->n + ready->width > ready->capacity && !rs_ready_grow(ready)) return NULL;
    return &ready->transfers[ready->n];
}

/* Adds a transfer; there is room. It may lie in the room itself. */
static inline void rs_ready_add(rs_ready *ready, const rs_transfer *transfer, int32_t step) {
    rs_transfer *to = &ready->transfers[ready->n];
    if (to != transfer) *to = *transfer;
    ready->steps[ready->n++] = step;
}
