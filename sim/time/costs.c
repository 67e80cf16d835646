/* costs.c: what each message and each addition of a job costs, in whole picoseconds. */
#include "time/costs.h"
#include "ringsim.h"

#include <assert.h>

/* ------------------------------------------------------------------ what a message costs on a link, in whole picoseconds */

__extension__ typedef unsigned __int128 unsigned_wide; /* bytes x 10^12 x a factor passes 2^64 */

static const uint64_t ps_a_second = 1000000000000, root = 1000000; /* of ps_a_second */

/* Not inlined, so that the short way does not pay for it. */
__attribute__((noinline)) static int64_t long_way(uint64_t bytes, uint64_t bandwidth_Bps,
                                                  uint64_t num, uint64_t den) {
    const unsigned_wide top = (unsigned_wide)bytes * ps_a_second; /* < 2^103 */
    unsigned_wide ps;
    if (num == den) {
        ps = (top + bandwidth_Bps / 2) / bandwidth_Bps;
    } else {
        if (top > (~(unsigned_wide)0 >> 1) / num) return INT64_MAX;
        const unsigned_wide bottom = (unsigned_wide)bandwidth_Bps * den;
        ps = (top * num + bottom / 2) / bottom;
    }
    return ps > INT64_MAX ? INT64_MAX : (int64_t)ps;
}

int64_t rs_wire_ps(int64_t n_bytes, uint64_t bandwidth_Bps, uint64_t num, uint64_t den) {
    assert(n_bytes >= 0 && bandwidth_Bps >= 1 && num >= 1 && den >= 1);
    assert(num <= 1000000000 && den <= 1000000000);
    const uint64_t bytes = (uint64_t)n_bytes;
    if (num == den && bytes <= INT64_MAX / ps_a_second) {
        return (int64_t)((bytes * ps_a_second + bandwidth_Bps / 2) / bandwidth_Bps);
    }
    /* Long division in two digits, without `unsigned_wide`. */
    if (num == den && bytes <= UINT64_MAX / root && bandwidth_Bps <= UINT64_MAX / root / 2) {
        const uint64_t high = bytes * root / bandwidth_Bps, rest = bytes * root % bandwidth_Bps;
        const uint64_t low = (rest * root + bandwidth_Bps / 2) / bandwidth_Bps;
        if (high < (uint64_t)INT64_MAX / root) return (int64_t)(high * root + low);
    }
    return long_way(bytes, bandwidth_Bps, num, den);
}

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
    const int32_t first = costs->override_first[src];
    int32_t n = costs->override_first[src + 1] - first;
    if (n == 0) return &net->link;
    if (n == costs->n_ranks - 1) { /* one for each other rank */
        return &net->overrides[first + dst - (dst > src)].link;
    }
    const int32_t *at = &costs->override_dst[first];
    for (; n > 1; n -= n / 2) { /* a binary search without branches for the processor to guess */
        at += at[n / 2] <= dst ? n / 2 : 0;
    }
    return *at == dst ? &net->overrides[at - costs->override_dst].link : &net->link;
}

/* Not inlined, so that messages on links at normal speed do not pay for it. */
__attribute__((noinline)) static rs_cost slowed_down(const rs_link *link, rs_factor slow,
                                                     int64_t n_bytes) {
    return (rs_cost){rs_scale_ps(link->alpha_ps, slow),
                     rs_wire_ps(n_bytes, link->bandwidth_Bps, slow.num, slow.den)};
}

rs_cost rs_costs_message(const rs_costs *costs, int32_t src, int32_t dst, int64_t n_bytes) {
    const rs_link *link = find_link(costs, src, dst);
    if (costs->slow_link != NULL) return slowed_down(link, costs->slow_link[src], n_bytes);
    return (rs_cost){link->alpha_ps, rs_wire_ps(n_bytes, link->bandwidth_Bps, 1, 1)};
}

void rs_costs_link(const rs_costs *costs, int32_t src, int32_t dst, int64_t n_bytes,
                   int64_t *alpha_ps, int64_t *busy_ps) {
    const rs_cost cost = rs_costs_message(costs, src, dst, n_bytes);
    *alpha_ps = cost.alpha_ps;
    *busy_ps = cost.busy_ps;
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
