/* ring_nics.c: of rings inside a node those of several nodes: a ring a NIC, which begins at the GPU nearest to it.
 *
 *     NIC -> nearest GPU -> ... along the ring ... -> last GPU -> over the ring's closing wires -> nearest GPU -> NIC
 */
#include "ring_nics.h"

#include <string.h>

/* The fewest links from a NIC to each device of its node; -1: none. */
static void measure(const rs_machine *m, int32_t nic, int32_t far[], int32_t queue[]) {
    int32_t n = 0;
    for (int32_t d = 0; d < m->n_devices; d++) far[d] = -1;
    far[nic] = 0;
    queue[n++] = nic;
    for (int32_t at = 0; at < n; at++) {
        const int32_t d = queue[at];
        for (int32_t i = m->at_first[d]; i < m->at_first[d + 1]; i++) {
            const rs_machine_link *l = &m->links[m->at[i]];
            const int32_t to = l->a == d ? l->b : l->a;
            if (l->cut || l->kind == RS_NET || far[to] >= 0) continue;
            far[to] = far[d] + 1;
            queue[n++] = to;
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
        if (far[i] < 0) continue;
        const bool nearer = far[best] < 0 || far[i] < far[best];
        if (nearer || (far[i] == far[best] && taken[i] < taken[best])) best = i;
    }
    return best;
}

static void turn(const int32_t ring[], int32_t g, int32_t first, int32_t turned[]) {
    int32_t at = 0;
    while (ring[at] != first) at++;
    for (int32_t i = 0; i < g; i++) turned[i] = ring[(at + i) % g];
}

rs_status rn_rings_at_nics(const rs_machine *m, rs_arena *arena, rs_error *error, rn_rings *rings) {
    const int32_t g = rings->n_gpus;
    int32_t *far = rs_alloc(arena, (size_t)m->n_devices, sizeof *far);
    int32_t *queue = rs_alloc(arena, (size_t)m->n_devices, sizeof *queue);
    int32_t *taken = rs_alloc(arena, (size_t)g, sizeof *taken);
    int32_t *order = rs_alloc(arena, (size_t)RN_MOST_RINGS * (size_t)g, sizeof *order);
    int32_t n = 0;
    if (far == NULL || queue == NULL || taken == NULL || order == NULL) {
        return rs_fail(error, RS_NO_MEMORY, "no memory for the machine's rings");
    }
    for (int32_t d = 0; d < m->n_devices && n < RN_MOST_RINGS; d++) {
        if (!is_nic(m, d)) continue;
        measure(m, d, far, queue);
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
