/* algo_doubling.c: recursive doubling. Partners exchange whole arrays; at each step they are twice
 * as far apart.
 *
 *     step 0   0 <-> 1   2 <-> 3        p = 2^L is the largest power of two <= N. The ranks from p up
 *     step 1   0 <-> 2   1 <-> 3        first fold their array into rank - p, and get the result
 *                                       back at the end (two more steps when N > p).
 *
 * Time: L(alpha + K/B + K gamma), and when N > p (alpha + K/B + K gamma) + (alpha + K/B) more
 * (Thakur, Rabenseifner, Gropp 2005).
 */
#include "schedule/algo.h"

static int32_t core(const rs_schedule *schedule) {
    return 1 << floor_log2(schedule->n_ranks);
}

static void whole(int32_t src, int32_t dst, rs_effect effect, rs_transfer *out) {
    *out = (rs_transfer){
        .src = src, .dst = dst, .n_chunks = 1, .order = src, .effect = (uint8_t)effect};
}

static int sends(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    const int32_t p = core(schedule), n = schedule->n_ranks, extra = n > p;
    if (extra && step == 0) {
        whole(rank, rank - p, RS_REDUCE, out);
        return rank >= p;
    }
    if (extra && step == schedule->n_steps - 1) {
        whole(rank, rank + p, RS_COPY, out);
        return rank + p < n;
    }
    whole(rank, rank ^ (1 << (step - extra)), RS_REDUCE, out);
    return rank < p;
}

/* Writes the message that `rank` receives: the one that its partner sends in this step, if it
   does. */
static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    const int32_t p = core(schedule), n = schedule->n_ranks, extra = n > p;
    if (extra && step == 0) {
        whole(rank + p, rank, RS_REDUCE, out);
        return rank + p < n;
    }
    if (extra && step == schedule->n_steps - 1) {
        whole(rank - p, rank, RS_COPY, out);
        return rank >= p;
    }
    whole(rank ^ (1 << (step - extra)), rank, RS_REDUCE, out);
    return rank < p;
}

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    const int32_t log = floor_log2(n), p = 1 << log, extra = n > p;
    schedule->n_chunks = 1;
    schedule->n_steps = log + 2 * extra;
    schedule->n_transfers = (int64_t)p * log + 2 * (n - p);
    if (extra) schedule->phases[schedule->n_phases++] = (rs_phase_range){RS_FOLD_IN, 0};
    schedule->phases[schedule->n_phases++] = (rs_phase_range){RS_EXCHANGE, extra};
    if (extra) schedule->phases[schedule->n_phases++] = (rs_phase_range){RS_FOLD_OUT, log + 1};
    schedule->sends = sends;
    schedule->recvs = recvs;
}

static int64_t closed_form_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                              const rs_net *net) {
    const int32_t n = schedule->n_ranks;
    const int32_t log = floor_log2(n);
    const int64_t message = message_ps(net, count * elem_bytes);
    const int64_t addition = addition_ps(net, count * elem_bytes);
    return log * (message + addition) + (n > 1 << log ? 2 * message + addition : 0);
}

static int64_t elements_sent(const rs_schedule *schedule, int64_t count, int32_t rank) {
    const int32_t log = floor_log2(schedule->n_ranks), p = 1 << log;
    if (rank >= p) return count;
    return (log + (rank + p < schedule->n_ranks)) * count;
}

const rs_algorithm rs_doubling = {
    .name = "doubling",
    .summary = N_("partners exchange whole arrays, the distance doubles"),
    .make = make,
    .closed_form_ps = closed_form_ps,
    .elements_sent = elements_sent,
};
