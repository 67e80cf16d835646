/* simulate.c: times a job with the engine that fits.
 *
 *     rs_job --> rs_costs --+--> rs_events     any schedule                --+--> rs_outcome
 *                           +--> rs_wavefront  where no wire is shared, fast --+    (and the sink)
 *                           +--> rs_flows      on a machine                  --+
 *
 * On a machine whose wires no two ranks share a run is one on private links: the fast engines take it.
 */
#include "flows/apart.h"

bool rs_algorithm_serves(const rs_algorithm *algorithm, const rs_net *net) {
    return !algorithm->in_switch || (net->machine != NULL && rs_machine_adds(net->machine));
}

/* Ends a run of one rank, or of no elements, at time 0, also for late ranks. */
static void idle(const rs_costs *costs, rs_outcome *outcome) {
    for (int32_t r = 0; r < costs->n_ranks; r++) outcome->finish_ps[r] = 0;
}

/* Tells whether the engine that was asked for fits. */
static rs_status check_engine(const rs_job *job, rs_engine engine, rs_error *error) {
    const bool on_machine = job->net.machine != NULL;
    if (on_machine && engine != RS_ENGINE_AUTO && engine != RS_ENGINE_FLOWS) {
        return rs_fail(error, RS_UNSUPPORTED,
                       "on a machine transfers share wires: take engine flows");
    }
    if (!on_machine && engine == RS_ENGINE_FLOWS) {
        return rs_fail(error, RS_UNSUPPORTED, "engine flows needs a machine");
    }
    if (engine != RS_ENGINE_WAVEFRONT || rs_wavefront_applies(job)) return RS_OK;
    return rs_fail_word(
        error, RS_UNSUPPORTED, 0,
        "engine wavefront: in this run messages share a port (%s); use engine events",
        job->net.protocol == RS_EAGER ? RS_MESSAGE("eager senders run ahead of their receivers")
                                      : RS_MESSAGE("a GPU sends or receives several in one step"));
}

rs_status rs_simulate(const rs_job *job, rs_engine engine, const rs_sink *sink, rs_arena *arena,
                      rs_error *error, rs_outcome *outcome) {
    rs_costs *costs;
    rs_status status = rs_costs_new(job, arena, error, &costs);
    if (status != RS_OK) return status;
    status = check_engine(job, engine, error);
    if (status != RS_OK) return status;
    const bool on_machine = job->net.machine != NULL;
    rs_apart *apart = NULL;
    if (on_machine && engine == RS_ENGINE_AUTO) {
        status = rs_apart_new(costs, sink, arena, error, &apart);
        if (status != RS_OK) return status;
    }
    if (apart != NULL) {
        rs_outcome alone;
        status = rs_simulate(&apart->job, RS_ENGINE_AUTO, sink == NULL ? NULL : &apart->sink, arena,
                             error, &alone);
        if (status == RS_OK) status = rs_apart_end(apart, costs, arena, error, &alone);
        if (status == RS_OK) *outcome = alone;
        return status;
    }
    const bool wavefront = engine != RS_ENGINE_EVENTS && rs_wavefront_applies(job);
    rs_outcome made;
    status = rs_outcome_new(job, arena, error, &made);
    if (status != RS_OK) return status;
    made.engine = on_machine ? RS_ENGINE_FLOWS : wavefront ? RS_ENGINE_WAVEFRONT : RS_ENGINE_EVENTS;
    if (costs->n_steps == 0) {
        idle(costs, &made);
    } else {
        status = (on_machine  ? rs_flows
                  : wavefront ? rs_wavefront
                              : rs_events)(job, costs, sink, arena, error, &made);
    }
    if (status == RS_OK) status = rs_outcome_end(costs, arena, error, &made);
    if (status == RS_OK) *outcome = made;
    return status;
}
