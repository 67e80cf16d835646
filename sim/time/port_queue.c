/* port_queue.c: the queue at a port (port_queue.h). */
#include "time/port_queue.h"

#include <string.h>

enum { FIRST_ROOM = 8, LONG = 16 /* entries; a longer queue gets places */ };

static int32_t *peers_of(rs_port_queue *queue) {
    return queue->entries + queue->capacity;
}

static bool goes_before(const rs_port_queues *queues, int32_t a, int32_t b) {
    return rs_turn_before(rs_slot_at(queues->slots, a), rs_slot_at(queues->slots, b));
}

/* Returns the place behind the last whose turn is before the slot's. */
static int32_t place_for(const rs_port_queues *queues, const rs_port_queue *queue, int32_t slot) {
    const int32_t *peers = rs_port_queue_peers(queue);
    int32_t low = queue->first, high = queue->end;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        int32_t there = middle;
        while (peers[there] == queues->n_ranks) there++; /* the last is there */
        if (there < high && goes_before(queues, queue->entries[there], slot)) {
            low = there + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Writes down where those from `place` on stand. */
static void note_places(const rs_port_queues *queues, const rs_port_queue *queue, int32_t place) {
    const int32_t *peers = rs_port_queue_peers(queue);
    if (queue->places == NULL) return;
    assert(queue->end <= UINT16_MAX);
    for (int32_t i = place; i < queue->end; i++) {
        if (peers[i] != queues->n_ranks) queue->places[peers[i]] = (uint16_t)(i + 1);
    }
}

/* Closes the gaps, those at the front too. */
static void close_up(const rs_port_queues *queues, rs_port_queue *queue) {
    int32_t *peers = peers_of(queue), n = 0;
    for (int32_t i = queue->first; i < queue->end; i++) {
        if (peers[i] == queues->n_ranks) continue;
        peers[n] = peers[i];
        queue->entries[n++] = queue->entries[i];
    }
    assert(n == queue->end - queue->first - queue->n_gone);
    queue->first = queue->n_gone = 0;
    queue->end = n;
    note_places(queues, queue, 0);
}

static bool grow(rs_port_queue *queue, rs_arena *arena) {
    const int32_t had = queue->capacity, wanted = had == 1 ? FIRST_ROOM : 2 * had;
    if (had > INT32_MAX / 4) return false;
    int32_t *entries = rs_alloc(arena, 2 * (size_t)wanted, sizeof *entries);
    if (entries == NULL) return false;
    memcpy(entries, queue->entries, (size_t)had * sizeof *entries);
    memcpy(entries + wanted, queue->entries + had, (size_t)had * sizeof *entries);
    queue->entries = entries;
    queue->capacity = wanted;
    return true;
}

bool rs_port_queue_make_room(rs_port_queues *queues, rs_port_queue *queue) {
    const bool is_long = queue->end >= LONG && queues->n_ranks <= RS_MAX_FILE_RANKS;
    if (is_long && queue->places == NULL) {
        queue->places = rs_alloc(queues->arena, (size_t)queues->n_ranks, sizeof *queue->places);
        if (queue->places == NULL) return false;
        note_places(queues, queue, queue->first);
        queues->have_places = true;
    }
    if (2 * (queue->first + queue->n_gone) < queue->capacity) return grow(queue, queues->arena);
    close_up(queues, queue);
    return true;
}

/* Makes way for one at a place before the end: in a gap, or in that at the front, or else those behind
   move. Returns the place. */
static int32_t make_way(const rs_port_queues *queues, rs_port_queue *queue, int32_t place) {
    int32_t *peers = peers_of(queue);
    if (peers[place] == queues->n_ranks) {
        queue->n_gone--;
        return place;
    }
    if (place == queue->first && place > 0) return --queue->first;
    const size_t n_after = (size_t)(queue->end - place);
    memmove(&queue->entries[place + 1], &queue->entries[place], n_after * sizeof *queue->entries);
    memmove(&peers[place + 1], &peers[place], n_after * sizeof *peers);
    queue->end++;
    note_places(queues, queue, place + 1);
    return place;
}

bool rs_port_queue_insert(rs_port_queues *queues, rs_port_queue *queue, int32_t slot,
                          int32_t peer) {
    if (rs_port_queue_empty(queue) || goes_before(queues, queue->entries[queue->end - 1], slot)) {
        return rs_port_queue_append(queues, queue, slot, peer);
    }
    if (queue->end == queue->capacity && !rs_port_queue_make_room(queues, queue)) return false;
    const int32_t place = make_way(queues, queue, place_for(queues, queue, slot));
    queue->entries[place] = slot;
    peers_of(queue)[place] = peer;
    if (queue->places != NULL) queue->places[peer] = (uint16_t)(place + 1);
    return true;
}

void rs_port_queue_remove(const rs_port_queues *queues, rs_port_queue *queue, int32_t place) {
    int32_t *peers = peers_of(queue);
    assert(peers[place] != queues->n_ranks);
    peers[place] = queues->n_ranks;
    queue->n_gone++;
    for (; peers[queue->first] == queues->n_ranks; queue->first++) queue->n_gone--;
    for (; peers[queue->end - 1] == queues->n_ranks; queue->end--) queue->n_gone--;
    const bool is_sparse = 2 * queue->n_gone > queue->end - queue->first;
    if (is_sparse && queue->places == NULL) close_up(queues, queue);
}

bool rs_port_queue_replace(rs_port_queues *queues, rs_port_queue *queue, int32_t place,
                           int32_t next) {
    const int32_t *peers = rs_port_queue_peers(queue);
    const int32_t peer = peers[place];
    int32_t behind = place + 1;
    while (behind < queue->end && peers[behind] == queues->n_ranks) behind++;
    if (behind == queue->end || goes_before(queues, next, queue->entries[behind])) {
        queue->entries[place] = next;
        return true;
    }
    rs_port_queue_leave(queues, queue, place);
    return rs_port_queue_insert(queues, queue, next, peer);
}
