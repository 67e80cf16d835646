/* event_queue.c: the parts of the event queue (event_queue.h) that are not called for every event. */
#include "time/event_queue.h"

#include <string.h>

bool rs_queue_init(rs_queue *queue, uint32_t capacity, rs_arena *arena) {
    *queue = (rs_queue){.capacity = capacity, .arena = arena};
    queue->pool = rs_alloc(arena, (size_t)capacity + 1, sizeof *queue->pool);
    return queue->pool != NULL;
}

bool rs_queue_grow(rs_queue *queue) {
    if (queue->capacity > UINT32_MAX / 2 - 64) return false;
    const uint32_t capacity = 2 * queue->capacity + 64;
    rs_event *pool = rs_alloc(queue->arena, (size_t)capacity + 1, sizeof *pool);
    if (pool == NULL) return false;
    memcpy(pool, queue->pool, ((size_t)queue->capacity + 1) * sizeof *pool);
    queue->pool = pool;
    queue->capacity = capacity;
    return true;
}

/* Empties the lowest slot into lower levels: its earliest time becomes the one to differ from, so that
   this event ends on level 0. Nothing else has to move: all other events differ from the new time in
   the digit in which they differed from the old one. */
void rs_queue_sift(rs_queue *queue) {
    unsigned level, slot;
    uint32_t place = rs_queue_front(queue, &level, &slot);
    queue->first[level][slot] = 0;
    queue->slots[level] &= queue->slots[level] - 1;
    if (queue->slots[level] == 0) queue->levels &= queue->levels - 1;
    int64_t earliest_ps = queue->pool[place].time_ps;
    for (uint32_t at = queue->pool[place].next; at != 0; at = queue->pool[at].next) {
        if (queue->pool[at].time_ps < earliest_ps) earliest_ps = queue->pool[at].time_ps;
    }
    queue->last_ps = earliest_ps;
    while (place != 0) {
        const uint32_t next = queue->pool[place].next;
        rs_queue_place(queue, place);
        place = next;
    }
}
