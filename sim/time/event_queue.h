/* event_queue.h: the event queue, a timing wheel of exact times. Private to sim/.
 *
 * Times never go back: nothing is pushed before what was popped last. So an event needs no place in
 * a total order before it is near. It lies where its time first differs from the last one popped,
 * read in digits of 6 bits, the highest first:
 *
 *     last popped   ... 03 17 42 05        level 0: same but for the lowest digit: slot = that digit
 *     event         ... 03 17 58 21   -->  level 1, slot 58
 *     event         ... 03 40 00 00   -->  level 2, slot 40
 *
 *   - The earliest event is in the lowest slot of the lowest level that holds any: two bit scans.
 *   - If it is alone there, it is popped from where it lies. If not, the slot is emptied into lower
 *     levels and the search goes on there. An event moves down about twice in its life, where a heap
 *     of a thousand compares it ten times; the worst case is 11 moves, however many events there are.
 *   - Events of one time come out in an order that depends only on the calls, but says nothing: an
 *     engine must not care. 16 bytes an event, and 3 KiB.
 *
 * (Varghese and Lauck, SOSP 1987, for the wheels; Ahuja et al., JACM 37(2), 1990, for the radix heap.)
 */
#ifndef RS_EVENTS_H
#define RS_EVENTS_H

#include "ringsim.h"

enum { RS_WHEEL_LEVELS = 11, RS_WHEEL_BITS = 6, RS_WHEEL_SLOTS = 1 << RS_WHEEL_BITS };

typedef struct rs_event {
    int64_t time_ps;
    uint32_t what; /* the engine's own business */
    uint32_t next; /* the queue's: the next event of the slot, 0: none */
} rs_event;

typedef struct rs_queue {
    rs_event *pool;                  /* [capacity + 1] pool[0] is never used */
    uint32_t free;                   /* chain of released places */
    uint32_t n_used;                 /* places ever used */
    uint32_t capacity;               /* grows by doubling */
    int64_t n;                       /* events in the queue */
    int64_t last_ps;                 /* the last time popped */
    uint32_t levels;                 /* bit l: level l holds an event */
    uint64_t slots[RS_WHEEL_LEVELS]; /* bit s: slot s does */
    uint32_t first[RS_WHEEL_LEVELS][RS_WHEEL_SLOTS];
    rs_arena *arena;
} rs_queue;

/* Makes an empty queue that has room for `capacity` events at first; false: no memory. */
bool rs_queue_init(rs_queue *queue, uint32_t capacity, rs_arena *arena);
/* Makes room for one more event; false: no memory. */
bool rs_queue_grow(rs_queue *queue);
/* Empties the lowest slot into lower levels. Only a pop may follow: the clock has moved. */
void rs_queue_sift(rs_queue *queue);

/* Puts an event where its time first differs from the last one popped. */
static inline void rs_queue_place(rs_queue *queue, uint32_t place) {
    const uint64_t time = (uint64_t)queue->pool[place].time_ps;
    const uint64_t differs = (time ^ (uint64_t)queue->last_ps) | 1;
    const unsigned level = (63U - (unsigned)__builtin_clzll(differs)) / RS_WHEEL_BITS;
    const unsigned slot = (unsigned)(time >> level * RS_WHEEL_BITS) % RS_WHEEL_SLOTS;
    queue->pool[place].next = queue->first[level][slot];
    queue->first[level][slot] = place;
    queue->slots[level] |= (uint64_t)1 << slot;
    queue->levels |= 1U << level;
}

/* Adds an event at time_ps, which is not before the last one popped; false: no memory. */
static inline bool rs_queue_push(rs_queue *queue, int64_t time_ps, uint32_t what) {
    uint32_t place = queue->free;
    if (place != 0) {
        queue->free = queue->pool[place].next;
    } else {
        if (queue->n_used == queue->capacity && !rs_queue_grow(queue)) return false;
        place = ++queue->n_used;
    }
    queue->pool[place].time_ps = time_ps;
    queue->pool[place].what = what;
    rs_queue_place(queue, place);
    queue->n++;
    return true;
}

/* Returns the place of the earliest event, not yet taken out; the queue is not empty. */
static inline uint32_t rs_queue_front(rs_queue *queue, unsigned *level, unsigned *slot) {
    *level = (unsigned)__builtin_ctz(queue->levels);
    *slot = (unsigned)__builtin_ctzll(queue->slots[*level]);
    return queue->first[*level][*slot];
}

/* Takes out the earliest event; the queue is not empty. */
static inline rs_event rs_queue_pop(rs_queue *queue) {
    unsigned level, slot;
    uint32_t place = rs_queue_front(queue, &level, &slot);
    if (level > 0 && queue->pool[place].next != 0) {
        rs_queue_sift(queue);
        place = rs_queue_front(queue, &level, &slot);
    }
    const rs_event event = queue->pool[place];
    queue->first[level][slot] = event.next;
    if (event.next == 0) {
        queue->slots[level] &= queue->slots[level] - 1; /* the lowest bit */
        if (queue->slots[level] == 0) queue->levels &= queue->levels - 1;
    }
    queue->pool[place].next = queue->free;
    queue->free = place;
    queue->last_ps = event.time_ps;
    queue->n--;
    return event;
}

/* Tells whether another event has the time of the one popped last. */
static inline bool rs_queue_more_now(const rs_queue *queue) {
    return (queue->slots[0] >> (uint64_t)queue->last_ps % RS_WHEEL_SLOTS & 1) != 0;
}

#endif
