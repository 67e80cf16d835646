/* port_queue.h: who waits for one port, in the order of their turns. Private to sim/.
 *
 *     slots   [   ][   ][   ][   ][   ]     the first of the messages that wait for both these ports
 *     peers   [ 7 ][ 2 ][ - ][ 5 ][ 9 ]     the port at the other end; `nobody` where one has gone
 *              first              end
 *     places  by peer: where it stands + 1  in long queues only
 *
 *   - One entry for each pair of ports, however many messages wait between the two: a queue is never
 *     longer than there are ranks.
 *   - The first and the last entry are there; of those between, at least half in a queue without places.
 *   - Mostly somebody joins at the end or leaves from the front, and mostly a queue is empty or holds
 *     one, for which it needs no memory. The peers lie side by side, as they are looked through.
 *   - With its places a queue knows at once whether a peer stands in it, and of several which is first.
 *     They take 4 N^2 bytes at the most, so there are none above RS_MAX_FILE_RANKS ranks. Generated
 *     schedules can be larger, but have RS_MAX_SENDS messages a step at most.
 */
#ifndef RS_PORT_QUEUE_H
#define RS_PORT_QUEUE_H

#include "time/slots.h"

#include <assert.h>

typedef struct rs_port_queue {
    int32_t *entries; /* [2][capacity] slots, then peers */
    uint16_t *places; /* [n_ranks]; NULL: the queue was never long */
    int32_t first, end;
    int32_t n_gone; /* between the two */
    int32_t capacity;
    int32_t idle;   /* where its port stands in the list of idle ones + 1 (ports.c) */
    int32_t own[2]; /* entries, while capacity is 1 */
} rs_port_queue;

/* What the queues of one set of ports share. */
typedef struct rs_port_queues {
    rs_slots *slots;
    rs_arena *arena;
    int32_t n_ranks;  /* `nobody`, too */
    bool have_places; /* some do */
} rs_port_queues;

/* Puts an entry in where it belongs, though it may not be the last, nor have room; false: no memory. */
bool rs_port_queue_insert(rs_port_queues *queues, rs_port_queue *queue, int32_t slot, int32_t peer);
/* Takes an entry out that has others beside it. */
void rs_port_queue_remove(const rs_port_queues *queues, rs_port_queue *queue, int32_t place);
/* Puts a peer's next message in the place of its first; false: no memory. Places may change. */
bool rs_port_queue_replace(rs_port_queues *queues, rs_port_queue *queue, int32_t place,
                           int32_t next);
/* Makes room for one more at the end, and places where the queue grows long; false: no memory. */
bool rs_port_queue_make_room(rs_port_queues *queues, rs_port_queue *queue);

/* Makes an empty queue. */
static inline void rs_port_queue_init(rs_port_queue *queue) {
    *queue = (rs_port_queue){.entries = queue->own, .capacity = 1};
}

static inline bool rs_port_queue_empty(const rs_port_queue *queue) {
    return queue->end == 0;
}

static inline const int32_t *rs_port_queue_peers(const rs_port_queue *queue) {
    return queue->entries + queue->capacity;
}

/* Returns the place of a peer, queue->end if it does not stand in the queue. */
static inline int32_t rs_port_queue_place(const rs_port_queue *queue, int32_t peer) {
    if (queue->places != NULL) {
        return queue->places[peer] == 0 ? queue->end : queue->places[peer] - 1;
    }
    const int32_t *peers = rs_port_queue_peers(queue);
    int32_t i = queue->first;
    while (i < queue->end && peers[i] != peer) i++;
    return i;
}

/* Puts an entry at the end, for a peer that has none; false: no memory. Places may change. */
static inline bool rs_port_queue_append(rs_port_queues *queues, rs_port_queue *queue, int32_t slot,
                                        int32_t peer) {
    if (queue->end == queue->capacity && !rs_port_queue_make_room(queues, queue)) return false;
    queue->entries[queue->end] = slot;
    queue->entries[queue->capacity + queue->end++] = peer;
    if (queue->places != NULL) {
        assert(queue->places[peer] == 0 && queue->end <= UINT16_MAX);
        queue->places[peer] = (uint16_t)queue->end;
    }
    return true;
}

/* Takes one out; places change. */
static inline void rs_port_queue_leave(const rs_port_queues *queues, rs_port_queue *queue,
                                       int32_t place) {
    assert(queue->first <= place && place < queue->end);
    if (queue->places != NULL) queue->places[queue->entries[queue->capacity + place]] = 0;
    if (queue->end - queue->first > 1) {
        rs_port_queue_remove(queues, queue, place);
    } else {
        queue->first = queue->end = 0;
    }
}

#endif
