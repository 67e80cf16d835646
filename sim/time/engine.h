/* engine.h: the event engine's state. Private to sim/.
 *
 *     simulate_events.c   ranks enter their steps, instant after instant
 *     engine_start.h      a transfer starts: when it ends, and what that means for its two ranks
 *     ready.c             what becomes ready at one instant
 *     ports.c             what waits for its ports, and who has them next
 *     event_queue.c            what comes next
 */
#pragma once

#include "time/event_queue.h"
#include "time/ports.h"
#include "time/ready.h"

enum { RS_NO_RANK = -1 };
enum { RS_ENTER, RS_FREE, RS_KIND_BITS = 1 }; /* an event: a rank, and what happens to it */

/* What a message costs that a rank sent lately. */
typedef struct rs_known_cost {
    int64_t n_bytes, alpha_ps, busy_ps;
    int32_t dst_1; /* the receiver + 1; 0: not in use */
} rs_known_cost;

typedef struct rs_event_engine {
    const rs_schedule *schedule;
    const rs_costs *costs;
    const rs_sink *sink;
    rs_outcome *outcome;
    rs_rank *ranks;
    bool eager;
    bool settles;     /* no two messages ever want one port: neither queue nor ports are needed */
    bool asks_next;   /* it pays to ask the schedule for a rank's next step */
    bool adds;        /* additions take time */
    bool failed;      /* for want of memory */
    int32_t entering; /* the rank that enters its step right now; RS_NO_RANK */
    int64_t now_ps;
    int64_t n_transfers, makespan_ps; /* so far: the outcome's */
    rs_queue queue;
    rs_ready ready;
    rs_transfer *recvs;   /* [max_sends] of the rank that enters */
    rs_known_cost *known; /* [n_ranks][n_known]; NULL: nobody sends to the same again and again */
    int n_known;          /* 2 where a rank may send to two in turns, else 1 */
    rs_slots slots;
    rs_ports *ports;
    int32_t *going; /* [n_ranks] ranks on their way to a step: a ring, from first_going on */
    int32_t first_going, n_going;
    rs_arena *arena;
} rs_event_engine;
