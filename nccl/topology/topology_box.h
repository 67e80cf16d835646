/* topology_box.h: what an XML's elements describe (topology_box.c), and which NVLinks (topology_links.c). Private to
 * this folder. */
#pragma once

#include "topology/box.h"
#include "topology/elements.h"

/* Reads the box that the elements describe into the arena; what is impossible is an error among the findings, and
   left out. */
rs_status rn_read_box_elements(const rn_elements *elements, rs_arena *arena, rn_findings *findings,
                               rs_error *error, rn_box *box);

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
