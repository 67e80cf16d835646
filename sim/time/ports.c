/* ports.c: gives the ports to the messages that wait for them (ports.h says how).
 *
 * Between two instants no message waits whose ports are both free. So a message that can start at
 * an instant has a port that was freed at this instant. Each freed port finds the first message in
 * its queue whose other port is free, its candidate; of the candidates the one whose turn is first
 * starts. A receive port leaves out messages whose send port was freed, too, since that port looks
 * for itself. A port whose candidate has lost its other port looks again.
 */
#include "time/ports.h"

enum {
    NONE = RS_NO_SLOT,
    MANY = 16, /* if none of a port's first so many entries can start, it makes the rows */
    FEW = 64,  /* with more messages that could start, the first of them stands near the front */
    NEAR = 64  /* so many entries are the front */
};

rs_ports *rs_ports_new(rs_rank *ranks, int32_t n_ranks, const rs_ports_calls *calls,
                       rs_slots *slots, rs_arena *arena) {
    rs_ports *made = rs_alloc(arena, 1, sizeof *made);
    if (made == NULL) return NULL;
    *made = (rs_ports){
        .calls = *calls,
        .ranks = ranks,
        .freed = rs_alloc(arena, 2 * (size_t)n_ranks, sizeof *made->freed),
        .candidates = rs_alloc(arena, 2 * (size_t)n_ranks, sizeof *made->candidates),
        .waited_ps = -1,
    };
    bool whole = rs_port_queues_init(&made->queues, n_ranks, slots, arena);
    for (int side = RS_SEND; side <= RS_RECEIVE; side++) {
        made->idle[side] = rs_alloc(arena, (size_t)made->queues.n_words, sizeof(uint64_t));
        whole = whole && made->idle[side] != NULL;
    }
    return whole && made->freed != NULL && made->candidates != NULL ? made : NULL;
}

static rs_port_queue *queue_of(const rs_ports *ports, rs_port port) {
    return &ports->queues.of[port.side][port.rank];
}

static uint8_t *state_of(const rs_ports *ports, rs_port port) {
    return &ports->ranks[port.rank].ports[port.side];
}

static bool is_busy(const rs_ports *ports, rs_port port) {
    return ports->ranks[port.rank].free_ps[port.side] > ports->now_ps;
}

/* ------------------------------------------------------------------ ports that are waited for */

static void note_idle(rs_ports *ports, rs_port port, bool is_idle) {
    uint64_t *word = &ports->idle[port.side][port.rank / 64];
    const uint64_t bit = (uint64_t)1 << port.rank % 64;
    *word = is_idle ? *word | bit : *word & ~bit;
}

/* Asks the engine to wake a busy port, and its partner, when they are free. */
static void ask(rs_ports *ports, rs_port port) {
    rs_rank *at = &ports->ranks[port.rank];
    const int32_t partner = at->partner[port.side];
    note_idle(ports, port, false);
    if ((at->ports[port.side] & RS_PORT_ASKED) != 0) return;
    at->ports[port.side] |= RS_PORT_ASKED;
    ports->ranks[partner].ports[1 - port.side] |= RS_PORT_ASKED;
    ports->calls.wake(ports->calls.engine, port.side == RS_SEND ? port.rank : partner,
                      at->free_ps[port.side]);
}

void rs_ports_hold_waited(rs_ports *ports, int32_t src, int32_t dst, int64_t now_ps) {
    const rs_port both[] = {{src, RS_SEND}, {dst, RS_RECEIVE}};
    ports->now_ps = now_ps;
    for (int i = 0; i < 2; i++) {
        const bool waited = (*state_of(ports, both[i]) & RS_PORT_WAITED) != 0;
        if (waited && is_busy(ports, both[i])) ask(ports, both[i]);
    }
}

/* Notes that a message waits for a port; others may wait already. */
static void note_waited(rs_ports *ports, rs_port port) {
    uint8_t *state = state_of(ports, port);
    if ((*state & RS_PORT_WAITED) != 0) return;
    *state |= RS_PORT_WAITED;
    if (is_busy(ports, port)) {
        ask(ports, port);
    } else {
        note_idle(ports, port, true);
    }
}

/* Notes that a message no longer waits for a port. */
static void note_left(rs_ports *ports, rs_port port) {
    if (queue_of(ports, port)->n > 0) return;
    *state_of(ports, port) &= (uint8_t)~RS_PORT_WAITED;
    note_idle(ports, port, false);
}

static int32_t take_slot(rs_ports *ports, const rs_transfer *transfer, int32_t step, rs_cost cost) {
    const int32_t slot = rs_slots_take(ports->queues.slots);
    if (slot == NONE) return NONE;
    rs_slot *at = rs_slot_at(ports->queues.slots, slot);
    at->transfer = *transfer;
    at->step = step;
    at->ready_ps = ports->now_ps;
    at->cost = cost;
    return slot;
}

/* Tells whether a message that joins the queues now comes after all that wait. In a later round of
   the same instant it may belong to an earlier step. */
static bool is_last(rs_ports *ports) {
    if (ports->waited_ps == ports->now_ps) return ports->waited_round == ports->round;
    ports->waited_ps = ports->now_ps;
    ports->waited_round = ports->round;
    return true;
}

bool rs_ports_wait(rs_ports *ports, const rs_transfer *transfer, int32_t step, rs_cost cost,
                   int64_t now_ps) {
    ports->now_ps = now_ps;
    const int32_t slot = take_slot(ports, transfer, step, cost);
    if (slot == NONE || !rs_port_queues_join(&ports->queues, slot, is_last(ports))) return false;
    note_waited(ports, (rs_port){transfer->src, RS_SEND});
    note_waited(ports, (rs_port){transfer->dst, RS_RECEIVE});
    return true;
}

/* Starts a message that waits. */
static void begin(rs_ports *ports, int32_t slot) {
    const rs_slot at = *rs_slot_at(ports->queues.slots, slot);
    const int32_t src = at.transfer.src, dst = at.transfer.dst;
    rs_port_queues_leave(&ports->queues, slot);
    note_left(ports, (rs_port){src, RS_SEND});
    note_left(ports, (rs_port){dst, RS_RECEIVE});
    rs_slots_release(ports->queues.slots, slot);
    const int64_t free_ps =
        ports->calls.start(ports->calls.engine, &at.transfer, at.step, at.cost, ports->now_ps);
    rs_ports_hold(ports, src, dst, free_ps, ports->now_ps);
}

/* ------------------------------------------------------------------ who could start */

static void push_candidate(rs_ports *ports, rs_candidate new) {
    const rs_port_queues *queues = &ports->queues;
    rs_candidate *heap = ports->candidates;
    int32_t i = ports->n_candidates++;
    for (; i > 0; i = (i - 1) / 2) {
        if (!rs_port_queues_before(queues, new.message, heap[(i - 1) / 2].message)) break;
        heap[i] = heap[(i - 1) / 2];
    }
    heap[i] = new;
}

static rs_candidate pop_candidate(rs_ports *ports) {
    const rs_port_queues *queues = &ports->queues;
    rs_candidate *heap = ports->candidates;
    const rs_candidate top = heap[0], last = heap[--ports->n_candidates];
    const int32_t n = ports->n_candidates;
    int32_t i = 0;
    for (int32_t child = 1; child < n; child = 2 * i + 1) {
        const int32_t right = child + 1;
        if (right < n && rs_port_queues_before(queues, heap[right].message, heap[child].message)) {
            child = right;
        }
        if (!rs_port_queues_before(queues, heap[child].message, last.message)) break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return top;
}

/* Returns the first of the n_looks first entries whose other port is free. */
static rs_waiting look_at_front(const rs_ports *ports, rs_port port, int32_t n_looks) {
    rs_port_queue *queue = queue_of(ports, port);
    const int other = 1 - port.side;
    while (!rs_port_queues_waits(&ports->queues, queue->entries[queue->first])) queue->first++;
    const int32_t n = queue->end - queue->first;
    const rs_waiting *at = &queue->entries[queue->first];
    for (const rs_waiting *end = at + (n < n_looks ? n : n_looks); at < end; at++) {
        const rs_slot *slot = rs_slot_at(ports->queues.slots, at->slot);
        if (slot->number != at->number) continue;
        const int32_t peer = other == RS_SEND ? slot->transfer.src : slot->transfer.dst;
        const rs_port there = {peer, other};
        const bool was_freed = (*state_of(ports, there) & RS_PORT_FREED) != 0;
        if (!is_busy(ports, there) && !was_freed) return *at;
    }
    return (rs_waiting){0};
}

/* Returns the first message whose other port is free from the port's row. */
static rs_waiting look_at_row(const rs_ports *ports, rs_port port) {
    const rs_port_queues *queues = &ports->queues;
    const uint64_t *row = queue_of(ports, port)->row, *idle = ports->idle[1 - port.side];
    const bool is_send = port.side == RS_SEND;
    rs_waiting best = {0};
    int32_t n = 0;
    for (int32_t w = 0; w < queues->n_words; w++) {
        for (uint64_t bits = row[w] & idle[w]; bits != 0; bits &= bits - 1) {
            const int32_t peer = 64 * w + __builtin_ctzll(bits);
            const int32_t src = is_send ? port.rank : peer, dst = is_send ? peer : port.rank;
            const rs_waiting first = rs_port_queues_firsts(queues, src)[dst];
            if (best.number == 0 || rs_port_queues_before(queues, first, best)) best = first;
            if (++n != FEW) continue;
            const rs_waiting front = look_at_front(ports, port, NEAR);
            if (front.number != 0) return front;
        }
    }
    return best;
}

static bool make_rows(rs_ports *ports) {
    if (!rs_port_queues_make_rows(&ports->queues)) ports->failed = true;
    return !ports->failed;
}

/* Makes the first message in a port's queue that could start a candidate. */
static void choose(rs_ports *ports, rs_port port) {
    const rs_port_queues *queues = &ports->queues;
    const rs_port_queue *queue = queue_of(ports, port);
    rs_waiting first;
    if (queue->n == 0) return;
    if (queues->have_rows) {
        first = look_at_row(ports, port);
    } else {
        const bool may_have_rows = queues->n_ranks <= RS_MAX_FILE_RANKS;
        first = look_at_front(ports, port, may_have_rows ? MANY : INT32_MAX);
        const bool in_vain = first.number == 0 && queue->end - queue->first > MANY;
        if (in_vain && may_have_rows && make_rows(ports)) first = look_at_row(ports, port);
    }
    if (first.number != 0) push_candidate(ports, (rs_candidate){port, first});
}

/* Starts a candidate, unless another has taken its other port. If its port is free after that (also
   after a message without bytes), the port looks for the next one. */
static void try_candidate(rs_ports *ports, const rs_candidate *next) {
    const rs_transfer *transfer = &rs_slot_at(ports->queues.slots, next->message.slot)->transfer;
    const rs_port port = next->port;
    const bool is_send = port.side == RS_SEND;
    const rs_port other = {is_send ? transfer->dst : transfer->src, 1 - port.side};
    if (!is_busy(ports, other)) begin(ports, next->message.slot);
    if (!is_busy(ports, port)) choose(ports, port);
}

/* ------------------------------------------------------------------ giving freed ports */

static void mark_freed(rs_ports *ports, rs_port port) {
    uint8_t *state = state_of(ports, port);
    *state &= (uint8_t)~RS_PORT_ASKED;
    if ((*state & RS_PORT_WAITED) == 0) return;
    if (port.side == RS_SEND) {
        assert((*state & RS_PORT_FREED) == 0);
        *state |= RS_PORT_FREED;
    } else {
        note_idle(ports, port, true);
    }
    ports->freed[ports->n_freed++] = port;
}

void rs_ports_wake(rs_ports *ports, int32_t src) {
    mark_freed(ports, (rs_port){src, RS_SEND});
    mark_freed(ports, (rs_port){ports->ranks[src].partner[RS_SEND], RS_RECEIVE});
}

/* Marks those freed send ports as idle for which nothing could start. */
static void forget_freed(rs_ports *ports) {
    for (int32_t i = 0; i < ports->n_freed; i++) {
        const rs_port port = ports->freed[i];
        uint8_t *state = state_of(ports, port);
        *state &= (uint8_t)~RS_PORT_FREED;
        if ((*state & RS_PORT_WAITED) != 0 && !is_busy(ports, port)) note_idle(ports, port, true);
    }
    ports->n_freed = 0;
}

bool rs_ports_give(rs_ports *ports, int64_t now_ps) {
    ports->now_ps = now_ps;
    for (int32_t i = 0; i < ports->n_freed; i++) {
        assert(!is_busy(ports, ports->freed[i]));
        choose(ports, ports->freed[i]);
    }
    while (ports->n_candidates > 0) {
        const rs_candidate next = pop_candidate(ports);
        if (!is_busy(ports, next.port)) try_candidate(ports, &next);
    }
    forget_freed(ports);
    return !ports->failed;
}
