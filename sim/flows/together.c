/* together.c: who gets which rate of a machine's wires at one moment, of messages that were timed before.
 *
 *     messages under way at now_ps ---> flows begin, are settled once, and end again ---> a rate each
 *
 *   - It is the flow engine's own filling (share.c), so what it says is what the engine reckoned with.
 */
#include "flows/numbers.h"
#include "flows/paths.h"

#include <assert.h>

struct rs_together {
    rs_job job;
    rs_costs *costs;
    rs_paths paths;
    rs_share *share;
    rs_transfer *first; /* [max_sends] of a rank whose link is down */
    rs_arena *arena;
    int32_t *flows; /* [room] */
    int32_t room;
    bool broken; /* memory has ended in the middle of a sharing */
};

rs_status rs_together_new(const rs_job *job, rs_arena *arena, rs_error *error,
                          rs_together **together) {
    assert(job->net.machine != NULL);
    rs_together *made = rs_alloc(arena, 1, sizeof *made);
    const int32_t n_channels = job->schedule->n_channels;
    if (made == NULL) return rs_no_memory(error);
    *made = (rs_together){.job = *job, .arena = arena};
    made->first = rs_alloc(arena, (size_t)job->schedule->max_sends, sizeof *made->first);
    if (made->first == NULL) return rs_no_memory(error);
    rs_status status = rs_costs_new(&made->job, arena, error, &made->costs);
    if (status == RS_OK) {
        status =
            rs_paths_new(made->costs, n_channels > 1 ? n_channels : 1, arena, error, &made->paths);
    }
    if (status == RS_OK) {
        status =
            rs_share_new(made->paths.capacity, made->paths.n_wires, arena, error, &made->share);
    }
    if (status == RS_OK) *together = made;
    return status;
}

/* Rates are 2^-96 bytes a picosecond, below 2^113; a second has 10^12 < 2^40 of them. */
static uint64_t in_Bps(rs_rate rate) {
    return (uint64_t)(((rate >> 32) * 1000000000000U) >> 64);
}

uint64_t rs_together_capacity(const rs_together *together, int32_t wire) {
    return in_Bps(together->paths.capacity[wire]);
}

int64_t rs_together_from(const rs_together *together, const rs_timed *message) {
    const rs_schedule *schedule = together->job.schedule;
    const rs_transfer *t = &message->transfer;
    const int64_t from_ps = message->start_ps + message->alpha_ps;
    const int64_t down_ps = rs_costs_outage(together->costs, t->src, message->step);
    if (down_ps == 0) return from_ps;
    schedule->sends(schedule, message->step, t->src, together->first);
    return together->first[0].order == t->order ? from_ps + down_ps : from_ps;
}

rs_status rs_together_way(rs_together *together, const rs_transfer *transfer, rs_error *error,
                          rs_route *route) {
    const rs_way *way;
    const rs_status status = rs_paths_find(&together->paths, transfer, 0, error, &way);
    if (status != RS_OK) return status;
    *route = (rs_route){.wires = way->path.wires, .n_wires = way->path.n_wires, .n_ways = 1};
    return RS_OK;
}

static void hear_of_end(void *context, int32_t flow, int64_t end_ps) {
    (void)context, (void)flow, (void)end_ps;
}

static void hear_of_due(void *context, int32_t flow) {
    (void)context, (void)flow;
}

/* Lets the bytes of one message flow; its number stands in flows[i]. */
static rs_status begin(rs_together *together, const rs_timed *message, int32_t i, rs_error *error) {
    const rs_transfer *transfer = &message->transfer;
    const int64_t n_bytes = rs_costs_bytes(together->costs, transfer);
    const rs_way *way;
    const rs_status status = rs_paths_find(&together->paths, transfer, 0, error, &way);
    if (status != RS_OK) return status;
    const int32_t flow = rs_share_take(together->share);
    if (flow < 0 || !rs_reserve(together->arena, &together->flows, i + 1, &together->room) ||
        !rs_share_begin(together->share, flow, &way->path, n_bytes, 0)) {
        return rs_no_memory(error);
    }
    together->flows[i] = flow;
    return RS_OK;
}

rs_status rs_share_out(rs_together *together, const rs_timed *const messages[], int32_t n,
                       rs_error *error, uint64_t rates_Bps[]) {
    static const rs_share_calls deaf = {.ends = hear_of_end, .due = hear_of_due};
    rs_status status = together->broken ? RS_NO_MEMORY : RS_OK;
    for (int32_t i = 0; i < n && status == RS_OK; i++) {
        assert(rs_costs_bytes(together->costs, &messages[i]->transfer) > 0);
        status = begin(together, messages[i], i, error);
    }
    if (status == RS_OK && !rs_share_settle(together->share, 0, &deaf)) status = RS_NO_MEMORY;
    together->broken = status != RS_OK;
    if (status == RS_NO_MEMORY) {
        return rs_fail(error, status, "no memory for the transfers under way");
    }
    if (status != RS_OK) return status;
    for (int32_t i = 0; i < n; i++) {
        const int32_t flow = together->flows[i];
        rates_Bps[i] = in_Bps(rs_share_rate(together->share, flow));
    }
    for (int32_t i = 0; i < n; i++) {
        rs_share_end(together->share, together->flows[i], 1, 0);
        rs_share_release(together->share, together->flows[i]);
    }
    return RS_OK;
}
