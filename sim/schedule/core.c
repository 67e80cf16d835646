/* core.c: see core.h. */
#include "schedule/core.h"

static int32_t core_size(const rs_schedule *schedule) {
    return 1 << floor_log2(schedule->n_ranks);
}

/* Tells whether arrays are folded in or go back in this step; writes the message of the rank's pair, of which
   the upper one may not be there. */
static bool is_fold(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer *out) {
    const int32_t p = core_size(schedule), lower = rank & (p - 1), upper = lower + p;
    const bool in = step == 0;
    if (schedule->n_ranks == p || (!in && step < schedule->n_steps - 1)) return false;
    *out = (rs_transfer){
        .src = in ? upper : lower,
        .dst = in ? lower : upper,
        .n_chunks = schedule->n_chunks,
        .order = in ? upper : lower,
        .effect = in ? RS_REDUCE : RS_COPY,
    };
    return true;
}

static void exchange(const rs_schedule *schedule, int32_t step, int32_t src, rs_transfer *out) {
    const rs_core *core = schedule->context;
    core->exchange(schedule, step - (schedule->n_ranks > core_size(schedule)), src, out);
}

static int sends(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    if (is_fold(schedule, step, rank, out)) {
        return out->src == rank && out->dst < schedule->n_ranks;
    }
    exchange(schedule, step, rank, out);
    return rank < core_size(schedule);
}

static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    if (is_fold(schedule, step, rank, out)) {
        return out->dst == rank && out->src < schedule->n_ranks;
    }
    exchange(schedule, step, rank, out);     /* finds the partner, ... */
    exchange(schedule, step, out->dst, out); /* ... then what the partner sends */
    return rank < core_size(schedule);
}

void rs_core_fill(rs_schedule *schedule, const rs_core *core) {
    const int32_t n = schedule->n_ranks, log = floor_log2(n), p = 1 << log, extra = n > p;
    schedule->n_steps = core->n_rounds * log + 2 * extra;
    schedule->n_transfers = (int64_t)core->n_rounds * p * log + 2 * (n - p);
    if (extra) add_phase(schedule, RS_FOLD_IN, 0);
    for (int i = 0; i < core->n_rounds; i++) add_phase(schedule, core->rounds[i], extra + i * log);
    if (extra) add_phase(schedule, RS_FOLD_OUT, schedule->n_steps - 1);
    schedule->context = core;
    schedule->sends = sends;
    schedule->recvs = recvs;
}

int64_t rs_core_fold_ps(const rs_schedule *schedule, int64_t n_bytes, const rs_net *net) {
    return schedule->n_ranks > core_size(schedule) ? in_turn_ps(net, n_bytes, 2, 1) : 0;
}
