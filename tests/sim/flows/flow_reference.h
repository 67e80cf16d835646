/* flow_reference.h: the same as the flow engine, slowly: every rate computed anew at every moment, in floats of 113 bits
 * without any rounding to picoseconds. */
#pragma once

#include "ringsim.h"

/* Writes when each rank finishes, in ps, to finish_ps[n_ranks]; -1: never. */
void flow_reference(const rs_job *job, rs_arena *arena, double finish_ps[]);
