/* slots.h: the messages that wait for something, and heaps of them. Private to sim/.
 *
 *     pages  [ 256 slots ] [ 256 slots ] ...     a slot never moves, its number is used again
 *
 *   - A message waits for its ports (port_queue.h holds it then), or, started by an eager sender, for a
 *     receiver that is still in an earlier step (then it is in that receiver's heap).
 *   - Pages come one by one, so that a short run clears little memory. A slot is one cache line.
 *   - The heaps are pairing heaps (Fredman et al., Algorithmica 1986), by step. Who comes with the step
 *     of the first becomes its companion, and leaves with it.
 */
#pragma once

#include "time/costs.h"

#include <assert.h>

enum { RS_SLOTS_PAGE = 256, RS_NO_SLOT = -1 };

typedef struct rs_slot {
    _Alignas(64) rs_transfer transfer;
    int32_t step;
    /* between the same two ports, the first after the last; in a heap: its sibling; free */
    int32_t next;
    union {
        struct { /* waits for its ports */
            int64_t ready_ps;
            rs_cost cost;
        };
        struct { /* waits for its receiver */
            int64_t start_ps, end_ps;
            int32_t child;     /* in a heap */
            int32_t companion; /* the next that leaves the heap with it */
        };
    };
    uint32_t number; /* of the message that waits for its ports; 0: none does */
    int32_t last;    /* in the first of those between the same two ports: the last of them */
} rs_slot;

static_assert(sizeof(rs_slot) == 64, "a slot is one cache line");

typedef struct rs_slots {
    rs_arena *arena;
    rs_slot **pages;
    int32_t n_pages, pages_capacity;
    int32_t n_used; /* ever used */
    int32_t free;   /* a chain of released slots */
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
    slots->free = rs_slot_at(slots, slot)->next;
    if (slots->free != RS_NO_SLOT) __builtin_prefetch(rs_slot_at(slots, slots->free), 1);
    return slot;
}

static inline void rs_slots_release(rs_slots *slots, int32_t slot) {
    rs_slot_at(slots, slot)->next = slots->free;
    slots->free = slot;
}

/* Tells whether the turn of `a` at a port is before that of `b`. */
static inline bool rs_slots_before(const rs_slots *slots, int32_t a, int32_t b) {
    const rs_slot *left = rs_slot_at(slots, a), *right = rs_slot_at(slots, b);
    if (left->ready_ps != right->ready_ps) return left->ready_ps < right->ready_ps;
    if (left->step != right->step) return left->step < right->step;
    return left->transfer.order < right->transfer.order;
}

/* A heap is its first slot, RS_NO_SLOT when empty; both return the new one. */
int32_t rs_slots_add(const rs_slots *slots, int32_t heap, int32_t slot);
/* Takes out the first and its companions. */
int32_t rs_slots_without_first(const rs_slots *slots, int32_t heap);
