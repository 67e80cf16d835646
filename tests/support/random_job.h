/* random_job.h: jobs drawn from seeds, and what two engines must have in common. A failure names its job.
 *
 *     random_job d;  draw(&d, "ring", 9, 100, RS_RENDEZVOUS, false, seed);  ...  free(d.links);
 */
#pragma once

#include "ringsim.h"

enum { DRAWN_FAULTS = 4 };

typedef struct random_job { /* a job and all that it points to */
    rs_schedule schedule;
    rs_job job;
    rs_link_override *links;
    rs_fault faults[DRAWN_FAULTS];
    char name[160];
} random_job;

int64_t draw_below(uint64_t *state, int64_t n);
/* Draws links and faults for an algorithm's job; deadly: deaths and outages among them. */
void draw(random_job *d, const char *algorithm, int32_t n, int64_t count, rs_protocol protocol,
          bool deadly, uint64_t seed);
/* Draws a list in which nobody sends or hears more than once a step; many sit out, some steps are
   empty. Under eager all have the same neighbours all the time. */
void draw_list(random_job *d, rs_protocol protocol, rs_arena *arena, uint64_t seed);

/* Makes the machine on which nobody shares a wire: for every ordered pair a link of its own, as the job says, and a
   route that takes it. */
void draw_private_machine(const rs_job *job, rs_arena *arena, rs_machine *machine);

void assert_same_outcome(const rs_outcome *a, const rs_outcome *b, int32_t n, const char *name);
