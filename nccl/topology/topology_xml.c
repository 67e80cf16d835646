/* topology_xml.c: the elements of a topology's XML, and what their attributes say. */
#include "ringsim_text.h"
#include "topology/topology_box.h"

#include <string.h>

enum { MOST_ELEMENTS = 100000, LONGEST_VALUE = 255 };

bool rn_has_inside(const rn_elements *elements, int32_t at, rn_tag tag) {
    const rn_element *list = elements->list;
    for (int32_t i = at + 1; i < elements->n && list[i].parent >= at; i++) {
        if (list[i].parent == at && list[i].tag == (int32_t)tag) return true;
    }
    return false;
}

bool rn_read_bus_id(const char *text, uint64_t *id) {
    uint64_t domain, bus, device, function;
    const char *at = text;
    if (rn_take_hex(&at, 8, &domain) == 0 || *at++ != ':') return false;
    if (rn_take_hex(&at, 2, &bus) != 2 || *at++ != ':') return false;
    if (rn_take_hex(&at, 2, &device) != 2 || *at++ != '.') return false;
    if (rn_take_hex(&at, 1, &function) != 1 || *at != '\0') return false;
    *id = domain << 20 | bus << 12 | device << 4 | function;
    return true;
}

bool rn_has_class(const rn_element *element, const char *begin) {
    const char *class = rn_attribute(element, "class");
    return class != NULL && strncmp(class, begin, strlen(begin)) == 0;
}

/* In the order of rn_tag; then what NCCL writes besides, and what means nothing for wires. */
static const char *const names[] = {"system", "cpu", "pci", "gpu",  "nvlink", "c2c",     "nic",
                                    "net",    "gin", "rma", "rail", "plane",  "pcilink", NULL};
enum { UNKNOWN = sizeof names / sizeof *names - 1 };

/* Marks what stands inside what is not known, and warns of the first that is not. */
static void pass_over(rn_elements *all, rn_findings *findings) {
    bool said = false;
    for (int32_t i = 1; i < all->n; i++) {
        rn_element *e = &all->list[i];
        const bool inside = all->list[e->parent].tag == RN_TAG_OTHER, unknown = e->tag == UNKNOWN;
        if (inside || e->tag > RN_TAG_OTHER) e->tag = RN_TAG_OTHER;
        if (inside || said || !unknown) continue;
        rn_find(findings, RN_WARNING, e->line,
                "<%.40s> is no element that is known here: passed over with all inside, and others "
                "like it",
                e->name);
        said = true;
    }
}

/* Names the first value that NCCL would cut; false: there is one. */
static bool check_values(const rn_elements *all, rn_findings *findings) {
    for (int32_t i = 0; i < all->n; i++) {
        const rn_element *e = &all->list[i];
        for (int k = 0; e->tag != RN_TAG_OTHER && e->attributes[k] != NULL; k += 2) {
            if (strlen(e->attributes[k + 1]) <= LONGEST_VALUE) continue;
            rn_find(findings, RN_ERROR, e->line, "%s %.40s: more than %d bytes, NCCL reads less",
                    e->name, e->attributes[k], LONGEST_VALUE);
            return false;
        }
    }
    return true;
}

rs_status rn_read_topology_elements(const char *text, size_t n_bytes, rs_arena *arena,
                                    rn_findings *findings, rs_error *error, rn_elements *elements) {
    const rs_status status =
        rn_read_elements(text, n_bytes, names, MOST_ELEMENTS, arena, error, elements);
    if (status != RS_OK) return status;
    const rn_element *first = elements->list;
    if (elements->n > 0 && first->tag != RN_TAG_SYSTEM) {
        rn_find(findings, RN_ERROR, first->line,
                "<%.40s>: NCCL's topology begins with <system>; NCCL_TOPO_DUMP_FILE writes one",
                first->name);
        return RS_OK;
    }
    rn_tell_part(elements, findings);
    pass_over(elements, findings);
    if (check_values(elements, findings) && elements->end.said.text[0] != '\0')
        rn_find_said(findings, RN_ERROR, elements->end.line, &elements->end.said);
    return RS_OK;
}
