/* pace.h: how fast each message of a run flows, all the time. Pure.
 *
 *     share   1000 +----+      +---        a share is the message's rate over what the narrowest
 *              500 |    +------+           wire of its route can carry, in tenths of a percent
 *                  from_ps ...     end
 */
#pragma once

#include "ringsim_viz.h"

/* From this time on until the next part, or the message's end. */
typedef struct rv_pace_part {
    int64_t from_ps;
    int32_t message; /* item of the trace */
    int32_t permille;
} rv_pace_part;

typedef struct rv_pace {
    bool shared;         /* some message does not have its wires for itself */
    int64_t *first;      /* [n_items + 1] parts[first[i] ..] are those of item i, in time */
    rv_pace_part *parts; /* none where no bytes flow */
} rv_pace;
/* Reckons it for a run on a machine with a trace, from what its wires are shared with; it lives in
   the arena. NULL: no memory. Takes a sharing out for each start and end of a message. */
rv_pace *rv_pace_new(const rv_model *model, rs_together *together, rs_arena *arena);
