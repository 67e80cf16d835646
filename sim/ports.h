/* ports.h: who may use which port next. Private to sim/.
 *
 * Every rank has a send port and a receive port, each for one message at a time; a transfer needs
 * its source's send port and its receiver's receive port. A transfer that is ready is a *slot*:
 *
 *     rs_ports_ready(...)        it waits for one of its two ports that is busy
 *     calls.wake(...)            somebody waits for a port: rs_ports_wake at the time it is free
 *     rs_ports_give(...)         when all of an instant has become ready and woken: starts
 *                                every transfer that can, through calls.start
 *
 *   - What became ready first goes first; what became ready at one instant is sorted by (step, list
 *     order, source). So the order in which the engine called never matters.
 *   - A port knows until when it is busy. Only one that somebody waits for costs an event.
 *   - A message of no length takes no port: what waits for the same port goes on at the same instant.
 *   - A transfer that cannot start, as its other port is busy, holds back nothing behind it.
 *   - No list is searched: a look at a message costs the logarithm of those that wait. But each time
 *     that it finds its other port busy it changes over; where all send to all at once that is often.
 */
#ifndef RS_PORTS_H
#define RS_PORTS_H

#include "ringsim.h"

typedef struct rs_slot {
    rs_transfer transfer;
    int32_t step;
    int32_t child, sibling; /* in the heap in which it waits */
    int64_t turn;           /* there: the time it became ready, or what the engine says */
    int64_t start_ps, end_ps;
} rs_slot;

/* What the ports ask of the engine. */
typedef struct rs_ports_calls {
    void *context;
    /* Starts the slot's transfer; returns until when it holds its ports, -1: no memory. */
    int64_t (*start)(void *context, int32_t slot);
    /* Will call rs_ports_wake at time_ps, which lies ahead; false: no memory. */
    bool (*wake)(void *context, int32_t port, int64_t time_ps);
} rs_ports_calls;

typedef struct rs_ports rs_ports;
rs_ports *rs_ports_new(int32_t n_ranks, const rs_ports_calls *calls,
                       rs_arena *arena); /* NULL: no memory */
rs_slot *rs_ports_slot(const rs_ports *ports, int32_t slot);
bool rs_ports_ready(rs_ports *ports, const rs_transfer *transfer, int32_t step, int64_t now_ps);
/* A port that is waited for is free now. */
void rs_ports_wake(rs_ports *ports, int32_t port);
/* Starts what can start now, in turn; false: no memory. */
bool rs_ports_give(rs_ports *ports, int64_t now_ps);
/* For an engine's own heaps of started slots, by turn, then step, list order and source: */
int32_t rs_ports_add(const rs_ports *ports, int32_t heap, int32_t slot); /* returns the new heap */
int32_t rs_ports_without_first(const rs_ports *ports, int32_t heap);     /* -1: none are left */
/* The slot's transfer is over; its number will be used again. */
void rs_ports_release(rs_ports *ports, int32_t slot);

#endif
