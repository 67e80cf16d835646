/* algo_tree.c: binomial reduce to rank 0, then binomial broadcast.
 *
 *     step 0   1 -> 0   3 -> 2   5 -> 4      With h = ceil(log2 N): at step j < h the ranks whose
 *     step 1   2 -> 0            6 -> 4      lowest set bit is 2^j send their whole array to
 *     step 2   4 -> 0                        rank - 2^j. The broadcast does it in reverse order.
 *
 * Time: h (2(alpha + K/B) + K gamma) (Thakur, Rabenseifner, Gropp 2005).
 */
#include "schedule/algo.h"

/* Returns the bit in which the two ranks of a pair differ at this step. */
static int32_t bit(const rs_schedule *schedule, int32_t step) {
    const int32_t height = schedule->n_steps / 2;
    return 1 << (step < height ? step : schedule->n_steps - 1 - step);
}

/* Writes the transfer between rank `upper` and its parent, in the direction of the step. */
static void with_parent(const rs_schedule *schedule, int32_t step, int32_t upper,
                        rs_transfer *out) {
    const int32_t parent = upper - bit(schedule, step);
    const bool reduce = step < schedule->n_steps / 2;
    *out = (rs_transfer){
        .src = reduce ? upper : parent,
        .dst = reduce ? parent : upper,
        .n_chunks = 1,
        .order = reduce ? upper : parent,
        .effect = reduce ? RS_REDUCE : RS_COPY,
    };
}

/* Finds the one transfer in which `rank` takes part, if any. */
static bool pair(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer *transfer) {
    const int32_t b = bit(schedule, step);
    const int32_t low = rank & (2 * b - 1);
    if (low == b) {
        with_parent(schedule, step, rank, transfer);
        return true;
    }
    if (low != 0 || rank + b >= schedule->n_ranks) return false;
    with_parent(schedule, step, rank + b, transfer);
    return true;
}

static int sends(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    return pair(schedule, step, rank, &out[0]) && out[0].src == rank;
}

static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    return pair(schedule, step, rank, &out[0]) && out[0].dst == rank;
}

/* Before the step of its lowest set bit a rank receives from its children; in that step it has a
   transfer with its parent; in the broadcast the same happens in reverse order. */
static int32_t next_step(const rs_schedule *schedule, int32_t step, int32_t rank) {
    const int32_t height = schedule->n_steps / 2, last = schedule->n_steps - 1;
    const int32_t own = rank == 0 ? height : floor_log2(rank & -rank); /* with its parent */
    const int32_t room =
        schedule->n_ranks - 1 - rank; /* a child's rank is higher by that at most */
    const int32_t n_children = room == 0 ? 0 : floor_log2(room) + 1;
    const int32_t busy = own < n_children ? own : n_children; /* with children: steps 0..busy - 1 */
    if (step < busy) return step;
    if (step <= own && own < height) return own;
    const int32_t back = last - step; /* the step's mirror image */
    if (own < height && back >= own) return last - own;
    if (busy == 0) return schedule->n_steps;
    return back < busy ? step : last - busy + 1;
}

/* In a step every 2b-th rank sends, b the step's bit: upper ends to their parents, or parents to them. */
static int32_t next_sender(const rs_schedule *schedule, int32_t step, int32_t rank) {
    const int32_t n = schedule->n_ranks, b = bit(schedule, step);
    const bool reduce = step < schedule->n_steps / 2;
    const int32_t next = rank + (((reduce ? b : 0) - rank) & (2 * b - 1));
    return next < (reduce ? n : n - b) ? next : n;
}

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    const int32_t height = ceil_log2(n);
    schedule->n_chunks = 1;
    schedule->n_steps = 2 * height;
    schedule->n_transfers = 2 * (n - 1);
    schedule->n_phases = 2;
    schedule->phases[0] = (rs_phase_range){RS_REDUCE_PHASE, 0};
    schedule->phases[1] = (rs_phase_range){RS_BROADCAST, height};
    schedule->sends = sends;
    schedule->recvs = recvs;
    schedule->next_step = next_step;
    schedule->next_sender = next_sender;
}

static int64_t closed_form_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                              const rs_net *net) {
    const int64_t n_bytes = count * elem_bytes;
    return ceil_log2(schedule->n_ranks) *
           (2 * message_ps(net, n_bytes) + addition_ps(net, n_bytes));
}

/* A rank sends its whole array once to its parent and once to each child. */
static int64_t elements_sent(const rs_schedule *schedule, int64_t count, int32_t rank) {
    int64_t n_messages = rank == 0 ? 0 : 1;
    for (int32_t b = 1; b < schedule->n_ranks && (rank & b) == 0; b *= 2) {
        if (rank + b < schedule->n_ranks) n_messages++;
    }
    return n_messages * count;
}

const rs_algorithm rs_tree = {
    .name = "tree",
    .summary = N_("pairs add up to GPU 0 and the sum comes back down (binomial tree)"),
    .make = make,
    .closed_form_ps = closed_form_ps,
    .elements_sent = elements_sent,
};
