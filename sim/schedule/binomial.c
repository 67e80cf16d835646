/* binomial.c: see binomial.h. */
#include "schedule/binomial.h"

static bool goes_up(const rs_schedule *schedule, int32_t step) {
    if (schedule->collective != RS_COLL_ALL_REDUCE) return schedule->collective == RS_COLL_REDUCE;
    return step < schedule->n_steps / 2;
}

bool rs_binomial_message(const rs_schedule *schedule, int32_t step, int32_t rank,
                         rs_transfer *out) {
    const int32_t n = schedule->n_ranks;
    const int32_t root = schedule->collective == RS_COLL_ALL_REDUCE ? 0 : schedule->root;
    const bool up = goes_up(schedule, step);
    const int32_t b = 1 << (up ? step : schedule->n_steps - 1 - step); /* where a pair differs */
    const int32_t v = rank < root ? rank - root + n : rank - root;
    const int32_t low = v & (2 * b - 1), upper = low == b ? v : v + b;
    if ((low != b && low != 0) || upper >= n) return false;
    const int32_t child = upper + root < n ? upper + root : upper + root - n;
    const int32_t parent = child < b ? child - b + n : child - b;
    *out = (rs_transfer){
        .src = up ? child : parent,
        .dst = up ? parent : child,
        .n_chunks = 1,
        .order = up ? child : parent,
        .effect = up ? RS_REDUCE : RS_COPY,
    };
    return true;
}

static int sends(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    return rs_binomial_message(schedule, step, rank, &out[0]) && out[0].src == rank;
}

static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    return rs_binomial_message(schedule, step, rank, &out[0]) && out[0].dst == rank;
}

void rs_binomial_fill(rs_schedule *schedule) {
    schedule->sends = sends;
    schedule->recvs = recvs;
}
