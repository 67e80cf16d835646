/* algo_tree_rooted.c: the binomial tree, from the root, broadcast; to the root, reduce.
 *
 *     step 0   0 -> 4                                  v = (rank - root) mod N; h = ceil(log2 N): at step j the
 *     step 1   0 -> 2                    4 -> 6        multiples of 2^(h-j) send the whole array to
 *     step 2   0 -> 1      2 -> 3        4 -> 5        v + 2^(h-j-1), where there is such a rank
 *
 * The reduce is the same film backwards, and who receives adds.
 * Time: h (alpha + K/B), the reduce h (alpha + K/B + K gamma) (Thakur, Rabenseifner, Gropp 2005).
 */
#include "schedule/algo.h"

static bool is_reduce(const rs_schedule *schedule) {
    return schedule->collective == RS_COLL_REDUCE;
}

/* Returns the bit in which the two ranks of a pair differ at this step. */
static int32_t bit(const rs_schedule *schedule, int32_t step) {
    return 1 << (is_reduce(schedule) ? step : schedule->n_steps - 1 - step);
}

/* Finds the one transfer in which `rank` takes part, if any. */
static bool pair(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer *out) {
    const int32_t n = schedule->n_ranks, b = bit(schedule, step), v = from_root(schedule, rank);
    const int32_t low = v & (2 * b - 1), upper = low == b ? v : v + b;
    if ((low != b && low != 0) || upper >= n) return false;
    const int32_t child = (upper + schedule->root) % n, parent = (upper - b + schedule->root) % n;
    const bool up = is_reduce(schedule);
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
    return pair(schedule, step, rank, &out[0]) && out[0].src == rank;
}

static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    return pair(schedule, step, rank, &out[0]) && out[0].dst == rank;
}

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    schedule->n_chunks = 1;
    schedule->n_steps = ceil_log2(n);
    schedule->n_transfers = n - 1;
    schedule->n_phases = 1;
    schedule->phases[0] = (rs_phase_range){is_reduce(schedule) ? RS_REDUCE_PHASE : RS_BROADCAST, 0};
    schedule->sends = sends;
    schedule->recvs = recvs;
}

static int64_t closed_form_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                              const rs_net *net) {
    const int64_t n_bytes = count * elem_bytes;
    const int64_t adding_ps = is_reduce(schedule) ? addition_ps(net, n_bytes) : 0;
    return schedule->n_steps * (message_ps(net, n_bytes) + adding_ps);
}

const rs_algorithm rs_tree_broadcast = {
    .name = "tree",
    .summary = N_("who has the array hands it on, twice as many in every step"),
    .collective = RS_COLL_BROADCAST,
    .make = make,
    .closed_form_ps = closed_form_ps,
};

const rs_algorithm rs_tree_reduce = {
    .name = "tree",
    .summary = N_("pairs add up towards the root, half as many in every step"),
    .collective = RS_COLL_REDUCE,
    .make = make,
    .closed_form_ps = closed_form_ps,
};
