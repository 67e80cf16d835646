/* algo_shots.c: no way round: every rank takes what it needs from all others at once.
 *
 *     one-shot   step 0   each rank takes all arrays, whole, and adds them
 *     two-shot   step 0   rank r takes chunk r of all, and adds: a scatter-reduce in one step
 *                step 1   each rank takes the other sums: an all-gather in one step
 *
 *   - Who adds does so by rank, ((0 + 1) + 2) + ...: so all ranks of one-shot have the same bits, and two-shot has them,
 *     too. (In the usual order each rank would begin with its own data, and one-shot's results differ.)
 *   - A rank's messages go to the ranks behind it in turn, so that no two begin with the same.
 *
 * On a machine the messages of a step go side by side: one latency a step, and before each of two-shot's, which read what
 * others have written, a barrier; one-shot's data bring their flags along. On private wires they queue at the ports, and
 * what arrives is added while the next comes: one-shot (N-1)(alpha + K/B) + K gamma. two-shot with equal chunks
 * 2(N-1)(alpha + M/B) + M gamma, M = K/N; with others ports wait for each other.
 * Both are what the kernels over peer memory do (NCCL's symmetric ones, vLLM's and TensorRT-LLM's own).
 */
#include "schedule/algo.h"

/* Returns what `src` sends to `dst`. */
static rs_transfer from_to(const rs_schedule *schedule, int32_t step, int32_t src, int32_t dst) {
    const int32_t n = schedule->n_ranks;
    return (rs_transfer){.src = src,
                         .dst = dst,
                         .chunk = schedule->n_steps == 1 ? 0
                                  : step == 0            ? dst
                                                         : src,
                         .n_chunks = 1,
                         .order = src * n + (dst > src ? dst - src : dst - src + n),
                         .effect = step == 0 ? RS_REDUCE : RS_COPY};
}

static int sends(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    const int n = schedule->n_ranks - 1;
    for (int i = 0; i < n; i++)
        out[i] = from_to(schedule, step, rank, rank_ahead(schedule, rank, i + 1));
    return n;
}

static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    int n = 0;
    for (int32_t src = 0; src < schedule->n_ranks; src++) {
        if (src != rank) out[n++] = from_to(schedule, step, src, rank);
    }
    return n;
}

static const char one_rule[] = "int sends(int step, int rank, int n, rs_send out[]) {\n"
                               "    for (int i = 0; i < n - 1; i++) {\n"
                               "        int to = (rank + 1 + i) % n;\n"
                               "        out[i] = (rs_send){to, 0, 1, 0};\n"
                               "    }\n"
                               "    return n - 1;\n"
                               "}\n";

static const char two_rule[] = "int sends(int step, int rank, int n, rs_send out[]) {\n"
                               "    for (int i = 0; i < n - 1; i++) {\n"
                               "        int to = (rank + 1 + i) % n;\n"
                               "        int chunk = step == 0 ? to : rank;\n"
                               "        out[i] = (rs_send){to, chunk, 1, step > 0};\n"
                               "    }\n"
                               "    return n - 1;\n"
                               "}\n";

static void make_steps(int32_t n_steps, const char *rule, rs_schedule *schedule) {
    const int32_t n = schedule->n_ranks;
    schedule->n_chunks = n_steps == 1 ? 1 : n;
    schedule->n_steps = n_steps;
    schedule->n_transfers = (int64_t)n_steps * n * (n - 1);
    schedule->max_sends = n - 1;
    schedule->by_rank = true;
    schedule->n_barriers = n_steps == 1 ? 0 : 2;
    schedule->sends = sends;
    schedule->recvs = recvs;
    schedule->rule = rule;
}

static void make_one(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)n, (void)order;
    make_steps(1, one_rule, schedule);
    add_phase(schedule, RS_EXCHANGE, 0);
}

static void make_two(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)n, (void)order;
    make_steps(2, two_rule, schedule);
    add_phase(schedule, RS_SCATTER_REDUCE, 0);
    add_phase(schedule, RS_ALL_GATHER, 1);
}

/* Of equal chunks: with others a port that is free takes another message first, and more turns may be needed. */
static int64_t closed_form_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                              const rs_net *net) {
    if (count % schedule->n_chunks != 0) return -1;
    return in_turn_ps(net, count / schedule->n_chunks * elem_bytes,
                      schedule->n_steps * (schedule->n_ranks - 1), 1);
}

const rs_algorithm rs_one_shot = {
    .name = "one-shot",
    .summary = N_("each GPU takes the arrays of all others at once and adds them itself"),
    .make = make_one,
    .closed_form_ps = closed_form_ps,
    .accepts = rs_each_to_each,
};

const rs_algorithm rs_two_shot = {
    .name = "two-shot",
    .summary = N_("each GPU adds its share of all arrays, then takes the others' sums"),
    .make = make_two,
    .closed_form_ps = closed_form_ps,
    .accepts = rs_each_to_each,
};
