/* doubled.c: see doubled.h. */
#include "schedule/doubled.h"

static bool is_power(int32_t n) {
    return (n & (n - 1)) == 0;
}

int rs_doubled_sent(const rs_schedule *schedule, int32_t k, int32_t src, rs_transfer out[]) {
    const int32_t n = schedule->n_ranks, b = 1 << k;
    const bool power = is_power(n);
    const int32_t back = src - b < 0 ? src - b + n : src - b;
    const int32_t first = power ? src & ~(b - 1) : src, all = power || b <= n - b ? b : n - b;
    const int32_t straight = all < n - first ? all : n - first;
    rs_transfer t = {.src = src, .dst = power ? src ^ b : back, .effect = RS_COPY};
    t.chunk = first, t.n_chunks = straight, t.order = 2 * src;
    out[0] = t;
    if (straight == all) return 1;
    t.chunk = 0, t.n_chunks = all - straight, t.order = 2 * src + 1;
    out[1] = t;
    return 2;
}

int rs_doubled_received(const rs_schedule *schedule, int32_t k, int32_t dst, rs_transfer out[]) {
    const int32_t n = schedule->n_ranks, b = 1 << k;
    return rs_doubled_sent(schedule, k, is_power(n) ? dst ^ b : (dst + b) % n, out);
}

void rs_doubled_cut(rs_schedule *schedule, rs_phase phase) {
    const int32_t n = schedule->n_ranks;
    schedule->n_chunks = n;
    schedule->n_steps = ceil_log2(n);
    schedule->max_sends = is_power(n) ? 1 : 2;
    for (int32_t k = 0; k < schedule->n_steps; k++) { /* of N > 2^L the last all - 1 send two */
        const int32_t b = 1 << k, all = b <= n - b ? b : n - b;
        if (all > schedule->max_run) schedule->max_run = all;
        schedule->n_transfers += n + (is_power(n) ? 0 : all - 1);
    }
    add_phase(schedule, phase, 0);
}

int64_t rs_doubled_ps(const rs_schedule *schedule, int64_t count, int32_t elem_bytes,
                      const rs_net *net, bool reduce) {
    int64_t time_ps = 0;
    if (!is_power(schedule->n_ranks)) return -1;
    for (int32_t k = 0; k < schedule->n_steps; k++) {
        const int64_t n_bytes = rs_chunk_first(schedule, count, 1 << k) * elem_bytes;
        time_ps += in_turn_ps(net, n_bytes, 1, reduce ? 1 : 0);
    }
    return time_ps;
}
