/* algo_ring.c: the ring all-reduce.
 *
 *          chunk n-s ->        At step s rank n sends chunk (n - s) mod N to rank n + 1.
 *     0 ----> 1 ----> 2        While s < N - 1 the receiver adds (scatter-reduce), afterwards
 *     ^               |        it overwrites (all-gather).
 *     4 <---- 3 <-----+
 *
 * After N - 1 steps rank n owns chunk n + 1 complete. NCCL's ring is the same shifted by one: it
 * sends (n - 1 - s) and ends owning chunk n (nccl: src/device/all_reduce.h, runRing).
 * Time: every step costs one chunk, 2(N-1)(alpha + M/B) + (N-1) M gamma, M the largest chunk
 * (Patarasuk and Yuan, JPDC 69(2), 2009); exact for every count >= 1, also count < N.
 */
#include "schedule/algo.h"

/* Writes what `src` sends. It writes through `out`: an engine calls it a hundred million times, and
   to copy a returned struct would cost more than to compute it. */
static int sends(const rs_schedule *schedule, int32_t step, int32_t src, rs_transfer out[]) {
    const int32_t n = schedule->n_ranks;
    const int32_t shift = schedule->order == RS_ORDER_NCCL ? 1 : 0;
    int32_t chunk = src - shift - step; /* > -2N: adding N twice is enough, and needs no branch */
    chunk += chunk < 0 ? n : 0;
    chunk += chunk < 0 ? n : 0;
    out[0] = (rs_transfer){
        .src = src,
        .dst = src + 1 == n ? 0 : src + 1,
        .chunk = chunk,
        .n_chunks = 1,
        .order = src,
        .effect = step < n - 1 ? RS_REDUCE : RS_COPY,
    };
    return 1;
}

static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    return sends(schedule, step, rank == 0 ? schedule->n_ranks - 1 : rank - 1, out);
}

static const char seed_rule[] = "int send_chunk(int step, int rank, int n) {\n"
                                "    return mod(rank - step, n);\n"
                                "}\n";

static const char nccl_rule[] = "int send_chunk(int step, int rank, int n) {\n"
                                "    return mod(rank - 1 - step, n);\n"
                                "}\n";

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    schedule->n_chunks = n;
    schedule->n_steps = 2 * (n - 1);
    schedule->n_transfers = (int64_t)n * schedule->n_steps;
    schedule->fixed_neighbours = true;
    add_phase(schedule, RS_SCATTER_REDUCE, 0);
    add_phase(schedule, RS_ALL_GATHER, n - 1);
    schedule->sends = sends;
    schedule->recvs = recvs;
    schedule->rule = order == RS_ORDER_NCCL ? nccl_rule : seed_rule;
}

static int64_t closed_form_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                              const rs_net *net) {
    const int32_t n = schedule->n_ranks;
    const int64_t largest_bytes = (count + n - 1) / n * elem_bytes;
    return in_turn_ps(net, largest_bytes, 2 * (n - 1), n - 1);
}

/* In 2N steps a rank would send every chunk twice: takes away those of the steps that are missing
   to 2N. */
static int64_t elements_sent(const rs_schedule *schedule, int64_t count, int32_t rank) {
    const int32_t n = schedule->n_ranks;
    int64_t sent = 2 * count;
    for (int32_t step = schedule->n_steps; step < 2 * n; step++) {
        rs_transfer missing;
        sends(schedule, step, rank, &missing);
        sent -= rs_transfer_count(schedule, count, &missing);
    }
    return sent;
}

const rs_algorithm rs_ring = {
    .name = "ring",
    .summary = N_("each GPU passes one chunk to its neighbour in every step"),
    .make = make,
    .closed_form_ps = closed_form_ps,
    .elements_sent = elements_sent,
};
