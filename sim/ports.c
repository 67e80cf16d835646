/* ports.c: waiting lists at the ports (ports.h says what for).
 *
 *     send port of rank 0    -> [0 -> 2] -> [0 -> 1]         a slot is in two lists, each in the
 *     receive port of rank 1 -> [3 -> 1] -> [0 -> 1]         order of the slots' turns
 *
 * Before an instant nothing that waits can start. So whatever of it starts now uses a port that was
 * freed now: the first that can start in each freed port's list is a candidate, and the candidates
 * go in turn; one that came too late is replaced by the next in its list. Then the newly ready.
 */
#include "ports.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, FEW = 12, NONE = -1, SEND = 0, RECEIVE = 1 };

typedef struct port {
    int32_t first, last; /* the waiting list */
    bool busy;
} port;

typedef struct candidate {
    int32_t slot;
    int32_t port; /* 2 rank + side */
} candidate;

typedef struct newcomer { /* the sorting key beside the slot */
    int32_t step, order, src, slot;
} newcomer;

struct rs_ports {
    rs_arena *arena;
    port *ports;      /* [2 n_ranks] send and receive port of each rank */
    int32_t *partner; /* [n_ranks] to whom the rank is sending */
    rs_slot **pages;  /* slots never move */
    int32_t n_pages, pages_capacity;
    int32_t n_slots;   /* ever used */
    int32_t free_slot; /* chain of released slots through next[0] */
    int32_t *freed;    /* [2 n_ranks] ports freed in this instant */
    int32_t n_freed;
    candidate *heap; /* [2 n_ranks] */
    int32_t n_heap;
    newcomer *newcomers;
    int32_t n_newcomers, newcomers_capacity;
};

rs_ports *rs_ports_new(int32_t n_ranks, rs_arena *arena) {
    const size_t n = (size_t)n_ranks;
    rs_ports *made = rs_alloc(arena, 1, sizeof *made);
    if (made == NULL) return NULL;
    *made = (rs_ports){
        .arena = arena,
        .ports = rs_alloc(arena, 2 * n, sizeof *made->ports),
        .partner = rs_alloc(arena, n, sizeof *made->partner),
        .freed = rs_alloc(arena, 2 * n, sizeof *made->freed),
        .heap = rs_alloc(arena, 2 * n, sizeof *made->heap),
        .free_slot = NONE,
    };
    if (!made->ports || !made->partner || !made->freed || !made->heap) return NULL;
    for (size_t i = 0; i < 2 * n; i++) made->ports[i] = (port){.first = NONE, .last = NONE};
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
        ports->free_slot = rs_ports_slot(ports, slot)->next[0];
        return slot;
    }
    if (ports->n_slots == ports->n_pages * PAGE && !add_page(ports)) return NONE;
    return ports->n_slots++;
}

void rs_ports_release(rs_ports *ports, int32_t slot) {
    rs_ports_slot(ports, slot)->next[0] = ports->free_slot;
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
    *rs_ports_slot(ports, slot) =
        (rs_slot){.transfer = *transfer, .step = step, .ready_ps = now_ps};
    ports->newcomers[ports->n_newcomers++] = (newcomer){step, transfer->order, transfer->src, slot};
    return true;
}

void rs_ports_free(rs_ports *ports, int32_t src) {
    const int32_t both[] = {2 * src + SEND, 2 * ports->partner[src] + RECEIVE};
    for (int i = 0; i < 2; i++) {
        ports->ports[both[i]].busy = false;
        if (ports->ports[both[i]].first != NONE) ports->freed[ports->n_freed++] = both[i];
    }
}

static int32_t port_of(const rs_slot *slot, int side) {
    return side == SEND ? 2 * slot->transfer.src + SEND : 2 * slot->transfer.dst + RECEIVE;
}

static bool can_start(const rs_ports *ports, const rs_slot *slot) {
    return !ports->ports[port_of(slot, SEND)].busy && !ports->ports[port_of(slot, RECEIVE)].busy;
}

/* Tells whose turn is first. Two different slots are never equal. */
static bool goes_before(const rs_slot *a, const rs_slot *b) {
    if (a->ready_ps != b->ready_ps) return a->ready_ps < b->ready_ps;
    if (a->step != b->step) return a->step < b->step;
    if (a->transfer.order != b->transfer.order) return a->transfer.order < b->transfer.order;
    return a->transfer.src < b->transfer.src;
}

/* Puts a slot into its two lists: at their ends, but for what became ready at the same instant after
   messages of no length had gone. */
static void enqueue(rs_ports *ports, int32_t slot) {
    rs_slot *at = rs_ports_slot(ports, slot);
    at->waits = true;
    for (int side = SEND; side <= RECEIVE; side++) {
        port *list = &ports->ports[port_of(at, side)];
        int32_t before = list->last;
        while (before != NONE && goes_before(at, rs_ports_slot(ports, before))) {
            before = rs_ports_slot(ports, before)->previous[side];
        }
        const int32_t after =
            before == NONE ? list->first : rs_ports_slot(ports, before)->next[side];
        at->previous[side] = before;
        at->next[side] = after;
        *(before == NONE ? &list->first : &rs_ports_slot(ports, before)->next[side]) = slot;
        *(after == NONE ? &list->last : &rs_ports_slot(ports, after)->previous[side]) = slot;
    }
}

static void dequeue(rs_ports *ports, int32_t slot) {
    rs_slot *at = rs_ports_slot(ports, slot);
    at->waits = false;
    for (int side = SEND; side <= RECEIVE; side++) {
        port *list = &ports->ports[port_of(at, side)];
        const int32_t previous = at->previous[side], next = at->next[side];
        if (previous == NONE) {
            list->first = next;
        } else {
            rs_ports_slot(ports, previous)->next[side] = next;
        }
        if (next == NONE) {
            list->last = previous;
        } else {
            rs_ports_slot(ports, next)->previous[side] = previous;
        }
    }
}

/* Starts a transfer that can; its ports are taken unless it needs them for no time. */
static bool begin(rs_ports *ports, int32_t slot, bool (*start)(void *context, int32_t slot),
                  void *context) {
    rs_slot *at = rs_ports_slot(ports, slot);
    if (!start(context, slot)) return false;
    if (at->holds_ports) {
        ports->ports[port_of(at, SEND)].busy = true;
        ports->ports[port_of(at, RECEIVE)].busy = true;
        ports->partner[at->transfer.src] = at->transfer.dst;
    }
    return true;
}

static bool sooner(const rs_ports *ports, candidate a, candidate b) {
    return goes_before(rs_ports_slot(ports, a.slot), rs_ports_slot(ports, b.slot));
}

static void push(rs_ports *ports, candidate new) {
    candidate *heap = ports->heap;
    int32_t i = ports->n_heap++;
    for (; i > 0 && sooner(ports, new, heap[(i - 1) / 2]); i = (i - 1) / 2) {
        heap[i] = heap[(i - 1) / 2];
    }
    heap[i] = new;
}

static candidate pop(rs_ports *ports) {
    candidate *heap = ports->heap;
    const candidate top = heap[0], last = heap[--ports->n_heap];
    int32_t i = 0;
    for (int32_t child = 1; child < ports->n_heap; child = 2 * i + 1) {
        if (child + 1 < ports->n_heap && sooner(ports, heap[child + 1], heap[child])) child++;
        if (!sooner(ports, heap[child], last)) break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return top;
}

/* Makes the first that can start, from `slot` on in a port's list, a candidate. */
static void nominate(rs_ports *ports, int32_t at_port, int32_t slot) {
    const int side = at_port % 2;
    if (ports->ports[at_port].busy) return;
    while (slot != NONE && !can_start(ports, rs_ports_slot(ports, slot))) {
        slot = rs_ports_slot(ports, slot)->next[side];
    }
    if (slot == NONE) return;
    push(ports, (candidate){slot, at_port});
}

static bool give_freed(rs_ports *ports, bool (*start)(void *context, int32_t slot), void *context) {
    for (int32_t i = 0; i < ports->n_freed; i++) {
        nominate(ports, ports->freed[i], ports->ports[ports->freed[i]].first);
    }
    ports->n_freed = 0;
    while (ports->n_heap > 0) {
        const candidate next = pop(ports);
        const rs_slot *slot = rs_ports_slot(ports, next.slot);
        if (ports->ports[next.port].busy) continue;
        int32_t from = ports->ports[next.port].first;
        if (slot->waits && can_start(ports, slot)) {
            dequeue(ports, next.slot);
            if (!begin(ports, next.slot, start, context)) return false;
            from = ports->ports[next.port].first; /* if it is still free, for the next */
        } else if (slot->waits) {
            from = slot->next[next.port % 2];
        }
        nominate(ports, next.port, from);
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

bool rs_ports_give(rs_ports *ports, bool (*start)(void *context, int32_t slot), void *context) {
    if (!give_freed(ports, start, context)) return false;
    const int32_t n = ports->n_newcomers;
    ports->n_newcomers = 0;
    sort_newcomers(ports->newcomers, n);
    for (int32_t i = 0; i < n; i++) {
        const int32_t slot = ports->newcomers[i].slot;
        if (can_start(ports, rs_ports_slot(ports, slot))) {
            if (!begin(ports, slot, start, context)) return false;
        } else {
            enqueue(ports, slot);
        }
    }
    return true;
}
