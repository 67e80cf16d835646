/* algo_tree.c: binomial reduce to rank 0, then binomial broadcast.
 *
 *     step 0   1 -> 0   3 -> 2   5 -> 4      With h = ceil(log2 N): at step j < h the ranks whose
 *     step 1   2 -> 0            6 -> 4      lowest set bit is 2^j send their whole array to
 *     step 2   4 -> 0                        rank - 2^j. The broadcast does it in reverse order (binomial.h).
 *
 * Time: h (2(alpha + K/B) + K gamma) (Thakur, Rabenseifner, Gropp 2005).
 */
#include "schedule/binomial.h"

static int32_t next_step(const rs_schedule *schedule, int32_t step, int32_t rank) {
    rs_transfer t;
    while (step < schedule->n_steps && !rs_binomial_message(schedule, step, rank, &t)) step++;
    return step;
}

/* In a step every 2b-th rank sends, b the step's bit: upper ends to their parents, or parents to them. */
static int32_t next_sender(const rs_schedule *schedule, int32_t step, int32_t rank) {
    const int32_t n = schedule->n_ranks, height = schedule->n_steps / 2;
    const bool reduce = step < height;
    const int32_t b = 1 << (reduce ? step : schedule->n_steps - 1 - step);
    const int32_t next = rank + (((reduce ? b : 0) - rank) & (2 * b - 1));
    return next < (reduce ? n : n - b) ? next : n;
}

static const char rule[] = "int sends(int step, int rank, int n, rs_send out[]) {\n"
                           "    int height = 0;\n"
                           "    while (1 << height < n) height++;\n"
                           "    int up = step < height;\n"
                           "    int bit = 1 << (up ? step : 2 * height - 1 - step);\n"
                           "    int to = up ? rank - bit : rank + bit;\n"
                           "    if (rank % (2 * bit) != (up ? bit : 0)) return 0;\n"
                           "    if (to >= n) return 0;\n"
                           "    out[0] = (rs_send){to, 0, 1, !up};\n"
                           "    return 1;\n"
                           "}\n";

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    const int32_t height = ceil_log2(n);
    schedule->n_chunks = 1;
    schedule->n_steps = 2 * height;
    schedule->n_transfers = 2 * (n - 1);
    add_phase(schedule, RS_REDUCE_PHASE, 0);
    add_phase(schedule, RS_BROADCAST, height);
    rs_binomial_fill(schedule);
    schedule->rule = rule;
    schedule->next_step = next_step;
    schedule->next_sender = next_sender;
}

static int64_t closed_form_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                              const rs_net *net) {
    return in_turn_ps(net, count * elem_bytes, schedule->n_steps, schedule->n_steps / 2);
}

const rs_algorithm rs_tree = {
    .name = "tree",
    .summary = N_("pairs add up to GPU 0 and the sum comes back down (binomial tree)"),
    .make = make,
    .closed_form_ps = closed_form_ps,
};
