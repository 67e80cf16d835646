/* binomial.h: whole arrays along a binomial tree over v = (rank - root) mod N, the root 0 where the collective has
 * none. Private to sim/schedule/.
 *
 *     up, step 0     1 -> 0   3 -> 2   5 -> 4      At step j of ceil(log2 N) those whose lowest set bit is 2^j
 *         step 1     2 -> 0            6 -> 4      send to v - 2^j, who adds.
 *         step 2     4 -> 0                        Down: the same film backwards, and v overwrites.
 *
 * A reduce goes up, a broadcast down, an all-reduce up and then down.
 */
#ifndef RS_BINOMIAL_H
#define RS_BINOMIAL_H

#include "schedule/algo.h"

/* Finds the one message of a step that `rank` sends or receives; false: there is none. */
bool rs_binomial_message(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer *out);
/* Lets a schedule, whose steps are there, go by the tree. */
void rs_binomial_fill(rs_schedule *schedule);

#endif
