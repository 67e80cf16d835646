/* placing.c: which GPU each rank lives on.
 *
 *     block    rank r on GPU r
 *     cyclic   dealt out over the nodes in turn, as `mpirun --map-by node` does
 *     ring     neighbours near each other: node by node, each walked from its first GPU to whoever is nearest,
 *              then mended by turning pieces round while that makes the ring shorter (2-opt: Croes,
 *              Operations Research 6(6), 1958)
 *
 * How far two GPUs are: the worst kind of link of their route first, then its links, then its narrowest.
 */
#include "machine/ringsim_machine.h"

enum { MOST_MENDED = 128, MOST_ROUNDS = 64 }; /* GPUs of a node; so it ends in a second */

static void place_cyclic(const rs_machine *machine, int32_t first[], int32_t place[]) {
    int32_t n = 0;
    for (int32_t i = 0; i < machine->n_nodes; i++) first[i] = 0;
    while (n < machine->n_gpus) {
        for (int32_t node = 0; node < machine->n_nodes; node++) {
            int32_t gpu = first[node];
            while (gpu < machine->n_gpus && machine->node[gpu] != node) gpu++;
            first[node] = gpu + 1;
            if (gpu < machine->n_gpus) place[n++] = gpu;
        }
    }
}

/* Returns how far `to` is from `from`; far beyond all others: no way leads there. */
static int64_t distance(rs_router *router, const rs_machine *machine, int32_t from, int32_t to) {
    rs_route route;
    rs_error ignored;
    if (rs_router_find(router, from, to, 0, &ignored, &route) != RS_OK) return INT64_MAX / 1024;
    int64_t worst = 0;
    uint64_t width_Bps = UINT64_MAX;
    for (int32_t i = 0; i < route.n_wires; i++) {
        const rs_machine_link *link = &machine->links[route.wires[i] / 2];
        if (link->kind > worst) worst = link->kind;
        if (link->bandwidth_Bps < width_Bps) width_Bps = link->bandwidth_Bps;
    }
    const int64_t narrow = (int64_t)(10000000000000000U / width_Bps >> 10); /* 10 PB/s: 0 */
    return worst << 52 | (int64_t)route.n_wires << 36 |
           (narrow < 1LL << 36 ? narrow : (1LL << 36) - 1);
}

/* Turns pieces of ring[n] round while that shortens it; far[n * n] by places in `ring` at first. */
static void mend(int32_t ring[], int32_t n, const int64_t far[]) {
    bool better = true;
    for (int round = 0; better && round < MOST_ROUNDS; round++) {
        better = false;
        for (int32_t i = 0; i + 2 < n; i++) {
            for (int32_t j = i + 2; j < n && (i > 0 || j < n - 1); j++) {
                const int32_t a = ring[i], b = ring[i + 1], c = ring[j], d = ring[(j + 1) % n];
                if (far[a * n + c] + far[b * n + d] >= far[a * n + b] + far[c * n + d]) continue;
                for (int32_t low = i + 1, high = j; low < high; low++, high--) {
                    const int32_t kept = ring[low];
                    ring[low] = ring[high];
                    ring[high] = kept;
                }
                better = true;
            }
        }
    }
}

/* Puts the n GPUs of one node in the order of a short ring, the first one first. */
static void shorten(rs_router *router, const rs_machine *machine, int32_t gpus[], int32_t n,
                    int64_t far[], int32_t ring[]) {
    if (n > MOST_MENDED) return;
    for (int32_t i = 0; i < n; i++) {
        ring[i] = i;
        for (int32_t k = 0; k < n; k++) {
            far[i * n + k] = i == k ? 0 : distance(router, machine, gpus[i], gpus[k]);
        }
    }
    for (int32_t i = 1; i < n; i++) { /* the nearest next, of equals the lowest */
        int32_t best = i;
        for (int32_t k = i + 1; k < n; k++) {
            const int64_t here = far[ring[i - 1] * n + ring[k]],
                          least = far[ring[i - 1] * n + ring[best]];
            if (here < least || (here == least && ring[k] < ring[best])) best = k;
        }
        const int32_t kept = ring[i];
        ring[i] = ring[best];
        ring[best] = kept;
    }
    mend(ring, n, far);
    for (int32_t i = 0; i < n; i++) ring[i] = gpus[ring[i]];
    for (int32_t i = 0; i < n; i++) gpus[i] = ring[i];
}

static rs_status place_ring(const rs_machine *machine, rs_arena *arena, rs_error *error,
                            int32_t place[]) {
    rs_router *router;
    int64_t *far = rs_alloc(arena, (size_t)MOST_MENDED * MOST_MENDED, sizeof *far);
    int32_t *ring = rs_alloc(arena, MOST_MENDED, sizeof *ring);
    if (arena->lacked) return rs_no_memory(error);
    const rs_status status = rs_router_new(machine, arena, error, &router);
    int32_t n = 0;
    for (int32_t node = 0; status == RS_OK && node < machine->n_nodes; node++) {
        const int32_t first = n;
        for (int32_t gpu = 0; gpu < machine->n_gpus; gpu++) {
            if (machine->node[gpu] == node) place[n++] = gpu;
        }
        shorten(router, machine, &place[first], n - first, far, ring);
    }
    return status;
}

rs_status rs_place_ranks(const rs_machine *machine, rs_placing placing, rs_arena *arena,
                         rs_error *error, int32_t place[]) {
    if (placing == RS_PLACE_RING) return place_ring(machine, arena, error, place);
    for (int32_t r = 0; r < machine->n_gpus; r++) place[r] = r;
    if (placing == RS_PLACE_BLOCK) return RS_OK;
    int32_t *first = rs_alloc(arena, (size_t)machine->n_nodes, sizeof *first);
    if (first == NULL) return rs_no_memory(error);
    place_cyclic(machine, first, place);
    return RS_OK;
}

/* ------------------------------------------------------------------ and where they live, seen as nodes */

rs_status rs_ranks_in_nodes(const rs_machine *machine, const int32_t *place, int32_t n_ranks,
                            rs_arena *arena, rs_error *error, int32_t *gpus_per_node, bool *dealt) {
    bool *seen = rs_alloc(arena, (size_t)machine->n_nodes, sizeof *seen);
    int32_t *node = rs_alloc(arena, (size_t)n_ranks, sizeof *node);
    if (arena->lacked) return rs_no_memory(error);
    int32_t n_nodes = 0;
    for (int32_t r = 0; r < n_ranks; r++) {
        node[r] = machine->node[place == NULL ? r : place[r]];
        n_nodes += !seen[node[r]];
        seen[node[r]] = true;
    }
    const int32_t g = n_ranks / n_nodes;
    /* n_nodes blocks of one node each, and n_nodes nodes in all: no node has two. The same holds in turn. */
    bool blocks = n_ranks % n_nodes == 0, turns = blocks;
    for (int32_t r = 0; r < n_ranks; r++) {
        blocks = blocks && node[r] == node[r / g * g];
        turns = turns && node[r] == node[r % n_nodes];
    }
    if (!blocks && !turns) return RS_OK;
    *gpus_per_node = g;
    *dealt = !blocks;
    return RS_OK;
}
