/* algo_halving_scatter.c: the reduce-scatter by halving: the all-gather by doubling (doubled.h) run backwards. Who
 * received a chunk hands it back, and who sent it adds.
 *
 *     rank 1 of 4 adds up   [0 1 2 3] -> [0 1] -> [1]      step s is round L - 1 - s of the all-gather
 *     partner                        3       0
 *
 * Time for N = 2^L: L alpha + (1/B + gamma) sum over k < L of the first 2^k chunks. Others: no closed form.
 */
#include "schedule/doubled.h"

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
    return turned(rs_doubled_received(schedule, schedule->n_steps - 1 - step, rank, out), out);
}

static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    return turned(rs_doubled_sent(schedule, schedule->n_steps - 1 - step, rank, out), out);
}

static const char rule[] = "int sends(int step, int rank, int n, rs_send out[]) {\n"
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

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)n, (void)order;
    rs_doubled_cut(schedule, RS_SCATTER_REDUCE);
    schedule->sends = sends;
    schedule->recvs = recvs;
    schedule->rule = rule;
}

static int64_t closed_form_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                              const rs_net *net) {
    return rs_doubled_ps(schedule, count, elem_bytes, net, true);
}

const rs_algorithm rs_halving_scatter = {
    .name = "halving",
    .summary = N_("partners exchange halves of what they share, ever smaller ones"),
    .collective = RS_COLL_REDUCE_SCATTER,
    .one_channel = true, /* its messages hold several shards */
    .make = make,
    .closed_form_ps = closed_form_ps,
};
