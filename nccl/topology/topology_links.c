/* topology_links.c: NVLinks and C2C of a topology XML.
 *
 *     <gpu dev="0"> <nvlink target="0000:05:00.0" count="4" tclass="0x068000"/>    to a switch: a number of the GPU's
 *     <gpu dev="1"> <nvlink target="0000:0b:00.0" count="2" tclass="0x030200"/>    to a GPU: half of a bundle
 *
 *   - Both GPUs describe a bundle; the two must agree.
 *   - To which switch a link leads does not count: NCCL makes one of all.
 */
#include "base/containers.h"
#include "topology/topology_box.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_COUNT = 64, MOST_C2C = 64, MOST_C2C_MBPS = 10000000 };

int32_t rn_processor_of(const rn_box *box, int32_t part) {
    while (box->parts[part].up >= 0) part = box->parts[part].up;
    return part;
}

/* ------------------------------------------------------------------ elements */

int32_t rn_part_around(const rn_box_reading *r, const rn_element *element, const char *where) {
    const rn_element *around = element->parent < 0 ? NULL : &r->elements->list[element->parent];
    if (around != NULL && strstr(where, around->name) != NULL) return r->part_of[element->parent];
    rn_find(r->findings, RN_ERROR, element->line, "%s in %s; it stands in %s", element->name,
            around == NULL ? "" : around->name, where);
    return -1;
}

static int32_t find_gpu(const rn_box *box, int32_t host, uint64_t id) {
    for (int32_t i = 0; i < box->n_parts; i++) {
        const rn_box_part *part = &box->parts[i];
        if (part->kind == RN_GPU_PART && part->id == id && part->host == host) return i;
    }
    return -1;
}

static void add_half(rn_box *box, int32_t from, int32_t to, int64_t count, int64_t line) {
    box->bundles[box->n_bundles++] =
        (rn_bundle){from < to ? from : to, from < to ? to : from, (int32_t)count, line, from};
}

/* Tells what a link leads to: 'g' a GPU, 'c' the processor, 's' a switch; 0: the class says none. */
static char target_of(const char *class, bool is_gpu) {
    if (class == NULL || class[0] == '\0') return is_gpu ? 'g' : 's';
    if (strncmp(class, "0x03", 4) == 0) return 'g';
    if (strcmp(class, "0x068001") == 0) return 'c';
    return strcmp(class, "0x068000") == 0 ? 's' : '\0';
}

static void read_nvlink(const rn_box_reading *r, const rn_element *element) {
    const int32_t from = rn_part_around(r, element, "gpu");
    const char *class = rn_attribute(element, "tclass"), *target;
    int64_t count = 0;
    uint64_t id;
    if (from < 0) return;
    target = rn_needed_attribute(element, "target", r->findings);
    if (target == NULL) return;
    if (!rn_read_number(element, "count", 1, MOST_COUNT, true, r->findings, &count)) return;
    const bool is_id = rn_read_bus_id(target, &id);
    const int32_t to = is_id ? find_gpu(r->box, r->box->parts[from].host, id) : -1;
    const char kind = target_of(class, to >= 0);
    if (kind == '\0') {
        rn_find(r->findings, RN_ERROR, element->line,
                "nvlink: tclass=\"%.20s\" is none: 0x030200 a GPU, 0x068000 a switch, 0x068001 the "
                "processor",
                class);
    } else if (kind == 's') {
        r->box->parts[from].n_to_switch += (int32_t)count;
    } else if (kind == 'c') {
        add_half(r->box, from, rn_processor_of(r->box, from), count, element->line);
    } else if (!is_id) {
        rn_find(r->findings, RN_ERROR, element->line,
                "nvlink: target=\"%.40s\" is no bus id: 0000:4e:00.0", target);
    } else if (to == from) {
        rn_find(r->findings, RN_WARNING, element->line,
                "nvlink: from a GPU to itself; NCCL takes it, and no way leads over it: left out");
    } else if (to < 0) {
        rn_find(
            r->findings, RN_ERROR, element->line,
            "nvlink: no GPU here has bus id %.40s; remove the line if that GPU was hidden from the job",
            target);
    } else {
        add_half(r->box, from, to, count, element->line);
    }
}

/* NCCL counts bw x count MB/s (ncclTopoAddC2c). */
static void read_c2c(const rn_box_reading *r, const rn_element *element) {
    const int32_t gpu = rn_part_around(r, element, "gpu");
    int64_t count = 0, mbps = 0;
    if (gpu < 0) return;
    if (r->box->parts[gpu].c2c_Bps > 0) {
        rn_find(r->findings, RN_ERROR, element->line, "c2c: the second of this gpu");
        return;
    }
    const bool whole = rn_read_number(element, "count", 1, MOST_C2C, true, r->findings, &count) &&
                       rn_read_number(element, "bw", 1, MOST_C2C_MBPS, true, r->findings, &mbps);
    if (whole) r->box->parts[gpu].c2c_Bps = (uint64_t)(count * mbps) * 1000000;
}

/* ------------------------------------------------------------------ bundles of two halves */

RS_ORDER(by_ends, rn_bundle, a, b, from, line);

static bool same_ends(const rn_bundle *a, const rn_bundle *b) {
    return a->a == b->a && a->b == b->b;
}

/* Makes one half of those of the same direction. */
static void add_up(rn_box *box, rn_findings *findings) {
    int32_t n = 0;
    for (int32_t i = 0; i < box->n_bundles; i++) {
        const rn_bundle *h = &box->bundles[i];
        rn_bundle *last = n == 0 ? NULL : &box->bundles[n - 1];
        if (last == NULL || !same_ends(last, h) || last->from != h->from) {
            box->bundles[n++] = *h;
            continue;
        }
        rn_find(
            findings, RN_WARNING, h->line,
            "nvlink: this target stands in line %lld already; the links are added, as NCCL does",
            (long long)last->line);
        last->n_links += h->n_links;
    }
    box->n_bundles = n;
}

static void join_halves(rn_box *box, rn_findings *findings) {
    int32_t n = 0;
    for (int32_t i = 0; i < box->n_bundles; i++) {
        const rn_bundle h = box->bundles[i],
                        *back = i + 1 < box->n_bundles ? &box->bundles[i + 1] : NULL;
        const rn_box_part *to = &box->parts[h.a + h.b - h.from];
        if (to->kind == RN_HOST_CPU) { /* it describes nothing itself */
            box->bundles[n++] = h;
            continue;
        }
        if (back == NULL || !same_ends(back, &h) || back->from == h.from) {
            rn_find(findings, RN_ERROR, h.line,
                    "nvlink: %d to the GPU of line %lld, which has none back; both describe them",
                    (int)h.n_links, (long long)to->line);
            continue;
        }
        if (back->n_links != h.n_links) {
            const rn_bundle *later = back->line > h.line ? back : &h,
                            *first = later == &h ? back : &h;
            rn_find(
                findings, RN_WARNING, later->line,
                "nvlink: %d links one way, %d the other way in line %lld: a link leads both ways, and is broken or "
                "missing; the slower way bounds a ring, and is taken",
                (int)later->n_links, (int)first->n_links, (long long)first->line);
        }
        box->bundles[n++] = back->n_links < h.n_links ? *back : h;
        i++;
    }
    box->n_bundles = n;
}

rs_status rn_read_nvlinks(const rn_box_reading *r, rs_arena *arena, rs_error *error) {
    const rn_elements *elements = r->elements;
    size_t n_links = 0;
    for (int32_t i = 0; i < elements->n; i++) n_links += elements->list[i].tag == RN_TAG_NVLINK;
    r->box->bundles = rs_alloc(arena, n_links + 1, sizeof *r->box->bundles);
    if (r->box->bundles == NULL) return rs_no_memory(error);
    for (int32_t i = 0; i < elements->n; i++) {
        const rn_element *element = &elements->list[i];
        if (element->tag == RN_TAG_NVLINK) read_nvlink(r, element);
        if (element->tag == RN_TAG_C2C) read_c2c(r, element);
    }
    qsort(r->box->bundles, (size_t)r->box->n_bundles, sizeof *r->box->bundles, by_ends);
    add_up(r->box, r->findings);
    join_halves(r->box, r->findings);
    return RS_OK;
}
