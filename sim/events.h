/* events.h: the event queue. Private to sim/. */
#ifndef RS_EVENTS_H
#define RS_EVENTS_H

#include "ringsim.h"

typedef struct rs_event {
    int64_t time_ps;
    uint32_t what; /* the engine's own business */
} rs_event;

typedef struct rs_queue {
    rs_event *heap;
    int64_t n, capacity;
    rs_arena *arena;
} rs_queue;

bool rs_queue_init(rs_queue *queue, int64_t capacity, rs_arena *arena);
bool rs_queue_push(rs_queue *queue, int64_t time_ps, uint32_t what);
rs_event rs_queue_pop(rs_queue *queue);
int64_t rs_queue_next_ps(const rs_queue *queue);
#endif
