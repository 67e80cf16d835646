/* algo_pairwise.c: the all-to-all with one message each way at a time: in each step a pair of neighbours, ever
 * farther apart.
 *
 *     step 0     0 -> 1 -> 2 -> 3 -> 0       step s: rank r sends its chunk for rank r + s + 1 there, and nothing
 *     step 1     0 -> 2 -> 0   1 -> 3 -> 1   else: N - 1 steps, and no rank ever passes anything on
 *     step 2     0 -> 3 -> 2 -> 1 -> 0
 *
 * Time: (N-1)(alpha + M/B), M = K/N (Thakur, Rabenseifner, Gropp 2005, long messages).
 */
#include "schedule/all_to_all.h"

static int sends(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    out[0] = from_to(schedule, rank, rank_ahead(schedule, rank, step + 1), 0);
    return 1;
}

static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    const int32_t ahead = schedule->n_ranks - (step + 1);
    out[0] = from_to(schedule, rank_ahead(schedule, rank, ahead), rank, 0);
    return 1;
}

static const char rule[] = "int sends(int step, int rank, int n, rs_send out[]) {\n"
                           "    int to = (rank + step + 1) % n, chunk = rank * n + to;\n"
                           "    out[0] = (rs_send){to, chunk, 1, 1};\n"
                           "    return 1;\n"
                           "}\n";

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    cut_for_all(schedule, n - 1);
    schedule->sends = sends;
    schedule->recvs = recvs;
    schedule->rule = rule;
}

const rs_algorithm rs_pairwise = {
    .name = "pairwise",
    .summary = N_("in step s each GPU sends to the one s + 1 places ahead"),
    .collective = RS_COLL_ALL_TO_ALL,
    .one_channel = true,
    .make = make,
    .closed_form_ps = rs_all_to_all_ps,
    .accepts = rs_all_to_all_accepts,
};
