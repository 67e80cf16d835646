/* box_machine.c: from a box to a machine.
 *
 *     gpu0 === nvsw, gpu0 === gpu1           nvlink, all links of a bundle as one
 *     gpu0 --- pci.e000 --- cpu0             pcie; bridges that lead to no device are left out
 *     cpu0 --- cpu1                          cpu, each with each of its host
 *     pci.e000 --- nic0 --- fabric           net, a link for each port
 *
 *   - GPUs are numbered by host, then by their own numbers.
 *   - NICs were measured to be faster than what NCCL counts for their PCIe (98.65 GB/s over two "48" ones): where
 *     there is a NIC in a tree of PCIe, its links carry what the fastest NIC does, if the hardware can. So the
 *     presets have it.
 *   - The machine is written as text, as a user could, and read like any other.
 */
#include "topology/box.h"
#include "base/containers.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 48 };

typedef struct box_writing {
    const rn_box *box;
    rs_arena *scratch;
    char *text; /* [n_bytes] in so much room */
    size_t n_bytes, room;
    int32_t *gpu_of;              /* [n_parts] the number of a GPU; else -1 */
    const rn_box_part **in_order; /* [n_gpus] */
    char (*names)[NAME];          /* [n_parts] as devices */
    bool *counts;                 /* [n_parts] a GPU, a NIC with ports, or above one */
    /* [n_parts] the fastest NIC in the tree whose root, below a processor, it is. */
    uint64_t *nic_Bps;
    int32_t n_gpus;
} box_writing;

/* ------------------------------------------------------------------ numbers and names */

static int by_number(const void *left, const void *right) {
    const rn_box_part *a = *(rn_box_part *const *)left, *b = *(rn_box_part *const *)right;
    return 2 * RS_BY(host, dev) + RS_COMPARE(a, b);
}

static void number_gpus(box_writing *w) {
    const rn_box *box = w->box;
    for (int32_t i = 0; i < box->n_parts; i++) {
        w->gpu_of[i] = -1;
        if (box->parts[i].kind == RN_GPU_PART) w->in_order[w->n_gpus++] = &box->parts[i];
    }
    qsort(w->in_order, (size_t)w->n_gpus, sizeof *w->in_order, by_number);
    for (int32_t i = 0; i < w->n_gpus; i++) w->gpu_of[w->in_order[i] - box->parts] = i;
}

/* Writes a part's name as a device. */
static void write_name(const box_writing *w, int32_t at, char out[NAME]) {
    const rn_box_part *part = &w->box->parts[at];
    char host[16] = "";
    if (w->box->n_hosts > 1) snprintf(host, sizeof host, "host%d.", (int)part->host);
    if (part->kind == RN_GPU_PART) {
        snprintf(out, NAME, "gpu%d", (int)w->gpu_of[at]);
    } else if (part->label != NULL) {
        snprintf(out, NAME, "%s%d", part->label, (int)part->dev);
    } else if (part->kind == RN_NIC_PART) {
        snprintf(out, NAME, "%snic%d", host, (int)part->dev);
    } else if (part->kind == RN_BRIDGE) {
        snprintf(out, NAME, "%spci.%llx", host, (unsigned long long)part->id);
    } else if (part->id == UINT64_MAX) { /* numaid -1: there is one */
        snprintf(out, NAME, "%scpu", host);
    } else {
        snprintf(out, NAME, "%scpu%llu", host, (unsigned long long)part->id);
    }
}

/* ------------------------------------------------------------------ what counts */

/* Returns the topmost part below the processor. */
static int32_t root_below(const rn_box *box, int32_t at) {
    while (box->parts[box->parts[at].up].up >= 0) at = box->parts[at].up;
    return at;
}

static void count_parts(box_writing *w) {
    const rn_box *box = w->box;
    for (int32_t i = 0; i < box->n_ports; i++) {
        const int32_t nic = box->ports[i].nic, root = root_below(box, nic);
        if (box->parts[nic].ports_Bps > w->nic_Bps[root])
            w->nic_Bps[root] = box->parts[nic].ports_Bps;
        w->counts[nic] = true;
    }
    for (int32_t i = box->n_parts; i-- > 0;) { /* a part stands behind the one above it */
        const rn_box_part *part = &box->parts[i];
        if (part->kind == RN_GPU_PART) w->counts[i] = true;
        if (w->counts[i] && part->up >= 0) w->counts[part->up] = true;
    }
}

/* ------------------------------------------------------------------ lines of text */

static void put(box_writing *w, const char *format, ...) RS_PRINTF(2, 3);
static void put(box_writing *w, const char *format, ...) {
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    const size_t n = (size_t)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    assert(n < sizeof line);
    if (!rs_reserve(w->scratch, &w->text, w->n_bytes + n, &w->room)) return;
    memcpy(w->text + w->n_bytes, line, n);
    w->n_bytes += n;
}

static void write_link(box_writing *w, const char *a, const char *b, rn_rate rate,
                       int32_t latency_ns, const char *kind) {
    put(w, "link %s %s bandwidth %lluB/s", a, b, (unsigned long long)rate.Bps);
    if (latency_ns > 0) put(w, " latency %dns", (int)latency_ns);
    if (rate.raw_Bps > rate.Bps) put(w, " raw %lluB/s", (unsigned long long)rate.raw_Bps);
    put(w, " kind %s\n", kind);
}

static rn_rate times(rn_rate link, int32_t n) {
    return (rn_rate){link.Bps * (uint64_t)n, link.raw_Bps * (uint64_t)n};
}

static void write_devices(box_writing *w) {
    const rn_box *box = w->box;
    /* As dgx-h100.machine and b200.machine have it. */
    static const char hopper[] = "launch 3.9us\nbarrier 1.35us\n",
                      later[] = "launch 6.2us\nbarrier 6.05us\n";
    bool has_switch = false, reduces = true;
    const int32_t sm = w->in_order[0]->sm;
    bool alike = sm > 0;
    for (int32_t i = 0; i < w->n_gpus; i++) alike = alike && w->in_order[i]->sm == sm;
    put(w, "ringsim-machine 1\ngpus %d", (int)w->n_gpus);
    if (alike) put(w, " sm %d", (int)sm);
    put(w, "\n");
    for (int32_t i = 0; i < w->n_gpus; i++) {
        const rn_box_part *gpu = w->in_order[i];
        if (gpu->n_to_switch == 0) continue;
        has_switch = true;
        reduces = reduces && gpu->sm >= 90; /* NVLink SHARP, as NCCL's NVLS needs it */
    }
    if (has_switch) put(w, "switch nvsw%s\n", reduces ? " reduces" : "");
    if (has_switch && reduces && alike) put(w, "%s", sm >= 100 ? later : hopper);
    for (int32_t i = 0; i < box->n_parts; i++) {
        if (!w->counts[i] || w->gpu_of[i] >= 0) continue;
        put(w, "switch %s\n", w->names[i]);
    }
    if (box->n_ports > 0) put(w, "switch fabric\n");
}

RS_ORDER(by_gpus, rn_bundle, a, b);

/* NVLinks, GPU by GPU: to switches, to other GPUs, to the processor. */
static void write_nvlinks(box_writing *w) {
    const rn_box *box = w->box;
    rn_bundle *bundles = rs_alloc(w->scratch, (size_t)box->n_bundles + 1, sizeof *bundles);
    if (bundles == NULL) return;
    for (int32_t i = 0; i < w->n_gpus; i++) {
        const rn_box_part *gpu = w->in_order[i];
        if (gpu->n_to_switch == 0) continue;
        write_link(w, w->names[gpu - box->parts], "nvsw",
                   times(rn_nvlink_rate(gpu->sm), gpu->n_to_switch), RN_TO_SWITCH_NS, "nvlink");
    }
    /* From the GPU with the lower number; to a processor, which stands before its GPUs, behind all. */
    for (int32_t i = 0; i < box->n_bundles; i++) {
        rn_bundle *bundle = &bundles[i];
        *bundle = box->bundles[i];
        const int32_t a = w->gpu_of[bundle->a], b = w->gpu_of[bundle->b];
        assert(b >= 0);
        bundle->a = a < 0 || b < a ? b : a;
        bundle->b = a < 0 ? w->n_gpus + box->bundles[i].a : a + b - bundle->a;
    }
    qsort(bundles, (size_t)box->n_bundles, sizeof *bundles, by_gpus);
    for (int32_t i = 0; i < box->n_bundles; i++) {
        const rn_bundle *bundle = &bundles[i];
        const bool to_gpu = bundle->b < w->n_gpus;
        const rn_box_part *a = w->in_order[bundle->a];
        const rn_box_part *b = to_gpu ? w->in_order[bundle->b] : &box->parts[bundle->b - w->n_gpus];
        const rn_rate one = rn_nvlink_rate(a->sm), two = rn_nvlink_rate(b->sm);
        write_link(w, w->names[a - box->parts], w->names[b - box->parts],
                   times(to_gpu && two.Bps < one.Bps ? two : one, bundle->n_links), RN_NVLINK_NS,
                   "nvlink");
    }
}

/* What a part's link upwards carries. */
static rn_rate up_rate(const box_writing *w, int32_t at) {
    const rn_rate own = w->box->parts[at].up_rate;
    const uint64_t nic = w->nic_Bps[root_below(w->box, at)];
    const uint64_t wanted = nic < own.raw_Bps ? nic : own.raw_Bps;
    return (rn_rate){wanted > own.Bps ? wanted : own.Bps, own.raw_Bps};
}

static void write_pcie(box_writing *w) {
    const rn_box *box = w->box;
    for (int32_t i = 0; i < w->n_gpus; i++) {
        const rn_box_part *gpu = w->in_order[i];
        const int32_t at = (int32_t)(gpu - box->parts), cpu = rn_processor_of(box, at);
        write_link(w, w->names[at], w->names[gpu->up], up_rate(w, at), RN_GPU_PCIE_NS, "pcie");
        if (gpu->c2c_Bps == 0) continue;
        /* as pcie, for kind cpu would be the worse way */
        write_link(w, w->names[at], w->names[cpu], (rn_rate){gpu->c2c_Bps, gpu->c2c_Bps}, 0,
                   "pcie");
    }
    for (int32_t i = 0; i < box->n_parts; i++) {
        const rn_box_part *part = &box->parts[i];
        if (!w->counts[i] || part->up < 0 || w->gpu_of[i] >= 0) continue;
        write_link(w, w->names[part->up], w->names[i], up_rate(w, i), 0, "pcie");
    }
}

static void write_between(box_writing *w) {
    const rn_box *box = w->box;
    for (int32_t i = 0; i < box->n_parts; i++) {
        const rn_box_part *a = &box->parts[i];
        if (a->kind != RN_HOST_CPU || !w->counts[i]) continue;
        for (int32_t k = i + 1; k < box->n_parts; k++) {
            const rn_box_part *b = &box->parts[k];
            if (b->kind != RN_HOST_CPU || !w->counts[k] || a->host != b->host) continue;
            const uint64_t Bps = a->between_Bps < b->between_Bps ? a->between_Bps : b->between_Bps;
            write_link(w, w->names[i], w->names[k], (rn_rate){Bps, Bps}, 0, "cpu");
        }
    }
}

static void write_ports(box_writing *w) {
    for (int32_t i = 0; i < w->box->n_ports; i++) {
        const rn_port *port = &w->box->ports[i];
        write_link(w, w->names[port->nic], "fabric", (rn_rate){port->Bps, port->Bps}, RN_NET_NS,
                   "net");
    }
}

/* ------------------------------------------------------------------ is every GPU reached? */

/* Names the GPUs that GPU 0 does not reach. */
static rs_status check_reach(const box_writing *w, const rs_machine *machine, rn_findings *findings,
                             rs_error *error) {
    int32_t *group = rs_alloc(w->scratch, (size_t)machine->n_devices, sizeof *group);
    if (group == NULL) return rs_no_memory(error);
    for (int32_t d = 0; d < machine->n_devices; d++) group[d] = d;
    for (int32_t i = 0; i < machine->n_links; i++)
        rs_join_groups(group, machine->links[i].a, machine->links[i].b);
    for (int32_t i = 0; i < machine->n_gpus; i++) {
        if (rs_group_of(group, i) == 0) continue;
        rn_find(findings, RN_ERROR, w->in_order[i]->line,
                "gpu: no way leads from it to the GPU of line %lld",
                (long long)w->in_order[0]->line);
    }
    return RS_OK;
}

/* ------------------------------------------------------------------ all */

static bool write_all(box_writing *w) {
    const size_t n = (size_t)w->box->n_parts + 1;
    w->gpu_of = rs_alloc(w->scratch, n, sizeof *w->gpu_of);
    w->in_order = rs_alloc(w->scratch, n, sizeof *w->in_order);
    w->counts = rs_alloc(w->scratch, n, sizeof *w->counts);
    w->nic_Bps = rs_alloc(w->scratch, n, sizeof *w->nic_Bps);
    w->names = rs_alloc(w->scratch, n, sizeof *w->names);
    if (w->scratch->lacked) return false;
    number_gpus(w);
    for (int32_t i = 0; i < w->box->n_parts; i++) write_name(w, i, w->names[i]);
    count_parts(w);
    write_devices(w);
    write_nvlinks(w);
    write_pcie(w);
    write_between(w);
    write_ports(w);
    return !w->scratch->lacked;
}

rs_status rn_make_box(const rn_box *box, const char *name, rs_arena *arena, rn_findings *findings,
                      rs_error *error, rs_machine *machine) {
    rs_arena scratch;
    box_writing w = {.box = box, .scratch = &scratch};
    rs_arena_init(&scratch, arena->host);
    rs_status status = write_all(&w) ? RS_OK : rs_no_memory(error);
    if (status == RS_OK) status = rs_parse_machine(w.text, w.n_bytes, name, arena, error, machine);
    if (status == RS_OK) status = check_reach(&w, machine, findings, error);
    rs_arena_free(&scratch);
    return status;
}
