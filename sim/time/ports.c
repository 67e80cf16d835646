/* ports.c: gives the ports to what waits for them (ports.h says how).
 *
 *     send port of rank 2      queue: receive port of 1, of 0    A pair of ports between which
 *     receive port of rank 1   queue: send port of 3, of 2       messages wait stands in both queues;
 *                                                                its messages are a chain of slots.
 *
 * Between two instants no message waits whose ports are both free. So what can start at an instant has
 * a port that was freed at this instant: each of those looks for the first in its queue whose other
 * port is free, and the one whose turn is first among these candidates starts. A receive port leaves
 * those out whose send port was freed, too, and looks for itself. A port whose candidate has lost its
 * other port looks again.
 */
#include "time/ports.h"

#include <string.h>

enum { NONE = RS_NO_SLOT, FEW_IDLE = 16, LOOKS = 8, FIRST_ROOM = 64 };

rs_ports *rs_ports_new(rs_rank *ranks, int32_t n_ranks, const rs_ports_calls *calls,
                       rs_slots *slots, rs_arena *arena) {
    rs_ports *made = rs_alloc(arena, 1, sizeof *made);
    if (made == NULL) return NULL;
    *made = (rs_ports){
        .calls = *calls,
        .ranks = ranks,
        .slots = slots,
        .shared = {.slots = slots, .arena = arena, .n_ranks = n_ranks},
        .queues = rs_alloc(arena, 2 * (size_t)n_ranks, sizeof(rs_port_queue *)),
        .waited_ps = -1,
    };
    return made->queues != NULL ? made : NULL;
}

/* Returns a longer list with the first n of the old one, NULL if there is no memory. */
static void *longer(rs_arena *arena, const void *old, int32_t n, int32_t capacity, size_t size) {
    void *made = rs_alloc(arena, (size_t)capacity, size);
    if (made != NULL && n > 0) memcpy(made, old, (size_t)n * size);
    return made;
}

/* Makes room in the lists for one more port that is waited for. */
static bool make_room(rs_ports *ports) {
    if (ports->n_waited++ < ports->capacity) return true;
    rs_arena *arena = ports->shared.arena;
    const int32_t capacity = 2 * ports->capacity + FIRST_ROOM;
    bool whole = true;
    for (int side = RS_SEND; side <= RS_RECEIVE; side++) {
        ports->freed[side] =
            longer(arena, ports->freed[side], ports->n_freed[side], capacity, sizeof(int32_t));
        ports->idle[side] =
            longer(arena, ports->idle[side], ports->n_idle[side], capacity, sizeof(int32_t));
        whole = whole && ports->freed[side] != NULL && ports->idle[side] != NULL;
    }
    ports->candidates =
        longer(arena, ports->candidates, ports->n_candidates, capacity, sizeof *ports->candidates);
    ports->capacity = capacity;
    return whole && ports->candidates != NULL;
}

static rs_port_queue *queue_of(const rs_ports *ports, rs_port port) {
    return ports->queues[2 * (int64_t)port.rank + port.side];
}

/* Returns a port's queue, which may be waited for for the first time; NULL: no memory. */
static rs_port_queue *queue_for(rs_ports *ports, rs_port port) {
    rs_port_queue **at = &ports->queues[2 * (int64_t)port.rank + port.side];
    if (*at != NULL) return *at;
    *at = rs_alloc(ports->shared.arena, 1, sizeof **at);
    if (*at == NULL || !make_room(ports)) return NULL;
    rs_port_queue_init(*at);
    return *at;
}

static bool is_busy(const rs_ports *ports, rs_port port) {
    return ports->ranks[port.rank].free_ps[port.side] > ports->now_ps;
}

static bool is_waited(const rs_ports *ports, rs_port port) {
    return (ports->ranks[port.rank].ports[port.side] & RS_PORT_WAITED) != 0;
}

/* ------------------------------------------------------------------ idle ports, and busy ones */

/* Lists a port as idle: it is free and waited for. */
static void list_idle(rs_ports *ports, rs_port port) {
    rs_port_queue *queue = queue_of(ports, port);
    if (queue->idle > 0) return;
    ports->idle[port.side][ports->n_idle[port.side]++] = port.rank;
    queue->idle = ports->n_idle[port.side];
}

/* Strikes a port off that list. */
static void strike_idle(rs_ports *ports, rs_port port) {
    rs_port_queue *queue = queue_of(ports, port);
    if (queue->idle == 0) return;
    const int32_t last = ports->idle[port.side][--ports->n_idle[port.side]];
    ports->idle[port.side][queue->idle - 1] = last;
    queue_of(ports, (rs_port){last, port.side})->idle = queue->idle;
    queue->idle = 0;
}

/* Has a port that is busy woken, and its partner with it. */
static void ask(rs_ports *ports, rs_port port) {
    rs_rank *at = &ports->ranks[port.rank];
    const int32_t partner = at->partner[port.side];
    if ((at->ports[port.side] & RS_PORT_ASKED) != 0) return;
    at->ports[port.side] |= RS_PORT_ASKED;
    ports->ranks[partner].ports[1 - port.side] |= RS_PORT_ASKED;
    ports->calls.wake(ports->calls.engine, port.side == RS_SEND ? port.rank : partner,
                      at->free_ps[port.side]);
}

/* Sees to it that a port which messages wait for is woken, or listed as idle. */
static void attend(rs_ports *ports, rs_port port) {
    if (is_busy(ports, port)) {
        if (ports->keeps_idle) strike_idle(ports, port);
        ask(ports, port);
    } else if (ports->keeps_idle) {
        list_idle(ports, port);
    }
}

void rs_ports_hold_waited(rs_ports *ports, int32_t src, int32_t dst, int64_t now_ps) {
    const rs_port from = {src, RS_SEND}, to = {dst, RS_RECEIVE};
    ports->now_ps = now_ps;
    if (is_waited(ports, from)) attend(ports, from);
    if (is_waited(ports, to)) attend(ports, to);
}

/* Begins to keep the lists of the idle, once a queue has places. */
static void keep_idle(rs_ports *ports) {
    if (ports->keeps_idle || !ports->shared.have_places) return;
    ports->keeps_idle = true;
    for (int32_t rank = 0; rank < ports->shared.n_ranks; rank++) {
        for (int side = RS_SEND; side <= RS_RECEIVE; side++) {
            const rs_port port = {rank, side};
            if (is_waited(ports, port) && !is_busy(ports, port)) list_idle(ports, port);
        }
    }
}

/* ------------------------------------------------------------------ joining and leaving the queues */

/* Puts a message at the end of the chain that begins with `head`. Between two ranks messages become
   ready in turn: a rank goes from step to step. */
static void follow(const rs_ports *ports, int32_t head, int32_t slot) {
    rs_slot *first = rs_slot_at(ports->slots, head);
    rs_slot *last = rs_slot_at(ports->slots, first->last_of_pair);
    assert(rs_turn_before(last, rs_slot_at(ports->slots, slot)));
    last->next_of_pair = slot;
    first->last_of_pair = slot;
}

/* Returns the first message that waits between two ports, NONE if none does. */
static int32_t find_head(const rs_port_queue *out, const rs_port_queue *in, int32_t src,
                         int32_t dst) {
    const bool shorter = out->end - out->first < in->end - in->first;
    const rs_port_queue *queue = shorter ? out : in;
    const int32_t place = rs_port_queue_place(queue, shorter ? dst : src);
    return place == queue->end ? NONE : queue->entries[place];
}

/* Notes that a message waits for a port, which others may have done before. */
static void note_waited(rs_ports *ports, rs_port port) {
    uint8_t *state = &ports->ranks[port.rank].ports[port.side];
    if ((*state & RS_PORT_WAITED) != 0) return;
    *state |= RS_PORT_WAITED;
    attend(ports, port);
}

static int32_t take_slot(rs_ports *ports, const rs_transfer *transfer, int32_t step) {
    const int32_t slot = rs_slots_take(ports->slots);
    if (slot == NONE) return NONE;
    rs_slot *at = rs_slot_at(ports->slots, slot);
    at->transfer = *transfer;
    at->step = step;
    at->ready_ps = ports->now_ps;
    at->next_of_pair = NONE;
    at->last_of_pair = slot;
    return slot;
}

/* Tells whether what gets in line now comes after all who are there. In a later round of an instant it
   may be of an earlier step. */
static bool is_last(rs_ports *ports) {
    if (ports->waited_ps == ports->now_ps) return ports->waited_round == ports->round;
    ports->waited_ps = ports->now_ps;
    ports->waited_round = ports->round;
    return true;
}

bool rs_ports_wait(rs_ports *ports, const rs_transfer *transfer, int32_t step, int64_t now_ps) {
    const int32_t src = transfer->src, dst = transfer->dst;
    const rs_port from = {src, RS_SEND}, to = {dst, RS_RECEIVE};
    rs_port_queue *out = queue_for(ports, from), *in = queue_for(ports, to);
    ports->now_ps = now_ps;
    const int32_t slot = take_slot(ports, transfer, step);
    if (out == NULL || in == NULL || slot == NONE) return false;
    const int32_t head = find_head(out, in, src, dst);
    const bool last = is_last(ports);
    if (head != NONE) {
        follow(ports, head, slot);
        return true;
    }
    bool (*const join)(rs_port_queues *, rs_port_queue *, int32_t, int32_t) =
        last ? rs_port_queue_append : rs_port_queue_insert;
    if (!join(&ports->shared, out, slot, dst) || !join(&ports->shared, in, slot, src)) return false;
    keep_idle(ports);
    note_waited(ports, from);
    note_waited(ports, to);
    return true;
}

/* Takes a pair's first message out of a queue; its next, if there is one, moves up. */
static bool leave_queue(rs_ports *ports, rs_port port, int32_t place, int32_t next) {
    rs_port_queue *queue = queue_of(ports, port);
    if (next != NONE) {
        const bool whole = rs_port_queue_replace(&ports->shared, queue, place, next);
        keep_idle(ports);
        return whole;
    }
    rs_port_queue_leave(&ports->shared, queue, place);
    if (rs_port_queue_empty(queue)) {
        ports->ranks[port.rank].ports[port.side] &= (uint8_t)~RS_PORT_WAITED;
        strike_idle(ports, port);
    }
    return true;
}

/* Starts a candidate and gives its slot back; false: no memory. */
static bool begin(rs_ports *ports, const rs_candidate *taken) {
    const rs_slot *at = rs_slot_at(ports->slots, taken->slot);
    const rs_transfer transfer = at->transfer;
    const int32_t step = at->step, next = at->next_of_pair;
    const bool is_send = taken->port.side == RS_SEND;
    const rs_port other = {is_send ? transfer.dst : transfer.src, 1 - taken->port.side};
    if (next != NONE) rs_slot_at(ports->slots, next)->last_of_pair = at->last_of_pair;
    const int32_t place = rs_port_queue_place(queue_of(ports, other), taken->port.rank);
    if (!leave_queue(ports, taken->port, taken->place, next)) return false;
    if (!leave_queue(ports, other, place, next)) return false;
    rs_slots_release(ports->slots, taken->slot);
    const int64_t free_ps = ports->calls.start(ports->calls.engine, &transfer, step, ports->now_ps);
    rs_ports_hold(ports, transfer.src, transfer.dst, free_ps, ports->now_ps);
    return true;
}

/* ------------------------------------------------------------------ giving freed ports */

static bool goes_before(const rs_ports *ports, int32_t a, int32_t b) {
    return rs_turn_before(rs_slot_at(ports->slots, a), rs_slot_at(ports->slots, b));
}

static void push_candidate(rs_ports *ports, rs_candidate new) {
    rs_candidate *heap = ports->candidates;
    int32_t i = ports->n_candidates++;
    for (; i > 0 && goes_before(ports, new.slot, heap[(i - 1) / 2].slot); i = (i - 1) / 2) {
        heap[i] = heap[(i - 1) / 2];
    }
    heap[i] = new;
}

static rs_candidate pop_candidate(rs_ports *ports) {
    rs_candidate *heap = ports->candidates;
    const rs_candidate top = heap[0], last = heap[--ports->n_candidates];
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

/* Returns the first place of a long queue that belongs to a free port, queue->end if none does. Send
   ports that were freed look for themselves. */
static int32_t look_at_idle(const rs_ports *ports, rs_port port, const rs_port_queue *queue) {
    const int other = 1 - port.side;
    const uint16_t *places = queue->places;
    const int32_t *idle = ports->idle[other], *freed = ports->freed[other];
    const int32_t n_freed = other == RS_SEND ? 0 : ports->n_freed[other];
    uint32_t best = (uint32_t)queue->end;
    for (int32_t i = 0; i < ports->n_idle[other]; i++) {
        const uint32_t place = places[idle[i]] - 1U; /* very large where it stands nowhere */
        best = place < best ? place : best;
    }
    for (int32_t i = 0; i < n_freed; i++) {
        const uint32_t place = places[freed[i]] - 1U;
        if (place < best && !is_busy(ports, (rs_port){freed[i], other})) best = place;
    }
    return (int32_t)best;
}

/* Returns the first place from `place` on whose other port is free, queue->end if there is none. */
static int32_t look(const rs_ports *ports, rs_port port, int32_t place) {
    const rs_port_queue *queue = queue_of(ports, port);
    const int other = 1 - port.side;
    const int32_t *peers = rs_port_queue_peers(queue), nobody = ports->shared.n_ranks;
    int32_t end = queue->end;
    if (queue->places != NULL) {
        const int32_t n_free = ports->n_idle[other] + ports->n_freed[other];
        if (n_free <= FEW_IDLE) return look_at_idle(ports, port, queue);
        if (end - place > LOOKS) end = place + LOOKS;
    }
    for (; place < end; place++) {
        if (peers[place] == nobody) continue;
        const rs_rank *peer = &ports->ranks[peers[place]];
        if (peer->free_ps[other] > ports->now_ps) continue;
        if (other == RS_RECEIVE || (peer->ports[RS_SEND] & RS_PORT_FREED) == 0) return place;
    }
    return end < queue->end ? look_at_idle(ports, port, queue) : end;
}

/* Makes the first of a port's queue that could start, from `place` on, a candidate. */
static void choose(rs_ports *ports, rs_port port, int32_t place) {
    const rs_port_queue *queue = queue_of(ports, port);
    place = look(ports, port, place);
    if (place < queue->end) {
        push_candidate(ports, (rs_candidate){port, queue->entries[place], place});
    }
}

/* Starts a candidate, unless its other port has been taken; then its port looks on. It may have started
   from its other end and left its port free: a message of no length. false: no memory. */
static bool try_candidate(rs_ports *ports, const rs_candidate *next) {
    const rs_port port = next->port;
    const rs_port_queue *queue = queue_of(ports, port);
    const int32_t place = next->place;
    if (place >= queue->end || queue->entries[place] != next->slot ||
        rs_port_queue_peers(queue)[place] == ports->shared.n_ranks) {
        choose(ports, port, queue->first);
        return true;
    }
    if (is_busy(ports, (rs_port){rs_port_queue_peers(queue)[place], 1 - port.side})) {
        choose(ports, port, place + 1);
        return true;
    }
    if (!begin(ports, next)) return false;
    if (!is_busy(ports, port)) choose(ports, port, queue->first);
    return true;
}

static void mark_freed(rs_ports *ports, rs_port port) {
    uint8_t *state = &ports->ranks[port.rank].ports[port.side];
    *state &= (uint8_t)~RS_PORT_ASKED;
    if ((*state & RS_PORT_WAITED) == 0) return;
    assert((*state & RS_PORT_FREED) == 0);
    *state |= RS_PORT_FREED;
    ports->freed[port.side][ports->n_freed[port.side]++] = port.rank;
}

void rs_ports_wake(rs_ports *ports, int32_t src) {
    mark_freed(ports, (rs_port){src, RS_SEND});
    mark_freed(ports, (rs_port){ports->ranks[src].partner[RS_SEND], RS_RECEIVE});
}

static void choose_for_freed(rs_ports *ports, int side) {
    for (int32_t i = 0; i < ports->n_freed[side]; i++) {
        const rs_port port = {ports->freed[side][i], side};
        assert(!is_busy(ports, port));
        choose(ports, port, queue_of(ports, port)->first);
    }
}

/* Those freed ports for which nothing could start are idle now. */
static void forget_freed(rs_ports *ports, int side) {
    for (int32_t i = 0; i < ports->n_freed[side]; i++) {
        const rs_port port = {ports->freed[side][i], side};
        ports->ranks[port.rank].ports[side] &= (uint8_t)~RS_PORT_FREED;
        if (ports->keeps_idle && is_waited(ports, port) && !is_busy(ports, port)) {
            list_idle(ports, port);
        }
    }
    ports->n_freed[side] = 0;
}

bool rs_ports_give(rs_ports *ports, int64_t now_ps) {
    ports->now_ps = now_ps;
    choose_for_freed(ports, RS_SEND);
    choose_for_freed(ports, RS_RECEIVE);
    while (ports->n_candidates > 0) {
        const rs_candidate next = pop_candidate(ports);
        if (!is_busy(ports, next.port) && !try_candidate(ports, &next)) return false;
    }
    forget_freed(ports, RS_SEND);
    forget_freed(ports, RS_RECEIVE);
    return true;
}
