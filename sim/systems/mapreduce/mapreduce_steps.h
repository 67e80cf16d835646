/* mapreduce_steps.h: what the steps of a MapReduce hand on. Private to sim/.
 *
 *     mapreduce.c: lanes --> totals --> words  |  mapreduce_time.c: messages --> times, the ring
 *                                              |  mapreduce_pairs.c: a short text pair by pair
 */
#ifndef RS_MAPREDUCE_STEPS_H
#define RS_MAPREDUCE_STEPS_H

#include "ringsim_mapreduce.h"
#include "systems/mapreduce/totals.h"

enum { RS_PAIR_LENGTH = 2, RS_PAIR_VALUE = 8 }; /* bytes beside the word */

/* mapreduce_words.c: fills words, n_distinct and reduced out of the totals. */
rs_status rs_mr_collect(const rs_totals *totals, rs_arena *arena, rs_error *error,
                        rs_mr_report *report);
/* mapreduce_time.c: times the maps, the shuffle and the reduction. */
rs_status rs_mr_time(rs_arena *arena, rs_error *error, rs_mr_report *report);
/* mapreduce_ring.c: the same as a reduce-scatter on a ring. */
rs_status rs_mr_compare_ring(rs_arena *arena, rs_error *error, rs_mr_report *report);
/* mapreduce_pairs.c: fills text and pairs, if the text is short. */
rs_status rs_mr_explain(rs_arena *arena, rs_error *error, rs_mr_report *report);

#endif
