/* algo_all_to_all.c: each rank has a chunk for each other: one pair of neighbours a step, or all at once.
 *
 *     pairwise    step s: rank r sends its chunk for rank r + s + 1 there, and nothing else    (N-1 steps)
 *     direct      step 0: rank r sends to r + 1, r + 2, ..., r - 1, all in the one step there is
 *
 * Chunk s x N + d is what rank s has for rank d. No rank ever passes anything on.
 * Time: (N-1)(alpha + M/B), M = K/N, both: on a private port direct's messages queue (Thakur, Rabenseifner, Gropp
 * 2005, long messages).
 */
#include "schedule/algo.h"

/* Writes what `src` sends to the rank `ahead` places ahead. */
static void to(const rs_schedule *schedule, int32_t src, int32_t ahead, rs_transfer *out) {
    const int32_t n = schedule->n_ranks;
    const int32_t dst = src + ahead < n ? src + ahead : src + ahead - n;
    *out = (rs_transfer){
        .src = src,
        .dst = dst,
        .chunk = src * n + dst,
        .n_chunks = 1,
        .order = src * n + ahead,
        .effect = RS_COPY,
    };
}

static int32_t behind(const rs_schedule *schedule, int32_t rank, int32_t ahead) {
    return rank - ahead < 0 ? rank - ahead + schedule->n_ranks : rank - ahead;
}

static int sends(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    to(schedule, rank, step + 1, out);
    return 1;
}

static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    to(schedule, behind(schedule, rank, step + 1), step + 1, out);
    return 1;
}

static int sends_all(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    (void)step;
    for (int32_t i = 1; i < schedule->n_ranks; i++) to(schedule, rank, i, &out[i - 1]);
    return schedule->n_ranks - 1;
}

/* By source, which is list order. */
static int recvs_all(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    (void)step;
    const int32_t n = schedule->n_ranks;
    int k = 0;
    for (int32_t src = 0; src < n; src++) {
        if (src != rank) to(schedule, src, behind(schedule, rank, src), &out[k++]);
    }
    return k;
}

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    schedule->n_chunks = n * n;
    schedule->n_steps = n - 1;
    schedule->n_transfers = (int64_t)n * (n - 1);
    add_phase(schedule, RS_EXCHANGE, 0);
    schedule->sends = sends;
    schedule->recvs = recvs;
}

static void make_direct(int32_t n, rs_order order, rs_schedule *schedule) {
    make(n, order, schedule);
    schedule->n_steps = 1;
    schedule->max_sends = n - 1;
    schedule->sends = sends_all;
    schedule->recvs = recvs_all;
}

static rs_status accepts(const rs_schedule *wanted, rs_error *error) {
    if (wanted->n_ranks <= RS_MAX_ALL_TO_ALL) return RS_OK;
    return rs_fail(error, RS_BAD_INPUT, "%d GPUs: an all-to-all takes at most %d",
                   (int)wanted->n_ranks, RS_MAX_ALL_TO_ALL);
}

/* `count` is of the array of all chunks, N x K. */
static int64_t closed_form_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                              const rs_net *net) {
    const int64_t n_bytes = rs_chunk_first(schedule, count, 1) * elem_bytes;
    return (schedule->n_ranks - 1) * message_ps(net, n_bytes);
}

const rs_algorithm rs_pairwise = {
    .name = "pairwise",
    .summary = N_("in step s each GPU sends to the one s + 1 places ahead"),
    .collective = RS_COLL_ALL_TO_ALL,
    .one_channel = true,
    .make = make,
    .closed_form_ps = closed_form_ps,
    .accepts = accepts,
};

const rs_algorithm rs_direct = {
    .name = "direct",
    .summary = N_("each GPU sends to all others at once"),
    .collective = RS_COLL_ALL_TO_ALL,
    .one_channel = true,
    .make = make_direct,
    .closed_form_ps = closed_form_ps,
    .accepts = accepts,
};
