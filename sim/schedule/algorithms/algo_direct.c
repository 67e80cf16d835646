/* algo_direct.c: the all-to-all in one step: everybody sends to everybody at once.
 *
 *     rank r:   -> r + 1   -> r + 2   ...   -> r - 1       in this order, so that no two begin with the same rank
 *
 * On a machine the messages go side by side, and the wires decide. On private wires they queue at the ports.
 * Time there: (N-1)(alpha + M/B), M = K/N, as pairwise (Thakur, Rabenseifner, Gropp 2005).
 */
#include "schedule/all_to_all.h"

static int sends(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    (void)step;
    const int n = schedule->n_ranks - 1;
    for (int i = 0; i < n; i++) {
        out[i] = from_to(schedule, rank, rank_ahead(schedule, rank, i + 1), i);
    }
    return n;
}

/* By source, which is list order. */
static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    (void)step;
    const int32_t n = schedule->n_ranks;
    int k = 0;
    for (int32_t src = 0; src < n; src++) {
        const int32_t ahead = src < rank ? rank - src : rank + n - src;
        if (src != rank) out[k++] = from_to(schedule, src, rank, ahead - 1);
    }
    return k;
}

static const char rule[] = "int sends(int step, int rank, int n, rs_send out[]) {\n"
                           "    for (int i = 0; i < n - 1; i++) {\n"
                           "        int to = (rank + 1 + i) % n;\n"
                           "        out[i] = (rs_send){to, rank * n + to, 1, 1};\n"
                           "    }\n"
                           "    return n - 1;\n"
                           "}\n";

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    cut_for_all(schedule, 1);
    schedule->max_sends = n - 1;
    schedule->sends = sends;
    schedule->recvs = recvs;
    schedule->rule = rule;
}

const rs_algorithm rs_direct = {
    .name = "direct",
    .summary = N_("each GPU sends to all others at once"),
    .collective = RS_COLL_ALL_TO_ALL,
    .one_channel = true,
    .make = make,
    .closed_form_ps = rs_all_to_all_ps,
    .accepts = rs_all_to_all_accepts,
};
