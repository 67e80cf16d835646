/* ports.c: what waits at the ports (ports.h says what for).
 *
 *     receive port of rank 1, busy  <-- watched by  [3 -> 1]  [0 -> 1]     each port's watchers are
 *     send port of rank 2, busy     <-- watched by  [2 -> 1]  [2 -> 0]     a heap, by their turns
 *
 * Whoever waits watches one port that is busy, and the first to do so has it woken when it is free.
 * That the other may be busy too matters only when this
 * one is free. So all that can start at an instant watches a port that was freed at this instant:
 * the first of each freed port's watchers come in turn; who finds its other port busy goes to watch
 * that one; who starts makes the port busy again, and the rest stay where they are. Then the newly
 * ready. (The two watched literals of SAT solvers; pairing heaps, Fredman et al., Algorithmica 1986.)
 */
#include "ports.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 256, FEW = 12, NONE = -1, SEND = 0, RECEIVE = 1 };

/* While a port is busy and watched, a wake is on its way; or it is among the freed of this instant. */
typedef struct port {
    int64_t free_ps; /* busy until then */
    int32_t first;   /* the watcher whose turn is first, NONE */
} port;

typedef struct candidate {
    int32_t slot; /* the port's first watcher when it came into the heap: its turn is the key */
    int32_t port; /* 2 rank + side */
} candidate;

typedef struct newcomer { /* the sorting key beside the slot */
    int32_t step, order, src, slot;
} newcomer;

struct rs_ports {
    rs_arena *arena;
    rs_ports_calls calls;
    int64_t now_ps;
    port *ports;     /* [2 n_ranks] send and receive port of each rank */
    rs_slot **pages; /* slots never move */
    int32_t n_pages, pages_capacity;
    int32_t n_slots;   /* ever used */
    int32_t free_slot; /* chain of released slots through sibling */
    candidate *freed;  /* [2 n_ranks] watched ports freed at this instant: a heap, by turn */
    int32_t n_freed;
    newcomer *newcomers;
    int32_t n_newcomers, newcomers_capacity;
};

rs_ports *rs_ports_new(int32_t n_ranks, const rs_ports_calls *calls, rs_arena *arena) {
    const size_t n = (size_t)n_ranks;
    rs_ports *made = rs_alloc(arena, 1, sizeof *made);
    if (made == NULL) return NULL;
    *made = (rs_ports){
        .arena = arena,
        .calls = *calls,
        .ports = rs_alloc(arena, 2 * n, sizeof *made->ports),
        .freed = rs_alloc(arena, 2 * n, sizeof *made->freed),
        .free_slot = NONE,
    };
    if (!made->ports || !made->freed) return NULL;
    for (size_t i = 0; i < 2 * n; i++) made->ports[i] = (port){.first = NONE};
    return made;
}

rs_slot *rs_ports_slot(const rs_ports *ports, int32_t slot) {
    return &ports->pages[slot / PAGE][slot % PAGE];
}

/* Returns an array of twice the size with the old content, NULL if there is no memory. */
static void *doubled(rs_arena *arena, const void *old, int32_t *capacity, size_t size) {
    if (*capacity > INT32_MAX / 2) return NULL;
    const int32_t wanted = *capacity == 0 ? 64 : 2 * *capacity;
    void *made = rs_alloc(arena, (size_t)wanted, size);
    if (made == NULL) return NULL;
    if (*capacity > 0) memcpy(made, old, (size_t)*capacity * size);
    *capacity = wanted;
    return made;
}

static bool add_page(rs_ports *ports) {
    if (ports->n_pages == ports->pages_capacity) {
        rs_slot **pages =
            doubled(ports->arena, ports->pages, &ports->pages_capacity, sizeof *ports->pages);
        if (pages == NULL) return false;
        ports->pages = pages;
    }
    rs_slot *page = rs_alloc(ports->arena, PAGE, sizeof *page);
    if (page == NULL) return false;
    ports->pages[ports->n_pages++] = page;
    return true;
}

/* Returns a slot's number, NONE if there is no memory. */
static int32_t take_slot(rs_ports *ports) {
    const int32_t slot = ports->free_slot;
    if (slot != NONE) {
        ports->free_slot = rs_ports_slot(ports, slot)->sibling;
        return slot;
    }
    if (ports->n_slots == ports->n_pages * PAGE && !add_page(ports)) return NONE;
    return ports->n_slots++;
}

void rs_ports_release(rs_ports *ports, int32_t slot) {
    rs_ports_slot(ports, slot)->sibling = ports->free_slot;
    ports->free_slot = slot;
}

bool rs_ports_ready(rs_ports *ports, const rs_transfer *transfer, int32_t step, int64_t now_ps) {
    if (ports->n_newcomers == ports->newcomers_capacity) {
        newcomer *more = doubled(ports->arena, ports->newcomers, &ports->newcomers_capacity,
                                 sizeof *ports->newcomers);
        if (more == NULL) return false;
        ports->newcomers = more;
    }
    const int32_t slot = take_slot(ports);
    if (slot == NONE) return false;
    *rs_ports_slot(ports, slot) = (rs_slot){.transfer = *transfer, .step = step, .turn = now_ps};
    ports->newcomers[ports->n_newcomers++] = (newcomer){step, transfer->order, transfer->src, slot};
    return true;
}

static int32_t port_of(const rs_slot *slot, int side) {
    return side == SEND ? 2 * slot->transfer.src + SEND : 2 * slot->transfer.dst + RECEIVE;
}

static bool is_busy(const rs_ports *ports, int32_t at) {
    return ports->ports[at].free_ps > ports->now_ps;
}

static bool can_start(const rs_ports *ports, const rs_slot *slot) {
    return !is_busy(ports, port_of(slot, SEND)) && !is_busy(ports, port_of(slot, RECEIVE));
}

/* Tells whose turn is first. Two different slots are never equal. */
static bool goes_before(const rs_slot *a, const rs_slot *b) {
    if (a->turn != b->turn) return a->turn < b->turn;
    if (a->step != b->step) return a->step < b->step;
    if (a->transfer.order != b->transfer.order) return a->transfer.order < b->transfer.order;
    return a->transfer.src < b->transfer.src;
}

/* Joins two heaps of watchers; either may be NONE. */
static int32_t meld(const rs_ports *ports, int32_t a, int32_t b) {
    if (a == NONE || b == NONE) return a == NONE ? b : a;
    if (goes_before(rs_ports_slot(ports, b), rs_ports_slot(ports, a))) {
        const int32_t swap = a;
        a = b;
        b = swap;
    }
    rs_slot *above = rs_ports_slot(ports, a);
    rs_ports_slot(ports, b)->sibling = above->child;
    above->child = b;
    return a;
}

int32_t rs_ports_add(const rs_ports *ports, int32_t heap, int32_t slot) {
    rs_slot *at = rs_ports_slot(ports, slot);
    at->child = at->sibling = NONE;
    return meld(ports, heap, slot);
}

/* The children of the first are joined in pairs, then the pairs from the last. */
int32_t rs_ports_without_first(const rs_ports *ports, int32_t heap) {
    int32_t child = rs_ports_slot(ports, heap)->child, pairs = NONE, rest = NONE;
    while (child != NONE) {
        const int32_t second = rs_ports_slot(ports, child)->sibling;
        const int32_t next = second == NONE ? NONE : rs_ports_slot(ports, second)->sibling;
        const int32_t joined = meld(ports, child, second);
        rs_ports_slot(ports, joined)->sibling = pairs;
        pairs = joined;
        child = next;
    }
    while (pairs != NONE) {
        const int32_t next = rs_ports_slot(ports, pairs)->sibling;
        rest = meld(ports, rest, pairs);
        pairs = next;
    }
    return rest;
}

static bool ask_to_wake(const rs_ports *ports, int32_t at) {
    return ports->calls.wake(ports->calls.context, at, ports->ports[at].free_ps);
}

/* Lets a slot watch one of its ports that is busy. */
static bool watch(const rs_ports *ports, int32_t slot) {
    const rs_slot *at = rs_ports_slot(ports, slot);
    const int32_t receiver = port_of(at, RECEIVE);
    const int32_t busy = is_busy(ports, receiver) ? receiver : port_of(at, SEND);
    port *watched = &ports->ports[busy];
    const bool asked = watched->first != NONE;
    watched->first = rs_ports_add(ports, watched->first, slot);
    return asked || ask_to_wake(ports, busy);
}

/* Starts a transfer that can. */
static bool begin(rs_ports *ports, int32_t slot) {
    const rs_slot *at = rs_ports_slot(ports, slot);
    const int64_t free_ps = ports->calls.start(ports->calls.context, slot);
    ports->ports[port_of(at, SEND)].free_ps = free_ps;
    ports->ports[port_of(at, RECEIVE)].free_ps = free_ps;
    return free_ps >= 0;
}

static bool sooner(const rs_ports *ports, candidate a, candidate b) {
    return goes_before(rs_ports_slot(ports, a.slot), rs_ports_slot(ports, b.slot));
}

static void push_freed(rs_ports *ports, int32_t at) {
    const candidate new = {ports->ports[at].first, at};
    candidate *heap = ports->freed;
    int32_t i = ports->n_freed++;
    for (; i > 0 && sooner(ports, new, heap[(i - 1) / 2]); i = (i - 1) / 2) {
        heap[i] = heap[(i - 1) / 2];
    }
    heap[i] = new;
}

static candidate pop_freed(rs_ports *ports) {
    candidate *heap = ports->freed;
    const candidate top = heap[0], last = heap[--ports->n_freed];
    int32_t i = 0;
    for (int32_t child = 1; child < ports->n_freed; child = 2 * i + 1) {
        if (child + 1 < ports->n_freed && sooner(ports, heap[child + 1], heap[child])) child++;
        if (!sooner(ports, heap[child], last)) break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return top;
}

void rs_ports_wake(rs_ports *ports, int32_t at) {
    assert(ports->ports[at].first != NONE);
    push_freed(ports, at);
}

/* A port that was taken meanwhile keeps its watchers: it is busy, as they expect. Nobody begins to
   watch a port that is free. */
static bool give_freed(rs_ports *ports) {
    while (ports->n_freed > 0) {
        const candidate next = pop_freed(ports);
        port *freed = &ports->ports[next.port];
        if (!is_busy(ports, next.port)) {
            assert(freed->first == next.slot);
            freed->first = rs_ports_without_first(ports, next.slot);
            const bool can = can_start(ports, rs_ports_slot(ports, next.slot));
            if (can ? !begin(ports, next.slot) : !watch(ports, next.slot)) return false;
        }
        if (freed->first == NONE) continue;
        if (!is_busy(ports, next.port)) {
            push_freed(ports, next.port);
        } else if (!ask_to_wake(ports, next.port)) {
            return false;
        }
    }
    return true;
}

static int by_turn(const void *left, const void *right) {
    const newcomer *a = left, *b = right;
    if (a->step != b->step) return a->step < b->step ? -1 : 1;
    if (a->order != b->order) return a->order < b->order ? -1 : 1;
    return (a->src > b->src) - (a->src < b->src);
}

/* Mostly there are one or two; library sorts are dear for so few. */
static void sort_newcomers(newcomer *newcomers, int32_t n) {
    if (n > FEW) {
        qsort(newcomers, (size_t)n, sizeof *newcomers, by_turn);
        return;
    }
    for (int32_t i = 1; i < n; i++) {
        const newcomer new = newcomers[i];
        int32_t at = i;
        for (; at > 0 && by_turn(&new, &newcomers[at - 1]) < 0; at--) {
            newcomers[at] = newcomers[at - 1];
        }
        newcomers[at] = new;
    }
}

bool rs_ports_give(rs_ports *ports, int64_t now_ps) {
    ports->now_ps = now_ps;
    if (!give_freed(ports)) return false;
    const int32_t n = ports->n_newcomers;
    ports->n_newcomers = 0;
    sort_newcomers(ports->newcomers, n);
    for (int32_t i = 0; i < n; i++) {
        const int32_t slot = ports->newcomers[i].slot;
        const bool can = can_start(ports, rs_ports_slot(ports, slot));
        if (can ? !begin(ports, slot) : !watch(ports, slot)) return false;
    }
    return true;
}
