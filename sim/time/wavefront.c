/* wavefront.c: the engine without a queue: when it applies, and which of its two variants runs.
 *
 *   - If no two messages ever want one port at one time, each rank's time follows from its own and
 *     its partners' times one step before, so the engine can go through the steps in order.
 *   - Under rendezvous that is so when no rank has more than one message each way in a step: a rank
 *     is in one step at a time, and its ports are free when it enters.
 *   - Under eager a sender runs ahead, and messages of several senders may meet at a receiver; with
 *     fixed neighbours a receiver has one sender, whose messages stay in order.
 */
#include "time/wavefront.h"

bool rs_wavefront_applies(const rs_job *job) {
    const rs_schedule *schedule = job->schedule;
    if (job->net.machine != NULL) return false;
    if (schedule->n_steps == 0) return true; /* one rank, or nothing to reduce */
    if (schedule->max_sends > 1) return false;
    return job->net.protocol == RS_RENDEZVOUS || schedule->fixed_neighbours;
}

rs_status rs_wavefront(const rs_job *job, const rs_costs *costs, const rs_sink *sink,
                       rs_arena *arena, rs_error *error, rs_outcome *outcome) {
    (void)job;
    if (sink == NULL && costs->n_steps > 0 && rs_ring_applies(costs)) {
        return rs_wavefront_ring(costs, NULL, arena, error, outcome);
    }
    return rs_wavefront_sweep(costs, sink, arena, error, outcome);
}
