/* mapreduce_steps.h: what the steps of a MapReduce hand on. Private to sim/.
 *
 *     mapreduce_count.c: text --> words, messages, pairs  |  mapreduce.c: messages --> times
 *                                                         |  mapreduce_ring.c: pairs --> the ring
 */
#pragma once

#include "ringsim_mapreduce.h"

/* Compares two rs_mr_words by their bytes, as qsort and bsearch want it. */
int rs_mr_by_bytes(const void *left, const void *right);
/* mapreduce_count.c: fills mapped, words, reduced, pairs and bytes of the messages, of a short text
   the pairs. */
rs_status rs_mr_count(rs_arena *arena, rs_error *error, rs_mr_report *report);
/* mapreduce_ring.c: the same as a reduce-scatter on a ring. */
rs_status rs_mr_compare_ring(rs_arena *arena, rs_error *error, rs_mr_report *report);
