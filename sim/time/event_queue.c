/* event_queue.c: those parts of the event queue (event_queue.h) that the engine does not call for
   every event. */
#include "time/event_queue.h"
#include "base/containers.h"

#include <string.h>

enum {
    ENOUGH = 24,       /* stop fetching when so many events are near */
    MOST_AT_ONCE = 20, /* a slot of so many events is sorted; one with more becomes a rung */
};
static_assert(ENOUGH + MOST_AT_ONCE <= RS_NEAR_ROOM, "what is fetched fits");

static void empty_far(rs_queue *queue) {
    queue->far = 0;
    queue->far_first_ps = INT64_MAX;
    queue->far_last_ps = 0;
}

bool rs_queue_init(rs_queue *queue, uint32_t capacity, rs_arena *arena) {
    *queue = (rs_queue){.capacity = capacity, .arena = arena};
    queue->pool = rs_alloc(arena, (size_t)capacity + 1, sizeof *queue->pool);
    queue->rungs = rs_alloc(arena, RS_MOST_RUNGS, sizeof *queue->rungs);
    empty_far(queue);
    return queue->pool != NULL && queue->rungs != NULL;
}

bool rs_queue_grow(rs_queue *queue) {
    uint32_t room = queue->capacity + 1;
    if (!rs_reserve(queue->arena, &queue->pool, room + 64, &room)) return false;
    queue->capacity = room - 1;
    return true;
}

/* Moves the near event at `place` forward to its place among the events from `first` on. */
static void settle(rs_queue *queue, int32_t first, int32_t place) {
    const int64_t time_ps = queue->near[place].time_ps;
    const uint32_t what = queue->near[place].what;
    for (; place > first && queue->near[place - 1].time_ps > time_ps; place--) {
        queue->near[place].time_ps = queue->near[place - 1].time_ps;
        queue->near[place].what = queue->near[place - 1].what;
    }
    queue->near[place].time_ps = time_ps;
    queue->near[place].what = what;
}

bool rs_queue_push_near(rs_queue *queue, int64_t time_ps, uint32_t what) {
    if (queue->near_end == RS_NEAR_ROOM) { /* to the front of the room */
        queue->near_end -= queue->near_first;
        memmove(queue->near, &queue->near[queue->near_first],
                (size_t)queue->near_end * sizeof *queue->near);
        queue->near_first = 0;
    }
    if (queue->near_end == RS_NEAR_ROOM) { /* still full: the last goes back into the queue */
        const rs_event last = queue->near[--queue->near_end];
        if (!rs_queue_push_later(queue, last.time_ps, last.what)) return false;
    }
    queue->near[queue->near_end].time_ps = time_ps;
    queue->near[queue->near_end].what = what;
    settle(queue, queue->near_first, queue->near_end++);
    return true;
}

/* Makes a rung for the times first_ps .. last_ps and puts a chain of events into it. */
static void add_rung(rs_queue *queue, int64_t first_ps, int64_t last_ps, uint32_t chain) {
    assert(queue->n_rungs < RS_MOST_RUNGS && first_ps <= last_ps);
    const uint64_t range = (uint64_t)(last_ps - first_ps) | 1;
    const unsigned bits = 64U - (unsigned)__builtin_clzll(range);
    rs_rung *rung = &queue->rungs[queue->n_rungs++];
    rung->base_ps = first_ps;
    rung->end_ps = last_ps + 1;
    rung->shift = bits > RS_RUNG_BITS ? bits - RS_RUNG_BITS : 0;
    while (chain != 0) {
        const uint32_t next = queue->pool[chain].next;
        rs_queue_place(queue, rung, chain, queue->pool[chain].time_ps);
        chain = next;
    }
}

static uint32_t first_slot(const rs_rung *rung) {
    const uint32_t word = (uint32_t)__builtin_ctzll(rung->words);
    return 64 * word + (uint32_t)__builtin_ctzll(rung->slots[word]);
}

static void note_empty(rs_rung *rung, uint32_t slot) {
    uint64_t *word = &rung->slots[slot / 64];
    rung->first[slot] = 0;
    *word &= *word - 1; /* the lowest bit */
    if (*word == 0) rung->words &= rung->words - 1;
}

/* Sorts the events of a slot and appends them to the near ones; false: there are too many. If the
   slot is one picosecond wide, some may stay in it instead. */
static bool take_slot(rs_queue *queue, rs_rung *rung, uint32_t slot) {
    const uint32_t head = rung->first[slot];
    const int32_t first = queue->near_end;
    rs_event *to = &queue->near[first];
    uint32_t last = 0, at = head;
    int32_t n = 0;
    for (; at != 0 && n < MOST_AT_ONCE; n++) {
        last = at;
        to[n].time_ps = queue->pool[at].time_ps;
        to[n].what = queue->pool[at].what;
        at = queue->pool[at].next;
    }
    if (at != 0 && rung->shift > 0) return false;
    queue->pool[last].next = queue->free;
    queue->free = head;
    queue->near_end += n;
    rung->first[slot] = at;
    if (at == 0) note_empty(rung, slot);
    for (int32_t i = 1; i < n; i++) settle(queue, first, first + i);
    return true;
}

void rs_queue_fetch(rs_queue *queue) {
    assert(queue->near_first == queue->near_end && queue->n > 0);
    queue->near_first = queue->near_end = 0;
    while (queue->near_end < ENOUGH) {
        while (queue->n_rungs > 0 && queue->rungs[queue->n_rungs - 1].words == 0) queue->n_rungs--;
        if (queue->n_rungs == 0) {
            if (queue->near_end > 0) return;
            const uint32_t chain = queue->far;
            const int64_t first_ps = queue->far_first_ps, last_ps = queue->far_last_ps;
            empty_far(queue);
            add_rung(queue, first_ps, last_ps, chain);
        }
        rs_rung *rung = &queue->rungs[queue->n_rungs - 1];
        const uint32_t slot = first_slot(rung);
        if (take_slot(queue, rung, slot)) continue;
        if (queue->near_end > 0) return;
        const uint32_t chain = rung->first[slot];
        const int64_t first_ps = rung->base_ps + ((int64_t)slot << rung->shift);
        const int64_t next_ps = first_ps + ((int64_t)1 << rung->shift);
        note_empty(rung, slot);
        /* The last slot may be wider than its rung, behind which others hold what is pushed. */
        add_rung(queue, first_ps, (next_ps < rung->end_ps ? next_ps : rung->end_ps) - 1, chain);
    }
}

bool rs_queue_holds_now(const rs_queue *queue) {
    for (int32_t i = queue->n_rungs - 1; i >= 0; i--) {
        const rs_rung *rung = &queue->rungs[i];
        if (rung->words == 0) continue;
        uint32_t at = rung->first[first_slot(rung)];
        if (rung->shift == 0) return queue->pool[at].time_ps == queue->last_ps;
        while (at != 0 && queue->pool[at].time_ps != queue->last_ps) at = queue->pool[at].next;
        return at != 0;
    }
    return queue->far != 0 && queue->far_first_ps == queue->last_ps;
}
