/* simulate.c: times a job with the engine that fits.
 *
 *     rs_job --> rs_costs --+--> rs_events     any schedule                --+--> rs_outcome
 *                           +--> rs_wavefront  where no wire is shared, fast --+    (and the sink)
 */
#include "time/costs.h"

/* Ends a run of one rank, or of no elements, at time 0, also for late ranks. */
static void idle(const rs_costs *costs, rs_outcome *outcome) {
    for (int32_t r = 0; r < costs->n_ranks; r++) outcome->finish_ps[r] = 0;
}

rs_status rs_simulate(const rs_job *job, rs_engine engine, const rs_sink *sink, rs_arena *arena,
                      rs_error *error, rs_outcome *outcome) {
    rs_costs *costs;
    rs_status status = rs_costs_new(job, arena, error, &costs);
    if (status != RS_OK) return status;
    const bool applies = rs_wavefront_applies(job);
    if (engine == RS_ENGINE_WAVEFRONT && !applies) {
        return rs_fail(
            error, RS_UNSUPPORTED,
            "engine wavefront: in this run messages share a port (%s); use engine events",
            job->net.protocol == RS_EAGER ? "eager senders run ahead of their receivers"
                                          : "a GPU sends or receives several in one step");
    }
    const bool wavefront = engine != RS_ENGINE_EVENTS && applies;
    rs_outcome made;
    status = rs_outcome_new(job, arena, error, &made);
    if (status != RS_OK) return status;
    made.engine = wavefront ? RS_ENGINE_WAVEFRONT : RS_ENGINE_EVENTS;
    if (costs->n_steps == 0) {
        idle(costs, &made);
    } else {
        status = (wavefront ? rs_wavefront : rs_events)(job, costs, sink, arena, error, &made);
    }
    if (status == RS_OK) status = rs_outcome_end(costs, arena, error, &made);
    if (status == RS_OK) *outcome = made;
    return status;
}
