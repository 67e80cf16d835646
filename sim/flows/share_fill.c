/* share_fill.c: progressive filling of flows that hang together.
 *
 *     levels   what each wire has for each of its flows that still grow; the lowest is full first
 *     limits   what a flow's other wires allow it, the narrowest first
 */
#include "flows/share_state.h"

#include <stdlib.h>

/* ------------------------------------------------------------------ filling */

static bool is_below(const rs_level *a, const rs_level *b) {
    return a->share < b->share || (a->share == b->share && a->wire < b->wire);
}

static void sift_down(rs_level heap[], int32_t n, int32_t at) {
    const rs_level moved = heap[at];
    for (int32_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && is_below(&heap[child + 1], &heap[child])) child++;
        if (!is_below(&heap[child], &moved)) break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static rs_rate share_of(rs_share *share, const rs_wire *w) {
    const rs_rate n_grow = (uint32_t)w->n_grow;
    rs_division *done = &share->level;
    if (done->top != w->rest || done->bottom != n_grow) {
        *done = (rs_division){w->rest, n_grow, w->rest / n_grow};
    }
    return done->result;
}

static bool raise_levels(rs_share *share) {
    const int32_t n = share->part_wires.n;
    if (!rs_reserve(share->arena, &share->levels, n, &share->levels_room)) return false;
    for (int32_t i = 0; i < n; i++) {
        rs_wire *w = &share->wires[share->part_wires.items[i]];
        w->rest = w->capacity;
        w->n_grow = w->n_users;
        share->levels[i] = (rs_level){share_of(share, w), share->part_wires.items[i]};
    }
    share->n_levels = n;
    for (int32_t i = n / 2; i-- > 0;) sift_down(share->levels, n, i);
    return true;
}

RS_ORDER(by_width, rs_limit, widest, flow);

/* Sorts the flows by their own limits, the narrowest first. */
static bool line_up_limits(rs_share *share) {
    const int32_t n = share->part_flows.n;
    bool sorted = true;
    if (!rs_reserve(share->arena, &share->limits, n, &share->limits_room)) return false;
    for (int32_t i = 0; i < n; i++) {
        const int32_t number = share->part_flows.items[i];
        share->limits[i] = (rs_limit){share->flows[number].widest, number};
        if (i > 0 && share->limits[i].widest < share->limits[i - 1].widest) sorted = false;
    }
    if (!sorted) qsort(share->limits, (size_t)n, sizeof *share->limits, by_width);
    return true;
}

/* The least level whose wire is not full yet; NULL: none. Levels only rise, so a stale one is put right
   when it comes to the top. */
static const rs_level *lowest(rs_share *share) {
    while (share->n_levels > 0) {
        rs_level *top = &share->levels[0];
        const rs_wire *w = &share->wires[top->wire];
        if (w->n_grow == 0) {
            *top = share->levels[--share->n_levels];
        } else {
            const rs_rate now = share_of(share, w);
            if (now == top->share) return top;
            assert(now > top->share);
            top->share = now;
        }
        if (share->n_levels > 0) sift_down(share->levels, share->n_levels, 0);
    }
    return NULL;
}

/* Returns what `left` takes at a rate, to the nearest picosecond, halves up; INT64_MAX / 2: too long. */
static int64_t time_of(rs_bytes left, rs_rate rate) {
    const int64_t too_long = INT64_MAX / 2;
    rs_rate q, r;
    if (rate >> 96 != 0) { /* over 1 byte a ps: the bits below 2^-64 do not count */
        const rs_rate divisor = rate >> 32;
        q = (left + divisor / 2) / divisor;
        return q > (rs_rate)too_long ? too_long : (int64_t)q;
    }
    /* Long division in digits of 32 bits: rate < 2^96, so the remainder has room. */
    q = left / rate;
    r = left % rate;
    if (q >> 31 != 0) return too_long;
    q = (q << 32) + (r << 32) / rate;
    r = (r << 32) % rate;
    if (2 * r >= rate) q++;
    return q > (rs_rate)too_long ? too_long : (int64_t)q;
}

/* Returns what flows at a rate in dt_ps, which is no more than all that is left. */
static rs_bytes moved(rs_rate rate, int64_t dt_ps) {
    const rs_rate dt = (rs_rate)dt_ps;
    return (rate >> 32) * dt + (((rate & UINT32_MAX) * dt) >> 32);
}

/* The same; flows that are alike ask for the same again. */
static int64_t known_time_of(rs_share *share, rs_bytes left, rs_rate rate) {
    const uint64_t key = (uint64_t)(left >> 64) ^ (uint64_t)(rate >> 64) ^ (uint64_t)rate;
    const uint64_t place = key * 0x9e3779b97f4a7c15U >> (64 - RS_TIMES_BITS);
    rs_division *done = &share->times[place];
    if (done->top != left || done->bottom != rate) {
        *done = (rs_division){left, rate, (rs_rate)time_of(left, rate)};
    }
    return (int64_t)done->result;
}

void rs_share_set_rate(rs_share *share, rs_flow *f, rs_rate rate, int64_t now_ps) {
    assert(rate > 0);
    if (rate == f->rate) return;
    if (f->rate > 0) {
        const rs_bytes gone = moved(f->rate, now_ps - f->since_ps);
        f->left -= gone < f->left ? gone : f->left;
    }
    f->rate = rate;
    f->since_ps = now_ps;
    f->end_ps = now_ps + known_time_of(share, f->left, rate);
}

/* Freezes a flow at a rate, and takes that from its wires. */
static void freeze(rs_share *share, int32_t number, rs_rate rate, int64_t now_ps) {
    rs_flow *f = &share->flows[number];
    const rs_hop *hops = rs_hops(f);
    for (int32_t i = 0; i < f->n_hops; i++) {
        rs_wire *w = &share->wires[hops[i].wire];
        if (w->round != share->round) continue;
        assert(w->rest >= rate && w->n_grow > 0);
        w->rest -= rate;
        w->n_grow--;
    }
    f->round = share->round + 1; /* even: frozen */
    rs_share_set_rate(share, f, rate, now_ps);
}

bool rs_share_fill(rs_share *share, int64_t now_ps) {
    if (!raise_levels(share) || !line_up_limits(share)) return false;
    int32_t next = 0;
    const int32_t n = share->part_flows.n;
    for (;;) {
        while (next < n && share->flows[share->limits[next].flow].round != share->round) next++;
        if (next == n) return true;
        const rs_level *low = lowest(share);
        if (low == NULL || share->limits[next].widest <= low->share) {
            freeze(share, share->limits[next].flow, share->limits[next].widest, now_ps);
            continue;
        }
        const rs_rate rate = low->share;
        const rs_wire *w = &share->wires[low->wire];
        for (int32_t u = 0; u < w->n_users; u++) {
            const int32_t number = w->users[u].flow;
            if (share->flows[number].round == share->round) freeze(share, number, rate, now_ps);
        }
    }
}
