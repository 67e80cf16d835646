/* algo_rings.c: a ring on each channel; each leaves a node by another GPU, and so by another NIC.
 *
 *     channel 0   node 0: 0 1 2 3 --NIC of 3--> node 1: 4 5 6 7 --NIC of 7-->
 *     channel 1   node 0: 1 2 3 0 --NIC of 0--> node 1: 5 6 7 4 --NIC of 4-->
 *
 * Channel c rotates the GPUs of each node by c. One channel, or nodes of one GPU: the ring.
 * Time: on private links that of the ring, of one channel. Between m nodes with k NICs each, k channels:
 * 2(N-1)/N K / min(k B_NIC, B_GPU) for the bytes.
 */
#include "schedule/algo.h"

/* Returns who stands at a place of the channel's ring. */
static int32_t at_place(const rs_schedule *schedule, int32_t place, int32_t channel) {
    const int32_t g = schedule->gpus_per_node;
    return place / g * g + (place % g + channel) % g;
}

/* The inverse. */
static int32_t place_of(const rs_schedule *schedule, int32_t rank, int32_t channel) {
    const int32_t g = schedule->gpus_per_node;
    return rank / g * g + (rank % g + g - channel % g) % g;
}

static void from(const rs_schedule *schedule, int32_t step, int32_t src, int32_t channel,
                 rs_transfer *out) {
    const int32_t n = schedule->n_ranks, place = place_of(schedule, src, channel);
    const int32_t shift = schedule->order == RS_ORDER_NCCL ? 1 : 0;
    *out = (rs_transfer){
        .src = src,
        .dst = at_place(schedule, (place + 1) % n, channel),
        .chunk = channel * n + (place - shift - step + 2 * n) % n,
        .n_chunks = 1,
        .order = src * schedule->n_channels + channel,
        .effect = step < n - 1 ? RS_REDUCE : RS_COPY,
        .channel = (uint8_t)channel,
    };
}

static int sends(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    for (int32_t c = 0; c < schedule->n_channels; c++) from(schedule, step, rank, c, &out[c]);
    return schedule->n_channels;
}

static void into(const rs_schedule *schedule, int32_t step, int32_t dst, int32_t channel,
                 rs_transfer *out) {
    const int32_t n = schedule->n_ranks, place = place_of(schedule, dst, channel);
    from(schedule, step, at_place(schedule, place == 0 ? n - 1 : place - 1, channel), channel, out);
}

/* Sorted by source: there are few. */
static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    for (int32_t c = 0; c < schedule->n_channels; c++) {
        rs_transfer t;
        into(schedule, step, rank, c, &t);
        int32_t i = c;
        for (; i > 0 && out[i - 1].order > t.order; i--) out[i] = out[i - 1];
        out[i] = t;
    }
    return schedule->n_channels;
}

static int channel_sends(const rs_schedule *schedule, int32_t step, int32_t rank, int32_t channel,
                         rs_transfer out[]) {
    from(schedule, step, rank, channel, out);
    return 1;
}

static int channel_recvs(const rs_schedule *schedule, int32_t step, int32_t rank, int32_t channel,
                         rs_transfer out[]) {
    into(schedule, step, rank, channel, out);
    return 1;
}

static void make(int32_t n, rs_order order, rs_schedule *schedule) {
    (void)order;
    if (schedule->gpus_per_node == 0) schedule->gpus_per_node = 1;
    if (schedule->n_channels == 0) schedule->n_channels = 1;
    schedule->n_parts = schedule->n_channels;
    schedule->n_chunks = schedule->n_channels * n;
    schedule->n_steps = 2 * (n - 1);
    schedule->n_transfers = (int64_t)schedule->n_channels * n * schedule->n_steps;
    schedule->max_sends = schedule->n_channels;
    schedule->fixed_neighbours = schedule->n_channels == 1;
    schedule->n_phases = 2;
    schedule->phases[0] = (rs_phase_range){RS_SCATTER_REDUCE, 0};
    schedule->phases[1] = (rs_phase_range){RS_ALL_GATHER, n - 1};
    schedule->sends = sends;
    schedule->recvs = recvs;
    schedule->channel_sends = channel_sends;
    schedule->channel_recvs = channel_recvs;
}

static rs_status accepts(const rs_schedule *wanted, rs_error *error) {
    const int32_t g = wanted->gpus_per_node, n = wanted->n_ranks;
    if (g == 0 || n % g == 0) return RS_OK;
    return rs_fail(error, RS_BAD_INPUT,
                   "rings: %d GPUs cannot be cut into nodes of %d; take a divisor of %d", (int)n,
                   (int)g, (int)n);
}

static int64_t closed_form_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                              const rs_net *net) {
    const int32_t n = schedule->n_ranks;
    const int64_t n_bytes = rs_chunk_first(schedule, count, 1) * elem_bytes;
    if (schedule->n_channels > 1) return -1;
    return 2 * (n - 1) * message_ps(net, n_bytes) + (n - 1) * addition_ps(net, n_bytes);
}

const rs_algorithm rs_rings = {
    .name = "rings",
    .summary = N_("a ring on each channel, each leaves a node by another GPU"),
    .make = make,
    .closed_form_ps = closed_form_ps,
    .own_channels = true,
    .accepts = accepts,
};
