/* algo_bidirectional.c: two rings at once, each with half of the array.
 *
 *     0 -> 1 -> 2 -> 3 -> 4 -> 0     channel 0: chunks 0 .. N-1, rank n sends chunk (n - s) mod N to n + 1
 *     0 <- 1 <- 2 <- 3 <- 4 <- 0     channel 1: chunks N .. 2N-1, rank n sends N + (n + s) mod N to n - 1
 *
 * While s < N - 1 the receiver adds, then it overwrites, as in the ring. Where wires carry both directions
 * side by side (a machine with a ring of wires) it takes half the ring's time for the bytes: each way half
 * of them. Here a port carries one message at a time, the two of a step take turns, and there is
 * nothing to gain. The pieces' sizes then decide who waits for whom: no closed form is known.
 * (both directions of each ring of a torus: Jain and Sabharwal, "Optimal bucket algorithms", ICS 2010).
 */
#include "schedule/algo.h"
#include "schedule/channels.h"

enum { WAYS = 2 };

static int sends(const rs_schedule *schedule, int32_t step, int32_t rank, int32_t way,
                 rs_transfer out[]) {
    const int32_t n = schedule->n_ranks;
    const int32_t place = way == 0 ? rank - step : rank + step; /* -2N < place < 3N */
    out[0] = (rs_transfer){
        .src = rank,
        .dst = (rank + (way == 0 ? 1 : n - 1)) % n,
        .chunk = way * n + (place + 2 * n) % n,
        .n_chunks = 1,
        .order = WAYS * rank + way,
        .effect = step < n - 1 ? RS_REDUCE : RS_COPY,
        .channel = (uint8_t)way,
    };
    return 1;
}

static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, int32_t way,
                 rs_transfer out[]) {
    const int32_t n = schedule->n_ranks;
    return sends(schedule, step, (rank + (way == 0 ? n - 1 : 1)) % n, way, out);
}

static const char rule[] = "int sends(int step, int rank, int n, rs_send out[]) {\n"
                           "    int copy = step >= n - 1;\n"
                           "    int right = (rank + 1) % n, chunk = mod(rank - step, n);\n"
                           "    out[0] = (rs_send){right, chunk, 1, copy};\n"
                           "    int left = (rank - 1 + n) % n, other = n + (rank + step) % n;\n"
                           "    out[1] = (rs_send){left, other, 1, copy};\n"
                           "    return 2;\n"
                           "}\n";

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    schedule->n_chunks = WAYS * n;
    schedule->n_steps = 2 * (n - 1);
    schedule->n_transfers = (int64_t)WAYS * n * schedule->n_steps;
    schedule->max_sends = schedule->n_channels = WAYS;
    add_phase(schedule, RS_SCATTER_REDUCE, 0);
    add_phase(schedule, RS_ALL_GATHER, n - 1);
    rs_channels_join(schedule, sends, recvs);
    schedule->rule = rule;
}

const rs_algorithm rs_bidirectional = {
    .name = "bidirectional",
    .summary = N_("two rings at once, half of the array each way round"),
    .make = make,
    .own_channels = true, /* two */
};
