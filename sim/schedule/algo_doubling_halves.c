/* algo_doubling_halves.c: the all-gather by doubling, and the reduce-scatter by halving, which is the same run
 * backwards: who received a chunk hands it back, and who sent it adds.
 *
 *     rank 1 of 4 holds   [1] -> [0 1] -> [0 1 2 3]      N = 2^L: at step k partners at distance 2^k exchange
 *     partner                  0        3                the aligned blocks of 2^k chunks that they hold
 *
 * Any other N (Bruck and others, IEEE TPDS 8(11), 1997): at step k rank r sends the min(2^k, N - 2^k) chunks from
 * its own on to rank r - 2^k; where they pass the last chunk they go as two messages.
 * Time for N = 2^L: L alpha + (1/B) sum over k < L of the first 2^k chunks; the reduce-scatter (1/B + gamma).
 * Others: no closed form, two messages cost two latencies.
 */
#include "schedule/algo.h"

static bool is_power(int32_t n) {
    return (n & (n - 1)) == 0;
}

/* Writes what `src` sends in round k of the all-gather, one message or two; returns how many. */
static int gathered(const rs_schedule *schedule, int32_t k, int32_t src, rs_transfer out[]) {
    const int32_t n = schedule->n_ranks, b = 1 << k;
    const bool power = is_power(n);
    const int32_t back = src - b < 0 ? src - b + n : src - b;
    const int32_t first = power ? src & ~(b - 1) : src, all = power || b <= n - b ? b : n - b;
    const int32_t straight = all < n - first ? all : n - first;
    rs_transfer t = {.src = src, .dst = power ? src ^ b : back, .effect = RS_COPY};
    t.chunk = first, t.n_chunks = straight, t.order = 2 * src;
    out[0] = t;
    if (straight == all) return 1;
    t.chunk = 0, t.n_chunks = all - straight, t.order = 2 * src + 1;
    out[1] = t;
    return 2;
}

/* The same, of what `dst` receives. */
static int arriving(const rs_schedule *schedule, int32_t k, int32_t dst, rs_transfer out[]) {
    const int32_t n = schedule->n_ranks, b = 1 << k;
    return gathered(schedule, k, is_power(n) ? dst ^ b : (dst + b) % n, out);
}

static int turned(int n, rs_transfer out[]) {
    for (int i = 0; i < n; i++) {
        const int32_t src = out[i].dst;
        out[i].dst = out[i].src;
        out[i].src = src;
        out[i].order = 2 * src + i;
        out[i].effect = RS_REDUCE;
    }
    return n;
}

static int sends(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    if (schedule->collective == RS_COLL_ALL_GATHER) return gathered(schedule, step, rank, out);
    return turned(arriving(schedule, schedule->n_steps - 1 - step, rank, out), out);
}

static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    if (schedule->collective == RS_COLL_ALL_GATHER) return arriving(schedule, step, rank, out);
    return turned(gathered(schedule, schedule->n_steps - 1 - step, rank, out), out);
}

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    const bool reduce = schedule->collective == RS_COLL_REDUCE_SCATTER;
    schedule->n_chunks = n;
    schedule->n_steps = ceil_log2(n);
    schedule->max_sends = is_power(n) ? 1 : 2;
    for (int32_t k = 0; k < schedule->n_steps;
         k++) { /* of N > 2^L the last all - 1 ranks send two */
        const int32_t b = 1 << k, all = b <= n - b ? b : n - b;
        if (all > schedule->max_run) schedule->max_run = all;
        schedule->n_transfers += n + (is_power(n) ? 0 : all - 1);
    }
    add_phase(schedule, reduce ? RS_SCATTER_REDUCE : RS_ALL_GATHER, 0);
    schedule->sends = sends;
    schedule->recvs = recvs;
}

static int64_t closed_form_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                              const rs_net *net) {
    const bool reduce = schedule->collective == RS_COLL_REDUCE_SCATTER;
    int64_t time_ps = 0;
    if (!is_power(schedule->n_ranks)) return -1;
    for (int32_t k = 0; k < schedule->n_steps; k++) {
        const int64_t n_bytes = rs_chunk_first(schedule, count, 1 << k) * elem_bytes;
        time_ps += message_ps(net, n_bytes) + (reduce ? addition_ps(net, n_bytes) : 0);
    }
    return time_ps;
}

const rs_algorithm rs_halving_scatter = {
    .name = "halving",
    .summary = N_("partners exchange halves of what they share, ever smaller ones"),
    .collective = RS_COLL_REDUCE_SCATTER,
    .one_channel = true, /* its messages hold several shards */
    .make = make,
    .closed_form_ps = closed_form_ps,
};

const rs_algorithm rs_doubling_gather = {
    .name = "doubling",
    .summary = N_("partners exchange all that they hold, twice as much each time"),
    .collective = RS_COLL_ALL_GATHER,
    .one_channel = true, /* its messages hold several shards */
    .make = make,
    .closed_form_ps = closed_form_ps,
};
