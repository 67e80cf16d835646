/* algo_naive.c: one reducer, as in PyTorch's DataParallel.
 *
 *     1 ->+            Ranks 1, 2, ... send their whole array to rank 0, one in each step, and rank
 *     0 2 ->+-> 0        adds; then it sends the sum back to one in each step: 2(N-1) steps, all of
 *     them 3 ->+            through rank 0's one port.
 *
 * Time: 2(N-1)(alpha + K/B) + (N-1) K gamma: linear in N at any bandwidth.
 */
#include "schedule/algo.h"

static void at(const rs_schedule *schedule, int32_t step, rs_transfer *out) {
    const int32_t n = schedule->n_ranks;
    const bool reduce = step < n - 1;
    const int32_t other = reduce ? step + 1 : step - n + 2;
    *out = (rs_transfer){
        .src = reduce ? other : 0,
        .dst = reduce ? 0 : other,
        .n_chunks = 1,
        .order = reduce ? other : 0,
        .effect = reduce ? RS_REDUCE : RS_COPY,
    };
}

static int sends(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    at(schedule, step, out);
    return out[0].src == rank;
}

static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    at(schedule, step, out);
    return out[0].dst == rank;
}

static int32_t next_step(const rs_schedule *schedule, int32_t step, int32_t rank) {
    const int32_t n = schedule->n_ranks;
    if (rank == 0) return step;
    if (step <= rank - 1) return rank - 1;
    const int32_t back = n - 1 + rank - 1;
    return step <= back ? back : schedule->n_steps;
}

/* Returns the first sender at or after `rank`. Without it a walk through all steps would ask every
   rank in every step: N squared calls. */
static int32_t next_sender(const rs_schedule *schedule, int32_t step, int32_t rank) {
    rs_transfer transfer;
    at(schedule, step, &transfer);
    return rank <= transfer.src ? transfer.src : schedule->n_ranks;
}

static const char rule[] = "int sends(int step, int rank, int n, rs_send out[]) {\n"
                           "    int adds = step < n - 1;\n"
                           "    int from = adds ? step + 1 : 0;\n"
                           "    int to = adds ? 0 : step - n + 2;\n"
                           "    if (rank != from) return 0;\n"
                           "    out[0] = (rs_send){to, 0, 1, !adds};\n"
                           "    return 1;\n"
                           "}\n";

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    schedule->n_chunks = 1;
    schedule->n_steps = 2 * (n - 1);
    schedule->n_transfers = schedule->n_steps;
    add_phase(schedule, RS_REDUCE_PHASE, 0);
    add_phase(schedule, RS_BROADCAST, n - 1);
    schedule->sends = sends;
    schedule->recvs = recvs;
    schedule->rule = rule;
    schedule->next_step = next_step;
    schedule->next_sender = next_sender;
}

static int64_t closed_form_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                              const rs_net *net) {
    const int32_t n = schedule->n_ranks;
    const int64_t n_bytes = count * elem_bytes;
    return in_turn_ps(net, n_bytes, 2 * (n - 1), n - 1);
}

const rs_algorithm rs_naive = {
    .name = "naive",
    .summary = N_("one reducer: a GPU collects, adds and returns everything (DataParallel)"),
    .make = make,
    .closed_form_ps = closed_form_ps,
};
