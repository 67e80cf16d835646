/* ports.c: what waits at the ports (ports.h says what for).
 *
 *     send port of rank 2      line: receive port of 1, of 0     A pair of ports between which
 *     receive port of rank 1   line: send port of 3, of 2        messages wait stands in both lines;
 *                                                                its messages are a chain of slots.
 *
 * Between two instants no pair in line has both its ports free. So what can start at an instant has a
 * port that was freed at this instant: each of those looks through its line for the first whose other
 * port is free, and the one whose turn is first among these candidates starts. A port that is still
 * free then, as it was beaten to the other one, looks on. Then the newly ready: those that cannot start
 * get in line.
 */
#include "time/ports.h"
#include "time/port_queue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 12, FIRST_ROOM = 64, NONE = RS_NO_SLOT };

typedef struct port {
    rs_line line;
    int32_t partner; /* at the other end of its last message */
    bool asked;      /* the engine will wake it, or its partner */
    bool freed;      /* it is among the freed of this instant */
} port;

typedef struct candidate {
    int32_t port;
    int32_t slot, place; /* the first of its line that it could start, and where it stands */
} candidate;

typedef struct newcomer { /* the sorting key beside the slot */
    int32_t step, order, src, slot;
} newcomer;

struct rs_ports {
    rs_arena *arena;
    rs_ports_calls calls;
    rs_slots *slots;
    rs_lines lines;
    int64_t now_ps;
    port *ports;           /* [2 n_ranks] send and receive port of each rank */
    int64_t *free_ps;      /* [2 n_ranks + 1] busy until then; the last is nobody, busy for ever */
    int32_t *freed;        /* [2 n_ranks] at this instant */
    candidate *candidates; /* [n_candidates] at most 2 n_ranks: a heap, by turn */
    newcomer *newcomers;   /* [n_newcomers] at this instant */
    int32_t n_freed;
    int32_t n_candidates, candidates_capacity;
    int32_t n_newcomers, newcomers_capacity;
};

rs_ports *rs_ports_new(int32_t n_ranks, const rs_ports_calls *calls, rs_slots *slots,
                       rs_arena *arena) {
    const size_t n = 2 * (size_t)n_ranks;
    rs_ports *made = rs_alloc(arena, 1, sizeof *made);
    if (made == NULL) return NULL;
    *made = (rs_ports){
        .arena = arena,
        .calls = *calls,
        .slots = slots,
        .ports = rs_alloc(arena, n, sizeof *made->ports),
        .free_ps = rs_alloc(arena, n + 1, sizeof *made->free_ps),
        .lines = {.slots = slots, .arena = arena, .nobody = 2 * n_ranks},
        .freed = rs_alloc(arena, n, sizeof *made->freed),
    };
    if (!made->ports || !made->free_ps || !made->freed) return NULL;
    made->free_ps[n] = INT64_MAX;
    return made;
}

/* Returns an array of twice the size with the old content, NULL if there is no memory. */
static void *doubled(rs_arena *arena, const void *old, int32_t *capacity, size_t size) {
    if (*capacity > INT32_MAX / 2) return NULL;
    const int32_t wanted = *capacity == 0 ? FIRST_ROOM : 2 * *capacity;
    void *made = rs_alloc(arena, (size_t)wanted, size);
    if (made == NULL) return NULL;
    if (*capacity > 0) memcpy(made, old, (size_t)*capacity * size);
    *capacity = wanted;
    return made;
}

bool rs_ports_ready(rs_ports *ports, const rs_transfer *transfer, int32_t step, int64_t now_ps) {
    if (ports->n_newcomers == ports->newcomers_capacity) {
        newcomer *more = doubled(ports->arena, ports->newcomers, &ports->newcomers_capacity,
                                 sizeof *ports->newcomers);
        if (more == NULL) return false;
        ports->newcomers = more;
    }
    const int32_t slot = rs_slots_take(ports->slots);
    if (slot == NONE) return false;
    rs_slot *at = rs_slot_at(ports->slots, slot);
    at->transfer = *transfer;
    at->step = step;
    at->turn = now_ps;
    ports->newcomers[ports->n_newcomers++] = (newcomer){step, transfer->order, transfer->src, slot};
    return true;
}

static bool is_busy(const rs_ports *ports, int32_t at) {
    return ports->free_ps[at] > ports->now_ps;
}

/* Has a port woken that is busy and waited for. */
static bool ask(rs_ports *ports, int32_t at) {
    port *asking = &ports->ports[at];
    if (ports->calls.wake == NULL || asking->asked || !is_busy(ports, at) ||
        rs_line_empty(&asking->line)) {
        return true;
    }
    asking->asked = ports->ports[asking->partner].asked = true;
    return ports->calls.wake(ports->calls.context, at, ports->free_ps[at]);
}

/* Starts a transfer whose ports are free. */
static bool begin(rs_ports *ports, int32_t slot) {
    const rs_slot *at = rs_slot_at(ports->slots, slot);
    const int32_t from = rs_send_port(at->transfer.src), to = rs_receive_port(at->transfer.dst);
    const int64_t free_ps = ports->calls.start(ports->calls.context, slot);
    ports->free_ps[from] = ports->free_ps[to] = free_ps;
    ports->ports[from].partner = to;
    ports->ports[to].partner = from;
    return free_ps >= 0 && ask(ports, from) && ask(ports, to);
}

/* The two lines in which a slot stands. */
typedef struct both {
    rs_line *from, *to;
} both;

static both lines_of(const rs_ports *ports, const rs_slot *slot) {
    return (both){&ports->ports[rs_send_port(slot->transfer.src)].line,
                  &ports->ports[rs_receive_port(slot->transfer.dst)].line};
}

/* Takes out the first message of a pair; the next, if there is one, moves up. A chain goes through
   sibling; child, in its first slot, is its last. */
static bool take_first(rs_ports *ports, int32_t slot) {
    const rs_slot *at = rs_slot_at(ports->slots, slot);
    const both lines = lines_of(ports, at);
    if (at->sibling != NONE) {
        rs_slot_at(ports->slots, at->sibling)->child = at->child;
        return rs_line_replace(&ports->lines, lines.from, slot, at->sibling) &&
               rs_line_replace(&ports->lines, lines.to, slot, at->sibling);
    }
    rs_line_leave(&ports->lines, lines.from, slot);
    rs_line_leave(&ports->lines, lines.to, slot);
    return true;
}

static bool goes_before(const rs_ports *ports, int32_t a, int32_t b) {
    return rs_slot_before(rs_slot_at(ports->slots, a), rs_slot_at(ports->slots, b));
}

/* Puts a message at the end of the chain that begins with `head`. Between two ranks messages become
   ready in turn: a rank goes from step to step. */
static void follow(const rs_ports *ports, int32_t head, int32_t slot) {
    rs_slot *first = rs_slot_at(ports->slots, head);
    assert(goes_before(ports, first->child, slot));
    rs_slot_at(ports->slots, first->child)->sibling = slot;
    first->child = slot;
}

/* Gets a message in line that cannot start. */
static bool queue_up(rs_ports *ports, int32_t slot) {
    rs_slot *at = rs_slot_at(ports->slots, slot);
    const int32_t from = rs_send_port(at->transfer.src), to = rs_receive_port(at->transfer.dst);
    const both lines = lines_of(ports, at);
    const bool shorter = lines.from->end - lines.from->first < lines.to->end - lines.to->first;
    const int32_t head =
        shorter ? rs_line_slot_of(lines.from, to) : rs_line_slot_of(lines.to, from);
    at->sibling = NONE;
    at->child = slot;
    if (head != NONE) {
        follow(ports, head, slot);
    } else if (!rs_line_join(&ports->lines, lines.from, slot, to) ||
               !rs_line_join(&ports->lines, lines.to, slot, from)) {
        return false;
    }
    return ask(ports, from) && ask(ports, to);
}

static bool push_candidate(rs_ports *ports, candidate new) {
    if (ports->n_candidates == ports->candidates_capacity) {
        candidate *more = doubled(ports->arena, ports->candidates, &ports->candidates_capacity,
                                  sizeof *ports->candidates);
        if (more == NULL) return false;
        ports->candidates = more;
    }
    candidate *heap = ports->candidates;
    int32_t i = ports->n_candidates++;
    for (; i > 0 && goes_before(ports, new.slot, heap[(i - 1) / 2].slot); i = (i - 1) / 2) {
        heap[i] = heap[(i - 1) / 2];
    }
    heap[i] = new;
    return true;
}

static candidate pop_candidate(rs_ports *ports) {
    candidate *heap = ports->candidates;
    const candidate top = heap[0], last = heap[--ports->n_candidates];
    const int32_t n = ports->n_candidates;
    int32_t i = 0;
    for (int32_t child = 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && goes_before(ports, heap[child + 1].slot, heap[child].slot)) child++;
        if (!goes_before(ports, heap[child].slot, last.slot)) break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return top;
}

/* Returns the first place from `place` on whose other port is free, line->end if there is none. */
static int32_t look(const rs_ports *ports, const rs_line *line, int32_t place) {
    const int32_t *peers = rs_line_peers(line);
    while (place < line->end && is_busy(ports, peers[place])) place++;
    return place;
}

static void mark_freed(rs_ports *ports, int32_t at) {
    port *freed = &ports->ports[at];
    freed->asked = false;
    if (freed->freed || rs_line_empty(&freed->line)) return;
    freed->freed = true;
    ports->freed[ports->n_freed++] = at;
}

void rs_ports_wake(rs_ports *ports, int32_t at) {
    mark_freed(ports, at);
    mark_freed(ports, ports->ports[at].partner);
}

/* Makes the first of a port's line that could start, from `place` on, a candidate. */
static bool choose(rs_ports *ports, int32_t at, int32_t place) {
    const rs_line *line = &ports->ports[at].line;
    place = look(ports, line, place);
    return place == line->end ||
           push_candidate(ports, (candidate){at, rs_line_slots(line)[place], place});
}

/* Starts a candidate, unless its other port has been taken; then its port looks on. It may have started
   from its other end and left its port free: a message of no length. false: no memory. */
static bool try_candidate(rs_ports *ports, candidate next) {
    const rs_line *line = &ports->ports[next.port].line;
    const bool stands = next.place < line->end && rs_line_slots(line)[next.place] == next.slot;
    if (!stands) return choose(ports, next.port, line->first);
    if (is_busy(ports, rs_line_peers(line)[next.place])) {
        return choose(ports, next.port, next.place + 1);
    }
    if (!take_first(ports, next.slot) || !begin(ports, next.slot)) return false;
    return is_busy(ports, next.port) || choose(ports, next.port, line->first);
}

/* Gives the freed ports to those in line. */
static bool give_freed(rs_ports *ports) {
    for (int32_t i = 0; i < ports->n_freed; i++) {
        const int32_t at = ports->freed[i];
        ports->ports[at].freed = false;
        if (is_busy(ports, at)) continue;
        if (!choose(ports, at, ports->ports[at].line.first)) return false;
    }
    ports->n_freed = 0;
    while (ports->n_candidates > 0) {
        const candidate next = pop_candidate(ports);
        if (!is_busy(ports, next.port) && !try_candidate(ports, next)) return false;
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
    if (ports->n_freed > 0 && !give_freed(ports)) return false;
    const int32_t n = ports->n_newcomers;
    ports->n_newcomers = 0;
    sort_newcomers(ports->newcomers, n);
    for (int32_t i = 0; i < n; i++) {
        const int32_t slot = ports->newcomers[i].slot;
        const rs_slot *at = rs_slot_at(ports->slots, slot);
        const bool can = !is_busy(ports, rs_send_port(at->transfer.src)) &&
                         !is_busy(ports, rs_receive_port(at->transfer.dst));
        if (can ? !begin(ports, slot) : !queue_up(ports, slot)) return false;
    }
    return true;
}
