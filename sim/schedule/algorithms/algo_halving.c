/* algo_halving.c: Rabenseifner's recursive halving, then doubling.
 *
 *     chunks of rank 1 of 4     [0 1 2 3] -> [0 1] -> [1] -> [0 1] -> [0 1 2 3]
 *     partner                          3        0       0        3
 *
 * p = 2^L is the largest power of two <= N and the number of chunks. At halving step j partners at
 * distance p / 2^(j+1) split the range they share: each sends the half that it gives up and adds
 * the half that it keeps, so rank r ends owning chunk r. The all-gather does the same in reverse
 * order. The ranks from p up fold their array into rank - p first and get the result back last (core.h).
 * Time: 2 L alpha + (2/B + gamma) sum over k < L of |the first 2^k of p chunks|, and when N > p
 * 2(alpha + K/B) + K gamma more (Thakur, Rabenseifner, Gropp 2005; p, not N, in their formula).
 */
#include "schedule/core.h"

/* Half the range that the partners share: p/2, p/4, ..., 1 and back. */
static void exchange(const rs_schedule *schedule, int32_t step, int32_t src, rs_transfer *out) {
    const int32_t log = floor_log2(schedule->n_ranks);
    const bool reduce = step < log;
    const int32_t half = 1 << (reduce ? log - 1 - step : step - log), partner = src ^ half;
    const int32_t owner = reduce ? partner : src; /* halving sends the partner's half */
    *out = (rs_transfer){
        .src = src,
        .dst = partner,
        .chunk = owner & ~(half - 1),
        .n_chunks = half,
        .order = src,
        .effect = reduce ? RS_REDUCE : RS_COPY,
    };
}

static const rs_core there_and_back = {
    .n_rounds = 2, .rounds = {RS_SCATTER_REDUCE, RS_ALL_GATHER}, .exchange = exchange};

static const char rule[] = "int sends(int step, int rank, int n, rs_send out[]) {\n"
                           "    int p = 1, log = 0;\n"
                           "    while (2 * p <= n) p *= 2, log++;\n"
                           "    int round = n > p ? step - 1 : step;\n"
                           "    int adds = round < log, to = n, chunk = 0, half = p;\n"
                           "    if (round < 0 && rank >= p) to = rank - p;\n"
                           "    if (round == 2 * log) to = rank + p;\n"
                           "    if (round >= 0 && round < 2 * log && rank < p) {\n"
                           "        half = adds ? p >> (round + 1) : 1 << (round - log);\n"
                           "        to = rank ^ half;\n"
                           "        chunk = (adds ? to : rank) & ~(half - 1);\n"
                           "    }\n"
                           "    if (to >= n) return 0;\n"
                           "    out[0] = (rs_send){to, chunk, half, !adds};\n"
                           "    return 1;\n"
                           "}\n";

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    schedule->n_chunks = 1 << floor_log2(n);
    schedule->max_run = schedule->n_chunks / (n > schedule->n_chunks ? 1 : 2);
    rs_core_fill(schedule, &there_and_back);
    schedule->rule = rule;
}

static int64_t closed_form_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                              const rs_net *net) {
    const int32_t p = 1 << floor_log2(schedule->n_ranks);
    int64_t time_ps = rs_core_fold_ps(schedule, count * elem_bytes, net);
    for (int32_t half = 1; half < p; half *= 2) {
        time_ps += in_turn_ps(net, rs_chunk_offset(count, p, half) * elem_bytes, 2, 1);
    }
    return time_ps;
}

const rs_algorithm rs_halving = {
    .name = "halving",
    .summary = N_("partners exchange halves of what they share (Rabenseifner)"),
    .make = make,
    .closed_form_ps = closed_form_ps,
};
