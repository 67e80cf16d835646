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

enum { WAYS = 2 };

/* Writes what `src` sends on channel `way`. */
static void from(const rs_schedule *schedule, int32_t step, int32_t src, int32_t way,
                 rs_transfer *out) {
    const int32_t n = schedule->n_ranks;
    const int32_t place = way == 0 ? src - step : src + step; /* -2N < place < 3N */
    *out = (rs_transfer){
        .src = src,
        .dst = (src + (way == 0 ? 1 : n - 1)) % n,
        .chunk = way * n + (place + 2 * n) % n,
        .n_chunks = 1,
        .order = WAYS * src + way,
        .effect = step < n - 1 ? RS_REDUCE : RS_COPY,
        .channel = (uint8_t)way,
    };
}

static int sends(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    for (int32_t way = 0; way < WAYS; way++) from(schedule, step, rank, way, &out[way]);
    return WAYS;
}

static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    const int32_t n = schedule->n_ranks, left = (rank + n - 1) % n, right = (rank + 1) % n;
    const bool swap = left > right; /* in list order: the lower source first */
    from(schedule, step, left, 0, &out[swap]);
    from(schedule, step, right, 1, &out[!swap]);
    return WAYS;
}

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    schedule->n_chunks = WAYS * n;
    schedule->n_steps = 2 * (n - 1);
    schedule->n_transfers = (int64_t)WAYS * n * schedule->n_steps;
    schedule->max_sends = schedule->n_channels = WAYS;
    schedule->n_phases = 2;
    schedule->phases[0] = (rs_phase_range){RS_SCATTER_REDUCE, 0};
    schedule->phases[1] = (rs_phase_range){RS_ALL_GATHER, n - 1};
    schedule->sends = sends;
    schedule->recvs = recvs;
}

/* In 2N steps a rank would send every chunk twice: takes away those of the last two. */
static int64_t elements_sent(const rs_schedule *schedule, int64_t count, int32_t rank) {
    const int32_t n = schedule->n_ranks;
    int64_t sent = 2 * count;
    for (int32_t step = schedule->n_steps; step < 2 * n; step++) {
        rs_transfer missing[WAYS];
        sends(schedule, step, rank, missing);
        for (int i = 0; i < WAYS; i++) sent -= rs_transfer_count(schedule, count, &missing[i]);
    }
    return sent;
}

const rs_algorithm rs_bidirectional = {
    .name = "bidirectional",
    .summary = N_("two rings at once, half of the array each way round"),
    .make = make,
    .own_channels = true, /* two */
    .elements_sent = elements_sent,
};
