/* topology_box.c: from the elements of a topology XML to the parts of a box.
 *
 *     cpu                       a processor
 *       pci class 0x060400      a bridge                  what stands in no such place, or lacks what NCCL needs,
 *         pci class 0x030200    becomes a GPU by <gpu>    is an error with its line
 *         pci class 0x020700    becomes a NIC by <nic>
 */
#include "topology/topology_box.h"
#include "ringsim_text.h"
#include "base/containers.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ a file without GPUs */

/* A file without any <gpu>, as clouds give it: only PCIe.
 *
 *   - Classes alone say what a leaf is; NCCL adds the rest when it starts. NICs are taken to be as fast as fits their
 *     PCIe.
 */

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

static bool is_device(const rn_box_part *part) {
    return part->kind == RN_GPU_PART || part->kind == RN_NIC_PART;
}

static void say_below(rn_findings *findings, int64_t line) {
    rn_find(findings, RN_ERROR, line, "pci: below a GPU or a NIC there is nothing");
}

/* Is it a pci with nothing in it that says nothing of what it is? */
static bool is_classless_leaf(const rn_box_reading *r, int32_t i) {
    const rn_element *e = &r->elements->list[i];
    if (e->tag != RN_TAG_PCI || r->part_of[i] < 0 ||
        r->box->parts[r->part_of[i]].kind != RN_BRIDGE || rn_attribute(e, "class") != NULL) {
        return false;
    }
    for (rn_tag tag = RN_TAG_SYSTEM; tag < RN_TAG_OTHER; tag++) {
        if (rn_has_inside(r->elements, i, tag)) return false;
    }
    return true;
}

/* Makes devices of the bridges whose class says so, where no element does: of leaves by their classes; GPUs and
   NICs are numbered by their bus ids, as CUDA does it. */
static rs_status read_template(const rn_box_reading *r, rs_arena *arena, rs_error *error) {
    const rn_elements *elements = r->elements;
    rn_findings *findings = r->findings;
    rn_box *box = r->box;
    rn_box_part **devices = rs_alloc(arena, (size_t)box->n_parts + 1, sizeof(rn_box_part *));
    int32_t n = 0, first_nic = 0, host = 0, n_leaves = 0, n_taken = 0, n_gpus = 1;
    if (devices == NULL) return rs_no_memory(error);
    for (int32_t i = 0; i < elements->n; i++) n_leaves += is_classless_leaf(r, i);
    while (2 * n_gpus <= n_leaves) n_gpus *= 2;
    if (n_leaves > 0) {
        rn_find(
            findings, RN_WARNING, elements->list[0].line,
            "%d devices without a class: by their order the first %d are taken for GPUs, the rest for NICs",
            (int)n_leaves, (int)n_gpus);
    }
    for (int32_t i = 0; i < elements->n; i++) {
        const rn_element *element = &elements->list[i];
        rn_box_part *part = r->part_of[i] < 0 ? NULL : &box->parts[r->part_of[i]];
        if (part == NULL || element->tag != RN_TAG_PCI || part->kind != RN_BRIDGE) continue;
        const bool leaf = is_classless_leaf(r, i);
        n_taken += leaf;
        const bool gpu = rn_has_class(element, "0x03") || (leaf && n_taken <= n_gpus);
        if (!gpu && !leaf && !rn_has_class(element, "0x02")) continue;
        part->kind = gpu ? RN_GPU_PART : RN_NIC_PART;
        devices[n++] = part;
    }
    for (int32_t i = 0; i < box->n_parts; i++) {
        const rn_box_part *part = &box->parts[i];
        if (part->up >= 0 && is_device(&box->parts[part->up])) say_below(findings, part->line);
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
                                               fitting_port_Bps(part->up_rate.raw_Bps), part->line};
    }
    if (n > 0) {
        rn_find(
            findings, RN_WARNING, elements->list[0].line,
            "a template, without <gpu>: NCCL adds NVLinks and NICs' speeds when it starts; here there "
            "are no NVLinks, and NICs as fast as fits their PCIe");
    }
    return RS_OK;
}

enum { MOST_DEV = 65535, MOST_NUMA = 4095, MOST_MBPS = 10000000 };
static const uint64_t local_Bps = RN_GB(50000); /* NCCL's LOC_BW: no wire bounds */

/* ------------------------------------------------------------------ parts */

static rn_box_part *add_part(rn_box_reading *r, int32_t element, rn_part_kind kind, int32_t up) {
    rn_box *box = r->box;
    rn_box_part *part = &box->parts[box->n_parts];
    *part = (rn_box_part){.kind = kind,
                          .line = r->elements->list[element].line,
                          .up = up,
                          .host = up >= 0 ? box->parts[up].host : 0};
    r->part_of[element] = box->n_parts++;
    return part;
}

static int32_t find_host(rn_box_reading *r, const char *hash) {
    if (hash == NULL) hash = "";
    int32_t host = 0;
    while (host < r->box->n_hosts && strcmp(r->host_hashes[host], hash) != 0) host++;
    if (host == r->box->n_hosts) r->host_hashes[r->box->n_hosts++] = hash;
    return host;
}

/* Of what is alike in many elements the first is told. */
static bool is_first(bool *said) {
    const bool first = !*said;
    *said = true;
    return first;
}

static uint64_t read_between(rn_box_reading *r, const rn_element *element) {
    const char *arch = rn_attribute(element, "arch"), *vendor = rn_attribute(element, "vendor");
    int64_t family = 0, model = 0;
    rn_read_number(element, "familyid", 0, INT32_MAX, false, r->findings, &family);
    rn_read_number(element, "modelid", 0, INT32_MAX, false, r->findings, &model);
    const uint64_t Bps =
        rn_between_cpus_Bps(arch != NULL ? arch : "", vendor != NULL ? vendor : "", family, model);
    if (Bps > 0) return Bps;
    if (is_first(&r->said_between))
        rn_find(
            r->findings, RN_WARNING, element->line,
            "cpu: arch or vendor is not known: what joins processors is taken to bound nothing, as "
            "NCCL takes it");
    return local_Bps;
}

static void read_system(rn_box_reading *r, int32_t at) {
    const rn_element *element = &r->elements->list[at];
    const char *version = rn_attribute(element, "version");
    if (element->parent >= 0)
        rn_find(r->findings, RN_ERROR, element->line, "system: there is one, around all");
    if (version == NULL || strcmp(version, "1") == 0) return;
    rn_find(r->findings, RN_WARNING, element->line,
            "system: version=\"%.20s\"; NCCL's is 1, RCCL's XGMI is not read", version);
}

static void read_cpu(rn_box_reading *r, int32_t at) {
    const rn_element *element = &r->elements->list[at];
    int64_t numa;
    if (element->parent != 0 || r->elements->list[0].tag != RN_TAG_SYSTEM) {
        rn_part_around(r, element, "system");
        return;
    }
    if (!rn_read_number(element, "numaid", -1, MOST_NUMA, true, r->findings, &numa)) return;
    if (r->n_cpus == RN_MOST_HOST_CPUS) {
        rn_find(r->findings, RN_ERROR, element->line, "too many processors: at most %d",
                RN_MOST_HOST_CPUS);
        return;
    }
    const int32_t host = find_host(r, rn_attribute(element, "host_hash"));
    for (int32_t i = 0; i < r->box->n_parts; i++) {
        const rn_box_part *other = &r->box->parts[i];
        if (other->kind != RN_HOST_CPU || other->host != host || other->id != (uint64_t)numa)
            continue;
        rn_find(r->findings, RN_ERROR, element->line,
                "cpu: numaid %lld stands in line %lld already", (long long)numa,
                (long long)other->line);
        return;
    }
    rn_box_part *part = add_part(r, at, RN_HOST_CPU, -1);
    part->host = host;
    part->id = (uint64_t)numa;
    part->between_Bps = read_between(r, element);
    r->n_cpus++;
}

/* Returns lanes; 16 where they are not known, as NCCL takes them. */
static int32_t read_lanes(rn_box_reading *r, const rn_element *element) {
    int64_t lanes = 0;
    const char *text = rn_attribute(element, "link_width");
    const bool said = text != NULL && text[0] != '\0';
    if (said && !rn_read_number(element, "link_width", 0, 255, true, r->findings, &lanes))
        return 16;
    if (lanes > 0) {
        if (lanes <= 32 && ((lanes & (lanes - 1)) == 0 || lanes == 12)) return (int32_t)lanes;
        rn_find(r->findings, RN_ERROR, element->line,
                "pci: link_width=\"%d\": PCIe has 1, 2, 4, 8, 12, 16 or 32 lanes", (int)lanes);
        return 16;
    }
    if (is_first(&r->said_width))
        rn_find(
            r->findings, RN_WARNING, element->line,
            "pci: link_width is not known here: taken for 16 lanes, as NCCL does; others alike");
    return 16;
}

/* Returns the generation; 3 where the speed is not known, as NCCL takes it. */
static int32_t read_generation(rn_box_reading *r, const rn_element *element) {
    const char *text = rn_attribute(element, "link_speed");
    const bool said = text != NULL && text[0] != '\0' && strncmp(text, "Unknown", 7) != 0;
    const int32_t generation = said ? rn_pcie_generation(text) : 0;
    if (generation > 0) return generation;
    if (said)
        rn_find(r->findings, RN_ERROR, element->line,
                "pci: link_speed=\"%.40s\": PCIe has 2.5, 5, 8, 16, 32 or 64 GT/s", text);
    else if (is_first(&r->said_speed))
        rn_find(r->findings, RN_WARNING, element->line,
                "pci: link_speed is not known here: taken for 8 GT/s, as NCCL does; others alike");
    return 3;
}

static void read_pci(rn_box_reading *r, int32_t at) {
    const rn_element *element = &r->elements->list[at];
    const int32_t up = rn_part_around(r, element, "cpu, pci");
    uint64_t id = 0, class = 0;
    if (up < 0) return;
    const char *bus_id = rn_needed_attribute(element, "busid", r->findings),
               *class_text = rn_attribute(element, "class");
    if (bus_id == NULL) return;
    if (class_text == NULL && is_first(&r->said_class))
        rn_find(
            r->findings, RN_WARNING, element->line,
            "pci: class is missing; NCCL reads it from /sys when it starts, here what stands within tells; others "
            "alike");
    if (!rn_read_bus_id(bus_id, &id)) {
        rn_find(r->findings, RN_ERROR, element->line, "pci: busid=\"%.40s\" is none: 0000:4e:00.0",
                bus_id);
        return;
    }
    const char *digits = class_text != NULL ? class_text + 2 : NULL;
    if (digits != NULL && (strncmp(class_text, "0x", 2) != 0 ||
                           rn_take_hex(&digits, 6, &class) < 2 || *digits != '\0'))
        rn_find(r->findings, RN_ERROR, element->line, "pci: class=\"%.40s\" is none: 0x060400",
                class_text);
    if (is_device(&r->box->parts[up])) {
        say_below(r->findings, element->line);
        return;
    }
    const int32_t lanes = read_lanes(r, element), generation = read_generation(r, element);
    rn_box_part *part = add_part(r, at, RN_BRIDGE, up);
    part->id = id;
    part->up_rate = rn_pcie_rate(generation, lanes);
}

static bool may_have_class(const rn_element *element, const char *begin) {
    return rn_attribute(element, "class") == NULL || rn_has_class(element, begin);
}

static void read_gpu(rn_box_reading *r, int32_t at) {
    const rn_element *element = &r->elements->list[at];
    const int32_t in = rn_part_around(r, element, "pci");
    int64_t dev, sm = 0;
    r->n_gpus++;
    if (in < 0) return;
    rn_box_part *part = &r->box->parts[in];
    if (!may_have_class(&r->elements->list[element->parent], "0x03")) {
        rn_find(r->findings, RN_ERROR, element->line,
                "gpu in a pci of class %.20s; a GPU's begins with 0x03",
                rn_attribute(&r->elements->list[element->parent], "class"));
        return;
    }
    if (part->kind != RN_BRIDGE) {
        rn_find(
            r->findings, RN_ERROR, element->line,
            "gpu: this pci holds a device already; parts of a GPU, and several ranks on one, are "
            "not read");
        return;
    }
    if (!rn_read_number(element, "dev", 0, MOST_DEV, true, r->findings, &dev)) return;
    if (!rn_read_number(element, "sm", 10, 999, false, r->findings, &sm) &&
        rn_attribute(element, "sm") == NULL && rn_has_inside(r->elements, at, RN_TAG_NVLINK) &&
        is_first(&r->said_sm))
        rn_find(r->findings, RN_WARNING, element->line,
                "gpu: sm is missing: an NVLink is taken for Ampere's, 20 GB/s, as NCCL does; "
                "others alike");
    part->kind = RN_GPU_PART;
    part->dev = (int32_t)dev;
    part->sm = (int32_t)sm;
    r->part_of[at] = in;
}

static void read_nic(rn_box_reading *r, int32_t at) {
    const rn_element *element = &r->elements->list[at];
    const int32_t in = rn_part_around(r, element, "pci, cpu");
    if (in < 0) return;
    if (r->box->parts[in].kind == RN_HOST_CPU) { /* NCCL did not find where it is plugged in */
        rn_box_part *part = add_part(r, at, RN_NIC_PART, in);
        part->up_rate = (rn_rate){local_Bps, local_Bps};
        return;
    }
    if (r->box->parts[in].kind != RN_BRIDGE) {
        rn_find(r->findings, RN_ERROR, element->line, "nic: this pci holds a device already");
        return;
    }
    if (!may_have_class(&r->elements->list[element->parent], "0x02")) {
        rn_find(r->findings, RN_WARNING, element->line,
                "nic in a pci of class %.20s; a NIC's begins with 0x02",
                rn_attribute(&r->elements->list[element->parent], "class"));
    }
    r->box->parts[in].kind = RN_NIC_PART;
    r->part_of[at] = in;
}

static uint64_t read_port_rate(rn_box_reading *r, const rn_element *element) {
    int64_t mbps = 0;
    const char *text = rn_attribute(element, "speed");
    const bool wrong =
        text != NULL && !rn_read_number(element, "speed", -1, MOST_MBPS, true, r->findings, &mbps);
    if (mbps <= 0 && !wrong && is_first(&r->said_port))
        rn_find(r->findings, RN_WARNING, element->line,
                "net: speed is not known: taken for 10 Gb/s, as NCCL does; others alike");
    return (uint64_t)(mbps > 0 ? mbps : 10000) * 125000; /* Mb/s */
}

static void read_net(rn_box_reading *r, int32_t at) {
    const rn_element *element = &r->elements->list[at];
    const int32_t nic = rn_part_around(r, element, "nic");
    const char *fused = rn_attribute(element, "net"), *keep = rn_attribute(element, "keep");
    int64_t dev;
    if (nic < 0) return;
    if ((fused != NULL && strcmp(fused, "0") == 0) || (keep != NULL && strcmp(keep, "0") == 0)) {
        return; /* part of a virtual NIC, or not used */
    }
    if (!rn_read_number(element, "dev", 0, MOST_DEV, true, r->findings, &dev)) return;
    rn_box *box = r->box;
    box->ports[box->n_ports++] =
        (rn_port){nic, (int32_t)dev, read_port_rate(r, element), element->line};
}

/* ------------------------------------------------------------------ all */

static bool take_room(rn_box_reading *r, rs_arena *arena) {
    size_t n[RN_TAG_OTHER + 1] = {0};
    for (int32_t i = 0; i < r->elements->n; i++) n[r->elements->list[i].tag]++;
    const size_t n_parts = n[RN_TAG_CPU] + n[RN_TAG_PCI] + n[RN_TAG_NIC];
    r->box->parts = rs_alloc(arena, n_parts + 1, sizeof(rn_box_part));
    r->box->ports = rs_alloc(arena, n[RN_TAG_NET] + n[RN_TAG_PCI] + 1, sizeof(rn_port));
    r->part_of = rs_alloc(arena, (size_t)r->elements->n + 1, sizeof *r->part_of);
    r->host_hashes = rs_alloc(arena, RN_MOST_HOST_CPUS, sizeof *r->host_hashes);
    return r->box->parts && r->box->ports && r->part_of && r->host_hashes;
}

rs_status rn_read_box_xml(const char *text, size_t n_bytes, rs_arena *arena, rn_findings *findings,
                          rs_error *error, rn_box *box) {
    static void (*const read[RN_TAG_OTHER + 1])(rn_box_reading *, int32_t) = {
        [RN_TAG_SYSTEM] = read_system, [RN_TAG_CPU] = read_cpu, [RN_TAG_PCI] = read_pci,
        [RN_TAG_GPU] = read_gpu,       [RN_TAG_NIC] = read_nic, [RN_TAG_NET] = read_net};
    rn_elements elements;
    rn_box_reading r = {.elements = &elements, .findings = findings, .box = box};
    *box = (rn_box){0};
    rs_status status = rn_read_topology_elements(text, n_bytes, arena, findings, error, &elements);
    if (status != RS_OK || findings->n[RN_ERROR] > 0) return status;
    if (!take_room(&r, arena)) return rs_no_memory(error);
    for (int32_t i = 0; i < elements.n; i++) {
        const int32_t tag = elements.list[i].tag;
        r.part_of[i] = -1;
        if (read[tag] != NULL) read[tag](&r, i);
    }
    if (r.n_gpus == 0) status = read_template(&r, arena, error);
    /* links to what was refused are not wrong, too */
    if (status == RS_OK && findings->n[RN_ERROR] == 0) status = rn_read_nvlinks(&r, arena, error);
    if (status != RS_OK) return status;
    return rn_lint_box(box, elements.list[0].line, arena, findings, error);
}
