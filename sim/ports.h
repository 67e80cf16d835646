/* ports.h: who may use which port next. Private to sim/.
 *
 * Every rank has a send port and a receive port, each for one message at a time; a transfer needs
 * its source's send port and its receiver's receive port. A transfer that is ready is a *slot*:
 *
 *     rs_ports_ready(...)        it waits for one of its two ports that is busy
 *     rs_ports_free(...)         a transfer's two ports are free again
 *     rs_ports_give(..., start)  when all of an instant has become ready and free: starts
 *                                every transfer that can
 *
 *   - What became ready first goes first; what became ready at one instant is sorted by (step, list
 *     order, source). So the order in which the engine called never matters.
 *   - A message of no length takes no port: what waits for the same port goes on at the same instant.
 *   - A transfer that cannot start, as its other port is busy, holds back nothing behind it.
 *   - Nothing is searched: the time for a message grows with the logarithm of those that wait.
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
    bool holds_ports; /* set by start: false for a message that takes its ports for no time */
} rs_slot;

typedef struct rs_ports rs_ports;
rs_ports *rs_ports_new(int32_t n_ranks, rs_arena *arena); /* NULL: no memory */
rs_slot *rs_ports_slot(const rs_ports *ports, int32_t slot);
bool rs_ports_ready(rs_ports *ports, const rs_transfer *transfer, int32_t step, int64_t now_ps);
/* Frees the two ports that the transfer from src holds. */
void rs_ports_free(rs_ports *ports, int32_t src);
/* Calls start for each transfer that starts now, in turn; false as soon as one of the calls is. The
   ports are taken after the call, if it said so. */
bool rs_ports_give(rs_ports *ports, bool (*start)(void *context, int32_t slot), void *context);
/* For an engine's own heaps of started slots, by turn, then step, list order and source: */
int32_t rs_ports_add(const rs_ports *ports, int32_t heap, int32_t slot); /* returns the new heap */
int32_t rs_ports_without_first(const rs_ports *ports, int32_t heap);     /* -1: none are left */
/* The slot's transfer is over; its number will be used again. */
void rs_ports_release(rs_ports *ports, int32_t slot);

#endif
