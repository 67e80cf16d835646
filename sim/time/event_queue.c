/* event_queue.c: the parts of the event queue (event_queue.h) that are not called for every event. */
#include "time/event_queue.h"

#include <string.h>

enum { LEAST = 60 };

/* Room for `capacity` events, those before the root, and the rest of the last line. */
static rs_event *new_heap(rs_arena *arena, int64_t capacity) {
    return rs_alloc(arena, (size_t)capacity + RS_HEAP_ROOT + 4, sizeof(rs_event));
}

bool rs_queue_init(rs_queue *queue, int64_t capacity, rs_arena *arena) {
    assert(capacity >= 0);
    *queue = (rs_queue){.capacity = capacity, .arena = arena};
    queue->heap = new_heap(arena, capacity);
    return queue->heap != NULL;
}

bool rs_queue_grow(rs_queue *queue) {
    if (queue->capacity > INT64_MAX / 2 - LEAST) return false;
    const int64_t capacity = 2 * queue->capacity + LEAST;
    rs_event *heap = new_heap(queue->arena, capacity);
    if (heap == NULL) return false;
    memcpy(heap, queue->heap, ((size_t)queue->capacity + RS_HEAP_ROOT + 4) * sizeof *heap);
    queue->heap = heap;
    queue->capacity = capacity;
    return true;
}
