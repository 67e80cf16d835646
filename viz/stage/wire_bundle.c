/* wire_bundle.c: the links that a reader sees as one wire: those between two devices, or, where nodes are drawn as
 * tiles, all that join two of those.
 */
#include "stage/stage.h"

/* Returns the number of the node that a device is part of, or behind all nodes one of its own. */
static int32_t place_of(const rs_machine *machine, int32_t device) {
    return machine->node[device] >= 0 ? machine->node[device] : machine->n_nodes + device;
}

static bool joins(const rs_machine_link *link, int32_t a, int32_t b) {
    return (link->a == a && link->b == b) || (link->a == b && link->b == a);
}

static bool joins_places(const rs_machine *machine, const rs_machine_link *link,
                         const rs_machine_link *like) {
    const int32_t a = place_of(machine, link->a), b = place_of(machine, link->b);
    const int32_t x = place_of(machine, like->a), y = place_of(machine, like->b);
    return (a == x && b == y) || (a == y && b == x);
}

int32_t rv_find_bundle(const rs_machine *machine, int32_t wire, int32_t n_links,
                       rv_link_ill pairs[RV_MAX_FAULTS]) {
    const rs_machine_link *first = &machine->links[wire / 2];
    int32_t n_between = 0, n = 1;
    for (int32_t i = 0; i < machine->n_links; i++) {
        n_between += joins(&machine->links[i], first->a, first->b);
    }
    pairs[0] = (rv_link_ill){.a = first->a, .b = first->b};
    if (n_links <= n_between) return n; /* a fault is all links' between two devices */
    for (int32_t i = 0; i < machine->n_links; i++) {
        const rs_machine_link *link = &machine->links[i];
        bool known = !joins_places(machine, link, first);
        for (int32_t k = 0; k < n && !known; k++)
            known = rv_is_ill_between(&pairs[k], link->a, link->b);
        if (known) continue;
        if (n == RV_MAX_FAULTS) return n;
        pairs[n++] = (rv_link_ill){.a = link->a, .b = link->b};
    }
    return n;
}
