/* ringsim_topology.h: other programs' descriptions of one box, read as a machine (read_topology.c).
 *
 *     XML:     text --topology_xml.c--> elements --topology_box.c--> box --box_lint.c--> the same, judged
 *     matrix:  text --topo_matrix.c---> matrix ----matrix_box.c----> box
 *     both:    box --box_machine.c--> machine
 *
 *   - Formats: ringsim-machine(5). Whatever is wrong is a finding with its line; an error means: no machine.
 *   - No number in a file decides how much is allocated; sizes have limits.
 */
#pragma once

#include "ringsim_findings.h"
#include "ringsim_machine.h"
#include "ringsim_nccl_log.h"

RS_BEGIN_DECLS

enum { RN_TOPOLOGY_BYTES = 16 * 1024 * 1024 }; /* such a file may have */

/* What a file is, by its content; ringsim's own format, or none that is known: RN_OWN_MACHINE. */
typedef enum rn_content {
    RN_OWN_MACHINE,
    RN_TOPOLOGY_XML, /* or a graph's */
    RN_TOPO_MATRIX,
    RN_MSCCL_XML /* no machine: a program */
} rn_content;
rn_content rn_recognise(const char *text, size_t n_bytes);

/* Reads NCCL's topology XML, or the matrix of nvidia-smi topo -m. The machine, of that name, lives in the arena.
   An error names file and line, or only the file. RS_UNSUPPORTED: this build has no expat, which reads XML. */
rs_status rn_read_topology(rn_content content, const char *text, size_t n_bytes, const char *file,
                           const char *name, rs_arena *arena, rn_findings *findings,
                           rs_error *error, rs_machine *machine);

/* graph_xml.c: a graph of NCCL_GRAPH_DUMP_FILE. */
enum { RN_MOST_GRAPHS = 16 };
typedef struct rn_graph_file {
    rn_nccl_graph graphs[RN_MOST_GRAPHS];
    int32_t ids[RN_MOST_GRAPHS], n_graphs;
    rn_nccl_ring *rings; /* [n_rings] of the ring graph, inside the node */
    int32_t n_rings;
} rn_graph_file;
rs_status rn_read_graph(const char *text, size_t n_bytes, rs_arena *arena, rn_findings *findings,
                        rs_error *error, rn_graph_file *graph);

RS_END_DECLS
