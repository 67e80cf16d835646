/* algo_halving.c: Rabenseifner's recursive halving, then doubling; and recursive doubling.
 *
 *     chunks of rank 1 of 4     [0 1 2 3] -> [0 1] -> [1] -> [0 1] -> [0 1 2 3]
 *     partner                          3        0       0        3
 *
 * p = 2^L is the largest power of two <= N and the number of chunks. At halving step j partners at
 * distance p / 2^(j+1) split the range they share: each sends the half that it gives up and adds
 * the half that it keeps, so rank r ends owning chunk r. The all-gather does the same in reverse
 * order. The ranks from p up fold their array into rank - p first and get the result back last.
 * Time: 2 L alpha + (2/B + gamma) sum over k < L of |the first 2^k of p chunks|, and when N > p
 * 2(alpha + K/B) + K gamma more (Thakur, Rabenseifner, Gropp 2005; p, not N, in their formula).
 */
#include "schedule/algo.h"

/* ------------------------------------------------------------------ partners among 2^L ranks */

/* Exchanges between partners need 2^L ranks: those from p = 2^L up fold their arrays in first.
 *
 *     N = 6, p = 4    step 0          4 -> 0   5 -> 1     whole arrays, added; N = p: this step and the last fall away
 *                     then            0 1 2 3             partners exchange, one round of L steps or more
 *                     step n - 1      0 -> 4   1 -> 5     the result goes back
 */

enum { MOST_ROUNDS = 2 };

typedef struct core {
    int32_t n_rounds;
    rs_phase rounds[MOST_ROUNDS];
    /* Writes what src < p sends to its partner, who sends to src, in a step of the rounds, counted from 0. */
    void (*exchange)(const rs_schedule *schedule, int32_t step, int32_t src, rs_transfer *out);
} core;

static int32_t core_size(const rs_schedule *schedule) {
    return 1 << rs_floor_log2(schedule->n_ranks);
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

static void exchange_in_round(const rs_schedule *schedule, int32_t step, int32_t src,
                              rs_transfer *out) {
    const core *by = schedule->context;
    by->exchange(schedule, step - (schedule->n_ranks > core_size(schedule)), src, out);
}

static int sends(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    if (is_fold(schedule, step, rank, out)) return out->src == rank && out->dst < schedule->n_ranks;
    exchange_in_round(schedule, step, rank, out);
    return rank < core_size(schedule);
}

static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    if (is_fold(schedule, step, rank, out)) return out->dst == rank && out->src < schedule->n_ranks;
    exchange_in_round(schedule, step, rank, out);     /* finds the partner, ... */
    exchange_in_round(schedule, step, out->dst, out); /* ... then what the partner sends */
    return rank < core_size(schedule);
}

/* Lets a schedule, whose chunks are there, go by the core, which must outlive it. */
static void fill_schedule(rs_schedule *schedule, const core *by) {
    const int32_t n = schedule->n_ranks, log = rs_floor_log2(n), p = 1 << log, extra = n > p;
    schedule->n_steps = by->n_rounds * log + 2 * extra;
    schedule->n_transfers = (int64_t)by->n_rounds * p * log + 2 * (n - p);
    if (extra) add_phase(schedule, RS_FOLD_IN, 0);
    for (int i = 0; i < by->n_rounds; i++) add_phase(schedule, by->rounds[i], extra + i * log);
    if (extra) add_phase(schedule, RS_FOLD_OUT, schedule->n_steps - 1);
    schedule->context = by;
    schedule->sends = sends;
    schedule->recvs = recvs;
}

/* Returns what the two steps outside the rounds cost on equal links, in ps, for an array of n_bytes. */
static int64_t fold_ps(const rs_schedule *schedule, int64_t n_bytes, const rs_net *net) {
    return schedule->n_ranks > core_size(schedule) ? in_turn_ps(net, n_bytes, 2, 1) : 0;
}

/* Half the range that the partners share: p/2, p/4, ..., 1 and back. */
static void exchange_half(const rs_schedule *schedule, int32_t step, int32_t src,
                          rs_transfer *out) {
    const int32_t log = rs_floor_log2(schedule->n_ranks);
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

static const core there_and_back = {
    .n_rounds = 2, .rounds = {RS_SCATTER_REDUCE, RS_ALL_GATHER}, .exchange = exchange_half};

static const char halving_rule[] = "int sends(int step, int rank, int n, rs_send out[]) {\n"
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

static void make_halving(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    schedule->n_chunks = 1 << rs_floor_log2(n);
    schedule->max_run = schedule->n_chunks / (n > schedule->n_chunks ? 1 : 2);
    fill_schedule(schedule, &there_and_back);
    schedule->rule = halving_rule;
}

static int64_t halving_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                          const rs_net *net) {
    const int32_t p = 1 << rs_floor_log2(schedule->n_ranks);
    int64_t time_ps = fold_ps(schedule, count * elem_bytes, net);
    for (int32_t half = 1; half < p; half *= 2) {
        time_ps += in_turn_ps(net, rs_chunk_offset(count, p, half) * elem_bytes, 2, 1);
    }
    return time_ps;
}

const rs_algorithm rs_halving = {
    .name = "halving",
    .summary = N_("partners exchange halves of what they share (Rabenseifner)"),
    .make = make_halving,
    .closed_form_ps = halving_ps,
};

/* ------------------------------------------------------------------ doubling */

/* Recursive doubling. Partners exchange whole arrays; at each step they are twice
 * as far apart.
 *
 *     step 0   0 <-> 1   2 <-> 3        p = 2^L is the largest power of two <= N. The ranks from p up
 *     step 1   0 <-> 2   1 <-> 3        first fold their array into rank - p, and get the result
 *                                       back at the end (two more steps when N > p, as above).
 *
 * Time: L(alpha + K/B + K gamma), and when N > p (alpha + K/B + K gamma) + (alpha + K/B) more
 * (Thakur, Rabenseifner, Gropp 2005).
 */

static void exchange_all(const rs_schedule *schedule, int32_t step, int32_t src, rs_transfer *out) {
    (void)schedule;
    *out = (rs_transfer){
        .src = src, .dst = src ^ 1 << step, .n_chunks = 1, .order = src, .effect = RS_REDUCE};
}

static const core whole_arrays = {.n_rounds = 1, .rounds = {RS_EXCHANGE}, .exchange = exchange_all};

static const char doubling_rule[] = "int sends(int step, int rank, int n, rs_send out[]) {\n"
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

static void make_doubling(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)n, (void)order;
    schedule->n_chunks = 1;
    fill_schedule(schedule, &whole_arrays);
    schedule->rule = doubling_rule;
}

static int64_t doubling_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                           const rs_net *net) {
    const int64_t n_bytes = count * elem_bytes, log = rs_floor_log2(schedule->n_ranks);
    return in_turn_ps(net, n_bytes, log, log) + fold_ps(schedule, n_bytes, net);
}

const rs_algorithm rs_doubling = {
    .name = "doubling",
    .summary = N_("partners exchange whole arrays, the distance doubles"),
    .make = make_doubling,
    .closed_form_ps = doubling_ps,
};
