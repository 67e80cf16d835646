/* core.h: exchanges between partners need 2^L ranks: those from p = 2^L up fold their arrays in first. Private to
 * sim/schedule/.
 *
 *     N = 6, p = 4    step 0          4 -> 0   5 -> 1     whole arrays, added; N = p: this step and the last fall away
 *                     then            0 1 2 3             partners exchange, one round of L steps or more
 *                     step n - 1      0 -> 4   1 -> 5     the result goes back
 */
#ifndef RS_CORE_H
#define RS_CORE_H

#include "schedule/algo.h"

enum { RS_CORE_ROUNDS = 2 };

typedef struct rs_core {
    int32_t n_rounds;
    rs_phase rounds[RS_CORE_ROUNDS];
    /* Writes what src < p sends to its partner, who sends to src, in a step of the rounds, counted from 0. */
    void (*exchange)(const rs_schedule *schedule, int32_t step, int32_t src, rs_transfer *out);
} rs_core;

/* Lets a schedule, whose chunks are there, go by the core, which must outlive it. */
void rs_core_fill(rs_schedule *schedule, const rs_core *core);
/* Returns what the two steps outside the rounds cost on equal links, in ps, for an array of n_bytes. */
int64_t rs_core_fold_ps(const rs_schedule *schedule, int64_t n_bytes, const rs_net *net);

#endif
