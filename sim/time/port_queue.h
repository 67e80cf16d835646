/* port_queue.h: the line at one port: who waits for it, in the order of their turns. Private to sim/.
 *
 *     peers   [ 7 ][ 2 ][ - ][ 5 ][ 9 ]     the port at the other end; `nobody` where one has gone
 *     slots   [   ][   ][   ][   ][   ]     the first of the messages that wait for both these ports
 *              first              end
 *
 *   - One entry for each pair of ports, however many messages wait between the two: a line is never
 *     longer than there are ranks.
 *   - The first and the last entry are there; of those between, at least half.
 *   - Mostly somebody joins at the end or leaves from the front, and mostly a line is empty or holds
 *     one, for which it needs no memory. The peers lie side by side, as they are looked through.
 *   - All zero: an empty line.
 */
#ifndef RS_LINE_H
#define RS_LINE_H

#include "time/slots.h"

typedef struct rs_line {
    union {
        int32_t *many;   /* [2][capacity] slots, then peers */
        int32_t only[2]; /* while capacity is 0 */
    } at;
    int32_t first, end;
    int32_t n_gone; /* between the two */
    int32_t capacity;
} rs_line;

static inline bool rs_line_empty(const rs_line *line) {
    return line->first == line->end;
}

static inline const int32_t *rs_line_slots(const rs_line *line) {
    return line->capacity == 0 ? line->at.only : line->at.many;
}

static inline const int32_t *rs_line_peers(const rs_line *line) {
    return line->capacity == 0 ? &line->at.only[1] : line->at.many + line->capacity;
}

/* What the lines of one set of ports share. */
typedef struct rs_lines {
    rs_slots *slots;
    rs_arena *arena;
    int32_t nobody; /* the peer that stands for one who has gone */
} rs_lines;

/* Returns the place of a slot that stands in the line. */
int32_t rs_line_place(const rs_line *line, int32_t slot);
/* Returns the first slot of this peer, RS_NO_SLOT if it does not stand in the line. */
int32_t rs_line_slot_of(const rs_line *line, int32_t peer);
/* Puts in an entry for a peer that has none; false: no memory. Places change. */
bool rs_line_join(const rs_lines *lines, rs_line *line, int32_t slot, int32_t peer);
/* Takes one out; places change. */
void rs_line_leave(const rs_lines *lines, rs_line *line, int32_t slot);
/* Puts a peer's next message in the place of its first; false: no memory. Places may change. */
bool rs_line_replace(const rs_lines *lines, rs_line *line, int32_t slot, int32_t next);

#endif
