/* algo.h: what the algorithm files share. Private to sim/. */
#pragma once

#include "base/containers.h"
#include "ringsim.h"

#define N_(text) text /* marks a text for translation, where it is shown */

/* table.c: what rs_next_transfer and rs_elements_sent do for compiled schedules. */
bool rs_table_next(const rs_schedule *schedule, int32_t step, rs_cursor *cursor,
                   rs_transfer *transfer);
int64_t rs_table_elements_sent(const rs_schedule *schedule, int64_t count, int32_t rank);

/* schedule.c: refuses GPUs that cannot be cut into nodes of the size that is asked for; for `accepts`. */
rs_status rs_whole_nodes(const rs_schedule *wanted, rs_error *error);

/* schedule.c: refuses more GPUs than can each send to each; for `accepts`. */
rs_status rs_each_to_each(const rs_schedule *wanted, rs_error *error);

/* Returns what one message of n_bytes costs on the net's default link: alpha + b/B. */
static inline int64_t message_ps(const rs_net *net, int64_t n_bytes) {
    return net->link.alpha_ps + rs_wire_ps(n_bytes, net->link.bandwidth_Bps, 1, 1);
}

/* Returns what adding n_bytes costs. */
static inline int64_t addition_ps(const rs_net *net, int64_t n_bytes) {
    return net->reduce_Bps == 0 ? 0 : rs_wire_ps(n_bytes, net->reduce_Bps, 1, 1);
}

/* Returns what so many messages of n_bytes cost, and additions of as many, one after the other. */
static inline int64_t in_turn_ps(const rs_net *net, int64_t n_bytes, int64_t n_messages,
                                 int64_t n_additions) {
    return n_messages * message_ps(net, n_bytes) + n_additions * addition_ps(net, n_bytes);
}

/* Lets the next phase begin at a step. */
static inline void add_phase(rs_schedule *schedule, rs_phase phase, int32_t first_step) {
    schedule->phases[schedule->n_phases++] = (rs_phase_range){phase, first_step};
}

/* Returns the chunk that an element lies in; the inverse of rs_chunk_offset. */
static inline int32_t chunk_of_element(int64_t count, int32_t n_chunks, int64_t element) {
    const int64_t small = count / n_chunks, n_large = count % n_chunks;
    if (element < n_large * (small + 1)) return (int32_t)(element / (small + 1));
    return (int32_t)(n_large + (element - n_large * (small + 1)) / small);
}

/* Returns how many chunks a channel's part of the array has, where all channels are alike. */
static inline int32_t chunks_a_channel(const rs_schedule *schedule) {
    return schedule->n_channels > 1 ? schedule->n_chunks / schedule->n_channels
                                    : schedule->n_chunks;
}

/* Returns the rank so many places ahead; of N, 0 <= ahead < N. */
static inline int32_t rank_ahead(const rs_schedule *schedule, int32_t rank, int32_t ahead) {
    const int32_t n = schedule->n_ranks;
    return rank + ahead < n ? rank + ahead : rank + ahead - n;
}

/* Returns how many places after the root a rank stands: (rank - root) mod N. */
static inline int32_t from_root(const rs_schedule *schedule, int32_t rank) {
    const int32_t v = rank - schedule->root;
    return v < 0 ? v + schedule->n_ranks : v;
}

/* Returns the rank that stands so many places after the root; the inverse. */
static inline int32_t behind_root(const rs_schedule *schedule, int32_t v) {
    const int32_t rank = v + schedule->root;
    return rank < schedule->n_ranks ? rank : rank - schedule->n_ranks;
}

/* Returns a rank's seat: its number if the ranks of each node followed each other, in nodes of gpus_per_node. */
static inline int32_t seat_of(const rs_schedule *schedule, int32_t rank) {
    const int32_t g = schedule->gpus_per_node, m = schedule->n_ranks / g;
    return schedule->dealt ? rank % m * g + rank / m : rank;
}

/* Returns the rank in a seat; the inverse. */
static inline int32_t rank_in(const rs_schedule *schedule, int32_t seat) {
    const int32_t g = schedule->gpus_per_node, m = schedule->n_ranks / g;
    return schedule->dealt ? seat % g * m + seat / g : seat;
}

/* Tells whether shard r of the array is rank r's. */
static inline bool is_sharded(rs_collective of) {
    return of == RS_COLL_REDUCE_SCATTER || of == RS_COLL_ALL_GATHER;
}

/* Returns the smallest L with 2^L >= n, for n >= 1. */
static inline int32_t ceil_log2(int32_t n) {
    return n == 1 ? 0 : rs_floor_log2(n - 1) + 1;
}
