/* ports.h: who may use which port next. Private to sim/.
 *
 * Every rank has a send port and a receive port, each for one message at a time; a transfer needs
 * its source's send port and its receiver's receive port.
 *
 *     rs_ports_are_free(...)     a transfer that has become ready may start
 *     rs_ports_hold(...)         it has started
 *     rs_ports_wait(...)         it may not: it waits until both its ports are free
 *     calls.wake(...)            somebody waits for a port: rs_ports_wake at the time it is free
 *     rs_ports_give(...)         when all of an instant have been woken: starts every waiting
 *                                transfer that can, through calls.start
 *
 *   - What became ready first goes first; what became ready at one instant goes by (step, list order).
 *   - A port knows until when it is busy. Only one that somebody waits for costs an event.
 *   - A message of no length takes no port: what waits for the same port goes on at the same instant.
 *   - A transfer that cannot start, as its other port is busy, holds back nothing behind it.
 *   - A port that is free again looks through its queue. Once one has looked through many in vain, there
 *     are rows (port_queue.h): what waits, and the idle ports, which are free, but all that waits for
 *     them needs another port, too, which is busy. Who stands in both can start.
 */
#pragma once

#include "time/ranks.h"

/* What the ports ask of the engine. */
typedef struct rs_ports_calls {
    struct rs_event_engine *engine;
    /* Starts a transfer; returns until when it holds its ports. */
    int64_t (*start)(struct rs_event_engine *engine, const rs_transfer *transfer, int32_t step,
                     rs_cost cost, int64_t now_ps);
    /* Will call rs_ports_wake(src) at time_ps, which lies ahead. */
    void (*wake)(struct rs_event_engine *engine, int32_t src, int64_t time_ps);
} rs_ports_calls;

typedef struct rs_port {
    int32_t rank;
    int32_t side; /* RS_SEND, RS_RECEIVE */
} rs_port;

typedef struct rs_candidate {
    rs_port port;
    rs_waiting message; /* the first of its queue that it could start */
} rs_candidate;

typedef struct rs_ports {
    rs_ports_calls calls;
    rs_rank *ranks;
    rs_port_queues queues;
    int64_t now_ps;
    int64_t round; /* the engine counts them; in each, transfers come in turn */
    /* the last instant at which one got in line; its first round */
    int64_t waited_ps, waited_round;
    rs_port *freed; /* [n_freed] at this instant, and waited for */
    int32_t n_freed;
    uint64_t *idle[2]; /* [n_words] of each side: a bit for a port that is free and waited for */
    rs_candidate *candidates; /* [n_candidates] a heap, by turn */
    int32_t n_candidates;
    bool failed; /* for want of memory */
} rs_ports;

rs_ports *rs_ports_new(rs_rank *ranks, int32_t n_ranks, const rs_ports_calls *calls,
                       rs_slots *slots, rs_arena *arena); /* NULL: no memory */
/* Gets a transfer in line that is ready but cannot start; false: no memory. */
bool rs_ports_wait(rs_ports *ports, const rs_transfer *transfer, int32_t step, rs_cost cost,
                   int64_t now_ps);
/* The send port of src is free now, and the receive port at the other end of its message too. */
void rs_ports_wake(rs_ports *ports, int32_t src);
/* Starts what waits and can start now, in turn; false: no memory. */
bool rs_ports_give(rs_ports *ports, int64_t now_ps);
/* Sees to it that ports are woken that were taken and that others wait for. */
void rs_ports_hold_waited(rs_ports *ports, int32_t src, int32_t dst, int64_t now_ps);

static inline bool rs_ports_are_free(const rs_rank ranks[], int32_t src, int32_t dst,
                                     int64_t now_ps) {
    return ranks[src].free_ps[RS_SEND] <= now_ps && ranks[dst].free_ps[RS_RECEIVE] <= now_ps;
}

/* Tells whether rs_ports_give has anything to do. */
static inline bool rs_ports_any_freed(const rs_ports *ports) {
    return ports->n_freed > 0;
}

/* Notes that a transfer holds its ports until free_ps. */
static inline void rs_ports_hold(rs_ports *ports, int32_t src, int32_t dst, int64_t free_ps,
                                 int64_t now_ps) {
    rs_rank *from = &ports->ranks[src], *to = &ports->ranks[dst];
    from->free_ps[RS_SEND] = to->free_ps[RS_RECEIVE] = free_ps;
    from->partner[RS_SEND] = dst;
    to->partner[RS_RECEIVE] = src;
    if (((from->ports[RS_SEND] | to->ports[RS_RECEIVE]) & RS_PORT_WAITED) != 0) {
        rs_ports_hold_waited(ports, src, dst, now_ps);
    }
}
