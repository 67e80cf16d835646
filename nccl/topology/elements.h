/* elements.h: the elements of a topology XML, as they stand in the text (topology_xml.c), and their attributes
 * (topology_xml.c). Private to this folder.
 */
#pragma once

#include "ringsim_text.h"

#include "ringsim_findings.h"

enum { RN_MOST_ELEMENTS = 100000, RN_DEEPEST_ELEMENT = 64, RN_LONGEST_VALUE = 255 };

/* Elements that count. */
typedef enum rn_tag {
    RN_TAG_SYSTEM,
    RN_TAG_CPU,
    RN_TAG_PCI,
    RN_TAG_GPU,
    RN_TAG_NVLINK,
    RN_TAG_C2C,
    RN_TAG_NIC,
    RN_TAG_NET,
    RN_N_TAGS /* any other */
} rn_tag;
/* Returns "system", ... */
const char *rn_tag_name(rn_tag tag);

typedef struct rn_element {
    rn_tag tag;
    int32_t parent; /* -1: the outermost */
    int64_t line;
    const char *const *attributes; /* name, value, name, value, ..., NULL */
} rn_element;

typedef struct rn_elements {
    rn_element *list; /* [n] in the order of the text: a parent stands before what is inside it */
    int32_t n, room;
} rn_elements;

/* Reads the elements into the arena; those that do not count are passed over, with a warning, and with all
   that is inside. What is no XML, too deep or too large is an error among the findings: the list is then cut
   short. RS_NO_MEMORY: no memory, no expat. */
rs_status rn_read_elements(const char *text, size_t n_bytes, rs_arena *arena, rn_findings *findings,
                           rs_error *error, rn_elements *elements);
/* ------------------------------------------------------------------ topology_xml.c */

/* Returns the value of an attribute; NULL: there is none of that name. */
const char *rn_attribute(const rn_element *element, const char *name);

/* Reads a whole number of a range from an attribute; false: it is missing or wrong, an error if `needed`. */
bool rn_read_number(const rn_element *element, const char *name, int64_t least, int64_t most,
                    bool needed, rn_findings *findings, int64_t *number);
/* Reads a bus id, 0000:4e:00.0, as one number, 0x4e000; false: it is none. */
bool rn_read_bus_id(const char *text, uint64_t *id);
/* Tells whether the class of a PCI device begins so: "0x03" a GPU, "0x02" a NIC. */
bool rn_has_class(const rn_element *element, const char *begin);
