/* algo_nvls.c: a switch adds, and copies (NVLink SHARP, NCCL's NVLS), P pieces after each other.
 *
 *     step s   rank r reads chunk r of piece s of all; on the way the switch adds: a port gives a piece, and takes 1/N of it
 *              and writes its sum of piece s - 1 to all; the switch copies: a port gives 1/N of a piece, and takes one
 *
 *   - With many pieces a port passes (1 + 1/N) K each way, where two-shot's passes 2 (N-1)/N K; with one it is two-shot in
 *     which a wire carries each message once.
 *   - Without a machine nobody stands on the way: each message goes alone. A machine needs a switch that adds.
 *   - One barrier, before anything is read; who writes waits for nobody.
 *   - Here the sum is folded by rank, in its type. Real switches were seen to add f32 exactly and round once, and promise
 *     nothing (`ringsim bits --algo nvls`): the last bits differ.
 */
#include "schedule/algo.h"

static int32_t pieces_of(const rs_schedule *schedule) {
    return schedule->n_steps - 1;
}

/* Returns what `src` sends to `dst` in a step: a part to add, or a sum. */
static rs_transfer from_to(const rs_schedule *schedule, int32_t step, int32_t src, int32_t dst,
                           bool adds) {
    const int32_t n = schedule->n_ranks, behind = dst > src ? dst - src : dst - src + n;
    return (rs_transfer){.src = src,
                         .dst = dst,
                         .chunk = adds ? step * n + dst : (step - 1) * n + src,
                         .n_chunks = 1,
                         .order = 2 * (src * n + behind) + !adds,
                         .effect = adds ? RS_REDUCE : RS_COPY};
}

static int both(const rs_schedule *schedule, int32_t step, int32_t src, int32_t dst,
                rs_transfer out[]) {
    int n = 0;
    if (step < pieces_of(schedule)) out[n++] = from_to(schedule, step, src, dst, true);
    if (step > 0) out[n++] = from_to(schedule, step, src, dst, false);
    return n;
}

static int sends(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    int n = 0;
    for (int32_t i = 1; i < schedule->n_ranks; i++)
        n += both(schedule, step, rank, rank_ahead(schedule, rank, i), out + n);
    return n;
}

static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    int n = 0;
    for (int32_t src = 0; src < schedule->n_ranks; src++) {
        if (src != rank) n += both(schedule, step, src, rank, out + n);
    }
    return n;
}

static const char rule[] =
    "int sends(int step, int rank, int n, rs_send out[]) {\n"
    "    int k = 0;\n"
    "    for (int i = 1; i < n; i++) {\n"
    "        int to = (rank + i) % n;\n"
    "        if (step < n_chunks / n) out[k++] = (rs_send){to, step * n + to, 1, 0};\n"
    "        if (step > 0) out[k++] = (rs_send){to, (step - 1) * n + rank, 1, 1};\n"
    "    }\n"
    "    return k;\n"
    "}\n";

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    const int32_t pieces = schedule->n_chunks > 0 ? schedule->n_chunks : 1;
    (void)order;
    schedule->n_chunks = n * pieces;
    schedule->n_steps = pieces + 1;
    schedule->n_transfers = 2 * (int64_t)pieces * n * (n - 1);
    schedule->max_sends = (pieces > 1 ? 2 : 1) * (n - 1);
    schedule->by_rank = true;
    schedule->in_switch = true;
    schedule->n_barriers = 1;
    schedule->sends = sends;
    schedule->recvs = recvs;
    schedule->rule = rule;
    /* both at once, or in turn */
    add_phase(schedule, pieces > 1 ? RS_EXCHANGE : RS_SCATTER_REDUCE, 0);
    if (pieces == 1) add_phase(schedule, RS_ALL_GATHER, 1);
}

const rs_algorithm rs_nvls = {
    .name = "nvls",
    .summary = N_("each GPU reads its share, added by the switch, which copies the sum to all"),
    .in_switch = true,
    .piece_elements = 1 << 18,
    .most_pieces = 16,
    .make = make,
    .accepts = rs_each_to_each,
};
