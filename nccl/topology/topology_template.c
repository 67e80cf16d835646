/* topology_template.c: a file without any <gpu>, as clouds give it: only PCIe.
 *
 *   - Classes alone say what a leaf is; NCCL adds the rest when it starts. NICs are taken to be as fast as fits their
 *     PCIe.
 */
#include "topology/topology_box.h"
#include "base/containers.h"

#include <stdlib.h>

/* Returns the fastest NIC that fits through PCIe. */
static uint64_t fitting_port_Bps(uint64_t raw_Bps) {
    static const uint64_t gigabits[] = {800, 400, 200, 100, 50, 40, 25};
    for (int i = 0; i < 7; i++) {
        if (gigabits[i] * 125000000 <= raw_Bps) return gigabits[i] * 125000000;
    }
    return 1250000000;
}

static int by_bus_id(const void *left, const void *right) {
    const rn_box_part *a = *(rn_box_part *const *)left, *b = *(rn_box_part *const *)right;
    return RS_BY(host, id, line);
}

/* Makes devices of leaves by their classes; GPUs and NICs are numbered by their bus ids, as CUDA does it. */
rs_status rn_read_template(const rn_elements *elements, const int32_t part_of[], rs_arena *arena,
                           rn_findings *findings, rs_error *error, rn_box *box) {
    rn_box_part **devices = rs_alloc(arena, (size_t)box->n_parts + 1, sizeof(rn_box_part *));
    int32_t n = 0, first_nic = 0, host = 0;
    if (devices == NULL) return rs_no_memory(error);
    for (int32_t i = 0; i < elements->n; i++) {
        const rn_element *element = &elements->list[i];
        rn_box_part *part = part_of[i] < 0 ? NULL : &box->parts[part_of[i]];
        if (part == NULL || element->tag != RN_TAG_PCI || part->kind != RN_BRIDGE) continue;
        if (rn_has_class(element, "0x03")) {
            part->kind = RN_GPU_PART;
            devices[n++] = part;
        } else if (rn_has_class(element, "0x02")) {
            part->kind = RN_NIC_PART;
            devices[n++] = part;
        }
    }
    for (int32_t i = 0; i < box->n_parts; i++) {
        const rn_box_part *part = &box->parts[i], *up = part->up < 0 ? part : &box->parts[part->up];
        if (up->kind != RN_GPU_PART && up->kind != RN_NIC_PART) continue;
        if (up != part)
            rn_find(findings, RN_ERROR, part->line, "pci: below a GPU or a NIC there is nothing");
    }
    for (int32_t i = 0; i < box->n_ports; i++) { /* of NICs that are described */
        if (box->ports[i].dev >= first_nic) first_nic = box->ports[i].dev + 1;
    }
    int32_t numbers[2] = {0, first_nic};
    qsort(devices, (size_t)n, sizeof(rn_box_part *), by_bus_id);
    for (int32_t i = 0; i < n; i++) {
        rn_box_part *part = devices[i];
        if (part->host != host) {
            numbers[0] = 0;
            numbers[1] = first_nic;
        }
        host = part->host;
        part->dev = numbers[part->kind == RN_NIC_PART]++;
        if (part->kind != RN_NIC_PART) continue;
        box->ports[box->n_ports++] = (rn_port){(int32_t)(part - box->parts), part->dev,
                                               fitting_port_Bps(part->up_raw_Bps), part->line};
    }
    if (n > 0) {
        rn_find(
            findings, RN_WARNING, elements->list[0].line,
            "a template, without <gpu>: NCCL adds NVLinks and NICs' speeds when it starts; here there "
            "are no NVLinks, and NICs as fast as fits their PCIe");
    }
    return RS_OK;
}
