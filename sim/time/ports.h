/* ports.h: who may use which port next. Private to sim/.
 *
 * Every rank has a send port and a receive port, each for one message at a time; a transfer needs
 * its source's send port and its receiver's receive port. A transfer that is ready takes a slot:
 *
 *     rs_ports_ready(...)        it waits for its two ports
 *     calls.wake(...)            somebody waits for a port: rs_ports_wake at the time it is free
 *     rs_ports_give(...)         when all of an instant has become ready and woken: starts
 *                                every transfer that can, through calls.start
 *
 *   - What became ready first goes first; what became ready at one instant is sorted by (step, list
 *     order, source). So the order in which the engine called never matters.
 *   - A port knows until when it is busy. Only one that somebody waits for costs an event.
 *   - A message of no length takes no port: what waits for the same port goes on at the same instant.
 *   - A transfer that cannot start, as its other port is busy, holds back nothing behind it.
 *   - A port that is free again looks through its line, which has one entry for each rank that it has
 *     messages for: so where all send to all at once a transfer costs a look at about every rank.
 */
#ifndef RS_PORTS_H
#define RS_PORTS_H

#include "time/slots.h"

/* What the ports ask of the engine. */
typedef struct rs_ports_calls {
    void *context;
    /* Starts the slot's transfer; returns until when it holds its ports, -1: no memory. */
    int64_t (*start)(void *context, int32_t slot);
    /* Will call rs_ports_wake at time_ps, which lies ahead; false: no memory. NULL: the engine wakes
       the source's send port at the end of every transfer anyway. */
    bool (*wake)(void *context, int32_t port, int64_t time_ps);
} rs_ports_calls;

typedef struct rs_ports rs_ports;
rs_ports *rs_ports_new(int32_t n_ranks, const rs_ports_calls *calls, rs_slots *slots,
                       rs_arena *arena); /* NULL: no memory */
bool rs_ports_ready(rs_ports *ports, const rs_transfer *transfer, int32_t step, int64_t now_ps);
/* A port is free now, and the one at the other end of its message too. */
void rs_ports_wake(rs_ports *ports, int32_t port);
/* Starts what can start now, in turn; false: no memory. */
bool rs_ports_give(rs_ports *ports, int64_t now_ps);

static inline int32_t rs_send_port(int32_t rank) {
    return 2 * rank;
}

static inline int32_t rs_receive_port(int32_t rank) {
    return 2 * rank + 1;
}

#endif
