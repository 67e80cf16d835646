/* slots.h: the messages that wait for something, and heaps of them. Private to sim/.
 *
 *     pages  [ 256 slots ] [ 256 slots ] ...     a slot never moves, its number is used again
 *
 *   - A message waits for its ports (port_queue.h holds it then), or, started by an eager sender, for a
 *     receiver that is still in an earlier step (then it is in that receiver's heap).
 *   - Pages come one by one, so that a short run clears little memory. A slot is one cache line.
 *   - The heaps are pairing heaps (Fredman et al., Algorithmica 1986), by step.
 */
#ifndef RS_SLOTS_H
#define RS_SLOTS_H

#include "ringsim.h"

enum { RS_SLOTS_PAGE = 256, RS_NO_SLOT = -1 };

typedef struct rs_slot {
    rs_transfer transfer;
    int32_t step;
    union {
        struct { /* waits for its ports */
            int64_t ready_ps;
            int32_t next_of_pair; /* the next message between the same two ports, */
            int32_t last_of_pair; /* and, in the first of them, the last */
        };
        struct { /* waits for its receiver */
            int64_t start_ps, end_ps;
        };
    };
    int32_t child, sibling; /* in a heap; sibling: if free, too */
} rs_slot;

typedef struct rs_slots {
    rs_arena *arena;
    rs_slot **pages;
    int32_t n_pages, pages_capacity;
    int32_t n_used; /* ever used */
    int32_t free;   /* chain of released slots through sibling */
} rs_slots;

void rs_slots_init(rs_slots *slots, rs_arena *arena);
/* Takes one that was never used; RS_NO_SLOT: no memory. */
int32_t rs_slots_take_new(rs_slots *slots);

static inline rs_slot *rs_slot_at(const rs_slots *slots, int32_t slot) {
    const uint32_t number = (uint32_t)slot;
    return &slots->pages[number / RS_SLOTS_PAGE][number % RS_SLOTS_PAGE];
}

/* Takes a slot; RS_NO_SLOT: no memory. */
static inline int32_t rs_slots_take(rs_slots *slots) {
    const int32_t slot = slots->free;
    if (slot == RS_NO_SLOT) return rs_slots_take_new(slots);
    slots->free = rs_slot_at(slots, slot)->sibling;
    return slot;
}

static inline void rs_slots_release(rs_slots *slots, int32_t slot) {
    rs_slot_at(slots, slot)->sibling = slots->free;
    slots->free = slot;
}

/* Tells whose turn at a port is first. */
static inline bool rs_turn_before(const rs_slot *a, const rs_slot *b) {
    if (a->ready_ps != b->ready_ps) return a->ready_ps < b->ready_ps;
    if (a->step != b->step) return a->step < b->step;
    if (a->transfer.order != b->transfer.order) return a->transfer.order < b->transfer.order;
    return a->transfer.src < b->transfer.src;
}

/* A heap is its first slot, RS_NO_SLOT when empty; both return the new one. */
int32_t rs_slots_add(const rs_slots *slots, int32_t heap, int32_t slot);
int32_t rs_slots_without_first(const rs_slots *slots, int32_t heap);

#endif
