/* port_queue.c: how messages join and leave the queues at the ports (port_queue.h). */
#include "time/port_queue.h"
#include "time/slots.h"

#include <string.h>

/* ------------------------------------------------------------------ pages of slots, and pairing heaps of them (slots.h) */

enum { NONE = RS_NO_SLOT, FIRST_PAGES = 64, FIRST_GROWTH = 16 };

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

/* Takes one that was never used; RS_NO_SLOT: no memory. */
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

bool rs_port_queues_init(rs_port_queues *queues, int32_t n_ranks, rs_slots *slots,
                         rs_arena *arena) {
    *queues = (rs_port_queues){
        .slots = slots,
        .arena = arena,
        .n_ranks = n_ranks,
        .n_words = (n_ranks + 63) / 64,
        .in_turn = true,
    };
    for (int side = RS_SEND; side <= RS_RECEIVE; side++) {
        queues->of[side] = rs_alloc(arena, (size_t)n_ranks, sizeof(rs_port_queue));
        if (queues->of[side] == NULL) return false;
    }
    return true;
}

/* ------------------------------------------------------------------ entries */

/* Moves the entries of messages that still wait to `to`. */
static void close_up(const rs_port_queues *queues, rs_port_queue *queue, rs_waiting *to) {
    int32_t n = 0;
    for (int32_t i = queue->first; i < queue->end; i++) {
        if (rs_port_queues_waits(queues, queue->entries[i])) to[n++] = queue->entries[i];
    }
    assert(n == queue->n);
    queue->entries = to;
    queue->first = 0;
    queue->end = n;
}

static bool make_room(const rs_port_queues *queues, rs_port_queue *queue) {
    const int32_t had = queue->capacity;
    if (had == 0) {
        queue->entries = queue->own;
        queue->capacity = RS_OWN_ENTRIES;
    } else if (2 * queue->n <= had) {
        close_up(queues, queue, queue->entries);
    } else {
        if (had > INT32_MAX / 4) return false;
        const int32_t wanted = had < FIRST_GROWTH ? FIRST_GROWTH : 2 * had;
        rs_waiting *more = rs_alloc(queues->arena, (size_t)wanted, sizeof *more);
        if (more == NULL) return false;
        close_up(queues, queue, more);
        queue->capacity = wanted;
    }
    return true;
}

/* Finds the place of a message whose turn may be before that of others, and moves those one place
   back. */
static int32_t make_way(const rs_port_queues *queues, const rs_port_queue *queue, int32_t slot) {
    int32_t place = queue->end;
    for (; place > queue->first; place--) {
        const rs_waiting before = queue->entries[place - 1];
        if (rs_port_queues_waits(queues, before) &&
            rs_slots_before(queues->slots, before.slot, slot)) {
            break;
        }
        queue->entries[place] = before;
    }
    return place;
}

static bool join(const rs_port_queues *queues, rs_port_queue *queue, rs_waiting new, bool is_last) {
    if (queue->end == queue->capacity && !make_room(queues, queue)) return false;
    const int32_t place = is_last ? queue->end : make_way(queues, queue, new.slot);
    queue->entries[place] = new;
    queue->end++;
    queue->n++;
    return true;
}

static void leave(rs_port_queue *queue) {
    assert(queue->n > 0);
    if (--queue->n == 0) queue->first = queue->end = 0;
}

/* ------------------------------------------------------------------ rows */

/* Makes the row of a port, with n_firsts firsts, unless it has one; false: no memory. */
static bool have_row(const rs_port_queues *queues, rs_port_queue *queue, int32_t n_firsts) {
    static_assert(sizeof(rs_waiting) == sizeof(uint64_t), "a first takes a word");
    const size_t n_words = (size_t)(queues->n_words + n_firsts);
    if (queue->row == NULL) queue->row = rs_alloc(queues->arena, n_words, sizeof(uint64_t));
    return queue->row != NULL;
}

/* Enters a message in the rows of its ports. Between two ranks messages become ready in turn, since
   a rank goes from step to step. */
static bool note(const rs_port_queues *queues, rs_waiting new) {
    rs_slot *at = rs_slot_at(queues->slots, new.slot);
    const int32_t src = at->transfer.src, dst = at->transfer.dst;
    rs_port_queue *out = &queues->of[RS_SEND][src], *in = &queues->of[RS_RECEIVE][dst];
    if (!have_row(queues, out, queues->n_ranks) || !have_row(queues, in, 0)) return false;
    rs_waiting *first = &rs_port_queues_firsts(queues, src)[dst];
    at->next = NONE;
    if (first->number == 0) {
        *first = new;
        at->last = new.slot;
        out->row[dst / 64] |= (uint64_t)1 << dst % 64;
        in->row[src / 64] |= (uint64_t)1 << src % 64;
        return true;
    }
    rs_slot *head = rs_slot_at(queues->slots, first->slot);
    assert(rs_slots_before(queues->slots, head->last, new.slot));
    rs_slot_at(queues->slots, head->last)->next = new.slot;
    head->last = new.slot;
    return true;
}

/* Removes the first message between two ports from their rows. */
static void strike(const rs_port_queues *queues, const rs_slot *at) {
    const int32_t src = at->transfer.src, dst = at->transfer.dst;
    rs_waiting *first = &rs_port_queues_firsts(queues, src)[dst];
    assert(rs_slot_at(queues->slots, first->slot) == at);
    if (at->next != NONE) {
        rs_slot *next = rs_slot_at(queues->slots, at->next);
        next->last = at->last;
        *first = (rs_waiting){at->next, next->number};
    } else {
        *first = (rs_waiting){0};
        queues->of[RS_SEND][src].row[dst / 64] &= ~((uint64_t)1 << dst % 64);
        queues->of[RS_RECEIVE][dst].row[src / 64] &= ~((uint64_t)1 << src % 64);
    }
}

bool rs_port_queues_make_rows(rs_port_queues *queues) {
    queues->have_rows = true;
    for (int32_t rank = 0; rank < queues->n_ranks; rank++) {
        const rs_port_queue *queue = &queues->of[RS_SEND][rank];
        for (int32_t i = queue->first; i < queue->end; i++) {
            if (!rs_port_queues_waits(queues, queue->entries[i])) continue;
            if (!note(queues, queue->entries[i])) return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ both queues */

bool rs_port_queues_join(rs_port_queues *queues, int32_t slot, bool is_last) {
    rs_slot *at = rs_slot_at(queues->slots, slot);
    queues->in_turn = queues->in_turn && is_last && queues->n_joined < UINT32_MAX;
    if (++queues->n_joined == 0) queues->n_joined = 1;
    const rs_waiting new = {slot, at->number = queues->n_joined};
    return join(queues, &queues->of[RS_SEND][at->transfer.src], new, is_last) &&
           join(queues, &queues->of[RS_RECEIVE][at->transfer.dst], new, is_last) &&
           (!queues->have_rows || note(queues, new));
}

void rs_port_queues_leave(rs_port_queues *queues, int32_t slot) {
    rs_slot *at = rs_slot_at(queues->slots, slot);
    at->number = 0;
    leave(&queues->of[RS_SEND][at->transfer.src]);
    leave(&queues->of[RS_RECEIVE][at->transfer.dst]);
    if (queues->have_rows) strike(queues, at);
}
