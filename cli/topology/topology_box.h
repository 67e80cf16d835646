/* topology_box.h: what an XML's elements describe (topology_box.c), and which NVLinks (topology_links.c). Private to
 * this folder. */
#ifndef RC_TOPOLOGY_BOX_H
#define RC_TOPOLOGY_BOX_H

#include "topology/box.h"
#include "topology/elements.h"

/* Reads the box that the elements describe into the arena; what is impossible is an error among the findings, and
   left out. */
rc_exit rc_read_box_elements(const rc_elements *elements, rs_arena *arena, rc_findings *findings,
                             rs_error *error, rc_box *box);

/* Makes devices of the bridges whose class says so, where no element does (topology_template.c). */
rc_exit rc_read_template(const rc_elements *elements, const int32_t part_of[], rs_arena *arena,
                         rc_findings *findings, rs_error *error, rc_box *box);

/* Reads all <nvlink> and <c2c>; part_of[i] is the part of element i, -1: none. */
rc_exit rc_read_nvlinks(const rc_elements *elements, const int32_t part_of[], rs_arena *arena,
                        rc_findings *findings, rs_error *error, rc_box *box);

#endif
