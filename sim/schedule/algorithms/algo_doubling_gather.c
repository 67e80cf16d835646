/* algo_doubling_gather.c: the all-gather by doubling: partners exchange all that they hold.
 *
 *     rank 1 of 4 holds   [1] -> [0 1] -> [0 1 2 3]      step k is round k of doubled.h
 *     partner                  0        3
 *
 * Time for N = 2^L: L alpha + (1/B) sum over k < L of the first 2^k chunks. Others: no closed form.
 */
#include "schedule/doubled.h"

static const char rule[] = "int sends(int step, int rank, int n, rs_send out[]) {\n"
                           "    int bit = 1 << step, power = (n & (n - 1)) == 0;\n"
                           "    int to = power ? rank ^ bit : (rank - bit + n) % n;\n"
                           "    int chunk = power ? rank & ~(bit - 1) : rank;\n"
                           "    int all = power || bit <= n - bit ? bit : n - bit;\n"
                           "    int straight = chunk + all <= n ? all : n - chunk;\n"
                           "    out[0] = (rs_send){to, chunk, straight, 1};\n"
                           "    out[1] = (rs_send){to, 0, all - straight, 1};\n"
                           "    return all > straight ? 2 : 1;\n"
                           "}\n";

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)n, (void)order;
    rs_doubled_cut(schedule, RS_ALL_GATHER);
    schedule->sends = rs_doubled_sent;
    schedule->recvs = rs_doubled_received;
    schedule->rule = rule;
}

static int64_t closed_form_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                              const rs_net *net) {
    return rs_doubled_ps(schedule, count, elem_bytes, net, false);
}

const rs_algorithm rs_doubling_gather = {
    .name = "doubling",
    .summary = N_("partners exchange all that they hold, twice as much each time"),
    .collective = RS_COLL_ALL_GATHER,
    .one_channel = true, /* its messages hold several shards */
    .make = make,
    .closed_form_ps = closed_form_ps,
};
