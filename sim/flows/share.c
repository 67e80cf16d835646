/* share.c: who has which rate, until when. */
#include "flows/share_state.h"

/* ------------------------------------------------------------------ memory */

rs_status rs_share_new(const rs_rate capacity[], int32_t n_wires, rs_arena *arena, rs_error *error,
                       rs_share **share) {
    rs_share *made = rs_alloc(arena, 1, sizeof *made);
    rs_wire *wires = rs_alloc(arena, (size_t)n_wires, sizeof *wires);
    if (made == NULL || wires == NULL) {
        return rs_no_memory(error);
    }
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
    if (made->touched.items == NULL) {
        return rs_no_memory(error);
    }
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
        rs_share_set_rate(share, first, first->widest, now_ps);
        first->round = share->round + 1;
        ask(first, number, calls);
        return true;
    }
    if (!collect(share, number)) return false;
    if (report_due(share, now_ps, calls)) {
        *are_due = true;
        return true;
    }
    if (!rs_share_fill(share, now_ps)) return false;
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
