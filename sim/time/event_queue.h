/* event_queue.h: the event queue, a ladder of exact times. Private to sim/.
 *
 *     near     [ t0 ][ t1 ][ t2 ] ...              the next few events, sorted
 *     rung 1   | | |x|x| |x| ...                   2048 slots; the next slot of rung 0, spread out
 *     rung 0   |         |  x  |     |  x  | ...   2048 slots; what was far, spread out
 *     far      x x x x x                           what comes after rung 0
 *
 *   - Times never go back: nothing is pushed before what was popped last. So an event needs no place in
 *     a total order before it is near.
 *   - When nothing is near, the next slots are sorted into it, a few events at a time. A slot with many
 *     becomes a rung of its own; when all rungs are empty, what is far becomes one: as wide as it is
 *     long, so that a slot holds few.
 *   - So an event is moved two or three times in its life, where a heap of a thousand compares it ten
 *     times; five rungs hold all times there are.
 *   - No jump of a push depends on its time alone, which is mostly the last thing that an engine knows.
 *   - Events of one time come out in an order that depends only on the calls, but says nothing: an
 *     engine must not care. 16 bytes an event, and 8 KiB a rung: they are there
 *     from the start, so that only a push can lack memory.
 *
 * (Tang, Goh and Thng, ACM TOMACS 15(3), 2005.)
 */
#pragma once

#include "ringsim.h"

#include <assert.h>

enum {
    RS_RUNG_BITS = 11,
    RS_RUNG_SLOTS = 1 << RS_RUNG_BITS,
    RS_RUNG_WORDS = RS_RUNG_SLOTS / 64,
    RS_MOST_RUNGS = 6, /* 2^66 > any time */
    RS_NEAR_ROOM = 64,
    RS_NEAR_FEW = 8 /* all of so few events are near */
};

typedef struct rs_event {
    int64_t time_ps;
    uint32_t what; /* the engine's own business */
    uint32_t next; /* the queue's: the next event of a chain, 0: none */
} rs_event;

typedef struct rs_rung {
    int64_t base_ps, end_ps; /* slot s holds the times from base_ps + (s << shift) on */
    unsigned shift;
    uint64_t words;                /* bit w: slots[w] is not 0 */
    uint64_t slots[RS_RUNG_WORDS]; /* bit s: slot s holds an event */
    uint32_t first[RS_RUNG_SLOTS];
} rs_rung;

typedef struct rs_queue {
    int64_t n;                    /* events in the queue */
    int64_t last_ps;              /* the last time popped */
    int32_t near_first, near_end; /* of near[] */
    rs_event near[RS_NEAR_ROOM];  /* sorted; none elsewhere is before the last of them */
    int32_t n_rungs;              /* in use */
    rs_rung *rungs;               /* [RS_MOST_RUNGS] */
    uint32_t far;                 /* a chain */
    int64_t far_first_ps, far_last_ps;
    rs_event *pool;    /* [capacity + 1] of what is not near; pool[0] is never used */
    uint32_t free;     /* chain of released places */
    uint32_t n_used;   /* places ever used */
    uint32_t capacity; /* grows by doubling */
    rs_arena *arena;
} rs_queue;

/* Makes an empty queue that has room for `capacity` events at first; false: no memory. */
bool rs_queue_init(rs_queue *queue, uint32_t capacity, rs_arena *arena);
/* Makes room for one more event; false: no memory. */
bool rs_queue_grow(rs_queue *queue);
/* Puts an event among the near ones; false: no memory. */
bool rs_queue_push_near(rs_queue *queue, int64_t time_ps, uint32_t what);
/* Fetches events of a queue that is not empty when nothing is near. Then only a pop may follow. */
void rs_queue_fetch(rs_queue *queue);
/* Tells whether an event has the time popped last; nothing is near. */
bool rs_queue_holds_now(const rs_queue *queue);

/* Puts an event in a rung that covers its time. */
static inline void rs_queue_place(rs_queue *queue, rs_rung *rung, uint32_t place, int64_t time_ps) {
    const uint64_t slot = (uint64_t)(time_ps - rung->base_ps) >> rung->shift;
    assert(slot < RS_RUNG_SLOTS);
    queue->pool[place].next = rung->first[slot];
    rung->first[slot] = place;
    rung->slots[slot / 64] |= (uint64_t)1 << slot % 64;
    rung->words |= (uint64_t)1 << slot / 64;
}

/* Puts an event in the finest rung that covers its time, or with what is far; false: no memory. */
static inline bool rs_queue_push_later(rs_queue *queue, int64_t time_ps, uint32_t what) {
    uint32_t place = queue->free;
    if (place != 0) {
        queue->free = queue->pool[place].next;
    } else {
        if (queue->n_used == queue->capacity && !rs_queue_grow(queue)) return false;
        place = ++queue->n_used;
    }
    queue->pool[place].time_ps = time_ps;
    queue->pool[place].what = what;
    for (int32_t i = queue->n_rungs - 1; i >= 0; i--) {
        if (time_ps < queue->rungs[i].end_ps) {
            rs_queue_place(queue, &queue->rungs[i], place, time_ps);
            return true;
        }
    }
    queue->far_first_ps = time_ps < queue->far_first_ps ? time_ps : queue->far_first_ps;
    queue->far_last_ps = time_ps > queue->far_last_ps ? time_ps : queue->far_last_ps;
    queue->pool[place].next = queue->far;
    queue->far = place;
    return true;
}

/* Adds an event at time_ps, which is not before the last one popped; false: no memory. */
static inline bool rs_queue_push(rs_queue *queue, int64_t time_ps, uint32_t what) {
    const int64_t n_near = queue->near_end - queue->near_first;
    const bool is_near = n_near > 0 && time_ps < queue->near[queue->near_end - 1].time_ps;
    const bool are_few = n_near == queue->n && n_near < RS_NEAR_FEW;
    queue->n++;
    return is_near || are_few ? rs_queue_push_near(queue, time_ps, what)
                              : rs_queue_push_later(queue, time_ps, what);
}

/* Returns what the n-th event to come is, from 0 on, where it is near; else anything that was pushed, or
   0. */
static inline uint32_t rs_queue_soon(const rs_queue *queue, int32_t n) {
    const int32_t at = queue->near_first + n;
    return queue->near[at < queue->near_end ? at : 0].what;
}

/* Takes out the earliest event; the queue is not empty. */
static inline rs_event rs_queue_pop(rs_queue *queue) {
    assert(queue->n > 0);
    if (queue->near_first == queue->near_end) rs_queue_fetch(queue);
    const rs_event *event = &queue->near[queue->near_first++];
    queue->last_ps = event->time_ps;
    queue->n--;
    return (rs_event){event->time_ps, event->what, 0};
}

/* Tells whether another event has the time of the one popped last. */
static inline bool rs_queue_more_now(const rs_queue *queue) {
    if (queue->near_first < queue->near_end) {
        return queue->near[queue->near_first].time_ps == queue->last_ps;
    }
    return queue->n > 0 && rs_queue_holds_now(queue);
}
