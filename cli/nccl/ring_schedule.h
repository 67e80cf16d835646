/* ring_schedule.h: a ring that a log or a graph shows, as a .sched text. */
#ifndef RC_RING_SCHEDULE_H
#define RC_RING_SCHEDULE_H

#include "ringsim_nccl_log.h"

#include <stdio.h>

enum { RC_MOST_RING = 1024 /* ranks whose schedule is written: it has 2 n n lines */ };
/* Writes the all-reduce along a whole ring of all ranks 0..n-1, as NCCL does it. */
void rc_write_ring(const rs_nccl_ring *ring, FILE *out);

#endif
