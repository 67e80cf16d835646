/* plain_verdict.h: what is wrong with a small job, by a plain account over the edits and waits that the judge's parts find. */
#pragma once

#include "hang/hang_judge.h"

enum { PLAIN_RANKS = 5, PLAIN_WAITS = 64 /* the most */ };

/* Judges the dumps, and changes them as rn_judge_hang does. The answer is worth nothing after the next. */
const rn_hang *plain_verdict(rn_dump dumps[], int32_t n_dumps, rs_heap *heap);
/* Returns the name of the group that is to be shown with the last one: the first culprit's, else the first that waits; NULL:
   none is. */
const char *plain_shown(void);
