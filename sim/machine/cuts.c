/* cuts.c: the least that separates a block of GPUs from the rest, as far as it is looked for (cuts.h). */
#include "machine/cuts.h"

#include <string.h>

enum { MOST_CUT_GPUS = 64, MOST_CUT_LINKS = 600, MOST_ROUTED_GPUS = 256 };

static bool counts(const rs_cuts *c, const rs_machine_link *link) {
    return !c->without_net || link->kind != RS_NET;
}

/* Links of more than 18 EB/s together count as that much: a cut is then larger than it could be. */
static uint64_t add(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* ------------------------------------------------------------------ cuts */

void rs_begin_block(rs_cuts *c) {
    c->round++;
    c->n_inside = 0;
}

void rs_join_block(rs_cuts *c, int32_t device) {
    if (c->inside[device] == c->round) return;
    c->inside[device] = c->round;
    c->queue[c->n_inside++] = device;
}

static int32_t other_end(const rs_machine_link *link, int32_t device) {
    return link->a == device ? link->b : link->a;
}

/* Takes in the switches that make the cut smaller, then adds up what leaves the block. */
rs_cut_wide rs_cut_block(rs_cuts *c) {
    const rs_machine *machine = c->machine;
    rs_cut_wide cut = 0;
    for (int32_t k = 0; k < c->n_inside; k++) {
        const int32_t device = c->queue[k];
        for (int32_t i = machine->at_first[device]; i < machine->at_first[device + 1]; i++) {
            const rs_machine_link *link = &machine->links[machine->at[i]];
            const int32_t next = other_end(link, device);
            if (!counts(c, link) || next < machine->n_gpus) continue;
            if (c->inside[next] == c->round) continue;
            if (c->touched[next] != c->round) c->linked_Bps[next] = 0;
            c->touched[next] = c->round;
            c->linked_Bps[next] = add(c->linked_Bps[next], link->raw_Bps);
            if (c->linked_Bps[next] > c->total_Bps[next] - c->linked_Bps[next])
                rs_join_block(c, next);
        }
    }
    for (int32_t k = 0; k < c->n_inside; k++) {
        const int32_t device = c->queue[k];
        for (int32_t i = machine->at_first[device]; i < machine->at_first[device + 1]; i++) {
            const rs_machine_link *link = &machine->links[machine->at[i]];
            if (!counts(c, link) || c->inside[other_end(link, device)] == c->round) continue;
            cut += link->raw_Bps;
        }
    }
    return cut;
}

/* ------------------------------------------------------------------ blocks */

void rs_take_node(rs_cuts *c, int32_t node) {
    rs_begin_block(c);
    for (int32_t i = c->node_first[node]; i < c->node_first[node + 1]; i++) {
        rs_join_block(c, c->in_node[i]);
    }
}

/* Takes what lies below a switch, by links that lead down; with the switches on the way, or without. */
void rs_take_below(rs_cuts *c, int32_t device, bool with_switches) {
    const rs_machine *machine = c->machine;
    rs_begin_block(c);
    rs_join_block(c, device);
    for (int32_t k = 0; k < c->n_inside && c->steps_left > 0; k++) {
        const int32_t at = c->queue[k];
        for (int32_t i = machine->at_first[at]; i < machine->at_first[at + 1]; i++) {
            const rs_machine_link *link = &machine->links[machine->at[i]];
            const int32_t next = other_end(link, at);
            c->steps_left--;
            if (counts(c, link) && c->level[next] < c->level[at]) rs_join_block(c, next);
        }
    }
    if (with_switches) return;
    int32_t n = 0;
    for (int32_t k = 0; k < c->n_inside; k++) {
        const int32_t at = c->queue[k];
        if (at < machine->n_gpus) {
            c->queue[n++] = at;
        } else {
            c->inside[at] = 0;
        }
    }
    c->n_inside = n;
}

int32_t rs_gpus_inside(const rs_cuts *c) {
    int32_t n = 0;
    for (int32_t k = 0; k < c->n_inside; k++) n += c->queue[k] < c->machine->n_gpus;
    return n;
}

/* ------------------------------------------------------------------ cuts by flows */

/* Returns what a wire (2 x link + direction) still lets through, of what counts. */
static int64_t left_on(const rs_cuts *c, int32_t wire) {
    const rs_machine_link *link = &c->machine->links[wire / 2];
    if (!counts(c, link)) return 0;
    return (int64_t)link->raw_Bps - c->flow[wire];
}

/* Looks for a way on which more can flow from GPU 0; afterwards what it reached is inside the block. */
static bool find_way(rs_cuts *c, int32_t to) {
    const rs_machine *machine = c->machine;
    rs_begin_block(c);
    rs_join_block(c, 0);
    for (int32_t k = 0; k < c->n_inside; k++) {
        const int32_t at = c->queue[k];
        for (int32_t i = machine->at_first[at]; i < machine->at_first[at + 1]; i++) {
            const int32_t number = machine->at[i];
            const rs_machine_link *link = &machine->links[number];
            const int32_t wire = 2 * number + (link->b == at), next = other_end(link, at);
            if (c->inside[next] == c->round || left_on(c, wire) <= 0) continue;
            c->from[next] = wire;
            rs_join_block(c, next);
            if (next == to) return true;
        }
    }
    return false;
}

/* Takes all from which more could flow to a device. */
static void find_side(rs_cuts *c, int32_t to) {
    const rs_machine *machine = c->machine;
    rs_begin_block(c);
    rs_join_block(c, to);
    for (int32_t k = 0; k < c->n_inside; k++) {
        const int32_t at = c->queue[k];
        for (int32_t i = machine->at_first[at]; i < machine->at_first[at + 1]; i++) {
            const int32_t number = machine->at[i];
            const rs_machine_link *link = &machine->links[number];
            const int32_t wire = 2 * number + (link->a == at); /* towards this device */
            if (left_on(c, wire) > 0) rs_join_block(c, other_end(link, at));
        }
    }
}

/* Sends as much as can be from GPU 0 to another: what is reached at last is the side of GPU 0 of a least cut. */
rs_cut_wide rs_cut_between(rs_cuts *c, int32_t to, bool far) {
    const rs_machine *machine = c->machine;
    rs_cut_wide cut = 0;
    memset(c->flow, 0, 2 * (size_t)machine->n_links * sizeof *c->flow);
    while (find_way(c, to)) {
        int64_t least = INT64_MAX;
        for (int32_t at = to; at != 0; at = other_end(&machine->links[c->from[at] / 2], at)) {
            const int64_t left = left_on(c, c->from[at]);
            least = left < least ? left : least;
        }
        for (int32_t at = to; at != 0; at = other_end(&machine->links[c->from[at] / 2], at)) {
            c->flow[c->from[at]] += least;
            c->flow[c->from[at] ^ 1] -= least;
        }
        cut += (uint64_t)least;
    }
    if (far) find_side(c, to);
    return cut;
}

/* ------------------------------------------------------------------ what is known of the machine */

static void count_links(rs_cuts *c) {
    for (int32_t i = 0; i < c->machine->n_links; i++) {
        const rs_machine_link *link = &c->machine->links[i];
        if (!counts(c, link)) continue;
        c->total_Bps[link->a] = add(c->total_Bps[link->a], link->raw_Bps);
        c->total_Bps[link->b] = add(c->total_Bps[link->b], link->raw_Bps);
    }
}

static void list_nodes(rs_cuts *c) {
    const rs_machine *machine = c->machine;
    for (int32_t d = 0; d < machine->n_devices; d++) {
        if (machine->node[d] >= 0) c->node_first[machine->node[d] + 1]++;
    }
    for (int32_t k = 0; k < machine->n_nodes; k++) c->node_first[k + 1] += c->node_first[k];
    for (int32_t d = machine->n_devices; d-- > 0;) { /* the last place of each node first */
        const int32_t node = machine->node[d];
        if (node >= 0) c->in_node[--c->node_first[node + 1]] = d;
    }
    for (int32_t k = 0; k < machine->n_nodes; k++) c->node_first[k] = c->node_first[k + 1];
    int32_t n = 0;
    for (int32_t d = 0; d < machine->n_devices; d++) n += machine->node[d] >= 0;
    c->node_first[machine->n_nodes] = n;
}

/* Counts the links from each device to the nearest GPU, and sorts the switches by that. */
static void find_levels(rs_cuts *c) {
    const rs_machine *machine = c->machine;
    int32_t n = 0;
    rs_begin_block(c);
    for (int32_t d = 0; d < machine->n_devices; d++) {
        c->level[d] = d < machine->n_gpus ? 0 : -1;
        if (d < machine->n_gpus) rs_join_block(c, d);
    }
    for (int32_t k = 0; k < c->n_inside; k++) { /* comes to switches in the order of their levels */
        const int32_t at = c->queue[k];
        if (at >= machine->n_gpus) c->by_level[n++] = at;
        for (int32_t i = machine->at_first[at]; i < machine->at_first[at + 1]; i++) {
            const rs_machine_link *link = &machine->links[machine->at[i]];
            const int32_t next = other_end(link, at);
            if (!counts(c, link) || c->inside[next] == c->round) continue;
            c->level[next] = c->level[at] + 1;
            rs_join_block(c, next);
        }
    }
    for (int32_t d = machine->n_gpus; d < machine->n_devices; d++) {
        if (c->level[d] < 0) c->by_level[n++] = d;
    }
}

static bool make_room(rs_cuts *c, rs_arena *scratch) {
    const rs_machine *machine = c->machine;
    const size_t n = (size_t)machine->n_devices, n_links = (size_t)machine->n_links;
    c->inside = rs_alloc(scratch, n, sizeof *c->inside);
    c->queue = rs_alloc(scratch, n, sizeof *c->queue);
    c->touched = rs_alloc(scratch, n, sizeof *c->touched);
    c->linked_Bps = rs_alloc(scratch, n, sizeof *c->linked_Bps);
    c->total_Bps = rs_alloc(scratch, n, sizeof *c->total_Bps);
    c->in_node = rs_alloc(scratch, n, sizeof *c->in_node);
    c->node_first = rs_alloc(scratch, (size_t)machine->n_nodes + 1, sizeof *c->node_first);
    c->level = rs_alloc(scratch, n, sizeof *c->level);
    c->by_level = rs_alloc(scratch, n, sizeof *c->by_level);
    c->from = rs_alloc(scratch, n, sizeof *c->from);
    const bool small = machine->n_gpus <= MOST_CUT_GPUS && machine->n_links <= MOST_CUT_LINKS;
    if (small) c->flow = rs_alloc(scratch, 2 * n_links + 1, sizeof *c->flow);
    return c->inside && c->queue && c->touched && c->linked_Bps && c->total_Bps && c->in_node &&
           c->node_first && c->level && c->by_level && c->from && (!small || c->flow);
}

/* Finds whether some route of a single node takes a link of kind net; of many GPUs: perhaps. false: no memory. */
static bool find_net(const rs_machine *machine, rs_arena *scratch, bool *uses) {
    rs_router *router;
    rs_route route;
    rs_error ignored;
    const int32_t n = machine->n_gpus;
    *uses = machine->n_nodes > 1 || n > MOST_ROUTED_GPUS;
    if (*uses) return true;
    if (rs_router_new(machine, scratch, &ignored, &router) != RS_OK) return false;
    for (int32_t pair = 0; pair < n * n && !*uses; pair++) {
        const int32_t src = pair / n, dst = pair % n;
        if (src == dst || rs_router_find(router, src, dst, 0, &ignored, &route) != RS_OK) continue;
        for (int32_t i = 0; i < route.n_wires; i++) {
            *uses = *uses || machine->links[route.wires[i] / 2].kind == RS_NET;
        }
    }
    return true;
}

bool rs_cuts_begin(rs_cuts *c, rs_arena *scratch) {
    if (!make_room(c, scratch)) return false;
    bool uses_net;
    if (!find_net(c->machine, scratch, &uses_net)) return false;
    c->without_net = !uses_net;
    c->steps_left = 20000000;
    count_links(c);
    list_nodes(c);
    find_levels(c);
    return true;
}
