/* algo_tree_rooted.c: the binomial tree, from the root, broadcast; to the root, reduce.
 *
 *     step 0   0 -> 4                             v = (rank - root) mod N; h = ceil(log2 N): at step j the
 *     step 1   0 -> 2              4 -> 6         multiples of 2^(h-j) send the whole array to
 *     step 2   0 -> 1    2 -> 3    4 -> 5         v + 2^(h-j-1), where there is such a rank
 *
 * The reduce is the same film backwards, and who receives adds (binomial.h).
 * Time: h (alpha + K/B), the reduce h (alpha + K/B + K gamma) (Thakur, Rabenseifner, Gropp 2005).
 */
#include "schedule/binomial.h"

static bool is_reduce(const rs_schedule *schedule) {
    return schedule->collective == RS_COLL_REDUCE;
}

static const char broadcast_rule[] =
    "int sends(int step, int rank, int n, rs_send out[]) {\n"
    "    int place = (rank - root + n) % n, bit = 1;\n"
    "    while (2 * bit < n) bit *= 2;\n"
    "    bit >>= step;\n"
    "    if (place % (2 * bit) != 0 || place + bit >= n) return 0;\n"
    "    int to = (rank + bit) % n;\n"
    "    out[0] = (rs_send){to, 0, 1, 1};\n"
    "    return 1;\n"
    "}\n";

static const char reduce_rule[] = "int sends(int step, int rank, int n, rs_send out[]) {\n"
                                  "    int place = (rank - root + n) % n, bit = 1 << step;\n"
                                  "    if (place % (2 * bit) != bit) return 0;\n"
                                  "    int to = (rank - bit + n) % n;\n"
                                  "    out[0] = (rs_send){to, 0, 1, 0};\n"
                                  "    return 1;\n"
                                  "}\n";

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    schedule->n_chunks = 1;
    schedule->n_steps = ceil_log2(n);
    schedule->n_transfers = n - 1;
    add_phase(schedule, is_reduce(schedule) ? RS_REDUCE_PHASE : RS_BROADCAST, 0);
    rs_binomial_fill(schedule);
    schedule->rule = is_reduce(schedule) ? reduce_rule : broadcast_rule;
}

static int64_t closed_form_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                              const rs_net *net) {
    const int32_t n_steps = schedule->n_steps;
    return in_turn_ps(net, count * elem_bytes, n_steps, is_reduce(schedule) ? n_steps : 0);
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
