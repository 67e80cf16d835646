/* ring_search.c: as many rings as the wires of a node carry: our own search.
 *
 *   - A ring takes its speed on every wire of every hop; a wire never carries more than its rate.
 *   - Over NVLink alone where that closes a ring; else over all that there is, but one or two rings, as over PCIe all go the
 *     same way.
 *   - The last ring again, then its reverse, then depth first: from GPU to GPU over the wire with most left; the nearest
 *     number where they are alike. A ring that is not found within some steps is given up.
 *   - Greedy choices can spoil a mesh: the search is tried again without repeating, and with ties broken otherwise, until
 *     it fills a GPU's wires. The same numbers in the same order each time.
 *   - Of all speeds the one with most in all; the fastest of those. NCCL tries none below 0.49 of what it has, and on AMD no
 *     second order where a ring passes between processors (src/graph/search.cc).
 */
#include "ringsim_rings.h"

#include <string.h>

enum { FAR = RS_MAX_MACHINE_DEVICES };

/* ------------------------------------------------------------------ rings of several nodes */

/* Of rings inside a node those of several nodes: a ring a NIC, which begins at the GPU nearest to it.
 *
 *     NIC -> nearest GPU -> ... along the ring ... -> last GPU -> over the ring's closing wires -> nearest GPU -> NIC
 */

/* The fewest links from a NIC to each device of its node; FAR: none leads there. */
static void measure(const rs_machine *m, int32_t nic, int32_t far[]) {
    for (int32_t d = 0; d < m->n_devices; d++) far[d] = d == nic ? 0 : FAR;
    for (bool nearer = true; nearer;) {
        nearer = false;
        for (int32_t wire = 0; wire < 2 * m->n_links; wire++) {
            const rs_machine_link *l = &m->links[wire / 2];
            const int32_t from = wire % 2 == 0 ? l->a : l->b, to = l->a + l->b - from;
            if (l->cut || l->kind == RS_NET || far[from] + 1 >= far[to]) continue;
            far[to] = far[from] + 1;
            nearer = true;
        }
    }
}

static bool is_nic(const rs_machine *m, int32_t device) {
    if (m->node[device] != 0) return false;
    for (int32_t i = m->at_first[device]; i < m->at_first[device + 1]; i++) {
        const rs_machine_link *l = &m->links[m->at[i]];
        if (l->kind == RS_NET && !l->cut) return true;
    }
    return false;
}

/* The nearest GPU; of those the one that fewest NICs have taken. */
static int32_t nearest(const int32_t far[], const int32_t taken[], int32_t g) {
    int32_t best = 0;
    for (int32_t i = 1; i < g; i++) {
        const bool alike = far[i] == far[best] && far[i] < FAR;
        if (far[i] < far[best] || (alike && taken[i] < taken[best])) best = i;
    }
    return best;
}

static void turn(const int32_t ring[], int32_t g, int32_t first, int32_t turned[]) {
    int32_t at = 0;
    while (ring[at] != first) at++;
    for (int32_t i = 0; i < g; i++) turned[i] = ring[(at + i) % g];
}

/* Makes a ring a NIC of the first node of the rings inside it, in the arena; their speed is the NICs' (GBps 0). Without NICs
   they stay. */
static rs_status rings_at_nics(const rs_machine *m, rs_arena *arena, rs_error *error,
                               rn_rings *rings) {
    const int32_t g = rings->n_gpus;
    int32_t *far = rs_alloc(arena, (size_t)m->n_devices, sizeof *far);
    int32_t *taken = rs_alloc(arena, (size_t)g, sizeof *taken);
    int32_t *order = rs_alloc(arena, (size_t)RN_MOST_RINGS * (size_t)g, sizeof *order);
    int32_t n = 0;
    if (arena->lacked) return rs_no_memory(error);
    for (int32_t d = 0; d < m->n_devices && n < RN_MOST_RINGS; d++) {
        if (!is_nic(m, d)) continue;
        measure(m, d, far);
        const int32_t first = nearest(far, taken, g);
        taken[first]++;
        turn(rings->order + n % rings->n_rings * g, g, first, order + n * g);
        n++;
    }
    if (n == 0) return RS_OK;
    rings->order = order;
    rings->n_rings = n;
    rings->GBps = 0;
    return RS_OK;
}

enum { MOST_STEPS = 4000, N_TRIES = 40, MOST_SEARCHED = 32, PCIE_RINGS = 2 };
static const double slack = 1e-6;

/* A hop's wires. */
typedef struct hop {
    int32_t *wires, n;
    bool nvlink, between; /* between: it passes from one processor to another */
} hop;

typedef struct searching {
    const rs_machine *machine;
    int32_t g;
    hop *hops;           /* [g][g] */
    double *rate, *left; /* [2 n_links] GB/s */
    int32_t *path;       /* [g] */
    bool *used;
    int32_t *orders, *best; /* [RN_MOST_RINGS][g] */
    double speed;
    bool nvlink_only;
    bool amd; /* the processors: rings that pass between two of them are all the same */
    int32_t steps;
    uint32_t noise; /* breaks ties; 0: by number */
} searching;

/* ------------------------------------------------------------------ hops and wires */

static double most_on(const searching *s, const hop *h) {
    double most = 1e9;
    for (int32_t i = 0; i < h->n; i++) {
        const double left = s->left[h->wires[i]];
        if (left < most) most = left;
    }
    return most;
}

static void take(searching *s, const hop *h, double GBps) {
    for (int32_t i = 0; i < h->n; i++) s->left[h->wires[i]] -= GBps;
}

static const hop *hop_of(const searching *s, int32_t from, int32_t to) {
    return &s->hops[from * s->g + to];
}

/* Takes a hop's share of its wires, if they have it. */
static bool try_hop(searching *s, int32_t from, int32_t to) {
    const hop *h = hop_of(s, from, to);
    take(s, h, s->speed);
    if (most_on(s, h) >= -slack) return true;
    take(s, h, -s->speed);
    return false;
}

static void give_back(searching *s, int32_t from, int32_t to) {
    take(s, hop_of(s, from, to), -s->speed);
}

/* ------------------------------------------------------------------ one ring */

static bool take_ring(searching *s, const int32_t order[]) {
    for (int32_t i = 0; i < s->g; i++) {
        if (try_hop(s, order[i], order[(i + 1) % s->g])) continue;
        while (i-- > 0) give_back(s, order[i], order[i + 1]);
        return false;
    }
    return true;
}

static uint32_t next_noise(searching *s) {
    s->noise = s->noise * 1664525U + 1013904223U;
    return s->noise >> 8;
}

/* What to try first from a GPU: the hop with most left. */
static int32_t sort_next(searching *s, int32_t from, int32_t next[]) {
    double key[MOST_SEARCHED];
    int32_t n = 0;
    for (int32_t k = 1; k < s->g; k++) {
        const int32_t to = (from + k) % s->g;
        if (s->used[to]) continue;
        const hop *h = hop_of(s, from, to);
        double rank = most_on(s, h);
        if (rank < s->speed - slack || (s->nvlink_only && !h->nvlink)) continue;
        if (s->noise != 0) rank += 1e-3 * (next_noise(s) % 1000) / 1000;
        int32_t at = n++;
        for (; at > 0 && key[at - 1] < rank; at--) {
            key[at] = key[at - 1];
            next[at] = next[at - 1];
        }
        key[at] = rank;
        next[at] = to;
    }
    return n;
}

/* Goes on from path[n - 1]; the wires of what is found stay taken. */
static bool go_on(searching *s, int32_t n) {
    int32_t next[MOST_SEARCHED];
    const int32_t from = s->path[n - 1];
    if (n == s->g) return try_hop(s, from, s->path[0]);
    if (s->steps++ > MOST_STEPS) return false;
    const int32_t n_next = sort_next(s, from, next);
    for (int32_t i = 0; i < n_next; i++) {
        if (!try_hop(s, from, next[i])) continue;
        s->used[next[i]] = true;
        s->path[n] = next[i];
        if (go_on(s, n + 1)) return true;
        s->used[next[i]] = false;
        give_back(s, from, next[i]);
    }
    return false;
}

static bool passes_between(const searching *s, const int32_t ring[]) {
    for (int32_t i = 0; i < s->g; i++) {
        if (hop_of(s, ring[i], ring[(i + 1) % s->g])->between) return true;
    }
    return false;
}

static bool find_ring(searching *s, const int32_t last[], bool repeats, int32_t ring[]) {
    const size_t n_bytes = (size_t)s->g * sizeof *ring;
    if (last != NULL && (repeats || s->amd)) {
        memcpy(ring, last, n_bytes);
        if (take_ring(s, ring)) return true;
        if (s->amd && passes_between(s, last)) return false;
        for (int32_t i = 1; i < s->g; i++) ring[i] = last[s->g - i];
        if (take_ring(s, ring)) return true;
    }
    memset(s->used, 0, (size_t)s->g * sizeof *s->used);
    s->path[0] = 0;
    s->used[0] = true;
    s->steps = 0;
    if (s->g > MOST_SEARCHED) {
        for (int32_t i = 0; i < s->g; i++) ring[i] = i;
        return (hop_of(s, 0, 1)->nvlink || !s->nvlink_only) && take_ring(s, ring);
    }
    if (!go_on(s, 1)) return false;
    memcpy(ring, s->path, n_bytes);
    return true;
}

/* ------------------------------------------------------------------ many rings */

static int32_t fill(searching *s, int32_t most, bool repeats) {
    int32_t n = 0;
    memcpy(s->left, s->rate, 2 * (size_t)s->machine->n_links * sizeof *s->left);
    while (n < most) {
        int32_t *ring = s->orders + n * s->g;
        if (!find_ring(s, n > 0 ? ring - s->g : NULL, repeats, ring)) break;
        n++;
    }
    return n;
}

/* No more rings than the links of the poorest GPU carry. */
static int32_t at_most(const searching *s, int32_t most) {
    const rs_machine *m = s->machine;
    for (int32_t gpu = 0; gpu < s->g; gpu++) {
        double n = 0;
        for (int32_t i = m->at_first[gpu]; i < m->at_first[gpu + 1]; i++) {
            const int32_t link = m->at[i];
            const rs_machine_link *l = &m->links[link];
            if (l->kind == RS_NET || (s->nvlink_only && l->kind != RS_NVLINK)) continue;
            n += (double)(int64_t)((s->rate[2 * link] + slack) / s->speed);
        }
        if (n < most) most = (int32_t)n;
    }
    return most;
}

/* The most rings of a speed; kept in s->best where they carry more than GBps in all. */
static int32_t search_speed(searching *s, double all_GBps, int32_t most) {
    int32_t n_best = 0;
    const int32_t limit = at_most(s, most);
    if (limit * s->speed <= all_GBps + slack) return 0;
    for (int32_t try = 0; try < N_TRIES && n_best < limit; try++) {
        s->noise = try < 2 ? 0 : (uint32_t)try;
        const int32_t n = fill(s, limit, try % 2 == 0);
        if (n <= n_best) continue;
        n_best = n;
        if (n * s->speed > all_GBps + slack) {
            memcpy(s->best, s->orders, (size_t)(n * s->g) * sizeof *s->best);
        }
        if (s->g > MOST_SEARCHED) break;
    }
    return n_best;
}

static void search_speeds(searching *s, const float speeds[], rn_rings *rings) {
    double all = 0;
    static const double far_slower = 0.49; /* NCCL goes on to no such speed (src/graph/search.cc) */
    for (int i = 0; speeds[i] > 0; i++) {
        if (rings->n_rings > 0 && speeds[i] <= far_slower * (double)rings->GBps) break;
        s->speed = speeds[i];
        const int32_t n = search_speed(s, all, s->nvlink_only ? RN_MOST_RINGS : PCIE_RINGS);
        if (n * s->speed <= all + slack) continue;
        all = n * s->speed;
        rings->n_rings = n;
        rings->GBps = speeds[i];
    }
}

/* What a single ring by number has, where even the slowest speed is too fast. */
static void slowest(searching *s, rn_rings *rings) {
    double GBps = 1e9;
    memset(s->left, 0, 2 * (size_t)s->machine->n_links * sizeof *s->left);
    for (int32_t i = 0; i < s->g; i++) {
        take(s, hop_of(s, i, (i + 1) % s->g), 1); /* left: below 0 by the hops on each wire */
        s->best[i] = i;
    }
    for (int32_t w = 0; w < 2 * s->machine->n_links; w++) {
        if (s->left[w] < 0 && s->rate[w] / -s->left[w] < GBps) GBps = s->rate[w] / -s->left[w];
    }
    rings->n_rings = 1;
    rings->GBps = (float)GBps;
}

/* ------------------------------------------------------------------ the node */

double rn_usable_GBps(const rs_machine_link *link) {
    static const double per_GB = 1e9;
    if (link->cut) return 0;
    return (double)link->bandwidth_Bps / per_GB * (double)link->slow_den / (double)link->slow_num;
}

rs_status rn_check_nodes(const rs_machine *machine, rs_error *error) {
    const int32_t g = machine->n_gpus / machine->n_nodes;
    if (machine->n_gpus < 2) {
        return rs_fail(error, RS_BAD_INPUT, "a collective needs two GPUs at least");
    }
    for (int32_t i = 0; i < machine->n_gpus; i++) {
        if (g * machine->n_nodes == machine->n_gpus && machine->node[i] == i / g) continue;
        return rs_fail(
            error, RS_UNSUPPORTED,
            "NCCL's rings are estimated where all nodes have the same number of GPUs, one node "
            "after another");
    }
    if (g <= RN_MOST_RING_GPUS) return RS_OK;
    return rs_fail(error, RS_TOO_LARGE, "a node has 512 GPUs at most here");
}

static rs_status keep_hop(const searching *s, const rs_route *route, rs_arena *arena,
                          rs_error *error, hop *h) {
    const size_t n = (size_t)route->n_wires;
    *h = (hop){rs_alloc(arena, n, sizeof *h->wires), route->n_wires, true, false};
    if (h->wires == NULL) return rs_no_memory(error);
    memcpy(h->wires, route->wires, n * sizeof *h->wires);
    for (int32_t i = 0; i < h->n; i++) {
        const uint8_t kind = s->machine->links[h->wires[i] / 2].kind;
        h->nvlink = h->nvlink && kind == RS_NVLINK;
        h->between = h->between || kind == RS_CPU;
    }
    return RS_OK;
}

/* GPUs pass on only where there is no other way: such a hop would take two wires of NVLink, and no ring needs it. */
static rs_status look_at_hops(searching *s, rs_arena *arena, rs_error *error) {
    rs_router *router;
    rs_status status = rs_router_new(s->machine, arena, error, &router);
    for (int32_t i = 0; i < s->g && status == RS_OK; i++) {
        for (int32_t k = 1; k < s->g && status == RS_OK; k++) {
            const int32_t to = (i + k) % s->g;
            rs_route route;
            if (s->g > MOST_SEARCHED && k > 1) break;
            status = rs_router_find(router, i, to, 0, error, &route);
            if (status == RS_OK) {
                status = keep_hop(s, &route, arena, error, &s->hops[i * s->g + to]);
            }
        }
    }
    return status;
}

static rs_status prepare(const rs_machine *machine, rs_arena *arena, rs_error *error,
                         searching *s) {
    const size_t n_wires = 2 * (size_t)machine->n_links + 1, g = (size_t)s->g;
    s->hops = rs_alloc(arena, g * g, sizeof *s->hops);
    s->rate = rs_alloc(arena, n_wires, sizeof *s->rate);
    s->left = rs_alloc(arena, n_wires, sizeof *s->left);
    s->path = rs_alloc(arena, g, sizeof *s->path);
    s->used = rs_alloc(arena, g, sizeof *s->used);
    s->orders = rs_alloc(arena, RN_MOST_RINGS * g, sizeof *s->orders);
    s->best = rs_alloc(arena, RN_MOST_RINGS * g, sizeof *s->best);
    if (arena->lacked) return rs_no_memory(error);
    for (int32_t i = 0; i < machine->n_links; i++) {
        s->rate[2 * i] = s->rate[2 * i + 1] = rn_usable_GBps(&machine->links[i]);
    }
    return look_at_hops(s, arena, error);
}

bool rn_rings_fit(const rs_machine *machine, const rn_rings *rings, rs_arena *arena) {
    searching s = {.machine = machine, .g = machine->n_gpus / machine->n_nodes};
    rs_error ignored;
    if (s.g != rings->n_gpus || s.g > MOST_SEARCHED ||
        prepare(machine, arena, &ignored, &s) != RS_OK) {
        return false;
    }
    s.speed = rings->GBps;
    memcpy(s.left, s.rate, 2 * (size_t)machine->n_links * sizeof *s.left);
    for (int32_t i = 0; i < rings->n_rings; i++) {
        if (!take_ring(&s, rings->order + i * s.g)) return false;
    }
    return true;
}

rs_status rn_rings_search(const rs_machine *machine, int32_t cc, bool amd, rs_arena *arena,
                          rs_error *error, rn_rings *rings) {
    searching s = {.machine = machine, .g = machine->n_gpus / machine->n_nodes, .amd = amd};
    rn_rings made = {.n_gpus = s.g};
    if (s.g == 1 && machine->n_nodes > 1) { /* inside its node a ring has no hop */
        static const int32_t alone[1] = {0};
        made.order = alone;
        made.n_rings = 1;
        *rings = made;
        return rings_at_nics(machine, arena, error, rings);
    }
    rs_status status = rn_check_nodes(machine, error);
    if (status == RS_OK) status = prepare(machine, arena, error, &s);
    if (status != RS_OK) return status;
    for (int nvlink = 1; nvlink >= 0 && made.n_rings == 0; nvlink--) {
        s.nvlink_only = nvlink == 1;
        search_speeds(&s, rn_ring_speeds(cc, true), &made);
        made.nvlink = s.nvlink_only;
    }
    if (made.n_rings == 0) slowest(&s, &made);
    made.order = s.best;
    *rings = made;
    return machine->n_nodes > 1 ? rings_at_nics(machine, arena, error, rings) : RS_OK;
}
