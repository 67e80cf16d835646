/* first_phase.h: where a learner's ring went wrong, in words. */
#pragma once

#include "sandbox/sandbox.h"

/* Says why some chunk is complete nowhere after the first n_steps: the first GPU that does not pass on what it
   has just added to, in *step and
   *rank, -1: nobody's. why "": every chunk is complete somewhere. *contents stands behind those steps. */
rc_exit rc_explain_first_phase(const rs_schedule *schedule, int32_t n_steps, rs_arena *arena,
                               rs_error *error, rs_contents **contents, char *why, size_t n_why,
                               int *step, int32_t *rank);
/* The same for a ring's whole all-reduce, whose sums the verdict misses in its second phase only; if the first is
   right, the first step of the second that copies in vain. why "": the verdict says it best. */
rc_exit rc_explain_ring(const rs_schedule *schedule, const rs_verdict *verdict, rs_arena *arena,
                        rs_error *error, char *why, size_t n_why, int *step, int32_t *rank);
