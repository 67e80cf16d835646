/* ranks.h: what the event engines share: how a rank goes from step to step, and how a run answers for
 * itself. Private to sim/.
 *
 *     leaves a step --> dies before the next that concerns it   entered[] says before which
 *                   --> has no more                             finish_ps[], makespan_ps
 *                   --> enters it                               straggler time later for each step
 *
 * Header only, as an engine does this for every transfer.
 */
#ifndef RS_RANKS_H
#define RS_RANKS_H

#include "time/costs.h"

/* Notes that something happens at time_ps. */
static inline void rs_reach(rs_outcome *outcome, int64_t time_ps) {
    if (time_ps > outcome->makespan_ps) outcome->makespan_ps = time_ps;
}

/* Sends a rank from its step, left at leave_ps, to `next`, the first later one that concerns it
   (n_steps: none does). Tells whether it enters, and when; false: it is finished, or dead. */
static inline bool rs_goes_on(const rs_costs *costs, rs_outcome *outcome, int32_t rank,
                              int32_t step, int32_t next, int64_t leave_ps, int64_t *entry_ps) {
    const int32_t n_steps = costs->n_steps;
    const int32_t killed = costs->disturbed ? costs->kill_step[rank] : n_steps;
    const int64_t straggler_ps = costs->disturbed ? costs->straggler_ps[rank] : 0;
    if (killed <= next && killed < n_steps) {
        outcome->entered[rank] = killed;
        return false;
    }
    if (next < n_steps) {
        *entry_ps = leave_ps + straggler_ps * (next - step);
        return true;
    }
    outcome->entered[rank] = n_steps;
    outcome->finish_ps[rank] = leave_ps + straggler_ps * (n_steps - 1 - step);
    rs_reach(outcome, outcome->finish_ps[rank]);
    return false;
}

/* Asks the host whether to go on. */
static inline rs_status rs_ask_host(const rs_host *host, const rs_outcome *outcome,
                                    const rs_schedule *schedule, rs_error *error) {
    if (host == NULL || host->progress == NULL ||
        host->progress(host->context, "simulate", outcome->n_transfers, schedule->n_transfers)) {
        return RS_OK;
    }
    return rs_fail(error, RS_CANCELLED, "stopped after %lld of %lld transfers",
                   (long long)outcome->n_transfers, (long long)schedule->n_transfers);
}

#endif
