/* ranks.h: a rank under way, and its two ports. Private to sim/.
 *
 * All that the event engine reads of a rank for one message lies in one cache line.
 */
#pragma once

#include "time/costs.h"
#include "time/port_queue.h"

/* What is so of a port; several at once. */
enum {
    RS_PORT_WAITED = 1, /* messages wait for it */
    RS_PORT_ASKED = 2,  /* it, or its partner, will be woken when it is free */
    RS_PORT_FREED = 4   /* a send port that was freed at this instant and looks for itself */
};

typedef struct rs_rank {
    int64_t entry_ps, leave_ps; /* leave_ps: the latest end of what it has done in this step */
    int64_t free_ps[2];         /* when its ports are free */
    int64_t bytes_sent;
    int32_t step;       /* it is in; or, with n_open 0, on its way to */
    int32_t n_open;     /* its transfers in this step whose end is not known; it stays for them */
    int32_t early;      /* heap of messages that started for its later steps */
    int32_t partner[2]; /* at the other end of a port's last message */
    uint8_t ports[2];   /* RS_PORT_... */
    uint8_t last_cost;  /* which of the costs remembered for it was used last */
} rs_rank;

static_assert(sizeof(rs_rank) == 64, "a rank is one cache line");

/* Tells whether a rank is in this step. */
static inline bool rs_is_there(const rs_rank *rank, int32_t step) {
    return rank->step == step && rank->n_open > 0;
}
