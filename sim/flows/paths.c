/* paths.c: routes of ranks, with what faults make of their wires. */
#include "flows/paths.h"

#include <string.h>

enum { FEWEST_WAYS = 1 << 14, WAYS_A_RANK = 16, MOST_WAYS = 1 << 22, FIRST_PLACES = 1 << 10 };
static const uint64_t slowest_Bps = 1, fastest_Bps = 100000000000000000; /* with faults; 100 PB/s */

/* ------------------------------------------------------------------ wires */

/* Returns bandwidth x den / num, in 2^-96 bytes a picosecond, rounded down; 0: out of range. */
static rs_rate rate_of(uint64_t bandwidth_Bps, rs_factor slow) {
    const rs_rate top = (rs_rate)bandwidth_Bps * slow.den;     /* < 2^114 */
    const rs_rate bottom = (rs_rate)slow.num * 1000000000000U; /* < 2^100 */
    if (top / slow.num < slowest_Bps || top / slow.num > fastest_Bps) return 0;
    rs_rate rate = top / bottom, rest = top % bottom;
    for (int digit = 0; digit < 6; digit++) { /* of 16 bits */
        rest <<= 16;
        rate = rate << 16 | rest / bottom;
        rest %= bottom;
    }
    return rate;
}

/* Returns by what the links out of a device are slower: by the faults of the rank that lives there. */
static rs_factor factor_of(const rs_costs *costs, const int32_t *rank_at, int32_t device) {
    const rs_factor none = {1, 1};
    if (costs->slow_link == NULL || device >= costs->job->net.machine->n_gpus) return none;
    return rank_at[device] < 0 ? none : costs->slow_link[rank_at[device]];
}

static rs_factor times(rs_factor a, rs_factor b) {
    return (rs_factor){a.num * b.num, a.den * b.den}; /* each below 2^30 */
}

static rs_factor slower(rs_factor a, rs_factor b) {
    return a.num * b.den >= b.num * a.den ? a : b;
}

/* Sets one direction of a link. */
static bool set_wire(rs_paths *paths, int32_t number, const rs_machine_link *link, rs_factor slow) {
    const rs_factor reduced = slow.num == slow.den ? (rs_factor){1, 1} : slow;
    paths->capacity[number] = rate_of(link->bandwidth_Bps, reduced);
    paths->alpha_ps[number] = rs_scale_ps(link->alpha_ps, reduced);
    return paths->capacity[number] > 0;
}

static rs_status set_wires(rs_paths *paths, const rs_costs *costs, const int32_t *rank_at,
                           rs_error *error) {
    const rs_machine *machine = paths->machine;
    for (int32_t i = 0; i < machine->n_links; i++) {
        const rs_machine_link *link = &machine->links[i];
        const rs_factor own = {link->slow_num, link->slow_den};
        rs_factor out_of_a = factor_of(costs, rank_at, link->a);
        const rs_factor out_of_b = factor_of(costs, rank_at, link->b);
        if (link->shared) out_of_a = slower(out_of_a, out_of_b);
        if (set_wire(paths, 2 * i, link, times(own, out_of_a)) &&
            set_wire(paths, 2 * i + 1, link, times(own, out_of_b))) {
            continue;
        }
        return rs_fail(error, RS_TOO_LARGE,
                       "link %d, %s to %s: with its faults it has less than 1 B/s or more than "
                       "100 PB/s; take other factors",
                       (int)i, machine->names[link->a], machine->names[link->b]);
    }
    return RS_OK;
}

/* ------------------------------------------------------------------ ways */

rs_status rs_paths_new(const rs_costs *costs, int32_t n_channels, rs_arena *arena, rs_error *error,
                       rs_paths *paths) {
    const rs_machine *machine = costs->job->net.machine;
    const size_t n_wires = 2 * (size_t)machine->n_links, n_gpus = (size_t)machine->n_gpus;
    const int64_t most_ways = (int64_t)WAYS_A_RANK * costs->n_ranks * n_channels;
    int32_t *rank_at = rs_alloc(arena, n_gpus, sizeof *rank_at);
    rs_paths made = {
        .machine = machine,
        .place = costs->job->net.place,
        .schedule = costs->job->schedule,
        .n_wires = (int32_t)n_wires,
        .capacity = rs_alloc(arena, n_wires, sizeof *made.capacity),
        .alpha_ps = rs_alloc(arena, n_wires, sizeof *made.alpha_ps),
        .most_ways = most_ways < FEWEST_WAYS ? FEWEST_WAYS
                     : most_ways > MOST_WAYS ? MOST_WAYS
                                             : (int32_t)most_ways,
        .arena = arena,
    };
    if (!rank_at || !made.capacity || !made.alpha_ps) return rs_no_memory(error);
    for (size_t g = 0; g < n_gpus; g++) rank_at[g] = -1;
    for (int32_t r = 0; r < costs->n_ranks; r++) {
        rank_at[made.place == NULL ? r : made.place[r]] = r;
    }
    rs_status status = set_wires(&made, costs, rank_at, error);
    if (status == RS_OK) status = rs_router_new(machine, arena, error, &made.router);
    if (status == RS_OK) *paths = made;
    return status;
}

static uint32_t place_of(const rs_paths *paths, int32_t src, int32_t dst, int32_t channel) {
    uint64_t key = (uint64_t)(uint32_t)src << 32 | (uint32_t)dst;
    key = (key ^ (uint64_t)(uint32_t)channel << 20) * 0x9e3779b97f4a7c15U;
    return (uint32_t)(key >> 32) & (paths->n_places - 1);
}

/* Makes the table twice as large, so that it is half empty. */
static bool widen_table(rs_paths *paths) {
    const uint32_t n = paths->n_places == 0 ? FIRST_PLACES : 2 * paths->n_places;
    int32_t *table = rs_alloc(paths->arena, n, sizeof *table);
    if (table == NULL) return false;
    paths->table = table;
    paths->n_places = n;
    for (int32_t i = 0; i < paths->n_ways; i++) {
        const rs_way *way = &paths->ways[i];
        uint32_t place = place_of(paths, way->src, way->dst, way->channel);
        while (table[place] != 0) place = (place + 1) & (n - 1);
        table[place] = i + 1;
    }
    return true;
}

/* Takes a new way; NULL: no memory. */
static rs_way *take_way(rs_paths *paths) {
    if (paths->n_ways == paths->most_ways) {
        memset(paths->table, 0, paths->n_places * sizeof *paths->table);
        paths->n_ways = 0;
    }
    if (2 * (uint32_t)paths->n_ways >= paths->n_places && !widen_table(paths)) return NULL;
    if (!rs_reserve(paths->arena, &paths->ways, paths->n_ways + 1, &paths->ways_room)) return NULL;
    return &paths->ways[paths->n_ways];
}

static int32_t channel_of(const rs_paths *paths, const rs_transfer *t) {
    return paths->schedule->in_switch && t->effect == RS_COPY ? t->channel + RS_MAX_CHANNELS
                                                              : t->channel;
}

/* Keeps of a way what a message takes of it where the switch adds and copies. */
static rs_status join_in_switch(const rs_paths *paths, const rs_transfer *t, rs_way *way,
                                rs_error *error) {
    const rs_machine *machine = paths->machine;
    const bool adds = t->effect == RS_REDUCE;
    const int32_t behind = adds ? t->src - t->dst : t->dst - t->src, n = paths->schedule->n_ranks;
    rs_path *path = &way->path;
    int32_t up = 0;
    for (bool found = false; up < path->n_wires && !found; up++) {
        const rs_machine_link *link = &machine->links[way->wires[up] / 2];
        found = machine->reduces[way->wires[up] % 2 == 0 ? link->b : link->a];
    }
    if (up == path->n_wires) {
        return rs_fail(
            error, RS_UNSUPPORTED,
            "%s: no switch of %s that adds lies between rank %d and rank %d; two-shot needs none",
            paths->schedule->name, machine->name, (int)t->src, (int)t->dst);
    }
    if (behind == 1 || behind == 1 - n) { /* the whole way, and the own part */
        const int32_t n_wires = path->n_wires;
        for (int32_t i = adds ? up : 0; i < (adds ? n_wires : up); i++) {
            if (!machine->links[way->wires[i] / 2].shared)
                way->wires[path->n_wires++] = way->wires[i] ^ 1;
        }
    } else if (adds) {
        path->n_wires = up;
    } else {
        path->n_wires -= up;
        path->wires += up;
    }
    return RS_OK;
}

/* Looks for the route of a new way. */
static rs_status look_for(rs_paths *paths, const rs_transfer *t, rs_way *way, rs_error *error) {
    const int32_t from = paths->place == NULL ? t->src : paths->place[t->src];
    const int32_t to = paths->place == NULL ? t->dst : paths->place[t->dst];
    rs_route route;
    const rs_status status = rs_router_find(paths->router, from, to, t->channel, error, &route);
    if (status != RS_OK) return status;
    if (!rs_reserve(paths->arena, &way->wires, 2 * route.n_wires, &way->room)) {
        return rs_no_memory(error);
    }
    memcpy(way->wires, route.wires, (size_t)route.n_wires * sizeof *way->wires);
    way->path = (rs_path){.wires = way->wires, .n_wires = route.n_wires, .widest = ~(rs_rate)0};
    for (int32_t i = 0; i < route.n_wires; i++)
        way->path.alpha_ps += paths->alpha_ps[way->wires[i]];
    way->src = t->src;
    way->dst = t->dst;
    way->channel = channel_of(paths, t);
    const bool joined = paths->schedule->in_switch;
    const rs_status found = joined ? join_in_switch(paths, t, way, error) : RS_OK;
    for (int32_t i = 0; i < way->path.n_wires; i++) {
        const rs_rate capacity = paths->capacity[way->path.wires[i]];
        if (capacity < way->path.widest) way->path.widest = capacity;
    }
    return found;
}

static bool is_of(const rs_paths *paths, const rs_way *way, const rs_transfer *t) {
    return way->src == t->src && way->dst == t->dst && way->channel == channel_of(paths, t);
}

static rs_status find(rs_paths *paths, const rs_transfer *t, rs_error *error, rs_way **found) {
    uint32_t place = 0;
    if (paths->n_places > 0) {
        place = place_of(paths, t->src, t->dst, channel_of(paths, t));
        for (; paths->table[place] != 0; place = (place + 1) & (paths->n_places - 1)) {
            *found = &paths->ways[paths->table[place] - 1];
            if (is_of(paths, *found, t)) return RS_OK;
        }
    }
    rs_way *way = take_way(paths);
    if (way == NULL) return rs_no_memory(error);
    const rs_status status = look_for(paths, t, way, error);
    if (status != RS_OK) return status;
    /* the table may be another one now */
    place = place_of(paths, t->src, t->dst, channel_of(paths, t));
    while (paths->table[place] != 0) place = (place + 1) & (paths->n_places - 1);
    paths->table[place] = ++paths->n_ways;
    *found = way;
    return RS_OK;
}

rs_status rs_paths_find(rs_paths *paths, const rs_transfer *transfer, int32_t hint, rs_error *error,
                        const rs_way **found) {
    rs_way *way = hint < paths->n_ways ? &paths->ways[hint] : NULL;
    if (way == NULL || !is_of(paths, way, transfer)) {
        const rs_status status = find(paths, transfer, error, &way);
        if (status != RS_OK) return status;
    }
    *found = way;
    return RS_OK;
}
