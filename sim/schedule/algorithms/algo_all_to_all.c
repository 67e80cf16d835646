/* algo_all_to_all.c: chunk s x N + d is what rank s has for rank d, and goes there straight away: what the algorithms
 * share.
 *
 * Time: (N-1)(alpha + M/B), M = K/N, whatever the order: on a private port messages queue.
 */
#include "schedule/algo.h"

/* Returns what `src` sends to `dst`; rank src's messages of a step go by `place`. */
static rs_transfer from_to(const rs_schedule *schedule, int32_t src, int32_t dst, int32_t place) {
    const int32_t n = schedule->n_ranks;
    return (rs_transfer){.src = src,
                         .dst = dst,
                         .chunk = src * n + dst,
                         .n_chunks = 1,
                         .order = src * n + place,
                         .effect = RS_COPY};
}

/* Cuts the array, in so many steps; sends and recvs are the caller's. */
static void cut_for_all(rs_schedule *schedule, int32_t n_steps) {
    const int32_t n = schedule->n_ranks;
    schedule->n_chunks = n * n;
    schedule->n_steps = n_steps;
    schedule->n_transfers = (int64_t)n * (n - 1);
    add_phase(schedule, RS_EXCHANGE, 0);
}

/* The time on equal links, `count` of the array of all chunks, N x K. */
static int64_t closed_form_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                              const rs_net *net) {
    const int64_t n_bytes = rs_chunk_first(schedule, count, 1) * elem_bytes;
    return (schedule->n_ranks - 1) * message_ps(net, n_bytes);
}

/* ------------------------------------------------------------------ pairwise */

/* The all-to-all with one message each way at a time: in each step a pair of neighbours, ever
 * farther apart.
 *
 *     step 0     0 -> 1 -> 2 -> 3 -> 0       step s: rank r sends its chunk for rank r + s + 1 there, and nothing
 *     step 1     0 -> 2 -> 0   1 -> 3 -> 1   else: N - 1 steps, and no rank ever passes anything on
 *     step 2     0 -> 3 -> 2 -> 1 -> 0
 *
 * Time: (N-1)(alpha + M/B), M = K/N (Thakur, Rabenseifner, Gropp 2005, long messages).
 */

static int pairwise_sends(const rs_schedule *schedule, int32_t step, int32_t rank,
                          rs_transfer out[]) {
    out[0] = from_to(schedule, rank, rank_ahead(schedule, rank, step + 1), 0);
    return 1;
}

static int pairwise_recvs(const rs_schedule *schedule, int32_t step, int32_t rank,
                          rs_transfer out[]) {
    const int32_t ahead = schedule->n_ranks - (step + 1);
    out[0] = from_to(schedule, rank_ahead(schedule, rank, ahead), rank, 0);
    return 1;
}

static const char pairwise_rule[] = "int sends(int step, int rank, int n, rs_send out[]) {\n"
                                    "    int to = (rank + step + 1) % n, chunk = rank * n + to;\n"
                                    "    out[0] = (rs_send){to, chunk, 1, 1};\n"
                                    "    return 1;\n"
                                    "}\n";

static void make_pairwise(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    cut_for_all(schedule, n - 1);
    schedule->sends = pairwise_sends;
    schedule->recvs = pairwise_recvs;
    schedule->rule = pairwise_rule;
}

const rs_algorithm rs_pairwise = {
    .name = "pairwise",
    .summary = N_("in step s each GPU sends to the one s + 1 places ahead"),
    .collective = RS_COLL_ALL_TO_ALL,
    .one_channel = true,
    .make = make_pairwise,
    .closed_form_ps = closed_form_ps,
    .accepts = rs_each_to_each,
};

/* ------------------------------------------------------------------ direct */

/* The all-to-all in one step: everybody sends to everybody at once.
 *
 *     rank r:   -> r + 1   -> r + 2   ...   -> r - 1       in this order, so that no two begin with the same rank
 *
 * On a machine the messages go side by side, and the wires decide. On private wires they queue at the ports.
 * Time there: (N-1)(alpha + M/B), M = K/N, as pairwise (Thakur, Rabenseifner, Gropp 2005).
 */

static int direct_sends(const rs_schedule *schedule, int32_t step, int32_t rank,
                        rs_transfer out[]) {
    (void)step;
    const int n = schedule->n_ranks - 1;
    for (int i = 0; i < n; i++) {
        out[i] = from_to(schedule, rank, rank_ahead(schedule, rank, i + 1), i);
    }
    return n;
}

/* By source, which is list order. */
static int direct_recvs(const rs_schedule *schedule, int32_t step, int32_t rank,
                        rs_transfer out[]) {
    (void)step;
    const int32_t n = schedule->n_ranks;
    int k = 0;
    for (int32_t src = 0; src < n; src++) {
        const int32_t ahead = src < rank ? rank - src : rank + n - src;
        if (src != rank) out[k++] = from_to(schedule, src, rank, ahead - 1);
    }
    return k;
}

static const char direct_rule[] = "int sends(int step, int rank, int n, rs_send out[]) {\n"
                                  "    for (int i = 0; i < n - 1; i++) {\n"
                                  "        int to = (rank + 1 + i) % n;\n"
                                  "        out[i] = (rs_send){to, rank * n + to, 1, 1};\n"
                                  "    }\n"
                                  "    return n - 1;\n"
                                  "}\n";

static void make_direct(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    cut_for_all(schedule, 1);
    schedule->max_sends = n - 1;
    schedule->sends = direct_sends;
    schedule->recvs = direct_recvs;
    schedule->rule = direct_rule;
}

const rs_algorithm rs_direct = {
    .name = "direct",
    .summary = N_("each GPU sends to all others at once"),
    .collective = RS_COLL_ALL_TO_ALL,
    .one_channel = true,
    .make = make_direct,
    .closed_form_ps = closed_form_ps,
    .accepts = rs_each_to_each,
};
