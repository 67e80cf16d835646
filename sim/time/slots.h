/* slots.h: the transfers under way, and heaps of them. Private to sim/.
 *
 *     pages  [ 256 slots ] [ 256 slots ] ...     a slot never moves, its number is used again
 *
 *   - Pages come one by one, so that a short run clears little memory.
 *   - A slot is in one heap or one chain at a time: `child` and `sibling` belong to whoever holds it.
 *   - The heaps are pairing heaps (Fredman et al., Algorithmica 1986), by turn, then step, list order
 *     and source; no two slots are equal.
 */
#ifndef RS_SLOTS_H
#define RS_SLOTS_H

#include "ringsim.h"

enum { RS_SLOTS_PAGE = 256, RS_NO_SLOT = -1 };

typedef struct rs_slot {
    rs_transfer transfer;
    int32_t step;
    int32_t child, sibling;
    int64_t turn; /* the time it became ready, or what the engine says */
    int64_t start_ps, end_ps;
} rs_slot;

typedef struct rs_slots {
    rs_arena *arena;
    rs_slot **pages;
    int32_t n_pages, pages_capacity;
    int32_t n_used; /* ever used */
    int32_t free;   /* chain of released slots through sibling */
} rs_slots;

void rs_slots_init(rs_slots *slots, rs_arena *arena);
int32_t rs_slots_take(rs_slots *slots); /* RS_NO_SLOT: no memory */

static inline rs_slot *rs_slot_at(const rs_slots *slots, int32_t slot) {
    const uint32_t number = (uint32_t)slot;
    return &slots->pages[number / RS_SLOTS_PAGE][number % RS_SLOTS_PAGE];
}

static inline void rs_slots_release(rs_slots *slots, int32_t slot) {
    rs_slot_at(slots, slot)->sibling = slots->free;
    slots->free = slot;
}

/* Tells whose turn is first. */
static inline bool rs_slot_before(const rs_slot *a, const rs_slot *b) {
    if (a->turn != b->turn) return a->turn < b->turn;
    if (a->step != b->step) return a->step < b->step;
    if (a->transfer.order != b->transfer.order) return a->transfer.order < b->transfer.order;
    return a->transfer.src < b->transfer.src;
}

/* A heap is its first slot, RS_NO_SLOT when empty; both return the new one. */
int32_t rs_slots_add(const rs_slots *slots, int32_t heap, int32_t slot);
int32_t rs_slots_without_first(const rs_slots *slots, int32_t heap);

#endif
