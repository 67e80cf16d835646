/* machine_make.c: judges a machine, and finds what belongs together in it.
 *
 *     devices, links, routes ---> links at each device, nodes
 *
 * A node is what stays connected without RS_NET links (union of sets, with paths halved).
 */
#include "base/containers.h"
#include "base/divisor.h"
#include "machine/ringsim_machine.h"

#include <assert.h>
#include <string.h>

static const uint64_t least_Bps = 1000, most_Bps = 10000000000000000; /* 1 kB/s, 10 PB/s */
static const int64_t most_alpha_ps = 1000000000000;                   /* 1 s */

/* ------------------------------------------------------------------ is it possible? */

static rs_status check_sizes(const rs_machine *machine, rs_error *error) {
    if (machine->n_gpus < 1) return rs_fail(error, RS_BAD_INPUT, "a machine needs a GPU");
    if (machine->n_gpus > RS_MAX_MACHINE_GPUS || machine->n_devices > RS_MAX_MACHINE_DEVICES ||
        machine->n_links > RS_MAX_MACHINE_LINKS) {
        return rs_fail(error, RS_TOO_LARGE,
                       "a machine of %d GPUs, %d devices and %d links: at most %d, %d and %d",
                       (int)machine->n_gpus, (int)machine->n_devices, (int)machine->n_links,
                       RS_MAX_MACHINE_GPUS, RS_MAX_MACHINE_DEVICES, RS_MAX_MACHINE_LINKS);
    }
    assert(machine->n_devices >= machine->n_gpus && machine->n_links >= 0);
    return RS_OK;
}

static bool is_rate(uint64_t bandwidth_Bps) {
    return bandwidth_Bps >= least_Bps && bandwidth_Bps <= most_Bps;
}

static rs_status check_link(const rs_machine *machine, int32_t number, const rs_machine_link *link,
                            rs_error *error) {
    const char *fault = NULL;
    if (link->a < 0 || link->a >= machine->n_devices || link->b < 0 ||
        link->b >= machine->n_devices) {
        return rs_fail(error, RS_BAD_INPUT, "link %d: there is no such device", (int)number);
    }
    if (link->a == link->b) {
        fault = RS_MESSAGE("a device has no link to itself");
    } else if (!is_rate(link->bandwidth_Bps)) {
        fault = RS_MESSAGE("a bandwidth is 1 kB/s to 10 PB/s");
    } else if (!is_rate(link->raw_Bps) || link->raw_Bps < link->bandwidth_Bps) {
        fault = RS_MESSAGE(
            "what a link can do at all (raw) is at least its bandwidth, and at most 10 PB/s");
    } else if (link->alpha_ps < 0 || link->alpha_ps > most_alpha_ps) {
        fault = RS_MESSAGE("a latency is 0 to 1 s");
    } else if (link->kind > RS_NET) {
        fault = RS_MESSAGE("there is no such kind");
    } else if (link->slow_num < 1 || link->slow_den < 1 || link->slow_num > 1000000000 ||
               link->slow_den > 1000000000) {
        fault = RS_MESSAGE("a factor is a positive number of at most nine digits");
    }
    if (fault == NULL) return RS_OK;
    return rs_fail_word(error, RS_BAD_INPUT, 3, "link %d, %s to %s: %s", (int)number,
                        machine->names[link->a], machine->names[link->b], fault);
}

/* Walks along a route; it must lead from its source to its destination, and through no device twice. */
static rs_status check_route(const rs_machine *machine, int32_t number, bool *seen,
                             rs_error *error) {
    const rs_machine_route *route = &machine->routes[number];
    const int32_t n = machine->n_gpus;
    if (route->src < 0 || route->src >= n || route->dst < 0 || route->dst >= n ||
        route->src == route->dst || route->n_hops < 1) {
        return rs_fail(error, RS_BAD_INPUT, "route %d: it leads from one GPU to another",
                       (int)number);
    }
    const char *fault = NULL;
    int32_t device = route->src, i = 0;
    for (; i < route->n_hops && fault == NULL; i++) {
        const int32_t at = machine->hops[route->first + i];
        assert(at >= 0 && at < machine->n_links);
        const rs_machine_link *link = &machine->links[at];
        seen[device] = true;
        if (link->a != device && link->b != device) {
            fault = RS_MESSAGE("its links do not follow one another");
        } else {
            device = link->a == device ? link->b : link->a;
            if (seen[device]) fault = RS_MESSAGE("it comes through a device twice");
        }
    }
    device = route->src; /* leaves `seen` as it was */
    for (int32_t k = 0; k < i; k++) {
        const rs_machine_link *link = &machine->links[machine->hops[route->first + k]];
        seen[device] = false;
        if (link->a == device || link->b == device) {
            device = link->a == device ? link->b : link->a;
        }
    }
    if (fault == NULL && device != route->dst) fault = RS_MESSAGE("it ends elsewhere");
    if (fault == NULL && number > 0 && route[-1].src == route->src && route[-1].dst == route->dst) {
        fault = RS_MESSAGE("it is said twice");
    }
    if (fault == NULL) return RS_OK;
    return rs_fail_word(error, RS_BAD_INPUT, 2, "route from %s to %s: %s",
                        machine->names[route->src], machine->names[route->dst], fault);
}

/* ------------------------------------------------------------------ what belongs together */

static void list_links(const rs_machine *machine, int32_t *at_first, int32_t *at) {
    for (int32_t i = 0; i < machine->n_links; i++) {
        at_first[machine->links[i].a + 1]++;
        at_first[machine->links[i].b + 1]++;
    }
    for (int32_t d = 0; d < machine->n_devices; d++) at_first[d + 1] += at_first[d];
    for (int32_t i = machine->n_links; i-- > 0;) { /* backwards: each list comes out ascending */
        at[--at_first[machine->links[i].a + 1]] = i;
        at[--at_first[machine->links[i].b + 1]] = i;
    }
    /* Each entry now holds where the device before it ends, that is, where its own list begins. */
    for (int32_t d = 0; d < machine->n_devices; d++) at_first[d] = at_first[d + 1];
    at_first[machine->n_devices] = 2 * machine->n_links;
}

/* Numbers the nodes in node[]; returns how many there are. */
static int32_t find_nodes(const rs_machine *machine, int32_t parent[], int32_t node[]) {
    int32_t n = 0;
    for (int32_t d = 0; d < machine->n_devices; d++) parent[d] = d;
    for (int32_t i = 0; i < machine->n_links; i++) {
        const rs_machine_link *link = &machine->links[i];
        if (link->kind != RS_NET) rs_join_groups(parent, link->a, link->b);
    }
    for (int32_t d = 0; d < machine->n_devices; d++) {
        const int32_t root = rs_group_of(parent, d); /* the lowest, a GPU if there is one */
        node[d] = root >= machine->n_gpus ? -1 : root == d ? n++ : node[root];
    }
    return n;
}

rs_status rs_machine_make(const rs_machine *described, rs_arena *arena, rs_error *error,
                          rs_machine *machine) {
    rs_status status = check_sizes(described, error);
    for (int32_t i = 0; status == RS_OK && i < described->n_links; i++) {
        status = check_link(described, i, &described->links[i], error);
    }
    if (status != RS_OK) return status;
    const size_t n = (size_t)described->n_devices;
    int32_t *node = rs_alloc(arena, n, sizeof *node), *parent = rs_alloc(arena, n, sizeof *parent);
    int32_t *at_first = rs_alloc(arena, n + 1, sizeof *at_first);
    int32_t *at = rs_alloc(arena, 2 * (size_t)described->n_links, sizeof *at);
    bool *seen = rs_alloc(arena, n, sizeof *seen);
    if (arena->lacked) return rs_no_memory(error);
    for (int32_t i = 0; status == RS_OK && i < described->n_routes; i++) {
        status = check_route(described, i, seen, error);
    }
    if (status != RS_OK) return status;
    *machine = *described;
    list_links(machine, at_first, at);
    machine->n_nodes = find_nodes(machine, parent, node);
    machine->node = node;
    machine->at_first = at_first;
    machine->at = at;
    return RS_OK;
}

/* ------------------------------------------------------------------ faults */

/* Lets a fault happen to all links between a and b; num 0: they are cut. */
static rs_status disturb(rs_machine *machine, int32_t a, int32_t b, uint64_t num, uint64_t den,
                         rs_arena *arena, rs_error *error) {
    int32_t n_found = 0;
    rs_machine_link *links = rs_alloc(arena, (size_t)machine->n_links, sizeof *links);
    if (links == NULL) return rs_no_memory(error);
    for (int32_t i = 0; i < machine->n_links; i++) {
        rs_machine_link *link = &links[i];
        *link = machine->links[i];
        if ((link->a != a || link->b != b) && (link->a != b || link->b != a)) continue;
        n_found++;
        link->cut = link->cut || num == 0;
        if (num == 0) continue;
        link->slow_num *= num; /* both below 10^9 */
        link->slow_den *= den;
        const uint64_t divisor = rs_greatest_divisor(link->slow_num, link->slow_den);
        link->slow_num /= divisor;
        link->slow_den /= divisor;
        const rs_status status = check_link(machine, i, link, error);
        if (status != RS_OK) return status;
    }
    if (n_found == 0) {
        return rs_fail(error, RS_BAD_INPUT, "machine %s: no link joins %s and %s", machine->name,
                       machine->names[a], machine->names[b]);
    }
    machine->links = links;
    return RS_OK;
}

rs_status rs_machine_slow(rs_machine *machine, int32_t a, int32_t b, uint64_t num, uint64_t den,
                          rs_arena *arena, rs_error *error) {
    assert(num >= 1 && num <= 1000000000 && den >= 1 && den <= 1000000000);
    return disturb(machine, a, b, num, den, arena, error);
}

rs_status rs_machine_cut(rs_machine *machine, int32_t a, int32_t b, rs_arena *arena,
                         rs_error *error) {
    return disturb(machine, a, b, 0, 1, arena, error);
}

int32_t rs_machine_device(const rs_machine *machine, const char *name, size_t n_bytes) {
    for (int32_t d = 0; d < machine->n_devices; d++) {
        if (strlen(machine->names[d]) == n_bytes && memcmp(machine->names[d], name, n_bytes) == 0) {
            return d;
        }
    }
    return -1;
}

bool rs_machine_adds(const rs_machine *machine) {
    for (int32_t d = machine->n_gpus; d < machine->n_devices; d++) {
        int32_t n = 0, last = -1;
        if (!machine->reduces[d]) continue;
        for (int32_t i = machine->at_first[d]; i < machine->at_first[d + 1]; i++) {
            const rs_machine_link *link = &machine->links[machine->at[i]];
            const int32_t other = link->a == d ? link->b : link->a;
            if (other < machine->n_gpus && other != last && !link->cut) n++;
            last = other;
        }
        if (n == machine->n_gpus) return true;
    }
    return false;
}
