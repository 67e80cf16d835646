/* machine_repeat.c: a machine of several nodes, from a machine that is one node.
 *
 *     gpus 2                       gpus 4
 *     switch nic fabric            switch node0.nic node1.nic fabric
 *     link gpu1 nic ...      x 2   link gpu1 node0.nic ...     link gpu3 node1.nic ...
 *     link nic fabric ...          link node0.nic fabric ...   link node1.nic fabric ...
 *
 *   - GPU i of node n is GPU n x g + i. All is copied but the fabric, which the nodes share: the switch
 *     named `fabric`, and those whose names begin with `fabric.`.
 */
#include "machine/ringsim_machine.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { PREFIX = 16 }; /* nodeN. and a zero byte */

static bool is_fabric(const rs_machine *node, int32_t device) {
    const char *name = node->names[device];
    return device >= node->n_gpus && strncmp(name, "fabric", 6) == 0 &&
           (name[6] == '\0' || name[6] == '.');
}

/* Where each device of the node lies in a copy: the GPUs come first, then the switches of each copy. */
typedef struct node_copies {
    const rs_machine *node;
    int32_t n_copies, n_own; /* switches that each copy has */
    int32_t *place;          /* [n_devices] among the GPUs, the copy's own switches, the fabric */
} node_copies;

static int32_t device_of(const node_copies *at, int32_t copy, int32_t device) {
    const int32_t n_gpus = at->node->n_gpus;
    if (device < n_gpus) return copy * n_gpus + device;
    const int32_t first = at->n_copies * n_gpus, place = at->place[device];
    if (is_fabric(at->node, device)) return first + at->n_copies * at->n_own + place;
    return first + copy * at->n_own + place;
}

static rs_status check_size(const rs_machine *node, int32_t n_copies, int32_t n_fabric,
                            rs_error *error) {
    const int64_t k = n_copies;
    const int64_t n_devices = k * (node->n_devices - n_fabric) + n_fabric;
    if (n_copies > 1 && n_fabric == 0) {
        return rs_fail(error, RS_BAD_INPUT,
                       "there is no switch named 'fabric' where %d nodes could join",
                       (int)n_copies);
    }
    if (k * node->n_gpus <= RS_MAX_MACHINE_GPUS && k * node->n_links <= RS_MAX_MACHINE_LINKS &&
        n_devices <= RS_MAX_MACHINE_DEVICES && k * node->n_routes <= RS_MAX_MACHINE_ROUTES) {
        return RS_OK;
    }
    return rs_fail(
        error, RS_TOO_LARGE,
        "%d nodes would have %lld GPUs, %lld devices and %lld links: at most %d, %d and %d",
        (int)n_copies, (long long)(k * node->n_gpus), (long long)n_devices,
        (long long)(k * node->n_links), RS_MAX_MACHINE_GPUS, RS_MAX_MACHINE_DEVICES,
        RS_MAX_MACHINE_LINKS);
}

/* Writes the names, and which devices reduce; false: no memory. */
static bool name_devices(const node_copies *at, rs_arena *arena, rs_machine *made) {
    const rs_machine *node = at->node;
    size_t longest = PREFIX; /* gpuN fits */
    for (int32_t d = node->n_gpus; d < node->n_devices; d++) {
        const size_t n = strlen(node->names[d]) + PREFIX;
        longest = n > longest ? n : longest;
    }
    const size_t n_devices = (size_t)made->n_devices;
    const char **names = rs_alloc(arena, n_devices, sizeof *names);
    bool *reduces = rs_alloc(arena, n_devices, sizeof *reduces);
    char *room = rs_alloc(arena, n_devices, longest);
    if (names == NULL || reduces == NULL || room == NULL) return false;
    for (int32_t copy = 0; copy < at->n_copies; copy++) {
        for (int32_t d = 0; d < node->n_devices; d++) {
            const int32_t to = device_of(at, copy, d);
            char *name = room + longest * (size_t)to;
            if (d < node->n_gpus) {
                snprintf(name, longest, "gpu%d", (int)to);
            } else if (is_fabric(node, d)) {
                snprintf(name, longest, "%s", node->names[d]);
            } else {
                snprintf(name, longest, "node%d.%s", (int)copy, node->names[d]);
            }
            names[to] = name;
            reduces[to] = node->reduces[d];
        }
    }
    made->names = names;
    made->reduces = reduces;
    return true;
}

static bool copy_links(const node_copies *at, rs_arena *arena, rs_machine *made) {
    const rs_machine *node = at->node;
    int32_t n_hops = 0;
    for (int32_t i = 0; i < node->n_routes; i++) n_hops += node->routes[i].n_hops;
    if ((int64_t)at->n_copies * n_hops > INT32_MAX) return false;
    rs_machine_link *links = rs_alloc(arena, (size_t)made->n_links + 1, sizeof *links);
    rs_machine_route *routes = rs_alloc(arena, (size_t)made->n_routes + 1, sizeof *routes);
    int32_t *hops = rs_alloc(arena, (size_t)at->n_copies * (size_t)n_hops + 1, sizeof *hops);
    if (links == NULL || routes == NULL || hops == NULL) return false;
    int32_t n_taken = 0;
    for (int32_t copy = 0; copy < at->n_copies; copy++) {
        for (int32_t i = 0; i < node->n_links; i++) {
            rs_machine_link *link = &links[copy * node->n_links + i];
            *link = node->links[i];
            link->a = device_of(at, copy, link->a);
            link->b = device_of(at, copy, link->b);
        }
        for (int32_t i = 0; i < node->n_routes; i++) {
            rs_machine_route *route = &routes[copy * node->n_routes + i];
            *route = node->routes[i];
            route->src = device_of(at, copy, route->src);
            route->dst = device_of(at, copy, route->dst);
            for (int32_t k = 0; k < route->n_hops; k++) {
                hops[n_taken + k] = copy * node->n_links + node->hops[route->first + k];
            }
            route->first = n_taken;
            n_taken += route->n_hops;
        }
    }
    made->links = links;
    made->routes = routes;
    made->hops = hops;
    return true;
}

rs_status rs_machine_repeat(const rs_machine *node, int32_t n_copies, const char *name,
                            rs_arena *arena, rs_error *error, rs_machine *machine) {
    assert(n_copies >= 1);
    node_copies at = {.node = node,
                      .n_copies = n_copies,
                      .place = rs_alloc(arena, (size_t)node->n_devices, sizeof *at.place)};
    const size_t n_name = strlen(name) + 1;
    char *called = rs_alloc(arena, n_name, 1);
    if (at.place == NULL || called == NULL) return rs_no_memory(error);
    int32_t n_fabric = 0;
    for (int32_t d = node->n_gpus; d < node->n_devices; d++) {
        at.place[d] = is_fabric(node, d) ? n_fabric++ : at.n_own++;
    }
    const rs_status status = check_size(node, n_copies, n_fabric, error);
    if (status != RS_OK) return status;
    memcpy(called, name, n_name);
    rs_machine made = {.name = called,
                       .n_gpus = n_copies * node->n_gpus,
                       .sm = node->sm,
                       .launch_ps = node->launch_ps,
                       .barrier_ps = node->barrier_ps,
                       .n_devices = n_copies * (node->n_gpus + at.n_own) + n_fabric,
                       .n_links = n_copies * node->n_links,
                       .n_routes = n_copies * node->n_routes};
    if (!name_devices(&at, arena, &made) || !copy_links(&at, arena, &made)) {
        return rs_no_memory(error);
    }
    for (int32_t d = made.n_gpus; d < made.n_devices; d++) {
        if (strlen(made.names[d]) > RS_MAX_DEVICE_NAME) {
            return rs_fail(
                error, RS_BAD_INPUT,
                "device %.40s...: with its node's number its name has more than 63 bytes",
                made.names[d]);
        }
    }
    return rs_machine_make(&made, arena, error, machine);
}
