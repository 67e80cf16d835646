/* topology_box.h: the elements of a topology's XML that count, and what their attributes say (topology_xml.c); the box that they
 * describe (topology_box.c), and its NVLinks (topology_links.c). Private to this folder. */
#pragma once

#include "topology/box.h"
#include "xml_elements.h"

typedef enum rn_tag {
    RN_TAG_SYSTEM,
    RN_TAG_CPU,
    RN_TAG_PCI,
    RN_TAG_GPU,
    RN_TAG_NVLINK,
    RN_TAG_C2C,
    RN_TAG_NIC,
    RN_TAG_NET,
    RN_TAG_OTHER /* and all inside */
} rn_tag;
/* Reads a topology's elements into the arena; those that are not known are warned of. What is no topology is an error among the
   findings. RS_NO_MEMORY; RS_UNSUPPORTED: no expat. */
rs_status rn_read_topology_elements(const char *text, size_t n_bytes, rs_arena *arena,
                                    rn_findings *findings, rs_error *error, rn_elements *elements);
/* Tells whether an element of the tag stands in another one. */
bool rn_has_inside(const rn_elements *elements, int32_t at, rn_tag tag);
/* Reads a bus id, 0000:4e:00.0, as one number, 0x4e000; false: it is none. */
bool rn_read_bus_id(const char *text, uint64_t *id);
/* Tells whether the class of a PCI device begins so: "0x03" a GPU, "0x02" a NIC. */
bool rn_has_class(const rn_element *element, const char *begin);

/* Reads the box that an XML describes into the arena; what is impossible is an error among the findings, and left out. */
rs_status rn_read_box_xml(const char *text, size_t n_bytes, rs_arena *arena, rn_findings *findings,
                          rs_error *error, rn_box *box);

/* ------------------------------------------------------------------ while it is read */

typedef struct rn_box_reading {
    const rn_elements *elements;
    rn_findings *findings;
    rn_box *box;
    int32_t *part_of;         /* [elements] -1: none */
    const char **host_hashes; /* [RN_MOST_HOST_CPUS] */
    int32_t n_cpus, n_gpus;
    bool said_width, said_speed, said_port, said_between, said_sm, said_class;
} rn_box_reading;

/* Returns the part that an element stands in, where `where` names what is around it; else says where it belongs, -1. */
int32_t rn_part_around(const rn_box_reading *reading, const rn_element *element, const char *where);

/* Reads all <nvlink> and <c2c>. */
rs_status rn_read_nvlinks(const rn_box_reading *reading, rs_arena *arena, rs_error *error);
