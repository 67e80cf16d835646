/* event_queue.h: the event queue, a heap of exact times. Private to sim/.
 *
 *     heap    . . . [ root ] | [ its four children ] | [ the first child's ] | [ the second's ] ...
 *
 *   - Four children a node, side by side in one cache line: a thousand events are five levels. The
 *     least of four is found without a jump that could be guessed wrong.
 *   - The earliest event is known before the heap is in order again, so that a processor does both at
 *     once: an engine's work hides the heap's.
 *   - Events of one time come out in an order that depends only on the calls, but says nothing: an
 *     engine must not care. 16 bytes an event.
 *
 * (LaMarca and Ladner, ACM JEA 1, 1996.)
 */
#ifndef RS_EVENTS_H
#define RS_EVENTS_H

#include "ringsim.h"

#include <assert.h>

enum { RS_HEAP_ROOT = 3 }; /* so that the children of i are 4 (i - 2) and the three behind it */

typedef struct rs_event {
    int64_t time_ps;
    uint32_t what; /* the engine's own business */
} rs_event;

typedef struct rs_queue {
    rs_event *heap; /* from heap[RS_HEAP_ROOT] on; behind the last, to the line's end, INT64_MAX */
    int64_t n;      /* events in the queue */
    int64_t capacity; /* grows by doubling */
    int64_t last_ps;  /* the last time popped */
    rs_arena *arena;
} rs_queue;

/* Makes an empty queue that has room for `capacity` events at first; false: no memory. */
bool rs_queue_init(rs_queue *queue, int64_t capacity, rs_arena *arena);
/* Makes room for one more event; false: no memory. */
bool rs_queue_grow(rs_queue *queue);

/* Writes an event. Field by field, as they are read: a processor cannot read as one piece what it has
   just written as two. */
static inline void rs_queue_put(rs_event *event, int64_t time_ps, uint32_t what) {
    event->time_ps = time_ps;
    event->what = what;
}

/* Adds an event at time_ps, which is not before the last one popped; false: no memory. */
static inline bool rs_queue_push(rs_queue *queue, int64_t time_ps, uint32_t what) {
    assert(time_ps >= queue->last_ps);
    if (queue->n == queue->capacity && !rs_queue_grow(queue)) return false;
    rs_event *heap = queue->heap;
    int64_t at = RS_HEAP_ROOT + queue->n++;
    if (at % 4 == 0) { /* a new line */
        for (int64_t i = 1; i < 4; i++) heap[at + i].time_ps = INT64_MAX;
    }
    for (; at > RS_HEAP_ROOT; at = at / 4 + 2) {
        const rs_event *above = &heap[at / 4 + 2];
        if (above->time_ps <= time_ps) break;
        rs_queue_put(&heap[at], above->time_ps, above->what);
    }
    rs_queue_put(&heap[at], time_ps, what);
    return true;
}

/* Returns a, or b where is_b is 1: without a jump, and the compiler makes none of it. */
static inline int64_t rs_either(int64_t a, int64_t b, int64_t is_b) {
    return a ^ ((a ^ b) & -is_b);
}

/* Takes out the earliest event; the queue is not empty. */
static inline rs_event rs_queue_pop(rs_queue *queue) {
    assert(queue->n > 0);
    rs_event *heap = queue->heap;
    const int64_t end = RS_HEAP_ROOT + --queue->n;
    const rs_event first = {heap[RS_HEAP_ROOT].time_ps, heap[RS_HEAP_ROOT].what};
    const int64_t last_ps = heap[end].time_ps;
    const uint32_t last = heap[end].what;
    heap[end].time_ps = INT64_MAX;
    int64_t at = RS_HEAP_ROOT;
    for (int64_t child = 4; child < end; child = 4 * (at - 2)) {
        const rs_event *four = &heap[child];
        const int64_t b = four[1].time_ps < four[0].time_ps;
        const int64_t d = four[3].time_ps < four[2].time_ps;
        const int64_t ab_ps = rs_either(four[0].time_ps, four[1].time_ps, b);
        const int64_t cd_ps = rs_either(four[2].time_ps, four[3].time_ps, d);
        const int64_t cd = cd_ps < ab_ps;
        const int64_t least_ps = rs_either(ab_ps, cd_ps, cd), least = rs_either(b, 2 + d, cd);
        if (least_ps >= last_ps) break;
        rs_queue_put(&heap[at], least_ps, four[least].what);
        at = child + least;
    }
    rs_queue_put(&heap[at], last_ps, last);
    queue->last_ps = first.time_ps;
    return first;
}

/* Tells whether another event has the time of the one popped last. */
static inline bool rs_queue_more_now(const rs_queue *queue) {
    return queue->n > 0 && queue->heap[RS_HEAP_ROOT].time_ps == queue->last_ps;
}

#endif
