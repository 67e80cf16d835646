/* port_queue.c: the line at a port (port_queue.h). */
#include "time/port_queue.h"

#include <assert.h>
#include <string.h>

enum { GONE = RS_NO_SLOT, FIRST_ROOM = 8 };

static int32_t *slots_of(rs_line *line) {
    return line->capacity == 0 ? line->at.only : line->at.many;
}

static int32_t *peers_of(rs_line *line) {
    return line->capacity == 0 ? &line->at.only[1] : line->at.many + line->capacity;
}

int32_t rs_line_place(const rs_line *line, int32_t slot) {
    const int32_t *slots = rs_line_slots(line);
    int32_t i = line->first;
    while (i < line->end && slots[i] != slot) i++;
    assert(i < line->end);
    return i;
}

int32_t rs_line_slot_of(const rs_line *line, int32_t peer) {
    const int32_t *peers = rs_line_peers(line);
    for (int32_t i = line->first; i < line->end; i++) {
        if (peers[i] == peer) return rs_line_slots(line)[i];
    }
    return GONE;
}

static bool goes_before(const rs_lines *lines, int32_t a, int32_t b) {
    return rs_slot_before(rs_slot_at(lines->slots, a), rs_slot_at(lines->slots, b));
}

/* Returns the place behind the last whose turn is before the slot's. */
static int32_t place_for(const rs_lines *lines, const rs_line *line, int32_t slot) {
    const int32_t *slots = rs_line_slots(line);
    int32_t low = line->first, high = line->end;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        int32_t there = middle;
        while (slots[there] == GONE) there++; /* the last is there */
        if (there < high && goes_before(lines, slots[there], slot)) {
            low = there + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Closes the gaps, those at the front too. */
static void close_up(rs_line *line) {
    int32_t *slots = slots_of(line), *peers = peers_of(line), n = 0;
    for (int32_t i = line->first; i < line->end; i++) {
        if (slots[i] == GONE) continue;
        peers[n] = peers[i];
        slots[n++] = slots[i];
    }
    line->first = line->n_gone = 0;
    line->end = n;
}

static bool grow(rs_line *line, rs_arena *arena) {
    const size_t n = line->capacity == 0 ? 1 : (size_t)line->capacity;
    if (line->capacity > INT32_MAX / 4) return false;
    const int32_t wanted = line->capacity == 0 ? FIRST_ROOM : 2 * line->capacity;
    int32_t *many = rs_alloc(arena, 2 * (size_t)wanted, sizeof *many);
    if (many == NULL) return false;
    memcpy(many, slots_of(line), n * sizeof *many);
    memcpy(many + wanted, peers_of(line), n * sizeof *many);
    line->at.many = many;
    line->capacity = wanted;
    return true;
}

/* Makes room for one more at the end. */
static bool make_room(rs_line *line, rs_arena *arena) {
    const int32_t capacity = line->capacity == 0 ? 1 : line->capacity;
    if (line->end < capacity) return true;
    if (2 * (line->first + line->n_gone) < capacity) return grow(line, arena);
    close_up(line);
    return true;
}

/* Makes way for one at a place before the end: in a gap, or in that at the front, or else those behind
   move. Returns the place. */
static int32_t make_way(rs_line *line, int32_t place) {
    int32_t *slots = slots_of(line), *peers = peers_of(line);
    if (slots[place] == GONE) {
        line->n_gone--;
        return place;
    }
    if (place == line->first && place > 0) return --line->first;
    const size_t n_after = (size_t)(line->end - place);
    memmove(&slots[place + 1], &slots[place], n_after * sizeof *slots);
    memmove(&peers[place + 1], &peers[place], n_after * sizeof *peers);
    line->end++;
    return place;
}

bool rs_line_join(const rs_lines *lines, rs_line *line, int32_t slot, int32_t peer) {
    if (!make_room(line, lines->arena)) return false;
    int32_t place = line->end;
    if (!rs_line_empty(line) && goes_before(lines, slot, slots_of(line)[place - 1])) {
        place = make_way(line, place_for(lines, line, slot));
    } else {
        line->end++;
    }
    slots_of(line)[place] = slot;
    peers_of(line)[place] = peer;
    return true;
}

static void take_out(const rs_lines *lines, rs_line *line, int32_t place) {
    int32_t *slots = slots_of(line);
    if (line->end - line->first == 1) {
        line->first = line->end = 0;
        return;
    }
    slots[place] = GONE;
    peers_of(line)[place] = lines->nobody;
    line->n_gone++;
    for (; slots[line->first] == GONE; line->first++) line->n_gone--;
    for (; slots[line->end - 1] == GONE; line->end--) line->n_gone--;
    if (2 * line->n_gone > line->end - line->first) close_up(line);
}

void rs_line_leave(const rs_lines *lines, rs_line *line, int32_t slot) {
    take_out(lines, line, rs_line_place(line, slot));
}

bool rs_line_replace(const rs_lines *lines, rs_line *line, int32_t slot, int32_t next) {
    int32_t *slots = slots_of(line);
    const int32_t place = rs_line_place(line, slot), peer = peers_of(line)[place];
    int32_t behind = place + 1;
    while (behind < line->end && slots[behind] == GONE) behind++;
    if (behind == line->end || goes_before(lines, next, slots[behind])) {
        slots[place] = next;
        return true;
    }
    take_out(lines, line, place);
    return rs_line_join(lines, line, next, peer);
}
