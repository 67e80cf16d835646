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
#include "schedule/channels.h"

/* Returns who stands at a place of the channel's ring. */
static int32_t at_place(const rs_schedule *schedule, int32_t place, int32_t channel) {
    const int32_t g = schedule->gpus_per_node;
    return rank_in(schedule, place / g * g + (place % g + channel) % g);
}

/* The inverse. */
static int32_t place_of(const rs_schedule *schedule, int32_t rank, int32_t channel) {
    const int32_t g = schedule->gpus_per_node, seat = seat_of(schedule, rank);
    return seat / g * g + (seat % g + g - channel % g) % g;
}

static int sends(const rs_schedule *schedule, int32_t step, int32_t rank, int32_t channel,
                 rs_transfer out[]) {
    const int32_t n = schedule->n_ranks, place = place_of(schedule, rank, channel);
    const int32_t shift = schedule->order == RS_ORDER_NCCL ? 1 : 0;
    out[0] = (rs_transfer){
        .src = rank,
        .dst = at_place(schedule, (place + 1) % n, channel),
        .chunk = channel * n + (place - shift - step + 2 * n) % n,
        .n_chunks = 1,
        .order = rank * schedule->n_channels + channel,
        .effect = step < n - 1 ? RS_REDUCE : RS_COPY,
        .channel = (uint8_t)channel,
    };
    return 1;
}

static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, int32_t channel,
                 rs_transfer out[]) {
    const int32_t n = schedule->n_ranks, place = place_of(schedule, rank, channel);
    return sends(schedule, step, at_place(schedule, (place + n - 1) % n, channel), channel, out);
}

static const char rule[] =
    "int sends(int step, int rank, int n, rs_send out[]) {\n"
    "    int g = gpus_per_node, m = n / g;\n"
    "    int seat = dealt ? rank % m * g + rank / m : rank;\n"
    "    for (int c = 0; c < n_channels; c++) {\n"
    "        int place = seat / g * g + (seat + g - c % g) % g;\n"
    "        int next = (place + 1) % n, to = next / g * g + (next + c) % g;\n"
    "        if (dealt) to = to % g * m + to / g;\n"
    "        int chunk = c * n + mod(place - shift - step, n);\n"
    "        out[c] = (rs_send){to, chunk, 1, step >= n - 1};\n"
    "    }\n"
    "    return n_channels;\n"
    "}\n";

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
    add_phase(schedule, RS_SCATTER_REDUCE, 0);
    add_phase(schedule, RS_ALL_GATHER, n - 1);
    rs_channels_join(schedule, sends, recvs);
    schedule->rule = rule;
}

static int64_t closed_form_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                              const rs_net *net) {
    const int32_t n = schedule->n_ranks;
    if (schedule->n_channels > 1) return -1;
    return in_turn_ps(net, rs_chunk_first(schedule, count, 1) * elem_bytes, 2 * (n - 1), n - 1);
}

const rs_algorithm rs_rings = {
    .name = "rings",
    .summary = N_("a ring on each channel, each leaves a node by another GPU"),
    .make = make,
    .closed_form_ps = closed_form_ps,
    .own_channels = true,
    .accepts = rs_whole_nodes,
};
