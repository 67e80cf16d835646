/* made_parts.h: what the parts of the maker of hangs share. */
#pragma once

#include "hangs/hang_maker.h"

/* Returns a number below `below`, from the job's seed. */
uint32_t made_draw(made_job *j, uint32_t below);
/* Returns the rank's place in the group; -1: it is not in it. */
int32_t made_place_in(const made_group *g, int32_t rank);
static inline bool made_is_message(const made_call *c) {
    return c->op == MADE_SEND || c->op == MADE_RECV;
}
/* Can two members' calls be one? */
static inline bool made_agree(const made_call *a, const made_call *b) {
    return a->op == b->op && a->n == b->n && a->dtype == b->dtype;
}

/* made_times.c */
/* Returns a number drawn from the seed and three others: the job's own draws stay as they are. */
uint64_t made_hash(const made_job *j, uint64_t a, uint64_t b, uint64_t c);
void made_set_times(made_job *j);
/* How long the rank works before the call at that place of its program. */
int64_t made_work_ns(const made_job *j, int32_t rank, int32_t at);
/* By how much the rank's clock is ahead. */
int64_t made_clock_ns(const made_job *j, int32_t rank);
/* When the rank's watchdog sees that a call is over. */
int64_t made_seen_ns(const made_job *j, int32_t rank, int64_t end_ns);

/* hang_faults.c */
/* Draws the rank, and a place in its program; false: this job has none. */
bool made_pick_place(made_job *j);
void made_break(made_job *j);
/* Says whether the dumps can tell, when it is known how far all came. */
void made_see_decidable(made_job *j);
