/* topology.h: other programs' descriptions of one box, read as a machine (read_topology.c).
 *
 *     XML:     text --topology_xml.c--> elements --topology_box.c--> box --box_lint.c--> the same, judged
 *     matrix:  text --topo_matrix.c---> matrix ----matrix_box.c----> box
 *     both:    box --box_machine.c--> machine
 *
 *   - Formats: ringsim-machine(5). Whatever is wrong is a finding with its line; an error means: no machine.
 *   - No number in a file decides how much is allocated; sizes have limits.
 */
#ifndef RC_TOPOLOGY_H
#define RC_TOPOLOGY_H

#include "ringsim_machine.h"
#include "topology/findings.h"

enum { RC_TOPOLOGY_BYTES = 16 * 1024 * 1024 }; /* such a file may have */

/* What a file is, by its content; ringsim's own format, or none that is known: RC_OWN_MACHINE. */
typedef enum rc_content { RC_OWN_MACHINE, RC_TOPOLOGY_XML, RC_TOPO_MATRIX } rc_content;
rc_content rc_recognise(const char *text, size_t n_bytes);

/* Reads NCCL's topology XML, or the matrix of nvidia-smi topo -m. The machine, of that name, lives in the arena.
   An error names file and line, or only the file. RC_LACKS: this build has no expat, which reads XML. */
rc_exit rc_read_topology(rc_content content, const char *text, size_t n_bytes, const char *file,
                         const char *name, rs_arena *arena, rc_findings *findings, rs_error *error,
                         rs_machine *machine);

#endif
