/* algo_doubled.c: what a rank holds doubles in every round, until it is everything: the all-gather by doubling, and
 * backwards the reduce-scatter by halving.
 *
 *     rank 1 of 4 holds   [1] -> [0 1] -> [0 1 2 3]      N = 2^L: in round k partners at distance 2^k exchange
 *     partner                  0        3                the aligned blocks of 2^k chunks that they hold
 *
 * Any other N (Bruck and others, IEEE TPDS 8(11), 1997): in round k rank r sends the min(2^k, N - 2^k) chunks from
 * its own on to rank r - 2^k; where they pass the last chunk they go as two messages.
 */
#include "schedule/algo.h"

/* ------------------------------------------------------------------ a round */

static bool is_power(int32_t n) {
    return (n & (n - 1)) == 0;
}

/* Writes what `src` sends in round k of the all-gather, one message or two; returns how many. */
static int block_sent(const rs_schedule *schedule, int32_t k, int32_t src, rs_transfer out[]) {
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
static int block_received(const rs_schedule *schedule, int32_t k, int32_t dst, rs_transfer out[]) {
    const int32_t n = schedule->n_ranks, b = 1 << k;
    return block_sent(schedule, k, is_power(n) ? dst ^ b : (dst + b) % n, out);
}

/* Cuts the array, in rounds of one phase; sends and recvs are the caller's. */
static void cut_in_rounds(rs_schedule *schedule, rs_phase phase) {
    const int32_t n = schedule->n_ranks;
    schedule->n_chunks = n;
    schedule->n_steps = ceil_log2(n);
    schedule->max_sends = is_power(n) ? 1 : 2;
    for (int32_t k = 0; k < schedule->n_steps; k++) { /* of N > 2^L the last all - 1 send two */
        const int32_t b = 1 << k, all = b <= n - b ? b : n - b;
        if (all > schedule->max_run) schedule->max_run = all;
        schedule->n_transfers += n + (is_power(n) ? 0 : all - 1);
    }
    add_phase(schedule, phase, 0);
}

/* Returns the time on equal links of N = 2^L ranks, who also add if `reduce`; -1 of others: two messages cost two
   latencies. */
static int64_t time_of_rounds(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                              const rs_net *net, bool reduce) {
    int64_t time_ps = 0;
    if (!is_power(schedule->n_ranks)) return -1;
    for (int32_t k = 0; k < schedule->n_steps; k++) {
        const int64_t n_bytes = rs_chunk_first(schedule, count, 1 << k) * elem_bytes;
        time_ps += in_turn_ps(net, n_bytes, 1, reduce ? 1 : 0);
    }
    return time_ps;
}

/* ------------------------------------------------------------------ the all-gather by doubling */

/* The all-gather by doubling: partners exchange all that they hold.
 *
 *     rank 1 of 4 holds   [1] -> [0 1] -> [0 1 2 3]      step k is round k, as above
 *     partner                  0        3
 *
 * Time for N = 2^L: L alpha + (1/B) sum over k < L of the first 2^k chunks. Others: no closed form.
 */

static const char gather_rule[] = "int sends(int step, int rank, int n, rs_send out[]) {\n"
                                  "    int bit = 1 << step, power = (n & (n - 1)) == 0;\n"
                                  "    int to = power ? rank ^ bit : (rank - bit + n) % n;\n"
                                  "    int chunk = power ? rank & ~(bit - 1) : rank;\n"
                                  "    int all = power || bit <= n - bit ? bit : n - bit;\n"
                                  "    int straight = chunk + all <= n ? all : n - chunk;\n"
                                  "    out[0] = (rs_send){to, chunk, straight, 1};\n"
                                  "    out[1] = (rs_send){to, 0, all - straight, 1};\n"
                                  "    return all > straight ? 2 : 1;\n"
                                  "}\n";

static void make_gather(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)n, (void)order;
    cut_in_rounds(schedule, RS_ALL_GATHER);
    schedule->sends = block_sent;
    schedule->recvs = block_received;
    schedule->rule = gather_rule;
}

static int64_t gather_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                         const rs_net *net) {
    return time_of_rounds(schedule, count, elem_bytes, net, false);
}

const rs_algorithm rs_doubling_gather = {
    .name = "doubling",
    .summary = N_("partners exchange all that they hold, twice as much each time"),
    .collective = RS_COLL_ALL_GATHER,
    .one_channel = true, /* its messages hold several shards */
    .make = make_gather,
    .closed_form_ps = gather_ps,
};

/* ------------------------------------------------------------------ the reduce-scatter by halving */

/* The reduce-scatter by halving: the all-gather by doubling (algo_doubled.c) run backwards. Who
 * received a chunk hands it back, and who sent it adds.
 *
 *     rank 1 of 4 adds up   [0 1 2 3] -> [0 1] -> [1]      step s is round L - 1 - s of the all-gather
 *     partner                        3       0
 *
 * Time for N = 2^L: L alpha + (1/B + gamma) sum over k < L of the first 2^k chunks. Others: no closed form.
 */

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

static int scatter_sends(const rs_schedule *schedule, int32_t step, int32_t rank,
                         rs_transfer out[]) {
    return turned(block_received(schedule, schedule->n_steps - 1 - step, rank, out), out);
}

static int scatter_recvs(const rs_schedule *schedule, int32_t step, int32_t rank,
                         rs_transfer out[]) {
    return turned(block_sent(schedule, schedule->n_steps - 1 - step, rank, out), out);
}

static const char scatter_rule[] = "int sends(int step, int rank, int n, rs_send out[]) {\n"
                                   "    int bit = 1, power = (n & (n - 1)) == 0;\n"
                                   "    while (2 * bit < n) bit *= 2;\n"
                                   "    bit >>= step;\n"
                                   "    int to = power ? rank ^ bit : (rank + bit) % n;\n"
                                   "    int chunk = power ? to & ~(bit - 1) : to;\n"
                                   "    int all = power || bit <= n - bit ? bit : n - bit;\n"
                                   "    int straight = chunk + all <= n ? all : n - chunk;\n"
                                   "    out[0] = (rs_send){to, chunk, straight, 0};\n"
                                   "    out[1] = (rs_send){to, 0, all - straight, 0};\n"
                                   "    return all > straight ? 2 : 1;\n"
                                   "}\n";

static void make_scatter(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)n, (void)order;
    cut_in_rounds(schedule, RS_SCATTER_REDUCE);
    schedule->sends = scatter_sends;
    schedule->recvs = scatter_recvs;
    schedule->rule = scatter_rule;
}

static int64_t scatter_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                          const rs_net *net) {
    return time_of_rounds(schedule, count, elem_bytes, net, true);
}

const rs_algorithm rs_halving_scatter = {
    .name = "halving",
    .summary = N_("partners exchange halves of what they share, ever smaller ones"),
    .collective = RS_COLL_REDUCE_SCATTER,
    .one_channel = true, /* its messages hold several shards */
    .make = make_scatter,
    .closed_form_ps = scatter_ps,
};
