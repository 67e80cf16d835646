/* all_to_all.h: chunk s x N + d is what rank s has for rank d, and goes there straight away: what the algorithms
 * share. Private to sim/schedule/.
 *
 * Time: (N-1)(alpha + M/B), M = K/N, whatever the order: on a private port messages queue.
 */
#ifndef RS_ALL_TO_ALL_H
#define RS_ALL_TO_ALL_H

#include "schedule/algo.h"

/* Returns the rank so many places ahead; of N, 0 <= ahead < N. */
static inline int32_t rank_ahead(const rs_schedule *schedule, int32_t rank, int32_t ahead) {
    const int32_t n = schedule->n_ranks;
    return rank + ahead < n ? rank + ahead : rank + ahead - n;
}

/* Returns what `src` sends to `dst`; rank src's messages of a step go by `place`. */
static inline rs_transfer from_to(const rs_schedule *schedule, int32_t src, int32_t dst,
                                  int32_t place) {
    const int32_t n = schedule->n_ranks;
    return (rs_transfer){.src = src,
                         .dst = dst,
                         .chunk = src * n + dst,
                         .n_chunks = 1,
                         .order = src * n + place,
                         .effect = RS_COPY};
}

/* Cuts the array, in so many steps; sends and recvs are the caller's. */
static inline void cut_for_all(rs_schedule *schedule, int32_t n_steps) {
    const int32_t n = schedule->n_ranks;
    schedule->n_chunks = n * n;
    schedule->n_steps = n_steps;
    schedule->n_transfers = (int64_t)n * (n - 1);
    add_phase(schedule, RS_EXCHANGE, 0);
}

/* all_to_all.c: refuses more ranks than an all-to-all takes; for `accepts`. */
rs_status rs_all_to_all_accepts(const rs_schedule *wanted, rs_error *error);
/* all_to_all.c: the time on equal links, `count` of the array of all chunks, N x K. */
int64_t rs_all_to_all_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                         const rs_net *net);

#endif
