/* elements.h: the elements of a topology XML, as they stand in the text (topology_xml.c), and their attributes
 * (attributes.c). Private to this folder.
 */
#ifndef RC_ELEMENTS_H
#define RC_ELEMENTS_H

#include "topology/findings.h"

enum { RC_MOST_ELEMENTS = 100000, RC_DEEPEST_ELEMENT = 64, RC_LONGEST_VALUE = 255 };

/* Elements that count. */
typedef enum rc_tag {
    RC_TAG_SYSTEM,
    RC_TAG_CPU,
    RC_TAG_PCI,
    RC_TAG_GPU,
    RC_TAG_NVLINK,
    RC_TAG_C2C,
    RC_TAG_NIC,
    RC_TAG_NET,
    RC_N_TAGS /* any other */
} rc_tag;
/* Returns "system", ... */
const char *rc_tag_name(rc_tag tag);

typedef struct rc_element {
    rc_tag tag;
    int32_t parent; /* -1: the outermost */
    int64_t line;
    const char *const *attributes; /* name, value, name, value, ..., NULL */
} rc_element;

typedef struct rc_elements {
    rc_element *list; /* [n] in the order of the text: a parent stands before what is inside it */
    int32_t n, room;
} rc_elements;

/* Reads the elements into the arena; those that do not count are passed over, with a warning, and with all
   that is inside. What is no XML, too deep or too large is an error among the findings: the list is then cut
   short. RC_LACKS: no memory, no expat. */
rc_exit rc_read_elements(const char *text, size_t n_bytes, rs_arena *arena, rc_findings *findings,
                         rs_error *error, rc_elements *elements);
/* ------------------------------------------------------------------ attributes.c */

/* Returns the value of an attribute; NULL: there is none of that name. */
const char *rc_attribute(const rc_element *element, const char *name);

/* Reads a whole number of a range from an attribute; false: it is missing or wrong, an error if `needed`. */
bool rc_read_number(const rc_element *element, const char *name, int64_t least, int64_t most,
                    bool needed, rc_findings *findings, int64_t *number);
/* Reads a bus id, 0000:4e:00.0, as one number, 0x4e000; false: it is none. */
bool rc_read_bus_id(const char *text, uint64_t *id);
/* Tells whether the class of a PCI device begins so: "0x03" a GPU, "0x02" a NIC. */
bool rc_has_class(const rc_element *element, const char *begin);
/* Takes at most so many hexadecimal digits, and goes on behind them; returns how many there are. */
int rc_take_hex(const char **at, int most, uint64_t *value);

#endif
