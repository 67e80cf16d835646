/* wavefront.c: the engine without a queue; not here yet, so it never applies. */
#include "costs.h"

bool rs_wavefront_applies(const rs_job *job) {
    (void)job;
    return false;
}

rs_status rs_wavefront(const rs_job *job, const rs_costs *costs, const rs_sink *sink,
                       rs_arena *arena, rs_error *error, rs_outcome *outcome) {
    (void)job, (void)costs, (void)sink, (void)arena, (void)outcome;
    return rs_fail(error, RS_UNSUPPORTED, "engine wavefront: not built in");
}
