/* costs.c: what each message and each addition of a job costs, in whole picoseconds. */
#include "time/costs.h"

__extension__ typedef __int128 wide; /* picoseconds x a factor pass 2^63 */

int64_t rs_scale_ps(int64_t ps, rs_factor factor) {
    if (factor.num == factor.den) return ps;
    const wide scaled = ((wide)ps * (wide)factor.num + (wide)(factor.den / 2)) / (wide)factor.den;
    return scaled > INT64_MAX ? INT64_MAX : (int64_t)scaled;
}

static rs_factor factor_of(const rs_factor factors[], int32_t rank) {
    return factors == NULL ? (rs_factor){1, 1} : factors[rank];
}

static const rs_link *find_link(const rs_costs *costs, int32_t src, int32_t dst) {
    const rs_net *net = &costs->job->net;
    if (costs->override_first == NULL) return &net->link;
    const rs_link_override *at = &net->overrides[costs->override_first[src]];
    int32_t n = costs->override_first[src + 1] - costs->override_first[src];
    if (n == 0) return &net->link;
    if (n == costs->n_ranks - 1) return &at[dst - (dst > src)].link; /* one for each other rank */
    while (n > 1) { /* the same way whatever is found: no jump to guess wrong */
        const int32_t half = n / 2;
        at = at[half].dst <= dst ? at + half : at;
        n -= half;
    }
    return at->dst == dst ? &at->link : &net->link;
}

void rs_costs_link(const rs_costs *costs, int32_t src, int32_t dst, int64_t n_bytes,
                   int64_t *alpha_ps, int64_t *busy_ps) {
    const rs_link *link = find_link(costs, src, dst);
    const rs_factor slow = factor_of(costs->slow_link, src);
    *alpha_ps = rs_scale_ps(link->alpha_ps, slow);
    *busy_ps = rs_wire_ps(n_bytes, link->bandwidth_Bps, slow.num, slow.den);
}

int64_t rs_costs_addition(const rs_costs *costs, int32_t rank, int64_t n_bytes) {
    const uint64_t reduce_Bps = costs->job->net.reduce_Bps;
    const rs_factor slow = factor_of(costs->slow_reduce, rank);
    return reduce_Bps == 0 ? 0 : rs_wire_ps(n_bytes, reduce_Bps, slow.num, slow.den);
}

int64_t rs_costs_outage(const rs_costs *costs, int32_t src, int32_t step) {
    int32_t low = 0, high = costs->n_outages;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const rs_outage *outage = &costs->outages[middle];
        if (outage->src == src && outage->step == step) return outage->time_ps;
        if (outage->src < src || (outage->src == src && outage->step < step)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return 0;
}

int64_t rs_costs_bytes(const rs_costs *costs, const rs_transfer *transfer) {
    const rs_job *job = costs->job;
    return rs_transfer_count(job->schedule, job->count, transfer) * job->elem_bytes;
}
