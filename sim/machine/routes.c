/* routes.c: which wires carry a transfer.
 *
 *     the first class that has a way:  NVLink, through no GPU      NVLink, through one GPU
 *                                      anything, through no GPU    anything
 *     in a class, one after the other: the best worst kind of link, the fewest links,
 *                                      the widest narrowest link, the least list of link numbers
 *
 *   - A search goes out from a source, by the links of one class and up to one kind, until it meets the
 *     destination; the next destination of the same source goes on where it stopped. So all routes of a
 *     GPU cost one walk through the machine.
 *   - Where one GPU may be passed, a device is two places: before that GPU, and after it.
 *   - The shortest ways to a destination are a net without circles. Walked back from the destination,
 *     it tells for each place how wide the rest can be, and how many equally wide ways there are: so
 *     the way of any number is found without listing the others.
 */
#include "machine/ringsim_machine.h"

#include <assert.h>

enum { N_SEARCHES = 9, ANY_NUMBER = INT32_MAX };

/* The searches in the order in which they are asked. */
static const struct {
    rs_link_kind worst;   /* kind of link */
    int32_t most_through; /* GPUs that may be passed */
} allowed[N_SEARCHES] = {
    {RS_NVLINK, 0},        {RS_NVLINK, 1},       {RS_PCIE, 0},
    {RS_CPU, 0},           {RS_NET, 0},          {RS_NVLINK, ANY_NUMBER},
    {RS_PCIE, ANY_NUMBER}, {RS_CPU, ANY_NUMBER}, {RS_NET, ANY_NUMBER},
};

/* How far a search came. A place is a device, or n_devices + a device after the GPU that was passed. */
typedef struct search {
    int32_t src; /* -1: none */
    int32_t round;
    int32_t *seen;     /* [n_places] the round in which the place was found */
    int32_t *distance; /* [n_places] links from the source */
    int32_t *queue;    /* [n_places] places to go on from */
    int32_t head, tail;
} search;

struct rs_router {
    const rs_machine *machine;
    search searches[N_SEARCHES];
    int32_t round;
    int32_t *collected;  /* [n_places] round in which a place is on a way to the destination */
    uint64_t *width_Bps; /* [n_places] of the best rest of the way */
    int64_t *n_ways;     /* [n_places] */
    int32_t *back;       /* [n_places] the places collected, the destination's first */
    int32_t *wires;      /* [n_devices] the route found last */
};

static int32_t n_places(const rs_machine *machine) {
    return 2 * machine->n_devices;
}

rs_status rs_router_new(const rs_machine *machine, rs_arena *arena, rs_error *error,
                        rs_router **router) {
    const size_t n = (size_t)n_places(machine);
    rs_router *made = rs_alloc(arena, 1, sizeof *made);
    int32_t *rooms = rs_alloc(arena, 3 * N_SEARCHES * n, sizeof *rooms);
    if (made != NULL) {
        *made = (rs_router){
            .machine = machine,
            .collected = rs_alloc(arena, n, sizeof *made->collected),
            .width_Bps = rs_alloc(arena, n, sizeof *made->width_Bps),
            .n_ways = rs_alloc(arena, n, sizeof *made->n_ways),
            .back = rs_alloc(arena, n, sizeof *made->back),
            .wires = rs_alloc(arena, n, sizeof *made->wires),
        };
    }
    if (made == NULL || !rooms || !made->collected || !made->width_Bps || !made->n_ways ||
        !made->back || !made->wires) {
        return rs_no_memory(error);
    }
    for (int i = 0; i < N_SEARCHES; i++, rooms += 3 * n) {
        made->searches[i] =
            (search){.src = -1, .seen = rooms, .distance = rooms + n, .queue = rooms + 2 * n};
    }
    *router = made;
    return RS_OK;
}

/* ------------------------------------------------------------------ a search */

static void visit(search *s, int32_t place, int32_t distance) {
    s->seen[place] = s->round;
    s->distance[place] = distance;
    s->queue[s->tail++] = place;
}

/* Makes a search begin at a source, unless it has. */
static void begin_at(search *s, int32_t src) {
    if (s->src == src) return;
    s->src = src;
    s->round++;
    s->head = s->tail = 0;
    visit(s, src, 0);
}

/* Returns where one comes to from a place by a link; -1: not allowed. */
static int32_t place_beyond(const rs_machine *machine, int kind_of_search, const search *s,
                            int32_t place, const rs_machine_link *link) {
    const int32_t n = machine->n_devices, most = allowed[kind_of_search].most_through;
    const int32_t device = place < n ? place : place - n;
    if (link->kind > allowed[kind_of_search].worst || link->cut) return -1;
    const bool passes = device < machine->n_gpus && device != s->src;
    const int32_t beyond = link->a == device ? link->b : link->a;
    if (!passes || most == ANY_NUMBER) return beyond + (place - device);
    return most == 0 || place >= n ? -1 : beyond + n;
}

/* Goes on until a device is found; returns its place, -1: there is no way. */
static int32_t search_for(const rs_machine *machine, int kind_of_search, search *s, int32_t dst) {
    const int32_t n = machine->n_devices;
    while (s->seen[dst] != s->round && s->seen[dst + n] != s->round) {
        if (s->head == s->tail) return -1;
        const int32_t place = s->queue[s->head++], device = place < n ? place : place - n;
        for (int32_t i = machine->at_first[device]; i < machine->at_first[device + 1]; i++) {
            const int32_t next =
                place_beyond(machine, kind_of_search, s, place, &machine->links[machine->at[i]]);
            if (next < 0 || s->seen[next] == s->round) continue;
            visit(s, next, s->distance[place] + 1);
        }
    }
    const bool before = s->seen[dst] == s->round, after = s->seen[dst + n] == s->round;
    if (before && after) return s->distance[dst] <= s->distance[dst + n] ? dst : dst + n;
    return before ? dst : dst + n;
}

/* ------------------------------------------------------------------ all shortest ways */

/* Tells whether a link from `place` to `next` is a step of a shortest way. */
static bool is_step(const rs_machine *machine, int kind_of_search, const search *s, int32_t place,
                    const rs_machine_link *link, int32_t next) {
    return s->seen[place] == s->round && s->seen[next] == s->round &&
           s->distance[place] + 1 == s->distance[next] &&
           place_beyond(machine, kind_of_search, s, place, link) == next;
}

static void collect(rs_router *router, int32_t place, int32_t *n) {
    if (router->collected[place] == router->round) return;
    router->collected[place] = router->round;
    router->width_Bps[place] = 0;
    router->n_ways[place] = 0;
    router->back[(*n)++] = place;
}

/* Collects the places of all shortest ways to `end`, the farthest from the source first, and how wide
   the rest of the way can be from each. Returns how many they are. */
static int32_t collect_ways(rs_router *router, int kind_of_search, const search *s, int32_t end) {
    const rs_machine *machine = router->machine;
    const int32_t n_devices = machine->n_devices;
    int32_t n = 0;
    router->round++;
    collect(router, end, &n);
    router->width_Bps[end] = UINT64_MAX;
    for (int32_t k = 0; k < n; k++) {
        const int32_t place = router->back[k];
        const int32_t device = place < n_devices ? place : place - n_devices;
        for (int32_t i = machine->at_first[device]; i < machine->at_first[device + 1]; i++) {
            const rs_machine_link *link = &machine->links[machine->at[i]];
            const int32_t before = link->a == device ? link->b : link->a;
            for (int layer = 0; layer < 2; layer++) {
                const int32_t from = before + layer * n_devices;
                if (!is_step(machine, kind_of_search, s, from, link, place)) continue;
                collect(router, from, &n);
                uint64_t width = router->width_Bps[place];
                if (link->bandwidth_Bps < width) width = link->bandwidth_Bps;
                if (width > router->width_Bps[from]) router->width_Bps[from] = width;
            }
        }
    }
    return n;
}

/* Counts, for each place collected, the ways to the end whose links have at least `least_Bps`. */
static void count_ways(rs_router *router, int kind_of_search, const search *s, int32_t n,
                       uint64_t least_Bps) {
    const rs_machine *machine = router->machine;
    const int32_t n_devices = machine->n_devices;
    router->n_ways[router->back[0]] = 1;
    for (int32_t k = 1; k < n; k++) {
        const int32_t place = router->back[k];
        const int32_t device = place < n_devices ? place : place - n_devices;
        int64_t ways = 0;
        for (int32_t i = machine->at_first[device]; i < machine->at_first[device + 1]; i++) {
            const rs_machine_link *link = &machine->links[machine->at[i]];
            const int32_t next = place_beyond(machine, kind_of_search, s, place, link);
            if (link->bandwidth_Bps < least_Bps || next < 0 ||
                router->collected[next] != router->round ||
                !is_step(machine, kind_of_search, s, place, link, next)) {
                continue;
            }
            const int64_t more = router->n_ways[next];
            ways = ways > INT64_MAX - more ? INT64_MAX : ways + more;
        }
        router->n_ways[place] = ways;
    }
}

/* Walks the way of a number, and writes down its wires; returns how many. */
static int32_t walk(rs_router *router, int kind_of_search, const search *s, int32_t end,
                    uint64_t least_Bps, int64_t number) {
    const rs_machine *machine = router->machine;
    const int32_t n_devices = machine->n_devices;
    int32_t place = s->src, n = 0;
    while (place != end) {
        const int32_t device = place < n_devices ? place : place - n_devices, last = place;
        for (int32_t i = machine->at_first[device];; i++) {
            assert(i < machine->at_first[device + 1]);
            const rs_machine_link *link = &machine->links[machine->at[i]];
            const int32_t next = place_beyond(machine, kind_of_search, s, place, link);
            if (link->bandwidth_Bps < least_Bps || next < 0 ||
                router->collected[next] != router->round ||
                !is_step(machine, kind_of_search, s, place, link, next)) {
                continue;
            }
            if (number >= router->n_ways[next]) {
                number -= router->n_ways[next];
                continue;
            }
            router->wires[n++] = 2 * machine->at[i] + (!link->shared && link->b == device);
            place = next;
            break;
        }
        assert(place != last);
    }
    return n;
}

/* ------------------------------------------------------------------ a route */

static bool is_whole(const rs_machine *machine, const rs_machine_route *route) {
    for (int32_t i = 0; i < route->n_hops; i++) {
        if (machine->links[machine->hops[route->first + i]].cut) return false;
    }
    return true;
}

/* Finds a route that the description insists on; NULL: it says nothing of these two, or a link is cut. */
static const rs_machine_route *given_route(const rs_machine *machine, int32_t src, int32_t dst) {
    int32_t low = 0, high = machine->n_routes;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const rs_machine_route *at = &machine->routes[middle];
        if (at->src == src && at->dst == dst) return is_whole(machine, at) ? at : NULL;
        if (at->src < src || (at->src == src && at->dst < dst)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

static void follow(rs_router *router, const rs_machine_route *given, rs_route *route) {
    const rs_machine *machine = router->machine;
    int32_t device = given->src;
    for (int32_t i = 0; i < given->n_hops; i++) {
        const int32_t at = machine->hops[given->first + i];
        const rs_machine_link *link = &machine->links[at];
        router->wires[i] = 2 * at + (!link->shared && link->b == device);
        device = link->a == device ? link->b : link->a;
    }
    *route = (rs_route){.wires = router->wires, .n_wires = given->n_hops, .n_ways = 1};
}

rs_status rs_router_find(rs_router *router, int32_t src, int32_t dst, int32_t channel,
                         rs_error *error, rs_route *route) {
    const rs_machine *machine = router->machine;
    assert(src >= 0 && src < machine->n_gpus && dst >= 0 && dst < machine->n_gpus && src != dst);
    assert(channel >= 0);
    const rs_machine_route *given = given_route(machine, src, dst);
    if (given != NULL) {
        follow(router, given, route);
        return RS_OK;
    }
    for (int i = 0; i < N_SEARCHES; i++) {
        search *s = &router->searches[i];
        begin_at(s, src);
        const int32_t end = search_for(machine, i, s, dst);
        if (end < 0) continue;
        const int32_t n = collect_ways(router, i, s, end);
        const uint64_t width = router->width_Bps[src];
        count_ways(router, i, s, n, width);
        const int64_t n_ways = router->n_ways[src];
        const int32_t n_wires = walk(router, i, s, end, width, channel % n_ways);
        *route = (rs_route){.wires = router->wires, .n_wires = n_wires, .n_ways = n_ways};
        return RS_OK;
    }
    return rs_fail(error, RS_BAD_INPUT,
                   "machine %s: no way leads from %s to %s; add a link between their parts",
                   machine->name, machine->names[src], machine->names[dst]);
}
