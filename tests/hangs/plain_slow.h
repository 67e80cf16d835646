/* plain_slow.h: which rank comes late to the calls of all, by a plain account in long double. */
#pragma once

#include "hang/hang_job.h"

enum { PLAIN_SLOW_RANKS = 4, PLAIN_SLOW_CALLS = 120 /* the most */ };

/* Fills in who comes late to the calls "3" of n ranks' only group, and by how much; returns how surely, as a part of 1: less
   than 0 where nobody does. */
long double plain_slow(const rn_dump dumps[], int32_t n, rn_slow *slow);
