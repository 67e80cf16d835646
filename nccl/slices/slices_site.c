/* slices_site.c: a machine as rings meet it: what each hop carries, a GPU's port, a node's NICs.
 *
 *     GPU 0 -hop 0-> GPU 1 -hop 1-> ... GPU g-1 -hop g-1-> GPU 0 of the next node (one node: of this one)
 *
 *   - Over NVLink NCCL finds so many rings that they use a GPU's links together: a hop has the lesser of its two GPUs'
 *     ports, and no more than what links between switches leave of it.
 *   - Over PCIe or the host's memory all rings go the same way: a hop has its least wire, divided by the hops of the
 *     ring that take that wire.
 *   - From node to node k rings fill k NICs: a hop has all NICs of the lesser node, each no wider than its PCIe, and its
 *     part of what lies between switches of the network, were all GPUs to send to the next node at once.
 *   - Usable bandwidths, not raw ones; slowed links are as slow as they are.
 */
#include "ringsim_slices.h"

static const double ps_per_us = 1e6;

typedef struct looking {
    const rs_machine *machine;
    rs_router *router;
    rs_error *error;
    double *load; /* [2 n_links] hops that take each wire */
    rn_ring_hop *hops;
    int32_t per_node;
} looking;

/* The wire of a link that leads out of a device. */
static int32_t wire_out(const rs_machine *machine, int32_t link, int32_t device) {
    const rs_machine_link *l = &machine->links[link];
    return 2 * link + (!l->shared && l->b == device);
}

/* Adds up the links of a kind that leave a device for its own node (or, net, for no node); the widest's wire. */
static double leaves(const rs_machine *machine, int32_t device, rs_link_kind kind, int32_t *wire) {
    double sum = 0, widest = 0;
    for (int32_t i = machine->at_first[device]; i < machine->at_first[device + 1]; i++) {
        const rs_machine_link *link = &machine->links[machine->at[i]];
        const double GBps = rn_usable_GBps(link);
        if (link->kind != kind) continue;
        sum += GBps;
        if (GBps <= widest) continue;
        widest = GBps;
        *wire = wire_out(machine, machine->at[i], device);
    }
    return sum;
}

/* ------------------------------------------------------------------ inside a node */

static void count_wires(looking *l, const rs_route *route, double by) {
    for (int32_t i = 0; i < route->n_wires; i++) l->load[route->wires[i]] += by;
}

/* The worst kind of link on the way, and its latency. */
static rs_link_kind walk(const looking *l, const rs_route *route, double *alpha_us) {
    rs_link_kind worst = RS_NVLINK;
    *alpha_us = 0;
    for (int32_t i = 0; i < route->n_wires; i++) {
        const rs_machine_link *link = &l->machine->links[route->wires[i] / 2];
        if (link->kind > worst) worst = (rs_link_kind)link->kind;
        *alpha_us += (double)link->alpha_ps / ps_per_us;
    }
    return worst;
}

/* Lowers a hop to what a wire leaves it. */
static void bound_hop(rn_ring_hop *hop, double GBps, int32_t wire) {
    if (GBps >= hop->GBps) return;
    hop->GBps = GBps;
    hop->wire = wire;
}

static rs_status hop_inside(looking *l, int32_t src, int32_t dst, bool host_memory) {
    const rs_machine *machine = l->machine;
    rn_ring_hop *hop = &l->hops[src];
    rs_route route;
    const rs_status status = rs_router_find(l->router, src, dst, 0, l->error, &route);
    if (status != RS_OK) return status;
    const rs_link_kind worst = walk(l, &route, &hop->alpha_us);
    hop->kind = worst == RS_NVLINK ? RN_HOP_NVLINK : host_memory ? RN_HOP_HOST : RN_HOP_PCIE;
    if (worst == RS_NVLINK) {
        int32_t wire = 0, ignored;
        const double out_GBps = leaves(machine, src, RS_NVLINK, &wire);
        bound_hop(hop, out_GBps, wire);
        bound_hop(hop, leaves(machine, dst, RS_NVLINK, &ignored), route.wires[route.n_wires - 1]);
    }
    for (int32_t i = 0; i < route.n_wires; i++) {
        const rs_machine_link *link = &machine->links[route.wires[i] / 2];
        const bool at_gpu = link->a < machine->n_gpus || link->b < machine->n_gpus;
        if (worst == RS_NVLINK && at_gpu) continue;
        bound_hop(hop, rn_usable_GBps(link) / l->load[route.wires[i]], route.wires[i]);
    }
    return RS_OK;
}

static rs_status look_inside(looking *l, bool host_memory) {
    const int32_t g = l->per_node, n_inside = l->machine->n_nodes == 1 ? g : g - 1;
    rs_status status = RS_OK;
    for (int32_t i = 0; i < n_inside && status == RS_OK; i++) {
        rs_route route;
        l->hops[i] = (rn_ring_hop){.GBps = 1e9, .wire = -1};
        status = rs_router_find(l->router, i, (i + 1) % g, 0, l->error, &route);
        if (status == RS_OK) count_wires(l, &route, 1);
    }
    for (int32_t i = 0; i < n_inside && status == RS_OK; i++) {
        status = hop_inside(l, i, (i + 1) % g, host_memory);
    }
    return status;
}

/* ------------------------------------------------------------------ from node to node */

/* A node's NICs: devices that a link of the network leaves. */
static double nics_of(const rs_machine *machine, int32_t node, int32_t *n_nics, int32_t *wire) {
    double sum = 0;
    *n_nics = 0;
    for (int32_t d = 0; d < machine->n_devices; d++) {
        int32_t out = -1, ignored;
        if (machine->node[d] != node) continue;
        double GBps = leaves(machine, d, RS_NET, &out);
        if (GBps <= 0) continue;
        const double pcie = leaves(machine, d, RS_PCIE, &ignored);
        if (d >= machine->n_gpus && pcie > 0 && pcie < GBps) GBps = pcie;
        sum += GBps;
        (*n_nics)++;
        *wire = out;
    }
    return sum;
}

static bool is_core(const rs_machine *machine, const rs_machine_link *link) {
    return link->kind == RS_NET && machine->node[link->a] < 0 && machine->node[link->b] < 0;
}

/* Links of the network that no node's device has are shared by many nodes: every GPU sends to its like in the next
   node, which is 1/g of the hop. */
static rs_status share_core(looking *l, rn_ring_hop *hop) {
    const rs_machine *machine = l->machine;
    const int32_t g = l->per_node, n = machine->n_gpus;
    bool any = false;
    for (int32_t i = 0; i < machine->n_links; i++) any |= is_core(machine, &machine->links[i]);
    for (int32_t i = 0; any && i < n; i++) {
        rs_route route;
        const rs_status status = rs_router_find(l->router, i, (i + g) % n, i % g, l->error, &route);
        if (status != RS_OK) return status;
        count_wires(l, &route, 1.0 / g);
    }
    for (int32_t i = 0; any && i < machine->n_links; i++) {
        const rs_machine_link *link = &machine->links[i];
        for (int32_t w = 2 * i; w <= 2 * i + 1 && is_core(machine, link); w++) {
            if (l->load[w] > 0) bound_hop(hop, rn_usable_GBps(link) / l->load[w], w);
        }
    }
    return RS_OK;
}

static rs_status look_outside(looking *l, rn_site *site) {
    const rs_machine *machine = l->machine;
    const int32_t g = l->per_node;
    rn_ring_hop *hop = &l->hops[g - 1];
    rs_route route;
    *hop = (rn_ring_hop){.kind = RN_HOP_NET, .GBps = 1e9, .wire = -1};
    for (int32_t node = 0; node < machine->n_nodes; node++) {
        int32_t n_nics, wire = -1;
        const double GBps = nics_of(machine, node, &n_nics, &wire);
        bound_hop(hop, GBps, wire);
        if (node == 0) site->n_nics = n_nics;
    }
    rs_status status = share_core(l, hop);
    if (status == RS_OK) {
        status = rs_router_find(l->router, g - 1, 2 * g - 1, 0, l->error, &route);
    }
    if (status == RS_OK) walk(l, &route, &hop->alpha_us);
    site->nic_GBps = hop->GBps;
    return status;
}

/* ------------------------------------------------------------------ the whole */

/* All hops alike: one stands for them. */
static int32_t shorten(const rn_ring_hop hops[], int32_t n) {
    for (int32_t i = 1; i < n; i++) {
        if (hops[i].kind != hops[0].kind || hops[i].GBps != hops[0].GBps ||
            hops[i].alpha_us != hops[0].alpha_us) {
            return n;
        }
    }
    return 1;
}

rs_status rn_slices_site(const rs_machine *machine, bool host_memory, rs_arena *arena,
                         rs_error *error, rn_site *site) {
    rn_site made = {.n_ranks = machine->n_gpus, .n_nodes = machine->n_nodes, .port_wire = -1};
    looking l = {.machine = machine, .error = error};
    rs_status status = rn_check_nodes(machine, error);
    if (status != RS_OK) return status;
    l.per_node = machine->n_gpus / machine->n_nodes;
    l.load = rs_alloc(arena, 2 * (size_t)machine->n_links + 1, sizeof *l.load);
    l.hops = rs_alloc(arena, (size_t)l.per_node, sizeof *l.hops);
    if (l.load == NULL || l.hops == NULL) return rs_no_memory(error);
    status = rs_router_new(machine, arena, error, &l.router);
    if (status == RS_OK) status = look_inside(&l, host_memory);
    if (status == RS_OK && machine->n_nodes > 1) status = look_outside(&l, &made);
    if (status != RS_OK) return status;
    made.port_GBps = 1e9;
    for (int32_t i = 0; i < l.per_node - (machine->n_nodes > 1); i++) {
        if (l.hops[i].GBps >= made.port_GBps) continue;
        made.port_GBps = l.hops[i].GBps;
        made.port_wire = l.hops[i].wire;
    }
    for (int32_t d = machine->n_gpus; d < machine->n_devices; d++) {
        made.adds |= machine->reduces[d] && machine->node[d] >= 0;
    }
    made.hops = l.hops;
    made.n_hops = shorten(l.hops, l.per_node);
    *site = made;
    return RS_OK;
}
