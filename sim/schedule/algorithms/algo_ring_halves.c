/* algo_ring_halves.c: the ring's two halves on their own, reduce-scatter and all-gather, in NCCL's order.
 *
 *          chunk n-1-s ->      reduce-scatter, step s: rank n sends chunk (n - 1 - s) mod N to rank n + 1,
 *     0 ----> 1 ----> 2        which adds; after N - 1 steps rank n owns chunk n.
 *     ^               |        all-gather, step s: it sends chunk (n - s) mod N, its own first.
 *     4 <---- 3 <-----+
 *
 * Time: (N-1)(alpha + M/B + M gamma) and (N-1)(alpha + M/B), M the largest chunk: its way round is the longest
 * path (as NCCL runs its rings).
 */
#include "schedule/algo.h"

static int sends(const rs_schedule *schedule, int32_t step, int32_t src, rs_transfer out[]) {
    const int32_t n = schedule->n_ranks;
    const bool reduce = schedule->collective == RS_COLL_REDUCE_SCATTER;
    const int32_t chunk = src - (reduce ? 1 : 0) - step; /* >= -N + 1 */
    out[0] = (rs_transfer){
        .src = src,
        .dst = src + 1 == n ? 0 : src + 1,
        .chunk = chunk < 0 ? chunk + n : chunk,
        .n_chunks = 1,
        .order = src,
        .effect = reduce ? RS_REDUCE : RS_COPY,
    };
    return 1;
}

static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    return sends(schedule, step, rank == 0 ? schedule->n_ranks - 1 : rank - 1, out);
}

static const char scatter_rule[] = "int send_chunk(int step, int rank, int n) {\n"
                                   "    return (rank - 1 - step + n) % n;\n"
                                   "}\n";

static const char channels_scatter_rule[] =
    "int sends(int step, int rank, int n, rs_send out[]) {\n"
    "    int to = (rank + 1) % n, chunk = (rank - 1 - step + n) % n * n_channels;\n"
    "    out[0] = (rs_send){to, chunk, 1, 0};\n"
    "    return 1;\n"
    "}\n";

static const char gather_rule[] = "int sends(int step, int rank, int n, rs_send out[]) {\n"
                                  "    int to = (rank + 1) % n, chunk = (rank - step + n) % n;\n"
                                  "    out[0] = (rs_send){to, chunk, 1, 1};\n"
                                  "    return 1;\n"
                                  "}\n";

static const char channels_gather_rule[] =
    "int sends(int step, int rank, int n, rs_send out[]) {\n"
    "    int to = (rank + 1) % n, chunk = (rank - step + n) % n * n_channels;\n"
    "    out[0] = (rs_send){to, chunk, 1, 1};\n"
    "    return 1;\n"
    "}\n";

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    const bool reduce = schedule->collective == RS_COLL_REDUCE_SCATTER;
    schedule->n_chunks = n;
    schedule->n_steps = n - 1;
    schedule->n_transfers = (int64_t)n * (n - 1);
    schedule->fixed_neighbours = true;
    add_phase(schedule, reduce ? RS_SCATTER_REDUCE : RS_ALL_GATHER, 0);
    schedule->sends = sends;
    schedule->recvs = recvs;
    const bool one = schedule->asked_channels <= 1;
    schedule->rule = reduce ? one ? scatter_rule : channels_scatter_rule
                     : one  ? gather_rule
                            : channels_gather_rule;
}

static int64_t closed_form_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                              const rs_net *net) {
    const int32_t n = schedule->n_ranks;
    const int64_t n_bytes = rs_chunk_first(schedule, count, 1) * elem_bytes;
    const bool reduce = schedule->collective == RS_COLL_REDUCE_SCATTER;
    return in_turn_ps(net, n_bytes, n - 1, reduce ? n - 1 : 0);
}

/* In N steps a rank would send every chunk: without that of the last. */
static int64_t elements_sent(const rs_schedule *schedule, int64_t count, int32_t rank) {
    rs_transfer missing;
    sends(schedule, schedule->n_steps, rank, &missing);
    return count - rs_transfer_count(schedule, count, &missing);
}

const rs_algorithm rs_ring_scatter = {
    .name = "ring",
    .summary = N_("each GPU passes a sum on to its neighbour, and keeps the last"),
    .collective = RS_COLL_REDUCE_SCATTER,
    .make = make,
    .closed_form_ps = closed_form_ps,
    .elements_sent = elements_sent,
};

const rs_algorithm rs_ring_gather = {
    .name = "ring",
    .summary = N_("each GPU passes what came last on to its neighbour"),
    .collective = RS_COLL_ALL_GATHER,
    .make = make,
    .closed_form_ps = closed_form_ps,
    .elements_sent = elements_sent,
};
