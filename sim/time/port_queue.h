/* port_queue.h: who waits for one port, in the order of their turns. Private to sim/.
 *
 *     entries [ 7 ][ 2 ][ 4 ][ 2 ][ 9 ]    a message's slot, and its number: if the slot has another by
 *              first              end      now, the message has gone
 *     row     0010000101                   by rank: do messages wait between this port and its?
 *     firsts  --7----2-9                   by rank, at send ports: the first of those messages
 *
 *   - A message stands in two queues, that of its send port and that of its receive port. It leaves them
 *     without being looked for; entries of messages that have gone are dropped when a queue has no room.
 *   - Mostly somebody joins at the end or leaves from the front, and a few find room in the queue itself.
 *   - Rows come when somebody has looked through a long queue in vain: with them a few words say who
 *     could start. Those of all ports take 4 N^2 bytes, so there are none above RS_MAX_FILE_RANKS
 *     ranks. Generated schedules can be larger; few of theirs wait at one port.
 */
#pragma once

#include "time/slots.h"

enum { RS_SEND, RS_RECEIVE }; /* a rank's ports */
enum { RS_OWN_ENTRIES = 4 };

typedef struct rs_waiting {
    int32_t slot;
    uint32_t number;
} rs_waiting;

typedef struct rs_port_queue {
    rs_waiting *entries; /* [capacity] */
    int32_t first, end;
    int32_t n; /* that wait */
    int32_t capacity;
    uint64_t
        *row; /* [n_words], then firsts [n_ranks], whose number is 0 where none waits; or NULL */
    rs_waiting own[RS_OWN_ENTRIES];
} rs_port_queue;

/* The queues of all ports. */
typedef struct rs_port_queues {
    rs_port_queue *of[2]; /* [n_ranks] of the send ports and of the receive ports */
    rs_slots *slots;
    rs_arena *arena;
    int32_t n_ranks, n_words;
    uint32_t n_joined; /* the last message's number */
    bool in_turn;      /* the numbers go by the turns */
    bool have_rows;
} rs_port_queues;

/* false: no memory */
bool rs_port_queues_init(rs_port_queues *queues, int32_t n_ranks, rs_slots *slots, rs_arena *arena);
/* Puts a message in both its queues; is_last: its turn comes after all others'. false: no memory. */
bool rs_port_queues_join(rs_port_queues *queues, int32_t slot, bool is_last);
/* Takes a message out of both, the first of those between its ports. */
void rs_port_queues_leave(rs_port_queues *queues, int32_t slot);
/* Makes the rows; false: no memory. */
bool rs_port_queues_make_rows(rs_port_queues *queues);

static inline bool rs_port_queues_waits(const rs_port_queues *queues, rs_waiting entry) {
    return rs_slot_at(queues->slots, entry.slot)->number == entry.number;
}

/* Returns the first messages that wait at a send port that has a row, by their receivers. */
static inline rs_waiting *rs_port_queues_firsts(const rs_port_queues *queues, int32_t src) {
    return (rs_waiting *)(queues->of[RS_SEND][src].row + queues->n_words);
}

/* Tells whether the turn of `a` is before that of `b`; both wait. */
static inline bool rs_port_queues_before(const rs_port_queues *queues, rs_waiting a, rs_waiting b) {
    return queues->in_turn ? a.number < b.number : rs_slots_before(queues->slots, a.slot, b.slot);
}
