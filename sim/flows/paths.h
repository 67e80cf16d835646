/* paths.h: how transfers of a job go through its machine. Private to sim/.
 *
 *     (sender, receiver, channel) ---> the wires, their latencies, what the narrowest can do
 *
 *   - Ranks live on GPUs: a job's `place` says where. Faults of links and of ranks are in: they make wires
 *     slower, and leave routes as they are.
 *   - What was found lately is kept: a number of ways that depends on the ranks alone.
 *   - Where switches add (in_switch), what a step brings to a rank goes up to the switch; the message of the rank behind
 *     it alone goes on down, with the sum, and up comes the rank's own part. Copies the other way round.
 */
#pragma once

#include "flows/share.h"
#include "time/costs.h"

typedef struct rs_way {
    rs_path path;
    /* ranks; of a schedule in switches the channel tells copies apart, too */
    int32_t src, dst, channel;
    int32_t *wires, room;
} rs_way;

typedef struct rs_paths {
    const rs_machine *machine;
    const int32_t *place; /* NULL: rank r lives on GPU r */
    const rs_schedule *schedule;
    int32_t n_wires;
    rs_rate *capacity; /* [n_wires] */
    int64_t *alpha_ps; /* [n_wires] */
    rs_way *ways;      /* [n_ways] those found; all are forgotten when there are too many */
    int32_t n_ways, ways_room, most_ways;
    int32_t *table; /* [n_places] by hash: a way + 1, or 0 */
    uint32_t n_places;
    rs_router *router;
    rs_arena *arena;
} rs_paths;

/* Makes ready the wires of a job's machine. RS_TOO_LARGE: a fault makes a wire too slow or too fast. */
rs_status rs_paths_new(const rs_costs *costs, int32_t n_channels, rs_arena *arena, rs_error *error,
                       rs_paths *paths);
/* Finds how a message goes. The way holds until the next call. `hint` is its number if it was found before and not
   forgotten; any number will do. RS_UNSUPPORTED: the schedule lets switches add, and on this route none does. */
rs_status rs_paths_find(rs_paths *paths, const rs_transfer *transfer, int32_t hint, rs_error *error,
                        const rs_way **way);
