/* topology_box.h: what an XML's elements describe (topology_box.c), and which NVLinks (topology_links.c). Private to
 * this folder. */
#pragma once

#include "topology/box.h"
#include "topology/elements.h"

/* Reads the box that the elements describe into the arena; what is impossible is an error among the findings, and
   left out. */
rs_status rn_read_box_elements(const rn_elements *elements, rs_arena *arena, rn_findings *findings,
                               rs_error *error, rn_box *box);

/* Returns the part that an element stands in, where `where` names what is around it; else says where it belongs, -1. */
int32_t rn_part_around(const rn_elements *elements, const int32_t part_of[],
                       const rn_element *element, const char *where, rn_findings *findings);

/* Reads all <nvlink> and <c2c>; part_of[i] is the part of element i, -1: none. */
rs_status rn_read_nvlinks(const rn_elements *elements, const int32_t part_of[], rs_arena *arena,
                          rn_findings *findings, rs_error *error, rn_box *box);
