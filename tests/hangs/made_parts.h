/* made_parts.h: what the parts of the maker of hangs share. */
#ifndef TESTS_MADE_PARTS_H
#define TESTS_MADE_PARTS_H

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

/* hang_faults.c */
/* Draws the rank, and a place in its program; false: this job has none. */
bool made_pick_place(made_job *j);
void made_break(made_job *j);
/* Says whether the dumps can tell, when it is known how far all came. */
void made_see_decidable(made_job *j);

#endif
