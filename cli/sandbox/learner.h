/* learner.h: `--algo my_ring.c`: a schedule out of a learner's functions. */
#pragma once

#include "sandbox/sandbox.h"

enum { RC_SANDBOX_TEXT = 200 };
/* Makes the schedule that the functions in a learner's C file describe, for n_ranks. `kind`: of the
   sandbox; `held`: what it holds, for reports. */
rc_exit rc_learner_schedule(const char *program, rc_sandbox_kind kind, const char *path,
                            int32_t n_ranks, rs_arena *arena, rs_error *error,
                            char held[RC_SANDBOX_TEXT], rs_schedule *schedule);
/* Lets the schedule say out of which file it is, by its path, and what made it. */
rc_exit rc_keep_source(rs_source about, rs_arena *arena, rs_error *error, rs_schedule *schedule);
