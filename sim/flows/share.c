/* share.c: who has which rate, until when: flows come and go; who hangs together, and what everybody gets. */
#include "flows/numbers.h"
#include "flows/share.h"

#include <assert.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ flows and wires under way */

__extension__ typedef unsigned __int128 rs_bytes; /* 2^-64 bytes */

enum { RS_NONE = -1 };

/* A flow on one of its wires. */
typedef struct rs_hop {
    int32_t wire, place; /* users[place] of the wire */
} rs_hop;

enum { RS_NEAR_HOPS = 4, RS_NEAR_USERS = 3 };

/* Two cache lines: what finding who hangs together reads, and what a new rate does. */
typedef struct rs_flow {
    rs_hop near[RS_NEAR_HOPS]; /* its wires, if there are no more */
    rs_hop *far;               /* [room] otherwise */
    int64_t end_ps;            /* RS_NONE: it does not flow */
    int32_t n_hops, room;
    uint32_t round;       /* in which it was filled last */
    int32_t next;         /* free: the next number that is */
    rs_rate rate, widest; /* rate 0: it has begun, and has none yet */
    rs_bytes left;        /* at since_ps */
    int64_t since_ps;     /* since when it has this rate */
    int64_t asked_ps;     /* the event that it asked for last; RS_NONE: nothing */
} rs_flow;
static_assert(sizeof(rs_flow) == 128, "a flow is two cache lines");

typedef struct rs_user {
    int32_t flow, hop;
} rs_user;

/* Two cache lines: whether it is tight and who is on it; what filling and the end of a flow change. */
typedef struct rs_wire {
    rs_rate capacity, asked; /* by all its flows, each at its widest */
    rs_user *users;          /* [room]; at first `near` */
    int32_t n_users, room;
    uint32_t round; /* in which it was filled last */
    int32_t n_grow; /* while filling: users not yet frozen */
    bool touched;   /* in the list of those that a flow left */
    rs_rate rest;   /* while filling: what is not given away */
    rs_wire_use use;
    int64_t busy_since_ps; /* with users */
    rs_user near[RS_NEAR_USERS];
} rs_wire;
static_assert(sizeof(rs_wire) == 128, "a wire is two cache lines");

/* A wire while a part is filled: by what each of its flows may have, the least first. */
typedef struct rs_level {
    rs_rate share;
    int32_t wire;
} rs_level;
typedef struct rs_limit { /* a flow's own */
    rs_rate widest;
    int32_t flow;
} rs_limit;

/* A division that was done lately. */
typedef struct rs_division {
    rs_rate top, bottom; /* bottom 0: none */
    rs_rate result;
} rs_division;
enum { RS_TIMES_BITS = 6 };

struct rs_share {
    rs_wire *wires;
    rs_flow *flows;
    int32_t n_flows, flows_room; /* ever taken */
    int32_t free;                /* a chain */
    uint32_t round;
    rs_numbers fresh;                  /* flows that have begun since the rates were computed */
    rs_numbers touched;                /* wires that flows have left, and others are on */
    rs_numbers part_flows, part_wires; /* what is filled together */
    rs_level *levels;                  /* [levels_room] a heap */
    rs_limit *limits;                  /* [limits_room] */
    int32_t n_levels, levels_room, limits_room;
    rs_division level; /* done last: the same again where flows are alike */
    rs_division times[1 << RS_TIMES_BITS];
    rs_arena *arena;
};

/* Returns the wires of a flow: [n_hops]. */
static inline rs_hop *rs_hops(rs_flow *f) {
    return f->n_hops > RS_NEAR_HOPS ? f->far : f->near;
}

/* Tells whether a wire may be too narrow for its flows: then they depend on each other. */
static inline bool rs_is_tight(const rs_wire *w) {
    return w->n_users > 1 && w->asked > w->capacity;
}

/* ------------------------------------------------------------------ progressive filling */

/* Progressive filling of flows that hang together.
 *
 *     levels   what each wire has for each of its flows that still grow; the lowest is full first
 *     limits   what a flow's other wires allow it, the narrowest first
 */

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

/* Gives a flow its rate from now on. */
static void set_rate(rs_share *share, rs_flow *f, rs_rate rate, int64_t now_ps) {
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
    set_rate(share, f, rate, now_ps);
}

/* Fills the part that was collected: gives each of its flows its rate. False: no memory. */
static bool fill_part(rs_share *share, int64_t now_ps) {
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

/* ------------------------------------------------------------------ memory */

rs_status rs_share_new(const rs_rate capacity[], int32_t n_wires, rs_arena *arena, rs_error *error,
                       rs_share **share) {
    rs_share *made = rs_alloc(arena, 1, sizeof *made);
    rs_wire *wires = rs_alloc(arena, (size_t)n_wires, sizeof *wires);
    if (made == NULL || wires == NULL) return rs_no_memory(error);
    for (int32_t i = 0; i < n_wires; i++) {
        wires[i].capacity = capacity[i];
        wires[i].users = wires[i].near;
        wires[i].room = RS_NEAR_USERS;
    }
    *made = (rs_share){
        .wires = wires,
        .free = RS_NONE,
        .touched = {.items = rs_alloc(arena, (size_t)n_wires, sizeof(int32_t)), .room = n_wires},
        .arena = arena,
    };
    if (made->touched.items == NULL) return rs_no_memory(error);
    *share = made;
    return RS_OK;
}

int32_t rs_share_take(rs_share *share) {
    int32_t number = share->free;
    if (number != RS_NONE) {
        share->free = share->flows[number].next;
        return number;
    }
    if (!rs_reserve(share->arena, &share->flows, share->n_flows + 1, &share->flows_room)) {
        return RS_NONE;
    }
    number = share->n_flows++;
    share->flows[number] = (rs_flow){.end_ps = RS_NONE, .asked_ps = RS_NONE};
    return number;
}

void rs_share_release(rs_share *share, int32_t number) {
    assert(share->flows[number].end_ps == RS_NONE);
    share->flows[number].next = share->free;
    share->free = number;
}

/* ------------------------------------------------------------------ wires */

bool rs_share_begin(rs_share *share, int32_t number, const rs_path *path, int64_t n_bytes,
                    int64_t now_ps) {
    rs_flow *f = &share->flows[number];
    assert(n_bytes > 0 && path->n_wires > 0);
    if (path->n_wires > RS_NEAR_HOPS &&
        !rs_reserve(share->arena, &f->far, path->n_wires, &f->room)) {
        return false;
    }
    f->n_hops = path->n_wires;
    rs_hop *hops = rs_hops(f);
    f->widest = path->widest;
    f->rate = 0;
    f->left = (rs_bytes)n_bytes << 64;
    f->end_ps = INT64_MAX;
    f->asked_ps = RS_NONE;
    for (int32_t i = 0; i < path->n_wires; i++) {
        rs_wire *w = &share->wires[path->wires[i]];
        if (!rs_reserve(share->arena, &w->users, w->n_users + 1, &w->room)) return false;
        if (w->n_users == 0) w->busy_since_ps = now_ps;
        w->users[w->n_users] = (rs_user){number, i};
        hops[i] = (rs_hop){path->wires[i], w->n_users++};
        w->asked += f->widest;
    }
    return rs_numbers_add(&share->fresh, number, share->arena);
}

bool rs_share_ends(const rs_share *share, int32_t number, int64_t now_ps) {
    return share->flows[number].end_ps == now_ps;
}

void rs_share_end(rs_share *share, int32_t number, int64_t n_bytes, int64_t now_ps) {
    rs_flow *f = &share->flows[number];
    const rs_hop *hops = rs_hops(f);
    assert(f->end_ps != RS_NONE && f->rate > 0);
    for (int32_t i = 0; i < f->n_hops; i++) {
        rs_wire *w = &share->wires[hops[i].wire];
        const int32_t place = hops[i].place;
        if (rs_is_tight(w) && !w->touched) {
            w->touched = true;
            share->touched.items[share->touched.n++] = hops[i].wire;
        }
        if (place < --w->n_users) {
            const rs_user moved = w->users[w->n_users];
            w->users[place] = moved;
            rs_hops(&share->flows[moved.flow])[moved.hop].place = place;
        }
        w->asked -= f->widest;
        w->use.n_bytes += n_bytes;
        if (w->n_users == 0) w->use.busy_ps += now_ps - w->busy_since_ps;
    }
    f->end_ps = RS_NONE;
}

rs_rate rs_share_rate(const rs_share *share, int32_t number) {
    return share->flows[number].rate;
}

rs_wire_use rs_share_use(const rs_share *share, int32_t wire) {
    return share->wires[wire].use;
}

/* ------------------------------------------------------------------ what hangs together */

static bool visit(rs_share *share, int32_t number) {
    if (share->flows[number].round == share->round) return true;
    share->flows[number].round = share->round;
    return rs_numbers_add(&share->part_flows, number, share->arena);
}

/* Collects the flows that hang together with one, and the wires that join them; false: no memory. */
static bool collect(rs_share *share, int32_t number) {
    share->part_flows.n = share->part_wires.n = 0;
    if (!visit(share, number)) return false;
    for (int32_t k = 0; k < share->part_flows.n; k++) {
        rs_flow *f = &share->flows[share->part_flows.items[k]];
        const rs_hop *hops = rs_hops(f);
        for (int32_t i = 0; i < f->n_hops; i++) {
            rs_wire *w = &share->wires[hops[i].wire];
            if (w->round == share->round || !rs_is_tight(w)) continue;
            w->round = share->round;
            if (!rs_numbers_add(&share->part_wires, hops[i].wire, share->arena)) return false;
            for (int32_t u = 0; u < w->n_users; u++) {
                if (!visit(share, w->users[u].flow)) return false;
            }
        }
    }
    return true;
}

/* ------------------------------------------------------------------ who has which rate */

static bool is_alone(const rs_share *share, rs_flow *f) {
    const rs_hop *hops = rs_hops(f);
    for (int32_t i = 0; i < f->n_hops; i++) {
        if (rs_is_tight(&share->wires[hops[i].wire])) return false;
    }
    return true;
}

/* Asks for the event of a flow's end, unless it has been asked for. */
static void ask(rs_flow *f, int32_t number, const rs_share_calls *calls) {
    if (f->asked_ps == f->end_ps) return;
    f->asked_ps = f->end_ps;
    calls->ends(calls->engine, number, f->end_ps);
}

/* Reports those of the part that end now; returns whether there are any. */
static bool report_due(const rs_share *share, int64_t now_ps, const rs_share_calls *calls) {
    bool any = false;
    for (int32_t i = 0; i < share->part_flows.n; i++) {
        const int32_t at = share->part_flows.items[i];
        if (share->flows[at].end_ps != now_ps) continue;
        calls->due(calls->engine, at);
        any = true;
    }
    return any;
}

bool rs_share_find_due(rs_share *share, int32_t n, const rs_numbers *ended, int64_t now_ps,
                       const rs_share_calls *calls) {
    share->round += 2;
    for (int32_t i = 0; i < n; i++) {
        const int32_t number = ended->items[i]; /* the list may move while it grows */
        rs_flow *f = &share->flows[number];
        if (f->end_ps != now_ps || f->round == share->round || is_alone(share, f)) continue;
        if (!collect(share, number)) return false;
        report_due(share, now_ps, calls);
    }
    return true;
}

/* Fills what hangs together with a flow, unless it has been; or reports who ends now. */
static bool settle_part(rs_share *share, int32_t number, int64_t now_ps,
                        const rs_share_calls *calls, bool *are_due) {
    rs_flow *first = &share->flows[number];
    if (first->round >= share->round || first->end_ps == RS_NONE) return true;
    if (first->end_ps != now_ps && is_alone(share, first)) {
        set_rate(share, first, first->widest, now_ps);
        first->round = share->round + 1;
        ask(first, number, calls);
        return true;
    }
    if (!collect(share, number)) return false;
    if (report_due(share, now_ps, calls)) {
        *are_due = true;
        return true;
    }
    if (!fill_part(share, now_ps)) return false;
    first = &share->flows[share->part_flows.items[0]];
    for (int32_t i = 1; i < share->part_flows.n; i++) {
        rs_flow *f = &share->flows[share->part_flows.items[i]];
        if (f->end_ps < first->end_ps) first = f;
    }
    ask(first, (int32_t)(first - share->flows), calls);
    return true;
}

bool rs_share_settle(rs_share *share, int64_t now_ps, const rs_share_calls *calls) {
    bool are_due = false;
    share->round += 2;
    for (int32_t i = 0; i < share->fresh.n; i++) {
        if (!settle_part(share, share->fresh.items[i], now_ps, calls, &are_due)) return false;
    }
    for (int32_t i = 0; i < share->touched.n; i++) {
        const rs_wire *w = &share->wires[share->touched.items[i]];
        for (int32_t u = 0; u < w->n_users; u++) {
            if (!settle_part(share, w->users[u].flow, now_ps, calls, &are_due)) return false;
        }
    }
    if (are_due) return true;
    for (int32_t i = 0; i < share->touched.n; i++) {
        share->wires[share->touched.items[i]].touched = false;
    }
    share->fresh.n = share->touched.n = 0;
    return true;
}
