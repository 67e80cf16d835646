/* algo_doubling.c: recursive doubling. Partners exchange whole arrays; at each step they are twice
 * as far apart.
 *
 *     step 0   0 <-> 1   2 <-> 3        p = 2^L is the largest power of two <= N. The ranks from p up
 *     step 1   0 <-> 2   1 <-> 3        first fold their array into rank - p, and get the result
 *                                       back at the end (two more steps when N > p; core.h).
 *
 * Time: L(alpha + K/B + K gamma), and when N > p (alpha + K/B + K gamma) + (alpha + K/B) more
 * (Thakur, Rabenseifner, Gropp 2005).
 */
#include "schedule/core.h"

static void exchange(const rs_schedule *schedule, int32_t step, int32_t src, rs_transfer *out) {
    (void)schedule;
    *out = (rs_transfer){
        .src = src, .dst = src ^ 1 << step, .n_chunks = 1, .order = src, .effect = RS_REDUCE};
}

static const rs_core whole_arrays = {.n_rounds = 1, .rounds = {RS_EXCHANGE}, .exchange = exchange};

static const char rule[] = "int sends(int step, int rank, int n, rs_send out[]) {\n"
                           "    int p = 1, to = n;\n"
                           "    while (2 * p <= n) p *= 2;\n"
                           "    int round = n > p ? step - 1 : step;\n"
                           "    int last = round >= 0 && 1 << round == p;\n"
                           "    if (round < 0) to = rank < p ? n : rank - p;\n"
                           "    else if (last) to = rank + p;\n"
                           "    else if (rank < p) to = rank ^ 1 << round;\n"
                           "    if (to >= n) return 0;\n"
                           "    out[0] = (rs_send){to, 0, 1, last};\n"
                           "    return 1;\n"
                           "}\n";

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)n, (void)order;
    schedule->n_chunks = 1;
    rs_core_fill(schedule, &whole_arrays);
    schedule->rule = rule;
}

static int64_t closed_form_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                              const rs_net *net) {
    const int64_t n_bytes = count * elem_bytes, log = floor_log2(schedule->n_ranks);
    return in_turn_ps(net, n_bytes, log, log) + rs_core_fold_ps(schedule, n_bytes, net);
}

const rs_algorithm rs_doubling = {
    .name = "doubling",
    .summary = N_("partners exchange whole arrays, the distance doubles"),
    .make = make,
    .closed_form_ps = closed_form_ps,
};
