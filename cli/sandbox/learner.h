/* learner.h: `--algo my_ring.c`: a schedule out of a learner's functions. */
#ifndef RC_LEARNER_H
#define RC_LEARNER_H

#include "sandbox/sandbox.h"

/* Makes the schedule that the functions in a learner's C file describe, for n_ranks. `kind`: of the
   sandbox. */
rc_exit rc_learner_schedule(const char *program, rc_sandbox_kind kind, const char *path,
                            int32_t n_ranks, rs_arena *arena, rs_error *error,
                            rs_schedule *schedule);

#endif
