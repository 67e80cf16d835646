/* slots.c: pages of slots, and pairing heaps of them (slots.h). */
#include "time/slots.h"

#include <string.h>

enum { NONE = RS_NO_SLOT, FIRST_PAGES = 64 };

void rs_slots_init(rs_slots *slots, rs_arena *arena) {
    *slots = (rs_slots){.arena = arena, .free = NONE};
}

static bool more_pages(rs_slots *slots) {
    if (slots->pages_capacity > INT32_MAX / RS_SLOTS_PAGE / 2) return false;
    const int32_t wanted = slots->pages_capacity == 0 ? FIRST_PAGES : 2 * slots->pages_capacity;
    rs_slot **pages = rs_alloc(slots->arena, (size_t)wanted, sizeof *pages);
    if (pages == NULL) return false;
    if (slots->n_pages > 0) memcpy(pages, slots->pages, (size_t)slots->n_pages * sizeof *pages);
    slots->pages = pages;
    slots->pages_capacity = wanted;
    return true;
}

static bool add_page(rs_slots *slots) {
    if (slots->n_pages == slots->pages_capacity && !more_pages(slots)) return false;
    rs_slot *page = rs_alloc(slots->arena, RS_SLOTS_PAGE, sizeof *page);
    if (page == NULL) return false;
    slots->pages[slots->n_pages++] = page;
    return true;
}

int32_t rs_slots_take_new(rs_slots *slots) {
    if (slots->n_used == slots->n_pages * RS_SLOTS_PAGE && !add_page(slots)) return NONE;
    return slots->n_used++;
}

/* Joins two heaps; either may be empty. */
static int32_t meld(const rs_slots *slots, int32_t a, int32_t b) {
    if (a == NONE || b == NONE) return a == NONE ? b : a;
    if (rs_slot_at(slots, b)->step < rs_slot_at(slots, a)->step) {
        const int32_t swap = a;
        a = b;
        b = swap;
    }
    rs_slot *above = rs_slot_at(slots, a);
    rs_slot_at(slots, b)->next = above->child;
    above->child = b;
    return a;
}

int32_t rs_slots_add(const rs_slots *slots, int32_t heap, int32_t slot) {
    rs_slot *at = rs_slot_at(slots, slot);
    at->child = at->next = at->companion = NONE;
    rs_slot *first = heap == NONE ? NULL : rs_slot_at(slots, heap);
    if (first == NULL || first->step != at->step) return meld(slots, heap, slot);
    at->companion = first->companion;
    first->companion = slot;
    return heap;
}

/* Joins the children of the first in pairs, then the pairs, starting with the last. */
int32_t rs_slots_without_first(const rs_slots *slots, int32_t heap) {
    int32_t child = rs_slot_at(slots, heap)->child, pairs = NONE, rest = NONE;
    while (child != NONE) {
        const int32_t second = rs_slot_at(slots, child)->next;
        const int32_t next = second == NONE ? NONE : rs_slot_at(slots, second)->next;
        const int32_t joined = meld(slots, child, second);
        rs_slot_at(slots, joined)->next = pairs;
        pairs = joined;
        child = next;
    }
    while (pairs != NONE) {
        const int32_t next = rs_slot_at(slots, pairs)->next;
        rest = meld(slots, rest, pairs);
        pairs = next;
    }
    return rest;
}
