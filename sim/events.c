/* events.c: the event queue: a heap with four children a node. */
#include "events.h"

#include <string.h>

enum { CHILDREN = 4 };

bool rs_queue_init(rs_queue *queue, int64_t capacity, rs_arena *arena) {
    *queue = (rs_queue){.capacity = capacity, .arena = arena};
    queue->heap = rs_alloc(arena, (size_t)capacity, sizeof *queue->heap);
    return queue->heap != NULL;
}

static bool grow(rs_queue *queue) {
    rs_event *heap = rs_alloc(queue->arena, (size_t)queue->capacity * 2, sizeof *heap);
    if (heap == NULL) return false;
    memcpy(heap, queue->heap, (size_t)queue->n * sizeof *heap);
    queue->heap = heap;
    queue->capacity *= 2;
    return true;
}

bool rs_queue_push(rs_queue *queue, int64_t time_ps, uint32_t what) {
    if (queue->n == queue->capacity && !grow(queue)) return false;
    int64_t i = queue->n++;
    while (i > 0 && queue->heap[(i - 1) / CHILDREN].time_ps > time_ps) {
        queue->heap[i] = queue->heap[(i - 1) / CHILDREN];
        i = (i - 1) / CHILDREN;
    }
    queue->heap[i] = (rs_event){time_ps, what};
    return true;
}

rs_event rs_queue_pop(rs_queue *queue) {
    const rs_event top = queue->heap[0], last = queue->heap[--queue->n];
    int64_t i = 0;
    for (;;) {
        const int64_t first = CHILDREN * i + 1;
        if (first >= queue->n) break;
        const int64_t end = first + CHILDREN < queue->n ? first + CHILDREN : queue->n;
        int64_t least = first;
        for (int64_t c = first + 1; c < end; c++) {
            if (queue->heap[c].time_ps < queue->heap[least].time_ps) least = c;
        }
        if (queue->heap[least].time_ps >= last.time_ps) break;
        queue->heap[i] = queue->heap[least];
        i = least;
    }
    queue->heap[i] = last;
    return top;
}

int64_t rs_queue_next_ps(const rs_queue *queue) {
    return queue->heap[0].time_ps;
}
