/* doubled.h: what a rank holds doubles in every round, until it is everything: the all-gather by doubling, and
 * backwards the reduce-scatter by halving. Private to sim/schedule/.
 *
 *     rank 1 of 4 holds   [1] -> [0 1] -> [0 1 2 3]      N = 2^L: in round k partners at distance 2^k exchange
 *     partner                  0        3                the aligned blocks of 2^k chunks that they hold
 *
 * Any other N (Bruck and others, IEEE TPDS 8(11), 1997): in round k rank r sends the min(2^k, N - 2^k) chunks from
 * its own on to rank r - 2^k; where they pass the last chunk they go as two messages.
 */
#ifndef RS_DOUBLED_H
#define RS_DOUBLED_H

#include "schedule/algo.h"

/* Writes what `src` sends in round k of the all-gather, one message or two; returns how many. */
int rs_doubled_sent(const rs_schedule *schedule, int32_t k, int32_t src, rs_transfer out[]);
/* The same, of what `dst` receives. */
int rs_doubled_received(const rs_schedule *schedule, int32_t k, int32_t dst, rs_transfer out[]);
/* Cuts the array, in rounds of one phase; sends and recvs are the caller's. */
void rs_doubled_cut(rs_schedule *schedule, rs_phase phase);
/* Returns the time on equal links of N = 2^L ranks, who also add if `reduce`; -1 of others: two messages cost two
   latencies. */
int64_t rs_doubled_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                      const rs_net *net, bool reduce);

#endif
