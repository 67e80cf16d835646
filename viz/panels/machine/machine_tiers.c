/* machine_tiers.c: which tier each device is on: how far from the GPUs it is, above them or below.
 *
 *   - A switch leads out if it has a `net` link, or other switches join it to one that has. Those lie above the
 *     GPUs, the others (NVSwitch) below. In a machine without `net` links all lie above.
 */
#include "panels/machine/machine_draft.h"

#include <stdlib.h>

enum { UNSEEN = INT32_MAX };

static bool is_switch(const rs_machine *machine, int32_t device) {
    return device >= machine->n_gpus;
}

static int32_t other_end(const rs_machine_link *link, int32_t device) {
    return link->a == device ? link->b : link->a;
}

/* Goes from the n devices in the queue to all switches that `may` allows, and counts the links. */
static void spread(const rs_machine *machine, const bool may[], int32_t queue[], int32_t n,
                   int32_t far[]) {
    for (int32_t i = 0; i < n; i++) {
        const int32_t device = queue[i];
        for (int32_t k = machine->at_first[device]; k < machine->at_first[device + 1]; k++) {
            const int32_t next = other_end(&machine->links[machine->at[k]], device);
            if (!is_switch(machine, next) || !may[next] || far[next] != UNSEEN) continue;
            far[next] = far[device] + 1;
            queue[n++] = next;
        }
    }
}

/* Marks the switches that lead out of their node. */
static void mark_out(const rs_machine *machine, const bool all[], int32_t queue[], int32_t far[],
                     bool out[]) {
    int32_t n = 0;
    bool any = false;
    for (int32_t d = 0; d < machine->n_devices; d++) far[d] = UNSEEN;
    for (int32_t i = 0; i < machine->n_links; i++) {
        if (machine->links[i].kind != RS_NET) continue;
        const int32_t ends[2] = {machine->links[i].a, machine->links[i].b};
        any = true;
        for (int e = 0; e < 2; e++) {
            if (!is_switch(machine, ends[e]) || far[ends[e]] != UNSEEN) continue;
            far[ends[e]] = 0;
            queue[n++] = ends[e];
        }
    }
    spread(machine, all, queue, n, far);
    for (int32_t d = machine->n_gpus; d < machine->n_devices; d++)
        out[d] = !any || far[d] != UNSEEN;
}

bool rv_find_tiers(const rs_machine *machine, rs_arena *arena, int32_t tier[]) {
    const size_t n = (size_t)machine->n_devices;
    int32_t *queue = rs_alloc(arena, n, sizeof *queue), *far = rs_alloc(arena, n, sizeof *far);
    bool *all = rs_alloc(arena, n, sizeof *all), *out = rs_alloc(arena, n, sizeof *out);
    if (!queue || !far || !all || !out) return false;
    for (size_t d = 0; d < n; d++) all[d] = true;
    mark_out(machine, all, queue, far, out);
    for (int side = 1; side >= -1; side -= 2) {
        for (size_t d = 0; d < n; d++) {
            far[d] = d < (size_t)machine->n_gpus ? 0 : UNSEEN;
            if (d < (size_t)machine->n_gpus) queue[d] = (int32_t)d;
            all[d] = out[d] == (side > 0);
        }
        spread(machine, all, queue, machine->n_gpus, far);
        for (int32_t d = machine->n_gpus; d < machine->n_devices; d++) {
            if (all[d]) tier[d] = side * (far[d] == UNSEEN ? 1 : far[d]);
        }
    }
    for (int32_t d = 0; d < machine->n_gpus; d++) tier[d] = 0;
    return true;
}

/* Tells whether a link joins neighbours of a grid, the first and last of a row or column among them. */
static bool is_of_grid(const rs_machine_link *link, int32_t n, int32_t columns, bool *down) {
    const int32_t far = abs(link->a - link->b);
    *down = link->a % columns == link->b % columns;
    if (*down) return far == columns || far == n - columns;
    return link->a / columns == link->b / columns && (far == 1 || far == columns - 1);
}

int32_t rv_grid_columns(const rs_machine *machine) {
    const int32_t n = machine->n_gpus;
    for (int32_t columns = 2; columns <= n / 2 && columns <= 64; columns++) {
        if (n % columns != 0) continue;
        bool downs = false, along = false;
        int32_t i = 0;
        for (bool down; i < machine->n_links; i++) {
            const rs_machine_link *link = &machine->links[i];
            if (is_switch(machine, link->a) || is_switch(machine, link->b)) return 0;
            if (!is_of_grid(link, n, columns, &down)) break;
            downs = downs || down;
            along = along || !down;
        }
        if (i == machine->n_links && downs && along) return columns;
    }
    return 0;
}
