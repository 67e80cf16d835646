/* box_lint.c: what cannot be in a box, wherever it was read: numbers twice, more NVLinks than a GPU has, NICs wider
 * than their PCIe.
 */
#include "topology/box.h"
#include "base/containers.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_LINKS = 1000, /* of a GPU: no generation to come has as many */
    NARROW = 10        /* times narrower than what is below is odd */
};

/* A number that may stand once. */
typedef struct number_stamp {
    const char *of;
    uint64_t number;
    int64_t line;
    int32_t host;
    rn_port *port; /* NULL: it is of a part */
} number_stamp;

static int by_stamp(const void *left, const void *right) {
    const number_stamp *a = left, *b = right;
    const int of = strcmp(a->of, b->of);
    return of != 0 ? of : RS_BY(host, number, line);
}

/* Numbers that must differ: bus ids, the numbers of GPUs and of ports of NICs, in each host. */
static int32_t list_stamps(const rn_box *box, number_stamp stamps[]) {
    int32_t n = 0;
    for (int32_t i = 0; i < box->n_parts; i++) {
        const rn_box_part *part = &box->parts[i];
        if (part->id != 0 && part->kind != RN_HOST_CPU) {
            stamps[n++] = (number_stamp){"busid", part->id, part->line, part->host, NULL};
        }
        if (part->kind == RN_GPU_PART) {
            stamps[n++] =
                (number_stamp){"gpu dev", (uint64_t)part->dev, part->line, part->host, NULL};
        }
    }
    for (int32_t i = 0; i < box->n_ports; i++) {
        rn_port *port = &box->ports[i];
        stamps[n++] = (number_stamp){"net dev", (uint64_t)port->dev, port->line,
                                     box->parts[port->nic].host, port};
    }
    return n;
}

/* Tells whether a port's NIC hangs at a processor itself: its place is not known. */
static bool is_placeless(const rn_box *box, const number_stamp *at) {
    if (at->port == NULL || at->port->nic < 0) return at->port != NULL;
    return box->parts[box->parts[at->port->nic].up].kind == RN_HOST_CPU &&
           box->parts[at->port->nic].id == 0;
}

static void find_twice(const rn_box *box, number_stamp stamps[], int32_t n, rn_findings *findings) {
    int64_t n_more = 0, more_line = 0;
    qsort(stamps, (size_t)n, sizeof *stamps, by_stamp);
    for (int32_t i = 1; i < n; i++) {
        const number_stamp *a = &stamps[i - 1], *b = &stamps[i];
        if (strcmp(a->of, b->of) != 0 || a->host != b->host || a->number != b->number) continue;
        if (is_placeless(box, a) && is_placeless(box, b)) {
            if (more_line == 0) {
                more_line = b->line;
                rn_find(
                    findings, RN_NOTE, b->line,
                    "net: the NIC of line %lld once more; it is taken to be at the first processor",
                    (long long)a->line);
            }
            n_more++;
            b->port->nic = -1;
            continue;
        }
        const bool hexadecimal = strcmp(b->of, "busid") == 0;
        rn_find(findings, RN_ERROR, b->line,
                hexadecimal ? RS_MESSAGE("%s %llx stands in line %lld already")
                            : RS_MESSAGE("%s %llu stands in line %lld already"),
                b->of, (unsigned long long)b->number, (long long)a->line);
    }
    if (n_more > 1) {
        rn_find(
            findings, RN_NOTE, more_line,
            "other NICs that stand at several processors, likewise: %lld lines; virtual interfaces, most likely",
            (long long)(n_more - 1));
    }
}

/* Takes out the ports that were left without a NIC; a NIC has the number of its first port. */
static void drop_ports(rn_box *box) {
    int32_t n = 0;
    for (int32_t i = 0; i < box->n_ports; i++) {
        const rn_port port = box->ports[i];
        if (port.nic < 0) continue;
        if (n == 0 || box->ports[n - 1].nic != port.nic) box->parts[port.nic].dev = port.dev;
        box->parts[port.nic].ports_Bps += port.Bps;
        box->ports[n++] = port;
    }
    box->n_ports = n;
}

/* Counts the NVLinks of each GPU to other parts. */
static void count_links(rn_box *box) {
    for (int32_t i = 0; i < box->n_parts; i++) box->parts[i].n_links = box->parts[i].n_to_switch;
    for (int32_t i = 0; i < box->n_bundles; i++) {
        box->parts[box->bundles[i].a].n_links += box->bundles[i].n_links;
        box->parts[box->bundles[i].b].n_links += box->bundles[i].n_links;
    }
}

/* Returns whether there is one. */
static bool lint_gpus(const rn_box *box, rn_findings *findings) {
    const rn_box_part *best = NULL;
    bool any = false;
    for (int32_t i = 0; i < box->n_parts; i++) {
        const rn_box_part *part = &box->parts[i];
        if (part->kind != RN_GPU_PART) continue;
        const int32_t most = rn_most_nvlinks(part->sm);
        any = true;
        if (part->n_links > MOST_LINKS) {
            rn_find(findings, RN_ERROR, part->line, "gpu: %lld NVLinks", (long long)part->n_links);
            continue;
        }
        if (most > 0 && part->n_links > most) {
            rn_find(findings, RN_WARNING, part->line,
                    "gpu: %lld NVLinks; a GPU of sm %d has %d at the most",
                    (long long)part->n_links, (int)part->sm, (int)most);
        }
        if (best == NULL || part->n_to_switch > best->n_to_switch) best = part;
    }
    for (int32_t i = 0; best != NULL && i < box->n_parts; i++) {
        const rn_box_part *part = &box->parts[i];
        if (part->kind != RN_GPU_PART || part->n_to_switch == best->n_to_switch) continue;
        rn_find(findings, RN_WARNING, part->line,
                "gpu: %d NVLinks to switches, the GPU of line %lld has %d; are some down?",
                (int)part->n_to_switch, (long long)best->line, (int)best->n_to_switch);
    }
    return any;
}

/* Names the first bridge that is far narrower than what is below it: virtual machines make such ones up. */
static void lint_bridges(const rn_box *box, rn_findings *findings) {
    for (int32_t i = 0; i < box->n_parts; i++) {
        const rn_box_part *part = &box->parts[i], *up = part->up < 0 ? NULL : &box->parts[part->up];
        if (up == NULL || up->kind != RN_BRIDGE || part->kind == RN_BRIDGE) continue;
        if (up->up_rate.raw_Bps * NARROW >= part->up_rate.raw_Bps) continue;
        rn_find(
            findings, RN_WARNING, up->line,
            "pci: %.4g GB/s lead up from here, %.4g down to line %lld; a virtual machine may say so, "
            "and all that goes up is slow then",
            (double)up->up_rate.raw_Bps / 1e9, (double)part->up_rate.raw_Bps / 1e9,
            (long long)part->line);
        return;
    }
}

static void lint_nics(const rn_box *box, rn_findings *findings) {
    for (int32_t i = 0; i < box->n_ports; i++) {
        const rn_box_part *nic = &box->parts[box->ports[i].nic];
        const bool first = i == 0 || box->ports[i - 1].nic != box->ports[i].nic;
        if (!first || nic->ports_Bps <= nic->up_rate.raw_Bps) continue;
        rn_find(
            findings, RN_WARNING, box->ports[i].line,
            "net: %.6g GB/s do not fit through the NIC's PCIe (line %lld), which carries %.6g GB/s at all",
            (double)nic->ports_Bps / 1e9, (long long)nic->line, (double)nic->up_rate.raw_Bps / 1e9);
    }
}

rs_status rn_lint_box(rn_box *box, int64_t line, rs_arena *arena, rn_findings *findings,
                      rs_error *error) {
    const size_t n_parts = (size_t)box->n_parts, n_ports = (size_t)box->n_ports;
    number_stamp *stamps = rs_alloc(arena, 2 * n_parts + n_ports + 1, sizeof *stamps);
    if (stamps == NULL) return rs_no_memory(error);
    find_twice(box, stamps, list_stamps(box, stamps), findings);
    drop_ports(box);
    count_links(box);
    if (lint_gpus(box, findings)) {
        lint_nics(box, findings);
        lint_bridges(box, findings);
    } else if (findings->n[RN_ERROR] == 0) {
        rn_find(findings, RN_ERROR, line, "there is no GPU");
    }
    return RS_OK;
}
